"""From a column of object ids to objects: which rows belong together."""

from typing import NamedTuple

import numpy as np

from incerta.typing import Ids, Indices


class Groups(NamedTuple):
    """Rows of the same object, put next to each other."""

    ids: Ids  # each object's id, in order of first appearance
    starts: Indices  # (n_objects + 1,), where each object's rows begin
    order: Indices | None  # rows in that order; None if they already are


def group_rows(labels: Ids) -> Groups:
    """Find the rows of each object.

    Files mostly hold an object's rows one after the other, so only the heads of
    such runs are compared: sorted input costs one pass and no sort.
    """
    n_rows = len(labels)
    changes = np.flatnonzero(labels[1:] != labels[:-1]) + 1
    heads = np.concatenate([[0], changes])
    names, first, code = np.unique(labels[heads], return_index=True, return_inverse=True)
    appearance = np.argsort(first)
    ids = names[appearance]
    if len(names) == len(heads):
        return Groups(ids, np.concatenate([heads, [n_rows]]), None)
    rank = np.empty_like(appearance)
    rank[appearance] = np.arange(len(names))
    row_code = np.repeat(rank[code], np.diff(np.concatenate([heads, [n_rows]])))
    order = np.argsort(row_code, kind="stable")
    counts = np.bincount(row_code, minlength=len(names))
    return Groups(ids, np.concatenate([[0], np.cumsum(counts)]), order)
