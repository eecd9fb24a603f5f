"""Size limits of files, and messages about damaged ones."""

import gzip
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError, IncertaWarning, MissingExtraError

NUMBER_BYTES = 8  # every cell becomes a float64 or a code
MOST_DEFLATED = 1032  # deflate expands a byte to at most this many
# Errors that are not caused by a damaged file: our messages.
OUR_OWN = (DataError, FileError, IncertaWarning, MissingExtraError, MemoryError)
# Errors caused by mistakes in this code; in libraries, by a damaged file.
MISTAKES = (TypeError, NameError)


@contextmanager
def reading(file: Path) -> Iterator[None]:
    """Turn any error that a damaged file causes in a reader into a `FileError`."""
    try:
        yield
    except OUR_OWN:
        raise
    except FileNotFoundError as error:
        msg = f"there is no file {file}."
        raise FileError(msg) from error
    except BaseException as error:
        # Errors of readers on damaged files have no common base. Readers written in
        # Rust raise one that is not even an Exception.
        is_mistake = isinstance(error, MISTAKES) and _is_of_this_code(error)
        is_panic = type(error).__name__ == "PanicException"
        if is_mistake or not (is_panic or isinstance(error, Exception)):
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        msg = f"{file} cannot be read: {reason}"
        raise FileError(msg) from error


def _is_of_this_code(error: BaseException) -> bool:
    """Return whether an error was raised in this code rather than in a library."""
    frame, _ = [*traceback.walk_tb(error.__traceback__)][-1]
    return str(frame.f_globals.get("__name__", "")).startswith("incerta.")


def needed(path: Path, names: Sequence[str], spec: TableSpec) -> list[str]:
    """Return the columns that `spec` names; there must be one of each."""
    columns = spec.columns(names)
    refuse_twice(path, names, columns)
    return columns


def refuse_twice(path: Path, names: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse needed columns whose names occur several times."""
    times = Counter(names)
    twice = next((name for name in columns if times[name] > 1), None)
    if twice is not None:
        msg = f"{path} has {times[twice]} columns named {twice!r}."
        raise FileError(msg)


def refuse_size(path: Path, size: int, limit: int) -> None:
    """Refuse data that would fill the memory."""
    if size > limit:
        msg = (
            f"{path} holds at least {in_words(size)} of needed data, more than the "
            f"limit of {in_words(limit)}. Pass max_bytes={size} or more to read it "
            "anyway."
        )
        raise FileError(msg)


def refuse_unpacked(path: Path, limit: int) -> None:
    """Refuse a file that is too large once unpacked, if its name ends in .gz.

    A gzip file states its size only modulo 4 GiB. If the limit may be exceeded, it is
    unpacked once to measure it.
    """
    size = path.stat().st_size
    if path.suffix.lower() == ".gz" and size * MOST_DEFLATED > limit:
        size = 0
        with gzip.open(path) as stream:
            while size <= limit and (chunk := stream.read(2**20)):
                size += len(chunk)
    refuse_size(path, size, limit)


def opened(path: Path, mode: str, **how: Any) -> Any:
    """Open a file, unpacked if its name ends in .gz."""
    opener: Any = gzip.open if path.suffix.lower() == ".gz" else open
    return opener(path, mode, **how)


def in_words(size: int) -> str:
    """Format a number of bytes."""
    for unit, one in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= one:
            return f"{size / one:.3g} {unit}"
    return f"{size} bytes"
