"""The thirteen methods of Table 2, each with the parameters of the table."""

from typing import Any, NamedTuple

import numpy as np
from sklearn.cluster import DBSCAN

from incerta.data import UncertainData
from incerta.density.persistence import knee, neighbor_distances
from incerta.estimators import FDBSCAN, FOPTICS, RPC, UKMeans, UKMedoids
from incerta.published import PDBSCAN, REP, SC, UCPC, CKMeans, MMVar
from incerta.typing import Array
from incerta.worlds import Worlds
from incerta.worlds.sequence import worlds_of
from paper.radius import expected_neighbor_distances
from paper.sets import Problem

N_WORLDS, N_REPRESENTATIVES = 100, 10

# These get the number of classes, as in the paper, and are not tuned.
BY_NUMBER = {
    "UK-means": UKMeans,
    "CK-means": CKMeans,
    "UK-medoids": UKMedoids,
    "MMVar": MMVar,
    "UCPC": UCPC,
    "RPC": RPC,
}
BY_PROBABILITY: dict[str, type[FDBSCAN | PDBSCAN]] = {
    "FDBSCAN": FDBSCAN,
    "PDBSCAN": PDBSCAN,
}
IN_WORLDS = ("SC", "REP", "RP-SC", "RP-REP")
# By the kind of search for parameters; the methods in a row share their work.
TUNED = {
    "probability": ("FDBSCAN", "PDBSCAN"),
    "order": ("FOPTICS",),
    "worlds": IN_WORLDS,
}
METHODS = (
    "UK-means",
    "CK-means",
    "UK-medoids",
    "MMVar",
    "UCPC",
    "FDBSCAN",
    "FOPTICS",
    "PDBSCAN",
    "SC",
    "REP",
    "RP-SC",
    "RP-REP",
    "RPC",
)

# Neighbors, and quantiles of the distances to them, to be tried as parameters.
MIN_SAMPLES = (3, 5, 10, 20)
MANY_FEATURES = 15
LEVELS = tuple(np.linspace(0.025, 0.975, 20).round(3).tolist())


class Point(NamedTuple):
    """Parameters of a tuned method.

    The radius is given by its rank among the distances to near objects, so that it
    has the same meaning for another draw of the data.
    """

    min_samples: int
    level: float


def is_tuned(method: str) -> bool:
    """Return whether a method has parameters that the paper chose with labels."""
    return method not in BY_NUMBER


def usual_neighbors(n_features: int) -> int:
    """Return the number of near objects that make a core object, without labels."""
    return int(np.clip(n_features + 1, 4, 20))


def near_distances(worlds: Worlds) -> Array:
    """Return distances to the 3rd, 5th, 10th and 20th neighbors in five worlds."""
    each = [neighbor_distances(worlds, m) for m in MIN_SAMPLES]
    return np.concatenate(each)


def expected_distances(data: UncertainData) -> Array:
    """Return expected distances, for methods that use probabilities of nearness."""
    each = [expected_neighbor_distances(data.law, m) for m in MIN_SAMPLES]
    return np.concatenate(each)


def distances_of(data: UncertainData) -> str:
    """Return the kind of distances: moments are faster if there are many features."""
    return "fast" if data.n_features > MANY_FEATURES else "exact"


def usual(method: str, problem: Problem) -> Any:
    """Return a method without labels, by the number of classes or by a knee.

    Parameters
    ----------
    method : str
        One of `METHODS`.
    problem : Problem
        The data of the fit.

    Returns
    -------
    estimator
        Not fitted yet.
    """
    k, seed = problem.n_clusters, problem.seed
    if method in BY_NUMBER:
        return BY_NUMBER[method](k, random_state=seed)
    m = usual_neighbors(problem.data.n_features)
    if method == "FOPTICS":
        return FOPTICS(m, n_clusters=k, random_state=seed)
    if method in BY_PROBABILITY:
        eps = knee(expected_neighbor_distances(problem.data.law, m))
        return _by_probability(method, problem, eps, m)
    worlds = worlds_of(problem.data, N_WORLDS, seed)
    eps = knee(neighbor_distances(worlds, m))
    return _in_worlds(method, eps, m, seed)


def tuned(method: str, problem: Problem, point: Point) -> Any:
    """Return a method with parameters chosen with labels.

    Parameters
    ----------
    method, problem
        As for `usual`; not FOPTICS, which has its own radii.
    point : Point

    Returns
    -------
    estimator
        Not fitted yet.
    """
    if method in BY_PROBABILITY:
        eps = float(np.quantile(expected_distances(problem.data), point.level))
        return _by_probability(method, problem, eps, point.min_samples)
    worlds = worlds_of(problem.data, N_WORLDS, problem.seed)
    eps = float(np.quantile(near_distances(worlds), point.level))
    return _in_worlds(method, eps, point.min_samples, problem.seed)


def _by_probability(method: str, problem: Problem, eps: float, min_samples: int) -> Any:
    return BY_PROBABILITY[method](
        eps,
        min_samples,
        distances=distances_of(problem.data),
        random_state=problem.seed,
    )


def _in_worlds(method: str, eps: float, min_samples: int, seed: int) -> Any:
    kept = N_REPRESENTATIVES if method.startswith("RP-") else None
    # Coinciding objects have a radius of 0, which DBSCAN does not accept.
    eps = max(eps, float(np.finfo(np.float64).tiny))
    if method.endswith("SC"):
        return SC(eps, min_samples, n_representatives=kept, random_state=seed)
    # All worlds may be chosen, as published, so the choice is not bounded.
    return REP(
        DBSCAN(eps=eps, min_samples=min_samples),
        n_representatives=kept,
        holdout=0.0,
        random_state=seed,
    )
