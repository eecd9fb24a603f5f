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

# Correlations are kept if one is so large by chance in fewer data sets than this.
CHANCE = 1e-3


class ObjectMoments(NamedTuple):
    """Of the values of each object, by feature; shape (n_objects, n_features)."""

    counts: Array
    means: Array
    squares: Array  # sums of squared distances to the mean


def replicated(
    law: Values, feature_names: tuple[str, ...], together: bool = True
) -> Law:
    """Values of each object as replicates; single values of all objects stay exact."""
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
    """Means of the values of each object, with errors from pooled variances.

    `values` may be missing (NaN); every object needs one of each feature. Errors are
    correlated if `together`, where replicates clearly are; not of too few objects.
    """
    summary = moments(values, objects, n_objects)
    freedom = summary.counts - 1.0
    if (single := ~(freedom > 0).any(axis=0)).any():
        name = feature_names[int(single.argmax())]
        msg = (
            f"no object has two values of {name!r}, so that nothing says how large "
            f"their errors are; give error columns ({given('errors')})."
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
    """Counts, means and sums of squares of the values of each object."""
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
    """Sums the rows of each object, by a product from the left."""
    ones, rows = np.ones(len(objects)), np.arange(len(objects))
    return csr_array((ones, (objects, rows)), shape=(n_objects, len(objects)))


def _correlation(
    values: Array, objects: Indices, summary: ObjectMoments
) -> Array | None:
    """Correlation of the errors of features; None unless it is significant."""
    gaps = values - summary.means[objects]
    complete = ~np.isnan(gaps).any(axis=1)
    gaps, objects = gaps[complete], objects[complete]
    n_objects, d = summary.means.shape
    each = np.maximum(np.bincount(objects, minlength=n_objects) - 1.0, 0.0)
    freedom = each.sum()
    if d == 1 or n_objects <= d or freedom < 2 * d:
        return None
    covariance = gaps.T @ gaps
    # Where some objects are measured worse than others, they make most of the sum: how
    # far it is from 0 by chance must be added up object by object.
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
    # As if d more values had been seen in which features have nothing in common.
    kept = freedom / (freedom + d)
    return kept * correlation + (1.0 - kept) * np.eye(d)


def without_batches(
    values: Array, objects: Indices, batches: Indices
) -> tuple[Array, Array]:
    """Values without the offset of each batch, and the offsets.

    The offsets (n_batches, n_features) come by least squares of ``value = object +
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
            "that their offsets cannot be told from differences between objects; "
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
