"""Common names for the clusters of worlds, if they have clusters in common."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from incerta.divergence.clusterings import ari_matrix
from incerta.ensemble.naming import matched
from incerta.known import kept
from incerta.typing import Array, Indices
from incerta.views.partition import Partition, Seen

# Clusters are others if they are less than half as alike as those of one origin. That
# share was 0.15 for rings and two priors, 0.5 for a clump, and above 0.65 elsewhere.
AT_ODDS = 0.5
# Worlds that are less alike than this have no clusters that could be others.
LEAST_ALIKE = 0.1


def at_odds(labels: Indices) -> bool:
    """Whether worlds that are drawn by turns from two priors have other clusters.

    Parameters
    ----------
    labels : ndarray of shape (n_worlds, n_objects)
        In each world.

    Returns
    -------
    bool
        Whether worlds of both priors differ by much more than those of one do. False
        with fewer than two worlds of each, or if those of one have nothing in common.
    """
    if len(labels) < 4:
        return False
    alike = ari_matrix(labels)
    between = alike[::2, 1::2].mean()
    one, other = (_with_others(alike[turn::2, turn::2]).mean() for turn in (0, 1))
    if min(one, other) < LEAST_ALIKE:
        return False
    return bool(between < AT_ODDS * np.sqrt(one * other))


def named_alike(
    partitions: Sequence[Partition],
    worlds: Sequence[Seen],
    given: Indices,
    k: int,
    known: Indices | None = None,
) -> list[Partition]:
    """Number the clusters of worlds alike.

    Parameters
    ----------
    partitions : sequence of Partition
        The clusters of each world.
    worlds : sequence of Seen
        What they were found with.
    given : ndarray of shape (n_objects,)
        Labels of the given data, which have the names.
    k : int
        Number of clusters.
    known : ndarray of shape (n_objects,), optional
        Labels that must stay, −1 where unknown.

    Returns
    -------
    list of Partition
    """
    labels = labels_in_worlds(partitions, worlds, known)
    number = typical(np.array([given, *labels]))
    reference = given
    if number:
        world = number - 1
        named = named_like(partitions[world], labels[world], given, k, known)
        reference = labels_in_worlds([named], [worlds[world]], known)[0]
    return [
        named_like(one, own, reference, k, known)
        for one, own in zip(partitions, labels, strict=True)
    ]


def labels_in_worlds(
    partitions: Sequence[Partition], worlds: Sequence[Seen], known: Indices | None
) -> list[Indices]:
    """Clusters of all objects in each world."""
    pairs = zip(partitions, worlds, strict=True)
    return [kept(one.fusion.labels_of(world.labels), known) for one, world in pairs]


def typical(labels: Indices) -> int:
    """Which clusters others are best named after.

    What errors have blurred may show other clusters than all worlds. Names by these
    would be an accident in each world.

    Parameters
    ----------
    labels : ndarray of shape (1 + n_worlds, n_objects)
        Of the given data, and in worlds.

    Returns
    -------
    int
        0, unless the first are less than half as much like those in worlds as these are
        like each other; then that which is most like the others.
    """
    if len(labels) < 3:
        return 0
    alike = ari_matrix(labels)
    likeness = _with_others(alike[1:, 1:])
    if alike[0, 1:].mean() >= AT_ODDS * likeness.mean():
        return 0
    return 1 + int(likeness.argmax())


def _with_others(alike: Array) -> Array:
    """Mean of each row but for the diagonal, which is 1."""
    means: Array = (alike.sum(axis=1) - 1.0) / (len(alike) - 1)
    return means


def named_like(
    partition: Partition,
    labels: Indices,
    reference: Indices,
    k: int,
    known: Indices | None = None,
) -> Partition:
    """Number the clusters as in a reference, by the objects they have in common.

    Parameters
    ----------
    partition : Partition
        The clusters.
    labels, reference : ndarray of shape (n_objects,)
        Of the same objects.
    k : int
        Number of clusters of the reference.
    known : ndarray of shape (n_objects,), optional
        Labels that both have in their places, −1 where unknown. One of them counts for
        more than all objects that have none.

    Returns
    -------
    Partition
    """
    found = int(partition.fusion.names.max()) + 1
    pairs = labels * k + reference
    overlap = np.bincount(pairs, minlength=found * k)
    if known is not None:
        sure = np.bincount(pairs[known >= 0], minlength=found * k)
        overlap = overlap + len(known) * sure
    overlap = overlap.reshape(found, k)
    return partition.renamed(np.maximum(matched(overlap), 0))
