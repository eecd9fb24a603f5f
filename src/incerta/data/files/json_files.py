"""JSON: records one per line, a list of them, or columns."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

from incerta.data.files.cells import ParsedCells
from incerta.data.files.reading import opened, refuse_unpacked
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, FileError

LINES = (".jsonl", ".ndjson")


def parse_json(path: Path, spec: TableSpec, limit: int) -> ParsedCells:
    """Parse the needed columns of records, or of a dict of columns."""
    refuse_unpacked(path, limit)
    name = path.name.lower().removesuffix(".gz")
    is_lines = name.endswith(LINES)
    places, records, word = _of_lines(path) if is_lines else _of_document(path)
    if isinstance(records, dict):
        table = _checked_columns(path, records)
        columns = spec.columns(list(table))
        cells = {column: table[column] for column in columns}
    else:
        names = dict.fromkeys(key for record in records for key in record)
        columns = spec.columns(list(names))
        cells = {column: [one.get(column) for one in records] for column in columns}
    for column in columns:
        for row, cell in enumerate(cells[column]):
            if isinstance(cell, (dict, list)):
                if spec.values:
                    _refuse_nested(column, f"{word} {places[row]}", cell)
                cells[column][row] = json.dumps(cell)  # a profile shows them as text
    return ParsedCells(cells, lambda row: f"{word} {places[row]}")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a dict of a JSON object whose names must differ."""
    times = Counter(name for name, _ in pairs)
    if len(times) < len(pairs):
        ((twice, n),) = times.most_common(1)
        msg = f"an object has the name {twice!r} {n} times"
        raise ValueError(msg)
    return dict(pairs)


def _of_lines(path: Path) -> tuple[Sequence[int], Any, str]:
    """Return records, the line of each, and the function that names a place."""
    places, records = [], []
    with opened(path, "rt", encoding="utf-8-sig") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                record = json.loads(line, object_pairs_hook=_once)
            except json.JSONDecodeError as error:
                msg = f"{path}, line {number}: not JSON ({error.msg})."
                raise FileError(msg) from error
            places.append(number)
            records.append(_record(record, f"{path}, line {number}"))
    return places, records, "line"


def _record(record: Any, where: str) -> dict[str, Any]:
    if not isinstance(record, dict):
        msg = f"{where}: no object, which begins with {{."
        raise FileError(msg)
    return record


def _of_document(path: Path) -> tuple[Sequence[int], Any, str]:
    """Return records or columns, their places, and the function that names a place."""
    with opened(path, "rt", encoding="utf-8-sig") as stream:
        text = stream.read()
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":  # lines of JSON in a file named .json
            return _of_lines(path)
        msg = f"{path} is not JSON: line {error.lineno}, {error.msg}."
        raise FileError(msg) from error
    if isinstance(found, dict):
        if found and not any(isinstance(c, (dict, list)) for c in found.values()):
            return range(1, 2), [found], "record"  # of a single record
        sizes = [len(c) for c in found.values() if isinstance(c, list)]
        return range(1, max(sizes, default=0) + 1), found, "row"
    if isinstance(found, list):
        for number, record in enumerate(found, 1):
            _record(record, f"{path}, record {number}")
        return range(1, len(found) + 1), found, "record"
    msg = f"{path} holds neither a list of records nor a dict of columns."
    raise FileError(msg)


def _checked_columns(path: Path, found: dict[str, Any]) -> dict[str, list[Any]]:
    for name, column in found.items():
        if not isinstance(column, list):
            msg = (
                f"{path}: {name!r} is not a list. A file is read if it holds a list of "
                "records, [{...}, {...}], or a list for each column."
            )
            raise FileError(msg)
    sizes = {name: len(column) for name, column in found.items()}
    if len(set(sizes.values())) > 1:
        msg = f"{path}: columns must be equally long; they have {sizes} rows."
        raise FileError(msg)
    return found


def _refuse_nested(column: str, where: str, cell: Any) -> NoReturn:
    if isinstance(cell, list):
        msg = (
            f"column {column!r}, {where}: a list of {len(cell)}. If these are possible "
            "values of the object, write a record for each of them with the same id; "
            "if they are features, a column for each."
        )
        raise DataError(msg)
    path = column
    while isinstance(cell, dict) and cell:
        key, cell = next(iter(cell.items()))
        path = f"{path}.{key}"
    msg = (
        f"column {column!r}, {where}: an object, in which there is {path!r}. Write its "
        "parts as columns of their own."
    )
    raise DataError(msg)
