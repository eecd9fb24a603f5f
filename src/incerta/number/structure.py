"""How clustered data look: stability over worlds, and tightness of the means."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.cluster import kmeans_plusplus

from incerta.ensemble.runs import cluster_worlds
from incerta.ensemble.stability import mean_agreement
from incerta.typing import Array, Indices
from incerta.worlds import as_worlds

_N_STARTS = 5
_FIRST_ROUNDS = 4  # before all starts but the best are given up
_MEAN_ROUNDS, _WORLD_ROUNDS = 30, 5
# Clusters of coinciding objects have no dispersion, whose logarithm is taken.
_LEAST_PART = 1e-12


class Structure(NamedTuple):
    """What clusterings into each of several numbers of clusters look like."""

    stability: Array  # mean adjusted Rand index of pairs of worlds, (n_ks,)
    dispersion: Array  # of the means within the clusters of the worlds, (n_ks,)
    labels: Indices  # of the means, (n_ks, n_objects)

    def beyond(self, position: int) -> Structure:
        """The same without the numbers of clusters before a position."""
        rest = slice(position, None)
        return Structure(self.stability[rest], self.dispersion[rest], self.labels[rest])


def structure_of(
    means: Array, worlds: Array, ks: tuple[int, ...], method: Any, seed: int
) -> Structure:
    """Cluster all worlds into each number of clusters.

    Parameters
    ----------
    means : ndarray of shape (n_objects, n_features)
    worlds : ndarray of shape (n_worlds, n_objects, n_features)
    ks : tuple of int
        Numbers of clusters, from 1 to `n_objects`.
    method : "kmeans" or estimator
    seed : int

    Notes
    -----
    k-means is run on the means from several starts; the worlds start from the best
    centres of the means. So worlds differ by their values, not by their starts.
    Memory is that of n_worlds × n_objects × k numbers.
    """
    centre = means.mean(axis=0)
    means, worlds = means - centre, worlds - centre
    n = len(means)
    if isinstance(method, str):
        states = [seed % 2**31 + start for start in range(_N_STARTS)]
        # Seeds are drawn one after the other: the first k of them are seeds for k.
        starts = np.stack(
            [kmeans_plusplus(means, max(ks), random_state=s)[0] for s in states]
        )
    stability, dispersion = np.ones(len(ks)), np.empty(len(ks))
    labels = np.zeros((len(ks), n), dtype=np.intp)
    for j, k in enumerate(ks):
        if k == 1:
            per_world = np.zeros((1, n), dtype=np.intp)
        elif isinstance(method, str):
            labels[j], per_world = _by_kmeans(means, worlds, starts[:, :k])
        else:
            labels[j], per_world = _by_estimator(means, worlds, k, method, seed)
        stability[j] = mean_agreement(per_world)
        dispersion[j] = dispersions(means, per_world).mean()
    return Structure(stability, dispersion, labels)


def dispersions(means: Array, labels: Indices) -> Array:
    """Sum of squared distances of the means to the centres of their clusters.

    Parameters
    ----------
    means : ndarray of shape (n_objects, n_features)
        Centred at the origin.
    labels : ndarray of shape (n_clusterings, n_objects)
        Noise, -1, counts as a cluster.

    Returns
    -------
    ndarray of shape (n_clusterings,)
    """
    values = np.broadcast_to(means, (len(labels), *means.shape))
    codes = labels - labels.min()
    sums, sizes = _sums_by_cluster(values, codes, int(codes.max()) + 1)
    explained = np.square(sums).sum(axis=2) / np.maximum(sizes, 1)
    total = np.square(means).sum()
    # Below this part of the total the difference is rounding.
    least = max(_LEAST_PART * total, np.finfo(np.float64).tiny)
    return np.maximum(total - explained.sum(axis=1), least)


def lloyd(values: Array, centres: Array, n_rounds: int) -> tuple[Indices, Array]:
    """Rounds of k-means in several worlds side by side.

    Parameters
    ----------
    values : ndarray of shape (n_worlds, n_objects, n_features)
    centres : ndarray of shape (n_worlds, n_clusters, n_features)
        Where to start.
    n_rounds : int
        Maximum number of rounds; a world that no longer changes is left alone.

    Returns
    -------
    labels : ndarray of shape (n_worlds, n_objects)
        Nearest centres, of the round before the last.
    centres : ndarray of shape (n_worlds, n_clusters, n_features)
        Their means. A cluster without objects stays where it was.
    """
    centres = centres.copy()
    labels = np.full(values.shape[:2], -1, dtype=np.intp)
    moving = np.arange(len(values))
    for _ in range(n_rounds):
        here = centres[moving]
        costs = np.square(here).sum(axis=2)[:, None] - 2.0 * (
            values[moving] @ np.swapaxes(here, 1, 2)
        )
        found = costs.argmin(axis=2)
        changed = (found != labels[moving]).any(axis=1)
        moving, found = moving[changed], found[changed]
        if len(moving) == 0:
            break
        labels[moving] = found
        sums, sizes = _sums_by_cluster(values[moving], found, centres.shape[1])
        filled = (sizes > 0)[:, :, None]
        new = sums / np.maximum(sizes, 1)[:, :, None]
        centres[moving] = np.where(filled, new, centres[moving])
    return labels, centres


def _by_kmeans(means: Array, worlds: Array, starts: Array) -> tuple[Indices, Indices]:
    """Labels of the means and labels of the worlds."""
    repeated = np.broadcast_to(means, (len(starts), *means.shape))
    labels, centres = lloyd(repeated, starts, _FIRST_ROUNDS)
    best = dispersions(means, labels).argmin()
    labels, centres = lloyd(means[None], centres[best][None], _MEAN_ROUNDS)
    start = np.broadcast_to(centres[0], (len(worlds), *centres[0].shape))
    return labels[0], lloyd(worlds, start, _WORLD_ROUNDS)[0]


def _by_estimator(
    means: Array, worlds: Array, k: int, method: Any, seed: int
) -> tuple[Indices, Indices]:
    clusterer = clone(method).set_params(n_clusters=k)
    of_means = cluster_worlds(clusterer, as_worlds(means[None]), seed=seed)
    runs = cluster_worlds(clusterer, as_worlds(worlds), seed=seed)
    return of_means.labels[0], runs.labels[~runs.failed]


def _sums_by_cluster(
    values: Array, labels: Indices, n_clusters: int
) -> tuple[Array, Indices]:
    """Sums and sizes per world and cluster."""
    m, _, d = values.shape
    cells = labels + np.arange(m)[:, None] * n_clusters
    sizes = np.bincount(cells.ravel(), minlength=m * n_clusters)
    sums: Array = np.bincount(  # type: ignore[assignment]
        (cells[:, :, None] * d + np.arange(d)).ravel(),
        weights=values.ravel(),
        minlength=m * n_clusters * d,
    )
    return sums.reshape(m, n_clusters, d), sizes.reshape(m, n_clusters)
