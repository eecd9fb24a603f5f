"""Whom the laws are about, what they are asked, and what they answer."""

from functools import cache
from typing import NamedTuple

import numpy as np
from sklearn.cluster import AgglomerativeClustering
from sklearn.neighbors import KNeighborsClassifier

import incerta as ic
import incerta.classifiers
import incerta.estimators
import incerta.streams

NAMES = (
    *incerta.estimators.__all__,
    *incerta.classifiers.__all__,
    *incerta.streams.__all__,
)
CLASSIFIERS = frozenset(incerta.classifiers.__all__)
N_OBJECTS, N_NEW, N_FEATURES, N_DRAWS = 24, 8, 3, 7
# Small, so that laws are cheap to check. What is not named here is as by default.
PARAMETERS = {
    "AutoClusterer": {"n_worlds": 3},
    "RPC": {"n_representatives": 4, "tol": 1e-4, "n_init": 3},
    "ErrorMixture": {"n_components": 3, "n_init": 2},
    "FDBSCAN": {"min_samples": 3},
    "FOPTICS": {"min_samples": 3, "n_clusters": 3},
    "WorldConsensus": {"clusterer": AgglomerativeClustering(3)},
    "WorldsClassifier": {"classifier": KNeighborsClassifier(5)},
    "UMicro": {"n_micro_clusters": 6, "factor": 0.5},
    "SlidingUMicro": {"n_micro_clusters": 6, "factor": 0.5},
    "StreamRPC": {"n_micro_clusters": 12, "n_representatives": 4},
}


def made(name):
    """An estimator with few worlds, and a seed."""
    model = getattr(ic, name)(**PARAMETERS.get(name, {}))
    few = {"n_worlds": N_DRAWS} if "n_worlds" not in PARAMETERS.get(name, {}) else {}
    few["random_state"] = 0
    known = model.get_params()
    return model.set_params(**{k: v for k, v in few.items() if k in known})


class Task(NamedTuple):
    """Objects to learn from, new ones to tell about, and classes of the former."""

    data: ic.UncertainData
    new: ic.UncertainData
    y: np.ndarray


@cache
def task(kind):
    """Three groups that overlap, so that few answers are sure.

    All numbers are multiples of 1/64: shifts and powers of two round nothing.
    """
    rng = np.random.default_rng(7)
    n = N_OBJECTS + N_NEW
    y = np.arange(n) % 3
    centers = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 2.0], [0.0, 3.0, -2.0]])
    x = _rounded(centers[y] + rng.normal(size=(n, N_FEATURES)))
    error = _rounded(rng.uniform(0.3, 1.5, x.shape))
    ids = np.array([f"{'abc'[i % 3]}{i * 11 % n}" for i in range(n)])
    if kind == "points":
        data = ic.from_samples(x, ids)
    elif kind == "errors":
        data = ic.from_gaussian(x, std=error, ids=ids)
    elif kind == "values":
        objects = rng.permutation(np.repeat(np.arange(n), rng.integers(2, 6, size=n)))
        noise = error[objects] * rng.normal(size=(len(objects), N_FEATURES))
        data = ic.from_samples(_rounded(x[objects] + noise), ids[objects])
        y = y[[ids.tolist().index(i) for i in data.ids]]
    else:
        draws = x + error * rng.normal(size=(N_DRAWS, *x.shape))
        data = ic.from_worlds(_rounded(draws), ids=ids)
    return Task(data[:N_OBJECTS], data[N_OBJECTS:], y[:N_OBJECTS])


def _rounded(values):
    return np.round(values * 64) / 64


class Answer(NamedTuple):
    """What is said about objects, in the order of the rows of the task.

    Clusters are numbered as they appear in these rows.
    """

    labels: np.ndarray
    shares: np.ndarray | None
    new_labels: np.ndarray
    new_shares: np.ndarray | None


def fitted(name, some, **parameters):
    model = made(name).set_params(**parameters)
    return model.fit(some.data, some.y) if name in CLASSIFIERS else model.fit(some.data)


def answer(name, model, some, rows=None, new_rows=None):
    """Ask a fitted model; row i of the task is row ``rows[i]`` of its data."""
    rows = np.arange(len(some.data)) if rows is None else rows
    new_rows = np.arange(len(some.new)) if new_rows is None else new_rows
    new_labels, new_shares = told(model, some.new)
    new_labels = new_labels[new_rows]
    new_shares = None if new_shares is None else new_shares[new_rows]
    if name in CLASSIFIERS:
        labels, shares = told(model, some.data)
        return Answer(labels[rows], shares[rows], new_labels, new_shares)
    labels, shares = model.labels_[rows], getattr(model, "membership_", None)
    shares = None if shares is None else shares[rows]
    # Clusters that no object has come last, in the order they had.
    k = 1 + max(labels.max(), new_labels.max())
    k = k if shares is None else shares.shape[1]
    seen = dict.fromkeys([*labels[labels >= 0].tolist(), *range(k)])
    order = np.array(list(seen), dtype=int)
    number = np.append(np.argsort(order), -1)
    return Answer(
        number[labels],
        None if shares is None else shares[:, order],
        number[new_labels],
        None if new_shares is None else new_shares[:, order],
    )


def told(model, objects):
    """Labels and probabilities of objects, of those that give any."""
    asked = getattr(model, "predict_proba", None)
    return model.predict(objects), None if asked is None else asked(objects)


@cache
def usual(name, kind):
    """A model fitted to a task, and what it answers."""
    some = task(kind)
    model = fitted(name, some)
    return model, answer(name, model, some)


def apart(one, two):
    """Largest difference of two answers; inf if they name other clusters."""
    worst = 0.0
    for a, b in zip(one, two, strict=True):
        if a is None:
            continue
        if a.shape != b.shape:
            return np.inf
        if a.dtype.kind in "iU":
            worst = max(worst, 0.0 if (a == b).all() else np.inf)
        else:
            worst = max(worst, float(np.abs(a - b).max(initial=0.0)))
    return worst
