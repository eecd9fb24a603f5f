"""UK-means with expected Euclidean distances: Lloyd's rounds with bounds."""

from collections.abc import Iterator
from itertools import islice

import numpy as np

from incerta.data.laws import Values
from incerta.partition.euclidean import (
    Shifts,
    assign,
    expected_distances,
    geometric_median,
)
from incerta.partition.kmeans import Run
from incerta.partition.relocate import without_empty
from incerta.typing import Array, Indices


class EuclideanSearch:
    """Expected distances of objects given by values.

    `means` (n_objects, n_features): means of the objects. `n_evaluations`: number of
    expected distances that were computed. `n_pairs`: number that would have been
    computed without bounds.
    """

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

    def run(self, start: Array) -> Run:
        """Follow one start to its end."""
        seen = set[bytes]()
        for labels, centres in self._iterations(start):
            again = labels.tobytes() in seen
            seen.add(labels.tobytes())
            # With mean centres the same labels may come back after a while.
            if again or len(seen) == self._max_iter:
                cost = self._cost(labels, centres)
                return Run(start, centres, labels, cost, len(seen))
        raise AssertionError

    def objectives(self, run: Run) -> list[float]:
        """Objective after each iteration of a run, whose iterations are repeated."""
        steps = islice(self._iterations(run.start), run.n_iter)
        return [self._cost(*step) for step in steps]

    def inertia(self, run: Run) -> float:
        """Sum of the expected distances at the end of a run."""
        return run.cost

    def assigned(self, centres: Array) -> Indices:
        """Nearest centre of each object."""
        nothing_known = Shifts(self._law.n_objects, len(centres))
        return assign(self._law, self._boxes, centres, self._rules, nothing_known)[0]

    def _iterations(self, centres: Array) -> Iterator[tuple[Indices, Array]]:
        """Assign all objects, then move the centres; both after each iteration."""
        n, k = self._law.n_objects, len(centres)
        shifts = Shifts(n, k)
        while True:
            labels, n_new = assign(self._law, self._boxes, centres, self._rules, shifts)
            self.n_evaluations += n_new
            self.n_pairs += n * k
            if len(np.unique(labels)) < k:
                labels = without_empty(labels, self._own(labels, centres), k)
            centres = self._moved(labels, centres)
            yield labels, centres

    def _moved(self, labels: Indices, centres: Array) -> Array:
        if self._center == "mean":
            members = np.eye(len(centres))[labels]
            return members.T @ self.means / members.sum(axis=0)[:, None]
        clusters = (
            self._law.take(np.flatnonzero(labels == c)) for c in range(len(centres))
        )
        places = zip(clusters, centres, strict=True)
        return np.array([geometric_median(*place) for place in places])

    def _own(self, labels: Indices, centres: Array) -> Array:
        """Expected distance of each object to the centre of its own cluster."""
        own = np.empty(len(labels))
        for c in np.unique(labels):
            members = np.flatnonzero(labels == c)
            own[members] = expected_distances(self._law, members, centres[c])
        return own

    def _cost(self, labels: Indices, centres: Array) -> float:
        return float(self._own(labels, centres).sum())
