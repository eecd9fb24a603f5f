"""What damaged files do to their readers, in words."""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from incerta.exceptions import (
    DataError,
    FileError,
    IncertaWarning,
    MissingExtraError,
)

# What a damaged file does not cause: messages of ours.
OUR_OWN = (DataError, FileError, IncertaWarning, MissingExtraError, MemoryError)
# What mistakes in this code cause; in that of others, a damaged file.
MISTAKES = (TypeError, NameError)


class Reading(AbstractContextManager["Reading"]):
    """Turns whatever error a damaged file causes in a reader into a `FileError`."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is None or isinstance(error, OUR_OWN):
            return
        if isinstance(error, MISTAKES) and _is_of_this_code(trace):
            return
        if isinstance(error, FileNotFoundError):
            msg = f"there is no file {self.file}."
            raise FileError(msg) from error
        # Readers raise errors of their own on damaged files, without a common base;
        # those written in Rust one that is not even an Exception.
        if isinstance(error, Exception) or kind.__name__ == "PanicException":
            reason = " ".join(str(error).split()) or type(error).__name__
            msg = f"{self.file} cannot be read: {reason}"
            raise FileError(msg) from error


def _is_of_this_code(trace: Any) -> bool:
    """Tell whether an error was raised here, not in a library that was called."""
    while trace.tb_next is not None:
        trace = trace.tb_next
    return str(trace.tb_frame.f_globals.get("__name__", "")).startswith("incerta.")
