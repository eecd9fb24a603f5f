"""Clusters of micro-clusters, and their number."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from incerta.backend.memory import blocks
from incerta.data.construct import from_gaussian
from incerta.data.container import UncertainData
from incerta.estimators import AutoClusterer, ErrorMixture
from incerta.labels import in_order_of_appearance
from incerta.lloyd import lloyd
from incerta.streams.sketch import Sketch, grouped
from incerta.typing import Array, Indices

METHODS = ("UKMeans", "ErrorMixture", "AutoClusterer")
# Number of objects that represent the stream, for methods without weights.
N_OBJECTS = 1000
N_STARTS = 10


def as_before(labels: Indices, sketch: Sketch, before: Mapping[int, int]) -> Indices:
    """Renumber clusters, 0 to k - 1, so that most of the weight keeps its number.

    `before` has the former numbers of clusters by ids of micro-clusters.
    """
    k = int(labels.max()) + 1
    had = np.array([before.get(id, k) for id in sketch.id.tolist()])
    known = np.flatnonzero(had < k)
    shared = np.zeros((k, k))
    np.add.at(shared, (labels[known], had[known]), sketch.weight[known])
    numbers: Indices = linear_sum_assignment(shared, maximize=True)[1]
    return numbers[labels]


def macro_labels(sketch: Sketch, n_clusters: int, method: str, seed: int) -> Indices:
    """Cluster micro-clusters by their weights; there may be fewer clusters.

    k-means takes the weighted centers. This is `UKMeans` on all objects if those of a
    micro-cluster stay together. Other methods get random objects: as many of each
    micro-cluster as its weight says, with its spread and errors. Clusters are in order
    of first appearance.
    """
    if method not in METHODS:
        msg = f"method={method!r} must be one of {', '.join(METHODS)}."
        raise ValueError(msg)
    if n_clusters < 1:
        msg = f"n_clusters={n_clusters!r} must be at least 1."
        raise ValueError(msg)
    n_clusters = min(n_clusters, sketch.n)
    rng = np.random.default_rng(seed)
    if method == "UKMeans":
        found = lloyd(sketch.mean, n_clusters, N_STARTS, rng, sketch.weight).labels
        return in_order_of_appearance(found)[0]
    data, rows = objects_like(sketch, rng)
    model: Any = {
        "ErrorMixture": ErrorMixture(n_clusters, random_state=seed),
        "AutoClusterer": AutoClusterer(n_clusters, random_state=seed),
    }[method]
    membership = model.fit(data).membership_
    total = np.zeros((sketch.n, membership.shape[1]))
    np.add.at(total, rows, membership)
    return in_order_of_appearance(total.argmax(axis=1))[0]


def nearest_labels(
    sketch: Sketch, labels: Indices, method: str, values: Array, variances: Array
) -> Indices:
    """Return the clusters of objects, given micro-clusters and their clusters.

    "UKMeans" takes the cluster with the nearest center, and other methods the cluster
    with the nearest micro-cluster.
    """
    if method == "UKMeans":
        k = int(labels.max()) + 1
        sketch, labels = grouped(sketch, labels, k), np.arange(k)
    out = np.empty(len(values), dtype=np.intp)
    for part in blocks(len(values), 8 * sketch.n):
        apart = sketch.squared_distances(values[part], variances[part])
        out[part] = labels[apart.argmin(axis=1)]
    return out


def objects_like(
    sketch: Sketch, rng: np.random.Generator
) -> tuple[UncertainData, Indices]:
    """Draw measured values from the micro-clusters, and the micro-cluster of each."""
    share = sketch.weight / sketch.weight.sum()
    counts = np.maximum(np.round(share * N_OBJECTS), 1).astype(np.intp)
    rows = np.repeat(np.arange(sketch.n), counts)
    weight = sketch.weight[:, None]
    spread, errors = np.sqrt(sketch.scatter / weight), np.sqrt(sketch.error / weight)
    unit = rng.normal(size=(len(rows), sketch.n_features))
    values = sketch.mean[rows] + spread[rows] * unit
    return from_gaussian(values, std=errors[rows]), rows


FEW_STARTS = 4
# Share of the total variance that is added to the variance of each cluster.
LEAST_VARIANCE = 1e-6


def number_of_clusters(sketch: Sketch, seed: int, most: int = 8) -> int:
    """Return the number of clusters that describes the stream best, as Gaussians.

    k-means cuts the micro-clusters into 1, 2, ... parts, each a Gaussian. The number
    has the largest integrated classification likelihood: an object counts only for its
    part, so a single Gaussian is not cut in two.
    """
    rng = np.random.default_rng(seed)
    scores = [
        _score(sketch, lloyd(sketch.mean, k, FEW_STARTS, rng, sketch.weight).labels, k)
        for k in range(1, min(most, sketch.n) + 1)
    ]
    return int(np.argmax(scores)) + 1


def _score(sketch: Sketch, labels: Indices, k: int) -> float:
    """Return the penalized log-likelihood of objects with their parts."""
    d, total = sketch.n_features, sketch.weight.sum()
    least = LEAST_VARIANCE * _covariance(sketch).diagonal()
    score = 0.0
    for c in range(k):
        part = sketch.only(np.flatnonzero(labels == c))
        if part.n == 0:
            return -np.inf
        weight = part.weight.sum()
        own = _covariance(part)
        own[np.diag_indices(d)] += np.where(least > 0.0, least, 1.0)
        score += weight * (np.log(weight / total) - 0.5 * np.linalg.slogdet(own)[1])
    n_parameters = k * (1.0 + d + d * (d + 1) / 2.0) - 1.0
    return float(score - 0.5 * n_parameters * np.log(max(total, 2.0)))


def _covariance(sketch: Sketch) -> Array:
    """Return the covariance of objects; within micro-clusters it is diagonal."""
    weight = sketch.weight / sketch.weight.sum()
    gaps = sketch.mean - weight @ sketch.mean
    inside = sketch.scatter.sum(axis=0) / sketch.weight.sum()
    return np.asarray((gaps * weight[:, None]).T @ gaps + np.diag(inside))
