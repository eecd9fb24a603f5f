"""Files that are complete, or absent."""

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_passing: set[Path] = set()


@contextmanager
def passing(path: Path) -> Iterator[Path]:
    """A file or folder that is gone when the block ends, however it ends."""
    _passing.add(path)
    try:
        yield path
    finally:
        _remove(path)
        _passing.discard(path)


def remove_all_passing() -> None:
    """Remove what blocks of `passing` would: the process ends before they do."""
    for path in tuple(_passing):
        _remove(path)


def part_of(folder: Path) -> Path:
    """A name in a folder that nobody else uses, for what is not complete yet."""
    return folder / f".incerta.part-{os.getpid()}-{secrets.token_hex(4)}"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file to write to, which takes the place of `path` when the block ends well."""
    with passing(part_of(path.absolute().parent)) as beside:
        yield beside
        beside.replace(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink(missing_ok=True)
