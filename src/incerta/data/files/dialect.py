"""Detect encoding, separator and decimal mark from the beginning of a text table."""

import codecs
import csv
import io
import re
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from statistics import mode
from typing import BinaryIO, TextIO, cast

from incerta.data.files.numbers import Rules
from incerta.data.files.reading import opened
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError, IncertaWarning
from incerta.wording import given

# Missing values for all readers; `numbers` has more words.
MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "None"]
SEPARATORS = (",", ";", "\t", "|")
# Encodings by the bytes at the beginning of a file; longer marks first.
MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
UTF8 = ("utf-8", "utf-8-sig", "ascii")
WESTERN = "cp1252"
BLOCK = 2**20  # bytes to read at a time
HEAD = 2**16  # bytes to inspect
FEW_ROWS = 100  # rows to inspect
MOST_TITLES = 10  # lines above the header
SAYS_SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)  # a line for Excel
COMMENT = "#"
NUMBER = re.compile(r"[-+−]?[\d.,]+(?:[eE][-+]?\d+)?")
YEAR = re.compile(r"(?:1[89]|20)\d\d")
DECIMAL_COMMA = re.compile(r"[-+−]?\d+,(?!\d{3}\b)\d+")


@dataclass(frozen=True)
class Source:
    """A text file, and how to open it."""

    path: Path
    encoding: str
    n_skipped: int = 0  # lines above the header
    old_lines: bool = False  # lines end with \r, as on old Macintoshes
    spaced: bool = False  # any number of spaces separates the columns

    def open_text(self) -> TextIO:
        """Open the file at its header."""
        encoding = "utf-8-sig" if self.encoding in UTF8 else self.encoding
        stream = opened(self.path, "rt", encoding=encoding, newline="")
        for _ in range(self.n_skipped):
            stream.readline()
        if self.spaced:
            with stream:
                lines = re.split("\r\n|\r|\n", stream.read())
                return io.StringIO("\n".join(map(_spaced, lines)))
        return cast("TextIO", stream)

    def for_library(self) -> Path | BinaryIO:
        """Return an input for a library: the path, or the text as UTF-8."""
        plain = not (self.n_skipped or self.old_lines or self.spaced)
        if self.encoding in UTF8 and plain:
            return self.path
        try:
            with self.open_text() as stream:
                text = stream.read()
        except UnicodeError as error:
            raise not_decoded(self, error) from error
        text = text.replace("\r", "\n") if self.old_lines else text
        return io.BytesIO(text.encode())

    def count(self, byte: bytes) -> int:
        """Count a byte in the unpacked file."""
        with opened(self.path, "rb") as stream:
            blocks = iter(lambda: stream.read(BLOCK), b"")
            return sum(block.count(byte) for block in blocks)


@dataclass(frozen=True)
class Dialect:
    """How a file is written."""

    source: Source
    separator: str
    names: tuple[str, ...]  # of all columns
    decimal: str | None  # None: detect it from the numbers
    comma_seen: bool  # some numbers at the beginning have decimal commas
    na: tuple[str, ...]  # more words for missing values

    @property
    def mark(self) -> str:
        """Return the decimal mark of plain numbers."""
        return self.decimal or ("," if self.comma_seen else ".")

    def rules(self, where: Callable[[int], str]) -> Rules:
        """Rules for reading cells; `where` names a row in messages."""
        return Rules(
            decimal=self.decimal,
            separator=self.separator,
            comma_seen=self.comma_seen,
            na=self.na,
            where=where,
        )


