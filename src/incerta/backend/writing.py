"""Writing of files that appear complete or not at all."""

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

FORGOTTEN = 3600.0  # seconds after which files left by a dead process are removed
_PART = re.compile(r"\.incerta\.part-([0-9a-f]{8})-([0-9]+)-[0-9a-f]{8}")


@contextmanager
def passing(path: Path) -> Iterator[Path]:
    """Remove a file or folder when the block ends, even after an error."""
    _passing.add(path)
    try:
        yield path
    finally:
        _remove(path)
        _passing.discard(path)


def remove_all_passing() -> None:
    """Remove the files of all open `passing` blocks, before the process ends."""
    for path in tuple(_passing):
        _remove(path)


def part_of(folder: Path) -> Path:
    """Name an incomplete file in a folder; remove parts left by killed processes."""
    for left in _forgotten(folder):
        _remove(left)
    return folder / (f".incerta.part-{_machine()}-{os.getpid()}-{secrets.token_hex(4)}")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a file that replaces `path`, or its link target, if the block succeeds."""
    target = Path(os.path.realpath(path))
    with passing(part_of(target.parent)) as beside:
        yield beside
        beside.replace(target)


def fill(folder: Path, files: Mapping[str, Callable[[Path], object]]) -> list[str]:
    """Write all of the files into a folder, or none of them; return their names."""
    with filling(folder) as place:
        for name, write in files.items():
            write(place / name)
    return list(files)


@contextmanager
def filling(folder: Path) -> Iterator[Path]:
    """Yield a folder whose files move to `folder` if the block succeeds.

    A new folder appears with all its files at once. If the folder exists by then, files
    of the same name are replaced, and other files stay.
    """
    folder = folder.resolve()
    # Use the disk of the destination, because renaming does not work across disks.
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
                    # Another process has just created the folder.
            for file in sorted(beside.iterdir()):
                file.replace(folder / file.name)


def nearest(folder: Path) -> Path:
    """Return the folder if it exists, or else its nearest existing parent."""
    whole = folder.resolve()
    return next(place for place in (whole, *whole.parents) if place.exists())


@contextmanager
def held() -> Iterator[None]:
    """Delay interrupts until the block has ended, so that it is not cut short."""
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
    """Find old parts made on this machine by processes that no longer run."""
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
    """Return an identifier of this machine, as several machines may share a folder."""
    return f"{zlib.crc32(platform.node().encode()):08x}"


def _is_running(process: int) -> bool:
    if os.name == "nt":  # on Windows, signal 0 is Ctrl-C
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:  # the process belongs to another user
        pass
    return True


def _age(path: Path) -> float:
    try:
        return time.time() - path.lstat().st_mtime
    except OSError:  # removed by another process
        return 0.0


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(OSError):
        path.unlink()
