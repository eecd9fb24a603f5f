"""How many clusters micro-clusters are parts of."""

import numpy as np

from incerta.lloyd import lloyd
from incerta.streams.sketch import Sketch
from incerta.typing import Array, Indices

N_STARTS = 4
# Part of the variance of all that is added to that of each cluster.
LEAST_VARIANCE = 1e-6


def number_of_clusters(sketch: Sketch, seed: int, most: int = 8) -> int:
    """Number of clusters that describes what came best, as Gaussians.

    k-means cuts the micro-clusters into 1, 2, ... parts; each part is a Gaussian, whose
    moments micro-clusters have. Each object counts for the part it is in, so that a
    single Gaussian is not cut in two: the number is that with the largest integrated
    classification likelihood. For data at rest, `incerta.choose_k` knows errors and
    references, and costs far more.

    `sketch`: the micro-clusters, one at least. `seed`: of the starts of k-means.
    `most`: largest number that is tried.

    >>> import numpy as np
    >>> import incerta as ic
    >>> from incerta.streams.number import number_of_clusters
    >>> rng = np.random.default_rng(0)
    >>> values = rng.choice([0.0, 9.0], size=(500, 1)) + rng.normal(size=(500, 1))
    >>> number_of_clusters(ic.UMicro().fit(values).micro_clusters_, seed=0)
    2
    """
    rng = np.random.default_rng(seed)
    found = [
        _score(sketch, lloyd(sketch.mean, k, N_STARTS, rng, sketch.weight).labels, k)
        for k in range(1, min(most, sketch.n) + 1)
    ]
    return int(np.argmax(found)) + 1


def _score(sketch: Sketch, labels: Indices, k: int) -> float:
    """Log-likelihood of objects with their parts, less what parameters cost."""
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
    """Covariance of objects; inside of micro-clusters features are taken apart."""
    weight = sketch.weight / sketch.weight.sum()
    gaps = sketch.mean - weight @ sketch.mean
    inside = sketch.scatter.sum(axis=0) / sketch.weight.sum()
    return np.asarray((gaps * weight[:, None]).T @ gaps + np.diag(inside))
