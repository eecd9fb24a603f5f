"""Values clustered as if they were exact: what an answer is held against."""

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from incerta.data.container import UncertainData
from incerta.labels import in_order_of_appearance
from incerta.typing import Array, Indices

# What scikit-learn takes for a seed.
MOST_SEEDS = 2**32


def filled_means(data: UncertainData) -> Array:
    """Means of objects; where there is none, that of the feature."""
    values = data.mean()
    gaps = np.isnan(values)
    return np.where(gaps, np.nanmean(values, axis=0), values) if gaps.any() else values


def labels_on_values(clusterer: Any, values: Array) -> Indices:
    """Labels by a clusterer of scikit-learn, in order of appearance."""
    with warnings.catch_warnings():
        # Of equal values fewer clusters are found than were asked for.
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = clusterer.fit_predict(values)
    return in_order_of_appearance(np.asarray(found, dtype=np.intp))[0]


def k_means_on_values(values: Array, k: int, seed: int) -> Indices:
    """Labels by the k-means of scikit-learn.

    Parameters
    ----------
    values : ndarray of shape (n_objects, n_features)
        On one scale, and without gaps; see `filled_means`.
    k : int
        Number of clusters.
    seed : int

    Returns
    -------
    ndarray of shape (n_objects,)
    """
    from sklearn.cluster import KMeans

    model = KMeans(k, n_init=10, random_state=seed)
    return labels_on_values(model, values)
