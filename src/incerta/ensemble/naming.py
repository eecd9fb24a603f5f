"""The clusters of a world, in terms of those of a consensus."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from incerta.models.registry import stored
from incerta.typing import Array, Indices


@stored(names="i c", targets="i c")
class Renaming(NamedTuple):
    """What the clusters of one world are called in the consensus."""

    names: Indices  # in the world, in rising order
    targets: Indices  # in the consensus; -1 for clusters of its noise alone


def one_to_one(overlap: Array | Indices) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of rows and columns with the largest total overlap, each used once."""
    rows, columns = linear_sum_assignment(overlap, maximize=True)
    real = overlap[rows, columns] > 0
    return rows[real], columns[real]


def matched(overlap: Array | Indices) -> Indices:
    """Column of each row: one to one, then for rows left over the largest overlap.

    `overlap` (n_rows, n_columns): not negative.

    Returns (n_rows,): -1 for rows of zeros.
    """
    if overlap.shape[1] == 0:
        return np.full(len(overlap), -1, dtype=np.intp)
    targets = np.where(overlap.max(axis=1) > 0, overlap.argmax(axis=1), -1)
    rows, columns = one_to_one(overlap)
    targets[rows] = columns
    return targets


def renamings(
    labels_per_world: Indices, labels: Indices, n_clusters: int
) -> list[Renaming]:
    """Match the clusters of each world with those of the consensus, by overlap.

    `labels_per_world` (n_worlds, n_objects): -1 is noise. `labels` (n_objects,): the
    consensus, -1 for noise. `n_clusters`: number of its clusters.
    """
    found = []
    for row in labels_per_world:
        taken = np.flatnonzero(row >= 0)
        names, codes = np.unique(row[taken], return_inverse=True)
        targets = labels[taken]
        cells = codes * n_clusters + targets
        overlap = np.bincount(cells[targets >= 0], minlength=len(names) * n_clusters)
        found.append(Renaming(names, matched(overlap.reshape(len(names), n_clusters))))
    return found


def renamed(labels_per_world: Indices, names: Sequence[Renaming]) -> Indices:
    """Express the labels of each world in terms of the consensus.

    `labels_per_world` (n_worlds, n_objects): of the objects of the fit or of others; -1
    is noise. `names`: one for each world.

    Returns (n_worlds, n_objects): -1 for noise and for clusters without a name.
    """
    out = np.full_like(labels_per_world, -1)
    for row, renaming, to in zip(labels_per_world, names, out, strict=True):
        if len(renaming.names):
            place = np.searchsorted(renaming.names, row)
            place[place == len(renaming.names)] = 0
            known = renaming.names[place] == row
            to[known] = renaming.targets[place[known]]
    return out


def aligned(labels_per_world: Indices, labels: Indices, n_clusters: int) -> Indices:
    """Rename the clusters of each world to those of a consensus.

    One to one by the largest overlap; a cluster left over goes with the one that it
    overlaps most, or is noise if it overlaps none.

    `labels_per_world`, `labels`, `n_clusters`: as for `renamings`.

    Returns (n_worlds, n_objects): -1 stays -1.

    A sort of the objects and one assignment problem per world.

    >>> import numpy as np
    >>> aligned(np.array([[7, 7, 2, 2], [0, 1, 2, -1]]), np.array([0, 0, 1, 1]), 2)
    array([[ 0,  0,  1,  1],
           [ 0,  0,  1, -1]])
    """
    return renamed(labels_per_world, renamings(labels_per_world, labels, n_clusters))
