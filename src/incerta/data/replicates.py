"""Replicates: repeated measurements of one quantity, as a value with an error.

An error that is read off three values is nearly worthless, so the variances of all
objects are pooled: the more alike they are, the more each is drawn to what is usual.

G. K. Smyth, "Linear models and empirical Bayes methods for assessing differential
expression in microarray experiments", Stat. Appl. Genet. Mol. Biol. 3, 2004.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import digamma, polygamma

from incerta.data.laws import Gaussian, Independent, Law, Values
from incerta.exceptions import DataError
from incerta.typing import Array, Indices

# Correlations of errors are kept if one of them is this many standard errors from 0.
CLEAR = 4.0
# Variances below this part of the median are rounding, not precision.
LEAST_VARIANCE = 1e-5


class Pooled(NamedTuple):
    """What the variances of all objects have in common, for one feature."""

    variance: float  # s0², what is usual
    freedom: float  # d0, how many values it is worth; infinite if all are alike


class Moments(NamedTuple):
    """Of the values of each object, by feature; shape (n_objects, n_features)."""

    counts: Array
    means: Array
    squares: Array  # sums of squared distances to the mean


def replicated(law: Values, feature_names: tuple[str, ...]) -> Law:
    """Values of each object as replicates; single values of all objects stay exact."""
    if law.kind == "exact":
        return law
    if law.weights is not None:
        msg = "replicates cannot have weights; give values that count alike."
        raise DataError(msg)
    objects = np.repeat(np.arange(law.n_objects), law.counts)
    return law_of_replicates(law.values, objects, law.n_objects, feature_names)


def law_of_replicates(
    values: Array, objects: Indices, n_objects: int, feature_names: tuple[str, ...]
) -> Law:
    """Means of the values of each object, with the errors that pooled variances give.

    Parameters
    ----------
    values : ndarray of shape (n_values, n_features)
        NaN where a value is missing; every object needs one of each feature.
    objects : ndarray of shape (n_values,)
        Number of the object of each row.
    n_objects : int
        Number of objects.
    feature_names : tuple of str
        For messages.

    Returns
    -------
    Law
        Gaussian errors around the means, correlated if the replicates clearly are.
    """
    found = moments(values, objects, n_objects)
    freedom = found.counts - 1.0
    variances = np.empty_like(found.means)
    for j, name in enumerate(feature_names):
        several = freedom[:, j] > 0
        if not several.any():
            msg = (
                f"no object has two values of {name!r}, so that nothing says how large "
                "their errors are; give error columns (errors=)."
            )
            raise DataError(msg)
        own = found.squares[:, j] / np.maximum(freedom[:, j], 1.0)
        pooled = pool(own[several], freedom[several, j])
        variances[:, j] = moderated(own, freedom[:, j], pooled)
    errors = variances / found.counts
    correlation = _correlation(values, objects, found)
    if correlation is None:
        return Independent("gaussian", found.means, np.sqrt(errors))
    deviations = np.sqrt(errors)
    covariance = correlation * deviations[:, :, None] * deviations[:, None]
    return Gaussian.with_covariance(found.means, covariance)


def moments(values: Array, objects: Indices, n_objects: int) -> Moments:
    """Counts, means and sums of squares of the values of each object."""
    known = ~np.isnan(values)
    members = csr_array(
        (np.ones(len(objects)), (objects, np.arange(len(objects)))),
        shape=(n_objects, len(objects)),
    )
    counts = members @ known.astype(np.float64)
    if (counts == 0).any():
        i, j = np.argwhere(counts == 0)[0]
        msg = f"object number {i} has no value of feature number {j}; leave it out."
        raise DataError(msg)
    means = members @ np.where(known, values, 0.0) / counts
    gaps = np.where(known, values - means[objects], 0.0)
    return Moments(counts, means, members @ gaps**2)


def pool(variances: Array, freedom: Array) -> Pooled:
    """What variances with these degrees of freedom have in common.

    Parameters
    ----------
    variances : ndarray of shape (n,)
        Sample variances s².
    freedom : ndarray of shape (n,)
        Their degrees of freedom d, at least 1.

    Returns
    -------
    Pooled
        By the moments of log s², which has the mean
        ``log s0² + ψ(d/2) − log(d/2) − ψ(d0/2) + log(d0/2)`` and the variance
        ``ψ'(d/2) + ψ'(d0/2)``.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.data.replicates import pool
    >>> pool(np.array([1.0, 1.0, 1.0]), np.array([4.0, 4.0, 4.0]))
    Pooled(variance=1.0, freedom=inf)
    """
    usual = float(np.sum(freedom * variances) / np.sum(freedom))
    least = LEAST_VARIANCE * (np.median(variances) or usual)
    if least == 0.0:  # all values of all objects are equal
        return Pooled(0.0, np.inf)
    logs = np.log(np.maximum(variances, least))
    centred = logs - digamma(freedom / 2) + np.log(freedom / 2)
    spread = float(np.var(centred, ddof=1)) if len(centred) > 1 else 0.0
    spread -= float(np.mean(polygamma(1, freedom / 2)))
    if spread <= 0.0:  # no more than chance: all have the same
        return Pooled(usual, np.inf)
    half = _inverse_trigamma(spread)
    centre = float(np.mean(centred)) + digamma(half) - np.log(half)
    return Pooled(float(np.exp(centre)), 2.0 * half)


def moderated(variances: Array, freedom: Array, pooled: Pooled) -> Array:
    """Variances drawn towards what is usual: ``(d0 s0² + d s²) / (d0 + d)``."""
    if np.isinf(pooled.freedom):
        return np.full_like(variances, pooled.variance)
    weighted = pooled.freedom * pooled.variance + freedom * variances
    return weighted / (pooled.freedom + freedom)


def _inverse_trigamma(value: float) -> float:
    """The x with ψ'(x) = value, by Newton's rule on 1 / ψ', which is nearly linear."""
    x = 0.5 + 1.0 / value
    for _ in range(50):
        trigamma = float(polygamma(1, x))
        step = trigamma * (1.0 - trigamma / value) / float(polygamma(2, x))
        x += step
        if abs(step) < 1e-10 * x:
            break
    return x


