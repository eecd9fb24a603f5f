"""Turn lines of csv or JSON, one row each, into objects as they arrive.

Every line is a row. Cells with line breaks are not supported, because one quote that is
never closed would swallow the rest of the stream.
"""

import csv
import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from incerta.data.container import UncertainData
from incerta.data.files.cells import table_of_cells
from incerta.data.files.dialect import DECIMAL_COMMA, SEPARATORS
from incerta.data.from_table import from_spec
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError, MissingValueError
from incerta.wording import given

JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
LONGEST_LINE = 2**20  # bytes of a row
PAUSE = 0.2  # seconds between checks of a growing file
IN_DOUBT = re.compile(r"[-+−]?[1-9]\d{0,2},\d{3}")  # decimal comma or thousands
# Errors caused by rows: integers in JSON may be too large for a float.
UNREADABLE = (DataError, OverflowError)
ROW = re.compile(r"row 1 \(counted from 1\)")


class Line(NamedTuple):
    """A line and its number, from 1; the text is None if it cannot be read."""

    number: int
    text: str | None


class Row(NamedTuple):
    """The line and the cells of a row, by name."""

    number: int
    cells: dict[str, Any]


class Bad(NamedTuple):
    """A row that cannot be read as an object, and the reason."""

    number: int
    why: str
    name: str = ""  # its id


def lines_of(
    stream: BinaryIO, encoding: str | None, *, follow: bool = False
) -> Iterator[Line | None]:
    """Yield non-empty lines, and None while no line is available.

    The default encoding is UTF-8, or cp1252 for lines that are not UTF-8. With
    `follow`, wait for more lines at the end of the file, and begin again if it is
    truncated.
    """
    number, begun = 0, b""
    while True:
        begun += stream.readline(LONGEST_LINE - len(begun))
        too_long = len(begun) >= LONGEST_LINE
        if not begun.endswith(b"\n") and not too_long:
            if follow:
                position = stream.tell()
                is_cut = stream.seek(0, 2) < position
                stream.seek(0 if is_cut else position)
                begun = b"" if is_cut else begun
                yield None
                time.sleep(PAUSE)
                continue
            if not begun:
                return
        number += 1
        if too_long:
            while begun and not begun.endswith(b"\n"):
                begun = stream.readline(LONGEST_LINE)  # skip the rest of the line
            yield Line(number, None)
        else:
            text = _decoded(begun, encoding, first=number == 1)
            if text.strip():
                yield Line(number, text)
        begun = b""


def _decoded(line: bytes, encoding: str | None, *, first: bool) -> str:
    if encoding is not None:
        return line.decode(encoding, errors="replace")
    try:
        return line.decode("utf-8-sig" if first else "utf-8")
    except UnicodeDecodeError:
        return line.decode("cp1252", errors="replace")


def rows_of(
    lines: Iterable[Line | None],
    file: Path,
    spec: TableSpec,
    check: Callable[[Sequence[str]], None] = lambda names: None,
) -> Iterator[Row | Bad | None]:
    """Yield rows of csv, whose first line names the columns, or of JSON, by file name.

    If `spec` has no separator, use the one by which its columns are found in the first
    line, or the one that gives most columns. `check` is called with the column names of
    csv, and raises an error if one is missing.
    """
    header: list[str] | None = None
    as_json: bool | None = None
    mark = ","
    for line in lines:
        if line is None:
            yield None
            continue
        number, text = line
        if text is None:
            yield Bad(number, f"longer than {LONGEST_LINE:,} bytes")
            continue
        if as_json is None:
            name = file.name.lower().removesuffix(".gz")
            as_json = name.endswith(JSON_ENDINGS) or text.lstrip().startswith("{")
        if as_json:
            yield _of_json(number, text)
        elif header is None:
            found = {mark: _cells(text, mark) for mark in SEPARATORS}
            able = [mark for mark in SEPARATORS if set(spec.values) <= set(found[mark])]
            most = max(able or SEPARATORS, key=lambda mark: len(found[mark]))
            mark = spec.separator or most
            header = _cells(text, mark)
            check(header)
        else:
            cells = _cells(text, mark)
            if cells == header:
                continue  # the header of another file that was appended
            if len(cells) != len(header):
                why = f"{len(cells)} cells, and the header has {len(header)}"
                yield Bad(number, why)
            else:
                yield Row(number, dict(zip(header, cells, strict=True)))


