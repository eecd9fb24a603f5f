"""Wide form: values with errors of any kind, and their missing values."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from incerta.data.container import UncertainData
from incerta.data.laws import (
    Gaussian,
    Independent,
    Law,
    SplitNormal,
    Stacked,
    Values,
)
from incerta.data.tables.columns import Rows, in_row
from incerta.data.tables.gaps import (
    conditional,
    dropped,
    fit_gaussian,
    listed_gaps,
    missing_message,
)
from incerta.data.tables.spec import BOUNDS, TableSpec, about_forms
from incerta.exceptions import DataError, IncertaWarning, MissingValueError
from incerta.typing import Array, Ids, Indices, Mask
from incerta.wording import counted, given, verb

QUANTILE_84 = float(ndtri(0.84))  # 0.994458, of a 68% confidence interval
QUANTILE_95 = float(ndtri(0.95))  # 1.644854, of a 90% margin of error
QUANTILE_975 = float(ndtri(0.975))  # 1.959964, of a 95% margin of error or interval

TIMES = {  # standard deviations in an error
    "sd": 1.0,
    "se": 1.0,
    "2sigma": 2.0,
    "3sigma": 3.0,
    "moe90": QUANTILE_95,
    "moe95": QUANTILE_975,
    "rel%": 100.0,  # relative to the size of the value
}
Change = Callable[[Array], Array]


DEVIATION_OF: dict[str, Change] = {
    "var": np.sqrt,
    "ivar": lambda error: 1.0 / np.sqrt(error),
}
ERROR_OF: dict[str, Change] = {
    "var": np.square,
    "ivar": lambda deviation: 1.0 / np.square(deviation),
    **{kind: partial(np.multiply, times) for kind, times in TIMES.items()},
}
# Eigenvalues may be this far below 0: catalogs give about 6 digits.
ROUNDING = 1e-5
QUANTILE_OF = {"ci68": QUANTILE_84, "ci95": QUANTILE_975}


@dataclass(frozen=True, kw_only=True)
class Measured:
    """Values with their errors, one row per object; NaN if missing."""

    value: Array  # (n_objects, n_features)
    # Standard deviations, or widths below and above the value: (n_objects, n_features)
    below: Array
    above: Array
    bounds: tuple[Array, Array] | None = None  # of intervals
    correlation: Array | None = None  # (n_objects, n_features, n_features)

    def take(self, rows: Indices) -> "Measured":
        """Return the values of these objects."""
        return Measured(
            value=self.value[rows],
            below=self.below[rows],
            above=self.above[rows],
            bounds=self.bounds and (self.bounds[0][rows], self.bounds[1][rows]),
            correlation=None if self.correlation is None else self.correlation[rows],
        )

    def gaps(self) -> "_Gaps":
        """Masks of missing values and errors."""
        unknown = np.isnan(self.value)
        unsure = (np.isnan(self.below) | np.isnan(self.above)) & ~unknown
        rows: Mask = np.asarray((unknown | unsure).any(axis=1))
        if self.correlation is not None:
            rows |= np.isnan(self.correlation).any(axis=(1, 2))
        return _Gaps(unknown, unsure, rows)


class _Gaps(NamedTuple):
    unknown: Mask  # (n_objects, n_features): values
    unsure: Mask  # likewise: errors of known values
    rows: Mask  # (n_objects,): any of these


def wide_form(rows: Rows) -> UncertainData:
    """Make Gaussians, split normals or intervals from values with error columns."""
    spec, coded, ids = rows.spec, rows.coded, rows.coded.ids
    rows.refuse_repeated(about_forms())
    rule = spec.missing_rule
    cells = _with_correlations(_measured(rows), rows)
    gaps = cells.gaps()
    if rule == "error" and gaps.rows.any():
        raise MissingValueError(_missing_cells(gaps, rows))
    if rule == "infinite" and cells.bounds is not None and gaps.rows.any():
        msg = (
            f"{given(missing='infinite')} needs errors; an interval with a missing "
            f"bound has none. Pass {given(missing='drop')} or "
            f"{given(missing='impute')}."
        )
        raise MissingValueError(msg)
    if rule == "impute" and spec.corr is not None and gaps.unknown.any():
        msg = (
            f"{given(missing='impute')} cannot be used with {given(corr=spec.corr)}; "
            f"pass {given(missing='infinite')} or {given(missing='drop')}."
        )
        raise MissingValueError(msg)
    if rule == "drop":
        kept = dropped(gaps.rows, coded)
        cells, ids = cells.take(kept), ids[kept]
        gaps = cells.gaps()
    if spec.missing is None and gaps.unknown.any():
        n, n_objects = int(gaps.unknown.sum()), int(gaps.unknown.any(axis=1).sum())
        msg = (
            f"{counted(n, 'value')} of {counted(n_objects, 'object')} "
            f"{verb(n, 'is', 'are')} missing "
            f"({listed_gaps(spec.values, [*gaps.unknown.T], coded)}) and "
            f"{verb(n, 'has', 'have')} an infinite error, which says nothing about the "
            f"object. Other ways are {given(missing='drop')}, "
            f"{given(missing='impute')} and {given(missing='error')}."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=3)
    cells = _usual_errors(cells, gaps.unsure, spec)
    if cells.correlation is not None and np.isnan(cells.correlation).any():
        lacking = np.isnan(cells.correlation)
        n, n_objects = int(lacking.sum()) // 2, int(lacking.any(axis=(1, 2)).sum())
        msg = (
            f"{counted(n, 'missing correlation')} of {counted(n_objects, 'object')} "
            f"{verb(n, 'was', 'were')} taken to be 0."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=3)
        cells = replace(cells, correlation=np.nan_to_num(cells.correlation))
    law = _law_of(cells, gaps.unknown)
    if rule == "impute" and gaps.unknown.any():
        law = _with_imputed(law.mean(), law.variance(), law.take, spec.features)
    meaning = "error" if cells.bounds is None else "belief"
    return UncertainData(law, ids, spec.features, meaning=meaning)


def _measured(rows: Rows) -> Measured:
    """Read values and error columns, and refuse impossible errors."""
    spec = rows.spec
    assert spec.error_columns is not None
    shape = (len(rows.table), len(spec.values))
    value, below, above = np.empty(shape), np.empty(shape), np.empty(shape)
    bounds = np.empty(shape), np.empty(shape)
    for j, (name, columns) in enumerate(
        zip(spec.values, spec.error_columns, strict=True)
    ):
        if spec.error_kind in BOUNDS:
            low, high = _bounds(rows, name, columns)
            middle = low / 2 + high / 2
            if spec.error_kind == "interval":
                bounds[0][:, j], bounds[1][:, j] = low, high
                width = (high - low) / np.sqrt(12.0)
            else:
                width = (high - low) / (2 * QUANTILE_OF[spec.error_kind])
                if name in rows.table:
                    middle = _inside(rows, name, columns, low, high)
            cells = middle, width, width
        elif spec.error_kind == "plusminus":
            cells = _with_sides(rows, name, columns)
        else:
            cells = _with_error(rows, name, columns[0])
        value[:, j], below[:, j], above[:, j] = cells
    ends = bounds if spec.error_kind == "interval" else None
    return Measured(value=value, below=below, above=above, bounds=ends)


def _with_error(rows: Rows, name: str, column: str) -> tuple[Array, Array, Array]:
    """Return values with one error column, and their standard deviations twice."""
    kind = rows.spec.error_kind
    value, error = rows.finite(name), rows.finite(column)
    empty = "leave it empty if it is not known, 0 means exactly known"
    if kind == "ivar":
        empty = "0 means that nothing is known about the value"
    rows.refuse(error < 0, error, column, f"is negative; {empty}")
    if kind == "ivar":
        # In astronomers' catalogs it means no information, and the value is a filler.
        none = error == 0
        value, error = np.where(none, np.nan, value), np.where(none, np.nan, error)
    std = error / TIMES[kind] if kind in TIMES else DEVIATION_OF[kind](error)
    if kind == "rel%":
        std = std * np.abs(value)
    if name in rows.spec.logs:
        logs = rows.logarithm(value, name)
        std = std / (value * np.log(10.0))
        value = logs
    return value, std, std


def _with_sides(
    rows: Rows, name: str, columns: tuple[str, ...]
) -> tuple[Array, Array, Array]:
    """Return values with errors downwards and upwards; columns are upper and lower."""
    value, above, below = (rows.finite(column) for column in (name, *columns))
    why = (
        "is negative, but the first of the two columns is the error upwards; are the "
        "two swapped"
    )
    rows.refuse(above < 0, above, columns[0], why)
    # A catalog writes lower errors as -0.1 or as 0.1, but does not mix them.
    signs = np.sign(np.nan_to_num(below))
    first = signs[np.argmax(signs != 0)] if len(signs) else 0.0
    why = "has another sign than the lower errors above it; which is meant"
    rows.refuse(signs * first < 0, below, columns[1], why)
    below = np.abs(below)
    if name in rows.spec.logs:
        logs = rows.logarithm(value, name)
        low = rows.logarithm(value - below, name, f"(less {columns[1]!r}) ")
        value, below, above = logs, logs - low, np.log10(value + above) - logs
    return value, below, above


def _bounds(rows: Rows, name: str, pair: tuple[str, ...]) -> tuple[Array, Array]:
    low, high = (rows.finite(column) for column in pair)
    wrong: Mask = np.asarray(low > high)
    if wrong.any():
        # Show both numbers, to distinguish a swap from a typing error.
        upper = high[int(wrong.argmax())]
        why = f"is above the {upper} in {pair[1]!r}; swap the two if they are swapped"
        rows.refuse(wrong, low, pair[0], why)
    if name in rows.spec.logs:
        low, high = rows.logarithm(low, pair[0]), rows.logarithm(high, pair[1])
    return low, high


def _inside(
    rows: Rows, name: str, pair: tuple[str, ...], low: Array, high: Array
) -> Array:
    """Return values of a column that lie between the ends of their intervals."""
    column = rows.finite(name)
    value = rows.logarithm(column, name) if name in rows.spec.logs else column
    why = (
        f"lies outside the bounds in {pair[0]!r} and {pair[1]!r}; are these distances "
        f"from the value? Then they are {given(kind='plusminus')}, upper first"
    )
    rows.refuse((value < low) | (value > high), column, name, why)
    return value


def _with_correlations(cells: Measured, rows: Rows) -> Measured:
    """Add the correlations that have columns; other pairs have 0.

    NaN marks a missing correlation of two known values.
    """
    columns = rows.spec.correlations(rows.table.names)
    if not columns:
        return cells
    n, d = cells.value.shape
    matrices = np.zeros((n, d, d))
    matrices[:, range(d), range(d)] = 1.0
    known = ~np.isnan(cells.value)
    for (i, j), name in columns.items():
        column = rows.finite(name)
        why = "is not a correlation, which lies between -1 and 1"
        rows.refuse(np.abs(column) > 1.0, column, name, why)
        column = np.where(known[:, i] & known[:, j], column, 0.0)
        matrices[:, i, j] = matrices[:, j, i] = column
    lowest = np.linalg.eigvalsh(np.nan_to_num(matrices))[:, 0]
    bad = lowest < -ROUNDING
    if bad.any():
        row = int(bad.argmax())
        more = f" ({bad.sum()} such rows in all)" if bad.sum() > 1 else ""
        msg = (
            f"{given(corr=rows.spec.corr)}, {in_row(row, rows.coded)}: the "
            "correlations contradict each other: their matrix has the eigenvalue "
            f"{lowest[row]:.3g}{more}. Check these columns, or leave such rows out."
        )
        raise DataError(msg)
    return replace(cells, correlation=matrices)


def exact_with_gaps(table: Array, ids: Ids, names: tuple[str, ...]) -> UncertainData:
    """Make points from exact values, some of them missing."""

    def points(rows: Indices) -> Law:
        return Values(table[rows], np.arange(len(rows) + 1))

    law = _with_imputed(table, np.zeros_like(table), points, names)
    return UncertainData(law, ids, names)


def _missing_cells(gaps: _Gaps, rows: Rows) -> str:
    spec = rows.spec
    assert spec.error_columns is not None
    names, lacking = [], []
    for j, (name, pair) in enumerate(zip(spec.values, spec.error_columns, strict=True)):
        errors = "/".join(pair)
        names += [name if name in rows.table else errors, errors]
        lacking += [gaps.unknown[:, j], gaps.unsure[:, j]]
    if not any(gap.any() for gap in lacking):
        names, lacking = [str(spec.corr)], [gaps.rows]
    columns = [np.where(gap, np.nan, 0.0) for gap in lacking]
    note = " An ivar of 0 counts as missing." if spec.error_kind == "ivar" else ""
    return missing_message(names, columns, rows.coded, note)


def _usual_errors(cells: Measured, unsure: Mask, spec: TableSpec) -> Measured:
    """Replace missing errors by the root mean square of the column's known ones."""
    if not unsure.any():
        return cells
    assert spec.error_columns is not None
    one_empty = unsure.any(axis=0) & (
        np.isnan(cells.below).all(axis=0) | np.isnan(cells.above).all(axis=0)
    )
    if one_empty.any():
        j = int(one_empty.argmax())
        msg = (
            f"no error is known in {'/'.join(spec.error_columns[j])!r}, so the "
            "missing ones cannot be replaced; leave the column out, or fill it."
        )
        raise MissingValueError(msg)
    n, n_objects = int(unsure.sum()), int(unsure.any(axis=1).sum())
    msg = (
        f"{counted(n, 'missing error')} of {counted(n_objects, 'object')} "
        f"{verb(n, 'was', 'were')} replaced by the root mean square of the known "
        f"errors of {verb(n, 'its', 'their')} column."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=4)
    filled = []
    for width in (cells.below, cells.above):
        known = ~np.isnan(width)
        squares = np.where(known, width, 0.0) ** 2
        usual = np.sqrt(squares.sum(axis=0) / np.maximum(known.sum(axis=0), 1))
        filled.append(np.where(~known & unsure, usual, width))
    return replace(cells, below=filled[0], above=filled[1])


