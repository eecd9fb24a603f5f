"""Text tables, read by whichever library is installed."""

import csv
import gzip
import warnings
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np

from incerta.data.files.dialect import (
    FEW_ROWS,
    Dialect,
    TextFormat,
    as_western,
    dialect_of,
    not_decoded,
)
from incerta.data.files.limits import refuse_size
from incerta.data.files.numbers import Column, Rules, numbers_in, numbers_of
from incerta.data.tables.roles import Roles
from incerta.exceptions import DataError, FileError

MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]
TRUTH_VALUES = ["true", "True", "TRUE", "false", "False", "FALSE"]
MOST_GZIP = 1032  # deflate cannot make a byte of more than these


class TextTable(NamedTuple):
    """What a text file holds."""

    frame: Any
    errors: dict[str, str]  # from value to error column, where cells have errors


def read_csv(path: Path, roles: Roles, limit: int) -> Any:
    """Read the needed columns: ids as text, all others as numbers."""
    return read_text(path, roles, limit, TextFormat()).frame


def read_text(path: Path, roles: Roles, limit: int, said: TextFormat) -> TextTable:
    """Read the needed columns of a file that is written in any usual way.

    A library reads plain numbers. Where it cannot, the file is read again as text,
    and what the cells mean is found out here.
    """
    refuse_size(path, _unpacked_size(path, limit), limit)
    dialect = dialect_of(path, roles, said)
    try:
        return _read(dialect, roles)
    except (DataError, FileError):
        raise
    except Exception as error:  # of any library
        other = None if said.encoding else as_western(dialect)
        if other is None:
            if isinstance(error, UnicodeError):
                raise not_decoded(dialect.source, error) from error
            _refuse_ragged(dialect)
            raise
    return _read(other, roles)


def _refuse_ragged(dialect: Dialect) -> None:
    """Name the line that has too many columns, or too few."""
    with suppress(csv.Error, UnicodeError):
        _cells(dialect, [])


def column_names(path: Path, said: TextFormat) -> tuple[str, ...]:
    """Names of all columns of a file."""
    return dialect_of(path, None, said).names


def line_without(path: Path, name: str, roles: Roles, said: TextFormat) -> int:
    """First line of a file, counted from 1, in which a column is empty."""
    cells, lines = _cells(dialect_of(path, roles, said), [name])
    return lines[cells[name].index("")]


def _read(dialect: Dialect, roles: Roles) -> TextTable:
    _refuse_twice(dialect, roles)
    columns = _needed(dialect, roles)
    text = [name for name in columns if name in (roles.id, roles.sample)]
    library = next((name for name in READERS if find_spec(name) is not None), None)
    if dialect.decimal != "," and not dialect.comma_seen and library is not None:
        frame = READERS[library](dialect, columns, text)
        if frame is not None:
            numbers = [name for name in columns if name not in text]
            return TextTable(_without_marks(frame, numbers, dialect.na), {})
    table, errors = _understood(dialect, columns, roles)
    return TextTable(_as_frame(table, library), errors)


def _unpacked_size(path: Path, limit: int) -> int:
    size = path.stat().st_size
    if path.suffix.lower() != ".gz" or size * MOST_GZIP <= limit:
        return size
    unpacked = 0
    with gzip.open(path) as stream:
        while unpacked <= limit and (chunk := stream.read(2**20)):
            unpacked += len(chunk)
    return unpacked


def _needed(dialect: Dialect, roles: Roles) -> list[str]:
    try:
        return roles.columns(dialect.names)
    except DataError as error:
        if len(dialect.names) > 1:
            raise
        msg = (
            f"{error}. The first line must name the columns; if they are separated by "
            f"something else than {dialect.separator!r}, pass sep=."
        )
        raise DataError(msg) from error


def _refuse_twice(dialect: Dialect, roles: Roles) -> None:
    names = dialect.names
    wanted = {roles.id, roles.sample, roles.weight, *roles.values}
    wanted.update(name for pair in roles.errors or () for name in pair)
    twice = [name for name in names if name in wanted and names.count(name) > 1]
    if twice:
        path = dialect.source.path
        msg = f"{path} has {names.count(twice[0])} columns named {twice[0]!r}."
        raise FileError(msg)


