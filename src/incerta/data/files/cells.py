"""Cells of text tables that are no plain numbers, and what they mean."""

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from incerta.data.files.detection import place_below
from incerta.data.files.dialect import MISSING, Dialect
from incerta.data.files.numbers import Column, Rules, numbers_in
from incerta.data.tables.roles import BOUNDS, Roles
from incerta.exceptions import DataError, FileError
from incerta.wording import counted


class Understood(NamedTuple):
    """Columns, and what their cells say besides numbers."""

    table: dict[str, Any]
    errors: dict[str, str]  # from value to error column, where cells have errors
    meaning: str | None = None  # of these errors, if cells say so


def understood(dialect: Dialect, columns: Sequence[str], roles: Roles) -> Understood:
    """Read with the standard library, and find out what the cells mean."""
    cells, lines = cells_of(dialect, columns)

    def where(row: int) -> str:
        return f"line {lines[row]}"

    rules = Rules(
        dialect.decimal, dialect.separator, dialect.comma_seen, dialect.na, where
    )
    return understood_cells(cells, rules, roles)


def understood_cells(
    cells: Mapping[str, Sequence[Any]], rules: Rules, roles: Roles
) -> Understood:
    """Find out what cells mean: text, and numbers where a file holds such.

    Parameters
    ----------
    cells : mapping from str to sequence of str or float
        Columns; those of ids, draws and batches are text.
    rules : Rules
        How they are written, and where.
    roles : Roles
        Which column is what.

    Returns
    -------
    Understood
    """
    columns = list(cells)
    words = {name for name in (roles.id, roles.sample, roles.batch) if name in cells}
    of_id = cells.get(roles.id or "")

    place = rules.where

    def where(row: int) -> str:
        named = "" if of_id is None else f", object {of_id[row]}"
        return f"{place(row)}{named}"

    rules = rules._replace(where=where)
    numbers = {name: column for name, column in cells.items() if name not in words}
    found = numbers_in(numbers, rules)
    refuse_other_units(found, roles)
    table: dict[str, Any] = {}
    for name in columns:
        if name not in words:
            table[name] = found[name].values
        elif name == roles.batch:
            table[name] = [None if cell in MISSING else cell for cell in cells[name]]
        else:
            table[name] = list(cells[name])
    own = {name: column for name, column in found.items() if column.errors is not None}
    below = {name: column for name, column in found.items() if column.limit_example}
    errors: dict[str, str] = {}
    if own:
        _refuse_errors(own, roles, of_id)
        errors = {name: f"{name} (error)" for name in roles.values}
        for name, error in errors.items():
            exact = np.zeros_like(table[name])
            table[error] = own[name].errors if name in own else exact
    if not below:
        return Understood(table, errors)
    name, column = next(iter(below.items()))
    held = (
        f"column {name!r} holds values below a limit, such as {column.limit_example!r}"
    )
    _refuse_places(held, [*below], roles, of_id)
    given = errors
    if roles.errors is not None and roles.kind not in BOUNDS:
        pairs = zip(roles.values, roles.errors, strict=True)
        given = {name: error for name, (error,) in pairs}
    errors = place_below(table, given, below, roles, where)
    return Understood(table, errors, None if given else "belief")


def refuse_other_units(found: dict[str, Column], roles: Roles) -> None:
    """Refuse errors or repeats in another unit: 5 mm or 5 % of 12 cm."""
    for columns in roles.repeats(list(found)):
        used = [n for n in columns.values() if not np.isnan(found[n].values).all()]
        for first, other in pairwise(used):
            if found[first].unit != found[other].unit:
                msg = (
                    f"columns {first!r} and {other!r} are repeats of one value in "
                    f"different units: {found[first].unit or 'none'!r} and "
                    f"{found[other].unit or 'none'!r}. Write both in one unit."
                )
                raise DataError(msg)
    if roles.kind in ("var", "ivar"):  # whose unit is another one anyway
        return
    for name, pair in zip(roles.values, roles.errors or (), strict=False):
        for error in pair:
            unit = found[name].unit if name in found else found[pair[0]].unit
            if roles.kind == "rel%":
                unit = "%"
            if found[error].unit not in ("", unit):
                msg = (
                    f"column {error!r} has the unit {found[error].unit!r}, its values "
                    f"in {name!r} have {unit!r}. Write both in one unit."
                )
                raise DataError(msg)


def _refuse_errors(
    own: dict[str, Column], roles: Roles, ids: Sequence[str] | None
) -> None:
    """Refuse values with errors where these are not expected."""
    name, column = next(iter(own.items()))
    held = f"column {name!r} holds values with errors, such as {column.example!r}"
    _refuse_places(held, [*own], roles, ids)
    if roles.errors is not None:
        errors = "/".join(roles.errors[roles.values.index(name)])
        msg = (
            f"{held}, and errors= names its error column {errors!r}, too. Leave errors "
            "out, or leave the errors out of the cells."
        )
        raise DataError(msg)


def _refuse_places(
    held: str, names: Sequence[str], roles: Roles, ids: Sequence[str] | None
) -> None:
    """Refuse cells that are more than numbers where only numbers have a meaning."""
    if roles.replicates is not None:
        msg = f"{held}; columns of replicates={roles.replicates!r} must hold numbers."
        raise DataError(msg)
    if not set(names) <= set(roles.values):
        msg = f"{held}; a column of errors, bounds or weights must hold plain numbers."
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


def cells_of(
    dialect: Dialect, columns: Sequence[str]
) -> tuple[dict[str, list[str]], list[int]]:
    """Cells of some columns, and the line of the file where each row begins."""
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
                    way_out = (
                        f"If line {source.n_skipped + 1} is a title and does not name "
                        "the columns, leave it out."
                    )
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
