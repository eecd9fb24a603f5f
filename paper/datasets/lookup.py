"""The search for a data set: in a folder named by the user, the cache and the web."""

import csv
import os
import sys
import warnings
import zlib
from pathlib import Path
from zipfile import BadZipFile

from incerta.exceptions import IncertaWarning
from paper.datasets.checksums import CHECKSUMS
from paper.datasets.download import download, sha256_of
from paper.datasets.sources import Remote, Source
from paper.datasets.tables import Expected, FetchError, Table

# Errors on reading a file whose contents do not match its name.
_UNREADABLE = (
    BadZipFile,
    EOFError,
    IndexError,
    KeyError,
    NotImplementedError,
    OSError,
    RuntimeError,
    StopIteration,
    ValueError,
    csv.Error,
    zlib.error,
)


def data_folder() -> Path | None:
    """Return the folder of data files named by INCERTA_DATA."""
    named = os.environ.get("INCERTA_DATA")
    return Path(named).expanduser() if named else None


def cache_folder(cache: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder for fetched files.

    Parameters
    ----------
    cache : path, optional
        The folder. The default is the environment variable INCERTA_CACHE, or else
        ``incerta`` in the system folder for caches.
    """
    named = cache if cache is not None else os.environ.get("INCERTA_CACHE")
    if named:
        return Path(named).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "incerta"


def obtain(
    source: Source, cache: str | os.PathLike[str] | None, progress: bool
) -> Table:
    """Find, read and check the table of a data set.

    The folder INCERTA_DATA comes first, if it has all files of the set; then the
    cache; then the web. A file in the cache that fails its check is fetched again.
    """
    if (local := in_folder(source)) is not None:
        return local
    if source.remote is None:
        why = source.why_no_remote
        msg = f"{source.name} cannot be fetched: {why}. {_way_out(source)}"
        raise FetchError(msg)
    remote = source.remote
    target = cache_folder(cache) / remote.file
    if target.is_file():
        try:
            return _read_remote(target, source, remote)
        except FetchError:
            target.unlink(missing_ok=True)
    download(
        remote.url,
        target,
        sha256=remote.sha256,
        max_bytes=remote.max_bytes,
        progress=progress,
        way_out=f"{_way_out(source)} Otherwise try again when you are online.",
    )
    try:
        return _read_remote(target, source, remote)
    except FetchError:
        target.unlink(missing_ok=True)
        raise


def in_folder(source: Source) -> Table | None:
    """Read a set from the folder INCERTA_DATA; None if the folder lacks a file."""
    folder = data_folder()
    if folder is None:
        return None
    paths = [folder / name for name in source.files]
    if not all(path.is_file() for path in paths):
        return None
    for path in paths:
        expected, found = CHECKSUMS[path.name], sha256_of(path)
        if found != expected:
            msg = (
                f"{path} is not the file that this version expects: expected sha256 "
                f"{expected}, found {found}. Replace it, or take it out of the folder "
                "INCERTA_DATA to have the public file fetched."
            )
            raise FetchError(msg)
    table = source.read(*paths)
    _refuse_differences(source.expected.differences(table), str(folder), source)
    return table


def _read_remote(path: Path, source: Source, remote: Remote) -> Table:
    if remote.sha256 is not None and (found := sha256_of(path)) != remote.sha256:
        msg = f"{path} has sha256 {found}, not {remote.sha256}. {_way_out(source)}"
        raise FetchError(msg)
    try:
        table = remote.read(path)
    except _UNREADABLE as error:
        msg = f"{remote.url} cannot be read: {error}. {_way_out(source)}"
        raise FetchError(msg) from error
    if remote.living and table.values.shape[1] == source.expected.shape[1]:
        _tell_differences(table, source.expected, remote)
        return table
    # A file with the known checksum is unchanged. The format of its numbers may differ
    # from ours.
    differences = source.expected.differences(table, values=remote.sha256 is None)
    _refuse_differences(differences, remote.url, source)
    return table


def _refuse_differences(differences: list[str], place: str, source: Source) -> None:
    if differences:
        msg = (
            f"{source.name} from {place} is not the known table: "
            f"{'; '.join(differences)}. {_way_out(source)}"
        )
        raise FetchError(msg)


def _tell_differences(table: Table, expected: Expected, remote: Remote) -> None:
    differences = expected.differences(table)
    if differences:
        msg = (
            f"{remote.url.partition('?')[0]} has changed since it was recorded: "
            f"{'; '.join(differences)}. Results will differ from those on the recorded "
            "table."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=5)


def _way_out(source: Source) -> str:
    files = " and ".join(source.files)
    folder = data_folder()
    if folder is None:
        return f"Set INCERTA_DATA to a folder that holds {files}."
    lacking = [name for name in source.files if not (folder / name).is_file()]
    if not folder.is_dir():
        return f"INCERTA_DATA={folder} is not a folder; it should hold {files}."
    if lacking:
        return f"INCERTA_DATA={folder} lacks {' and '.join(lacking)}."
    return f"INCERTA_DATA={folder} has {files}."
