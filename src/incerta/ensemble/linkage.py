"""Linkage of objects by shares of worlds; objects with equal patterns are one."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from incerta.backend.memory import BLOCK_BYTES, blocks
from incerta.typing import Array, Indices

# Number of patterns of which all pairs are compared: a matrix of 200 MB.
MOST_PAIRS = 5000
# Rows compared with all others at a time; smaller groups get no bounds.
ROWS = 256
# Clusters per world above which a sparse product is faster than a dense one.
MANY_CLUSTERS = 32


@dataclass(frozen=True, kw_only=True, eq=False)
class Patterns:
    """Distinct columns of labels, the most frequent first.

    `clusters` (n_worlds, n_patterns): cluster in each world, numbered through all
    worlds; -1 is alone. `starts` (n_worlds + 1,): first cluster of each world; the last
    entry is the total number. `sizes` (n_patterns,): number of objects of each pattern.
    `of_object` (n_objects,): pattern of each object.
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
        """Return patterns × clusters of all worlds, 1 for patterns in the cluster."""
        clusters = self.clusters[:, chosen].T
        taken = clusters >= 0
        ends = np.concatenate([[0], np.cumsum(taken.sum(axis=1))])
        columns = clusters[taken]
        # scikit-learn requires sparse matrices with 32-bit indices.
        short = np.int32 if ends[-1] < 2**31 else np.int64
        ones = np.ones(len(columns), dtype=np.float32)
        shape = (len(clusters), int(self.starts[-1]))
        return sparse.csr_array(
            (ones, columns.astype(short), ends.astype(short)), shape=shape
        )


