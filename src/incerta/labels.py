"""Labels, counted from 0 with −1 for noise, and the probabilities of clusters."""

import numpy as np

from incerta.backend.memory import blocks
from incerta.typing import Array, Indices

# Shares of worlds that differ by less than this are equal.
ROUNDING = 1e-9


def in_order_of_appearance(labels: Indices) -> tuple[Indices, Indices]:
    """Number clusters as they first appear, keeping −1; return the old numbers too."""
    n = len(labels)
    # The last of repeated assignments stays: going backward, the first position.
    # One place more than there are clusters: noise, at −1, has the last place.
    first = np.full(int(labels.max()) + 2, n)
    first[labels[::-1]] = np.arange(n - 1, -1, -1)
    first[-1] = n
    order = np.argsort(first, kind="stable")[: int((first < n).sum())]
    rank = np.full(len(first), -1, dtype=np.intp)
    rank[order] = np.arange(len(order))
    return rank[labels], order


def numbered(labels: Indices, n_clusters: int, n_named: int = 0) -> Indices:
    """Order clusters: the first `n_named`, others as they appear, then empty ones.

    The order holds the old number of each new one. Label −1 is noise.
    """
    order = in_order_of_appearance(labels)[1]
    named = np.arange(n_named)
    order = np.concatenate([named, order[order >= n_named]])
    return with_empty_last(order, n_clusters)


def with_empty_last(order: Indices, n_clusters: int) -> Indices:
    """Append the clusters without objects to an order of clusters."""
    return np.concatenate([order, np.setdiff1d(np.arange(n_clusters), order)])


def shares(labels_per_world: Indices, n_clusters: int) -> Array:
    """Return the share of worlds with each object in each cluster, (n_objects, k)."""
    n_worlds, n_objects = labels_per_world.shape
    out = np.empty((n_objects, n_clusters))
    for part in blocks(n_objects, 8 * (3 * n_worlds + 2 * n_clusters)):
        some = labels_per_world[:, part]
        n = some.shape[1]
        # An extra column, dropped later, counts the noise.
        cells = np.arange(n) * (n_clusters + 1) + some + 1
        counts = np.bincount(cells.ravel(), minlength=n * (n_clusters + 1))
        out[part] = counts.reshape(n, n_clusters + 1)[:, 1:] / n_worlds
    return out


def mean_of_equals(rows: Array, first: Indices) -> Array:
    """Average rows over equal objects; `first` is the first equal one of each."""
    sums = np.zeros_like(rows)
    np.add.at(sums, first, rows)
    counts = np.bincount(first, minlength=len(rows))
    means: Array = sums[first] / counts[first][:, None]
    return means


def with_noise(membership: Array) -> Array:
    """Append the probability of noise, label −1, as a column."""
    return np.column_stack([membership, 1.0 - membership.sum(axis=1)])


def likeliest(membership: Array) -> Indices:
    """Return the most probable cluster of each object, or −1 for noise."""
    best = with_noise(membership).argmax(axis=1)
    return np.where(best == membership.shape[1], -1, best)


def confidence_of(labels: Indices, membership: Array) -> Array:
    """Return the probability of each object's label, noise included."""
    return with_noise(membership)[np.arange(len(labels)), labels]


def most_probable(labels: Indices, membership: Array) -> Indices:
    """Return the most probable cluster of each object; its label in case of ties."""
    best = likeliest(membership)
    gain = confidence_of(best, membership) - confidence_of(labels, membership)
    return np.where(gain > ROUNDING, best, labels)


def second_best(labels: Indices, membership: Array) -> Indices:
    """Return the second most probable cluster of each object; −1 for noise or none."""
    n, chances = len(labels), with_noise(membership)
    chances[np.arange(n), labels] = -1.0
    # The first one in case of ties; noise or none only if no cluster is better.
    best = chances.argmax(axis=1)
    likely = chances[np.arange(n), best] > 0.0
    return np.where(likely & (best < chances.shape[1] - 1), best, -1)


def label_sets(
    labels: Indices, membership: Array, coverage: float
) -> list[tuple[int, ...]]:
    """Return the fewest clusters that have the total probability `coverage`."""
    chances = with_noise(membership)
    first = np.zeros_like(chances)
    first[np.arange(len(first)), labels] = 1.0
    order = np.lexsort((-chances, -first), axis=1)
    sums = np.cumsum(np.take_along_axis(chances, order, axis=1), axis=1)
    sizes = 1 + (sums < coverage - ROUNDING).sum(axis=1)
    names = np.where(order == chances.shape[1] - 1, -1, order).tolist()
    return [tuple(row[:size]) for row, size in zip(names, sizes.tolist(), strict=True)]
