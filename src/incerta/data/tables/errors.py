"""From error columns of any kind to means and standard deviations."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from incerta.data.grouping import Coded
from incerta.data.tables.columns import Table, in_row
from incerta.data.tables.roles import BOUNDS, Roles
from incerta.exceptions import DataError
from incerta.typing import Array, Mask

QUANTILE_95 = float(ndtri(0.95))  # 1.644854, of a 90 % margin of error
QUANTILE_975 = float(ndtri(0.975))  # 1.959964, of a 95 % confidence interval

DEVIATION_OF: dict[str, Callable[[Array], Array]] = {
    "sd": lambda error: error,
    "se": lambda error: error,
    "var": np.sqrt,
    "ivar": lambda error: 1.0 / np.sqrt(error),
    "2sigma": lambda error: error / 2.0,
    "moe90": lambda error: error / QUANTILE_95,
}
# The other way round.
ERROR_OF: dict[str, Callable[[Array], Array]] = {
    "sd": lambda deviation: deviation,
    "se": lambda deviation: deviation,
    "var": np.square,
    "ivar": lambda deviation: 1.0 / np.square(deviation),
    "2sigma": lambda deviation: 2.0 * deviation,
    "moe90": lambda deviation: QUANTILE_95 * deviation,
}


class Measured(NamedTuple):
    """Values with errors, one row per object; NaN where missing."""

    mean: Array  # (n_objects, n_features)
    std: Array  # (n_objects, n_features)
    bounds: tuple[Array, Array] | None  # of intervals, else None


def measured(table: Table, roles: Roles, coded: Coded) -> Measured:
    """Read values and error columns, and refuse impossible errors."""
    assert roles.errors is not None
    shape = (len(table), len(roles.values))
    mean, std = np.empty(shape), np.empty(shape)
    if roles.kind not in BOUNDS:
        for j, (name, (error,)) in enumerate(_paired(roles)):
            mean[:, j], std[:, j] = _with_error(table, name, error, roles.kind, coded)
        return Measured(mean, std, None)
    low, high = np.empty(shape), np.empty(shape)
    for j, (name, pair) in enumerate(_paired(roles)):
        low[:, j], high[:, j] = _bounds(table, pair, coded)
        mean[:, j] = low[:, j] / 2 + high[:, j] / 2
        if roles.kind == "ci95" and name in table.names:
            mean[:, j] = finite(table, name, coded)
            outside = (mean[:, j] < low[:, j]) | (mean[:, j] > high[:, j])
            why = (
                f"lies outside the bounds in {pair[0]!r} and {pair[1]!r}; are these "
                "distances from the value? Add them to it first"
            )
            refuse(outside, mean[:, j], name, coded, why)
    if roles.kind == "ci95":
        return Measured(mean, (high - low) / (2 * QUANTILE_975), None)
    return Measured(mean, (high - low) / np.sqrt(12.0), (low, high))


def _paired(roles: Roles) -> Iterable[tuple[str, tuple[str, ...]]]:
    assert roles.errors is not None
    return zip(roles.values, roles.errors, strict=True)


def finite(table: Table, name: str, coded: Coded) -> Array:
    """Return a column of numbers that may be missing but not infinite."""
    column = table.numbers(name, coded)
    why = "is infinite; leave it empty if it is not known"
    refuse(np.isinf(column), column, name, coded, why)
    return column


def _with_error(
    table: Table, name: str, error_name: str, kind: str, coded: Coded
) -> tuple[Array, Array]:
    value, error = (finite(table, column, coded) for column in (name, error_name))
    if kind != "ivar":
        why = "is negative; leave it empty if it is not known, 0 means exactly known"
        refuse(error < 0, error, error_name, coded, why)
        return value, DEVIATION_OF[kind](error)
    why = "is negative; 0 means that nothing is known about the value"
    refuse(error < 0, error, error_name, coded, why)
    # No information, in astronomers' catalogues: what stands in the value column is
    # a filler.
    nothing = error == 0
    value, error = np.where(nothing, np.nan, value), np.where(nothing, np.nan, error)
    return value, DEVIATION_OF[kind](error)


def _bounds(table: Table, pair: tuple[str, ...], coded: Coded) -> tuple[Array, Array]:
    low, high = (finite(table, column, coded) for column in pair)
    wrong: Mask = np.asarray(low > high)
    if wrong.any():
        # Both numbers are needed to tell a swap from a slip.
        upper = high[int(wrong.argmax())]
        why = f"is above the {upper} in {pair[1]!r}; swap the two if they are swapped"
        refuse(wrong, low, pair[0], coded, why)
    return low, high


def refuse(bad: Mask, column: Array, name: str, coded: Coded, why: str) -> None:
    """Raise if any row is `bad`, naming the first of them."""
    if bad.any():
        row = int(bad.argmax())
        more = f" ({bad.sum()} such rows in all)" if bad.sum() > 1 else ""
        where = f"column {name!r}, {in_row(row, coded)}"
        msg = f"{where}: {column[row]} {why}{more}."
        raise DataError(msg)
