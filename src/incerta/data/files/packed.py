"""Packed files: how much they hold, found out before they are unpacked."""

import gzip
import re
import zipfile
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET
from xml.parsers import expat

from incerta.data.files.limits import refuse_size
from incerta.exceptions import FileError

MOST_DEFLATED = 1032  # deflate cannot make a byte of more than these
CELL_BYTES = 64  # that a cell takes in memory, empty or not
RELATION = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
_CELL = rb"<(?:\w+:)?c(?=[\s>])"
_REFERENCE = rb"""\br=["']([A-Za-z]+)(\d+)["']"""
# Cells that hold something: others close their tag at once.
FILLED = re.compile(_CELL + rb"(?:[^>]*?" + _REFERENCE + rb")?[^>]*(?<!/)>")
WITH_ERROR = re.compile(
    _CELL + rb"""(?=[^>]*\bt=["']e["'])[^>]*?""" + _REFERENCE + rb"[^>]*>"
)
# Formulas of which the file does not hold the result.
NO_RESULT = re.compile(
    rb"</(?:\w+:)?f>\s*(?:<(?:\w+:)?v\s*/>\s*|<(?:\w+:)?v></(?:\w+:)?v>\s*)?"
    rb"</(?:\w+:)?c>"
)
ROW = re.compile(rb"<(?:\w+:)?row[\s/>]")


class Place(NamedTuple):
    """Of a cell in a sheet, counted from 0."""

    row: int
    column: int


class Gaps(NamedTuple):
    """Cells of a sheet that look empty, and why they are."""

    errors: list[Place]  # such as #DIV/0!
    n_unknown: int  # formulas without a result


def unpacked_size(path: Path, limit: int) -> int:
    """Size of a file, unpacked if its name ends in .gz; counted up to a limit."""
    size = path.stat().st_size
    if path.suffix.lower() != ".gz" or size * MOST_DEFLATED <= limit:
        return size
    unpacked = 0
    with gzip.open(path) as stream:
        while unpacked <= limit and (chunk := stream.read(2**20)):
            unpacked += len(chunk)
    return unpacked


def refuse_book(path: Path, limit: int) -> dict[str, Gaps]:
    """Refuse a book of sheets that would fill the memory.

    A book is a zip file, which may unpack to far more than its size; and two cells far
    from each other make a sheet with all cells between them.

    Parameters
    ----------
    path : Path
        A file of sheets.
    limit : int
        Most bytes.

    Returns
    -------
    dict from str to Gaps
        Of each sheet, where cells do not tell it themselves.
    """
    if not zipfile.is_zipfile(path):
        msg = f"{path} is no file of sheets, or is locked by a password."
        raise FileError(msg)
    with zipfile.ZipFile(path) as book:
        members, size = book.infolist(), path.stat().st_size
        refuse_size(path, sum(member.file_size for member in members), limit)
        # zipfile makes room for as many bytes as a member says it has here.
        if any(member.compress_size > size for member in members):
            msg = f"{path} is damaged: a part is said to be larger than the file."
            raise FileError(msg)
        if size * MOST_DEFLATED > limit:
            _refuse_false_sizes(book)
        if "content.xml" in book.namelist():
            n_cells = _cells_of_open_document(path, book.read("content.xml"))
            refuse_size(path, n_cells * CELL_BYTES, limit)
            return {}
        return _refuse_far_cells(path, book, limit)


def _refuse_false_sizes(book: zipfile.ZipFile) -> None:
    """Unpack all members once: a false size or content is an error of zipfile's."""
    for member in book.infolist():
        with book.open(member) as stream:
            while stream.read(2**20):
                pass


def _refuse_far_cells(path: Path, book: zipfile.ZipFile, limit: int) -> dict[str, Gaps]:
    names = _sheets_by_member(path, book)
    gaps: dict[str, Gaps] = {}
    for member in book.namelist():
        sheet = book.read(member)
        if b"sheetData" not in sheet:  # wherever the file keeps its sheets
            continue
        n_rows, n_columns = _extent(sheet)
        refuse_size(path, n_rows * n_columns * CELL_BYTES, limit)
        if member in names:
            errors = [
                Place(int(row) - 1, _number(letters) - 1)
                for letters, row in WITH_ERROR.findall(sheet)
            ]
            gaps[names[member]] = Gaps(errors, len(NO_RESULT.findall(sheet)))
    return gaps


def _extent(sheet: bytes) -> tuple[int, int]:
    """Number of rows and columns up to the last filled cell, or more."""
    found = set(FILLED.findall(sheet))
    n_rows = max((int(row) for _, row in found if row), default=0)
    n_columns = max((_number(letters) for letters in {a for a, _ in found}), default=0)
    if (b"", b"") in found:  # cells that do not say where they are follow each other
        in_row = [len(FILLED.findall(row)) for row in ROW.split(sheet)]
        n_rows = max(n_rows, len(in_row))
        n_columns = max(n_columns, *in_row)
    return n_rows, n_columns


def _number(letters: bytes) -> int:
    """Number of a column, from 1: that of A."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number


def _sheets_by_member(path: Path, book: zipfile.ZipFile) -> dict[str, str]:
    """Names of sheets by the members of the zip file that hold them."""
    try:
        relations = _xml(path, book.read("xl/_rels/workbook.xml.rels"))
        sheets = _xml(path, book.read("xl/workbook.xml"))
    except KeyError:
        return {}
    targets = {
        one.get("Id"): str(one.get("Target")).removeprefix("/xl/") for one in relations
    }
    names = {}
    for sheet in sheets.iter():
        if sheet.tag.endswith("}sheet"):
            relation = next((sheet.get(key) for key in RELATION if sheet.get(key)), "")
            names[f"xl/{targets.get(relation)}"] = str(sheet.get("name"))
    return names


def _xml(path: Path, text: bytes) -> Any:
    parser = expat.ParserCreate()
    refuse_entities(parser, path)
    parser.Parse(text, True)
    return ET.fromstring(text)  # without entities there is nothing to expand


def _cells_of_open_document(path: Path, content: bytes) -> int:
    """Number of cells of all sheets, up to the last filled ones."""
    total = row = column = n_rows = n_columns = repeated = 0
    cell_repeated = 1

    def filled() -> None:
        nonlocal n_rows, n_columns
        n_rows = max(n_rows, row + repeated)
        n_columns = max(n_columns, column + cell_repeated)

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal row, column, n_rows, n_columns, repeated, cell_repeated
        name = tag.rpartition(" ")[2]
        said = {key.rpartition(" ")[2]: value for key, value in attributes.items()}
        if name == "table":
            row = n_rows = n_columns = 0
        elif name == "table-row":
            column, repeated = 0, int(said.get("number-rows-repeated", 1))
        elif name.endswith("table-cell"):
            cell_repeated = int(said.get("number-columns-repeated", 1))
            if "value-type" in said or "formula" in said:
                filled()
        elif name == "p":
            filled()

    def end(tag: str) -> None:
        nonlocal total, row, column
        name = tag.rpartition(" ")[2]
        if name == "table":
            total += n_rows * n_columns
        elif name == "table-row":
            row += repeated
        elif name.endswith("table-cell"):
            column += cell_repeated

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    refuse_entities(parser, path)
    parser.Parse(content, True)
    return total


def refuse_entities(parser: Any, path: Path) -> None:
    """Make a parser of XML refuse entities, which can unpack to any size."""

    def refuse(*declared: Any) -> None:
        msg = (
            f"{path} declares the entity {declared[0]!r}; files with such are refused."
        )
        raise FileError(msg)

    parser.EntityDeclHandler = refuse
