"""Partitions to start from. None has an empty cluster."""

import numpy as np
from sklearn.cluster import kmeans_plusplus

from incerta.partition.moments import mean_by_cluster
from incerta.partition.shares import nearest_centres
from incerta.typing import Array, Indices

ROUNDS = 20


def seeded_partition(
    means: Array, n_clusters: int, random_state: np.random.RandomState
) -> Indices:
    """Draw seeds by k-means++ and improve them by a few rounds of k-means.

    A round of k-means moves many objects at once, which is far cheaper than one by one;
    what follows has little left to do.

    `means` (n_objects, n_features): means of the objects, centred: k-means++ squares
    them. `n_clusters`: at most `n_objects`.
    """
    seeds, _ = kmeans_plusplus(means, n_clusters, random_state=random_state)
    labels = _nearest_seeds(means, seeds)
    for _ in range(ROUNDS):
        sizes = np.bincount(labels, minlength=n_clusters)
        before = labels
        labels = _nearest_seeds(means, mean_by_cluster(means, labels, sizes))
        if np.array_equal(labels, before):
            break
    return labels


def _nearest_seeds(means: Array, seeds: Array) -> Indices:
    labels = nearest_centres(means, seeds, np.zeros(len(seeds)))
    costs = np.square(means - seeds[labels]).sum(axis=1)
    return without_empty(labels, costs, len(seeds))


def random_partition(
    n_objects: int, n_clusters: int, random_state: np.random.RandomState
) -> Indices:
    """Give each object a random cluster, and each cluster an object."""
    labels = random_state.randint(n_clusters, size=n_objects).astype(np.intp)
    first = random_state.permutation(n_objects)[:n_clusters]
    labels[first] = np.arange(n_clusters)
    return labels


def without_empty(labels: Indices, costs: Array, n_clusters: int) -> Indices:
    """Fill empty clusters with the objects that cost most where they are.

    `labels` (n_objects,): at least `n_clusters` of them. `costs` (n_objects,).

    Returns (n_objects,): no object leaves a cluster in which it is alone.
    """
    sizes = np.bincount(labels, minlength=n_clusters)
    empty = iter(np.flatnonzero(sizes == 0).tolist())
    target = next(empty, None)
    if target is None:
        return labels
    labels = labels.copy()
    for i in np.argsort(-costs, kind="stable"):
        if target is None:
            break
        if sizes[labels[i]] > 1:
            sizes[labels[i]] -= 1
            labels[i] = target
            target = next(empty, None)
    return labels