def _of_json(number: int, text: str) -> Row | Bad:
    try:
        cells = json.loads(text)
    except (ValueError, RecursionError) as error:
        return Bad(number, f"no JSON ({getattr(error, 'msg', 'nested too deeply')})")
    if not isinstance(cells, dict):
        return Bad(number, "no object, which begins with {")
    return Row(number, cells)


def _cells(text: str, mark: str) -> list[str]:
    if mark == " ":
        return text.split()
    try:
        return [cell.strip() for cell in next(csv.reader([text], delimiter=mark), [])]
    except csv.Error:
        return []


@dataclass
class Reader:
    """Turn each row into an object, and report the rows that cannot be read."""

    spec: TableSpec
    _mark: str | None = None

    def objects(self, rows: Sequence[Row]) -> tuple[UncertainData | None, list[Bad]]:
        """Return the objects (None without any), and the rows that cannot be read."""
        try:
            return self._read(rows), []
        except UNREADABLE:
            good, bad = self._sorted(rows)
            return self._read(good) if good else None, bad

    def check(self, names: Sequence[str]) -> None:
        """Raise an error if columns are missing."""
        self.spec.columns(names)

    def _sorted(self, rows: Sequence[Row]) -> tuple[list[Row], list[Bad]]:
        """Bisect rows to find those that cannot be read."""
        try:
            self._read(rows)
        except UNREADABLE as error:
            if len(rows) == 1:
                number, cells = rows[0]
                name = "" if self.spec.id is None else cells.get(self.spec.id)
                return [], [Bad(number, _reason(error, number), str(name or ""))]
            half = len(rows) // 2
            first, second = self._sorted(rows[:half]), self._sorted(rows[half:])
            return first[0] + second[0], first[1] + second[1]
        return list(rows), []

    def _read(self, rows: Sequence[Row]) -> UncertainData:
        spec = replace(self.spec, id=None, sep=None, encoding=None, missing="error")
        names = dict.fromkeys(name for row in rows for name in row.cells)
        needed = spec.columns(list(names))
        cells = {name: [row.cells.get(name) for row in rows] for name in needed}
        spec = replace(spec, decimal=self._decimal(cells, rows))
        frame: Any = None if spec.na else _plain(cells)
        if frame is None:
            frame, errors, _ = table_of_cells(
                cells, spec, lambda row: f"line {rows[row].number}"
            )
            spec = replace(spec, errors=errors) if errors else spec
        return from_spec(frame, spec)

    def _decimal(self, cells: dict[str, list[Any]], rows: Sequence[Row]) -> str:
        """Return the decimal mark, as given or as the first numbers show."""
        if self._mark or self.spec.decimal:
            return self._mark or str(self.spec.decimal)
        texts = [
            (name, row, cell.strip())
            for name, column in cells.items()
            for row, cell in zip(rows, column, strict=True)
            if isinstance(cell, str)
        ]
        if any(DECIMAL_COMMA.fullmatch(text) for _, _, text in texts):
            self._mark = ","
        elif any("." in text for _, _, text in texts):
            self._mark = "."
        for name, row, text in texts if self._mark is None else ():
            if IN_DOUBT.fullmatch(text):
                as_decimal, as_groups = text.replace(",", "."), text.replace(",", "")
                msg = (
                    f"column {name!r}, line {row.number}: {text!r} can be {as_decimal} "
                    f"or {as_groups}, and no number before it says which. Pass "
                    f"{given(decimal=',')} for {as_decimal}, or {given(decimal='.')} "
                    f"for {as_groups}."
                )
                raise FileError(msg)  # another row is bad, not this one
        return self._mark or "."


def _plain(cells: dict[str, list[Any]]) -> dict[str, list[float]] | None:
    """Return columns of plain numbers; None if some cells are not plain numbers."""
    if any(
        cell is None or isinstance(cell, bool) for c in cells.values() for cell in c
    ):
        return None
    try:
        return {name: list(map(float, column)) for name, column in cells.items()}
    except (TypeError, ValueError, OverflowError):
        return None


def _reason(error: Exception, number: int) -> str:
    """Return the first sentence of the error about a row."""
    if isinstance(error, MissingValueError):
        return str(error).partition(";")[0].replace("there are missing", "missing")
    text = ROW.sub(f"line {number}", " ".join(str(error).split()))
    text = text.replace(f", line {number}:", ":").replace(f" line {number}:", "")
    return text.partition(". ")[0].rstrip(".")