def dialect_of(path: Path, spec: TableSpec) -> Dialect:
    """Detect how a file is written, except for what `spec` states.

    Of several separators, the right one is the one that finds the columns named in
    `spec`.
    """
    with opened(path, "rb") as stream:
        head = stream.read(HEAD)
    cut = len(head) == HEAD
    old_lines = b"\r" in head and b"\n" not in head and not cut
    source = Source(path, spec.codec or _encoding(head), old_lines=old_lines)
    try:
        text = codecs.getincrementaldecoder(source.encoding)().decode(head)
    except UnicodeError as error:
        raise not_decoded(source, error) from error
    lines = list(io.StringIO(text.removeprefix("\ufeff"), newline=""))
    if cut and len(lines) > 1:
        del lines[-1]
    if spec.encoding is None and source.encoding == WESTERN:
        _warn_of_western(path)
    separator = spec.separator
    for number, line in enumerate(lines):
        excel = SAYS_SEPARATOR.fullmatch(line)
        comment = is_comment(lines[number : number + 2], SEPARATORS)
        if line.strip() and excel is None and not comment:
            break
        source = replace(source, n_skipped=source.n_skipped + 1)
        separator = separator or (excel[1] if excel else None)
    source = replace(source, spaced=separator == " ")
    usual = "\t" if ".tsv" in path.name.lower() else ","
    others = [mark for mark in SEPARATORS if mark != usual]
    marks = [separator] if separator else [usual, *others]
    below = lines[source.n_skipped :]
    tables = {mark: _first_rows(below, mark, cut) for mark in marks}
    mark = _best(source, tables, spec)
    named = bool(spec.values)
    if not named or not _are_columns(_names(source, mark), spec):
        also = marks if separator else [*marks, " "]
        place = _further_down(source, below, also, spec) if named else None
        source, mark = place or _below_titles(source, below, marks, mark, cut)
        tables = {mark: _first_rows(lines[source.n_skipped :], mark, cut)}
    names = _names(source, mark)
    if not names:
        msg = f"{path} is empty."
        raise FileError(msg)
    if any("\0" in name for name in names):
        msg = (
            f"{path} has bytes of 0 in its header. If it is text in UTF-16, pass "
            f"{given(encoding='utf-16-le')}."
        )
        raise FileError(msg)
    comma = mark != "," and any(
        DECIMAL_COMMA.fullmatch(cell.strip()) for row in tables[mark] for cell in row
    )
    return Dialect(source, mark, names, spec.decimal, comma, spec.na)


def as_western(dialect: Dialect) -> Dialect | None:
    """Return the dialect as cp1252 if the file turns out not to be UTF-8."""
    if dialect.source.encoding not in UTF8:
        return None
    with suppress(UnicodeError), dialect.source.open_text() as stream:
        while stream.read(BLOCK):
            pass
        return None  # all of it is text
    _warn_of_western(dialect.source.path)
    return replace(dialect, source=replace(dialect.source, encoding=WESTERN))


def not_decoded(source: Source, error: UnicodeError) -> FileError:
    """Make the error for bytes that cannot be decoded."""
    return FileError(
        f"{source.path} cannot be read as {source.encoding}: {error}. Pass its "
        f"{given('encoding')}, for example 'latin-1' or 'utf-16'."
    )


def _encoding(head: bytes) -> str:
    for mark, name in MARKS.items():
        if head.startswith(mark):
            return name
    with suppress(UnicodeError):  # the last character may be cut
        codecs.getincrementaldecoder("utf-8")().decode(head)
        return "utf-8"
    return WESTERN


def _warn_of_western(path: Path) -> None:
    msg = (
        f"{path.name} is not UTF-8 and was read as cp1252, the Windows encoding of "
        "western Europe and America. If letters in names or ids are wrong, pass "
        f"{given('encoding')}."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=6)


def _first_rows(lines: Sequence[str], separator: str, cut: bool) -> list[list[str]]:
    """Return header and first rows, without the last one if it may be cut."""
    if separator == " ":
        lines = [_spaced(line) for line in lines]
    try:
        first = islice(csv.reader(lines, delimiter=separator), FEW_ROWS)
        rows = [row for row in first if row]
    except csv.Error:  # for example, a cell that is too long
        return []
    return rows[:-1] if cut and 1 < len(rows) < FEW_ROWS else rows


def _best(source: Source, tables: dict[str, list[list[str]]], spec: TableSpec) -> str:
    """Return the separator that finds the columns and gives rows of equal length.

    Take the first one that does. Otherwise take the one that gives most columns in all
    rows, or else in the header.
    """
    if len(tables) == 1:
        return next(iter(tables))
    even = [mark for mark, rows in tables.items() if len(set(map(len, rows))) < 2]
    if spec.values:
        able = [mark for mark in tables if _are_columns(_names(source, mark), spec)]
        if able:
            return next((mark for mark in able if mark in even), able[0])
    widths = {mark: len(rows[0]) if rows else 1 for mark, rows in tables.items()}
    # Rows of one cell are always equally long.
    several = [mark for mark in even if widths[mark] > 1]
    if several or max(widths.values()) > 1:
        return max(several or tables, key=widths.__getitem__)
    first = next(iter(tables))
    rows = [",".join(row) for row in tables[first][1:]]
    alone = first == "," and all(map(DECIMAL_COMMA.fullmatch, rows))
    return even[0] if alone and even else first  # a single column of numbers


