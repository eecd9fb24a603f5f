"""`read_table`: uncertain data from a file."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, overload

from incerta.data.container import UncertainData
from incerta.data.files.lazy import read_lazily
from incerta.data.files.opened import OpenTable, limit_of, refuse_other_formats
from incerta.data.partitioned import PartitionedData
from incerta.data.tables.spec import Errors, Kind, Missing, TableSpec, Words


@overload
def read_table(
    path: str | os.PathLike[str],
    *,
    id: str | None = ...,
    values: str | Sequence[str],
    errors: Errors | None = ...,
    kind: Kind = ...,
    exposure: str | None = ...,
    weight: str | None = ...,
    missing: Missing | None = ...,
    sample: str | None = ...,
    joint: bool | None = ...,
    meaning: str | None = ...,
    batch: str | None = ...,
    max_bytes: int | None = ...,
    lazy: Literal[False] = ...,
    sep: str | None = ...,
    decimal: str | None = ...,
    encoding: str | None = ...,
    na: Words | None = ...,
    corr: str | None = ...,
    log: str | Sequence[str] | bool | None = ...,
    replicates: str | None = ...,
    sheet: str | int | None = ...,
    layers: str | Sequence[str] | None = ...,
) -> UncertainData: ...


@overload
def read_table(
    path: str | os.PathLike[str],
    *,
    id: str | None = ...,
    values: str | Sequence[str],
    errors: Errors | None = ...,
    kind: Kind = ...,
    weight: str | None = ...,
    missing: Missing | None = ...,
    joint: bool | None = ...,
    meaning: str | None = ...,
    max_bytes: int | None = ...,
    lazy: Literal[True],
    corr: str | None = ...,
    log: str | Sequence[str] | bool | None = ...,
) -> PartitionedData: ...


def read_table(
    path: str | os.PathLike[str],
    *,
    id: str | None = None,
    values: str | Sequence[str],
    errors: Errors | None = None,
    kind: Kind = "sd",
    exposure: str | None = None,
    weight: str | None = None,
    missing: Missing | None = None,
    sample: str | None = None,
    joint: bool | None = None,
    meaning: str | None = None,
    batch: str | None = None,
    max_bytes: int | None = None,
    lazy: bool = False,
    sep: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    na: Words | None = None,
    corr: str | None = None,
    log: str | Sequence[str] | bool | None = None,
    replicates: str | None = None,
    sheet: str | int | None = None,
    layers: str | Sequence[str] | None = None,
) -> UncertainData | PartitionedData:
    r"""Read a file by its extension: text, sheets, JSON, parquet, FITS and more.

    Parameters
    ----------
    path : str or path
        ``.csv`` and ``.tsv``, also with ``.gz``; ``.txt``; ``.xlsx``, ``.xlsm`` and
        ``.ods``; ``.json``, ``.jsonl`` and ``.ndjson``, also with ``.gz``;
        ``.parquet``; ``.arrow``, ``.feather`` and ``.ipc``; ``.nc`` and ``.netcdf``;
        ``.fits``, ``.fits.gz`` and ``.fit``; ``.vot``, ``.votable`` and ``.xml``;
        ``.ecsv``; ``.h5ad``. Text and sheets must have a header.
    id, values, errors, kind, weight, missing, sample, joint, meaning, batch, replicates
        Roles of the columns; see `from_frame`. In a netCDF file, `id` and `sample` are
        dimensions and `values` are variables, or all are variables with one dimension.
        In AnnData, `values` are names of variables (genes), of columns of ``obs``, or
        of embeddings: X_pca stands for X_pca_1, X_pca_2, .... `id` is ``"obs_names"``
        by default.
    max_bytes : int, optional
        Largest size to read, unpacked; half of this machine's memory by default. Larger
        files are refused, or larger partitions if `lazy`.
    lazy : bool, default=False
        Whether to read parquet files in partitions of about 64 MiB, unpacked, when they
        are needed, so that they may be larger than the memory. `path` may then be a
        folder or a pattern such as ``"folder/*.parquet"``. `sample`, `batch` and
        replicates are not supported; `missing` is "error" or, with `errors`,
        "infinite".
    sep : str, optional
        Text tables: separator of the columns, a character or "tab". By default the one
        of ``,`` ``;`` tab and ``|`` that gives the named columns, or else spaces, with
        a warning. A space stands for any number of spaces.
    decimal : {".", ","}, optional
        Decimal mark in text tables, and in text of sheets and JSON. By default it is
        detected from the numbers; see Notes.
    encoding : str, optional
        Encoding of text tables: by default that of a byte order mark, or else UTF-8, or
        else cp1252, with a warning.
    na : str, number or list of these, optional
        Additional words or numbers for missing values, in text tables, sheets and JSON.
    exposure, corr, log
        Columns of exposures and of correlations, and values to replace by their
        logarithms; see `from_frame`.
    sheet : str or int, optional
        Name of the sheet to read, or its number from 1. By default the first nonempty
        sheet, with a warning if there are others.
    layers : str or list of str, optional
        AnnData: layers (``"X"`` is X itself) that are repeated measurements of the
        values; `meaning` is "error" by default.

    Notes
    -----
    Only the needed columns are read, in time and memory that grow linearly with rows
    and columns. Ids are text unless all are plain whole numbers: station 050114 keeps
    its zero. The page on data describes the formats of numbers (``1.234,5``, ``12 cm``,
    ``150.4 ± 2.0``, ``<0.5``) and the words for missing values. Title lines above the
    names and rows of totals at the bottom are left out. Warnings report all
    assumptions.

    Text and JSON need no extra; pyarrow, in the extra ``io``, makes text faster. FITS,
    VOTable and ECSV need the extra ``science``, and other formats ``io``.

    Damaged files raise a `FileError` or a `DataError`. `max_bytes` is compared with the
    sizes stated in a file, which malicious files can understate: read files from
    strangers in a process with limited memory and time.

    With `lazy`, return a `PartitionedData`, which `UKMeans`, `ErrorMixture` and
    `AutoClusterer` accept. The rows of an object must be adjacent and in one file, as
    in files sorted by id. Memory grows with the number of objects, not of rows. Files
    are read once by `UKMeans`, twice more for its `membership_`, three times by
    `AutoClusterer`, up to four times by `ErrorMixture`, and once for each prediction.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import incerta as ic
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "stars.csv"
    ...     _ = path.write_text("star,mass,mass_error\n007,1.0,0.1\n008,8.0,0.5\n")
    ...     data = ic.read_table(path, id="star", values=["mass"], errors="{}_error")
    >>> data.ids.tolist(), data.variance().ravel().tolist()
    (['007', '008'], [0.01..., 0.25])
    """
    spec = TableSpec.of_call(locals())
    if lazy:
        refuse_other_formats(path, spec, ending=None)
        return read_lazily(path, spec, limit_of(max_bytes))
    return OpenTable(Path(path), spec, max_bytes).data()
