"""Text tables, read by whichever library is installed."""

import csv
import gzip
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO, cast

import numpy as np

from incerta.data.files.limits import refuse_size
from incerta.data.tables.roles import Roles
from incerta.exceptions import FileError

MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]
MOST_GZIP = 1032  # deflate cannot make a byte of more than these


def read_csv(path: Path, roles: Roles, limit: int) -> Any:
    """Read the needed columns: ids as text, all others as numbers.

    A column that does not hold numbers comes back as text; whoever needs the
    numbers says which cell is wrong.
    """
    refuse_size(path, _unpacked_size(path, limit), limit)
    separator = "\t" if ".tsv" in path.name.lower() else ","
    columns = roles.columns(_header(path, separator, roles))
    text = [name for name in columns if name in (roles.id, roles.sample)]
    for library, reader in READERS.items():
        if find_spec(library) is not None:
            return reader(path, separator, columns, text)
    return _read_plainly(path, separator, columns, text)


def _unpacked_size(path: Path, limit: int) -> int:
    size = path.stat().st_size
    if path.suffix.lower() != ".gz" or size * MOST_GZIP <= limit:
        return size
    unpacked = 0
    with gzip.open(path) as stream:
        while unpacked <= limit and (chunk := stream.read(2**20)):
            unpacked += len(chunk)
    return unpacked


def _open_text(path: Path) -> TextIO:
    opener: Any = gzip.open if path.suffix.lower() == ".gz" else open
    return cast("TextIO", opener(path, "rt", encoding="utf-8-sig", newline=""))


def _header(path: Path, separator: str, roles: Roles) -> list[str]:
    with _open_text(path) as stream:
        names = next(csv.reader(stream, delimiter=separator), [])
    if len(names) == 1 and any(mark in names[0] for mark in ";\t|,"):
        msg = (
            f"{path} has a single column {names[0]!r}; its separator is not "
            f"{separator!r}. Load it with your frame library and pass it to from_frame."
        )
        raise FileError(msg)
    wanted = {roles.id, roles.sample, roles.weight, *roles.values}
    wanted.update(name for pair in roles.errors or () for name in pair)
    twice = [name for name in names if name in wanted and names.count(name) > 1]
    if twice:
        msg = f"{path} has {names.count(twice[0])} columns named {twice[0]!r}."
        raise FileError(msg)
    return names


def _read_by_pyarrow(
    path: Path, separator: str, columns: Sequence[str], text: Sequence[str]
) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # A dictionary holds each id once, however many rows the object has.
    words = pa.dictionary(pa.int32(), pa.string())
    types = {name: words if name in text else pa.float64() for name in columns}

    def attempt(types: dict[str, Any], *, whole_file: bool, nulls: bool) -> Any:
        return arrow_csv.read_csv(
            str(path),
            parse_options=arrow_csv.ParseOptions(
                delimiter=separator, newlines_in_values=whole_file
            ),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=list(columns),
                column_types=types,
                null_values=MISSING,
                strings_can_be_null=nulls,
            ),
        )

    # Blocks parsed side by side are faster by half, but fail where a quoted cell
    # has a line break; only then is the file parsed from end to end.
    for whole_file in (False, True):
        try:
            return attempt(types, whole_file=whole_file, nulls=False)
        except pa.ArrowInvalid as error:
            if "conversion error" in str(error):
                break
            if whole_file:
                raise
    as_text = dict.fromkeys(columns, pa.string())
    return attempt(as_text, whole_file=True, nulls=True)


def _read_by_polars(
    path: Path, separator: str, columns: Sequence[str], text: Sequence[str]
) -> Any:
    import polars as pl

    lazy = pl.scan_csv(path, separator=separator, infer_schema=False)
    lazy = lazy.select(columns).with_columns(pl.col(text).fill_null(""))
    given = [pl.col(name) for name in columns if name not in text]
    cells = [
        pl.when(cell.is_in(MISSING)).then(None).otherwise(cell).name.keep()
        for cell in given
    ]
    try:
        numbers = [cell.str.strip_chars().cast(pl.Float64) for cell in cells]
        return lazy.with_columns(numbers).collect()
    except pl.exceptions.InvalidOperationError:
        return lazy.with_columns(cells).collect()


def _read_by_pandas(
    path: Path, separator: str, columns: Sequence[str], text: Sequence[str]
) -> Any:
    import pandas as pd

    numbers = [name for name in columns if name not in text]
    # Numbers to the last digit, as all others read them; newer ones do so by default.
    older = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    exactly: dict[str, Any] = {"float_precision": "round_trip"} if older else {}

    def attempt(kind: type) -> Any:
        # With usecols pandas would cut lines that are too long and say nothing.
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            table = pd.read_csv(
                path,
                sep=separator,
                **exactly,
                dtype={name: str if name in text else kind for name in columns},
                na_values=dict.fromkeys(numbers, MISSING),
                keep_default_na=False,
                index_col=False,
            )
        return table[list(columns)]

    try:
        return attempt(float)
    except ValueError as error:
        if "convert" not in str(error):
            raise
    return attempt(str)


def _read_plainly(
    path: Path, separator: str, columns: Sequence[str], text: Sequence[str]
) -> dict[str, Any]:
    """Read with the standard library: slow, for small files."""
    cells: dict[str, list[Any]] = {name: [] for name in columns}
    with _open_text(path) as stream:
        rows = csv.reader(stream, delimiter=separator, strict=True)
        names = next(rows)
        places = [names.index(name) for name in columns]
        for number, row in enumerate(rows, start=2):
            if not row:
                continue
            if len(row) != len(names):
                msg = (
                    f"{path}, line {number}: {len(row)} columns; the header has "
                    f"{len(names)}."
                )
                raise FileError(msg)
            for name, place in zip(columns, places, strict=True):
                cells[name].append(row[place])
    return {
        name: np.array(column, dtype=np.str_) if name in text else _as_numbers(column)
        for name, column in cells.items()
    }


def _as_numbers(column: list[str]) -> Any:
    given = [None if cell in MISSING else cell for cell in column]
    try:
        return np.array(given, dtype=np.float64)
    except ValueError:
        return np.array(given, dtype=np.object_)


READERS = {
    "pyarrow": _read_by_pyarrow,
    "polars": _read_by_polars,
    "pandas": _read_by_pandas,
}
