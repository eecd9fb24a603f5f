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
    r"""Read a file: text, sheets, JSON, parquet, FITS and more, by its extension.

    Parameters
    ----------
    path : str or path
        ``.csv`` and ``.tsv``, also with ``.gz``; ``.txt``; ``.xlsx``, ``.xlsm`` and
        ``.ods``; ``.json``, ``.jsonl`` and ``.ndjson``, also with ``.gz``;
        ``.parquet``; ``.arrow``, ``.feather`` and ``.ipc``; ``.nc`` and ``.netcdf``;
        ``.fits``, ``.fits.gz`` and ``.fit``; ``.vot``, ``.votable`` and ``.xml``;
        ``.ecsv``; ``.h5ad``. Text and sheets must have a header.
    id, values, errors, kind, weight, missing, sample, joint, meaning, batch, replicates
        Which column is what; see `from_frame`. In a netCDF file `id` and `sample` are
        dimensions and `values` are variables, or all are variables with one dimension.
        In AnnData `values` are names of variables (genes), of columns of ``obs``, or of
        embeddings such as X_pca, which stands for X_pca_1, X_pca_2, ...; `id` is by
        default ``"obs_names"``.
    max_bytes : int, optional
        Largest size to read, unpacked; half of this machine's memory by default.
        Larger files are refused; of lazy ones, larger partitions.
    lazy : bool, default=False
        Read parquet files in partitions of some 64 MiB, unpacked, whenever they are
        needed, so that they may be larger than the memory. `path` may then be a folder
        or a pattern such as ``"folder/*.parquet"``. Not with `sample` and `batch`, nor
        for replicates; `missing` is "error" or, with `errors`, "infinite".
    sep : str, optional
        Text tables: what separates the columns, a character or "tab". By default the
        one of ``,`` ``;`` tab and ``|`` by which the named columns are found, else
        spaces, with a warning. A space stands for any number of them.
    decimal : {".", ","}, optional
        Text tables, and text in sheets and JSON: the decimal mark. By default the one
        that the numbers of the table show; see Notes.
    encoding : str, optional
        Text tables: by default what a mark at the beginning says, else UTF-8, else
        cp1252, with a warning.
    na : str, number or list of these, optional
        Text tables, sheets and JSON: more words or numbers that stand for missing
        values.
    corr, log
        Columns of correlations, and values of which the logarithm is taken; see
        `from_frame`.
    sheet : str or int, optional
        Sheets: the name of the one to read, or its number from 1. By default the first
        that holds something, with a warning if others do, too.
    layers : str or list of str, optional
        AnnData: layers (``"X"`` is X itself) that are repeated measurements of the
        values, with `meaning` "error" unless it is given.

    Notes
    -----
    Only the needed columns are read, in time and memory that grow linearly with rows
    and columns. Ids are text, unless all are whole numbers written plainly: station
    050114 keeps its zero. The page on data says how numbers are understood
    (``1.234,5``, ``12 cm``, ``150.4 ± 2.0``, ``<0.5``), which words are missing values,
    and that lines of titles above the names and rows of totals at the bottom are left
    out, all with warnings where something is assumed.

    Text and JSON need no extra; pyarrow, of the extra ``io``, makes text faster.
    FITS, VOTable and ECSV need the extra ``science``, the other formats ``io``.

    Damaged files raise a `FileError` or a `DataError`. `max_bytes` is compared with the
    sizes that a file says it has. Files made to harm can say less: read those of
    strangers in a process whose memory and time are limited.

    If lazy, a `PartitionedData` is returned, which `UKMeans`, `ErrorMixture` and
    `AutoClusterer` take. The rows of an object must follow each other in one file, as
    in files that are sorted by id. What is kept grows with the number of objects, not
    of rows. Files are read once by `UKMeans`, and twice more for its `membership_`,
    three times by `AutoClusterer`, up to four times by `ErrorMixture`, and once for
    each prediction.

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
