"""Choose the axis and the objects along which two labels are compared."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incerta import settings
from incerta.assessment.posterior import Posterior, posterior, without_gaps
from incerta.assessment.valley import Valley, valley
from incerta.lloyd import lloyd
from incerta.mixture.expectation import log_densities
from incerta.mixture.fitting import Effort, Search, fitted
from incerta.mixture.model import Components, Measured
from incerta.typing import Array, Indices, Mask

# Objects count up to the distance from the axis of this share of those at its ends.
NEAR_AXIS = 0.75
# Least variance of each direction, as a part of the mean variance.
RIDGE = 0.02
# Objects count up to this distance beyond the two ends, in their deviations.
BEYOND = 4.0
# Fewest objects in each fold of a part of a label that can be an end.
FEWEST_AT_END = 25
# Least share of the label's objects in such a part.
LEAST_AT_END = 0.1
# Effort to split a label into halves.
TO_HALVE = Effort(n_init=5, tol=1e-3, max_iter=100)


class End(NamedTuple):
    """Mean and covariance of the true values at one end of an axis."""

    mean: Array  # (d,)
    covariance: Array  # (d, d)
    size: float


class Axis(NamedTuple):
    """A line through the middle of two ends; its unit is a deviation within them."""

    middle: Array  # (d,)
    direction: Array  # (d,)
    whitening: Array  # (d, d), makes distances from the middle Mahalanobis'
    half: float  # distance of the ends from the middle


def axis_between(one: End, other: End, errors: Array, bent: bool = False) -> Axis:
    """Find the direction that best separates two ends, with typical errors (d,).

    If they may be parts of something `bent`, the axis goes through their border on the
    curve that joins them, not through the middle of the chord.
    """
    total = one.size * one.covariance + other.size * other.covariance
    within = total / (one.size + other.size) + np.diag(errors)
    d = len(errors)
    least = RIDGE * np.trace(within) / d * np.eye(d)
    within += least
    root = np.linalg.cholesky(within)
    whitening = np.linalg.inv(root)
    apart = whitening @ (other.mean - one.mean)
    distance = float(np.linalg.norm(apart))
    unit = apart / max(distance, np.finfo(float).tiny)
    middle = (one.mean + other.mean) / 2.0
    if bent:
        off = whitening @ (_border(one, other, least + np.diag(errors)) - middle)
        middle = middle + root @ (off - (off @ unit) * unit)
    return Axis(middle, whitening.T @ unit, whitening, distance / 2.0)


def _border(one: End, other: End, more: Array) -> Array:
    """Find where two Gaussians are equally dense on the curve that joins their means.

    All modes and valleys of their sum are on that curve (Ray and Lindsay 2005).
    """
    inverses = [np.linalg.inv(end.covariance + more) for end in (one, other)]
    means = one.mean, other.mean
    share = np.linspace(0.02, 0.98, 49)[:, None, None]
    shares = 1.0 - share, share
    total = sum(s * a for s, a in zip(shares, inverses, strict=True))
    pulls = sum(
        s * (a @ m)[:, None] for s, a, m in zip(shares, inverses, means, strict=True)
    )
    way = np.linalg.solve(total, pulls)[:, :, 0]
    logs = [
        np.linalg.slogdet(a)[1] - np.einsum("ti,ij,tj->t", way - m, a, way - m)
        for a, m in zip(inverses, means, strict=True)
    ]
    place: Array = way[np.abs(logs[0] - logs[1]).argmin()]
    return place


def along(axis: Axis, some: Measured, own: Mask, ends: Mask) -> tuple[Array, Array]:
    """Return places and errors, in deviations, of the objects that count.

    They lie near the axis, as most objects at its ends do. Objects with labels other
    than the `own` ones count only between the ends: dropping these would carve a
    valley, and those outside could be a mode of another cluster.
    """
    place = axis.direction @ some.values - axis.direction @ axis.middle
    farthest = np.where(own, axis.half + BEYOND, axis.half)
    rows = np.flatnonzero(ends | (np.abs(place) <= farthest))
    apart = axis.whitening @ (some.values[:, rows] - axis.middle[:, None])
    off = np.square(apart).sum(axis=0) - place[rows] ** 2
    near = off <= np.quantile(off[ends[rows]], NEAR_AXIS)
    rows = rows[near & (np.abs(place[rows]) <= farthest[rows])]
    errors = some.errors[..., rows]
    if errors.ndim == 2:
        variances = np.square(axis.direction) @ errors
    else:
        variances = np.einsum("i,ijn,j->n", axis.direction, errors, axis.direction)
    return place[rows], np.sqrt(np.maximum(variances, 0.0))


class Axes:
    """Compare labels along axes, each found without the objects it is applied to.

    Parameters
    ----------
    some : Measured
        The objects.
    labels : ndarray of shape (n,)
        Their labels; −1 is none.
    found : Posterior
        The laws of these labels.
    """

    def __init__(self, some: Measured, labels: Indices, found: Posterior) -> None:
        some = without_gaps(some)
        rows = [np.flatnonzero(found.fold == g) for g in (0, 1)]
        self.found, self.typical = found, np.median(some.variances, axis=1)
        self.some = [some.only(here) for here in rows]
        self.labels = [labels[here] for here in rows]
        self.part = [found.part[here] for here in rows]

    def means(self, k: int) -> Array:
        """Average the true values of k labels over both folds, (k, d)."""
        both = [laws.components for laws in self.found.laws]
        weights, means = (
            np.concatenate([getattr(each, name) for each in both])
            for name in ("weights", "means")
        )
        clusters = np.concatenate([laws.clusters for laws in self.found.laws])
        member = (clusters == np.arange(k)[:, None]) * weights
        return member @ means / member.sum(axis=1, keepdims=True)

    def between(self, a: int, b: int) -> Valley | None:
        """Measure the valley between the least separate parts of two labels.

        Labels count as a whole where such parts are small; None if one has no fit.
        """
        seen = []
        for g, laws in enumerate(self.found.laws):
            parts = [np.flatnonzero(laws.clusters == c) for c in (a, b)]
            if not all(map(len, parts)):
                return None
            # Labels with several Gaussians follow their bends already.
            bent = all(len(each) == 1 for each in parts)
            own = ends = np.isin(self.labels[g], (a, b))
            ones, others = (self._large(g, c) for c in (a, b))
            if len(ones) and len(others):
                common = self.found.common[g][np.ix_(ones, others)]
                i, j = np.unravel_index(int(common.argmax()), common.shape)
                parts = [ones[[i]], others[[j]]]
                ends = own & np.isin(self.part[g], parts)
            one, other = (end_of(laws.components, each) for each in parts)
            axis = axis_between(one, other, self.typical, bent)
            seen.append(along(axis, self.some[g], own, ends))
        places, errors = (np.concatenate(each) for each in zip(*seen, strict=True))
        return valley(places, errors)

    def _large(self, g: int, c: int) -> Indices:
        """Select the parts of a label that hold many of its objects, in one fold.

        The others may describe outliers or wrong labels.
        """
        held = np.bincount(
            self.part[g][self.labels[g] == c],
            minlength=len(self.found.laws[g].clusters),
        )
        fewest = max(FEWEST_AT_END, LEAST_AT_END * held.sum())
        own = self.found.laws[g].clusters == c
        return np.flatnonzero(own & (held >= fewest))


def within(own: Measured, seed: int) -> Valley | None:
    """Measure the deeper valley between halves by a mixture and by k-means.

    None if the halves are too small.
    """
    valleys = []
    for halves in (_by_mixture(own, seed), _by_centers(own, seed)):
        if np.bincount(halves, minlength=2).min() >= 2 * FEWEST_AT_END:
            found = posterior(own, halves, 2, seed)
            valleys.append(Axes(own, halves, found).between(0, 1))
    return max(filter(None, valleys), key=lambda each: each.depth, default=None)


def end_of(components: Components, parts: Indices) -> End:
    """Combine some Gaussians of a mixture into one."""
    weights = components.weights[parts]
    share = weights / weights.sum()
    apart = components.means[parts] - share @ components.means[parts]
    covariance = (share * apart.T) @ apart
    for weight, part in zip(share, parts.tolist(), strict=True):
        covariance += weight * components.covariance_of(part)
    return End(share @ components.means[parts], covariance, float(weights.sum()))


def _by_mixture(own: Measured, seed: int) -> Indices:
    enough = own.n_objects > 2 * settings.LAW_OBJECTS_PER_FEATURE * own.n_features
    # One shape for both halves finds directions that k-means misses.
    kinds = ("tied", "full") if enough else ("diag",)
    search = Search(numbers=[2], covariances=kinds, seed=seed, effort=TO_HALVE)
    halves: Indices = log_densities(own, fitted(own, search).components).shares.argmax(
        0
    )
    return halves


def _by_centers(own: Measured, seed: int) -> Indices:
    return lloyd(own.values.T, 2, 5, np.random.default_rng(seed)).labels
