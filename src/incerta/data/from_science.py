"""Numbers of the packages uncertainties and astropy, with their errors."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from incerta.data.checks import as_floats
from incerta.data.construct import from_array, from_gaussian, from_worlds
from incerta.data.container import UncertainData
from incerta.data.tables.columns import Rows
from incerta.exceptions import DataError, IncertaWarning
from incerta.typing import ArrayLike
from incerta.wording import given

ONE_ROW_EACH = "Columns that carry their errors hold one row per object."


def from_uncertainties(
    array: ArrayLike,
    *,
    ids: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
) -> UncertainData:
    """Make Gaussian data from numbers of the package uncertainties.

    Parameters
    ----------
    array : array-like of shape (n_objects, n_features)
        Numbers with errors (``ufloat``, ``unumpy.uarray``, and results of
        computations); plain numbers are exact.
    ids, feature_names : array-like, optional
        Names of the objects, 0, 1, ... by default, and of the features, x0, x1, ....

    Notes
    -----
    Correlations between the features of an object are kept. Correlations between
    objects, due to a shared source of error, are dropped with a warning.

    Examples
    --------
    >>> import incerta as ic
    >>> from uncertainties import ufloat
    >>> a, b = ufloat(1.0, 0.3), ufloat(2.0, 0.4)
    >>> ic.from_uncertainties([[a, a + b]]).covariance()
    array([[[0.09, 0.09],
            [0.09, 0.25]]])
    """
    cells = np.asarray(array, dtype=np.object_)
    cells = cells.reshape(-1, 1) if cells.ndim == 1 else cells
    if cells.ndim != 2 or cells.size == 0:
        msg = (
            f"array has shape {cells.shape}; it must be (n_objects, n_features), with "
            "at least one of each."
        )
        raise DataError(msg)
    n, d = cells.shape
    flat = cells.ravel()
    mean = as_floats([getattr(cell, "nominal_value", cell) for cell in flat], "array")
    sources = _error_sources(flat)
    _warn_of_shared_sources(sources, d)
    per_feature = [sources[j::d] for j in range(d)]
    cov = np.zeros((n, d, d))
    for i in range(d):
        for j in range(i, d):
            cov[:, i, j] = (per_feature[i] * per_feature[j]).sum(axis=1)
            cov[:, j, i] = cov[:, i, j]
    variance = np.einsum("nii->ni", cov)
    independent = np.count_nonzero(cov) == np.count_nonzero(variance)
    return from_gaussian(
        mean.reshape(n, d),
        std=np.sqrt(variance) if independent else None,
        cov=None if independent else cov,
        ids=ids,
        feature_names=feature_names,
    )


def _error_sources(cells: Any) -> Any:
    """Return a sparse matrix: what each independent error adds to each cell."""
    numbers: dict[Any, int] = {}
    rows, columns, parts = [], [], []
    for row, cell in enumerate(cells):
        for variable, slope in getattr(cell, "derivatives", {}).items():
            rows.append(row)
            columns.append(numbers.setdefault(variable, len(numbers)))
            parts.append(slope * variable.std_dev)
    shape = (len(cells), max(len(numbers), 1))
    return csr_array((np.array(parts, np.float64), (rows, columns)), shape=shape)


def _warn_of_shared_sources(sources: Any, n_features: int) -> None:
    entries = sources.tocoo()
    real = entries.data != 0
    pairs = np.unique(
        np.stack([entries.col[real], entries.row[real] // n_features]), axis=1
    )
    _, users = np.unique(pairs[0], return_counts=True)
    if (users > 1).any():
        msg = (
            f"{(users > 1).sum()} sources of error are shared by several objects. The "
            "correlation between objects they cause is not kept; joint draws passed "
            "through from_worlds would keep it."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=3)


def from_distribution_array(
    dist: Any,
    *,
    joint: bool = False,
    ids: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
) -> UncertainData:
    """Make data from an astropy Distribution.

    Parameters
    ----------
    dist : astropy.uncertainty.Distribution of shape (n_objects, n_features)
        Or (n_objects,) for a single feature. Units are dropped.
    joint : bool, default=False
        Whether draw j belongs together across objects, as in `from_worlds`. It always
        belongs together across the features of an object.
    ids, feature_names : array-like, optional
        Names of the objects, 0, 1, ... by default, and of the features, x0, x1, ....

    Examples
    --------
    >>> import numpy as np
    >>> from astropy.uncertainty import Distribution
    >>> from incerta.data import from_distribution_array
    >>> from_distribution_array(Distribution(np.array([[1.0, 3.0]]))).mean()
    array([[2.]])
    """
    draws = dist.distribution
    draws = as_floats(getattr(draws, "value", draws), "dist")
    if draws.ndim == 2:
        draws = draws[:, None, :]
    if draws.ndim != 3:
        msg = (
            f"dist has shape {draws.shape[:-1]}; it must be (n_objects, n_features), "
            "or (n_objects,) for a single feature."
        )
        raise DataError(msg)
    if joint:
        worlds = np.moveaxis(draws, -1, 0)
        return from_worlds(worlds, ids=ids, feature_names=feature_names)
    return from_array(np.swapaxes(draws, 1, 2), ids=ids, feature_names=feature_names)


def from_uncertain_columns(rows: Rows) -> UncertainData:
    """Make data from columns of ufloats or of astropy Distributions."""
    spec, ids = rows.spec, rows.coded.ids
    rows.refuse_repeated(ONE_ROW_EACH)
    others = {"weight": spec.weight, "sample": spec.sample, "log": sorted(spec.logs)}
    for role, value in others.items():
        if value:
            msg = f"{given(**{role: value})} cannot be used here. {ONE_ROW_EACH}"
            raise DataError(msg)
    columns = [rows.table[name] for name in spec.values]
    draws: list[Any] = [getattr(column, "distribution", None) for column in columns]
    if all(draw is None for draw in draws):
        cells = np.column_stack([np.asarray(column, object) for column in columns])
        return from_uncertainties(cells, ids=ids, feature_names=spec.values)
    sizes = {None if draw is None else draw.shape for draw in draws}
    if len(sizes) > 1:
        msg = (
            f"the columns {list(spec.values)} must all be Distributions with the "
            "same number of draws."
        )
        raise DataError(msg)
    cube = np.stack([getattr(d, "value", d) for d in draws], axis=-1)
    return from_array(cube, ids=ids, feature_names=spec.values)
