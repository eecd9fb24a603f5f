"""Memberships of several views: one set of names, and their mean."""

from __future__ import annotations

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score

from incerta.typing import Array, Indices

# Rounds of naming clusters after their mean, which becomes clearer with each.
ROUNDS = 3


def named_after(membership: Array, reference: Array, n_named: int = 0) -> Indices:
    """The names of k clusters, of which the first so many have theirs already.

    They are those of the reference, by the assignment for which the sum of the products
    of probabilities of the same name is largest. Both are of shape (n, k).
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
    """Labels of several worlds, (n_worlds, n), with common names.

    The `first` labels lend their names to begin with; then it is the mean of the
    worlds, as errors may have blurred what worlds show.
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
    """Probabilities, (n, k), in which no cluster is more probable than the label.

    As much of the label is mixed in as that takes.
    """
    rows = np.arange(len(labels))
    lacks = membership.max(axis=1) - membership[rows, labels]
    more = (lacks / (1.0 + lacks))[:, None]
    return (1.0 - more) * membership + more * np.eye(membership.shape[1])[labels]
