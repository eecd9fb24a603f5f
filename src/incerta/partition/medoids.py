"""k-medoids on a matrix of distances: ``distances[m, i]`` of medoid m, diagonal 0."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from incerta.backend.memory import blocks
from incerta.typing import Array, Indices

# Smaller relative gains are rounding errors, and could lead to an endless cycle.
ROUNDING = 1e-12


class Medoids(NamedTuple):
    """The state of a search."""

    medoids: Indices  # object number of the medoid of each cluster, all different
    objective: float  # sum of the distances to the nearest medoid
    converged: bool  # whether no step of the method lowers the objective


class Nearest(NamedTuple):
    """The nearest medoid of each object, and the cost of losing it."""

    slot: Indices  # number of the medoid among the k
    distance: Array
    loss: Array  # additional distance of the second nearest; infinite if k is 1


def seeds(distances: Array, n_clusters: int, rng: np.random.Generator) -> Indices:
    """Draw distinct medoids, far from each other (k-means++, greedy)."""
    n = len(distances)
    n_trials = 2 + int(np.log(n_clusters))
    chosen = [int(rng.integers(n))]
    cost = distances[chosen[0]]
    for _ in range(1, n_clusters):
        odds = cost.copy()
        odds[chosen] = 0.0
        total = odds.sum()
        if total == 0.0:  # all others coincide with a medoid, so any will do
            odds = np.ones(n)
            odds[chosen] = 0.0
            total = odds.sum()
        trials = rng.choice(n, size=n_trials, p=odds / total)
        costs = np.minimum(distances[trials], cost)
        best = int(costs.sum(axis=1).argmin())
        chosen.append(int(trials[best]))
        cost = costs[best]
    return np.array(chosen)


def assign(distances: Array, medoids: Indices) -> Indices:
    """Return the nearest medoid of each object, the lowest in case of ties."""
    labels = distances[medoids].argmin(axis=0)
    # A medoid at distance 0 from another one keeps its cluster.
    labels[medoids] = np.arange(len(medoids))
    return labels


def swap_passes(distances: Array, medoids: Indices) -> Iterator[Medoids]:
    """Swap medoids for other objects as long as that helps (FasterPAM).

    Each object in turn is a candidate for replacing a medoid, and its best swap is made
    at once if it lowers the objective. Yields a state after each pass, and ends after n
    candidates without a swap. A candidate takes n + k operations, and a swap n k.
    """
    n, k = len(distances), len(medoids)
    medoids = medoids.copy()
    rows = distances[medoids]
    nearest = _nearest(rows)
    objective = float(nearest.distance.sum())
    declined = 0
    while True:
        for candidate in range(n):
            declined += 1
            if declined > n:
                yield Medoids(medoids.copy(), objective, True)
                return
            row = distances[candidate]
            gap = row - nearest.distance
            # Objects nearer to the candidate gain whichever medoid leaves ...
            gained = np.minimum(gap, 0.0).sum()
            # ... and those of the leaving medoid go to the candidate or their second.
            lost = np.minimum(np.maximum(gap, 0.0), nearest.loss)
            change = np.bincount(nearest.slot, weights=lost, minlength=k)
            slot = int(change.argmin())
            # A medoid as candidate gains nothing, so it is always declined.
            if change[slot] + gained >= -ROUNDING * objective:
                continue
            medoids[slot] = candidate
            rows[slot] = row
            nearest = _nearest(rows)
            objective = float(nearest.distance.sum())
            declined = 0
        yield Medoids(medoids.copy(), objective, declined >= n)
        if declined >= n:
            return


def alternate_rounds(distances: Array, medoids: Indices) -> Iterator[Medoids]:
    """Alternate between clusters and their medoids, as UK-medoids was published."""
    labels = assign(distances, medoids)
    while True:
        moved = np.array(
            [
                _middle(distances, np.flatnonzero(labels == cluster), medoid)
                for cluster, medoid in enumerate(medoids)
            ]
        )
        converged = bool((moved == medoids).all())
        medoids = moved
        labels = assign(distances, medoids)
        objective = float(distances[medoids].min(axis=0).sum())
        yield Medoids(medoids, objective, converged)
        if converged:
            return


METHODS: dict[str, Callable[[Array, Indices], Iterator[Medoids]]] = {
    "fasterpam": swap_passes,
    "alternate": alternate_rounds,
}


def _nearest(rows: Array) -> Nearest:
    """Return the nearest of the medoids with the given rows."""
    slot = rows.argmin(axis=0)
    objects = np.arange(rows.shape[1])
    distance = rows[slot, objects]
    others = rows.copy()
    others[slot, objects] = np.inf
    return Nearest(slot, distance, others.min(axis=0) - distance)


def _middle(distances: Array, members: Indices, medoid: int) -> int:
    """Return the member with the least sum of distances; the old medoid on a tie."""
    sums = np.empty(len(members))
    for part in blocks(len(members), 8 * len(members)):
        sums[part] = distances[np.ix_(members[part], members)].sum(axis=1)
    best = int(sums.argmin())
    old = sums[np.searchsorted(members, medoid)]
    return int(members[best]) if sums[best] < (1.0 - ROUNDING) * old else int(medoid)
