"""Share of the measured variance that is not error, by feature and by object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from incerta.backend.memory import BLOCK_BYTES, CACHE_BYTES, blocks
from incerta.data.projections import projected, total_covariance
from incerta.typing import Array, Indices

if TYPE_CHECKING:
    from incerta.data.container import UncertainData

# Below this, a feature or an object is nearly all error.
LEAST_RELIABLE = 0.1
ROUNDS = 10
SAME = 1e-12  # relative change of variances at which rounds stop
MOST_NAMED = 6
TINY_SHARE = 1e-9  # of what is observed, so that exact values have a finite weight
TINY = float(np.finfo(np.float64).tiny)


class Spread(NamedTuple):
    """Means and variances of features, each of shape (d,)."""

    means: Array
    variances: Array


class Reliability(NamedTuple):
    """Shares from 0 (nothing but error) to 1 (no error)."""

    features: Array  # (d,), share of the observed variance that is not error
    objects: Array  # (n,), the same for the values of each object, missing ones at 0
    what: str = "is not error"  # of the variance

    def by_feature(self, names: Sequence[str]) -> str:
        """Describe the features in words."""
        if len(names) > MOST_NAMED:
            return f"from {self.features.min():.2f} to {self.features.max():.2f}"
        pairs = zip(names, self.features, strict=True)
        return ", ".join(f"{name} {share:.2f}" for name, share in pairs)

    def by_object(self) -> str:
        """Describe the objects in words."""
        low, high = self.objects.min(), self.objects.max()
        median = np.median(self.objects)
        return f"from {low:.2f} to {high:.2f}, with a median of {median:.2f}"


def reliability(data: UncertainData) -> Reliability:
    """Return the share of the variance that is not error, of features and objects.

    For a feature, it is the variance of the true values divided by the sum of this
    variance and the mean variance of the errors. For an object, it is the same with its
    own errors, averaged over the features that are not all error. It takes about ten
    passes over the values.

    In projection, an object has the share of each feature that its measurements
    determine, and a feature the mean of these.
    """
    seen = projected(data.law)
    if seen is not None:
        values = np.where(seen.measured, seen.center, 0.0)
        found = spread_in_projection(values, seen.errors, seen.matrix, least=0.0)
        shares = found.shares
        of_features = shares.mean(axis=0)
        of_objects = _of_objects(shares, of_features)
        return Reliability(of_features, of_objects, "was measured and is not error")
    values = data.mean()
    known = ~np.isnan(values)
    # Values of a feature are contiguous, because there are several passes over them.
    errors = np.ascontiguousarray(np.where(known, data.variance(), 0.0).T)
    weights = np.ascontiguousarray(known.T, dtype=np.float64)
    filled = np.ascontiguousarray(np.where(known, values, 0.0).T)
    true = true_spread(filled, errors, weights, least=0.0).variances[:, None]
    shares = np.divide(true, true + errors, out=np.ones_like(errors), where=errors > 0)
    mean = errors.sum(axis=1) / np.maximum(weights.sum(axis=1), 1.0)
    total = true[:, 0] + mean
    of_features = np.divide(true[:, 0], total, out=np.ones_like(total), where=mean > 0)
    return Reliability(of_features, _of_objects((shares * weights).T, of_features))


def _of_objects(shares: Array, of_features: Array) -> Array:
    """Return means of shares (n, d) over the features that are not all error."""
    matters = of_features >= LEAST_RELIABLE
    return shares[:, matters if matters.any() else slice(None)].mean(axis=1)


def told_of(shares: Reliability, names: Sequence[str]) -> list[str]:
    """Describe how reliable features and objects are, and name unreliable features."""
    sentences = [
        f"Share of the variance that {shares.what}: {shares.by_feature(names)}; of "
        f"single objects {shares.by_object()}."
    ]
    bad: Indices = np.flatnonzero(shares.features < LEAST_RELIABLE)
    if len(bad):
        which = ", ".join(names[j] for j in bad[:MOST_NAMED])
        more = len(bad) - MOST_NAMED
        which += f" and {more:,} more" if more > 0 else ""
        sentences.append(f"The values of these features are nearly all error: {which}.")
    n_bad = int((shares.objects < LEAST_RELIABLE).sum())
    if n_bad:
        what = "object was" if n_bad == 1 else "objects were"
        sentences.append(
            f"{n_bad:,} {what} measured so badly that the values say next to nothing."
        )
    return sentences


def observed_spread(values: Array, known: Array) -> Spread:
    """Return mean and variance of measured values (d, n), by feature.

    Values are 0 if not `known`, which is 1 or 0.
    """
    n_known = np.maximum(known.sum(axis=1), 1.0)
    means = values.sum(axis=1) / n_known
    gaps = (values - means[:, None]) * known
    return Spread(means, np.einsum("in,in->i", gaps, gaps) / n_known)


def true_spread(values: Array, errors: Array, known: Array, least: float) -> Spread:
    """Return mean and variance of the truth of each feature.

    Values are weighted by the inverse variance of truth plus error. `values`, the
    variances of their `errors` (0 if missing) and `known` (1 or 0) have the shape (d,
    n); `least` is the least share of the observed variance that is true.
    """
    means, variances = observed_spread(values, known)
    for _ in range(ROUNDS):
        before = variances
        means, variances = np.empty_like(before), np.empty_like(before)
        for some in blocks(len(values), 8 * values.shape[1], CACHE_BYTES):
            table = values[some], errors[some], known[some]
            means[some], variances[some] = _reweighted(*table, before[some], least)
        if (np.abs(variances - before) <= SAME * before).all():
            break
    return Spread(means, variances)


def _reweighted(
    values: Array, errors: Array, known: Array, variances: Array, least: float
) -> Spread:
    """Run one round: mean and variance, weighted by the current variance."""
    total = errors + variances[:, None]
    total[total <= 0.0] = 1.0  # exact values of a feature that does not vary
    weights = known / total
    sums = np.maximum(weights.sum(axis=1), TINY)
    means = (weights * values).sum(axis=1) / sums
    squares = (values - means[:, None]) ** 2
    observed = (weights * squares).sum(axis=1) / sums
    twice = weights**2
    twice /= np.maximum(twice.sum(axis=1), TINY)[:, None]
    excess = (twice * (squares - errors)).sum(axis=1)
    return Spread(means, np.maximum(excess, least * observed))


# the same for measurements in projection ----------------------------------------------


class InProjection(NamedTuple):
    """The truth of measurements in projection."""

    means: Array  # (d,)
    variances: Array  # (d,)
    shares: Array  # (n, d), share of each feature that an object's measurements tell


def spread_in_projection(
    values: Array, errors: Array, matrix: Array, least: float
) -> InProjection:
    """Return mean and variance of the truth of each feature, as `true_spread` does.

    Features are taken to be independent. A step is Fisher's: means by ``Σ P`` and ``Σ
    g``, variances by ``Σ P²`` and ``Σ (g² − diag P)``, where ``g = R' T⁻¹ (w − R m)``
    and ``P = R' T⁻¹ R`` are those of an object, with ``T = R V R' + S``. `values` w,
    (n, q), `errors` S, (n, q, q), and `matrix` R, (n, q, d), are 0 where missing.
    """
    n, q, d = matrix.shape
    squares = np.square(matrix).sum(axis=(0, 1))
    products = np.einsum("nqd,nq->d", matrix, values)
    means = _solved(np.tensordot(matrix, matrix, ((0, 1), (0, 1))), products)
    size = np.square(values - matrix @ means).sum()
    variances = np.divide(size, squares, out=np.zeros(d), where=squares > 0.0)
    shares = np.empty((n, d))
    for _ in range(ROUNDS):
        before, spent = variances, np.zeros((2, d, d))
        first, excess, tops = np.zeros((3, d))
        for some in blocks(n, 8 * 3 * (q + d) ** 2, BLOCK_BYTES):
            own_matrix = matrix[some]
            turned = np.swapaxes(own_matrix, 1, 2)
            total = total_covariance((own_matrix * before) @ turned, errors[some])
            weighted = np.linalg.solve(total, own_matrix)
            gaps = values[some] - own_matrix @ means
            pulls = np.einsum("nqd,nq->nd", weighted, gaps)
            precision = turned @ weighted
            own = np.einsum("ndd->nd", precision)
            spent += precision.sum(axis=0), np.square(precision).sum(axis=0)
            first += pulls.sum(axis=0)
            tops += np.square(pulls).sum(axis=0)
            excess += (np.square(pulls) - own).sum(axis=0)
            shares[some] = before * own
        observed = tops / np.maximum(np.diag(spent[1]), TINY)
        means = means + _solved(spent[0], first)
        floor = max(least, TINY_SHARE) * observed
        variances = np.maximum(before + _solved(spent[1], excess), floor)
        if (np.abs(variances - before) <= SAME * before).all():
            break
    return InProjection(means, variances, np.clip(shares, 0.0, 1.0))


def _solved(matrix: Array, right: Array) -> Array:
    """Return the shortest solution, independent of the units of the features."""
    scale = np.sqrt(np.diag(matrix))
    scale[scale == 0.0] = 1.0
    found = np.linalg.lstsq(matrix / scale / scale[:, None], right / scale, rcond=1e-9)
    return np.asarray(found[0] / scale)
