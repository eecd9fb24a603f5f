"""Divergence by the clusterings of worlds, which compares objects one by one."""

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans

from incerta.backend.memory import blocks
from incerta.backend.progress import track
from incerta.typing import Array, ArrayLike, Indices
from incerta.worlds import Worlds, as_worlds

# Up to this number of cells per contingency table, matrix products are fastest.
DENSE_CELLS = 100
# Number of clusters in one product.
MOST_COLUMNS = 2048
# Bytes of cell numbers counted at once, so that they stay in cache.
COUNT_BYTES = 2**19


def between_clusterings(
    worlds: Worlds | ArrayLike, n_clusters: int = 3, *, random_state: int = 0
) -> Array:
    """Return one minus the adjusted Rand index of k-means, for all pairs of worlds.

    The paper calls a world marginal if its cluster structure differs from that of most
    other worlds (Definition 3). This divergence measures that difference.

    Parameters
    ----------
    worlds : Worlds or array-like of shape (n_worlds, n_objects, n_features)
        The worlds.
    n_clusters : int, default=3
        Number of clusters in each world.
    random_state : int, default=0
        Seed of k-means, the same in every world.

    Returns
    -------
    ndarray of shape (n_worlds, n_worlds)
        Symmetric, zero on the diagonal; about 1 for unrelated clusterings.

    Examples
    --------
    >>> from incerta.divergence import between_clusterings
    >>> worlds = [[[0.0], [0.1], [5.0], [5.1]], [[0.0], [5.0], [0.1], [5.1]]]
    >>> between_clusterings(worlds, n_clusters=2)
    array([[0. , 1.5],
           [1.5, 0. ]])
    """
    worlds = as_worlds(worlds)
    n_objects = worlds.shape[1]
    if not 1 <= n_clusters <= n_objects:
        msg = (
            f"n_clusters={n_clusters} must be between 1 and the number of objects "
            f"({n_objects})."
        )
        raise ValueError(msg)
    steps = track(len(worlds), "divergence")
    labels = np.empty((len(worlds), n_objects), dtype=np.intp)
    for j, world in enumerate(worlds):
        kmeans = KMeans(n_clusters, n_init=3, random_state=random_state % 2**32)
        labels[j] = kmeans.fit_predict(world)
        next(steps)
    return np.clip(1.0 - ari_matrix(labels), 0.0, None)


def ari_matrix(labels: Indices, *, noise: str = "cluster") -> Array:
    """Return the adjusted Rand index of all pairs of (n_clusterings, n_objects) labels.

    It is 1 if both have a single cluster, or only singletons. Labels below 0 are noise,
    which is one more cluster or, with noise="singletons", one cluster per object. Up
    to about ten clusters, contingency tables are matrix products. More clusters are
    counted, in time that does not depend on their number. Blocks bound the memory.
    """
    n = labels.shape[1]
    codes, sizes = _coded(labels, alone=noise == "singletons")
    if np.square(sizes.mean()) <= DENSE_CELLS:
        together = _by_products(codes, sizes)
    else:
        together = _by_counts(codes, sizes)
    own = together.diagonal()
    expected = np.outer(own, own) / max(n * (n - 1), 1)
    most = (own[:, None] + own) / 2
    same = most == expected  # both trivial: a single cluster, or only singletons
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(same, 1.0, (together - expected) / (most - expected))


# The number of ordered pairs of objects that share a cluster in both of two clusterings
# is the sum of c (c − 1) over the cells c of the contingency table; singletons add 0.


def _coded(labels: Indices, *, alone: bool) -> tuple[Indices, Indices]:
    """Return cluster numbers from 0, with -1 for singletons, and the cluster counts."""
    low = 0 if alone else int(labels.min(initial=0))
    codes = labels - low
    np.maximum(codes, -1, out=codes)
    if codes.max(initial=0) > codes.shape[1]:  # numbers with large gaps
        for row in codes:
            kept = row >= 0
            row[kept] = np.unique(row[kept], return_inverse=True)[1]
    return codes, codes.max(axis=1) + 1


