"""The meaning of cells that are not plain numbers, in text, sheets and JSON."""

import csv
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from incerta.data.files.dialect import MISSING, Dialect
from incerta.data.files.numbers import Cell, Column, Rules, numbers_in
from incerta.data.tables.censored import below_limits
from incerta.data.tables.errors import ERROR_OF
from incerta.data.tables.spec import BOUNDS, TableSpec
from incerta.exceptions import DataError, FileError, IncertaWarning, MissingValueError
from incerta.typing import Array, Ids
from incerta.wording import counted, given

Where: TypeAlias = Callable[[int], str]  # a row in words


class TextTable(NamedTuple):
    """Columns, and the errors that their cells hold."""

    frame: Any
    errors: dict[str, str]  # from value to error column, if cells have errors
    meaning: str | None = None  # kind of these errors, if cells state it


def understood_cells(
    cells: Mapping[str, Sequence[Cell]],
    rules: Rules,
    spec: TableSpec,
    others: Mapping[str, Any] | None = None,
) -> TextTable:
    """Interpret cells; the columns `others` stay as they are."""
    words = {name for name in (spec.id, spec.sample, spec.batch) if name in cells}
    ids = cells.get(spec.id or "")
    place = rules.where

    def where(row: int) -> str:
        return place(row) if ids is None else f"{place(row)}, object {ids[row]}"

    texts = {name: column for name, column in cells.items() if name not in words}
    numbers = numbers_in(texts, replace(rules, where=where))
    units = {name: column.unit for name, column in numbers.items()}
    used = {n for n, column in numbers.items() if not np.isnan(column.values).all()}
    refuse_other_units(units, spec, used)
    table: dict[str, Any] = {
        name: numbers[name].values if name in numbers else list(column)
        for name, column in cells.items()
    }
    if spec.batch is not None and spec.batch in cells:
        table[spec.batch] = [None if c in MISSING else c for c in cells[spec.batch]]
    own = {name: column for name, column in numbers.items() if column.example}
    below = {name: column for name, column in numbers.items() if column.limit_example}
    errors: dict[str, str] = {}
    meaning = None
    if own:
        _refuse_errors(own, spec, ids)
        errors = {name: f"{name} (error)" for name in spec.values}
        for name, error in errors.items():
            exact = np.zeros_like(table[name])
            table[error] = own[name].errors if name in own else exact
    if below:
        name, limits = next(iter(below.items()))
        example = limits.limit_example
        held = f"column {name!r} holds values below a limit, such as {example!r}"
        _refuse_places(held, [*below], spec, ids)
        if spec.error_columns is not None and spec.error_kind not in BOUNDS:
            pairs = zip(spec.values, spec.error_columns, strict=True)
            errors = {name: error for name, (error,) in pairs}
        meaning = None if errors else "belief"
        errors = place_below(table, errors, below, spec, where)
    arrays = {
        name: column if isinstance(column, np.ndarray) else np.array(column, object)
        for name, column in {**table, **(others or {})}.items()
    }
    return TextTable(arrays, errors, meaning)


def refuse_other_units(
    units: Mapping[str, str], spec: TableSpec, used: Collection[str] = ()
) -> None:
    """Refuse errors, or repeats in use, in another unit: 5 mm or 5% of 12 cm."""
    for columns in spec.repeats(list(units)):
        there = [name for name in columns.values() if name in used]
        for first, other in pairwise(there):
            if units[first] != units[other]:
                msg = (
                    f"columns {first!r} and {other!r} are repeats of one value in "
                    f"different units: {units[first] or 'none'!r} and "
                    f"{units[other] or 'none'!r}. Write both in one unit."
                )
                raise DataError(msg)
    if spec.error_kind in ("var", "ivar"):  # these have another unit anyway
        return
    for name, pair in zip(spec.values, spec.error_columns or (), strict=False):
        for error in pair:
            unit = "%" if spec.error_kind == "rel%" else units.get(name, units[pair[0]])
            if units[error] not in ("", unit):
                msg = (
                    f"column {error!r} has the unit {units[error]!r}, its values in "
                    f"{name!r} have {unit!r}. Write both in one unit."
                )
                raise DataError(msg)


def _refuse_errors(
    own: dict[str, Column], spec: TableSpec, ids: Sequence[Cell] | None
) -> None:
    """Refuse values with errors if none are expected."""
    name, column = next(iter(own.items()))
    held = f"column {name!r} holds values with errors, such as {column.example!r}"
    _refuse_places(held, [*own], spec, ids)
    if spec.error_columns is not None:
        errors = "/".join(spec.error_columns[spec.values.index(name)])
        msg = (
            f"{held}, and {given('errors')} names its error column {errors!r}, too. "
            "Leave errors out, or leave the errors out of the cells."
        )
        raise DataError(msg)


