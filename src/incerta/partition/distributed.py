"""K-means on partitions by summaries, which is DUK-means in exact mode.

Sums are exact, and computations for an object do not depend on others in its partition:
the result is the same to the last bit for any partitioning.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import starmap
from operator import add
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from incerta.backend.fold import Parts, exact_sums, exponents, rounded
from incerta.backend.keyed import mixed, seed_key
from incerta.backend.memory import blocks
from incerta.backend.progress import track
from incerta.data.container import UncertainData
from incerta.data.partitioned import (
    PartitionedData,
    Summary,
    in_order_of_ids,
    summary,
)
from incerta.typing import Array, Ids, Indices

T = TypeVar("T", bound=np.generic)
_BLOCK = 2**20  # bytes: distances are computed feature by feature, within the cache


@dataclass(frozen=True, kw_only=True)
class Extent:
    """Number of objects, and ranges of their means and variances."""

    n_objects: int
    low: Array  # (n_features,)
    high: Array  # (n_features,)
    variance: float

    @property
    def exponent(self) -> NDArray[np.int64]:
        """Exponents for exact sums of means."""
        return exponents(np.maximum(np.abs(self.low), np.abs(self.high)))

    def of_squares(self, centers: Array) -> NDArray[np.int64]:
        """Exponent for exact sums of squared distances to any of the centers."""
        reach = np.maximum(np.abs(self.high - centers), np.abs(centers - self.low))
        # Twice the largest possible distance, to be safe from rounding.
        return exponents(2.0 * np.square(reach).sum(axis=-1).max(keepdims=True))


class Sums(NamedTuple):
    """Sums over the objects of partitions, for given centers."""

    counts: Indices  # (n_clusters,)
    means: NDArray[np.object_]  # (n_clusters, n_features), exact
    squares: int  # squared distances to the nearest center, exact


class Far(NamedTuple):
    """The objects farthest from their centers, the farthest first."""

    squares: Array  # (n_far,)
    keys: NDArray[np.uint64]  # (n_far,)
    labels: Indices  # (n_far,)
    means: Array  # (n_far, n_features)

    def take(self, rows: Indices) -> "Far":
        """Return some of the objects."""
        return Far(
            self.squares[rows], self.keys[rows], self.labels[rows], self.means[rows]
        )


@dataclass
class DistributedRun:
    """The state of one start."""

    start: Array
    centers: Array
    done: bool = False
    n_iter: int = 0
    inertia: float = np.inf
    objective: list[float] = field(default_factory=list)  # after each iteration


# computations in a partition --------------------------------------------------------


def extent_of(part: Summary) -> Extent:
    """Return the extent of a partition."""
    low, high = np.inf, -np.inf
    return Extent(
        n_objects=len(part.ids),
        low=part.means.min(axis=0, initial=low),
        high=part.means.max(axis=0, initial=high),
        variance=float(part.variances.max(initial=0.0)),
    )


def wider(a: Extent, b: Extent) -> Extent:
    """Return the extent of two partitions together."""
    return Extent(
        n_objects=a.n_objects + b.n_objects,
        low=np.minimum(a.low, b.low),
        high=np.maximum(a.high, b.high),
        variance=max(a.variance, b.variance),
    )


def listed_ids(part: Summary) -> list[tuple[Ids, Ids]]:
    """Return the ids of a partition; lists are merged by adding them."""
    return [(part.ids, part.ids)]


def listed_labels(part: Summary, centers: Array) -> list[tuple[Ids, Indices]]:
    """Return the ids of a partition with the nearest center of each."""
    return [(part.ids, nearest_alone(part.means, centers))]


def labels_of(data: UncertainData, centers: Array) -> Indices:
    """Return the nearest center of the mean of each object, as computed in the fit."""
    return nearest_alone(summary(data, data.n_features).means, centers)


def wherever(
    function: Callable[..., NDArray[T]],
    objects: UncertainData | PartitionedData,
    *given: Any,
) -> NDArray[T]:
    """Return ``function(objects, *given)``, computed in each partition if there are."""
    if isinstance(objects, PartitionedData):
        return objects.each(function, *given)
    return function(objects, *given)


def variance_of(part: Summary, extent: Extent) -> int:
    """Return the exact sum of the variances."""
    exponent = exponents(np.array([extent.variance]))
    return _sum_of(part.variances, exponent)


def sums_of(part: Summary, starts: Sequence[Array], extent: Extent) -> list[Sums]:
    """Return the sums of a partition for the centers of each start."""
    answers = []
    for centers in starts:
        labels = nearest_alone(part.means, centers)
        k = len(centers)
        squares = _squares_to(part.means, centers[labels])
        answers.append(
            Sums(
                np.bincount(labels, minlength=k),
                exact_sums(part.means, labels, k, extent.exponent),
                _sum_of(squares, extent.of_squares(centers)),
            )
        )
    return answers


def added(a: list[Sums], b: list[Sums]) -> list[Sums]:
    """Return the sums of two partitions together."""
    pairs = zip(a, b, strict=True)
    return [Sums(*starmap(add, zip(x, y, strict=True))) for x, y in pairs]


def far_of(part: Summary, centers: Array, n_far: int) -> Far:
    """Return the objects of a partition farthest from the nearest center."""
    labels = nearest_alone(part.means, centers)
    squares = _squares_to(part.means, centers[labels])
    return _farthest(Far(squares, part.keys, labels, part.means), n_far)


def farther(a: Far, b: Far) -> Far:
    """Return the farthest objects of two partitions, as many as the longer list."""
    both = Far(*(np.concatenate(pair) for pair in zip(a, b, strict=True)))
    return _farthest(both, max(len(a.keys), len(b.keys)))


def drawn_of(
    part: Summary, seed: int, n_drawn: int
) -> tuple[int, NDArray[np.uint64], Array]:
    """Draw the objects with the lowest hashes of ids and seed."""
    keys = mixed(part.keys + seed_key(seed))
    first = np.argsort(keys)[:n_drawn]
    return n_drawn, keys[first], part.means[first]


def drawn_of_both(
    a: tuple[int, NDArray[np.uint64], Array], b: tuple[int, NDArray[np.uint64], Array]
) -> tuple[int, NDArray[np.uint64], Array]:
    """Return the objects drawn from two partitions together."""
    n_drawn, keys = a[0], np.concatenate([a[1], b[1]])
    first = np.argsort(keys)[:n_drawn]
    return n_drawn, keys[first], np.concatenate([a[2], b[2]])[first]


# computations on all partitions -----------------------------------------------------


def sorted_ids(parts: Parts) -> Ids:
    """Return the sorted ids of all objects, which must be distinct."""
    return in_order_of_ids(parts.fold(listed_ids, add))[0]


def drawn_means(parts: Parts, seed: int, n_drawn: int) -> Array:
    """Return the means of random objects, whatever their partition."""
    return parts.fold(drawn_of, drawn_of_both, seed, n_drawn)[2]


def lloyd(
    parts: Parts, starts: Iterator[Array], max_iter: int, tol: float
) -> tuple[DistributedRun, Indices]:
    """Run k-means from each start; all starts share the passes over the partitions.

    Returns the best run, with variances included in its objective and inertia, and the
    labels in the order of the sorted ids. `tol` is as in scikit-learn.
    """
    extent = parts.fold(extent_of, wider)
    least = tol * _spread(parts, extent)
    runs = [DistributedRun(start, start) for start in starts]
    for _ in track(max_iter, "iterations"):
        live = [run for run in runs if not run.done]
        if not live:
            break
        answers = parts.fold(sums_of, added, [run.centers for run in live], extent)
        for run, sums in zip(live, answers, strict=True):
            _advance(run, sums, extent, parts, least)
    answers = parts.fold(sums_of, added, [run.centers for run in runs], extent)
    for run, sums in zip(runs, answers, strict=True):
        run.inertia = _inertia(sums, run.centers, extent)
        run.objective.append(run.inertia)
    best = min(runs, key=lambda run: run.inertia)
    exponent = exponents(np.array([extent.variance]))
    fixed = float(rounded(parts.fold(variance_of, add, extent), exponent)[0])
    best.inertia += fixed
    best.objective = [value + fixed for value in best.objective]
    _, labels = in_order_of_ids(parts.fold(listed_labels, add, best.centers))
    return best, labels


def _advance(
    run: DistributedRun, sums: Sums, extent: Extent, parts: Parts, least: float
) -> None:
    """Move the centers of one start to the means of their members."""
    # Costs of the objects with the centers of the last iteration.
    if run.n_iter:
        run.objective.append(_inertia(sums, run.centers, extent))
    counts, means = sums.counts.copy(), sums.means.copy()
    empty = np.flatnonzero(counts == 0)
    if len(empty):
        far = parts.fold(far_of, farther, run.centers, len(empty))
        # If all objects are at centers, there are more clusters than places.
        far = far.take(np.flatnonzero(far.squares > 0))
        exact = exact_sums(
            far.means, np.arange(len(far.keys)), len(far.keys), extent.exponent
        )
        for i, target in enumerate(empty[: len(far.keys)]):
            source = far.labels[i]
            counts[source] -= 1
            means[source] = means[source] - exact[i]
            counts[target], means[target] = 1, exact[i]
    centers = run.centers.copy()
    for c in np.flatnonzero(counts):
        centers[c] = rounded(means[c], extent.exponent, int(counts[c]))
    moves = np.square(centers - run.centers).sum(axis=1)
    run.centers = centers
    run.n_iter += 1
    run.done = bool(moves.sum() <= least)


def _spread(parts: Parts, extent: Extent) -> float:
    """Return the mean variance of the features over the objects' means."""
    d = len(extent.low)
    middle = np.zeros((1, d))
    sums = parts.fold(sums_of, added, [middle], extent)[0]
    middle[0] = rounded(sums.means[0], extent.exponent, extent.n_objects)
    around = parts.fold(sums_of, added, [middle], extent)[0]
    return _inertia(around, middle, extent) / (extent.n_objects * d)


