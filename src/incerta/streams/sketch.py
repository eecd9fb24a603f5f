"""Micro-clusters: what is kept of a stream, whatever its length.

C. C. Aggarwal, P. S. Yu, "A framework for clustering uncertain data streams", ICDE
2008.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from incerta.models.registry import stored
from incerta.typing import Array, Indices

# A micro-cluster with less than this, in objects that come now, may be dropped.
LITTLE = 0.1
# Means of existences that differ by less differ by rounding.
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
    """Moments of q micro-clusters, by feature: they add up.

    Deviations from the mean are stored in the place of sums of squares, of which large
    values would leave nothing but rounding.
    """

    weight: Array  # (q,), Σ w: an object counts for its existence e when it comes
    squares: Array  # (q,), Σ w e: the same as the weight if all are there for sure
    mean: Array  # (q, d)
    scatter: Array  # (q, d), Σ w (x − mean)²
    error: Array  # (q, d), Σ w ψ², of the variances of errors
    number: Indices  # (q,), how many objects there were, however old
    last: Array  # (q,), when the last one came
    id: Indices  # (q,), in the order in which they began

    @property
    def n_features(self) -> int:
        """Number of features."""
        return self.mean.shape[1]

    @property
    def n(self) -> int:
        """Number of micro-clusters."""
        return len(self.weight)

    def only(self, some: Indices | slice) -> Sketch:
        """Some of the micro-clusters."""
        return Sketch._make(each[some] for each in self)

    def older(self, factor: float) -> Sketch:
        """The same after time has passed: all objects count for less."""
        return self._replace(
            weight=self.weight * factor,
            squares=self.squares * factor,
            scatter=self.scatter * factor,
            error=self.error * factor,
        )

    def squared_radius(self) -> Array:
        """Mean expected squared distance of the objects to the uncertain center.

        ``Σ_j [scatter/n + (1 + 1/n) error/n]``, which is UCPC's objective per object.
        """
        n, few = self.weight[:, None], self.share_of_one()[:, None]
        return ((self.scatter + (1.0 + few) * self.error) / n).sum(axis=1)

    def share_of_one(self) -> Array:
        """1/n; with existences, n is the number of sure objects that weigh alike."""
        return self.squares / self.weight / self.weight

    def squared_distances(self, values: Array, variances: Array) -> Array:
        """``E |X − center|²`` of objects to all centers, shape (n, q)."""
        middle = self.mean.mean(axis=0)
        a, b = values - middle, self.mean - middle
        own = (np.square(a) + variances).sum(axis=1)
        theirs = np.square(b).sum(axis=1) + self.blur()
        return np.maximum(own[:, None] + theirs - 2.0 * (a @ b.T), 0.0)

    def blur(self) -> Array:
        """Variance of the centers that comes from the errors, shape (q,)."""
        return self.error.sum(axis=1) / self.weight * self.share_of_one()


class Rule(NamedTuple):
    """When an object goes into a micro-cluster, and how fast that is forgotten."""

    factor: float  # of the uncertain radius, within which objects belong
    rate: float  # halvings per unit of time
    fills: bool = False  # whether all begin one of their own while there is room


def empty(n_features: int, n: int = 0) -> Sketch:
    """Room for micro-clusters, or none of them."""
    weight, squares = np.zeros((2, n))
    mean, scatter, error = np.zeros((3, n, n_features))
    number, id = np.zeros((2, n), dtype=np.int64)
    last = np.full(n, -np.inf)
    return Sketch(weight, squares, mean, scatter, error, number, last, id)


def grouped(sketch: Sketch, groups: Indices, n_groups: int) -> Sketch:
    """Micro-clusters of each group taken together; group −1 is none.

    Groups without any have a weight of 0, and an id of −1.
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
    """What came after an earlier state, aged to the time of now, of the same stream.

    `became` has ids of micro-clusters that were joined to others, and the ids of those.
    Micro-clusters that got no object since are left out.
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
    # The scatter of both together is that of each, and that between their means.
    between = known * weight / now.weight[:, None] * (mean - old.mean) ** 2
    return now._replace(
        weight=weight[:, 0],
        squares=np.maximum(now.squares - old.squares, 0.0),
        mean=mean,
        scatter=np.maximum(now.scatter - old.scatter - between, 0.0),
        error=np.maximum(now.error - old.error, 0.0),
        number=number[some],
    )
