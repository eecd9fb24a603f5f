"""One clustering from several: what unlike views of the same objects agree on.

The clusters of a view span a space; the mean of the projections onto these spaces has
leading eigenvectors in which objects are near that are together in most views. Rows of
objects with the same labels in all views are equal, so that all is read off the tables
of how often two labels meet: nothing grows with the number of objects.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import entr

from incerta.lloyd import lloyd
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


def fused(
    labels: Indices,
    votes: Array,
    n_clusters: int,
    seed: int,
    known: Indices | None = None,
) -> Fusion:
    """Find the clusters that views agree on.

    Parameters
    ----------
    labels : ndarray of shape (n_views, n_objects)
        Labels in each view, below `n_clusters`.
    votes : ndarray of shape (n_views,)
        What each view counts for, beside its agreement with the others.
    n_clusters : int
        Number of clusters, at most; fewer if fewer are told apart.
    seed : int
        Of k-means.
    known : ndarray of shape (n_objects,), optional
        Labels that must stay, −1 where unknown. Views have them in their places.

    Returns
    -------
    Fusion
    """
    n_views, size = len(labels), len(labels) * n_clusters
    tables = np.array([[met(a, b, n_clusters) for b in labels] for a in labels])
    shared = shared_information(tables)
    weights = votes * agreement(shared)
    if known is not None and len(np.unique(known[known >= 0])) == n_clusters:
        # All clusters have the same names in all views, which can vote.
        alone = np.eye(n_clusters)
        return Fusion(weights[:, None, None] * alone, alone, np.arange(n_clusters))
    counts = np.array([np.bincount(row, minlength=n_clusters) for row in labels])
    scales = np.sqrt(weights[:, None] / np.maximum(counts, 1))
    scaled = tables.transpose(0, 2, 1, 3) * (scales[:, :, None, None] * scales)
    values, vectors = np.linalg.eigh(scaled.reshape(size, size))
    values, vectors = values[-n_clusters:], vectors[:, -n_clusters:]
    vectors = vectors / np.sqrt(np.maximum(values, np.finfo(float).tiny))
    vectors[:, values <= 1e-12 * values[-1]] = 0.0
    rows = scales[:, :, None] * vectors.reshape(n_views, n_clusters, -1)

    # Objects of one kind are apart if only one of them has a known label.
    told = labels if known is None else np.vstack([labels, known])
    kinds, sizes = np.unique(told, axis=1, return_counts=True)
    places = of_unit_length(_rows(rows, kinds[:n_views]))
    if len(places) <= n_clusters:
        return Fusion(rows, places, _names(kinds, n_views))
    rng = np.random.default_rng(seed)
    own = None if known is None else kinds[n_views]
    counts = sizes.astype(float)
    centres = lloyd(places, n_clusters, KMEANS_STARTS, rng, counts, own).centres
    found = Fusion(rows, centres, np.arange(n_clusters))

    # Where views have nothing in common, a mean of them may be like none. Then the view
    # that tells most about the others is better.
    together = found.labels_of(labels)
    own_tables = np.array([met(row, together, n_clusters) for row in labels])
    others = shared.sum(axis=1) - np.diag(shared)
    best = int(others.argmax())
    if shared_information(own_tables).sum() >= others[best]:
        return found
    rows = np.zeros((n_views, n_clusters, n_clusters))
    rows[best] = np.eye(n_clusters)
    return Fusion(rows, np.eye(n_clusters), np.arange(n_clusters))


def _names(kinds: Indices, n_views: int) -> Indices:
    """Names of few kinds: of known labels, if there are any; else as they come."""
    if len(kinds) == n_views:
        return np.arange(kinds.shape[1])
    # Views have known labels in their places: so each kind has a name in the first.
    return kinds[0]


def agreement(shared: Array) -> Array:
    """How much each view agrees with the others, scaled to a mean of 1.

    Parameters
    ----------
    shared : ndarray of shape (n_views, n_views)
        From `shared_information`.

    Returns
    -------
    ndarray of shape (n_views,)
    """
    total = np.maximum(shared.sum(axis=1) - np.diag(shared), LEAST_WEIGHT)
    return total / total.mean()


def shared_information(tables: Array) -> Array:
    """Normalised mutual information of labels by how often they meet.

    Parameters
    ----------
    tables : ndarray of shape (..., k, k)
        Number of objects with each pair of labels.

    Returns
    -------
    ndarray of shape (...)
        From 0 to 1; by the arithmetic mean of the entropies.
    """
    shares = tables / tables.sum(axis=(-2, -1), keepdims=True)
    both = entr(shares.sum(axis=-1)) + entr(shares.sum(axis=-2))
    most = 0.5 * both.sum(axis=-1)
    mutual = 2.0 * most - entr(shares).sum(axis=(-2, -1))
    known = most > np.finfo(float).eps
    # Two views that have one cluster each agree.
    return np.divide(mutual, most, out=np.ones_like(most), where=known)


def met(one: Indices, other: Indices, k: int) -> Array:
    """How often two labels meet, shape (k, k)."""
    return np.bincount(one * k + other, minlength=k * k).reshape(k, k).astype(float)


def _rows(rows: Array, labels: Indices) -> Array:
    total: Array = sum(of_view[own] for of_view, own in zip(rows, labels, strict=True))
    return total
