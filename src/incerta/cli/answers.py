"""What each method of ``incerta compare`` found, and what the controls did."""

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from incerta.data import UncertainData
    from incerta.typing import Array, Indices

# Clusterers of scikit-learn that take the values for exact.
CONTROLS = KMEANS, HDBSCAN = "k-means on the values", "HDBSCAN on the values"


class Answer(NamedTuple):
    """What a method found, and how long it took."""

    labels: "Indices"
    confidence: float  # mean over the objects; NaN if there is none
    seconds: float
    stability: float  # adjusted Rand index with a second run, with another seed


def answer(
    data: "UncertainData",
    k: int | str,
    name: str,
    seed: int,
    scale: bool,
    params: Mapping[str, Any],
) -> Answer:
    """Ask a method, and ask it again with another seed; see `incerta.cluster`."""
    from incerta.api.answer import cluster
    from incerta.metrics import ari

    start = time.perf_counter()
    first = cluster(data, k, name, seed, scale, params)
    seconds = time.perf_counter() - start
    second = cluster(data, k, name, seed + 1, scale, params)
    return Answer(
        first.labels,
        float(first.confidence.mean()),
        seconds,
        ari(first.labels, second.labels),
    )


def control(name: str, data: "UncertainData", k: int, seed: int, scale: bool) -> Answer:
    """Ask a control, and ask it again with another seed.

    Parameters
    ----------
    name : str
        `KMEANS` or `HDBSCAN`.
    data : UncertainData
        Its means are clustered; where there is none, that of the feature.
    k : int
        Number of clusters for k-means.
    seed : int
    scale : bool

    Returns
    -------
    Answer
    """
    from incerta.api.answer import scaled_by
    from incerta.api.controls import filled_means
    from incerta.metrics import ari

    start = time.perf_counter()
    values = filled_means(scaled_by(data, scale)[1])
    first = _labels(name, values, k, seed)
    seconds = time.perf_counter() - start
    second = _labels(name, values, k, seed + 1)
    return Answer(first, float("nan"), seconds, ari(first, second))


def _labels(name: str, values: "Array", k: int, seed: int) -> "Indices":
    from incerta.api.controls import k_means_on_values, labels_on_values

    if name == KMEANS:
        return k_means_on_values(values, k, seed)
    from sklearn import cluster

    return labels_on_values(cluster.HDBSCAN(copy=True), values)
