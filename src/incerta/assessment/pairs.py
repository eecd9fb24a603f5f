"""Where to look for a valley between two labels: along which axis, at which objects."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incerta.assessment.posterior import Posterior, without_gaps
from incerta.assessment.valley import Valley, valley
from incerta.lloyd import lloyd
from incerta.mixture.fitting import Search, fitted
from incerta.mixture.model import Components, Measured
from incerta.typing import Array, Indices, Mask
from incerta.views.judge import OBJECTS_PER_FEATURE, QUICK

# Objects farther from the axis than this share of those at its ends do not count.
NEAR_AXIS = 0.75
# Part of the mean variance that each direction has at least.
RIDGE = 0.02
# Nor do objects this far outside of the two ends, in deviations within them.
BEYOND = 4.0
# Objects of each fold that a part, or a half, of a label must have to be an end.
FEWEST_AT_END = 25
# Objects of a label that halves are found with.
MOST_HALVED = 1000


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


def axis_between(one: End, other: End, errors: Array) -> Axis:
    """The direction that tells two ends best, with typical error variances (d,)."""
    total = one.size * one.covariance + other.size * other.covariance
    within = total / (one.size + other.size) + np.diag(errors)
    d = len(errors)
    within += RIDGE * np.trace(within) / d * np.eye(d)
    whitening = np.linalg.inv(np.linalg.cholesky(within))
    apart = whitening @ (other.mean - one.mean)
    distance = float(np.linalg.norm(apart))
    direction = whitening.T @ apart / max(distance, np.finfo(float).tiny)
    return Axis((one.mean + other.mean) / 2.0, direction, whitening, distance / 2.0)


def along(axis: Axis, some: Measured, own: Mask, ends: Mask) -> tuple[Array, Array]:
    """Places and errors, in deviations, of the objects that count.

    These are near the axis, as most at its ends are; of other labels than the `own`
    ones only those between the ends: dropping them would carve a valley, and those
    outside could be a mode of another cluster.
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
    """Looks at labels along axes that are each found without the objects looked at.

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
        """Means of the true values of k labels, (k, d)."""
        laws = self.found.laws[0]
        weights, parts, _, _ = laws.components
        member = (laws.clusters == np.arange(k)[:, None]) * weights
        return member @ parts / member.sum(axis=1, keepdims=True)

    def between(self, a: int, b: int) -> Valley | None:
        """Along the axis between the parts of two labels that are most in doubt.

        Labels count as a whole where such parts are small; None if one has no law.
        """
        seen = []
        for g, laws in enumerate(self.found.laws):
            ones, others = (np.flatnonzero(laws.clusters == c) for c in (a, b))
            if not (len(ones) and len(others)):
                return None
            own = ends = np.isin(self.labels[g], (a, b))
            common = self.found.common[g][np.ix_(ones, others)]
            i, j = np.unravel_index(int(common.argmax()), common.shape)
            counts = np.bincount(self.part[g][own], minlength=len(laws.clusters))
            if min(counts[ones[i]], counts[others[j]]) >= FEWEST_AT_END:
                ones, others = ones[[i]], others[[j]]
                ends = own & np.isin(self.part[g], [ones, others])
            one, other = (end_of(laws.components, parts) for parts in (ones, others))
            axis = axis_between(one, other, self.typical)
            seen.append(along(axis, self.some[g], own, ends))
        return _together(seen)

    def within(self, c: int, seed: int) -> Valley | None:
        """Between the halves of one label: those of a mixture or of k-means.

        None if the halves are too small.
        """
        rows = [np.flatnonzero(labels == c) for labels in self.labels]
        if min(map(len, rows)) < 2 * FEWEST_AT_END:
            return None
        valleys = []
        for halves in (_by_mixture, _by_centres):
            seen = []
            for g in (0, 1):
                other = self.some[1 - g].only(rows[1 - g][:MOST_HALVED])
                a, b = halves(other, seed)
                share = min(a.size, b.size) / (a.size + b.size)
                if share * len(rows[g]) < FEWEST_AT_END:
                    break
                own = self.labels[g] == c
                axis = axis_between(a, b, self.typical)
                seen.append(along(axis, self.some[g], own, own))
            else:
                valleys.append(_together(seen))
        return max(valleys, key=lambda each: each.depth, default=None)


def _together(seen: list[tuple[Array, Array]]) -> Valley:
    places, errors = (np.concatenate(each) for each in zip(*seen, strict=True))
    return valley(places, errors)


def end_of(components: Components, parts: Indices) -> End:
    """Some Gaussians of a mixture together."""
    weights = components.weights[parts]
    share = weights / weights.sum()
    apart = components.means[parts] - share @ components.means[parts]
    covariance = (share * apart.T) @ apart
    for weight, part in zip(share, parts.tolist(), strict=True):
        covariance += weight * components.covariance_of(part)
    return End(share @ components.means[parts], covariance, float(weights.sum()))


def _by_mixture(own: Measured, seed: int) -> tuple[End, End]:
    kind = (
        "full" if own.n_objects > 2 * OBJECTS_PER_FEATURE * own.n_features else "diag"
    )
    search = Search(numbers=[2], covariances=(kind,), seed=seed, effort=QUICK)
    two = fitted(own, search).components
    return end_of(two, np.array([0])), end_of(two, np.array([1]))


def _by_centres(own: Measured, seed: int) -> tuple[End, End]:
    values = own.values.T
    half = lloyd(values, 2, 5, np.random.default_rng(seed)).labels
    ends = []
    for side in (values[half == 0], values[half == 1]):
        covariance = np.cov(side, rowvar=False, bias=True).reshape(2 * side.shape[1:])
        ends.append(End(side.mean(axis=0), covariance, float(len(side))))
    return ends[0], ends[1]