def _refuse_places(
    held: str, names: Sequence[str], spec: TableSpec, ids: Sequence[Cell] | None
) -> None:
    """Refuse cells with errors or limits in columns of plain numbers."""
    if spec.replicates is not None:
        pattern = given(replicates=spec.replicates)
        msg = f"{held}; columns of {pattern} must hold numbers."
        raise DataError(msg)
    if not set(names) <= set(spec.values):
        msg = f"{held}; a column of errors, bounds or weights must hold plain numbers."
        raise DataError(msg)
    others = {"weight": spec.weight, "sample": spec.sample, "batch": spec.batch}
    for role, other in others.items():
        if other is not None:
            msg = f"{held}; {given(**{role: other})} cannot be used with these."
            raise DataError(msg)
    if ids is not None and len(set(ids)) < len(ids):
        twice = next(one for one, times in Counter(ids).items() if times > 1)
        msg = f"{held}, so each object must have a single row; {twice} has several."
        raise DataError(msg)


def cells_of(
    dialect: Dialect, columns: Sequence[str]
) -> tuple[dict[str, list[str]], list[int]]:
    """Return the cells of some columns, and the line in the file of each row."""
    cells: dict[str, list[str]] = {name: [] for name in columns}
    lines: list[int] = []
    source = dialect.source
    with source.open_text() as stream:
        rows = csv.reader(stream, delimiter=dialect.separator, strict=True)
        names = next(rows)
        first = {name: place for place, name in reversed(list(enumerate(names)))}
        places = [first[name] for name in columns]
        begin = rows.line_num + 1
        for row in rows:
            line, begin = begin + source.n_skipped, rows.line_num + 1
            if not row:
                continue
            if len(row) != len(names):
                way_out = f"A cell with {dialect.separator!r} in it must be in quotes."
                if len(names) == 1:
                    header = f"If line {source.n_skipped + 1} is a title"
                    way_out = f"{header} and does not name the columns, leave it out."
                elif len(row) == 1:
                    way_out = "If it is a note and no row, leave it out."
                msg = (
                    f"{source.path}, line {line}: {counted(len(row), 'column')}; the "
                    f"header has {len(names)}. {way_out}"
                )
                raise FileError(msg)
            lines.append(line)
            for name, place in zip(columns, places, strict=True):
                cells[name].append(row[place])
    return cells, lines


def place_below(
    table: dict[str, Any],
    errors: Mapping[str, str],
    below: Mapping[str, Column],
    spec: TableSpec,
    where: Where,
) -> dict[str, str]:
    """Replace each cell with a limit L by a value and an error.

    A uniform value between 0 and L has the mean L/2 and the standard deviation L/√12.
    With the logarithm, the value is in the part below L of the log-normal law of its
    column, and the table gets numbers whose logarithms have the mean and the standard
    deviation of that part. Return the error column of each value.
    """
    if spec.error_kind in BOUNDS or spec.error_kind not in ERROR_OF:
        name, column = next(iter(below.items()))
        msg = (
            f"column {name!r} holds {column.limit_example!r}, which cannot be used "
            f"with {given(kind=spec.error_kind)}. Leave the cell empty, or write all "
            f"values as two columns of bounds with {given(kind='interval')}, here 0 "
            "and the limit."
        )
        raise DataError(msg)
    placed = {name: f"{name} (error)" for name in spec.values}
    for name, error in placed.items():
        sizes = table[errors[name]] if name in errors else np.zeros_like(table[name])
        table[error] = sizes.copy()
    for name, column in below.items():
        _refuse_no_belief(name, column, table[placed[name]], where)
        rows = ~np.isnan(column.limits)
        limits = column.limits[rows]
        value, deviation = limits / 2, limits / np.sqrt(12.0)
        if name in spec.logs:
            value, deviation = _log_normal(name, column, limits)
        if spec.error_kind == "rel%":
            deviation = deviation / value
        table[name] = table[name].copy()
        table[name][rows] = value
        table[placed[name]][rows] = ERROR_OF[spec.error_kind](deviation)
    _say(below, spec, "keep their errors" if errors else "are exact")
    return placed


def _log_normal(name: str, column: Column, limits: Array) -> tuple[Array, Array]:
    known = np.log10(column.values[column.values > 0])
    if len(np.unique(known)) < 2:
        msg = (
            f"column {name!r} holds {column.limit_example!r} and fewer than two "
            "different values, so the distribution of values below the limit is "
            f"unknown. Leave it out of {given('log')}."
        )
        raise DataError(msg)
    mean, std = below_limits(known, np.log10(limits))
    return 10.0**mean, std * 10.0**mean * np.log(10.0)


