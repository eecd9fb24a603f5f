"""Tables whose cells are numbers or text already: sheets and JSON."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from incerta.data.files.cells import understood_cells
from incerta.data.files.csv import TextTable, as_frame
from incerta.data.files.dialect import TextFormat
from incerta.data.files.numbers import Cell, Rules
from incerta.data.tables.roles import Roles
from incerta.exceptions import MissingValueError


def table_of_cells(
    cells: Mapping[str, Sequence[Any]],
    roles: Roles,
    said: TextFormat,
    where: Callable[[int], str],
) -> TextTable:
    """Make a table of cells; those that are text follow the rules of text tables.

    Parameters
    ----------
    cells : mapping from str to sequence
        The needed columns: numbers, text, dates, truth values, None.
    roles : Roles
        Which column is what. One that is none of these stays as it is.
    said : TextFormat
        Decimal mark and words for missing values.
    where : callable
        A row in words.

    Returns
    -------
    TextTable
    """
    of_words = [role for role in (roles.id, roles.sample, roles.batch) if role in cells]
    numbers = {
        *roles.values,
        *(name for pair in roles.errors or () for name in pair),
        *(name for same in roles.repeats(list(cells)) for name in same.values()),
        *roles.correlations(list(cells)).values(),
    }
    known: dict[str, Sequence[Cell]] = {}
    for name in cells:
        if name in of_words:
            known[name] = [in_words(cell) for cell in cells[name]]
        elif name in numbers or name == roles.weight:
            known[name] = [_number_or_text(cell) for cell in cells[name]]
    if roles.id is not None and "" in known[roles.id]:
        row = list(known[roles.id]).index("")
        msg = f"id={roles.id!r} is empty in {where(row)}; fill it or leave it out."
        raise MissingValueError(msg)
    # A separator that is no comma: what 1,234 means is asked, not guessed.
    rules = Rules(said.decimal, "\t", False, said.na, where)
    table, errors, meaning = understood_cells(known, rules, roles)
    for name in cells:
        if name not in known:
            table[name] = _as_they_are(cells[name])
    return TextTable(as_frame(table), errors, meaning)


def in_words(cell: Any) -> str:
    """A cell as text; 7.0 is 7, as sheets show it."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell.strip()
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, float):
        return str(int(cell)) if cell.is_integer() else repr(cell)
    return str(cell.isoformat() if hasattr(cell, "isoformat") else cell)


def _number_or_text(cell: Any) -> Cell:
    if isinstance(cell, (int, float)) and not isinstance(cell, bool):
        return float(cell)
    return in_words(cell)


def _as_they_are(cells: Sequence[Any]) -> Any:
    known = [_number_or_text(cell) for cell in cells]
    if all(isinstance(cell, float) or cell == "" for cell in known):
        return np.array([np.nan if cell == "" else cell for cell in known], float)
    return [in_words(cell) or None for cell in cells]
