"""Sheets of Excel and of LibreOffice."""

import re
import warnings
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias
from xml.etree import ElementTree as ET

from incerta.backend.optional import require
from incerta.data.files.cells import ParsedCells, in_words
from incerta.data.files.dialect import FEW_ROWS, MOST_TITLES, n_titles
from incerta.data.files.reading import refuse_size, refuse_twice
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError, IncertaWarning
from incerta.wording import counted, given, unknown_name

Place: TypeAlias = tuple[int, int]  # row and column of a cell, counted from 0

# Errors in files that store them as text; other files mark these cells.
ERRORS = ("#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!")
RELATION = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
WITH_ERROR = re.compile(
    rb"""<(?:\w+:)?c(?=\s)(?=[^>]*\bt=["']e["'])"""
    rb"""[^>]*?\br=["']([A-Za-z]+)(\d+)["'][^>]*>"""
)
# Formulas without a result in the file.
NO_RESULT = re.compile(
    rb"</(?:\w+:)?f>\s*(?:<(?:\w+:)?v\s*/>\s*|<(?:\w+:)?v></(?:\w+:)?v>\s*)?"
    rb"</(?:\w+:)?c>"
)


def parse_sheet(path: Path, spec: TableSpec, limit: int) -> ParsedCells:
    """Parse the needed columns of a sheet; by default the first nonempty one."""
    calamine = require("python_calamine", "io", f"reading {path.name}")
    gaps = gaps_of(path, limit)
    with calamine.CalamineWorkbook.from_path(path) as book:
        name, sheet = _chosen(path, book, spec.sheet)
    if sheet.start is None:
        msg = f"{path}: sheet {name!r} is empty."
        raise FileError(msg)
    top, left = sheet.start
    rows = sheet.to_python(skip_empty_area=True)
    errors, n_unknown = gaps.get(name, ([], 0))
    marked = {(row - top, column - left) for row, column in errors}
    first = _row_of_names(rows, spec)
    names = [in_words(cell) for cell in rows[first]]
    try:
        columns = spec.columns([name for name in names if name])
    except DataError as error:
        msg = f"sheet {name!r}, row {top + first + 1}: {error}"
        raise DataError(msg) from error
    refuse_twice(path, names, columns)
    kept = [
        number
        for number, row in enumerate(rows)
        if number > first and any(c != "" for c in row)
    ]
    places = {name: place for place, name in enumerate(names)}
    cells: dict[str, list[Any]] = {}
    wrong: list[Place] = []
    for column in columns:
        place, cells[column] = places[column], []
        for number in kept:
            cell = rows[number][place]
            if is_wrong := (number, place) in marked or cell in ERRORS:
                wrong.append((number, place))
            is_blank = isinstance(cell, str) and not cell.strip()
            cells[column].append(None if is_wrong or is_blank else cell)
    if first:
        _warn(f"{path.name}: names of the columns were found in row {top + first + 1}.")
    if wrong:
        row, place = wrong[0]
        _warn(
            f"{counted(len(wrong), 'cell')} with an error such as #DIV/0! taken for "
            f"missing, the first in column {names[place]!r}, row {row + top + 1}."
        )
    if n_unknown:
        _warn(
            f"{path.name} has {counted(n_unknown, 'formula')} without a result, taken "
            "for missing. Open the file in Excel or LibreOffice and save it there."
        )
    return ParsedCells(cells, lambda row: f"row {kept[row] + top + 1}")


def _row_of_names(rows: Sequence[Sequence[Any]], spec: TableSpec) -> int:
    """Return the first row, or a row below titles, with the needed columns."""
    head = [[in_words(cell) for cell in row] for row in rows[:FEW_ROWS]]
    guess = n_titles(head)
    below = range(min(len(head), MOST_TITLES + 1))
    for place in (0, guess, *below) if spec.values else ():
        with suppress(DataError):
            spec.columns([name for name in head[place] if name])
            return place
    return guess


def gaps_of(path: Path, limit: int) -> dict[str, tuple[list[Place], int]]:
    """Return cells with an error in each sheet, and count formulas without a result.

    Books are zip files, which state their unpacked size; too large ones are refused.
    """
    if not zipfile.is_zipfile(path):
        msg = f"{path} is not a spreadsheet file, or is locked by a password."
        raise FileError(msg)
    with zipfile.ZipFile(path) as book:
        refuse_size(path, sum(member.file_size for member in book.infolist()), limit)
        gaps = {}
        for member, name in _sheets_by_member(book).items():
            sheet = book.read(member)
            cells = WITH_ERROR.findall(sheet)
            errors = [(int(row) - 1, _number(column)) for column, row in cells]
            gaps[name] = errors, len(NO_RESULT.findall(sheet))
    return gaps


def _sheets_by_member(book: zipfile.ZipFile) -> dict[str, str]:
    """Return the names of sheets by their members in the zip file."""
    members = frozenset(book.namelist())
    parts = "xl/_rels/workbook.xml.rels", "xl/workbook.xml"
    if not members.issuperset(parts):
        return {}
    relations, sheets = (ET.fromstring(book.read(part)) for part in parts)
    targets = {
        link.get("Id"): str(link.get("Target")).removeprefix("/xl/")
        for link in relations
    }
    names = {}
    for sheet in sheets.iter():
        if sheet.tag.endswith("}sheet"):
            relation = next((sheet.get(key) for key in RELATION if sheet.get(key)), "")
            names[f"xl/{targets.get(relation)}"] = str(sheet.get("name"))
    return {member: name for member, name in names.items() if member in members}


def _number(letters: bytes) -> int:
    """Return the number of a column; A is 0."""
    number = 0
    for letter in letters.upper():
        number = 26 * number + letter - ord("A") + 1
    return number - 1


def _chosen(path: Path, book: Any, sheet: str | int | None) -> tuple[str, Any]:
    """Return the name and the cells of the chosen sheet."""
    about = book.sheets_metadata
    names = [sheet.name for sheet in about if str(sheet.typ).endswith("WorkSheet")]
    if sheet is not None:
        name = _named(path, names, sheet)
        return name, book.get_sheet_by_name(name)
    sheets = {name: book.get_sheet_by_name(name) for name in names}
    filled = [name for name in names if sheets[name].start is not None]
    if not filled:
        msg = f"{path} is empty: no sheet holds anything."
        raise FileError(msg)
    first, *others = filled
    if others:
        _warn(
            f"{path.name} has several sheets; {first!r} was read. For another one pass "
            f"{given('sheet')}: {', '.join(map(repr, others))}."
        )
    return first, sheets[first]


def _warn(message: str) -> None:
    warnings.warn(message, IncertaWarning, stacklevel=5)


def _named(path: Path, names: Sequence[str], sheet: str | int) -> str:
    if sheet in names:
        return str(sheet)
    number = int(sheet) if str(sheet).isdecimal() else 0
    if 1 <= number <= len(names):
        return names[number - 1]
    msg = (
        f"{given(sheet=sheet)}: {path} has {counted(len(names), 'sheet')}, numbered "
        f"from 1: {', '.join(map(repr, names))}."
    )
    if not number and isinstance(sheet, str):
        msg = f"sheet: {unknown_name('sheet', sheet, names)}"
    raise DataError(msg)
