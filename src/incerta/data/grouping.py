"""Group the rows of a table by object id."""

from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from incerta.typing import Ids, Indices


class Coded(NamedTuple):
    """A column of ids as numbers."""

    ids: Ids  # the different ids, in order of first appearance
    codes: Indices  # (n_rows,), position in `ids` of each row's id
    is_column: bool = True  # if False, rows are objects, numbered from 0

    def name(self, row: int) -> str:
        """Return the id of a row, as text for messages."""
        return str(self.ids[self.codes[row]])


class Groups(NamedTuple):
    """Rows grouped by object."""

    ids: Ids  # each object's id, in order of first appearance
    starts: Indices  # (n_objects + 1,), where each object's rows begin
    order: Indices | None  # rows in that order; None if they already are


def encode(labels: Ids) -> Coded:
    """Number the ids in order of first appearance."""
    # Only the heads of runs of equal ids are compared, so sorted input needs no sort.
    changes = np.flatnonzero(labels[1:] != labels[:-1]) + 1
    heads = np.concatenate([[0], changes])
    names, first, code = np.unique(
        labels[heads], return_index=True, return_inverse=True
    )
    ranked = by_appearance(first)
    codes = np.repeat(ranked[code], np.diff(np.concatenate([heads, [len(labels)]])))
    return Coded(names[np.argsort(first)], codes)


def by_appearance(first: Indices) -> Indices:
    """Return the rank of each id, given the row of its first appearance."""
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank


def group_codes(coded: Coded) -> Groups:
    """Put the rows of each object together, in their original order."""
    ids, codes = coded.ids, coded.codes
    counts = np.bincount(codes, minlength=len(ids))
    starts = np.concatenate([[0], np.cumsum(counts)])
    if (codes[1:] >= codes[:-1]).all():
        return Groups(ids, starts, None)
    # Transposing a matrix with a single entry per row is a counting sort: several
    # times faster than argsort, and as stable.
    n = len(codes)
    rows = csr_array((np.ones(n, np.bool_), codes, np.arange(n + 1)), (n, len(ids)))
    return Groups(ids, starts, rows.tocsc().indices.astype(np.intp, copy=False))
