"""What others would have said, beside what was found: k-means, and alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from incerta.api.controls import filled_means, k_means_on_values
from incerta.metrics import ari
from incerta.plot.objects import separating_features
from incerta.report.plain import number, numbers, text
from incerta.typing import Array, Indices

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering

MOST_DOTS = 300  # of a small picture


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
    return renumbered(k_means_on_values(values, k, result.seed), result.labels)


def renumbered(labels: Indices, like: Indices) -> Indices:
    """Labels with the numbers of clusters that they share most objects with.

    Parameters
    ----------
    labels, like : ndarray of shape (n_objects,)
        −1 is noise, and stays so.

    Returns
    -------
    ndarray of shape (n_objects,)
        One to one; numbers that `like` does not have are left for those that remain.
    """
    both = (labels >= 0) & (like >= 0)
    k = int(max(labels.max(), like.max())) + 1
    overlap = np.zeros((k, k), dtype=np.intp)
    np.add.at(overlap, (labels[both], like[both]), 1)
    numbers = linear_sum_assignment(overlap, maximize=True)[1]
    return np.where(labels >= 0, numbers[labels], -1)


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


def alternatives(result: Clustering) -> dict[str, Any] | None:
    """Other clusterings that the data allow, with what small pictures of them need.

    Parameters
    ----------
    result : Clustering

    Returns
    -------
    dict or None
        ``axes``, the names of two features; ``x`` and ``y`` of some objects, from 0 to
        100; ``here``, their clusters in the result; ``found``, with ``weight``,
        ``what``, ``sizes`` of the clusters and ``cluster`` of these objects. None if
        there are none.
    """
    found = result.alternatives()
    if not found:
        return None
    data, labels = result.shown, result.labels
    n, means = len(labels), data.mean()
    pair = np.arange(min(data.n_features, 2))
    if data.n_features > 2:
        pair = separating_features(means, data.variance(), labels)
    rows = np.linspace(0, n - 1, min(n, MOST_DOTS)).astype(np.intp)
    places = [_from_0_to_100(means[:, j])[rows] for j in pair]
    if len(pair) == 1:  # against the place in the data
        places.append(_from_0_to_100(np.arange(float(n)))[rows])
    return {
        "axes": [text(data.feature_names[j]) for j in pair],
        "x": numbers(places[0].round(1)),
        "y": numbers(places[1].round(1)),
        "here": labels[rows].tolist(),
        "found": [
            {
                "weight": number(each.weight),
                "what": text(each.what),
                "sizes": np.bincount(own[own >= 0]).tolist(),
                "cluster": own[rows].tolist(),
            }
            for each in found
            for own in [renumbered(each.clustering.labels, labels)]
        ],
    }


def _from_0_to_100(column: Array) -> Array:
    """Places between the extremes, but for the last hundredth on either side."""
    low, high = np.nanquantile(column, [0.01, 0.99])
    return 100.0 * np.clip((column - low) / ((high - low) or 1.0), 0.0, 1.0)
