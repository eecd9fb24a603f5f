"""Local search that moves one object at a time.

The result is that of a loop over objects with statistics updated after each move.
Objects that do not move are processed in blocks.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, Self

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.cluster import kmeans_plusplus

from incerta.backend.progress import track
from incerta.partition.shares import nearest_centers
from incerta.typing import Array, Indices

# Value of a cluster, given its size c, scatter S and sum of variances Psi.
Objective = Callable[[Array, Array, Array], Array]


def uk(sizes: Array, scatter: Array, variances: Array) -> Array:
    """Return the sum of expected squared distances to the mean: ``Phi - |U|² / c``."""
    return scatter + variances


def mmvar(sizes: Array, scatter: Array, variances: Array) -> Array:
    """Return the variance of the members' mixture: ``Phi / c - |U|² / c²``."""
    return (scatter + variances) / sizes


def ucpc(sizes: Array, scatter: Array, variances: Array) -> Array:
    """Return expected squares to a copy of the centroid: ``Psi/c + Phi - |U|²/c``."""
    return scatter + variances * (1.0 + 1.0 / sizes)


@dataclass
class ClusterMoments:
    """Moments of all clusters; adding or removing a member takes O(d).

    `sizes` (n_clusters,): number of members, at least one. `centers` (n_clusters,
    n_features): mean of the members' means. `scatter` (n_clusters,): sum of the squared
    distances of the members' means to the center. `variances` (n_clusters,): sum of the
    members' total variances.
    """

    sizes: Array
    centers: Array
    scatter: Array
    variances: Array

    @classmethod
    def of(
        cls, means: Array, variances: Array, labels: Indices, n_clusters: int
    ) -> Self:
        """Compute the moments of a partition without empty clusters."""
        sizes = np.bincount(labels, minlength=n_clusters).astype(np.float64)
        centers = mean_by_cluster(means, labels, sizes)
        apart = np.square(means - centers[labels]).sum(axis=1)
        return cls(
            sizes,
            centers,
            sum_by_cluster(apart, labels, n_clusters),
            sum_by_cluster(variances, labels, n_clusters),
        )

    def add(self, cluster: int, mean: Array, variance: float) -> None:
        """Add an object to a cluster."""
        c = self.sizes[cluster]
        apart = mean - self.centers[cluster]
        self.scatter[cluster] += c / (c + 1.0) * (apart @ apart)
        self.centers[cluster] += apart / (c + 1.0)
        self.variances[cluster] += variance
        self.sizes[cluster] += 1.0

    def remove(self, cluster: int, mean: Array, variance: float) -> None:
        """Remove an object from a cluster with other members."""
        c = self.sizes[cluster]
        apart = mean - self.centers[cluster]
        self.scatter[cluster] -= c / (c - 1.0) * (apart @ apart)
        self.centers[cluster] -= apart / (c - 1.0)
        self.variances[cluster] -= variance
        self.sizes[cluster] -= 1.0

    def total(self, objective: Objective) -> float:
        """Return the sum of an objective over all clusters."""
        return float(objective(self.sizes, self.scatter, self.variances).sum())


def sum_by_cluster(numbers: Array, labels: Indices, n_clusters: int) -> Array:
    """Return the sum of the numbers of each cluster."""
    return np.bincount(labels, numbers, n_clusters).astype(np.float64, copy=False)


def mean_by_cluster(rows: Array, labels: Indices, sizes: Array | Indices) -> Array:
    """Return the mean of the rows of each cluster."""
    sums = [sum_by_cluster(column, labels, len(sizes)) for column in rows.T]
    return np.stack(sums, axis=1) / sizes[:, None]


ROUNDING = 64 * float(np.finfo(np.float64).eps)
LEAST_WIDTH, MOST_WIDTH = 16, 4096


class Sweep(NamedTuple):
    """The state after a pass over all objects."""

    labels: Indices
    objective: float  # never rises from one sweep to the next
    n_moved: int  # 0 if no single move lowers the objective


def relocation_sweeps(
    means: Array,
    variances: Array,
    labels: Indices,
    n_clusters: int,
    objective: Objective,
) -> Iterator[Sweep]:
    """Move objects one at a time while the objective falls; yield after each sweep.

    A cluster keeps its last member. A move must gain more than rounding errors. `means`
    are centered, `variances` totals, and no cluster of `labels` is empty.
    """
    labels = labels.copy()
    squares = np.square(means).sum(axis=1)
    size = float(squares.max())
    doubt = ROUNDING * size
    clusters = ClusterMoments.of(means, variances, labels, n_clusters)
    while True:
        total = clusters.total(objective)
        # Rounding errors of a total, and of a distance between far means.
        least = ROUNDING * np.sqrt(total) * (np.sqrt(total) + np.sqrt(size))
        least += ROUNDING**2 * size
        n_moved, start, width = 0, 0, LEAST_WIDTH
        while start < len(labels):
            part = slice(start, start + width)
            some = means[part], variances[part], squares[part], labels[part]
            move = _first_move(*some, clusters, objective, float(least), doubt)
            if move is None:
                start, width = start + width, min(2 * width, MOST_WIDTH)
                continue
            i, target = start + move[0], move[1]
            clusters.remove(int(labels[i]), means[i], variances[i])
            clusters.add(target, means[i], variances[i])
            labels[i] = target
            n_moved += 1
            # Changes computed for the rest are outdated. A similar number may stay.
            start, width = i + 1, max(LEAST_WIDTH, 2 * (move[0] + 1))
        # Recompute, so that the rounding errors of many updates do not add up.
        clusters = ClusterMoments.of(means, variances, labels, n_clusters)
        yield Sweep(labels.copy(), clusters.total(objective), n_moved)


