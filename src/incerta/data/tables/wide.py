"""One row per object: values with errors, and what is missing filled in."""

import warnings
from collections.abc import Callable

import numpy as np

from incerta.data.container import UncertainData
from incerta.data.grouping import Coded
from incerta.data.laws import Gaussian, Independent, Law, Stacked, Values
from incerta.data.tables.columns import Table
from incerta.data.tables.errors import Measured, measured
from incerta.data.tables.gaps import missing_message
from incerta.data.tables.impute import conditional, fit_gaussian
from incerta.data.tables.roles import LONG_FORM, Missing, Roles
from incerta.exceptions import DataError, IncertaWarning, MissingValueError
from incerta.typing import Array, Ids, Indices, Mask
from incerta.wording import counted, verb


def wide_form(
    table: Table, roles: Roles, coded: Coded, missing: Missing
) -> UncertainData:
    """Make Gaussians or intervals from values with error columns."""
    refuse_repeated(coded, roles, LONG_FORM)
    cells = measured(table, roles, coded)
    unknown = np.isnan(cells.mean)
    unsure = np.isnan(cells.std) & ~unknown
    if missing == "error" and (unknown.any() or unsure.any()):
        raise MissingValueError(_missing_cells(unknown, unsure, table, roles, coded))
    if unsure.any():
        cells = cells._replace(std=_usual_errors(cells.std, unsure, roles))
    if missing == "keep":
        if cells.bounds is not None:
            msg = "missing='keep' needs errors; bounds cannot be missing."
            raise MissingValueError(msg)
        std = np.where(unknown, np.inf, cells.std)
        law: Law = Independent("gaussian", cells.mean, std)
        return UncertainData(law, coded.ids, roles.values, meaning="error")
    law = _law_of(cells)
    if unknown.any():
        law = _with_imputed(cells.mean, cells.std**2, law.take, roles.values)
    meaning = "error" if cells.bounds is None else "belief"
    return UncertainData(law, coded.ids, roles.values, meaning=meaning)


def exact_with_gaps(table: Array, ids: Ids, names: tuple[str, ...]) -> UncertainData:
    """Make points from values without error, some of them missing."""

    def points(rows: Indices) -> Law:
        return Values(table[rows], np.arange(len(rows) + 1))

    law = _with_imputed(table, np.zeros_like(table), points, names)
    return UncertainData(law, ids, names)


def refuse_repeated(coded: Coded, roles: Roles, way_out: str) -> None:
    """Check that every object has a single row."""
    if len(coded.ids) < len(coded.codes):
        counts = np.bincount(coded.codes)
        worst = int((counts > 1).argmax())
        msg = (
            f"id={roles.id!r}: object {coded.ids[worst]!s} has {counts[worst]} rows. "
            + way_out
        )
        raise DataError(msg)


def _missing_cells(
    unknown: Mask, unsure: Mask, table: Table, roles: Roles, coded: Coded
) -> str:
    assert roles.errors is not None
    names, gaps = [], []
    for j, (name, pair) in enumerate(zip(roles.values, roles.errors, strict=True)):
        errors = "/".join(pair)
        names += [name if name in table.names else errors, errors]
        gaps += [unknown[:, j], unsure[:, j]]
    columns = [np.where(gap, np.nan, 0.0) for gap in gaps]
    note = " An ivar of 0 counts as missing." if roles.kind == "ivar" else ""
    return missing_message(names, columns, coded, note)


def _usual_errors(std: Array, unsure: Mask, roles: Roles) -> Array:
    """Replace missing errors by the root mean square of the column's known ones."""
    assert roles.errors is not None
    known = ~np.isnan(std)
    empty = unsure.any(axis=0) & ~known.any(axis=0)
    if empty.any():
        j = int(empty.argmax())
        msg = (
            f"no error is known in {'/'.join(roles.errors[j])!r}, so the missing ones "
            "cannot be replaced; leave the column out, or fill it."
        )
        raise MissingValueError(msg)
    n, n_objects = int(unsure.sum()), int(unsure.any(axis=1).sum())
    squares = np.where(known, std, 0.0) ** 2
    mean_square = squares.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    msg = (
        f"{counted(n, 'missing error')} of {counted(n_objects, 'object')} "
        f"{verb(n, 'was', 'were')} replaced by the root mean square of the known "
        f"errors of {verb(n, 'its', 'their')} column."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=4)
    return np.where(unsure, np.sqrt(mean_square), std)


def _law_of(cells: Measured) -> Law:
    if cells.bounds is None:
        return Independent("gaussian", cells.mean, cells.std)
    low, high = cells.bounds
    return Independent("uniform", low, high - low)


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