def patterns(labels: Indices, noise: str) -> Patterns:
    """Find the distinct patterns of objects over the worlds, by size, then appearance.

    With noise="separate" a noise object is alone, with "cluster" it is together with
    all other noise. Patterns are compared by a hash, which is verified.
    """
    numbered, starts = _numbered(labels, noise)
    first, of_object = _equal_columns(numbered, int(starts[-1]))
    sizes = np.bincount(of_object)
    order = np.lexsort((first, -sizes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return Patterns(
        clusters=numbered[:, first[order]],
        starts=starts,
        sizes=sizes[order],
        of_object=rank[of_object],
    )


def together(rows: sparse.csr_array, columns: sparse.csr_array) -> Array:
    """Return the number of worlds in which patterns are together, for all pairs.

    The arguments are rows of `Patterns.one_hot`, no more rows than columns. A pair
    takes n_worlds operations.
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
    """Return the first of all equal columns, and its place for each column."""
    keys = np.random.default_rng(0).integers(
        2**64, size=n_clusters + 1, dtype=np.uint64
    )
    n = numbered.shape[1]
    hashes = np.empty(n, dtype=np.uint64)
    for part in blocks(n, 16 * len(numbered)):
        # Clusters are numbered through, so each key has its world; the last is for -1.
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


def average_linkage(distances: Array, sizes: Indices) -> tuple[Indices, Array]:
    """Return merges by mean distance, (n − 1, 2), and their heights, not in order.

    A merge names one object of each of its two groups. Distances (n, n) are
    overwritten. Chains of nearest neighbors take n² operations; SciPy's linkage does
    not support sizes.
    """
    n = len(distances)
    weight = sizes.astype(np.float64)
    np.fill_diagonal(distances, np.inf)
    merges = np.empty((n - 1, 2), dtype=np.intp)
    heights = np.empty(n - 1)
    chain: list[int] = []
    alive = 0
    for step in range(n - 1):
        if not chain:
            while weight[alive] == 0:
                alive += 1
            chain.append(alive)
        while True:
            row = distances[chain[-1]]
            near = int(row.argmin())
            # In case of ties take the previous object, or the chain would not end.
            if len(chain) > 1 and row[chain[-2]] <= row[near]:
                break
            chain.append(near)
        gone, kept = chain.pop(), chain.pop()
        merges[step], heights[step] = (kept, gone), distances[kept, gone]
        both = weight[kept] + weight[gone]
        mean = weight[kept] * distances[kept] + weight[gone] * distances[gone]
        distances[kept] = distances[:, kept] = mean / both
        distances[gone] = distances[:, gone] = np.inf
        distances[kept, kept] = np.inf
        weight[kept], weight[gone] = both, 0.0
    return merges, heights


def linked_by_average(
    found: Patterns, n_clusters: int | None, threshold: float
) -> Indices:
    """Return the group of each pattern, by average linkage of a few thousand patterns.

    Without `n_clusters`, groups are merged as long as their objects are together in
    more than `threshold` of the worlds, on average.
    """
    one_hot = found.one_hot()
    shares = together(one_hot, one_hot) / float(found.n_worlds)
    merges, heights = average_linkage(1.0 - shares.astype(np.float64), found.sizes)
    if n_clusters is None:
        # Equal means of shares may differ in their last digits.
        merges = merges[heights < 1.0 - threshold - 1e-9]
    else:
        n_merges = max(len(heights) + 1 - n_clusters, 0)
        merges = merges[np.argsort(heights, kind="stable")[:n_merges]]
    return _connected(len(heights) + 1, merges)


def components(found: Patterns, threshold: float) -> Indices:
    """Return the components of patterns together in more than a share of the worlds.

    More than `MOST_PAIRS` patterns are first linked to a few frequent ones, the leaders
    ℓ. Groups are then compared if they can be linked: g and h are together in no more
    worlds than ℓ and h are together or ℓ and g apart. Pairs are never stored.
    """
    least = np.floor(threshold * found.n_worlds + 1e-9) + 1.0
    n = len(found.sizes)
    one_hot = found.one_hot()
    if n <= MOST_PAIRS:
        linked = [
            sparse.csr_array(together(one_hot[part], one_hot) >= least)
            for part in blocks(n, 16 * n)
        ]
        graph = sparse.vstack(linked)
        return connected_components(graph, directed=False)[1].astype(np.intp)
    return _joined(_around_leaders(one_hot, least), one_hot, least, found.n_worlds)


def _around_leaders(one_hot: sparse.csr_array, least: float) -> Indices:
    """Link every pattern to one of the first that it is together with."""
    n = one_hot.shape[0]
    left = np.arange(n)
    links = []
    while len(left):
        leaders = left[: _n_rows(len(left))]
        linked = together(one_hot[leaders], one_hot[left]) >= least
        linked[np.arange(len(leaders)), np.arange(len(leaders))] = True
        taken = linked.any(axis=0)
        links.append(
            np.column_stack([left[taken], leaders[linked[:, taken].argmax(0)]])
        )
        left = left[~taken]
    return _connected(n, np.concatenate(links))


def _joined(
    group: Indices, one_hot: sparse.csr_array, least: float, n_worlds: int
) -> Indices:
    """Join groups if any two of their patterns are together often enough."""
    label = group.copy()
    sizes = np.bincount(group)
    # Groups in order of size, and the patterns of a group in their order.
    order = np.lexsort((group, -sizes[group]))
    ends = np.flatnonzero(np.diff(group[order], append=-1)) + 1
    n_large = int((sizes > ROWS).sum())
    start = 0
    for end in ends[:n_large]:
        rows = order[start:end]
        leader = one_hot[rows[:1]]
        apart = n_worlds - together(leader, one_hot[rows])[0]
        rows = rows[np.argsort(-apart, kind="stable")]
        _join(rows, -np.sort(-apart), order[end:], leader, label, one_hot, least)
        start = end
    # Compare all small groups with each other, without leaders.
    small = order[start:]
    links = []
    for part in blocks(len(small), 4 * len(small)):
        linked = together(one_hot[small[part]], one_hot[small[part.start :]]) >= least
        here, there = np.nonzero(linked)
        links.append(label[small[part.start + np.column_stack([here, there])]])
    joined = _connected(len(sizes), np.concatenate([np.empty((0, 2), int), *links]))
    return np.unique(joined[label], return_inverse=True)[1]


def _join(
    rows: Indices,
    apart: Array,
    others: Indices,
    leader: sparse.csr_array,
    label: Indices,
    one_hot: sparse.csr_array,
    least: float,
) -> None:
    """Give the label of one group to all later groups linked to it."""
    own = label[rows[0]]
    others = others[label[others] != own]
    near = together(leader, one_hot[others])[0]
    start = 0
    while start < len(rows) and len(others):
        part = slice(start, start + _n_rows(len(others)))
        possible = others[near + apart[start] >= least]
        if len(possible) == 0:
            return
        linked = together(one_hot[rows[part]], one_hot[possible]) >= least
        touched = np.unique(label[possible[linked.any(axis=0)]])
        if len(touched):
            label[np.isin(label, touched)] = own
            left = label[others] != own
            others, near = others[left], near[left]
        start = part.stop


def _n_rows(n_columns: int) -> int:
    """Return the number of rows to compare at a time with `n_columns`."""
    return int(np.clip(BLOCK_BYTES // (4 * max(n_columns, 1)), 16, ROWS))


def _connected(n: int, links: Indices) -> Indices:
    ones = np.ones(len(links), dtype=bool)
    graph = sparse.coo_array((ones, (links[:, 0], links[:, 1])), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.intp)
