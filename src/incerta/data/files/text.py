"""Text tables, read by pyarrow where it is installed, else by the standard library."""

import csv
import re
from collections import Counter
from collections.abc import Mapping, Sequence
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
from incerta.data.files.numbers import numbers_of
from incerta.data.files.reading import needed, refuse_unpacked
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError
from incerta.wording import given

ROW = re.compile(r"row (\d+) \(counted from 1\)")  # in messages about tables
WHOLE = re.compile(r"\d+").fullmatch


class ParsedText:
    """A text file, parsed.

    Columns of plain numbers are numbers. All others are unchanged text, including words
    for missing values. Whole numbers, which may be ids, are also kept as text, unless
    they are written plainly. The lines of rows are determined on request.
    """

    def __init__(
        self,
        dialect: Dialect,
        frame: Any,
        words: Mapping[str, Any] | None = None,
        lines: list[int] | None = None,
    ) -> None:
        self.dialect, self.frame = dialect, frame
        self._words, self._lines = words or {}, lines

    def table(self, spec: TableSpec) -> TextTable:
        """Return the columns in `spec`: ids and draws as text, others as numbers."""
        dialect = self.dialect
        columns, text = _needed(dialect, spec)
        cells = self._cells(columns, text)
        if all(are_numbers(cells[name]) for name in columns if name not in text):
            return TextTable(_as_frame(cells), {})
        if any(map(are_numbers, cells.values())):
            # The whole table has one decimal mark: 1.000 may be a thousand.
            texts, lines = cells_of(dialect, columns)
            return ParsedText(dialect, texts, lines=lines).table(spec)
        rules = dialect.rules(self.place)
        lists = {name: _as_list(column) for name, column in cells.items()}
        return understood_cells(lists, rules, spec)

    def text(self, name: str) -> list[str]:
        """Return a column as text."""
        return _as_list(self._cells([name], [name])[name])

    def place(self, row: int) -> str:
        """Return the line of the file in which a row begins."""
        if self._lines is None:
            self._lines = cells_of(self.dialect, [])[1]
        return f"line {self._lines[row]}"

    def with_line(self, message: str) -> str:
        """Replace the row number in a message by the line of the file."""
        with suppress(csv.Error, UnicodeError):
            return ROW.sub(lambda m: self.place(int(m[1]) - 1), message, count=1)
        return message

    def _cells(self, columns: Sequence[str], text: Sequence[str]) -> dict[str, Any]:
        """Return some columns, parsing again if needed."""
        frame = self.frame
        there_are = frozenset(frame if isinstance(frame, dict) else frame.column_names)
        cells = {}
        for name in columns:
            if name in text and name in self._words:
                words = self._words[name]
                cells[name] = _as_written(frame[name]) if words is None else words
                continue
            if name in there_are:
                cells[name] = frame[name]
            if name not in cells or (name in text and are_numbers(cells[name])):
                return parsed(self.dialect, columns, text)._cells(columns, text)
        return cells


def parse_text(path: Path, spec: TableSpec, limit: int) -> ParsedText:
    """Parse the columns that `spec` names, or all if it names no values.

    pyarrow reads plain numbers. Other columns are text, and their cells are interpreted
    here. If no columns are named, those whose names occur several times are left out.
    """
    refuse_unpacked(path, limit)
    dialect = dialect_of(path, spec)

    def parse(dialect: Dialect) -> ParsedText:
        if spec.values:
            return parsed(dialect, *_needed(dialect, spec))
        times = Counter(dialect.names)
        columns = [name for name in dialect.names if times[name] == 1]
        plain, whole = _plain_at_first(dialect)
        text = [name for name in columns if name not in plain or name in whole]
        return parsed(dialect, columns, text, whole, plain)

    try:
        return parse(dialect)
    except (DataError, FileError):
        raise
    except Exception as error:  # of any library
        # A file that begins as UTF-8 may continue in another encoding.
        western = None if spec.encoding else as_western(dialect)
        if western is None:
            if isinstance(error, UnicodeError):
                raise not_decoded(dialect.source, error) from error
            with suppress(csv.Error, UnicodeError):
                cells_of(dialect, [])  # names the line with too many or too few columns
            raise
    return parse(western)


