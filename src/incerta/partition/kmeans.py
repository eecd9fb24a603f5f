"""k-means on the means of objects, from one start at a time."""

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning

from incerta.data.container import UncertainData
from incerta.typing import Array, Indices


@dataclass(frozen=True, kw_only=True)
class KMeansRun:
    """One start of the algorithm and where it ended."""

    start: Array
    centres: Array
    labels: Indices
    cost: float  # of the distances, without what is the same for all partitions
    n_iter: int


def starts(
    means: Array, n_clusters: int, init: Any, n_init: int, seed: int
) -> Iterator[Array]:
    """Centres to start from, one set per run.

    `means` (n_objects, n_features). `init` (n_clusters, n_features): an array is the
    only start. `n_init`: number of starts.
    """
    rng = np.random.RandomState(seed % 2**32)
    if not isinstance(init, str):
        start = np.asarray(init, dtype=np.float64)
        if start.shape != (n_clusters, means.shape[1]):
            msg = (
                f"init has shape {start.shape}; it must hold one centre per "
                f"cluster: ({n_clusters}, {means.shape[1]})."
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
    """Expected squared distances: scikit-learn's k-means on the means.

    The variances of the objects add the same amount to every partition.

    `means` (n_objects, n_features): means of the objects.
    """

    def __init__(
        self, data: UncertainData, max_iter: int, tol: float, algorithm: str
    ) -> None:
        self._data, self.means = data, data.mean()
        self._how: Any = {"max_iter": max_iter, "tol": tol, "algorithm": algorithm}

    def run(self, start: Array) -> KMeansRun:
        """Follow one start to its end."""
        found = KMeans(len(start), init=start, n_init=1, **self._how).fit(self.means)
        return KMeansRun(
            start=start,
            centres=found.cluster_centers_,
            labels=found.labels_,
            cost=found.inertia_,
            n_iter=found.n_iter_,
        )

    def objectives(self, run: KMeansRun) -> list[float]:
        """Objective after each iteration of a run, whose iterations are repeated."""
        centres, fixed, out = run.start, self._fixed(), []
        for _ in range(run.n_iter):
            step = KMeans(len(centres), init=centres, n_init=1, max_iter=1, tol=0.0)
            with warnings.catch_warnings():
                # A cluster may be empty on the way; the fit has warned if it stayed so.
                warnings.simplefilter("ignore", ConvergenceWarning)
                centres = step.fit(self.means).cluster_centers_
            out.append(step.inertia_ + fixed)
        return out

    def inertia(self, run: KMeansRun) -> float:
        """Sum of the expected squared distances at the end of a run."""
        return run.cost + self._fixed()

    def _fixed(self) -> float:
        return float(self._data.variance().sum())
