"""From error columns of any kind to values with their uncertainty."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from incerta.data.grouping import Coded
from incerta.data.tables.columns import Table, in_row
from incerta.data.tables.spec import BOUNDS, TableSpec
from incerta.exceptions import DataError
from incerta.typing import Array, Indices, Mask

QUANTILE_84 = float(ndtri(0.84))  # 0.994458, of a 68 % confidence interval
QUANTILE_95 = float(ndtri(0.95))  # 1.644854, of a 90 % margin of error
QUANTILE_975 = float(ndtri(0.975))  # 1.959964, of a 95 % margin of error or interval

DEVIATION_OF: dict[str, Callable[[Array], Array]] = {
    "sd": lambda error: error,
    "se": lambda error: error,
    "var": np.sqrt,
    "ivar": lambda error: 1.0 / np.sqrt(error),
    "2sigma": lambda error: error / 2.0,
    "3sigma": lambda error: error / 3.0,
    "moe90": lambda error: error / QUANTILE_95,
    "moe95": lambda error: error / QUANTILE_975,
    "rel%": lambda error: error / 100.0,  # of the size of the value
}
# The other way round.
ERROR_OF: dict[str, Callable[[Array], Array]] = {
    "sd": lambda deviation: deviation,
    "se": lambda deviation: deviation,
    "var": np.square,
    "ivar": lambda deviation: 1.0 / np.square(deviation),
    "2sigma": lambda deviation: 2.0 * deviation,
    "3sigma": lambda deviation: 3.0 * deviation,
    "moe90": lambda deviation: QUANTILE_95 * deviation,
    "moe95": lambda deviation: QUANTILE_975 * deviation,
    "rel%": lambda deviation: 100.0 * deviation,  # of that relative to the value
}
QUANTILE_OF = {"ci68": QUANTILE_84, "ci95": QUANTILE_975}


class Measured(NamedTuple):
    """Values with their errors, one row per object; NaN where missing."""

    value: Array  # (n_objects, n_features)
    # Standard deviations, or widths below and above the value: (n_objects, n_features)
    below: Array
    above: Array
    bounds: tuple[Array, Array] | None = None  # of intervals
    correlation: Array | None = None  # (n_objects, n_features, n_features)

    def take(self, rows: Indices) -> "Measured":
        """Keep these objects."""
        value, below, above = (part[rows] for part in self[:3])
        bounds = self.bounds and (self.bounds[0][rows], self.bounds[1][rows])
        matrices = None if self.correlation is None else self.correlation[rows]
        return Measured(value, below, above, bounds, matrices)


def measured(table: Table, spec: TableSpec, coded: Coded) -> Measured:
    """Read values and error columns, and refuse impossible errors."""
    assert spec.error_columns is not None
    shape = (len(table), len(spec.values))
    value, below, above = np.empty(shape), np.empty(shape), np.empty(shape)
    bounds = np.empty(shape), np.empty(shape)
    for j, (name, columns) in enumerate(_paired(spec)):
        log = name in spec.logs
        if spec.error_kind in BOUNDS:
            low, high = _bounds(table, columns, coded, log)
            middle = low / 2 + high / 2
            if spec.error_kind == "interval":
                bounds[0][:, j], bounds[1][:, j] = low, high
                width = (high - low) / np.sqrt(12.0)
            else:
                width = (high - low) / (2 * QUANTILE_OF[spec.error_kind])
                if name in table:
                    middle = _inside(table, name, columns, (low, high), coded, log)
            value[:, j], below[:, j], above[:, j] = middle, width, width
            continue
        with_errors = _with_sides if spec.error_kind == "plusminus" else _with_error
        found = with_errors(table, name, columns, spec, coded)
        value[:, j], below[:, j], above[:, j] = found
    if spec.error_kind == "interval":
        return Measured(value, below, above, bounds)
    return Measured(value, below, above)


def _paired(spec: TableSpec) -> Iterable[tuple[str, tuple[str, ...]]]:
    assert spec.error_columns is not None
    return zip(spec.values, spec.error_columns, strict=True)


def finite(table: Table, name: str, coded: Coded) -> Array:
    """Return a column of numbers that may be missing but not infinite."""
    column = table.numbers(name, coded)
    why = "is infinite; leave it empty if it is not known"
    refuse(np.isinf(column), column, name, coded, why)
    return column


def logarithm(column: Array, name: str, coded: Coded, what: str = "") -> Array:
    """Decimal logarithm of a column, all of which must be above 0."""
    why = (
        f"{what}has no logarithm: it is not above 0. Leave the column out of log=, or "
        "such rows out of the table; if it stands for a missing value, empty the cell"
    )
    refuse(column <= 0, column, name, coded, why)
    return np.log10(column)


def finite_or_log(table: Table, name: str, spec: TableSpec, coded: Coded) -> Array:
    """Return a column of numbers, or their logarithms."""
    column = finite(table, name, coded)
    return logarithm(column, name, coded) if name in spec.logs else column


def _with_error(
    table: Table, name: str, columns: tuple[str, ...], spec: TableSpec, coded: Coded
) -> tuple[Array, Array, Array]:
    """Values of a kind with one error column, and their standard deviations twice."""
    value, error = (finite(table, column, coded) for column in (name, *columns))
    empty = "leave it empty if it is not known, 0 means exactly known"
    if spec.error_kind == "ivar":
        empty = "0 means that nothing is known about the value"
    refuse(error < 0, error, columns[0], coded, f"is negative; {empty}")
    if spec.error_kind == "ivar":
        # No information, in astronomers' catalogues: what stands in the value column
        # is a filler.
        none = error == 0
        value, error = np.where(none, np.nan, value), np.where(none, np.nan, error)
    std = DEVIATION_OF[spec.error_kind](error)
    if spec.error_kind == "rel%":
        std = std * np.abs(value)
    if name in spec.logs:
        logs = logarithm(value, name, coded)
        std = std / (value * np.log(10.0))
        value = logs
    return value, std, std


def _with_sides(
    table: Table, name: str, columns: tuple[str, ...], spec: TableSpec, coded: Coded
) -> tuple[Array, Array, Array]:
    """Values with errors downwards and upwards, the columns being upper and lower."""
    value, above, below = (finite(table, column, coded) for column in (name, *columns))
    why = (
        "is negative, but the first of the two columns is the error upwards; are the "
        "two swapped"
    )
    refuse(above < 0, above, columns[0], coded, why)
    # Catalogues write the lower error as -0.1 or as 0.1, but not both.
    signs = np.sign(np.nan_to_num(below))
    first = signs[np.argmax(signs != 0)] if len(signs) else 0.0
    why = "has another sign than the lower errors above it; which is meant"
    refuse(signs * first < 0, below, columns[1], coded, why)
    below = np.abs(below)
    if name in spec.logs:
        logs = logarithm(value, name, coded)
        low = logarithm(value - below, name, coded, f"(less {columns[1]!r}) ")
        value, below, above = logs, logs - low, np.log10(value + above) - logs
    return value, below, above


def _bounds(
    table: Table, pair: tuple[str, ...], coded: Coded, log: bool
) -> tuple[Array, Array]:
    low, high = (finite(table, column, coded) for column in pair)
    wrong: Mask = np.asarray(low > high)
    if wrong.any():
        # Both numbers are needed to tell a swap from a slip.
        upper = high[int(wrong.argmax())]
        why = f"is above the {upper} in {pair[1]!r}; swap the two if they are swapped"
        refuse(wrong, low, pair[0], coded, why)
    if log:
        low, high = logarithm(low, pair[0], coded), logarithm(high, pair[1], coded)
    return low, high


def _inside(
    table: Table,
    name: str,
    pair: tuple[str, ...],
    ends: tuple[Array, Array],
    coded: Coded,
    log: bool,
) -> Array:
    """Values of a column that lie between the ends of their intervals."""
    column = finite(table, name, coded)
    value = logarithm(column, name, coded) if log else column
    why = (
        f"lies outside the bounds in {pair[0]!r} and {pair[1]!r}; are these "
        "distances from the value? Then they are kind='plusminus', upper first"
    )
    refuse((value < ends[0]) | (value > ends[1]), column, name, coded, why)
    return value


def refuse(bad: Mask, column: Array, name: str, coded: Coded, why: str) -> None:
    """Raise if any row is `bad`, naming the first of them."""
    if bad.any():
        row = int(bad.argmax())
        more = f" ({bad.sum()} such rows in all)" if bad.sum() > 1 else ""
        where = f"column {name!r}, {in_row(row, coded)}"
        msg = f"{where}: {column[row]} {why}{more}."
        raise DataError(msg)