def parsed(
    dialect: Dialect,
    columns: Sequence[str],
    text: Sequence[str],
    whole: Sequence[str] = (),
    plain: Sequence[str] = (),
) -> ParsedText:
    """Parse some columns: `text` as text, the others as numbers if possible.

    For text that begins with `whole` numbers, numbers are kept, too. If another column
    is not numeric, this applies to all that begin with `plain` numbers.
    """
    if has_pyarrow() and columns:
        if dialect.source.count(b'"') % 2:
            cells_of(dialect, [])  # refuses an open quote, which pyarrow accepts
        frame = _plain_numbers(dialect, columns, text, whole)
        if frame is None and plain:
            whole, frame = plain, _plain_numbers(dialect, columns, columns)
        if frame is not None:
            import pyarrow as pa

            words = {}
            for place, name in enumerate(frame.column_names):
                numbers = _as_numbers(frame[name], dialect) if name in whole else None
                if numbers is not None:
                    plainly = not dialect.na and _are_written_so(frame[name], numbers)
                    words[name] = None if plainly else frame[name]
                    frame = frame.set_column(place, name, numbers)
            # pyarrow would keep most of the memory that parsing needed.
            pa.default_memory_pool().release_unused()
            return ParsedText(dialect, _without_marks(frame, dialect.na), words)
    cells, lines = cells_of(dialect, columns)
    return ParsedText(dialect, cells, lines=lines)


def _as_numbers(column: Any, dialect: Dialect) -> Any:
    """Convert pyarrow text to numbers; None if some cells are not plain numbers."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = column.cast(pa.string())
    with suppress(pa.ArrowInvalid):
        return words.cast(pa.float64())
    words = pc.utf8_trim_whitespace(words)
    missing = pc.is_in(words, value_set=pa.array([*MISSING, *dialect.na]))
    with suppress(pa.ArrowInvalid):
        return pc.if_else(missing, None, words).cast(pa.float64())
    return None


def _as_written(whole: Any) -> Any:
    """Write whole numbers as plain text."""
    import pyarrow as pa

    return whole.cast(pa.int64()).cast(pa.string())


def _are_written_so(words: Any, numbers: Any) -> bool:
    """Return whether numbers are whole and plainly written."""
    import pyarrow as pa

    with suppress(pa.ArrowInvalid):
        return bool(_as_written(numbers).equals(words))
    return False


def are_numbers(column: Any) -> bool:
    """Return whether a parsed column holds numbers, and no text."""
    return not isinstance(column, list) and str(column.type) == "double"


def _as_list(column: Any) -> list[Any]:
    """Return the cells as a list; missing numbers are NaN."""
    if isinstance(column, list):
        return column
    if are_numbers(column):
        return np.asarray(column.to_numpy(), dtype=np.float64).tolist()
    return column.to_pylist()


def _plain_at_first(dialect: Dialect) -> tuple[list[str], list[str]]:
    """Return the columns that begin with plain numbers, and with whole numbers.

    Leading zeros, or more digits than a float has, make an id.
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


def has_pyarrow() -> bool:
    """Return whether pyarrow is there; the standard library is slower."""
    return find_spec("pyarrow") is not None


def _needed(dialect: Dialect, spec: TableSpec) -> tuple[list[str], list[str]]:
    """Return the columns that `spec` names, and those of them that are text."""
    try:
        columns = needed(dialect.source.path, dialect.names, spec)
    except DataError as error:
        if len(dialect.names) > 1:
            raise
        msg = (
            f"{error}. The first line must name the columns; if they are separated by "
            f"something else than {dialect.separator!r}, pass {given('sep')}."
        )
        raise DataError(msg) from error
    return columns, [name for name in columns if name in (spec.id, spec.sample)]


def _plain_numbers(
    dialect: Dialect,
    columns: Sequence[str],
    text: Sequence[str],
    whole: Sequence[str] = (),
) -> Any:
    """Parse with pyarrow; return None if some number is not plain."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    # A dictionary holds each id once, for any number of rows.
    words = pa.dictionary(pa.int32(), pa.string())
    types = {name: words if name in text else pa.float64() for name in columns}
    types |= dict.fromkeys(set(whole) & set(columns), pa.string())  # most are different

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

    # Parsing blocks in parallel is faster by half, but fails if a quoted cell has a
    # line break. Only then parse the file from end to end.
    for whole_file in (False, True):
        try:
            return attempt(whole_file=whole_file)
        except pa.ArrowInvalid as error:
            if "conversion error" in str(error) and "UTF8" not in str(error):
                break
            if whole_file:
                raise
    return None


def _without_marks(frame: Any, na: Sequence[str]) -> Any:
    """Replace numbers that mark missing values, such as −999, by null."""
    marks = numbers_of(na)
    if not marks:
        return frame
    kept = nw.from_native(frame)
    cells = [
        nw.when(~nw.col(name).is_in(marks)).then(nw.col(name)).alias(name)
        for name in frame.column_names
        if are_numbers(frame[name])
    ]
    return kept.with_columns(*cells).to_native()


def _as_frame(columns: dict[str, Any]) -> Any:
    """Return columns of numbers and text, as a pyarrow table if installed."""
    if any(isinstance(column, list) for column in columns.values()):
        return {name: np.array(column, object) for name, column in columns.items()}
    import pyarrow as pa

    return pa.table(columns)