def _law_of(cells: Measured, unknown: Mask) -> Law:
    if cells.bounds is not None:
        low, high = cells.bounds
        return Independent("uniform", low, high - low)
    below, above = (np.where(unknown, np.inf, w) for w in (cells.below, cells.above))
    if cells.correlation is not None:
        std = np.where(unknown, 0.0, below)
        cov = cells.correlation * std[:, :, None] * std[:, None]
        return Gaussian.with_covariance(cells.value, cov)
    if np.array_equal(below, above):
        return Independent("gaussian", cells.value, below)
    return SplitNormal(cells.value, below, above)


def _with_imputed(
    mean: Array,
    variance: Array,
    complete_law: Callable[[Indices], Law],
    names: tuple[str, ...],
) -> Law:
    """Keep the law of complete objects, and give the others a correlated Gaussian."""
    unknown = np.isnan(mean)
    few = (~unknown).sum(axis=0) < 2
    if few.any():
        j = int(few.argmax())
        n = int((~unknown[:, j]).sum())
        msg = (
            f"column {names[j]!r} has {counted(n, 'known value')}; to impute the "
            "others at least 2 are needed. Leave the column out."
        )
        raise MissingValueError(msg)
    gaps: Mask = np.asarray(unknown.any(axis=1))
    rows = np.flatnonzero(gaps)
    population = fit_gaussian(mean, variance)
    imputed = Gaussian.with_covariance(
        *conditional(mean[rows], variance[rows], population)
    )
    empty, n = int(unknown.all(axis=1).sum()), int(unknown.sum())
    msg = (
        f"{counted(n, 'missing value')} of {counted(len(rows), 'object')} "
        f"{verb(n, 'was', 'were')} imputed from the Gaussian of all objects' values, "
        f"and made as uncertain as that leaves {verb(n, 'it', 'them')}."
    )
    if empty:
        of_these = f"{empty:,} of these objects {verb(empty, 'has', 'have')}"
        msg += f" {of_these} no known value at all."
    warnings.warn(msg, IncertaWarning, stacklevel=4)
    if gaps.all():
        return imputed
    row = np.where(gaps, np.cumsum(gaps), np.cumsum(~gaps)) - 1
    complete = complete_law(np.flatnonzero(~gaps))
    return Stacked((complete, imputed), gaps.astype(np.intp), row)
