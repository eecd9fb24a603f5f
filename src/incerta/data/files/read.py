"""`read`: uncertain data from a file."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np

from incerta.backend.memory import physical_bytes
from incerta.data.container import UncertainData
from incerta.data.files.binary import read_arrow, read_netcdf, read_parquet
from incerta.data.files.csv import read_csv
from incerta.data.files.lazy import read_lazily
from incerta.data.files.reading import Reading
from incerta.data.from_frame import from_frame
from incerta.data.partitioned import PartitionedData
from incerta.data.tables.roles import Errors, Kind, Missing, Roles, as_roles
from incerta.exceptions import DataError, FileError, MissingValueError
from incerta.typing import Ids

READERS: dict[str, Callable[[Path, Roles, int], Any]] = {
    ".csv": read_csv,
    ".csv.gz": read_csv,
    ".tsv": read_csv,
    ".tsv.gz": read_csv,
    ".parquet": read_parquet,
    ".arrow": read_arrow,
    ".feather": read_arrow,
    ".ipc": read_arrow,
    ".nc": read_netcdf,
    ".netcdf": read_netcdf,
}


@overload
def read(
    path: str | os.PathLike[str],
    *,
    id: str | None = ...,
    values: str | Sequence[str],
    errors: Errors | None = ...,
    kind: Kind = ...,
    weight: str | None = ...,
    missing: Missing = ...,
    sample: str | None = ...,
    joint: bool | None = ...,
    meaning: str | None = ...,
    batch: str | None = ...,
    max_bytes: int | None = ...,
    lazy: Literal[False] = ...,
) -> UncertainData: ...


@overload
def read(
    path: str | os.PathLike[str],
    *,
    id: str | None = ...,
    values: str | Sequence[str],
    errors: Errors | None = ...,
    kind: Kind = ...,
    weight: str | None = ...,
    missing: Missing = ...,
    sample: str | None = ...,
    joint: bool | None = ...,
    meaning: str | None = ...,
    batch: str | None = ...,
    max_bytes: int | None = ...,
    lazy: Literal[True],
) -> PartitionedData: ...


def read(
    path: str | os.PathLike[str],
    *,
    id: str | None = None,
    values: str | Sequence[str],
    errors: Errors | None = None,
    kind: Kind = "sd",
    weight: str | None = None,
    missing: Missing = "error",
    sample: str | None = None,
    joint: bool | None = None,
    meaning: str | None = None,
    batch: str | None = None,
    max_bytes: int | None = None,
    lazy: bool = False,
) -> UncertainData | PartitionedData:
    r"""Read a file: csv, parquet, arrow or netCDF, by its extension.

    Parameters
    ----------
    path : str or path
        ``.csv`` and ``.tsv``, also with ``.gz``; ``.parquet``; ``.arrow``, ``.feather``
        and ``.ipc``; ``.nc`` and ``.netcdf``. Text must be UTF-8 with a header.
    id, values, errors, kind, weight, missing, sample, joint, meaning, batch
        Which column is what; see `from_frame`. In a netCDF file `id` and `sample` are
        dimensions and `values` are variables, or all are variables with one dimension.
    max_bytes : int, optional
        Largest size to read, unpacked; half of this machine's memory by default.
        Larger files are refused before they are read; of lazy ones, larger partitions.
    lazy : bool, default=False
        Read parquet files in partitions of some 64 MiB, unpacked, whenever they are
        needed, so that they may be larger than the memory. `path` may then be a folder
        or a pattern such as ``"folder/*.parquet"``. Not with `sample` and `batch`, nor
        for replicates; `missing` is "error" or, with `errors`, "keep".

    Returns
    -------
    UncertainData
        If lazy, `PartitionedData`, which `UKMeans`, `ErrorMixture` and `ViewConsensus`
        take.

    Notes
    -----
    Only the needed columns are read. In csv files an empty cell and NA, N/A, NaN,
    nan, null, NULL or None are missing values. Ids are text, unless all are whole
    numbers written plainly: station 050114 keeps its zero. A gzip file that could
    unpack to more than `max_bytes` is unpacked twice, once to measure it.

    csv files are read by the first of pyarrow, polars and pandas that is installed,
    small ones even without any of them; the other formats need the extra ``io``.

    If lazy, the rows of an object must follow each other in one file, as in files that
    are sorted by id; an object found in two partitions is an error when the data are
    used. Partitions consist of whole row groups, of which one at least is in memory,
    several times while it is grouped. What is kept grows with the number of objects,
    not of rows: labels, memberships, means and variances. Files are read once by
    `UKMeans`, and twice more for its `membership_`, three times by `ViewConsensus`, up
    to four times by `ErrorMixture`, and once for each prediction.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import incerta as ic
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "stars.csv"
    ...     _ = path.write_text("star,mass,mass_error\n007,1.0,0.1\n008,8.0,0.5\n")
    ...     data = ic.read(path, id="star", values=["mass"], errors="{}_error")
    >>> data.ids.tolist(), data.variance().ravel().tolist()
    (['007', '008'], [0.01..., 0.25])
    """
    roles = as_roles(id, values, errors, kind, weight, sample, joint, meaning, batch)
    limit = _as_limit(max_bytes)
    if lazy:
        return read_lazily(path, roles, errors, missing, limit)
    file = Path(path)
    extension = _extension(file)
    with Reading(file):
        if file.stat().st_size == 0:
            msg = f"{file} is empty."
            raise FileError(msg)
        frame = READERS[extension](file, roles, limit)
    data = from_frame(
        frame,
        id=id,
        values=values,
        errors=errors,
        kind=kind,
        weight=weight,
        missing=missing,
        sample=sample,
        joint=joint,
        meaning=meaning,
        batch=batch,
    )
    if id is None or READERS[extension] is not read_csv:
        return data
    return replace(data, ids=_numbers_if_plain(data.ids, id))


def _extension(file: Path) -> str:
    if file.is_dir() or (set("*?[") & set(file.name) and not file.exists()):
        msg = f"{file} stands for several files; only lazy=True reads these."
        raise FileError(msg)
    name = file.name.lower()
    found = [extension for extension in READERS if name.endswith(extension)]
    if not found:
        msg = (
            f"{file} has an unknown extension; the known ones are "
            f"{', '.join(READERS)}. Other files can be loaded by your frame library "
            "and passed to from_frame."
        )
        raise FileError(msg)
    return found[0]


def _as_limit(max_bytes: int | None) -> int:
    if max_bytes is None:
        return physical_bytes() // 2
    if max_bytes <= 0:
        msg = f"max_bytes={max_bytes!r} must be above 0."
        raise DataError(msg)
    return int(max_bytes)


def _numbers_if_plain(ids: Ids, name: str) -> Ids:
    """Turn ids of a text file into whole numbers if nothing is lost by doing so."""
    if ids.dtype.kind != "U":
        return ids
    if (ids == "").any():
        msg = f"id={name!r} is empty in some rows; fill it or leave these rows out."
        raise MissingValueError(msg)
    try:
        numbers = ids.astype(np.int64)
    except (ValueError, OverflowError):
        return ids
    return numbers if (numbers.astype(ids.dtype) == ids).all() else ids
