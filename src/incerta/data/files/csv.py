"""Text tables, read by pyarrow where it is installed, else by the standard library."""

import csv
import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.util import find_spec
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from incerta.data.files.cells import TextTable, cells_of, understood
from incerta.data.files.dialect import (
    FEW_ROWS,
    MISSING,
    Dialect,
    TextFormat,
    as_western,
    dialect_of,
    not_decoded,
)
from incerta.data.files.numbers import numbers_of
from incerta.data.files.reading import refuse_unpacked
from incerta.data.tables.roles import Roles
from incerta.exceptions import DataError, FileError

ROW = re.compile(r"row (\d+) \(counted from 1\)")  # in messages about tables


def read_csv(path: Path, roles: Roles, limit: int) -> Any:
    """Read the needed columns: ids as text, all others as numbers."""
    return read_text(path, roles, limit, TextFormat()).frame


def read_text(path: Path, roles: Roles, limit: int, said: TextFormat) -> TextTable:
    """Read the needed columns of a file that is written in any usual way.

    Pyarrow reads plain numbers. Where it cannot, the file is read again as text,
    and what the cells mean is found out here.
    """
    refuse_unpacked(path, limit)
    dialect = dialect_of(path, roles, said)
    return _in_some_encoding(dialect, said, lambda found: _read(found, roles))


def read_all(path: Path, limit: int, said: TextFormat) -> tuple[Dialect, Any]:
    """Read all columns: those that begin with plain numbers as numbers, if they can.

    All others are text as it is written, with what stands for missing values. Columns
    whose name occurs several times are left out.
    """
    refuse_unpacked(path, limit)
    dialect = dialect_of(path, None, said)
    return _in_some_encoding(dialect, said, lambda found: (found, _read_all(found)))


def _read_all(dialect: Dialect) -> Any:
    times = Counter(dialect.names)
    columns = [name for name in dialect.names if times[name] == 1]
    numbers = set(_plain_at_first(dialect)).intersection(columns)
    if has_pyarrow() and columns:
        _refuse_open_quote(dialect)
        text = [name for name in columns if name not in numbers]
        frame = _plain_numbers(dialect, columns, text)
        if frame is not None:
            return _without_marks(frame, list(numbers), dialect.na)
        frame = _plain_numbers(dialect, columns, columns)
        if frame is not None:
            return frame
    cells, _ = cells_of(dialect, columns)
    return {name: np.array(column, object) for name, column in cells.items()}


def _plain_at_first(dialect: Dialect) -> list[str]:
    """Columns whose first cells are plain numbers.

    A zero before others makes an id, and so do more digits than a float has.
    """
    mark = re.escape(dialect.mark)
    whole = r"(0|[1-9]\d{0,14})"
    plain = re.compile(rf"\s*([+-]?{whole}?({mark}\d*)?([eE][+-]?\d+)?)?\s*")
    missing = {*MISSING, *dialect.na}
    with dialect.source.open_text() as stream:
        rows = csv.reader(stream, delimiter=dialect.separator)
        _, *first = islice(rows, FEW_ROWS + 1)
    return [
        name
        for name, cells in zip(
            dialect.names, zip_longest(*first, fillvalue=""), strict=False
        )
        if any(cell.strip() for cell in cells)
        and all(cell in missing or plain.fullmatch(cell) for cell in cells)
    ]


def _in_some_encoding(
    dialect: Dialect, said: TextFormat, reads: Callable[[Dialect], Any]
) -> Any:
    """Read as it was found out, or, if that is not UTF-8 further down, as cp1252."""
    try:
        return reads(dialect)
    except (DataError, FileError):
        raise
    except Exception as error:  # of any library
        other = None if said.encoding else as_western(dialect)
        if other is None:
            if isinstance(error, UnicodeError):
                raise not_decoded(dialect.source, error) from error
            _refuse_ragged(dialect)
            raise
    return reads(other)


def _refuse_ragged(dialect: Dialect) -> None:
    """Name the line that has too many columns, or too few."""
    with suppress(csv.Error, UnicodeError):
        cells_of(dialect, [])


def line_without(path: Path, name: str, roles: Roles, said: TextFormat) -> int:
    """First line of a file, counted from 1, in which a column is empty."""
    cells, lines = cells_of(dialect_of(path, roles, said), [name])
    return lines[cells[name].index("")]


def as_line(message: str, path: Path, roles: Roles, said: TextFormat) -> str:
    """Turn the row that a message names into a line of the file."""
    match = ROW.search(message)
    if match is None:
        return message
    with suppress(csv.Error, UnicodeError):
        _, lines = cells_of(dialect_of(path, roles, said), [])
        line = lines[int(match[1]) - 1]
        return f"{message[: match.start()]}line {line}{message[match.end() :]}"
    return message


def _read(dialect: Dialect, roles: Roles) -> TextTable:
    columns = _needed(dialect, roles)
    refuse_twice(dialect.source.path, dialect.names, columns)
    text = [name for name in columns if name in (roles.id, roles.sample)]
    if dialect.source.spaced:
        cells_of(dialect, [])  # or an empty cell would move those after it
    if has_pyarrow():
        _refuse_open_quote(dialect)
        frame = _plain_numbers(dialect, columns, text)
        if frame is not None:
            numbers = [name for name in columns if name not in text]
            return TextTable(_without_marks(frame, numbers, dialect.na), {})
    return understood(dialect, columns, roles)


def has_pyarrow() -> bool:
    """Whether pyarrow reads text; else the standard library does, only slower."""
    return find_spec("pyarrow") is not None


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


def refuse_twice(path: Path, names: Sequence[str], columns: Sequence[str]) -> None:
    """Refuse needed columns of which there are several."""
    times = Counter(names)
    twice = [name for name in columns if times[name] > 1]
    if twice:
        msg = f"{path} has {times[twice[0]]} columns named {twice[0]!r}."
        raise FileError(msg)


# plain numbers ------------------------------------------------------------------------


def _refuse_open_quote(dialect: Dialect) -> None:
    """Refuse a quote that nothing closes: pyarrow reads what it cuts off."""
    if dialect.source.count(b'"') % 2:
        cells_of(dialect, [])


def _plain_numbers(
    dialect: Dialect, columns: Sequence[str], text: Sequence[str]
) -> Any:
    """A table of pyarrow; None if a cell of a number is no plain one."""
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
                decimal_point=dialect.mark,
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