def _further_down(
    source: Source, lines: Sequence[str], marks: Sequence[str], spec: TableSpec
) -> tuple[Source, str] | None:
    """Find the named columns below titles or between spaces, with a warning."""
    for n, line in enumerate(lines[: MOST_TITLES + 1]):
        for mark in marks:
            names = next(iter(_first_rows([line], mark, cut=False)), [])
            if not _are_columns(names, spec):
                continue
            above = _first_rows(lines[:n], mark, cut=False)
            filled = [sum(map(bool, row)) for row in above]
            # A line as wide as the table is not a title.
            width = len(names)
            if width in filled or (mark != " " and max(filled, default=0) > width):
                return None
            skipped, spaced = source.n_skipped + n, mark == " "
            notes = [f"names of the columns were found in line {skipped + 1}"] * (n > 0)
            notes += ["columns were taken to be separated by spaces"] * spaced
            msg = f"{source.path.name}: {', and '.join(notes)}."
            warnings.warn(msg, IncertaWarning, stacklevel=6)
            return replace(source, n_skipped=skipped, spaced=spaced), mark
    return None


def _below_titles(
    source: Source, lines: Sequence[str], marks: Sequence[str], mark: str, cut: bool
) -> tuple[Source, str]:
    """Return the table below title lines, if no columns are named."""
    titles = {
        some: n_titles([next(csv.reader([line], delimiter=some), []) for line in lines])
        for some in (mark, *marks)
        if some != " "
    }
    widths = [len(row) for row in _first_rows(lines, mark, cut)]
    if widths and not titles.get(mark) and mode(widths) == widths[0] > 1:
        return source, mark  # most rows have the length of the first
    best, most = mark, 1
    for some, n in titles.items():
        lengths = {len(row) for row in _first_rows(lines[n:], some, cut)} if n else {0}
        if len(lengths) == 1 and max(lengths) > most:
            best, most = some, max(lengths)
    if most == 1:
        return source, mark
    return replace(source, n_skipped=source.n_skipped + titles[best]), best


def n_titles(rows: Sequence[Sequence[str]]) -> int:
    """Count the rows above the column names.

    A title row has only the first cell, or is shorter than the rows of the table. The
    names are in the first row with all cells or, if that contains numbers, in the row
    above it.
    """
    rows = [[cell.strip() for cell in row] for row in rows[:FEW_ROWS]]
    widths = [len(row) for row in rows if len(row) > 1]
    width = mode(widths) if widths else 0
    first = next((row for row in rows if any(row)), [])
    is_title = len(first) < width or not any(first[1:])
    if widths.count(width) < 2 or not is_title:
        return 0
    for number, row in enumerate(rows[: MOST_TITLES + 2]):
        if len(row) == width and all(row):
            if not all(map(_is_name, row)) or all(map(YEAR.fullmatch, row)):
                number -= 1
            names = rows[max(number, 0)]
            filled = sum(map(bool, names))
            is_header = filled > 1 and all(map(_is_name, names))
            return number if is_header and number <= MOST_TITLES else 0
    return 0


def _is_name(cell: str) -> bool:
    """Return whether a cell can be a column name; of numbers, only years can."""
    return YEAR.fullmatch(cell) is not None or not _is_number(cell)


def _spaced(line: str) -> str:
    """Collapse runs of spaces."""
    return " ".join(line.split())


def _are_columns(names: Sequence[str], spec: TableSpec) -> bool:
    with suppress(DataError):
        return bool(spec.columns(names))
    return False


def _names(source: Source, separator: str) -> tuple[str, ...]:
    """Return the names of the columns: the first row, of any length."""
    try:
        with source.open_text() as stream:
            return tuple(next(csv.reader(stream, delimiter=separator), ()))
    except UnicodeError as error:
        raise not_decoded(source, error) from error


def is_comment(lines: Sequence[str], separators: Sequence[str]) -> bool:
    """Return whether the first of two lines is a comment, not a header with #."""
    first, *below = lines
    if not first.startswith(COMMENT) or not below:
        return False
    if below[0].startswith(COMMENT) or not below[0].strip():
        return True
    return not any(
        len(first.split(mark)) == len(cells) > 1 and any(map(_is_number, cells))
        for mark in (*separators, None)
        if (cells := below[0].split(mark))
    )


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.strip(' "\r\n')) is not None
