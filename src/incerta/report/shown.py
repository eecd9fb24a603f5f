"""Which objects a page holds, and where they lie in its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from incerta.plot.ellipses import separating_features
from incerta.report.plain import name, numbers, significant, text
from incerta.typing import Array, Indices

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering

MOST_ROWS = 5000
LEAST_CERTAIN_ROWS = 1000
# Of the objects in the table so many are drawn, and so many of them with ellipses.
MOST_POINTS = 2000
MOST_ELLIPSES = 1000
# Covariances of all pairs of these are in the page.
MOST_AXES = 6


def shown_objects(confidence: Array, most: int, least_certain: int) -> Indices:
    """Objects to show: all, or the least certain ones and some of the rest, evenly.

    Parameters
    ----------
    confidence : ndarray of shape (n_objects,)
    most : int
        How many may be shown.
    least_certain : int
        How many of them are the least certain ones.

    Returns
    -------
    ndarray of shape (n_shown,)
        Positions, rising.
    """
    n = len(confidence)
    if n <= most:
        return np.arange(n)
    order = np.argsort(confidence, kind="stable")
    rest = np.sort(order[least_certain:])
    even = np.linspace(0, len(rest) - 1, most - least_certain)
    return np.sort(np.concatenate([order[:least_certain], rest[even.astype(np.intp)]]))


def separation(means: Array, labels: Indices) -> Array:
    """Share of each feature's spread that lies between clusters.

    Parameters
    ----------
    means : ndarray of shape (n_objects, n_features)
    labels : ndarray of shape (n_objects,)
        −1 is noise, and not counted.

    Returns
    -------
    ndarray of shape (n_features,)
        From 0 to 1; 0 for a feature without spread.
    """
    inside = labels >= 0
    codes, values = labels[inside], means[inside]
    if len(codes) == 0:
        return np.zeros(means.shape[1])
    # Centred, as squares of large numbers would swallow small differences.
    values = values - values.mean(axis=0)
    sizes = np.bincount(codes)
    sums = np.stack([np.bincount(codes, weights=column) for column in values.T], axis=1)
    between = (np.square(sums) / np.maximum(sizes, 1)[:, None]).sum(axis=0)
    total = np.square(values).sum(axis=0)
    ratio = np.divide(between, total, out=np.zeros(len(total)), where=total > 0)
    return np.nan_to_num(ratio)


def picture(result: Clustering) -> dict[str, Any]:
    """What the scatter plot needs: means, and covariances for the ellipses.

    Parameters
    ----------
    result : Clustering

    Returns
    -------
    dict
        ``axes`` (names of what can be drawn, the confidence last), ``first`` (the two
        to begin with), ``values`` (per axis), ``covariances`` (per pair of features
        ``"i,j"``, i ≤ j), ``id``, ``cluster``, ``confidence``, ``n_objects``,
        ``n_ellipses``. All in the units of the data.

    Notes
    -----
    At most 2000 objects, chosen like the rows of the table; of more than six features,
    the six that separate the clusters best.
    """
    labels, confidence = result.labels, result.confidence
    rows = shown_objects(confidence, MOST_POINTS, MOST_POINTS // 4)
    means = result.data.mean()
    pair = np.arange(min(means.shape[1], 2))
    if means.shape[1] > 2:
        pair = separating_features(means, result.data.variance(), labels)
    best = np.argsort(-separation(means, labels), kind="stable")
    best = np.concatenate([pair, best[~np.isin(best, pair)]])
    offered = np.sort(best[:MOST_AXES])
    drawn = result.data[rows].select(offered.tolist())
    covariance = drawn.covariance()
    values = [*drawn.mean().T, np.nan_to_num(confidence[rows], nan=1.0)]
    # A single feature is drawn against the confidence, which comes after it.
    first = np.searchsorted(offered, pair).tolist() if len(pair) > 1 else [0, 1]
    return {
        "axes": [*(text(feature) for feature in drawn.feature_names), "confidence"],
        "first": first,
        "values": [numbers(significant(column)) for column in values],
        "covariances": {
            f"{i},{j}": numbers(significant(covariance[:, i, j]))
            for i in range(len(offered))
            for j in range(i, len(offered))
        },
        "id": [name(one) for one in result.ids[rows].tolist()],
        "cluster": labels[rows].tolist(),
        "confidence": numbers(confidence[rows]),
        "n_objects": len(labels),
        "n_ellipses": 0 if result.data.exact else min(len(rows), MOST_ELLIPSES),
    }
