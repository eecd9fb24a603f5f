"""The compared methods, on scaled data and with the number of clusters if needed."""

import os
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from ablations import ABLATIONS
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture

import incerta as ic
from incerta.api.comparison import filled_means

FIND_THEIR_OWN = ("FDBSCAN", "PDBSCAN")
OTHERS = ("UKMedoids", "MMVar", "UCPC", "FOPTICS", *FIND_THEIR_OWN)


class Answer(NamedTuple):
    labels: np.ndarray
    membership: np.ndarray | None = None


def by_kmeans(data, k, seed):
    values = filled_means(data)
    return Answer(KMeans(k, n_init=10, random_state=seed).fit_predict(values))


def by_weighted_kmeans(data, k, seed):
    values, errors = filled_means(data), data.variance().mean(axis=1)
    weights = 1.0 / (errors + values.var(axis=0).mean())
    kmeans = KMeans(k, n_init=10, random_state=seed)
    return Answer(kmeans.fit_predict(values, sample_weight=weights))


def by_neighbors(data, k, seed):
    values = filled_means(data)
    spectral = SpectralClustering(
        k,
        affinity="nearest_neighbors",
        n_neighbors=int(max(10, 2 * np.log2(len(values)))),
        random_state=seed,
    )
    return Answer(spectral.fit_predict(values))


def by_gaussian_mixture(data, k, seed):
    values = filled_means(data)
    found = GaussianMixture(k, n_init=5, reg_covar=1e-3, random_state=seed).fit(values)
    return Answer(found.predict(values), found.predict_proba(values))


def by_xdgmm(data, k, seed):
    try:
        from astroML.density_estimation import XDGMM
    except ImportError:
        return None
    values, errors = data.mean(), data.covariance()
    np.random.seed(seed)  # noqa: NPY002 (it has no other seed)
    try:
        model = XDGMM(k, max_iter=200, random_state=seed).fit(values, errors)
        logs = model.logprob_a(values, errors)
    except ValueError:  # a covariance has collapsed
        return Answer(np.zeros(len(values), dtype=int))
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return Answer(logs.argmax(axis=1), shares / shares.sum(axis=1, keepdims=True))


def by(method: Any) -> Callable[..., Answer]:
    """Run one of our methods as `cluster` does, with beliefs if needed."""

    def found(data, k, seed):
        k = "auto" if method in FIND_THEIR_OWN else k
        result = ic.cluster(data, k, method, seed, scale=False)
        return Answer(result.labels, result.membership)

    return found


def as_published(data, k, seed):
    """Run RPC as in the paper: the measured law is used as the law of the truth."""
    model = ic.RPC(k, random_state=seed).fit(data)
    return Answer(model.labels_, model.membership_)


def by_pygmmis(data, k, seed):
    try:
        import pygmmis
    except ImportError:
        return None
    values, errors = data.mean(), data.covariance()
    rng = np.random.RandomState(seed)
    model = pygmmis.GMM(K=k, D=values.shape[1])
    pygmmis.fit(model, values, covar=errors, w=1e-3, rng=rng)
    logs = np.array([model.logL_k(j, values, covar=errors) for j in range(k)]).T
    logs = logs + np.log(model.amp)
    shares = np.exp(logs - logs.max(axis=1, keepdims=True))
    return Answer(logs.argmax(axis=1), shares / shares.sum(axis=1, keepdims=True))


def ablated(method: Callable) -> Callable[..., Answer]:
    def found(data, k, seed):
        result = method(data, k, seed)
        return Answer(result.labels, result.membership)

    return found


METHODS = {
    "incerta": by("auto"),
    "k-means": by_kmeans,
    "weighted k-means": by_weighted_kmeans,
    "kNN spectral": by_neighbors,
    "GaussianMixture": by_gaussian_mixture,
    "XDGMM": by_xdgmm,
    "pygmmis": by_pygmmis,
    "ErrorMixture": by("ErrorMixture"),
    "UKMeans": by("UKMeans"),
    "RPC": by("RPC"),
    "RPC as published": as_published,
    **{name: by(name) for name in OTHERS},
    **{name: ablated(method) for name, method in ABLATIONS.items()},
}


def answer(method: str, data: ic.UncertainData, k: int, seed: int) -> Answer | None:
    """Run a method; return None if it cannot be run here."""
    os.environ["OMP_NUM_THREADS"] = "1"
    warnings.simplefilter("ignore")
    return METHODS[method](data, k, seed)
