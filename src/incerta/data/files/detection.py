"""Values below a detection limit, written ``<0.5``, as values with errors."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from incerta.data.files.numbers import Column
from incerta.data.tables.censored import below_limits
from incerta.data.tables.errors import ERROR_OF
from incerta.data.tables.roles import BOUNDS, Roles
from incerta.exceptions import DataError, IncertaWarning
from incerta.typing import Array
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
    likely values there have the mean L/2 and the standard deviation L/√12. Where the
    logarithm is asked for there is no least value; there the value is taken to come
    from the log-normal law of all values of the column, and to be in the part of it
    below L. What stands in the table is what the logarithm turns into the mean and the
    standard deviation of that.

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
            f"with kind={roles.kind!r}. Leave the cell empty, or write all values as "
            "two columns of bounds with kind='interval', here 0 and the limit."
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
        rows = ~np.isnan(column.limits)
        place = _log_normal if name in roles.log else _uniform
        value, deviation = place(name, column)
        if roles.kind == "rel%":
            deviation = deviation / value
        as_errors = ERROR_OF[roles.kind](deviation)
        for target, cells in ((name, value), (placed[name], as_errors)):
            table[target] = table[target].copy()
            table[target][rows] = cells
    _say(below, roles, "keep their errors" if errors else "are exact")
    return placed


def _uniform(_: str, column: Column) -> tuple[Array, Array]:
    limits = column.limits[~np.isnan(column.limits)]
    return limits / 2, limits / np.sqrt(12.0)


def _log_normal(name: str, column: Column) -> tuple[Array, Array]:
    limits = column.limits[~np.isnan(column.limits)]
    known = np.log10(column.values[column.values > 0])
    if len(np.unique(known)) < 2:
        msg = (
            f"column {name!r} holds {column.limit_example!r} and fewer than two "
            "different values, so that nothing says how far below the limit its "
            "logarithm may be. Leave it out of log=."
        )
        raise DataError(msg)
    mean, std = below_limits(known, np.log10(limits))
    value = 10.0**mean
    return value, std * value * np.log(10.0)


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


def _say(below: Mapping[str, Column], roles: Roles, others: str) -> None:
    counts = {name: int((~np.isnan(c.limits)).sum()) for name, c in below.items()}
    listed = ", ".join(f"{n} in {name!r}" for name, n in counts.items())
    example = next(iter(below.values())).limit_example
    told = []
    if set(below) - set(roles.log):
        told.append("anywhere between 0 and L, which is L/2 ± L/√12")
    if set(below) & set(roles.log):
        told.append("in the part below L of its column's log-normal law (log=)")
    msg = (
        f"{counted(sum(counts.values()), 'value')} below a limit L, such as "
        f"{example!r}: {listed}. Each was taken to lie {', or '.join(told)}; other "
        f"values {others}."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=7)
