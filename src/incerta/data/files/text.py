"""Text tables, read by pyarrow where it is installed, else by the standard library."""

import csv
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from importlib.util import find_spec
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from incerta.data.files.cells import TextTable, cells_of, understood_cells
from incerta.data.files.dialect import (
    FEW_ROWS,
    MISSING,
    Dialect,
    as_western,
    dialect_of,
    not_decoded,
)
from incerta.data.files.numbers import Rules, numbers_of
from incerta.data.files.reading import refuse_unpacked
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError

ROW = re.compile(r"row (\d+) \(counted from 1\)")  # in messages about tables
WHOLE = re.compile(r"\d+").fullmatch


class ParsedText:
    """A text file, parsed.

    Parameters
    ----------
    dialect : Dialect
        How it is written.
    frame : frame
        Columns that hold plain numbers as numbers, all others as text as it is
        written, with what stands for missing values.
    words : dict from str to column, optional
        Columns of whole numbers, which may be ids, as they are written.
    lines : list of int, optional
        Line of the file in which each row begins; found out when it is asked for.
    """

    def __init__(
        self,
        dialect: Dialect,
        frame: Any,
        words: dict[str, Any] | None = None,
        lines: list[int] | None = None,
    ) -> None:
        self.dialect = dialect
        self.frame = frame
        self._words = words or {}
        self._lines = lines

    def table(self, spec: TableSpec) -> TextTable:
        """The columns that `spec` names: ids and draws as text, others as numbers."""
        dialect = self.dialect
        columns = _needed(dialect, spec)
        refuse_twice(dialect.source.path, dialect.names, columns)
        text = [name for name in columns if name in (spec.id, spec.sample)]
        cells = self._cells(columns, text)
        if all(_are_numbers(cells[name]) for name in columns if name not in text):
            return TextTable(_as_frame(cells), {})
        if any(map(_are_numbers, cells.values())):
            # The decimal mark is that of the whole table: 1.000 may be a thousand.
            texts, lines = cells_of(dialect, columns)
            return ParsedText(dialect, texts, lines=lines).table(spec)
        rules = Rules(
            dialect.decimal,
            dialect.separator,
            dialect.comma_seen,
            dialect.na,
            self._place,
        )
        lists = {name: _as_list(column) for name, column in cells.items()}
        return understood_cells(lists, rules, spec)

    def texts(self, names: Sequence[str]) -> list[list[str]]:
        """Columns as text."""
        cells = self._cells(names, names)
        return [_as_list(cells[name]) for name in names]

    def line(self, row: int) -> int:
        """The line of the file in which a row begins."""
        if self._lines is None:
            self._lines = cells_of(self.dialect, [])[1]
        return self._lines[row]

    def with_line(self, message: str) -> str:
        """A message about a row of the table, with the line of the file instead."""
        match = ROW.search(message)
        if match is None:
            return message
        with suppress(csv.Error, UnicodeError):
            place = self._place(int(match[1]) - 1)
            return f"{message[: match.start()]}{place}{message[match.end() :]}"
        return message

    def _place(self, row: int) -> str:
        return f"line {self.line(row)}"

    def _cells(self, columns: Sequence[str], text: Sequence[str]) -> dict[str, Any]:
        """Some columns; parsed again if they were not, or only as numbers."""
        there_are = frozenset(_names_of(self.frame))
        for name in columns:
            lost = name in text and name not in self._words
            if name not in there_are or (lost and _are_numbers(self.frame[name])):
                return parsed(self.dialect, columns, text)._cells(columns, text)
        return {
            name: self._words.get(name, self.frame[name])
            if name in text
            else self.frame[name]
            for name in columns
        }


def parse_text(path: Path, spec: TableSpec, limit: int) -> ParsedText:
    """Parse the columns that `spec` names, or all if it names no values.

    Pyarrow reads plain numbers. Where it cannot, columns are text, and what the cells
    mean is found out here. Columns whose name occurs several times are left out if none
    are named.
    """
    refuse_unpacked(path, limit)
    dialect = dialect_of(path, spec)

    def parse(dialect: Dialect) -> ParsedText:
        if not spec.values:
            return _all_parsed(dialect)
        columns = _needed(dialect, spec)
        refuse_twice(path, dialect.names, columns)
        text = [name for name in columns if name in (spec.id, spec.sample)]
        return parsed(dialect, columns, text)

    try:
        return parse(dialect)
    except (DataError, FileError):
        raise
    except Exception as error:  # of any library
        # UTF-8 at the beginning may be something else further down.
        western = None if spec.encoding else as_western(dialect)
        if western is None:
            if isinstance(error, UnicodeError):
                raise not_decoded(dialect.source, error) from error
            _refuse_ragged(dialect)
            raise
    return parse(western)


