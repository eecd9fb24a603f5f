"""Errors and warnings that users may catch by name."""


class IncertaWarning(UserWarning):
    """The base class of all warnings of this library."""


class DataError(ValueError):
    """The data cannot be read as uncertain objects."""


class MissingValueError(DataError):
    """Values or errors are missing, and no rule for them is given."""


class FileError(OSError):
    """A file cannot be read: it is missing, damaged, of another format or too large."""


class MissingExtraError(ImportError):
    """An optional dependency is missing; the message names the extra to install."""


class ModelFileError(FileError, ValueError):
    """A model cannot be stored, or a model file cannot be loaded."""


class CheckpointError(FileError, ValueError):
    """A checkpoint cannot be read or written, or belongs to another computation."""
