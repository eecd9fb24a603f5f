"""Replicates: repeated measurements of one quantity, as a value with an error."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import ndtri

from incerta.data.laws import Gaussian, Independent, Law, Values
from incerta.data.pooling import moderated, pool
from incerta.exceptions import DataError
from incerta.typing import Array, Indices
from incerta.wording import given

# Level of the test for correlations of errors, which are otherwise dropped.
CHANCE = 1e-3


class ObjectMoments(NamedTuple):
    """Moments of the values of each object by feature, (n_objects, n_features)."""

    counts: Array
    means: Array
    squares: Array  # sums of squared distances to the mean


def replicated(
    law: Values, feature_names: tuple[str, ...], together: bool = True
) -> Law:
    """Treat values of objects as replicates; if all are single, they are exact."""
    if law.kind == "exact":
        return law
    if law.weights is not None:
        msg = "replicates cannot have weights; give values that count alike."
        raise DataError(msg)
    n = law.n_objects
    objects = np.repeat(np.arange(n), law.counts)
    return law_of_replicates(law.values, objects, n, feature_names, together)


def law_of_replicates(
    values: Array,
    objects: Indices,
    n_objects: int,
    feature_names: tuple[str, ...],
    together: bool = True,
) -> Law:
    """Return the means of the values of each object, with errors from pooled variances.

    `values` may be missing (NaN), but every object needs one of each feature. With
    `together`, errors are correlated if the replicates clearly are and there are enough
    objects.
    """
    summary = moments(values, objects, n_objects)
    freedom = summary.counts - 1.0
    if (single := ~(freedom > 0).any(axis=0)).any():
        name = feature_names[int(single.argmax())]
        msg = (
            f"no object has two values of {name!r}, so their errors are unknown; give "
            f"error columns ({given('errors')})."
        )
        raise DataError(msg)
    correlation = _correlation(values, objects, summary) if together else None
    own = summary.squares / np.maximum(freedom, 1.0)
    variances = moderated(own, freedom, pool(own, freedom, correlation))
    errors = variances / summary.counts
    if correlation is None:
        return Independent("gaussian", summary.means, np.sqrt(errors))
    deviations = np.sqrt(errors)
    covariance = correlation * deviations[:, :, None] * deviations[:, None]
    return Gaussian.with_covariance(summary.means, covariance)


def moments(values: Array, objects: Indices, n_objects: int) -> ObjectMoments:
    """Return counts, means and sums of squares of the values of each object."""
    known = ~np.isnan(values)
    members = _members(objects, n_objects)
    counts = members @ known.astype(np.float64)
    if (counts == 0).any():
        i, j = np.argwhere(counts == 0)[0]
        msg = f"object number {i} has no value of feature number {j}; leave it out."
        raise DataError(msg)
    means = members @ np.where(known, values, 0.0) / counts
    gaps = np.where(known, values - means[objects], 0.0)
    return ObjectMoments(counts, means, members @ gaps**2)


def _members(objects: Indices, n_objects: int) -> csr_array:
    """Return the matrix whose product with the rows sums them by object."""
    ones, rows = np.ones(len(objects)), np.arange(len(objects))
    return csr_array((ones, (objects, rows)), shape=(n_objects, len(objects)))


def _correlation(
    values: Array, objects: Indices, summary: ObjectMoments
) -> Array | None:
    """Return the correlation of the errors of features; None unless significant."""
    gaps = values - summary.means[objects]
    complete = ~np.isnan(gaps).any(axis=1)
    gaps, objects = gaps[complete], objects[complete]
    n_objects, d = summary.means.shape
    each = np.maximum(np.bincount(objects, minlength=n_objects) - 1.0, 0.0)
    freedom = each.sum()
    if d == 1 or n_objects <= d or freedom < 2 * d:
        return None
    covariance = gaps.T @ gaps
    # Badly measured objects dominate the sum, so its variance by chance is summed over
    # objects.
    squares = _members(objects, n_objects) @ gaps**2
    by_chance = np.sqrt(squares.T @ (squares / np.maximum(each, 1.0)[:, None]))
    pairs = np.triu_indices(d, 1)
    clear = -ndtri(0.5 * CHANCE / len(pairs[0]))
    if (np.abs(covariance[pairs]) <= clear * by_chance[pairs]).all():
        return None
    scale = np.sqrt(np.diag(covariance))
    scale = np.where(scale > 0.0, scale, 1.0)
    correlation = covariance / np.outer(scale, scale)
    np.fill_diagonal(correlation, 1.0)
    # Add d values with independent features.
    kept = freedom / (freedom + d)
    return kept * correlation + (1.0 - kept) * np.eye(d)


def without_batches(
    values: Array, objects: Indices, batches: Indices
) -> tuple[Array, Array]:
    """Return values without the offset of each batch, and the offsets.

    The offsets (n_batches, n_features) are the least-squares fit of ``value = object +
    batch``; their mean over all values is 0. Values may be missing (NaN).
    """
    n_objects, n_batches = int(objects.max()) + 1, int(batches.max()) + 1
    offsets = np.empty((n_batches, values.shape[1]))
    for j, column in enumerate(values.T):
        known = ~np.isnan(column)
        offsets[:, j] = _offsets(
            column[known], objects[known], batches[known], n_objects, n_batches
        )
    return values - offsets[batches], offsets


def _offsets(
    values: Array, objects: Indices, batches: Indices, n_objects: int, n_batches: int
) -> Array:
    seen = csr_array(
        (np.ones(len(values)), (objects, batches)), shape=(n_objects, n_batches)
    )
    links = csr_array(seen.T @ seen)
    counts = np.bincount(batches, minlength=n_batches)
    present = np.flatnonzero(counts)
    n_apart, _ = connected_components(links[present][:, present], directed=False)
    if n_apart > 1:
        msg = (
            f"the batches fall into {n_apart} parts that have no object in common, so "
            "their offsets cannot be separated from differences between objects; "
            "measure some objects in several batches, or leave batch out."
        )
        raise DataError(msg)
    sizes = np.maximum(np.bincount(objects, minlength=n_objects), 1)
    means = np.bincount(objects, weights=values, minlength=n_objects) / sizes
    gaps = np.bincount(batches, weights=values - means[objects], minlength=n_batches)
    shared = (seen.T * (1.0 / sizes)) @ seen
    normal = np.diag(counts) - csr_array(shared).toarray()
    offsets = np.linalg.lstsq(normal, gaps, rcond=None)[0]
    centered: Array = offsets - (counts @ offsets) / counts.sum()
    return centered
