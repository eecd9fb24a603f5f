"""One clustering from several: what unlike views of the same objects agree on.

The clusters of a view span a space; the mean of the projections onto these spaces has
leading eigenvectors in which objects are near that are together in most views. Rows of
objects with the same labels in all views are equal, so that all is read off the tables
of how often two labels meet: nothing grows with the number of objects.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

from incerta.models.registry import stored
from incerta.spectral.embedding import of_unit_length
from incerta.typing import Array, Indices

KMEANS_STARTS = 5
# A view that agrees with none of the others counts for little, but not for nothing.
LEAST_WEIGHT = 1e-3


@stored(rows="f v k e", centres="f c e", names="i c")
class Fusion(NamedTuple):
    """How labels in all views give one cluster."""

    rows: Array  # (n_views, n_clusters, e), what each label adds to an object's row
    centres: Array  # (n_found, e), of the clusters, among rows of length 1
    names: Indices  # (n_found,), what the clusters are called

    def labels_of(self, labels: Indices) -> Indices:
        """Clusters of objects by their labels in all views, shape (n_views, n)."""
        rows = of_unit_length(_rows(self.rows, labels))
        halves = 0.5 * np.square(self.centres).sum(axis=1)
        nearest: Indices = (rows @ self.centres.T - halves).argmax(axis=1)
        return self.names[nearest]


def fused(labels: Indices, n_clusters: int, seed: int) -> Fusion:
    """Find the clusters that views agree on.

    Parameters
    ----------
    labels : ndarray of shape (n_views, n_objects)
        Labels in each view, below `n_clusters`.
    n_clusters : int
        Number of clusters, at most; fewer if fewer are told apart.
    seed : int
        Of k-means.

    Returns
    -------
    Fusion
    """
    n_views = len(labels)
    weights = agreement(labels)
    counts = np.array([np.bincount(row, minlength=n_clusters) for row in labels])
    scales = np.sqrt(weights[:, None] / np.maximum(counts, 1))
    scaled = np.zeros((n_views, n_clusters, n_views, n_clusters))
    for a in range(n_views):
        for b in range(n_views):
            cells = labels[a] * n_clusters + labels[b]
            met = np.bincount(cells, minlength=n_clusters**2)
            scaled[a, :, b] = met.reshape(n_clusters, n_clusters)
    scaled *= scales[:, :, None, None] * scales
    size = n_views * n_clusters
    values, vectors = np.linalg.eigh(scaled.reshape(size, size))
    values, vectors = values[-n_clusters:], vectors[:, -n_clusters:]
    vectors = vectors / np.sqrt(np.maximum(values, np.finfo(float).tiny))
    vectors[:, values <= 1e-12 * values[-1]] = 0.0
    rows = scales[:, :, None] * vectors.reshape(n_views, n_clusters, -1)

    kinds, sizes = np.unique(labels, axis=1, return_counts=True)
    places = of_unit_length(_rows(rows, kinds))
    if len(places) <= n_clusters:
        return Fusion(rows, places, np.arange(len(places)))
    kmeans = KMeans(n_clusters, n_init=KMEANS_STARTS, random_state=seed % 2**32)
    kmeans.fit(places, sample_weight=sizes)
    return Fusion(rows, kmeans.cluster_centers_, np.arange(n_clusters))


def agreement(labels: Indices) -> Array:
    """How much each view agrees with the others: mean NMI, scaled to a mean of 1."""
    n_views = len(labels)
    total = np.zeros(n_views)
    for a, b in combinations(range(n_views), 2):
        total[[a, b]] += normalized_mutual_info_score(labels[a], labels[b])
    total = np.maximum(total, LEAST_WEIGHT)
    return total / total.mean()


def _rows(rows: Array, labels: Indices) -> Array:
    total: Array = sum(of_view[own] for of_view, own in zip(rows, labels, strict=True))
    return total