def _by_products(codes: Indices, sizes: Indices) -> Array:
    """Return the pairs that share clusters, by products of membership matrices."""
    m = len(codes)
    together = np.zeros((m, m))
    ends = np.cumsum(sizes)
    parts = np.split(np.arange(m), np.flatnonzero(np.diff(ends // MOST_COLUMNS)) + 1)
    for p, left in enumerate(parts):
        for right in parts[p:]:
            table = _tables(codes, sizes, left, right)
            table *= table - 1.0
            table = _summed(_summed(table, sizes[right]).T, sizes[left]).T
            together[np.ix_(left, right)] = table
            together[np.ix_(right, left)] = table.T
    return together


def _tables(codes: Indices, sizes: Indices, left: Indices, right: Indices) -> Array:
    """Return the contingency tables of two sets of clusterings, side by side."""
    out = np.zeros((sizes[left].sum(), sizes[right].sum()))
    for part in blocks(codes.shape[1], 4.0 * sum(out.shape)):
        a = _membership(codes[left, part], sizes[left])
        b = _membership(codes[right, part], sizes[right])
        out += a @ b.T  # float32 counts exactly: a block has far fewer than 2**24
    return out


def _membership(codes: Indices, sizes: Indices) -> NDArray[np.float32]:
    """Return memberships of 0 and 1, one row per cluster of all clusterings."""
    starts = np.cumsum(sizes) - sizes
    total = int(sizes.sum())
    rows = np.where(codes < 0, total, codes + starts[:, None])
    out = np.zeros((total + 1, codes.shape[1]), dtype=np.float32)
    out[rows, np.arange(codes.shape[1])] = 1.0
    return out[:total]


def _summed(table: Array, sizes: Indices) -> Array:
    """Sum the columns of each clustering; without any cluster, the sum is 0."""
    out = np.zeros((len(table), len(sizes)))
    some = sizes > 0
    if some.any():
        starts = np.cumsum(sizes) - sizes
        out[:, some] = np.add.reduceat(table, starts[some], axis=1)
    return out


def _by_counts(codes: Indices, sizes: Indices) -> Array:
    """Return the pairs that share clusters, by counts of pairs of clusters."""
    m, n = codes.shape
    together = np.zeros((m, m))
    height = int(sizes.max()) + 1
    # The last number on either side is for singletons.
    for part in blocks(m, 8 * n, COUNT_BYTES):
        width = int(sizes[part].max()) + 1
        count = _counted if width * height <= 4 * n else _sorted_and_counted
        left = np.where(codes[part] < 0, width - 1, codes[part])
        left += np.arange(len(left))[:, None] * (width * height)
        for j in range(part.start, m):
            right = np.where(codes[j] < 0, height - 1, codes[j]) * width
            together[part, j] = count(left + right, height, width)
        together[part.start :, part] = together[part, part.start :].T
    return together


def _counted(cells: Indices, height: int, width: int) -> Array:
    """Sum c (c − 1) over the cells of each table, without its last row and column."""
    shape = (len(cells), height, width)
    counts = np.bincount(cells.ravel(), minlength=int(np.prod(shape)))
    counts = counts.reshape(shape)[:, :-1, :-1]
    squares = np.einsum("bhw,bhw->b", counts, counts)
    return (squares - counts.sum(axis=(1, 2))).astype(np.float64)


def _sorted_and_counted(cells: Indices, height: int, width: int) -> Array:
    """Do the same for tables that are mostly empty, by their occupied cells."""
    found, counts = np.unique(cells, return_counts=True)
    table, cell = np.divmod(found, height * width)
    kept = (cell // width < height - 1) & (cell % width < width - 1)
    pairs = np.where(kept, counts * (counts - 1.0), 0.0)
    sums: Array = np.zeros(len(cells))
    np.add.at(sums, table, pairs)
    return sums
