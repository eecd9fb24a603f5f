"""Groups of patterns that the worlds put together: average linkage, components."""

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from incerta.backend.memory import BLOCK_BYTES, blocks
from incerta.ensemble.patterns import Patterns, together
from incerta.typing import Array, Indices

# Patterns of which all pairs are looked at: a matrix of 200 MB.
MOST_PAIRS = 5000
# Rows that are compared with all others at a time, and groups too small to be bounded.
ROWS = 256


def average_linkage(distances: Array, sizes: Indices) -> tuple[Indices, Array]:
    """Merge groups by their mean distance, for objects that represent several.

    `distances` (n, n): symmetric; overwritten. `sizes` (n,): how many objects each one
    represents.

    Returns `merges` (n - 1, 2): one object of each of the two groups that are merged.
    `heights` (n - 1,): their mean distance. Not in order.

    Chains of nearest neighbours, n² operations. SciPy's linkage gives the same for
    sizes of 1; it has no others.
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
            # Of equally near ones the one it came from, or the chain would not end.
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
    """Cut the average linkage of patterns.

    `found`: at most a few thousand. `n_clusters`: how many groups to leave; without it,
    groups are merged as long as their objects are together in more than `threshold` of
    the worlds, on average.

    Returns (n_patterns,): group of each.
    """
    one_hot = found.one_hot()
    shares = together(one_hot, one_hot) / float(found.n_worlds)
    merges, heights = average_linkage(1.0 - shares.astype(np.float64), found.sizes)
    if n_clusters is None:
        # Means of shares that are equal on paper differ in their last digits.
        merges = merges[heights < 1.0 - threshold - 1e-9]
    else:
        n_merges = max(len(heights) + 1 - n_clusters, 0)
        merges = merges[np.argsort(heights, kind="stable")[:n_merges]]
    return _connected(len(heights) + 1, merges)


def components(found: Patterns, threshold: float) -> Indices:
    """Connected components of patterns together in more than a share of the worlds.

    Returns (n_patterns,): component of each.

    All pairs are compared up to `MOST_PAIRS` patterns. Above that, patterns are first
    linked to a few frequent ones, which leaves about as many groups as there are
    clusters, and some single patterns. Groups with leader ℓ are then compared, but only
    where they can touch: g and h are together in no more worlds than ℓ and h are
    together or ℓ and g apart. Pairs are never stored.
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
    # Groups in order of size, and within a group patterns in order of theirs.
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
    # Small ones all against all, without a leader.
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
    """Give the label of one group to all later groups that it touches."""
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
    """How many rows to compare with so many columns at a time."""
    return int(np.clip(BLOCK_BYTES // (4 * max(n_columns, 1)), 16, ROWS))


def _connected(n: int, links: Indices) -> Indices:
    ones = np.ones(len(links), dtype=bool)
    graph = sparse.coo_array((ones, (links[:, 0], links[:, 1])), shape=(n, n))
    return connected_components(graph, directed=False)[1].astype(np.intp)