# plain numbers ------------------------------------------------------------------------
# Readers return None if a cell is no plain number.


def _read_by_pyarrow(
    dialect: Dialect, columns: Sequence[str], text: Sequence[str]
) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # A dictionary holds each id once, however many rows the object has.
    words = pa.dictionary(pa.int32(), pa.string())
    types = {name: words if name in text else pa.float64() for name in columns}

    def attempt(*, whole_file: bool) -> Any:
        source = dialect.source.for_library()
        return arrow_csv.read_csv(
            str(source) if isinstance(source, Path) else source,
            parse_options=arrow_csv.ParseOptions(
                delimiter=dialect.separator, newlines_in_values=whole_file
            ),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=list(columns),
                column_types=types,
                null_values=[*MISSING, *dialect.na],
                strings_can_be_null=False,
            ),
        )

    # Blocks parsed side by side are faster by half, but fail where a quoted cell
    # has a line break; only then is the file parsed from end to end.
    for whole_file in (False, True):
        try:
            return attempt(whole_file=whole_file)
        except pa.ArrowInvalid as error:
            if "conversion error" in str(error) and "UTF8" not in str(error):
                break
            if whole_file:
                raise
    return None


def _read_by_polars(
    dialect: Dialect, columns: Sequence[str], text: Sequence[str]
) -> Any:
    import polars as pl

    source = dialect.source.for_library()
    lazy = pl.scan_csv(source, separator=dialect.separator, infer_schema=False)
    lazy = lazy.select(columns).with_columns(pl.col(text).fill_null(""))
    given = [pl.col(name) for name in columns if name not in text]
    words = [*MISSING, *dialect.na]
    cells = [
        pl.when(cell.is_in(words)).then(None).otherwise(cell).name.keep()
        for cell in given
    ]
    try:
        numbers = [cell.str.strip_chars().cast(pl.Float64) for cell in cells]
        return lazy.with_columns(numbers).collect()
    except pl.exceptions.InvalidOperationError:
        return None


def _read_by_pandas(
    dialect: Dialect, columns: Sequence[str], text: Sequence[str]
) -> Any:
    import pandas as pd

    numbers = [name for name in columns if name not in text]
    # Numbers to the last digit, as all others read them; newer ones do so by default.
    older = tuple(map(int, pd.__version__.split(".")[:2])) < (3, 1)
    exactly: dict[str, Any] = {"float_precision": "round_trip"} if older else {}

    def attempt(**said: Any) -> Any:
        return pd.read_csv(
            dialect.source.for_library(),
            sep=dialect.separator,
            keep_default_na=False,
            index_col=False,
            **said,
        )

    try:
        # With usecols pandas would cut lines that are too long and say nothing.
        with warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)
            first = attempt(nrows=FEW_ROWS, dtype=str)[numbers]
            if first.isin(TRUTH_VALUES).any(axis=None):
                return None  # or they would become 1 and 0
            table = attempt(
                **exactly,
                dtype={name: str if name in text else float for name in columns},
                na_values={name: [*MISSING, *dialect.na] for name in numbers},
            )
    except ValueError as error:
        if isinstance(error, UnicodeError) or "convert" not in str(error):
            raise
        return None
    return table[list(columns)]


READERS = {
    "pyarrow": _read_by_pyarrow,
    "polars": _read_by_polars,
    "pandas": _read_by_pandas,
}


def _without_marks(frame: Any, names: Sequence[str], na: Sequence[str]) -> Any:
    """Make numbers that stand for missing values missing: −999, also as −999.0."""
    marks = numbers_of(na)
    if not marks:
        return frame
    kept = nw.from_native(frame)
    cells = [
        nw.when(~nw.col(name).is_in(marks)).then(nw.col(name)).alias(name)
        for name in names
    ]
    return kept.with_columns(*cells).to_native()