def _correlation(values: Array, objects: Indices, found: Moments) -> Array | None:
    """Correlation of the errors of features, if there clearly is any."""
    gaps = values - found.means[objects]
    complete = ~np.isnan(gaps).any(axis=1)
    gaps = gaps[complete]
    d = values.shape[1]
    n_objects = len(np.unique(objects[complete]))
    freedom = len(gaps) - n_objects
    if d == 1 or freedom < 2 * d:
        return None
    covariance = gaps.T @ gaps
    scale = np.sqrt(np.diag(covariance))
    scale = np.where(scale > 0.0, scale, 1.0)
    correlation = covariance / np.outer(scale, scale)
    np.fill_diagonal(correlation, 1.0)
    off = np.abs(correlation[np.triu_indices(d, 1)])
    if off.max() * np.sqrt(freedom) < CLEAR:
        return None
    # As if d more values had been seen in which features have nothing in common.
    kept = freedom / (freedom + d)
    return kept * correlation + (1.0 - kept) * np.eye(d)


def without_batches(
    values: Array, objects: Indices, batches: Indices
) -> tuple[Array, Array]:
    """Take the offset of each batch off the values.

    Parameters
    ----------
    values : ndarray of shape (n_values, n_features)
        NaN where a value is missing.
    objects, batches : ndarray of shape (n_values,)
        Number of the object and of the batch of each row.

    Returns
    -------
    values : ndarray of shape (n_values, n_features)
    offsets : ndarray of shape (n_batches, n_features)
        By least squares of ``value = object + batch``; their mean over all values is 0.
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
    found = np.linalg.lstsq(normal, gaps, rcond=None)[0]
    centred: Array = found - (counts @ found) / counts.sum()
    return centred
