"""The grid search for parameters with labels.

The paper adjusts the parameters of seven methods for the best result. This module does
the same on the data of the first seed, and keeps the parameters for the other seeds.
Points of a grid share worlds, tables of probabilities and orderings.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.cluster import DBSCAN
from sklearn.metrics import normalized_mutual_info_score

from incerta.density.probabilities import grown, of_marginals, of_products
from incerta.density.within import within
from incerta.divergence.clusterings import ari_matrix
from incerta.ensemble.alternatives import alternatives
from incerta.ensemble.consensus import consensus
from incerta.ensemble.runs import cluster_worlds
from incerta.estimators import FOPTICS
from incerta.metrics import clustering_accuracy
from incerta.typing import Indices
from incerta.worlds.sequence import worlds_of
from paper.methods import (
    IN_WORLDS,
    LEVELS,
    MIN_SAMPLES,
    N_WORLDS,
    Point,
    distances_of,
    expected_distances,
    near_distances,
)
from paper.selected import selection_of
from paper.sets import Problem

# Probability from which an object is core, or reached, as in FDBSCAN.
THRESHOLD = 0.5
# A search can be interrupted between its parts.
N_PARTS = 4


class Trial(NamedTuple):
    """The score of a method at one point of the grid."""

    method: str
    min_samples: int
    level: float
    acc: float
    nmi: float
    n_clusters: int
    noise_share: float


def points_of(family: str, part: int) -> list[Point]:
    """Return the points of one part of a grid.

    Orderings are shared by all radii, and tables by all numbers of neighbors. Parts
    divide the grid so that they share neither.
    """
    if family == "order":
        return [Point(MIN_SAMPLES[part], level) for level in LEVELS]
    some = LEVELS[part * len(LEVELS) // N_PARTS : (part + 1) * len(LEVELS) // N_PARTS]
    return [Point(m, level) for level in some for m in MIN_SAMPLES]


def search(family: str, part: int, problem: Problem) -> list[Trial]:
    """Try the points of one part of a grid, for all methods of a family.

    Parameters
    ----------
    family : {"probability", "order", "worlds"}
        Family of methods; see `paper.methods.TUNED`.
    part : int
        Part of the grid, from 0.
    problem : Problem
        The data, and the labels for the scores.

    Returns
    -------
    list of Trial
    """
    labels_at = {
        "probability": _by_probability,
        "order": _by_order,
        "worlds": _in_worlds,
    }[family]
    points = points_of(family, part)
    return [
        _trial(method, point, labels, problem.target)
        for method, point, labels in labels_at(problem, points)
    ]


def best(trials: list[Trial]) -> Point:
    """Return the point with the best accuracy, the first in case of ties."""
    order = sorted(trials, key=lambda t: (-t.acc, t.min_samples, t.level))
    return Point(order[0].min_samples, order[0].level)


Found = Iterator[tuple[str, Point, Indices]]


def _by_probability(problem: Problem, points: list[Point]) -> Found:
    """Do as the fits of FDBSCAN and PDBSCAN, with one table per radius."""
    near = expected_distances(problem.data)
    fast = distances_of(problem.data) == "fast"
    for level in dict.fromkeys(point.level for point in points):
        eps = float(np.quantile(near, level))
        table = within(problem.data.law, eps, seed=problem.seed, fast=fast)
        for point in points:
            if point.level != level:
                continue
            m = point.min_samples
            removed = of_marginals(table, m, THRESHOLD)
            multiplied = of_products(table, m)
            for method, reach in (("FDBSCAN", removed), ("PDBSCAN", multiplied)):
                labels, _ = grown(reach, THRESHOLD, THRESHOLD, THRESHOLD)
                yield method, point, labels


def _by_order(problem: Problem, points: list[Point]) -> Found:
    """Cut one ordering per number of neighbors at quantiles of its reachabilities."""
    for m in dict.fromkeys(point.min_samples for point in points):
        fitted = ordered(problem, m)
        for point in points:
            if point.min_samples == m:
                yield "FOPTICS", point, cut_at(fitted, point.level)


def ordered(problem: Problem, min_samples: int) -> FOPTICS:
    """Return FOPTICS with an ordering, ready to be cut."""
    k = problem.n_clusters
    return FOPTICS(min_samples, n_clusters=k, random_state=problem.seed).fit(
        problem.data
    )


def cut_at(fitted: FOPTICS, level: float) -> Indices:
    """Return the clusters at a quantile of the reachabilities."""
    reached = fitted.reachability_[np.isfinite(fitted.reachability_)]
    return fitted.extract(eps=float(np.quantile(reached, level)))


def _in_worlds(problem: Problem, points: list[Point]) -> Found:
    """Do as the fits of SC and REP; RP-SC and RP-REP use some of the worlds."""
    worlds = worlds_of(problem.data, N_WORLDS, problem.seed)
    kept = selection_of(problem.setting).kept.positions
    near = near_distances(worlds)
    for point in points:
        eps = float(np.quantile(near, point.level))
        dbscan = DBSCAN(eps=eps, min_samples=point.min_samples)
        every = cluster_worlds(dbscan, worlds, seed=problem.seed).labels
        for method in IN_WORLDS:
            labels = every[kept] if method.startswith("RP-") else every
            joined = joint if method.endswith("SC") else representative
            yield method, point, joined(labels)


def joint(labels: Indices) -> Indices:
    """Return the consensus of the worlds (SC)."""
    return consensus(labels, "graph")


def representative(labels: Indices) -> Indices:
    """Return the clustering closest to all others (REP)."""
    apart = np.clip(1.0 - ari_matrix(labels, noise="singletons"), 0.0, None)
    found: Indices = labels[alternatives(apart).representatives[0]]
    return found


def _trial(method: str, point: Point, labels: Indices, target: Indices) -> Trial:
    return Trial(
        method,
        point.min_samples,
        point.level,
        clustering_accuracy(target, labels),
        normalized_mutual_info_score(target, labels),
        len(np.unique(labels[labels >= 0])),
        float((labels < 0).mean()),
    )
