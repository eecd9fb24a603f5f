"""From an embedding to clusters."""

import numpy as np
from sklearn.cluster import KMeans

from incerta.labels import in_order_of_appearance, with_empty_last
from incerta.typing import Array, Indices


def cut(
    rows: Array, n_clusters: int, n_init: int, seed: int, weights: Array | None = None
) -> tuple[Indices, Array]:
    """Cut an embedding by k-means, where objects may count for more than one.

    Returns `labels` (n_objects,). `centres` (n_clusters, k): in the order of the
    labels. Clusters without any object, which k-means leaves where objects coincide,
    come last.
    """
    model = KMeans(n_clusters, n_init=n_init, random_state=seed % 2**32)
    found = model.fit(rows, sample_weight=weights)
    labels, order = in_order_of_appearance(found.labels_)
    return labels, found.cluster_centers_[with_empty_last(order, n_clusters)]


def nearest(rows: Array, centres: Array) -> Indices:
    """Index of the nearest centre of each row, ties to the lowest."""
    squares = np.square(centres).sum(axis=1) - 2.0 * rows @ centres.T
    return squares.argmin(axis=1)
