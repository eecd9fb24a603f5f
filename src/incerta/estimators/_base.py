"""What all estimators share. scikit-learn's private names are imported here only."""

from typing import Any

import numpy as np
from sklearn.base import ClusterMixin
from sklearn.cluster import KMeans
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData
from incerta.typing import Array, Indices

__all__ = [
    "Interval",
    "StrOptions",
    "UncertainClusterMixin",
    "cut",
    "in_order_of_appearance",
    "likeliest",
    "nearest",
    "of_unit_length",
    "shares",
]


class UncertainClusterMixin(ClusterMixin):  # type: ignore[misc]
    """What all clusterers of uncertain data share."""

    def save(self, path: Any) -> None:
        """Write the fitted estimator to a file that `incerta.load` reads.

        Parameters
        ----------
        path : str or path-like
            Where to; an existing file is replaced when the new one is complete.
        """
        from incerta.models.files import save

        check_is_fitted(self)
        save(self, path)

    def _check_objects(self, X: Any) -> UncertainData:
        """Check parameters and input, in one place."""
        self._validate_params()
        data = objects_of(self, X)
        k = getattr(self, "n_clusters", 1)
        if isinstance(k, (int, np.integer)) and k > len(data):
            msg = (
                f"n_clusters={k} clusters cannot be made of {len(data)} objects "
                f"(n_samples={len(data)}); lower n_clusters."
            )
            raise ValueError(msg)
        return data


def in_order_of_appearance(labels: Indices) -> tuple[Indices, Indices]:
    """Number clusters in the order in which they first appear; −1 stays.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
    order : ndarray of shape (n_found,)
        The old number of each new one.
    """
    n = len(labels)
    # Of repeated assignments the last one stays: going backwards, the first place.
    # One place more than there are clusters: noise, at −1, has the last.
    first = np.full(int(labels.max()) + 2, n)
    first[labels[::-1]] = np.arange(n - 1, -1, -1)
    first[-1] = n
    order = np.argsort(first, kind="stable")[: int((first < n).sum())]
    rank = np.full(len(first), -1, dtype=np.intp)
    rank[order] = np.arange(len(order))
    return rank[labels], order


def cut(rows: Array, n_clusters: int, n_init: int, seed: int) -> tuple[Indices, Array]:
    """Cut an embedding by k-means.

    Returns
    -------
    labels : ndarray of shape (n_objects,), in order of appearance
    centres : ndarray of shape (n_clusters, k)
        In the order of the labels. Clusters without any object, which k-means leaves
        where objects coincide, come last.
    """
    found = KMeans(n_clusters, n_init=n_init, random_state=seed % 2**32).fit(rows)
    labels, order = in_order_of_appearance(found.labels_)
    empty = np.setdiff1d(np.arange(n_clusters), order)
    return labels, found.cluster_centers_[np.concatenate([order, empty])]


def of_unit_length(rows: Array) -> Array:
    """Scale rows to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def nearest(rows: Array, centres: Array) -> Indices:
    """Index of the nearest centre of each row, ties to the lowest."""
    squares = np.square(centres).sum(axis=1) - 2.0 * rows @ centres.T
    return squares.argmin(axis=1)


def likeliest(membership: Array) -> Indices:
    """Most probable cluster of each object, −1 where that is noise."""
    noise = 1.0 - membership.sum(axis=1, keepdims=True)
    best = np.hstack([membership, noise]).argmax(axis=1)
    return np.where(best == membership.shape[1], -1, best)


def shares(labels_per_world: Indices, n_clusters: int) -> Array:
    """Share of the worlds in which each object falls into each cluster, none for −1."""
    n_worlds, n_objects = labels_per_world.shape
    # One column more, to be left out, takes the noise.
    cells = np.arange(n_objects) * (n_clusters + 1) + labels_per_world + 1
    counts = np.bincount(cells.ravel(), minlength=n_objects * (n_clusters + 1))
    return counts.reshape(n_objects, n_clusters + 1)[:, 1:] / n_worlds