# all others ---------------------------------------------------------------------------


def _understood(
    dialect: Dialect, columns: Sequence[str], roles: Roles
) -> tuple[dict[str, Any], dict[str, str]]:
    """Read with the standard library, and find out what the cells mean."""
    cells, lines = _cells(dialect, columns)
    words = {name for name in (roles.id, roles.sample, roles.batch) if name in cells}
    of_id = cells.get(roles.id or "")

    def where(row: int) -> str:
        named = "" if of_id is None else f", object {of_id[row]}"
        return f"line {lines[row]}{named}"

    rules = Rules(
        dialect.decimal, dialect.separator, dialect.comma_seen, dialect.na, where
    )
    numbers = {name: column for name, column in cells.items() if name not in words}
    found = numbers_in(numbers, rules)
    table: dict[str, Any] = {}
    for name in columns:
        if name not in words:
            table[name] = found[name].values
        elif name == roles.batch:
            table[name] = [None if cell in MISSING else cell for cell in cells[name]]
        else:
            table[name] = np.array(cells[name], dtype=np.str_)
    own = {name: column for name, column in found.items() if column.errors is not None}
    if not own:
        return table, {}
    _refuse_errors(own, roles, of_id)
    errors = {name: f"{name} (error)" for name in roles.values}
    for name, error in errors.items():
        exact = np.zeros_like(table[name])
        table[error] = own[name].errors if name in own else exact
    return table, errors


def _refuse_errors(
    own: dict[str, Column], roles: Roles, ids: Sequence[str] | None
) -> None:
    """Refuse values with errors where these are not expected."""
    name, column = next(iter(own.items()))
    held = f"column {name!r} holds values with errors, such as {column.example!r}"
    if name not in roles.values:
        msg = f"{held}; a column of errors or weights must hold plain numbers."
        raise DataError(msg)
    if roles.errors is not None:
        errors = "/".join(roles.errors[roles.values.index(name)])
        msg = (
            f"{held}, and errors= names its error column {errors!r}, too. Leave errors "
            "out, or leave the errors out of the cells."
        )
        raise DataError(msg)
    given = {"weight": roles.weight, "sample": roles.sample, "batch": roles.batch}
    for role, other in given.items():
        if other is not None:
            msg = f"{held}; {role}={other!r} cannot be used with these."
            raise DataError(msg)
    if ids is not None and len(set(ids)) < len(ids):
        twice = next(one for one, times in Counter(ids).items() if times > 1)
        msg = f"{held}, so each object must have a single row; {twice} has several."
        raise DataError(msg)


def _cells(
    dialect: Dialect, columns: Sequence[str]
) -> tuple[dict[str, list[str]], list[int]]:
    """Cells of some columns, and the line of the file where each row begins."""
    cells: dict[str, list[str]] = {name: [] for name in columns}
    lines: list[int] = []
    source = dialect.source
    with source.open_text() as stream:
        rows = csv.reader(stream, delimiter=dialect.separator, strict=True)
        names = next(rows)
        places = [names.index(name) for name in columns]
        begin = rows.line_num + 1
        for row in rows:
            line, begin = begin + source.n_skipped, rows.line_num + 1
            if not row:
                continue
            if len(row) != len(names):
                msg = (
                    f"{source.path}, line {line}: {len(row)} columns; the header has "
                    f"{len(names)}. A cell with {dialect.separator!r} in it must be in "
                    "quotes."
                )
                raise FileError(msg)
            lines.append(line)
            for name, place in zip(columns, places, strict=True):
                cells[name].append(row[place])
    return cells, lines


def _as_frame(table: dict[str, Any], library: str | None) -> Any:
    """Put columns into a frame of the library that reads plain files."""
    if library is None:
        return {
            name: column if isinstance(column, np.ndarray) else np.array(column, object)
            for name, column in table.items()
        }
    if library == "pyarrow":
        import pyarrow as pa

        return pa.table(table)
    if library == "polars":
        import polars as pl

        return pl.DataFrame(table)
    import pandas as pd

    return pd.DataFrame(table)
