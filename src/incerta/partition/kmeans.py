"""UK-means: k-means on the means of objects, or with expected Euclidean distances.

Bounds skip expected Euclidean distances that cannot matter. A bound is used only if it
decides by more than the tolerance for ties, which are common: labels do not change.
"""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning

from incerta.backend.memory import blocks
from incerta.data.container import UncertainData
from incerta.data.laws import Boxes, Values
from incerta.partition.relocate import without_empty
from incerta.typing import Array, Indices


@dataclass(frozen=True, kw_only=True)
class KMeansRun:
    """One start of the algorithm and its result."""

    start: Array
    centers: Array
    labels: Indices
    cost: float  # sum of distances, without constants
    n_iter: int


def starts(
    means: Array, n_clusters: int, init: Any, n_init: int, seed: int
) -> Iterator[Array]:
    """Yield initial centers for each start; an array is the only start."""
    rng = np.random.RandomState(seed % 2**32)
    if not isinstance(init, str):
        start = np.asarray(init, dtype=np.float64)
        if start.shape != (n_clusters, means.shape[1]):
            msg = (
                f"init has shape {start.shape}; pass one center for each cluster, "
                f"({n_clusters}, {means.shape[1]})."
            )
            raise ValueError(msg)
        yield start
        return
    for _ in range(n_init):
        if init == "random":
            yield means[rng.permutation(len(means))[:n_clusters]]
        else:
            yield kmeans_plusplus(means, n_clusters, random_state=rng)[0]


class SquaredSearch:
    """K-means with expected squared distances, which adds a constant to k-means."""

    def __init__(
        self, data: UncertainData, max_iter: int, tol: float, algorithm: str
    ) -> None:
        self._data, self.means = data, data.mean()
        self._how: Any = {"max_iter": max_iter, "tol": tol, "algorithm": algorithm}

    def run(self, start: Array) -> KMeansRun:
        """Run k-means from one start."""
        model = KMeans(len(start), init=start, n_init=1, **self._how)
        with warnings.catch_warnings():
            # The fit warns of equal objects once.
            warnings.simplefilter("ignore", ConvergenceWarning)
            found = model.fit(self.means)
        return KMeansRun(
            start=start,
            centers=found.cluster_centers_,
            labels=found.labels_,
            cost=found.inertia_,
            n_iter=found.n_iter_,
        )

    def objectives(self, run: KMeansRun) -> list[float]:
        """Return the objective after each iteration; repeat the iterations."""
        centers, fixed, out = run.start, self._fixed(), []
        for _ in range(run.n_iter):
            step = KMeans(len(centers), init=centers, n_init=1, max_iter=1, tol=0.0)
            with warnings.catch_warnings():
                # A cluster may be empty during the iterations.
                warnings.simplefilter("ignore", ConvergenceWarning)
                centers = step.fit(self.means).cluster_centers_
            out.append(step.inertia_ + fixed)
        return out

    def inertia(self, run: KMeansRun) -> float:
        """Return the sum of the expected squared distances at the end of a run."""
        return run.cost + self._fixed()

    def _fixed(self) -> float:
        return float(self._data.variance().sum())


Mask: TypeAlias = NDArray[np.bool_]

PRUNING = ("minmax", "voronoi", "shift")
# Bounds must decide by more than this, so that rounding does not.
SLACK = 1e-9
# Smaller relative differences are ties. Far below SLACK, so that bounds keep ties.
TIE = 1e-12


def expected_distances(law: Values, objects: Indices, center: Array) -> Array:
    """Return ``E |X - c|`` of some objects and one center."""
    part = law.take(objects)
    distances = np.linalg.norm(part.values - center, axis=1)
    if part.weights is not None:
        return np.add.reduceat(distances * part.weights, part.starts[:-1])
    return np.add.reduceat(distances, part.starts[:-1]) / part.counts


