"""Columns with the correlations of errors, as astronomers' catalogues have them."""

import warnings

import numpy as np

from incerta.data.grouping import Coded
from incerta.data.tables.columns import Table, in_row
from incerta.data.tables.errors import Measured, finite, refuse
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import DataError, IncertaWarning
from incerta.typing import Mask
from incerta.wording import counted, verb

# Below 0 by so much an eigenvalue may be: numbers of catalogues have 6 digits or so.
ROUNDING = 1e-5


def with_correlations(
    cells: Measured, table: Table, spec: TableSpec, coded: Coded
) -> Measured:
    """Add the correlations that have columns; those of other pairs are 0.

    NaN is a correlation that is missing though both values are known.
    """
    columns = spec.correlations(table.names)
    if not columns:
        return cells
    n, d = cells.value.shape
    matrices = np.zeros((n, d, d))
    matrices[:, range(d), range(d)] = 1.0
    known = ~np.isnan(cells.value)
    for (i, j), name in columns.items():
        column = finite(table, name, coded)
        why = "is no correlation: these lie between -1 and 1"
        refuse(np.abs(column) > 1.0, column, name, coded, why)
        column = np.where(known[:, i] & known[:, j], column, 0.0)
        matrices[:, i, j] = matrices[:, j, i] = column
    lowest = np.linalg.eigvalsh(np.nan_to_num(matrices))[:, 0]
    bad = lowest < -ROUNDING
    if bad.any():
        row = int(bad.argmax())
        more = f" ({bad.sum()} such rows in all)" if bad.sum() > 1 else ""
        msg = (
            f"corr={spec.corr!r}, {in_row(row, coded)}: the correlations contradict "
            f"each other: their matrix has the eigenvalue {lowest[row]:.3g}{more}. "
            "Check these columns, or leave such rows out."
        )
        raise DataError(msg)
    return cells._replace(correlation=matrices)


def missing_correlations(cells: Measured) -> Mask:
    """Which objects lack a correlation."""
    if cells.correlation is None:
        return np.zeros(len(cells.value), dtype=np.bool_)
    return np.asarray(np.isnan(cells.correlation).any(axis=(1, 2)))


def without_gaps(cells: Measured) -> Measured:
    """Take missing correlations to be 0, and say so."""
    lacking = missing_correlations(cells)
    if cells.correlation is None or not lacking.any():
        return cells
    n = int(np.isnan(cells.correlation).sum()) // 2
    msg = (
        f"{counted(n, 'missing correlation')} of "
        f"{counted(int(lacking.sum()), 'object')} {verb(n, 'was', 'were')} taken to "
        "be 0."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=5)
    return cells._replace(correlation=np.nan_to_num(cells.correlation))