def _refuse_no_belief(name: str, column: Column, errors: Any, where: Where) -> None:
    """Refuse limits if a value is unbounded below."""
    limits, held = column.limits, f"column {name!r} holds {column.limit_example!r}"
    nought, negative = limits <= 0, column.values < 0
    twice = ~np.isnan(limits) & (errors != 0) & ~np.isnan(errors)
    wrong = next((rows for rows in (nought, negative, twice) if rows.any()), None)
    if wrong is None:
        return
    row = int(wrong.argmax())
    if wrong is nought:
        msg = (
            f"column {name!r}, {where(row)}: a limit must be above 0, because the "
            "value is taken to lie between 0 and the limit. Leave the cell empty."
        )
    elif wrong is negative:
        msg = (
            f"{held}, but also values below 0 ({where(row)}: {column.values[row]}), so "
            "a value below the limit has no lower bound. Leave such cells empty, or "
            f"write all values as two columns of bounds with {given(kind='interval')}."
        )
    else:
        msg = (
            f"{held}, and {where(row)} has an error besides its limit. Leave the error "
            "out, or write a value instead of the limit."
        )
    raise DataError(msg)


def _say(below: Mapping[str, Column], spec: TableSpec, others: str) -> None:
    counts = {name: int((~np.isnan(c.limits)).sum()) for name, c in below.items()}
    listed = ", ".join(f"{n} in {name!r}" for name, n in counts.items())
    example = next(iter(below.values())).limit_example
    places = []
    if set(below) - set(spec.logs):
        places.append("anywhere between 0 and L, which is L/2 ± L/√12")
    if set(below) & set(spec.logs):
        log = given("log")
        places.append(f"in the part below L of its column's log-normal law ({log})")
    msg = (
        f"{counted(sum(counts.values()), 'value')} below a limit L, such as "
        f"{example!r}: {listed}. Each was taken to lie {', or '.join(places)}; other "
        f"values {others}."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=7)


class ParsedCells(NamedTuple):
    """Columns of cells that are numbers, text, dates, Booleans or None."""

    cells: Mapping[str, Sequence[Any]]
    where: Where

    def table(self, spec: TableSpec) -> TextTable:
        """Return the columns that `spec` names, or all columns by default."""
        cells = {name: self.cells[name] for name in spec.columns(list(self.cells))}
        return table_of_cells(cells, spec, self.where)


def table_of_cells(
    cells: Mapping[str, Sequence[Any]], spec: TableSpec, where: Where
) -> TextTable:
    """Make a table of cells that are numbers, text, dates, Booleans or None.

    Text follows the rules of text tables.
    """
    of_words = [role for role in (spec.id, spec.sample, spec.batch) if role in cells]
    numbers = {
        *spec.values,
        *(name for pair in spec.error_columns or () for name in pair),
        *(name for same in spec.repeats(list(cells)) for name in same.values()),
        *spec.correlations(list(cells)).values(),
    }
    known: dict[str, Sequence[Cell]] = {}
    for name in cells:
        if name in of_words:
            known[name] = [in_words(cell) for cell in cells[name]]
        elif name in numbers or name == spec.weight:
            known[name] = [_number_or_text(cell) for cell in cells[name]]
    if spec.id is not None and "" in known[spec.id]:
        row = list(known[spec.id]).index("")
        msg = f"{given(id=spec.id)} is empty in {where(row)}; fill it or leave it out."
        raise MissingValueError(msg)
    rules = Rules(decimal=spec.decimal, na=spec.na, where=where)
    others = {n: _as_they_are(cells[n]) for n in cells if n not in known}
    return understood_cells(known, rules, spec, others)


def in_words(cell: Any) -> str:
    """Return a cell as text; 7.0 becomes 7, as in a sheet."""
    if cell is None or isinstance(cell, str):
        return (cell or "").strip()
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return str(cell.isoformat() if hasattr(cell, "isoformat") else cell)


def in_numbers(words: Ids) -> Ids:
    """Convert words to whole numbers if that loses nothing."""
    try:
        numbers = words.astype(np.int64)
    except (ValueError, OverflowError):
        return words
    same = (numbers.astype(words.dtype) == words).all()
    return numbers if same else words


def _number_or_text(cell: Any) -> Cell:
    is_number = isinstance(cell, (int, float)) and not isinstance(cell, bool)
    return float(cell) if is_number else in_words(cell)


def _as_they_are(cells: Sequence[Any]) -> Any:
    known = [_number_or_text(cell) for cell in cells]
    if all(isinstance(cell, float) or cell == "" for cell in known):
        return np.array([np.nan if cell == "" else cell for cell in known], float)
    return [in_words(cell) or None for cell in cells]
