"""Search for groups in a field, and test whether they are real.

The field is a mixture of broad Gaussians, or uniform. A group is one more Gaussian,
compact compared to the field around it. Measurement errors are removed from both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.special import expit, gammaln, xlogy

from incerta.backend.device import threads
from incerta.backend.memory import Scratch, blocks
from incerta.mixture.expectation import Sums, filled, log_densities, sums
from incerta.mixture.fitting import (
    Effort,
    Search,
    fitted,
    single_gaussian,
    some_of,
)
from incerta.mixture.maximization import Prior, moments, prior_for
from incerta.mixture.model import Components, Measured
from incerta.mixture.under import under_all
from incerta.typing import Array, Mask

# Most Gaussians of the field (chosen by BIC), most objects used to choose them, and
# most objects used to fit them, alone and together with the groups.
MOST_BROAD, MOST_TRIED, MOST_FITTED = 10, 3000, 20_000
FIELD_KINDS = ("diag", "full")
QUICK = Effort(n_init=2, tol=1e-4, max_iter=200)
# Largest width of a group relative to the field around it (geometric mean over the
# directions). The broadest components that hold half of all objects are always field.
MOST_WIDE, LEAST_FIELD = 1.0 / 3.0, 0.5
# Fewest objects of a group, and least share of them that it claims from the field.
FEWEST, LEAST_CLEAR = 6.0, 0.3
# Numbers of neighbors that measure density, and most objects where it is measured.
# The densest places are followed by EM: (number of places, rounds), in three stages.
NEIGHBORS, MOST_CENTERS = (8, 16, 32, 64), 100_000
FOLLOWED = ((60, 4), (16, 12), (4, 80))
LEAST_RADIUS = 1e-9
# In large data, each start is followed among its nearest objects: at least this many,
# or this many times as many as it has.
MOST_NEAR, TIMES_NEAR = 4000, 4.0
SETTLING = 50
TOL = 1e-3
# Strength of shrinking correlations within a group to 0, in objects per feature.
TOWARDS_AXES = 5.0
LEAST_VARIANCE = 1e-12  # least variance of groups, in scaled units
MOST_GROUPS = 30
# A group must gain log(n / level) plus this for each feature, more than fields without
# groups do by chance (`benchmarks/members.py`).
PRICE = 3.0


class FoundGroups(NamedTuple):
    """Groups, and the field around them."""

    components: Components  # the groups first, then the field
    gains: Array  # (n_groups,), gain in log likelihood by each
    needed: float  # gain that a group needs


def find(
    some: Measured, wanted: int | None, *, uniform: bool, level: float, seed: int
) -> FoundGroups:
    """Find groups: as many as are wanted, or all that pass the test.

    Features should be on about one scale.
    """
    n, d = some.n_objects, some.n_features
    needed = np.log(n / level) + PRICE * d
    with threads(1):
        few = some_of(some, MOST_FITTED, seed)
        prior = prior_for(few, QUICK.prior_weight)
        now, also = _uniform(some) if uniform else _field(few, seed)
        gains = np.empty(0)
        most = MOST_GROUPS if wanted is None else wanted
        while len(gains) < most:
            best = _best(some, now, len(gains), also)
            if best is None or (wanted is None and best.gain < needed):
                break
            tried = _with(now, len(gains), best.one)
            tried, found = _together(some, tried, len(gains) + 1, prior)
            tried, more = _resplit(tried, len(found))
            if more.n_components:
                also = _all_of([also, more])
                tried, found = _together(some, tried, len(found), prior)
            field = tried.only(np.arange(len(found), tried.n_components))
            if field.ranges is None and not field.weights.any():
                break  # all objects are in groups
            narrow = _widths(tried.only(np.arange(len(found))), field) <= MOST_WIDE
            if wanted is None and not (narrow & (found >= needed)).all():
                break
            now, gains = tried, found
    order = np.argsort(-gains, kind="stable")
    rest = np.arange(len(gains), now.n_components)
    now = now.only(np.concatenate([order, rest]))
    return FoundGroups(now, gains[order], float(needed))


class _Group(NamedTuple):
    """A group, and its gain over everything found before."""

    one: Components
    gain: float


def _field(some: Measured, seed: int) -> tuple[Components, Components]:
    """Fit the best mixture; return its broad components (the field) and the compact."""
    numbers = range(1, MOST_BROAD + 1)
    search = Search(numbers=numbers, covariances=FIELD_KINDS, seed=seed, effort=QUICK)
    found = fitted(some_of(some, MOST_TRIED, seed), search).components.as_kind("full")
    prior = prior_for(some, QUICK.prior_weight)
    field, compact = _split(found)
    while True:
        field = _settled(some, field, 0, prior)[0]
        # Other components may have shrunk to where the compact ones were.
        field, more = _split(field)
        compact = _all_of([compact, more])
        if not more.n_components:
            return field, compact


def _split(mixture: Components) -> tuple[Components, Components]:
    """Split components into broad ones, and those that are compact beside them."""
    order = np.argsort(-np.linalg.slogdet(mixture.covariances)[1], kind="stable")
    broad: list[int] = []
    compact: list[int] = []
    for c in order.tolist():
        field = mixture.only(np.array(broad, np.intp))
        most = field.weights.sum() >= LEAST_FIELD * mixture.weights.sum()
        narrow = most and width(mixture, c, field) <= MOST_WIDE
        (compact if narrow else broad).append(c)
    field = mixture.only(np.array(broad, np.intp))
    field = field._replace(weights=field.weights / field.weights.sum())
    return field, mixture.only(np.array(compact, np.intp))


def _resplit(now: Components, n_groups: int) -> tuple[Components, Components]:
    """Split off the parts of the field that have become compact."""
    if now.ranges is not None:
        return now, now.only(np.empty(0, np.intp))
    groups = now.only(np.arange(n_groups))
    field, compact = _split(now.only(np.arange(n_groups, now.n_components)))
    left = 1.0 - groups.weights.sum()
    field = field._replace(weights=field.weights * left)
    return _all_of([groups, field]), compact


def _uniform(some: Measured) -> tuple[Components, Components]:
    """Make a field without Gaussians, uniform from the lowest to the highest values."""
    known = np.ones_like(some.values) if some.known is None else some.known
    low = np.where(known > 0, some.values, np.inf).min(axis=1)
    high = np.where(known > 0, some.values, -np.inf).max(axis=1)
    d = some.n_features
    ranges = np.where(high > low, high - low, 1.0)
    nothing = Components(np.empty(0), np.empty((0, d)), np.empty((0, d, d)))
    return nothing._replace(ranges=ranges), nothing


def log_density(some: Measured, law: Components) -> Array:
    """Log density of the measurements, (n,); the field may be uniform only."""
    if law.n_components:
        return log_densities(some, law).totals
    assert law.ranges is not None
    logs = np.log(law.ranges)
    known = np.ones_like(some.values) if some.known is None else some.known
    return -(logs @ known)


def width(groups: Components, c: int, field: Components) -> float:
    """Dispersion of a component relative to that of the field around its mean.

    It is the geometric mean over all directions, and 1 if they are equally wide.
    """
    return float(_widths(groups.only(np.array([c])), field)[0])


def _widths(groups: Components, field: Components) -> Array:
    d = groups.means.shape[1]
    if field.n_components:
        places = Measured(np.ascontiguousarray(groups.means.T), np.zeros((d, 1)))
        places = places._replace(errors=np.zeros((d, groups.n_components)))
        near = np.exp(log_densities(places, field).shares[: field.n_components])
        around = np.einsum("fk,fij->kij", near, field.covariances)
    else:
        assert field.ranges is not None
        around = np.diag(np.square(field.ranges) / 12.0)[None]
    logs = [np.linalg.slogdet(each)[1] for each in (groups.covariances, around)]
    return np.exp((logs[0] - logs[1]) / (2 * d))


def _best(
    some: Measured, now: Components, n_groups: int, also: Components
) -> _Group | None:
    """Find the group with the largest gain, if there is one."""
    rest = log_density(some, now)
    field = now.only(np.arange(n_groups, now.n_components))
    seen = _placed(some)
    there = rest if seen is some else log_density(seen, now)
    starts = _dense_places(seen, there, also)
    if not starts.n_components:
        return None
    for most, n_rounds in FOLLOWED:
        starts = starts.only(np.arange(min(most, starts.n_components)))
        ends, gains, clear = _followed(some, rest, starts, n_rounds)
        fit = _fit(some, ends, field, clear)
        order = np.argsort(-np.where(fit, gains, -np.inf), kind="stable")
        starts = ends.only(order)
    best = order[0]
    return _Group(starts.only(np.arange(1)), gains[best]) if fit[best] else None


def _fit(some: Measured, ends: Components, field: Components, clear: Array) -> Mask:
    """Select the candidates that are groups: compact, large, denser than the field."""
    many = ends.weights * some.n_objects >= FEWEST
    return many & (clear >= LEAST_CLEAR) & (_widths(ends, field) <= MOST_WIDE)


def _placed(some: Measured) -> Measured:
    """Give each object a position; a Gaussian completes projected measurements."""
    if some.projection is None:
        return some
    return filled(some, single_gaussian(some_of(some, MOST_FITTED, 0)))


def _dense_places(some: Measured, rest: Array, also: Components) -> Components:
    """Find places denser than `rest`, log densities, explains; keep those in `also`."""
    n, d = some.n_objects, some.n_features
    whole = np.arange(n) if some.known is None else np.flatnonzero(some.known.all(0))
    places = np.ascontiguousarray(some.values[:, whole].T)
    numbers = np.array([k for k in NEIGHBORS if k < len(whole)])
    if not len(numbers):
        return also
    tree = cKDTree(places)
    step = -(-len(whole) // MOST_CENTERS)
    centers = np.arange(0, len(whole), step)
    radii, expected = np.empty((2, len(centers), len(numbers)))
    log_ball = 0.5 * d * np.log(np.pi) - gammaln(0.5 * d + 1.0)
    top = float(rest[whole].max())
    density = np.exp(rest[whole] - top)  # averaged over neighbors: it is not flat
    for part in blocks(len(centers), 8 * 4 * numbers[-1]):
        apart, near = map(
            np.asarray, tree.query(places[centers[part]], numbers[-1] + 1)
        )
        around = np.cumsum(density[near], axis=1)[:, numbers] / (numbers + 1)
        radii[part] = np.maximum(apart[:, numbers], LEAST_RADIUS)
        logs = np.log(around) + top + log_ball + d * np.log(radii[part])
        expected[part] = len(whole) * np.exp(np.minimum(logs, 0.0))
    # Scan statistic: log likelihood ratio of a Poisson number.
    score = xlogy(numbers, numbers / expected) - (numbers - expected)
    score[numbers <= expected] = -np.inf
    scale = score.argmax(axis=1)
    rows = np.arange(len(centers))
    value, radius = score[rows, scale], radii[rows, scale]
    chosen = []
    free = np.isfinite(value)
    for i in np.argsort(-value, kind="stable").tolist():
        if not free[i]:
            continue
        chosen.append(i)
        if len(chosen) == FOLLOWED[0][0]:
            break
        apart = np.square(places[centers] - places[centers[i]]).sum(axis=1)
        free &= apart > radius[i] ** 2
    within = np.square(radius[chosen]) / (d + 2.0)  # variance within a ball
    starts = Components(
        numbers[scale[chosen]] / n,
        places[centers[chosen]],
        within[:, None, None] * np.eye(d),
    )
    return _all_of([also, starts])


def _followed(
    some: Measured, rest: Array, starts: Components, n_rounds: int
) -> tuple[Components, Array, Array]:
    """Follow each start as one more component; return where it ends, and its gain.

    Also returned: the share of its objects that it claims from the rest.
    """
    n = some.n_objects
    if n <= MOST_FITTED:
        return _climb(some, rest, starts, n, n_rounds)
    tree = cKDTree(_placed(some).values.T)
    ends = []
    for c in range(starts.n_components):
        most = max(MOST_NEAR, int(TIMES_NEAR * n * starts.weights[c]))
        near = np.sort(tree.query(starts.means[c], k=min(most, n))[1])
        one = starts.only(np.array([c]))
        ends.append(_climb(some.only(near), rest[near], one, n, n_rounds))
    groups, gains, clear = zip(*ends, strict=True)
    return _all_of(groups), np.concatenate(gains), np.concatenate(clear)


def _all_of(several: Sequence[Components]) -> Components:
    """Join the components of several mixtures, without their noise."""
    weights, means, covariances = (
        np.concatenate([each[i] for each in several]) for i in range(3)
    )
    return Components(weights, means, covariances)


def _climb(
    some: Measured, rest: Array, now: Components, n: int, n_rounds: int
) -> tuple[Components, Array, Array]:
    scratch, last = Scratch(), np.full(now.n_components, -np.inf)
    for _ in range(n_rounds):
        found, gains, clear = _round(some, rest, now, n, scratch)
        if (gains - last < TOL).all():
            break
        last, now = gains, _next(now, found)
    return now, gains, clear


def _round(
    some: Measured, rest: Array, now: Components, n: int, scratch: Scratch
) -> tuple[Sums, Array, Array]:
    """Sum over objects for each component alone, beside the rest of all n objects."""
    k, d = now.means.shape
    shares, pulls, gains = np.zeros(k), np.zeros((k, d)), np.zeros((k, d, d))
    log_odds = (np.log(now.weights) - np.log1p(-now.weights))[:, None]
    gained = n * np.log1p(-now.weights)
    clear = np.zeros(k)
    for block, part in some.in_blocks(now):
        there = under_all(part, now, scratch)
        logits = there.logs() - rest[block] + log_odds
        gained += np.logaddexp(0.0, logits).sum(axis=1)
        own = expit(logits)
        shares += own.sum(axis=1)
        clear += np.where(own > 0.5, own, 0.0).sum(axis=1)
        moved, spread = there.pulls_and_gains(own)
        pulls += moved
        gains += spread
    found = Sums(
        log_likelihood=0.0, n_objects=n, shares=shares, pulls=pulls, gains=gains
    )
    return found, gained, clear / np.maximum(shares, 1e-300)


def _next(now: Components, found: Sums) -> Components:
    seen = moments(now, found)
    return now._replace(
        weights=np.clip(seen.counts / seen.n_objects, 1e-12, 1.0 - LEAST_FIELD),
        means=seen.means,
        covariances=towards_axes(seen.spreads, seen.counts),
    )


def towards_axes(spreads: Array, counts: Array) -> Array:
    """Shrink the correlations of groups with few objects to 0."""
    d = spreads.shape[1]
    keep = (counts / (counts + TOWARDS_AXES * d))[:, None, None]
    drawn = spreads * (keep + (1.0 - keep) * np.eye(d))
    return drawn + LEAST_VARIANCE * np.eye(d)


def _with(now: Components, n_groups: int, one: Components) -> Components:
    """Insert one more group, after the others and before the field."""
    weights, means, covariances = (
        np.insert(all_of_them, n_groups, own[0], axis=0)
        for all_of_them, own in zip(now[:3], one[:3], strict=True)
    )
    weights *= 1.0 - one.weights[0]
    weights[n_groups] = one.weights[0]
    return now._replace(weights=weights, means=means, covariances=covariances)


def without(now: Components, c: int) -> Components:
    """Remove one component; weights, noise included, add up to 1 again."""
    kept = np.delete(np.arange(now.n_components), c)
    left = now.only(kept)
    return left._replace(weights=left.weights / max(1.0 - now.weights[c], 1e-300))


def _settled(
    some: Measured, now: Components, n_groups: int, prior: Prior
) -> tuple[Components, float]:
    """Run EM with all components; return them and the log likelihood."""
    scratch, last = Scratch(), -np.inf
    if not now.n_components:
        return now, float(log_density(some, now).sum())
    for number in range(SETTLING):
        found = sums(some, now, scratch)
        gained, last = found.log_likelihood - last, found.log_likelihood
        if gained < TOL or number == SETTLING - 1:
            break
        seen = moments(now, found)
        groups = towards_axes(seen.spreads[:n_groups], seen.counts[:n_groups])
        counts = seen.counts[n_groups:, None, None]
        field = seen.spreads[n_groups:] * counts + prior.weight * np.diag(
            prior.variances
        )
        field /= counts + prior.weight
        field *= now.covariances[n_groups:] != 0.0  # keep diagonal matrices diagonal
        now = now._replace(
            weights=seen.counts / seen.n_objects,
            means=seen.means,
            covariances=np.concatenate([groups, field]),
        )
    return now, last


def _together(
    some: Measured, now: Components, n_groups: int, prior: Prior
) -> tuple[Components, Array]:
    """Fit groups and field together; return the gain of each group.

    With many objects, the field is already accurate, and groups are fitted one by one.
    """
    gains = np.empty(n_groups)
    if some.n_objects <= MOST_FITTED:
        now, best = _settled(some, now, n_groups, prior)
        for c in range(n_groups):
            gains[c] = best - log_density(some, without(now, c)).sum()
        return now, gains
    for c in range(n_groups):
        rest = without(now, c)
        one, gain, _ = _followed(
            some, log_density(some, rest), now.only(np.array([c])), FOLLOWED[-1][1]
        )
        now, gains[c] = _with(rest, c, one), gain[0]
    return now, gains
