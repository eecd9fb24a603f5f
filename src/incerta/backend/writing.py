"""Files that are complete, or absent."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def part_of(folder: Path) -> Path:
    """A name in a folder that nobody else uses, for what is not complete yet."""
    return folder / f".incerta.part-{os.getpid()}-{secrets.token_hex(4)}"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write to, which takes the place of `path` when the block ends well."""
    beside = part_of(path.absolute().parent)
    try:
        yield beside
        beside.replace(path)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