def parsed(dialect: Dialect, columns: Sequence[str], text: Sequence[str]) -> ParsedText:
    """Parse some columns, some of them as text, the others as numbers if they can."""
    if dialect.source.spaced:
        cells_of(dialect, [])  # or an empty cell would move those after it
    if has_pyarrow():
        _refuse_open_quote(dialect)
        frame = _plain_numbers(dialect, columns, text)
        if frame is not None:
            numbers = [name for name in columns if name not in text]
            return ParsedText(dialect, _without_marks(frame, numbers, dialect.na))
    cells, lines = cells_of(dialect, columns)
    return ParsedText(dialect, cells, lines=lines)


def _all_parsed(dialect: Dialect) -> ParsedText:
    """Parse all columns; those that begin with plain numbers as numbers if they can."""
    times = Counter(dialect.names)
    columns = [name for name in dialect.names if times[name] == 1]
    plain, whole = _plain_at_first(dialect)
    if has_pyarrow() and columns:
        _refuse_open_quote(dialect)
        text = [name for name in columns if name not in plain or name in whole]
        frame = _plain_numbers(dialect, columns, text)
        if frame is None:
            whole = plain
            frame = _plain_numbers(dialect, columns, columns)
        if frame is not None:
            return _with_whole_numbers(dialect, frame, whole)
    cells, lines = cells_of(dialect, columns)
    return ParsedText(dialect, cells, lines=lines)


def _with_whole_numbers(
    dialect: Dialect, frame: Any, whole: Sequence[str]
) -> ParsedText:
    """Read whole numbers, which may be ids, as numbers, and keep them as text."""
    words = {}
    for place, name in enumerate(frame.column_names):
        if name in whole:
            numbers = _as_numbers(frame[name], dialect)
            if numbers is not None:
                words[name] = frame[name]
                frame = frame.set_column(place, name, numbers)
    numbers = [name for name in frame.column_names if _are_numbers(frame[name])]
    return ParsedText(dialect, _without_marks(frame, numbers, dialect.na), words)


def _as_numbers(column: Any, dialect: Dialect) -> Any:
    """Text of pyarrow as numbers; None if some of it is no plain number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = column.unify_dictionaries().combine_chunks()
    words = pc.utf8_trim_whitespace(column.dictionary)
    missing = pc.is_in(words, value_set=pa.array([*MISSING, *dialect.na]))
    try:
        numbers = pc.if_else(missing, None, words).cast(pa.float64())
    except pa.ArrowInvalid:
        return None
    return numbers.take(column.indices)


def _names_of(frame: Any) -> Sequence[str]:
    return list(frame) if isinstance(frame, dict) else frame.column_names


def _are_numbers(column: Any) -> bool:
    return not isinstance(column, list) and str(column.type) == "double"


def _as_list(column: Any) -> list[Any]:
    """Cells; numbers that are missing are NaN."""
    if isinstance(column, list):
        return column
    if _are_numbers(column):
        return np.asarray(column.to_numpy(), dtype=np.float64).tolist()
    return column.to_pylist()


def _plain_at_first(dialect: Dialect) -> tuple[list[str], list[str]]:
    """Columns whose first cells are plain numbers, and those of whole numbers.

    A zero before others makes an id, and so do more digits than a float has.
    """
    mark = re.escape(dialect.mark)
    whole = r"(0|[1-9]\d{0,14})"
    plain = re.compile(rf"\s*([+-]?{whole}?({mark}\d*)?([eE][+-]?\d+)?)?\s*")
    missing = {*MISSING, *dialect.na}
    with dialect.source.open_text() as stream:
        rows = csv.reader(stream, delimiter=dialect.separator)
        _, *first = islice(rows, FEW_ROWS + 1)
    columns = {
        name: [cell.strip() for cell in cells if cell not in missing]
        for name, cells in zip(
            dialect.names, zip_longest(*first, fillvalue=""), strict=False
        )
        if any(cell.strip() for cell in cells)
        and all(cell in missing or plain.fullmatch(cell) for cell in cells)
    }
    return [*columns], [n for n, cells in columns.items() if all(map(WHOLE, cells))]


def _refuse_ragged(dialect: Dialect) -> None:
    """Name the line that has too many columns, or too few."""
    with suppress(csv.Error, UnicodeError):
        cells_of(dialect, [])


def has_pyarrow() -> bool:
    """Whether pyarrow reads text; else the standard library does, only slower."""
    return find_spec("pyarrow") is not None


def _needed(dialect: Dialect, spec: TableSpec) -> list[str]:
    try:
        return spec.columns(dialect.names)
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


def _as_frame(columns: dict[str, Any]) -> Any:
    """Columns of numbers and text, where there is pyarrow as one of its tables."""
    if any(isinstance(column, list) for column in columns.values()):
        return {name: np.array(column, object) for name, column in columns.items()}
    import pyarrow as pa

    return pa.table(columns)
