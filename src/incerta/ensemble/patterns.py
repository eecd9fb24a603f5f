"""Objects by what all worlds say about them: equal patterns are one, with a size."""

from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from incerta.backend.memory import blocks
from incerta.typing import Array, Indices

# Clusters per world above which a product of sparse matrices beats one with a dense.
MANY_CLUSTERS = 32


class Patterns(NamedTuple):
    """Distinct columns of labels, the most frequent first.

    `clusters` (n_worlds, n_patterns): cluster in each world, numbered through all
    worlds; -1 is alone. `starts` (n_worlds + 1,): first cluster of each world; the last
    entry is the number of all. `sizes` (n_patterns,): number of objects of each
    pattern. `of_object` (n_objects,): pattern of each object.
    """

    clusters: Indices
    starts: Indices
    sizes: Indices
    of_object: Indices

    @property
    def n_worlds(self) -> int:
        """Number of worlds."""
        return len(self.clusters)

    def one_hot(self, chosen: Any = slice(None)) -> sparse.csr_array:
        """Patterns × clusters of all worlds: 1 where the pattern is in the cluster."""
        clusters = self.clusters[:, chosen].T
        taken = clusters >= 0
        ends = np.concatenate([[0], np.cumsum(taken.sum(axis=1))])
        columns = clusters[taken]
        # scikit-learn takes sparse matrices only with short indices.
        short = np.int32 if ends[-1] < 2**31 else np.int64
        ones = np.ones(len(columns), dtype=np.float32)
        shape = (len(clusters), int(self.starts[-1]))
        return sparse.csr_array(
            (ones, columns.astype(short), ends.astype(short)), shape=shape
        )


def patterns(labels: Indices, noise: str) -> Patterns:
    """Find the distinct patterns of objects over the worlds.

    `labels` (n_worlds, n_objects): -1 is noise. `noise`: whether an object that is
    noise is alone, or together with all other noise.

    They are in order of size, then of appearance.

    A sort of the objects per world, and one of a hash of their patterns. The hash is
    checked, so that no two patterns are ever taken for one.
    """
    numbered, starts = _numbered(labels, noise)
    first, of_object = _equal_columns(numbered, int(starts[-1]))
    sizes = np.bincount(of_object)
    order = np.lexsort((first, -sizes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return Patterns(numbered[:, first[order]], starts, sizes[order], rank[of_object])


def together(rows: sparse.csr_array, columns: sparse.csr_array) -> Array:
    """Number of worlds in which two patterns are in the same cluster, for all pairs.

    `rows`, `columns` (n_rows, n_clusters): from `Patterns.one_hot`. There should be no
    more rows than columns.

    Returns (n_rows, n_columns): whole numbers.

    Each pair takes as many operations as there are worlds, or as many as the pair is
    together in where clusters are many.
    """
    n_rows, n_clusters = rows.shape
    if n_clusters * n_rows > MANY_CLUSTERS * max(rows.nnz, 1):
        return (rows @ columns.T).toarray()
    out = np.empty((n_rows, columns.shape[0]), dtype=np.float32)
    for part in blocks(n_rows, 4 * (n_clusters + columns.shape[0])):
        out[part] = (columns @ rows[part].T.toarray()).T
    return out  # type: ignore[return-value]


def _numbered(labels: Indices, noise: str) -> tuple[Indices, Indices]:
    """Number the clusters through all worlds, in each in order of appearance."""
    out = np.empty_like(labels)
    starts = np.zeros(len(labels) + 1, dtype=np.intp)
    for j, row in enumerate(labels):
        found, first, codes = np.unique(row, return_index=True, return_inverse=True)
        # Sorted, so that noise comes first: as one cluster, or as none.
        alone = int(noise == "separate" and found[0] < 0)
        starts[j + 1] = starts[j] + len(found) - alone
        number = np.full(len(found), -1, dtype=np.intp)
        number[alone + np.argsort(first[alone:])] = np.arange(*starts[j : j + 2])
        out[j] = number[codes]
    return out, starts


def _equal_columns(numbered: Indices, n_clusters: int) -> tuple[Indices, Indices]:
    """First of all equal columns, and for each column the place of that first."""
    keys = np.random.default_rng(0).integers(
        2**64, size=n_clusters + 1, dtype=np.uint64
    )
    n = numbered.shape[1]
    hashes = np.empty(n, dtype=np.uint64)
    for part in blocks(n, 16 * len(numbered)):
        # Clusters are numbered through, so a sum knows which world they are of; the
        # last key is that of -1.
        hashes[part] = keys[numbered[:, part]].sum(axis=0)
    _, first, place = np.unique(hashes, return_index=True, return_inverse=True)
    same = all(
        np.array_equal(numbered[:, part], numbered[:, first[place[part]]])
        for part in blocks(n, 16 * len(numbered))
    )
    if not same:
        _, first, place = np.unique(
            numbered, axis=1, return_index=True, return_inverse=True
        )
    return first, place.reshape(-1)
