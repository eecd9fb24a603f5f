"""Values below a detection limit, written ``<0.5``, as values with errors."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from incerta.data.files.numbers import Column
from incerta.data.tables.errors import ERROR_OF
from incerta.data.tables.roles import BOUNDS, Roles
from incerta.exceptions import DataError, IncertaWarning
from incerta.wording import counted

Where = Callable[[int], str]  # a row in words


def place_below(
    table: dict[str, Any],
    errors: Mapping[str, str],
    below: Mapping[str, Column],
    roles: Roles,
    where: Where,
) -> dict[str, str]:
    """Put a value and an error in place of each cell that names a limit.

    All that such a cell says is that the value lies between 0 and the limit L. Equally
    likely values there have the mean L/2 and the standard deviation L/√12.

    Parameters
    ----------
    table : dict from str to column
        Gets the values, and a new column of errors for each value column.
    errors : mapping from str to str
        Error column of each value; empty if the others are exact.
    below : mapping from str to Column
        The columns with limits, all of them values.
    roles : Roles
        Which column is what.
    where : callable
        Row in words.

    Returns
    -------
    dict from str to str
        Error column of each value.
    """
    if roles.kind in BOUNDS or roles.kind not in ERROR_OF:
        name, column = next(iter(below.items()))
        msg = (
            f"column {name!r} holds {column.limit_example!r}, which cannot be used "
            f"with kind={roles.kind!r}; leave the cell empty, and write the bounds 0 "
            "and the limit."
        )
        raise DataError(msg)
    placed = dict(errors)
    for name in roles.values:
        error = errors.get(name)
        known = np.zeros_like(table[name]) if error is None else table[error]
        placed[name] = f"{name} (error)"
        table[placed[name]] = known.copy()
    for name, column in below.items():
        _refuse_no_belief(name, column, table[placed[name]], where)
        limits = column.limits
        rows = ~np.isnan(limits)
        table[name] = np.where(rows, limits / 2, table[name])
        deviation = limits / np.sqrt(12.0)
        if roles.kind == "rel%":
            deviation = deviation / table[name]
        as_errors = ERROR_OF[roles.kind](deviation)
        table[placed[name]] = np.where(rows, as_errors, table[placed[name]])
    _say(below, "keep their errors" if errors else "are exact")
    return placed


def _refuse_no_belief(name: str, column: Column, errors: Any, where: Where) -> None:
    """Refuse limits that do not bound a value from both sides."""
    limits, held = column.limits, f"column {name!r} holds {column.limit_example!r}"
    if (limits <= 0).any():
        row = int((limits <= 0).argmax())
        msg = (
            f"column {name!r}, {where(row)}: a limit must be above 0, as the value is "
            "taken to lie between 0 and the limit. Leave the cell empty."
        )
        raise DataError(msg)
    if (column.values < 0).any():
        row = int((column.values < 0).argmax())
        msg = (
            f"{held}, but also values below 0 ({where(row)}: {column.values[row]}), so "
            "that nothing says how low a value below the limit can be. Leave such "
            "cells empty, or write all values as two columns of bounds with "
            "kind='interval'."
        )
        raise DataError(msg)
    twice = ~np.isnan(limits) & (errors != 0) & ~np.isnan(errors)
    if twice.any():
        row = int(twice.argmax())
        msg = (
            f"{held}, and {where(row)} has an error besides its limit. Leave the error "
            "out, or write a value instead of the limit."
        )
        raise DataError(msg)


def _say(below: Mapping[str, Column], others: str) -> None:
    counts = {name: int((~np.isnan(c.limits)).sum()) for name, c in below.items()}
    listed = ", ".join(f"{n} in {name!r}" for name, n in counts.items())
    example = next(iter(below.values())).limit_example
    msg = (
        f"{counted(sum(counts.values()), 'value')} below a limit L, such as "
        f"{example!r}: {listed}. Each was taken to lie anywhere between 0 and L, which "
        f"is L/2 with a standard deviation of L/√12; other values {others}."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=7)
