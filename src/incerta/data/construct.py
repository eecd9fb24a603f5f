"""The constructors that take arrays."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from incerta.backend.keyed import GOLDEN, mixed
from incerta.data.checks import (
    HOW_TO_TELL,
    as_covariances,
    as_cube,
    as_deviations,
    as_feature_names,
    as_finite,
    as_floats,
    as_ids,
    as_labels,
    as_matrix,
    as_projection,
    as_weights,
)
from incerta.data.container import UncertainData, order_of_names
from incerta.data.grouping import Groups, encode, group_codes
from incerta.data.laws import Gaussian, Independent, Joint, Law, Values, diagonal
from incerta.data.projections import Projected, sizes_of_columns, total_covariance
from incerta.exceptions import DataError
from incerta.typing import Array, ArrayLike, Indices, Mask


def from_samples(
    values: ArrayLike,
    objects: ArrayLike,
    weights: ArrayLike | None = None,
    *,
    feature_names: Sequence[str] | None = None,
    meaning: str = "spread",
) -> UncertainData:
    """Make data from long form: row i is a possible value of ``objects[i]``.

    Use it for repeated measurements, replicates or posterior draws that were made
    for each object on its own. Objects may have any number of values, in any order.

    Parameters
    ----------
    values : array-like of shape (n_values, n_features) or (n_values,)
        Possible values of all objects.
    objects : array-like of shape (n_values,)
        Id of the object of each value. Objects keep the order of appearance.
    weights : array-like of shape (n_values,), optional
        Probability of each value relative to the other values of its object. Values
        with weight 0 are left out. By default all values are equally likely.
    feature_names : sequence of str, optional
        Names of the features; x0, x1, ... by default.
    meaning : {"error", "belief", "spread"}, default="spread"
        What the uncertainty means; see `UncertainData`.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_samples([[1.0], [2.0], [8.0]], objects=["a", "a", "b"])
    >>> data.mean().ravel()
    array([1.5, 8. ])
    """
    table = as_floats(values, "values")
    table = as_matrix(table.reshape(-1, 1) if table.ndim == 1 else table, "values")
    labels = as_labels(objects, "objects")
    if len(labels) != len(table):
        msg = (
            f"objects has {len(labels)} entries for {len(table)} values; each row of "
            "values needs the id of its object."
        )
        raise DataError(msg)
    likely = None if weights is None else as_weights(weights, len(table))
    groups = group_codes(encode(labels))
    if groups.order is not None:
        table = table[groups.order]
        likely = None if likely is None else likely[groups.order]
    names = as_feature_names(feature_names, table.shape[1])
    law = values_law(table, groups, likely, names)
    return _made(law, groups.ids, names, meaning)


def values_law(
    table: Array, groups: Groups, weights: Array | None, names: Sequence[str]
) -> Values:
    """Return the law of grouped values, without those of weight 0.

    The values of an object are put into a fixed order, so that the order of rows and
    columns in a table does not even change the rounding of sums.
    """
    starts = groups.starts
    if weights is not None:
        first = np.repeat(weights[starts[:-1]], np.diff(starts))
        if (weights == first).all() and (first > 0).all():
            weights = None  # equal weights within each object carry no information
    if len(table) > len(groups.ids):
        by_name = order_of_names(names)
        columns = table if by_name is None else table[:, by_name]
        order = _canonical(columns, starts, weights)
        table = table[order]
        weights = None if weights is None else weights[order]
    if weights is None:
        return Values(table, starts)
    # Only shares matter; scaling by powers of 2 avoids overflow without rounding.
    largest = np.frexp(np.maximum.reduceat(weights, starts[:-1]))[1]
    weights = np.ldexp(weights, np.repeat(-largest, np.diff(starts)))
    totals = np.add.reduceat(weights, starts[:-1])
    if not (totals > 0).all():
        empty = groups.ids[int((totals <= 0).argmax())]
        msg = (
            f"weights of object {empty!r} sum to 0: none of its values is possible. "
            "Leave the object out or give one of its values a weight."
        )
        raise DataError(msg)
    possible = weights > 0
    if not possible.all():
        counts = np.add.reduceat(possible, starts[:-1], dtype=np.intp)
        starts = np.concatenate([[0], np.cumsum(counts)])
        table, weights = table[possible], weights[possible]
    counts = np.diff(starts)
    shares = weights / np.repeat(totals, counts)
    if np.allclose(shares * np.repeat(counts, counts), 1.0, rtol=1e-12, atol=0):
        return Values(table, starts)
    return Values(table, starts, shares)


def _canonical(table: Array, starts: Indices, weights: Array | None) -> Indices:
    """Sort rows by object, and the rows of an object by a hash of their values."""
    content = np.zeros(len(table), dtype=np.uint64)
    for column in table.T if weights is None else (*table.T, weights):
        bits = (column + 0.0).view(np.uint64)  # no −0.0
        content = mixed(content * GOLDEN + bits)
    # Sorting one number is several times faster than sorting pairs. With a million
    # objects, 40 bits remain for the hash. Equal rows may be in any order.
    n_objects = len(starts) - 1
    left = np.uint64(64 - max(int(n_objects - 1).bit_length(), 1))
    objects = np.repeat(np.arange(n_objects, dtype=np.uint64), np.diff(starts))
    return np.argsort((objects << left) | (content >> (np.uint64(64) - left)))


def from_array(
    X: ArrayLike,
    *,
    ids: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    meaning: str = "spread",
) -> UncertainData:
    """Make data from equally likely values, (n_objects, n_values, n_features).

    Parameters
    ----------
    X : array-like of shape (n_objects, n_values, n_features)
        ``X[i]`` holds the possible values of object i. If ``X[:, j]`` belongs together
        across objects, use `from_worlds`.
    ids, feature_names : array-like, optional
        Names of the objects, 0, 1, ... by default, and of the features, x0, x1, ....
    meaning : {"error", "belief", "spread"}, default="spread"
        What the uncertainty means; see `UncertainData`.

    Examples
    --------
    >>> import incerta as ic
    >>> ic.from_array([[[0.0], [2.0]], [[5.0], [5.5]]]).mean().ravel()
    array([1.  , 5.25])
    """
    cube = as_cube(X, "X")
    n, s, d = cube.shape
    names = as_ids(ids, n, HOW_TO_TELL)
    law = Values(cube.reshape(n * s, d), np.arange(n + 1) * s)
    return _made(law, names, feature_names, meaning)


def from_gaussian(
    mean: ArrayLike,
    std: ArrayLike | None = None,
    cov: ArrayLike | None = None,
    *,
    ids: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    meaning: str = "error",
    missing: str = "error",
    projection: ArrayLike | None = None,
) -> UncertainData:
    """Make data from values with error bars, (n_objects, n_features).

    Each object is a Gaussian around its measured value.

    Parameters
    ----------
    mean : array-like of shape (n_objects, n_features)
        Measured values.
    std : array-like of shape (n_objects, n_features), optional
        Standard deviations, of a shape that broadcasts; a plain sequence is refused if
        there are as many objects as features. 0 means exactly known.
    cov : array-like of shape (n_objects, n_features, n_features), optional
        Covariance matrices, or one for all objects; they may be singular. Give either
        `std` or `cov`.
    ids, feature_names : array-like, optional
        Names of the objects, 0, 1, ... by default, and of the features, x0, x1, ....
    meaning : {"error", "belief", "spread"}, default="error"
        What the uncertainty means; see `UncertainData`.
    missing : {"error", "infinite"}, default="error"
        Treatment of values that are NaN: raise an error, or keep them as values with an
        infinite error, for `ErrorMixture` and `Deconvolver`.
    projection : array-like of shape (n_objects, n_measurements, n_features), optional
        Combinations of features that were measured: ``mean[i]`` is ``projection[i] @
        x`` plus an error, where x holds the features. It may be one matrix of shape
        (n_measurements, n_features) for all objects. `mean`, `std` and `cov` are then
        those of the measurements, and `feature_names` belong to the features.

    Notes
    -----
    A feature that the measurements of an object do not determine is missing there: NaN
    in ``mean()``, and no worlds can be drawn. `cluster`, `AutoClusterer`,
    `ErrorMixture` and `Deconvolver` use all measurements. For other methods, pass the
    beliefs ``Deconvolver().fit_transform(data)``. A projection that only omits features
    is the same as missing values.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0, 1.0]], cov=[[[1.0, 0.8], [0.8, 1.0]]])
    >>> data.covariance()
    array([[[1. , 0.8],
            [0.8, 1. ]]])

    Of the first object the sum of two features was measured, of the second their
    difference:

    >>> seen = [[[1, 1]], [[1, -1]]]
    >>> sums = ic.from_gaussian([[3.0], [1.0]], std=0.1, projection=seen)
    >>> sums.n_features, sums.mean()
    (2, array([[nan, nan],
           [nan, nan]]))
    """
    if missing not in ("error", "infinite"):
        msg = f"missing={missing!r} must be 'error' or 'infinite'."
        raise DataError(msg)
    gaps = None
    if missing == "infinite":
        mean = as_floats(mean, "mean")
        gaps = np.isnan(mean)
        mean = np.where(gaps, 0.0, mean)
    center = as_matrix(mean, "mean")
    n, d = center.shape
    if (std is None) == (cov is None):
        given = "neither" if std is None else "both"
        msg = (
            f"give either std or cov, not {given}; objects without uncertainty are "
            "std=0."
        )
        raise DataError(msg)
    law: Law
    if cov is None:
        assert std is not None
        if n == d > 1 and np.ndim(std) == 1:
            msg = (
                f"std is a sequence of {n} numbers, and there are as many objects as "
                "features: it could belong to either. Give std=np.reshape(std, (-1, "
                "1)) for one per object, std=np.reshape(std, (1, -1)) for one per "
                "feature."
            )
            raise DataError(msg)
        if gaps is not None:
            std = np.where(gaps, 0.0, np.broadcast_to(as_floats(std, "std"), (n, d)))
        law = Independent("gaussian", center, as_deviations(std, (n, d)))
    else:
        law = Gaussian.with_covariance(center, as_covariances(cov, (n, d)))
    if gaps is not None and gaps.any():
        law = with_gaps(law, gaps)
    if projection is not None:
        law = _in_projection(law, as_projection(projection, (n, d)))
    return _made(law, as_ids(ids, n), feature_names, meaning)


def _in_projection(law: Law, matrix: Array) -> Law:
    """Return measurements of the linear combinations `matrix` (n, q, d) of features."""
    assert isinstance(law, Independent | Gaussian)
    gaps = np.isnan(law.mean()) | ~matrix.any(axis=2)
    values, matrix = np.where(gaps, 0.0, law.mean()), matrix * ~gaps[:, :, None]
    one = matrix != 0.0
    alone = (one.sum(axis=1) <= 1).all() and (one.sum(axis=2) <= 1).all()
    if alone and (matrix[one] == 1.0).all():  # features, in any order
        places = np.einsum("nqd,nq->nd", matrix, values)
        kept: Independent | Gaussian
        if isinstance(law, Independent):
            std = np.where(gaps, 0.0, law.scale)
            scale = np.einsum("nqd,nq->nd", matrix, std)
            kept = replace(law, loc=places, scale=scale)
        else:
            turned = np.swapaxes(matrix, 1, 2)
            kept = Gaussian.with_covariance(places, turned @ law.covariance() @ matrix)
        lost = ~one.any(axis=1)
        return with_gaps(kept, lost) if lost.any() else kept
    if isinstance(law, Independent):
        factor = diagonal(np.where(gaps, 0.0, law.scale))
    else:
        factor = law.factor * ~gaps[:, :, None]
    found = Projected(matrix, np.where(gaps, np.nan, values), factor)
    _refuse_repeated(found)
    return found


def _refuse_repeated(law: Projected) -> None:
    """Raise an error if exact measurements of an object are redundant."""
    matrix = law.matrix / sizes_of_columns(law.matrix)
    total = total_covariance(matrix @ np.swapaxes(matrix, 1, 2), law.errors)
    scale = np.sqrt(np.einsum("nii->ni", total))
    least = np.linalg.eigvalsh(total / scale[:, :, None] / scale[:, None])[:, 0]
    if (least < 1e-12).any():
        msg = (
            f"projection[{int(least.argmin())}] measures one thing twice without an "
            "error. Leave one of the rows out, or give the measurements errors by std= "
            "or cov=."
        )
        raise DataError(msg)


def with_gaps(law: Independent | Gaussian, gaps: Mask) -> Law:
    """Return Gaussian errors around values, some of which are missing."""
    if isinstance(law, Independent):
        return Independent(
            law.family,
            np.where(gaps, np.nan, law.loc),
            np.where(gaps, np.inf, law.scale),
        )
    cov = np.where(gaps[:, :, None] | gaps[:, None], 0.0, law.covariance())
    return Gaussian.with_covariance(np.where(gaps, np.nan, law.center), cov)


def from_interval(
    low: ArrayLike,
    high: ArrayLike,
    *,
    ids: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    meaning: str = "belief",
) -> UncertainData:
    """Make data from intervals: lower and upper bounds, (n_objects, n_features).

    Every value between the bounds is equally likely.

    Parameters
    ----------
    low, high : array-like of shape (n_objects, n_features)
        Bounds; equal bounds are a value known exactly.
    ids, feature_names : array-like, optional
        Names of the objects, 0, 1, ... by default, and of the features, x0, x1, ....
    meaning : {"error", "belief", "spread"}, default="belief"
        What the uncertainty means; see `UncertainData`.

    Examples
    --------
    >>> import incerta as ic
    >>> ic.from_interval([[0.0]], [[12.0]]).variance()
    array([[12.]])
    """
    lower, upper = as_matrix(low, "low"), as_matrix(high, "high")
    if lower.shape != upper.shape:
        msg = f"low has shape {lower.shape}, high {upper.shape}; they must agree."
        raise DataError(msg)
    if (lower > upper).any():
        i, j = np.argwhere(lower > upper)[0]
        msg = (
            f"low must not exceed high; low[{i}, {j}] is {lower[i, j]}, high[{i}, {j}] "
            f"is {upper[i, j]}. Are the two swapped?"
        )
        raise DataError(msg)
    law = Independent("uniform", lower, upper - lower)
    return _made(law, as_ids(ids, len(lower)), feature_names, meaning)


def from_worlds(
    worlds: ArrayLike,
    *,
    ids: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    meaning: str = "belief",
) -> UncertainData:
    """Make data from joint draws, (n_worlds, n_objects, n_features).

    Each draw places all objects at once.

    Use it if the uncertainties of the objects are linked: members of an ensemble
    forecast, imputations, posterior draws of one model, months of the same year.

    Parameters
    ----------
    worlds : array-like of shape (n_worlds, n_objects, n_features)
        The draws, equally likely. World j of the data is ``worlds[j]``.
    ids, feature_names : array-like, optional
        Names of the objects, 0, 1, ... by default, and of the features, x0, x1, ....
    meaning : {"error", "belief", "spread"}, default="belief"
        What the uncertainty means; see `UncertainData`.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_worlds([[[0.0], [1.0]], [[2.0], [3.0]]])
    >>> data.joint, data.worlds(2)[1].ravel()
    (True, array([2., 3.]))
    """
    draws = as_cube(worlds, "worlds")
    names = as_ids(ids, draws.shape[1], HOW_TO_TELL)
    return _made(Joint(draws), names, feature_names, meaning)


def exact(
    X: ArrayLike,
    ids: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
) -> UncertainData:
    """Return points: objects with a single value each."""
    table = as_matrix(X, "X")
    law = Values(table, np.arange(len(table) + 1))
    return _made(law, as_ids(ids, len(table)), feature_names, "error")


def from_lists(X: Sequence[ArrayLike]) -> UncertainData:
    """Return data from one array of values per object, each (n_values, n_features)."""
    arrays = [np.atleast_1d(as_finite(values, f"X[{i}]")) for i, values in enumerate(X)]
    # A list of numbers holds values of a single feature.
    tables = [a.reshape(-1, 1) if a.ndim == 1 else a for a in arrays]
    width = tables[0].shape[-1]
    for i, table in enumerate(tables):
        if table.ndim != 2 or table.shape[1] != width:
            msg = (
                f"X[{i}] has shape {table.shape}, X[0] has {tables[0].shape}; every "
                "object must be (n_values, n_features) with the same features."
            )
            raise DataError(msg)
        if table.size == 0:
            msg = f"X[{i}] is empty: object {i} has no value. Leave it out."
            raise DataError(msg)
    starts = np.concatenate([[0], np.cumsum([len(table) for table in tables])])
    law = Values(np.concatenate(tables), starts)
    return _made(law, np.arange(len(tables)), None, "spread")


def _made(
    law: Law, ids: ArrayLike, feature_names: Sequence[str] | None, meaning: str
) -> UncertainData:
    names = as_feature_names(feature_names, law.n_features)
    return UncertainData(law, np.asarray(ids), names).with_meaning(meaning)
