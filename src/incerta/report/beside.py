"""What k-means on the values would have said, beside what was found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from incerta.api.controls import filled_means, k_means_on_values
from incerta.metrics import ari
from incerta.typing import Indices

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering


def on_values(result: Clustering) -> Indices | None:
    """Labels by k-means on the means, on the scale that the estimator saw.

    Parameters
    ----------
    result : Clustering

    Returns
    -------
    ndarray of shape (n_objects,) or None
        Clusters have the number of that of `result` which they share most objects
        with, one to one. None if fewer than two clusters were found: there is nothing
        to compare.
    """
    k = result.n_clusters
    if k < 2:
        return None
    values = filled_means(result.data)
    if result.scaler is not None:
        values = (values - result.scaler.center_) / result.scaler.scale_
    found = k_means_on_values(values, k, result.seed)
    inside = result.labels >= 0
    overlap = np.zeros((k, k), dtype=np.intp)
    np.add.at(overlap, (found[inside], result.labels[inside]), 1)
    return np.asarray(linear_sum_assignment(overlap, maximize=True)[1][found])


def compared(result: Clustering, other: Indices | None, sure: float) -> Any:
    """How far other labels agree with those that were found.

    Parameters
    ----------
    result : Clustering
    other : ndarray of shape (n_objects,) or None
        From `on_values`.
    sure : float
        Least confidence of a label to be relied on.

    Returns
    -------
    dict or None
        ``ari``; ``n_changed``, the objects with another label, and how many of them
        are ``n_changed_unsure``; ``sizes`` of its clusters.
    """
    if other is None:
        return None
    changed = other != result.labels
    return {
        "ari": float(ari(result.labels, other)),
        "n_changed": int(changed.sum()),
        "n_changed_unsure": int((changed & (result.confidence < sure)).sum()),
        "sizes": np.bincount(other, minlength=result.n_clusters).tolist(),
    }
