"""Files that are complete, or absent."""

import os
import platform
import re
import secrets
import shutil
import signal
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

_passing: set[Path] = set()

FORGOTTEN = 3600.0  # seconds after which what a dead process left is removed
_PART = re.compile(r"\.incerta\.part-([0-9a-f]{8})-([0-9]+)-[0-9a-f]{8}")


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
    """A name in a folder for what is not complete; what killed processes left goes."""
    for left in _forgotten(folder):
        _remove(left)
    return folder / (f".incerta.part-{_machine()}-{os.getpid()}-{secrets.token_hex(4)}")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file that replaces `path`, or what it links to, when the block ends well."""
    target = Path(os.path.realpath(path))
    with passing(part_of(target.parent)) as beside:
        yield beside
        beside.replace(target)


def fill(folder: Path, files: Mapping[str, Callable[[Path], object]]) -> list[str]:
    """Write files into a folder, all of them or none; their names."""
    with filling(folder) as place:
        for name, write in files.items():
            write(place / name)
    return list(files)


@contextmanager
def filling(folder: Path) -> Iterator[Path]:
    """A folder to write to, whose files move to `folder` when the block ends well.

    A new folder appears with all its files at once. In an existing one, also if it is
    made meanwhile, files of the same name are replaced, and others stay.
    """
    folder = folder.resolve()
    # On the disk of its destination: renaming does not cross disks.
    with passing(part_of(nearest(folder))) as beside:
        beside.mkdir()
        yield beside
        with held():
            if not folder.exists():
                folder.parent.mkdir(parents=True, exist_ok=True)
                try:
                    beside.rename(folder)
                    return
                except OSError:
                    if not folder.is_dir():
                        raise
                    # Another command was faster by a moment.
            for file in sorted(beside.iterdir()):
                file.replace(folder / file.name)


def nearest(folder: Path) -> Path:
    """The folder, or the first above it that exists."""
    whole = folder.resolve()
    return next(place for place in (whole, *whole.parents) if place.exists())


@contextmanager
def held() -> Iterator[None]:
    """Let interrupts wait until the block has ended: it is done whole or not at all."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if came and callable(before):
        before(came[0], None)


def _forgotten(folder: Path) -> list[Path]:
    """Parts that no process will complete: of this machine, old, their makers dead."""
    try:
        parts = [(path, _PART.fullmatch(path.name)) for path in folder.iterdir()]
    except OSError:
        return []
    return [
        path
        for path, made in parts
        if made is not None
        and made[1] == _machine()
        and not _is_running(int(made[2]))
        and _age(path) > FORGOTTEN
    ]


def _machine() -> str:
    """Which machine this is: a folder may be shared by several."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _is_running(process: int) -> bool:
    if os.name == "nt":  # where signal 0 is Ctrl-C
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # of somebody else
        return True
    return True


def _age(path: Path) -> float:
    try:
        return time.time() - path.lstat().st_mtime
    except OSError:  # removed by another
        return 0.0


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink(missing_ok=True)
