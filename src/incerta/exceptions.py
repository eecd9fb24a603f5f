"""Errors and warnings that users may want to catch by name."""


class IncertaWarning(UserWarning):
    """Base of every warning of this library."""


class DataError(ValueError):
    """The data cannot be understood as uncertain objects."""


class MissingValueError(DataError):
    """Values or errors are missing, and no rule was given for them."""


class FileError(OSError):
    """A file cannot be read: unknown, damaged, foreign or too large."""


class MissingExtraError(ImportError):
    """An optional library is needed; the message names the extra to install."""


class ModelFileError(FileError, ValueError):
    """A model cannot be stored, or a model file cannot be loaded."""


class CheckpointError(FileError, ValueError):
    """A checkpoint is that of another computation, or cannot be read or written."""
