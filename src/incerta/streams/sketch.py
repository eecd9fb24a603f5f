"""Micro-clusters: a summary of a stream in constant memory.

C. C. Aggarwal, P. S. Yu, "A framework for clustering uncertain data streams", ICDE
2008.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from incerta.models.registry import stored
from incerta.typing import Array, Indices

# A micro-cluster of less weight, in units of a new object, may be dropped.
LITTLE = 0.1
# Mean existences with smaller differences are equal up to rounding.
EQUAL = 1e-9


@stored(
    weight="f q",
    squares="f q",
    mean="f q d",
    scatter="f q d",
    error="f q d",
    number="i q",
    last="f q",
    id="i q",
)
class Sketch(NamedTuple):
    """Moments of q micro-clusters by feature, which can be added.

    Deviations from the mean are stored instead of sums of squares, which would lose all
    digits with large values.
    """

    weight: Array  # (q,), Σ w, where w starts as the existence e of an object
    squares: Array  # (q,), Σ w e; equal to the weight if all objects exist
    mean: Array  # (q, d)
    scatter: Array  # (q, d), Σ w (x − mean)²
    error: Array  # (q, d), Σ w ψ², with the variances ψ² of the errors
    number: Indices  # (q,), number of objects, however old
    last: Array  # (q,), time of the last object
    id: Indices  # (q,), in order of creation

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.mean.shape[1]

    @property
    def n(self) -> int:
        """Number of micro-clusters."""
        return len(self.weight)

    def only(self, some: Indices | slice) -> Sketch:
        """Return some of the micro-clusters."""
        return Sketch._make(each[some] for each in self)

    def older(self, factor: float) -> Sketch:
        """Return the micro-clusters with all weights multiplied by a factor."""
        return self._replace(
            weight=self.weight * factor,
            squares=self.squares * factor,
            scatter=self.scatter * factor,
            error=self.error * factor,
        )

    def squared_radius(self) -> Array:
        """Return the mean expected squared distance to the uncertain center.

        It is ``Σ_j [scatter/n + (1 + 1/n) error/n]``, the objective of UCPC per object.
        """
        n, few = self.weight[:, None], self.share_of_one()[:, None]
        return ((self.scatter + (1.0 + few) * self.error) / n).sum(axis=1)

    def share_of_one(self) -> Array:
        """Return 1/n; with existences, n is the equivalent number of sure objects."""
        return self.squares / self.weight / self.weight

    def squared_distances(self, values: Array, variances: Array) -> Array:
        """Return ``E |X − center|²`` of objects to all centers, (n, q)."""
        middle = self.mean.mean(axis=0)
        a, b = values - middle, self.mean - middle
        own = (np.square(a) + variances).sum(axis=1)
        theirs = np.square(b).sum(axis=1) + self.blur()
        return np.maximum(own[:, None] + theirs - 2.0 * (a @ b.T), 0.0)

    def blur(self) -> Array:
        """Return the variances of the centers due to the errors, (q,)."""
        return self.error.sum(axis=1) / self.weight * self.share_of_one()


class Rule(NamedTuple):
    """When an object joins a micro-cluster, and how fast its weight decays."""

    factor: float  # number of uncertain radii within which objects join
    rate: float  # halvings per unit of time
    fills: bool = False  # whether every object starts one while there is room


def empty(n_features: int, n: int = 0) -> Sketch:
    """Return `n` empty micro-clusters."""
    weight, squares = np.zeros((2, n))
    mean, scatter, error = np.zeros((3, n, n_features))
    number, id = np.zeros((2, n), dtype=np.int64)
    last = np.full(n, -np.inf)
    return Sketch(weight, squares, mean, scatter, error, number, last, id)


def grouped(sketch: Sketch, groups: Indices, n_groups: int) -> Sketch:
    """Add up the micro-clusters of each group; group −1 is left out.

    Empty groups have weight 0 and id −1.
    """
    out = empty(sketch.n_features, n_groups)
    out.id[:] = -1
    some = np.flatnonzero(groups >= 0)
    groups, sketch = groups[some], sketch.only(some)
    np.add.at(out.weight, groups, sketch.weight)
    np.add.at(out.squares, groups, sketch.squares)
    np.add.at(out.mean, groups, sketch.weight[:, None] * sketch.mean)
    out.mean[:] /= np.where(out.weight > 0.0, out.weight, 1.0)[:, None]
    apart = sketch.weight[:, None] * (sketch.mean - out.mean[groups]) ** 2
    np.add.at(out.scatter, groups, sketch.scatter + apart)
    np.add.at(out.error, groups, sketch.error)
    np.add.at(out.number, groups, sketch.number)
    np.maximum.at(out.last, groups, sketch.last)
    np.maximum.at(out.id, groups, sketch.id)
    return out


def since(now: Sketch, before: Sketch, became: Mapping[int, int]) -> Sketch:
    """Return the objects since an earlier state `before` of the same stream.

    Weights are as of `now`. `became` maps the ids of merged micro-clusters to the ids
    they were merged into. Micro-clusters without new objects are left out.
    """
    place = {id: row for row, id in enumerate(now.id.tolist())}
    rows = []
    for id in before.id.tolist():
        while id not in place and id in became:
            id = became[id]
        rows.append(place.get(id, -1))
    old = grouped(before, np.array(rows, dtype=np.intp), now.n)
    weight, number = now.weight - old.weight, now.number - old.number
    some = np.flatnonzero(number > 0)
    now, old, weight = now.only(some), old.only(some), weight[some, None]
    known = old.weight[:, None]
    mean = now.mean + known / weight * np.where(known > 0.0, now.mean - old.mean, 0.0)
    # The total scatter is that of both parts plus that between their means.
    between = known * weight / now.weight[:, None] * (mean - old.mean) ** 2
    return now._replace(
        weight=weight[:, 0],
        squares=np.maximum(now.squares - old.squares, 0.0),
        mean=mean,
        scatter=np.maximum(now.scatter - old.scatter - between, 0.0),
        error=np.maximum(now.error - old.error, 0.0),
        number=number[some],
    )
