"""One row per object: values with errors, and what is missing filled in."""

import warnings
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from incerta.data.container import UncertainData
from incerta.data.grouping import Coded
from incerta.data.laws import (
    Gaussian,
    Independent,
    Law,
    SplitNormal,
    Stacked,
    Values,
)
from incerta.data.tables.columns import Table
from incerta.data.tables.correlations import (
    missing_correlations,
    with_correlations,
    without_gaps,
)
from incerta.data.tables.errors import Measured, measured
from incerta.data.tables.gaps import dropped, listed_gaps, missing_message
from incerta.data.tables.impute import conditional, fit_gaussian
from incerta.data.tables.spec import LONG_FORM, TableSpec
from incerta.exceptions import DataError, IncertaWarning, MissingValueError
from incerta.typing import Array, Ids, Indices, Mask
from incerta.wording import counted, verb


def wide_form(table: Table, spec: TableSpec, coded: Coded) -> UncertainData:
    """Make Gaussians, split normals or intervals from values with error columns."""
    refuse_repeated(coded, spec, LONG_FORM)
    rule = spec.missing_rule
    cells = with_correlations(measured(table, spec, coded), table, spec, coded)
    gaps = _gaps(cells)
    ids = coded.ids
    if rule == "error" and gaps.rows.any():
        raise MissingValueError(_missing_cells(gaps, table, spec, coded))
    if rule == "infinite" and cells.bounds is not None and gaps.rows.any():
        msg = (
            "missing='infinite' needs errors; an interval with a missing bound has "
            "none. Pass missing='drop' or missing='impute'."
        )
        raise MissingValueError(msg)
    if rule == "impute" and spec.corr is not None and gaps.unknown.any():
        msg = (
            f"missing='impute' cannot be used with corr={spec.corr!r}; pass "
            "missing='infinite' or missing='drop'."
        )
        raise MissingValueError(msg)
    if rule == "drop":
        kept = dropped(gaps.rows, coded)
        cells, ids, gaps = cells.take(kept), ids[kept], _gaps(cells.take(kept))
    if spec.missing is None and gaps.unknown.any():
        _warn_of_infinite(gaps.unknown, spec, coded)
    cells = without_gaps(_usual_errors(cells, gaps.unsure, spec))
    law = _law_of(cells, gaps.unknown)
    if rule == "impute" and gaps.unknown.any():
        law = _with_imputed(law.mean(), law.variance(), law.take, spec.features)
    meaning = "error" if cells.bounds is None else "belief"
    return UncertainData(law, ids, spec.features, meaning=meaning)


class _Gaps(NamedTuple):
    """What is missing."""

    unknown: Mask  # (n_objects, n_features): values
    unsure: Mask  # likewise: errors of known values
    rows: Mask  # (n_objects,): anything at all


def _gaps(cells: Measured) -> _Gaps:
    unknown = np.isnan(cells.value)
    unsure = (np.isnan(cells.below) | np.isnan(cells.above)) & ~unknown
    rows = (unknown | unsure).any(axis=1) | missing_correlations(cells)
    return _Gaps(unknown, unsure, rows)


def _warn_of_infinite(unknown: Mask, spec: TableSpec, coded: Coded) -> None:
    n, n_objects = int(unknown.sum()), int(unknown.any(axis=1).sum())
    msg = (
        f"{counted(n, 'value')} of {counted(n_objects, 'object')} "
        f"{verb(n, 'is', 'are')} missing "
        f"({listed_gaps(spec.values, [*unknown.T], coded)}) and "
        f"{verb(n, 'has', 'have')} an infinite error, which says nothing about the "
        "object. Other ways are missing='drop', missing='impute' and missing='error'."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=4)


def exact_with_gaps(table: Array, ids: Ids, names: tuple[str, ...]) -> UncertainData:
    """Make points from values without error, some of them missing."""

    def points(rows: Indices) -> Law:
        return Values(table[rows], np.arange(len(rows) + 1))

    law = _with_imputed(table, np.zeros_like(table), points, names)
    return UncertainData(law, ids, names)


def refuse_repeated(coded: Coded, spec: TableSpec, way_out: str) -> None:
    """Check that every object has a single row."""
    if len(coded.ids) < len(coded.codes):
        counts = np.bincount(coded.codes)
        worst = int((counts > 1).argmax())
        msg = (
            f"id={spec.id!r}: object {coded.ids[worst]!s} has {counts[worst]} rows. "
            + way_out
        )
        raise DataError(msg)


def _missing_cells(gaps: _Gaps, table: Table, spec: TableSpec, coded: Coded) -> str:
    assert spec.error_columns is not None
    names, lacking = [], []
    for j, (name, pair) in enumerate(zip(spec.values, spec.error_columns, strict=True)):
        errors = "/".join(pair)
        names += [name if name in table else errors, errors]
        lacking += [gaps.unknown[:, j], gaps.unsure[:, j]]
    if not any(gap.any() for gap in lacking):
        names, lacking = [str(spec.corr)], [gaps.rows]
    columns = [np.where(gap, np.nan, 0.0) for gap in lacking]
    note = " An ivar of 0 counts as missing." if spec.error_kind == "ivar" else ""
    return missing_message(names, columns, coded, note)


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
    below, above = (
        np.where(np.isnan(width) & unsure, _root_mean_square(width), width)
        for width in (cells.below, cells.above)
    )
    return cells._replace(below=below, above=above)


def _root_mean_square(width: Array) -> Array:
    known = ~np.isnan(width)
    squares = np.where(known, width, 0.0) ** 2
    return np.sqrt(squares.sum(axis=0) / np.maximum(known.sum(axis=0), 1))


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
    """Keep the law of complete objects; give the others a correlated Gaussian."""
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