def within_minmax(boxes: Boxes, centers: Array) -> Mask:
    """Return the centers that can be nearest, by least and greatest box distances."""
    below = boxes.low[:, None] - centers
    above = centers - boxes.high[:, None]
    least = np.linalg.norm(np.maximum(np.maximum(below, above), 0.0), axis=2)
    most = np.linalg.norm(np.maximum(-below, -above), axis=2)
    best = most.min(axis=1, keepdims=True)
    return least <= best * (1 + SLACK)


def within_voronoi(boxes: Boxes, centers: Array) -> Mask:
    """Return the centers that are nearest to some point of the box, pair by pair.

    Center c' is excluded if ``|x - c|² - |x - c'|²`` is negative on the whole box.
    """
    n, k = len(boxes.low), len(centers)
    inside = np.ones((n, k), dtype=np.bool_)
    # Squares of coordinates far from the origin would lose digits.
    origin = centers.mean(axis=0)
    centers, low, high = centers - origin, boxes.low - origin, boxes.high - origin
    squares = np.square(centers).sum(axis=1)
    # No point of a box is farther than `reach` from any center.
    corners = np.linalg.norm(np.maximum(np.abs(low), np.abs(high)), axis=1)
    reach = np.sqrt(squares.max()) + corners
    for c in range(k):
        slope = 2.0 * (centers - centers[c])  # (k, d), zero for c itself
        most = np.maximum(slope, 0.0) @ high.T + np.minimum(slope, 0.0) @ low.T
        nearer_c = most + (squares[c] - squares)[:, None] < -SLACK * reach**2
        nearer_c[c] = False
        inside &= ~nearer_c.T
    return inside


class Shifts:
    """Bounds from earlier distances: ``|E|X - c| - E|X - y|| <= |c - y|``, old y."""

    def __init__(self, n_objects: int, n_clusters: int) -> None:
        self._distance = np.zeros((n_objects, n_clusters))
        self._when = np.full((n_objects, n_clusters), -1)
        self._places: list[Array] = []

    def moved(self, centers: Array) -> None:
        """Store the centers of this round."""
        self._places.append(centers.copy())

    def computed(self, objects: Indices, cluster: int, distances: Array) -> None:
        """Store distances computed in this round."""
        self._distance[objects, cluster] = distances
        self._when[objects, cluster] = len(self._places) - 1

    def within(self) -> Mask:
        """Return the centers whose lower bound is within the best upper bound."""
        places = np.array(self._places)
        gone = np.linalg.norm(places - places[-1], axis=2)  # (n_rounds, n_clusters)
        known = self._when >= 0
        reach = np.where(
            known, np.take_along_axis(gone, np.maximum(self._when, 0), axis=0), np.inf
        )
        low = np.where(known, self._distance - reach, 0.0)
        high = np.where(known, self._distance + reach, np.inf)
        best = high.min(axis=1, keepdims=True)
        return low <= best * (1 + SLACK)


def assign(
    law: Values,
    boxes: Boxes,
    centers: Array,
    rules: tuple[str, ...],
    shifts: Shifts,
) -> tuple[Indices, int]:
    """Return nearest centers, the first in case of ties, and number of evaluations."""
    n, k = law.n_objects, len(centers)
    candidates = np.ones((n, k), dtype=np.bool_)
    for part in blocks(n, 8 * 4 * k * law.n_features):
        box = Boxes(boxes.low[part], boxes.high[part])
        if "minmax" in rules:
            candidates[part] &= within_minmax(box, centers)
        if "voronoi" in rules:
            candidates[part] &= within_voronoi(box, centers)
    shifts.moved(centers)
    if "shift" in rules:
        candidates &= shifts.within()
    # The best center passes every rule, so a single candidate is the answer.
    labels = candidates.argmax(axis=1)
    decided = candidates.sum(axis=1) == 1
    distances = np.full((n, k), np.inf)
    n_evaluations = 0
    for c in range(k):
        objects = np.flatnonzero(candidates[:, c] & ~decided)
        if len(objects):
            distances[objects, c] = expected_distances(law, objects, centers[c])
            shifts.computed(objects, c, distances[objects, c])
            n_evaluations += len(objects)
    least = distances[~decided].min(axis=1, keepdims=True)
    labels[~decided] = (distances[~decided] <= least * (1 + TIE)).argmax(axis=1)
    return labels, n_evaluations