def _inertia(sums: Sums, centers: Array, extent: Extent) -> float:
    return float(rounded(sums.squares, extent.of_squares(centers)[0]))


def _sum_of(column: Array, exponent: NDArray[np.int64]) -> int:
    groups = np.zeros(len(column), dtype=np.intp)
    return int(exact_sums(column[:, None], groups, 1, exponent)[0, 0])


def _farthest(objects: Far, n_far: int) -> Far:
    first = np.lexsort((objects.keys, -objects.squares))[:n_far]
    return objects.take(first)


# distances independent of other rows ------------------------------------------------


def nearest_alone(rows: Array, centers: Array) -> Indices:
    """Return the nearest center of each row, independent of other rows; lowest on ties.

    A product of matrices rounds differently for matrices of different heights. It is
    used to find candidates. Where it cannot distinguish two of them with certainty, the
    distances are computed one by one.
    """
    n, d = rows.shape
    nearest = np.zeros(n, dtype=np.intp)
    if len(centers) == 1:
        return nearest
    middle = centers.mean(axis=0)
    centered = centers - middle
    fixed = np.square(centered).sum(axis=1)
    reach = np.sqrt(fixed.max())
    rounding = 8 * (d + 8) * np.finfo(np.float64).eps
    for part in blocks(n, 8 * (len(centers) + d), _BLOCK):
        off = rows[part] - middle
        least = np.full(len(off), np.inf)
        second, best = least.copy(), np.zeros(len(off), dtype=np.intp)
        # Center by center is many times faster than argmin along short rows.
        for c, cost in enumerate(fixed[:, None] - 2.0 * centered @ off.T):
            best[cost < least] = c
            second = np.minimum(second, np.maximum(least, cost))
            least = np.minimum(least, cost)
        size = np.square(np.sqrt(np.square(off).sum(axis=1)) + reach)
        # Not `<=`: overflows are uncertain, too.
        unsure = np.flatnonzero(~(second - least > rounding * size))
        if len(unsure):
            some = rows[part][unsure]
            squares = [_squares_to(some, center) for center in centers]
            best[unsure] = np.argmin(squares, axis=0)
        nearest[part] = best
    return nearest


def _squares_to(rows: Array, places: Array) -> Array:
    """Return the squared distance of each row to a place, summed feature by feature."""
    squares = np.zeros(len(rows))
    for j in range(rows.shape[1]):
        squares += np.square(rows[:, j] - places[..., j])
    return squares
