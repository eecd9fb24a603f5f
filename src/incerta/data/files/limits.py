"""How large a file may be."""

from pathlib import Path

from incerta.exceptions import FileError

NUMBER_BYTES = 8  # every cell becomes a float64 or a code


def refuse_size(path: Path, size: int, limit: int) -> None:
    """Refuse data that would fill the memory, before they are read."""
    if size > limit:
        msg = (
            f"{path} holds at least {in_words(size)} of needed data, more than the "
            f"limit of {in_words(limit)}. Pass max_bytes={size} or more to read it "
            "anyway."
        )
        raise FileError(msg)


def in_words(size: int) -> str:
    """A number of bytes as people say it."""
    for unit, one in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size >= one:
            return f"{size / one:.3g} {unit}"
    return f"{size} bytes"