def changes(
    clusters: ClusterMoments,
    objective: Objective,
    apart: Array,
    variances: Array,
    labels: Indices,
) -> Array:
    """Return the change of the total for each move (n, k); infinite if impossible."""
    sizes, scatter, psi = clusters.sizes, clusters.scatter, clusters.variances
    now = objective(sizes, scatter, psi)
    more = sizes + 1.0
    change = objective(more, scatter + sizes / more * apart, psi + variances[:, None])
    change -= now
    rows = np.arange(len(labels))
    c = sizes[labels]
    fewer = np.maximum(c - 1.0, 1.0)
    left = scatter[labels] - c / fewer * apart[rows, labels]
    leaving = objective(fewer, left, psi[labels] - variances) - now[labels]
    leaving[c == 1.0] = np.inf
    change += leaving[:, None]
    change[rows, labels] = np.inf
    return change


def _first_move(
    means: Array,
    variances: Array,
    squares: Array,
    labels: Indices,
    clusters: ClusterMoments,
    objective: Objective,
    least: float,
    doubt: float,
) -> tuple[int, int] | None:
    """Return the first object that gains by a move, and its new cluster."""
    centers = clusters.centers
    lengths = np.square(centers).sum(axis=1)
    apart = means @ (-2.0 * centers.T)
    apart += lengths
    apart += squares[:, None]
    change = changes(clusters, objective, apart, variances, labels)
    best = change.min(axis=1)
    # Products round by at most `doubt`: recompute gains that are nearer to zero.
    near = (best < doubt - least).nonzero()[0]
    if len(near) and best[near[0]] >= -doubt - least:
        apart = cdist(means[near], centers, "sqeuclidean")
        change[near] = changes(
            clusters, objective, apart, variances[near], labels[near]
        )
        near = near[change[near].min(axis=1) < -least]
    if not len(near):
        return None
    first = int(near[0])
    return first, int(change[first].argmin())


def best_relocation(
    means: Array,
    variances: Array,
    n_clusters: int,
    objective: Objective,
    *,
    init: str,
    n_init: int,
    max_iter: int,
    seed: int,
) -> list[Sweep]:
    """Return the sweeps of the best start; `init` names the initial partitions."""
    random_state = np.random.RandomState(seed % 2**32)
    n, k = len(means), n_clusters
    # With one cluster, or one object in each, all starts are the same partition.
    n_init = n_init if 1 < k < n else 1
    best: list[Sweep] = []
    starts = track(n_init, "starts")
    for _ in range(n_init):
        if init == "random":
            start = random_partition(n, k, random_state)
        else:
            start = seeded_partition(means, k, random_state)
        history = []
        sweeps = relocation_sweeps(means, variances, start, k, objective)
        for sweep in islice(sweeps, max_iter):
            history.append(sweep)
            if not sweep.n_moved:
                break
        if not best or history[-1].objective < best[-1].objective:
            best = history
        next(starts)
    return best


ROUNDS = 20


def seeded_partition(
    means: Array, n_clusters: int, random_state: np.random.RandomState
) -> Indices:
    """Draw seeds by k-means++, and improve them by k-means, which is faster."""
    seeds, _ = kmeans_plusplus(means, n_clusters, random_state=random_state)
    labels = _nearest_seeds(means, seeds)
    for _ in range(ROUNDS):
        sizes = np.bincount(labels, minlength=n_clusters)
        before = labels
        labels = _nearest_seeds(means, mean_by_cluster(means, labels, sizes))
        if np.array_equal(labels, before):
            break
    return labels


def _nearest_seeds(means: Array, seeds: Array) -> Indices:
    labels = nearest_centers(means, seeds, np.zeros(len(seeds)))
    costs = np.square(means - seeds[labels]).sum(axis=1)
    return without_empty(labels, costs, len(seeds))


def random_partition(
    n_objects: int, n_clusters: int, random_state: np.random.RandomState
) -> Indices:
    """Return a random partition without empty clusters."""
    labels = random_state.randint(n_clusters, size=n_objects).astype(np.intp)
    first = random_state.permutation(n_objects)[:n_clusters]
    labels[first] = np.arange(n_clusters)
    return labels


def without_empty(labels: Indices, costs: Array, n_clusters: int) -> Indices:
    """Fill empty clusters with the objects of highest cost that are not alone."""
    sizes = np.bincount(labels, minlength=n_clusters)
    empty = iter(np.flatnonzero(sizes == 0).tolist())
    target = next(empty, None)
    if target is None:
        return labels
    labels = labels.copy()
    for i in np.argsort(-costs, kind="stable"):
        if target is None:
            break
        if sizes[labels[i]] > 1:
            sizes[labels[i]] -= 1
            labels[i] = target
            target = next(empty, None)
    return labels
