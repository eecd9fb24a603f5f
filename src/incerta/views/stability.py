"""Which views find their clusters again: in other worlds, or in parts of the data.

A view that looks for what is not there finds something else each time; one that sees
clusters which others are blind to finds these again, however alone it is.

A. Ben-Hur, A. Elisseeff, I. Guyon, "A stability based method for discovering structure
in clustered data", Pacific Symposium on Biocomputing, 2002.
"""

from collections.abc import Sequence

import numpy as np

from incerta.typing import Array, Indices
from incerta.views.fusion import LEAST_WEIGHT, met, shared_information
from incerta.views.look import Effort, Look
from incerta.views.partition import seen

# Parts of exact data, and the share of the objects in each.
N_PARTS, SHARE = 8, 0.7


def in_worlds(labels: Sequence[Indices], k: int) -> Array:
    """How alike the clusters of each view are in worlds.

    Parameters
    ----------
    labels : sequence of ndarray of shape (n_views, n_objects)
        In each world.
    k : int
        Number of clusters.

    Returns
    -------
    ndarray of shape (n_views,)
        Mean normalised mutual information of each world and the next but one: of
        measured values, the next may be drawn from another prior.
    """
    others = [*labels[2:], *labels[:2]]
    tables = [
        [met(one, other, k) for one, other in zip(*pair, strict=True)]
        for pair in zip(labels, others, strict=False)
    ]
    return _mean(tables)


def in_parts(
    look: Look,
    k: int,
    of_laws: bool,
    effort: Effort,
    seed: int,
    known: Indices | None = None,
) -> Array:
    """How alike the clusters of each view are in parts of the objects.

    Parameters
    ----------
    look : Look
        All objects.
    k, of_laws, effort, seed, known
        As for `seen`.

    Returns
    -------
    ndarray of shape (n_views,)
        Mean normalised mutual information of the labels of objects that are in two
        parts; 1 for all views if objects are too few, or one cluster.
    """
    n = len(look.places)
    size = int(SHARE * n)
    if k == 1 or size < 2 * k:
        return np.ones(5 if of_laws else 4)
    rng = np.random.default_rng(seed)
    parts = [np.sort(rng.permutation(n)[:size]) for _ in range(N_PARTS)]
    found = []
    for number, part in enumerate(parts, seed + 1):
        told = None if known is None else known[part]
        views = seen(look.only(part), k, of_laws, effort, number, told)
        found.append(views.labels)
    tables = []
    for number, (part, labels) in enumerate(zip(parts, found, strict=True)):
        _, one, other = np.intersect1d(part, parts[number - 1], return_indices=True)
        pairs = zip(labels[:, one], found[number - 1][:, other], strict=True)
        tables.append([met(*pair, k) for pair in pairs])
    return _mean(tables)


def _mean(tables: Sequence[Sequence[Array]]) -> Array:
    """Of the information in tables of each pair and view."""
    alike: Array = shared_information(np.array(tables)).mean(axis=0)
    return np.maximum(alike, LEAST_WEIGHT)