def geometric_median(law: Values, start: Array, n_rounds: int = 50) -> Array:
    """Return the point with the least sum of expected distances (Weiszfeld)."""
    share = law.weights
    if share is None:
        share = np.repeat(1.0 / law.counts, law.counts)
    place = start
    for _ in range(n_rounds):
        pull = share / np.maximum(np.linalg.norm(law.values - place, axis=1), 1e-12)
        new = pull @ law.values / pull.sum()
        if np.linalg.norm(new - place) <= 1e-9 * (1 + np.linalg.norm(place)):
            return new
        place = new
    return place


class EuclideanSearch:
    """K-means with expected distances; `n_pairs` is the number without bounds."""

    def __init__(
        self,
        law: Values,
        means: Array,
        center: str,
        rules: tuple[str, ...],
        max_iter: int,
    ) -> None:
        self._law, self.means = law, means
        self._center, self._rules, self._max_iter = center, rules, max_iter
        self._boxes = law.boxes()
        self.n_evaluations = self.n_pairs = 0

    def run(self, start: Array) -> KMeansRun:
        """Run the iterations from one start."""
        seen = set[bytes]()
        for labels, centers in self._iterations(start):
            again = labels.tobytes() in seen
            seen.add(labels.tobytes())
            # With mean centers, labels may repeat in a cycle.
            if again or len(seen) == self._max_iter:
                cost = self._cost(labels, centers)
                return KMeansRun(
                    start=start,
                    centers=centers,
                    labels=labels,
                    cost=cost,
                    n_iter=len(seen),
                )
        raise AssertionError

    def objectives(self, run: KMeansRun) -> list[float]:
        """Return the objective after each iteration; repeat the iterations."""
        steps = islice(self._iterations(run.start), run.n_iter)
        return [self._cost(*step) for step in steps]

    def inertia(self, run: KMeansRun) -> float:
        """Return the sum of the expected distances at the end of a run."""
        return run.cost

    def assigned(self, centers: Array) -> Indices:
        """Return the nearest center of each object."""
        nothing_known = Shifts(self._law.n_objects, len(centers))
        return assign(self._law, self._boxes, centers, self._rules, nothing_known)[0]

    def _iterations(self, centers: Array) -> Iterator[tuple[Indices, Array]]:
        """Assign all objects, then move the centers; yield both."""
        n, k = self._law.n_objects, len(centers)
        shifts = Shifts(n, k)
        while True:
            labels, n_new = assign(self._law, self._boxes, centers, self._rules, shifts)
            self.n_evaluations += n_new
            self.n_pairs += n * k
            if len(np.unique(labels)) < k:
                labels = without_empty(labels, self._own(labels, centers), k)
            centers = self._moved(labels, centers)
            yield labels, centers

    def _moved(self, labels: Indices, centers: Array) -> Array:
        if self._center == "mean":
            members = np.eye(len(centers))[labels]
            return members.T @ self.means / members.sum(axis=0)[:, None]
        clusters = (
            self._law.take(np.flatnonzero(labels == c)) for c in range(len(centers))
        )
        places = zip(clusters, centers, strict=True)
        return np.array([geometric_median(*place) for place in places])

    def _own(self, labels: Indices, centers: Array) -> Array:
        """Return the expected distance of each object to the center of its cluster."""
        own = np.empty(len(labels))
        for c in np.unique(labels):
            members = np.flatnonzero(labels == c)
            own[members] = expected_distances(self._law, members, centers[c])
        return own

    def _cost(self, labels: Indices, centers: Array) -> float:
        return float(self._own(labels, centers).sum())
