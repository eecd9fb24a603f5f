"""What the objectives of the k-means family need to know about a cluster.

With c members of means mu and total variances s, a cluster is its size c, the sum U of
the mu, the sum Psi of the s, and the scatter ``S = sum |mu - U / c|²``. The sum of the
expected squares, ``Phi = S + Psi + |U|² / c``, is not kept: where clusters are small
and far apart, the difference between ``Phi`` and ``|U|² / c`` would have no digits
left.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from incerta.typing import Array, Indices

# Value of a cluster from its size c, scatter S and sum of variances Psi.
Objective = Callable[[Array, Array, Array], Array]


def uk(sizes: Array, scatter: Array, variances: Array) -> Array:
    """Sum of the expected squared distances to the mean: ``Phi - |U|² / c``."""
    return scatter + variances


def mmvar(sizes: Array, scatter: Array, variances: Array) -> Array:
    """Variance of the members' mixture: ``Phi / c - |U|² / c²``."""
    return (scatter + variances) / sizes


def ucpc(sizes: Array, scatter: Array, variances: Array) -> Array:
    """Sum of expected squares to a copy of the centroid: ``Psi/c + Phi - |U|²/c``."""
    return scatter + variances * (1.0 + 1.0 / sizes)


@dataclass
class ClusterMoments:
    """Moments of all clusters; each member added or taken away costs O(d).

    `sizes` (n_clusters,): number of members, at least one. `centres` (n_clusters,
    n_features): mean of the members' means. `scatter` (n_clusters,): sum of the squared
    distances of the members' means to the centre. `variances` (n_clusters,): sum of the
    members' total variances.
    """

    sizes: Array
    centres: Array
    scatter: Array
    variances: Array

    @classmethod
    def of(
        cls, means: Array, variances: Array, labels: Indices, n_clusters: int
    ) -> Self:
        """Moments of a partition without empty clusters, from scratch.

        `means` (n_objects, n_features). `variances` (n_objects,): total variance of
        each object: the sum over its features. `labels` (n_objects,).
        """
        sizes = np.bincount(labels, minlength=n_clusters).astype(np.float64)
        centres = mean_by_cluster(means, labels, sizes)
        apart = np.square(means - centres[labels]).sum(axis=1)
        return cls(
            sizes,
            centres,
            sum_by_cluster(apart, labels, n_clusters),
            sum_by_cluster(variances, labels, n_clusters),
        )

    def add(self, cluster: int, mean: Array, variance: float) -> None:
        """Add an object to a cluster."""
        c = self.sizes[cluster]
        apart = mean - self.centres[cluster]
        self.scatter[cluster] += c / (c + 1.0) * (apart @ apart)
        self.centres[cluster] += apart / (c + 1.0)
        self.variances[cluster] += variance
        self.sizes[cluster] += 1.0

    def remove(self, cluster: int, mean: Array, variance: float) -> None:
        """Take an object from a cluster that has others."""
        c = self.sizes[cluster]
        apart = mean - self.centres[cluster]
        self.scatter[cluster] -= c / (c - 1.0) * (apart @ apart)
        self.centres[cluster] -= apart / (c - 1.0)
        self.variances[cluster] -= variance
        self.sizes[cluster] -= 1.0

    def total(self, objective: Objective) -> float:
        """Sum of an objective over all clusters."""
        return float(objective(self.sizes, self.scatter, self.variances).sum())


def sum_by_cluster(numbers: Array, labels: Indices, n_clusters: int) -> Array:
    """Sum of the numbers of each cluster."""
    return np.bincount(labels, numbers, n_clusters).astype(np.float64, copy=False)


def mean_by_cluster(rows: Array, labels: Indices, sizes: Array | Indices) -> Array:
    """Mean of the rows of each cluster."""
    sums = [sum_by_cluster(column, labels, len(sizes)) for column in rows.T]
    return np.stack(sums, axis=1) / sizes[:, None]
