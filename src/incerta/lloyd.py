"""k-means from many starts at once, which is faster than a loop for few values."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csc_array

from incerta.known import class_means, kept, named_order
from incerta.typing import Array, Indices

# Stop when centers move by less, relative to the mean variance, as in scikit-learn.
TOL = 1e-4
MOST_ROUNDS = 300


class Partition(NamedTuple):
    """Centers and the labels of values."""

    centers: Array  # (k, d)
    labels: Indices  # (n,)


def lloyd(
    values: Array,
    n_clusters: int,
    n_starts: int,
    rng: np.random.Generator,
    weights: Array | None = None,
    known: Indices | None = None,
    also: Array | None = None,
) -> Partition:
    """Return the best of `n_starts` runs of k-means on values (n, d).

    `n_clusters` is at most n; with fewer distinct values, centers coincide. Known
    labels (−1 elsewhere) are kept, with their numbers. One more run starts from the
    centers `also`. Memory is ``n_starts * n_clusters * n`` numbers.
    """
    n = len(values)
    weights = np.full(n, 1.0 / n) if weights is None else weights / weights.sum()
    middle = values.mean(axis=0)
    places = values - middle  # squares of large values would lose digits
    tol = TOL * places.var(axis=0).mean()
    moving = spread_seeds(places, weights, n_clusters, n_starts, rng)
    if known is not None:
        moving = _named(moving, places, weights, known)
    if also is not None:
        moving = np.concatenate([also[None] - middle, moving])
    best, least = moving[0], np.inf
    for number in range(MOST_ROUNDS):
        labels, costs = _nearest(places, weights, moving, known)
        moved = _means(places, weights, labels, moving)
        rest = np.square(moved - moving).sum(axis=(1, 2)) <= tol
        rest |= number == MOST_ROUNDS - 1
        if rest.any():
            first = costs[rest].argmin()
            if costs[rest][first] < least:
                best, least = moved[rest][first], costs[rest][first]
        moving = moved[~rest]
        if not len(moving):
            break
    labels, _ = _nearest(places, weights, best[None], known)
    return Partition(best + middle, labels[:, 0])


def spread_seeds(
    places: Array,
    weights: Array,
    n_clusters: int,
    n_starts: int,
    rng: np.random.Generator,
) -> Array:
    """Draw seeds by greedy k-means++, (n_starts, k, d); weights sum to 1."""
    n, starts = len(places), np.arange(n_starts)
    n_trials = 2 + int(np.log(n_clusters))
    # Weighted squared distances of all pairs are products of these.
    squares = _squares(places)
    ones = np.ones_like(squares)
    begins = np.concatenate([-2.0 * places, squares, ones], axis=1)
    ends = (np.concatenate([places, ones, squares], axis=1) * weights[:, None]).T
    seeds = np.empty((n_starts, n_clusters), dtype=np.intp)
    seeds[:, 0] = rng.choice(n, n_starts, p=weights)

    def costs(chosen: Indices) -> Array:
        far = begins[chosen.ravel()] @ ends
        return np.maximum(far, 0.0, out=far).reshape(*chosen.shape, n)

    least = costs(seeds[:, 0])
    for number in range(1, n_clusters):
        # One search serves all starts, each with an interval of length 1.
        sums = np.cumsum(least, axis=1)
        sums /= np.where(sums[:, -1:] > 0.0, sums[:, -1:], 1.0)
        sums += starts[:, None]
        aims = starts[:, None] + rng.random((n_starts, n_trials))
        found = np.searchsorted(sums.ravel(), aims, side="right")
        tried = np.clip(found - n * starts[:, None], 0, n - 1)
        after = costs(tried)
        np.minimum(after, least[:, None], out=after)
        chosen = after.sum(axis=2).argmin(axis=1)
        seeds[:, number], least = tried[starts, chosen], after[starts, chosen]
    return places[seeds]


def nearest_centers(places: Array, centers: Array) -> Indices:
    """Return the nearest of the centers (k, d) to each centered place (n, d)."""
    halves = 0.5 * np.square(centers).sum(axis=1)
    return (places @ centers.T - halves).argmax(axis=1)


def _squares(places: Array) -> Array:
    """Return the squared lengths along the last axis, which is kept."""
    return np.square(places).sum(axis=-1, keepdims=True)


def _named(seeds: Array, places: Array, weights: Array, known: Indices) -> Array:
    """Order seeds (s, k, d) by known labels; every other start uses their means."""
    classes, means = class_means(places, known, weights)
    named = np.array([each[named_order(each, places, known)] for each in seeds])
    named[::2, classes] = means
    return named


def _nearest(
    places: Array, weights: Array, centers: Array, known: Indices | None = None
) -> tuple[Indices, Array]:
    """Return the nearest centers (n, s) of each start, and relative costs (s,)."""
    s, k, d = centers.shape
    # |p − c|² − |p|² of all pairs in one product, of p and 1 with −2 c and |c|².
    begins = np.concatenate([places, np.ones((len(places), 1))], axis=1)
    ends = np.concatenate([-2.0 * centers, _squares(centers)], axis=2)
    far = begins @ ends.reshape(s * k, d + 1).T
    labels: Indices = kept(far.reshape(-1, s, k).argmin(axis=2), known)
    least = far.ravel()[k * np.arange(labels.size) + labels.ravel()]
    return labels, weights @ least.reshape(-1, s)


def _means(places: Array, weights: Array, labels: Indices, centers: Array) -> Array:
    """Return the means of clusters, shape (s, k, d); empty ones keep their centers."""
    s, k, d = centers.shape
    n = len(places)
    columns = (labels + k * np.arange(s)).ravel()
    within = np.repeat(weights, s), columns, np.arange(0, n * s + 1, s)
    member = csc_array(within, shape=(s * k, n))
    sizes = np.bincount(columns, within[0], minlength=s * k)[:, None]
    old = centers.reshape(s * k, d).copy()
    sums = np.asarray(member @ places)
    means = np.divide(sums, sizes, out=old, where=sizes > 0.0)
    return means.reshape(s, k, d)
