"""Memberships of several views: one set of names, and their mean."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from incerta.typing import Array, Indices

# Rounds of naming clusters after their mean, which becomes clearer with each.
ROUNDS = 3


def named_after(membership: Array, reference: Array, n_named: int = 0) -> Indices:
    """Name clusters after those of a reference.

    Parameters
    ----------
    membership, reference : ndarray of shape (n, k)
        Probabilities of clusters, in any order.
    n_named : int, default=0
        The first so many clusters keep their names.

    Returns
    -------
    ndarray of shape (k,)
        The name of each cluster, by the assignment for which the sum of the products
        of probabilities of the same name is largest.
    """
    common = membership.T @ reference
    keep = np.arange(n_named)
    common[keep, keep] += 1.0 + len(membership)
    names: Indices = linear_sum_assignment(-common)[1]
    return names


def renamed(membership: Array, reference: Array, n_named: int = 0) -> Array:
    """Probabilities of clusters, named after those of a reference."""
    return membership[:, np.argsort(named_after(membership, reference, n_named))]


def in_one_naming(labels: Indices, first: Indices, k: int, n_named: int = 0) -> Indices:
    """Labels of several worlds, with common names.

    Parameters
    ----------
    labels : ndarray of shape (n_worlds, n_objects)
        Labels in each world, each with names of its own.
    first : ndarray of shape (n_objects,)
        Labels that lend their names to begin with; then it is the mean of the worlds,
        as errors may have blurred what worlds show.
    k : int
        Number of clusters.
    n_named : int, default=0
        The first so many clusters have their names already.

    Returns
    -------
    ndarray of shape (n_worlds, n_objects)
    """
    one = np.eye(k)
    reference = one[first]
    for _ in range(ROUNDS):
        labels = np.array(
            [named_after(one[row], reference, n_named)[row] for row in labels]
        )
        reference = one[labels].mean(axis=0)
    return labels


def stability(labels: Indices) -> float:
    """How alike the partitions of worlds are: the mean adjusted Rand index of pairs.

    Each world, a row of `labels`, is compared with the next.
    """
    if len(labels) < 2:
        return 1.0
    others = np.roll(labels, -1, axis=0)
    return float(np.mean([*map(adjusted_rand_score, labels, others)]))


def led_by(membership: Array, labels: Indices) -> Array:
    """Probabilities in which each object's label is the largest, or as large as it.

    Parameters
    ----------
    membership : ndarray of shape (n, k)
        Probabilities of clusters.
    labels : ndarray of shape (n,)
        One of the clusters for each object.

    Returns
    -------
    ndarray of shape (n, k)
        As much of the label is mixed in as that takes.
    """
    rows = np.arange(len(labels))
    lacks = membership.max(axis=1) - membership[rows, labels]
    more = (lacks / (1.0 + lacks))[:, None]
    return (1.0 - more) * membership + more * np.eye(membership.shape[1])[labels]
