"""How differently worlds cluster: the divergence that knows which object is where."""

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans

from incerta.backend.progress import track
from incerta.typing import Array, ArrayLike, Indices
from incerta.worlds import Worlds, as_worlds


def between_clusterings(
    worlds: Worlds | ArrayLike, n_clusters: int = 3, *, random_state: int = 0
) -> Array:
    """One minus the adjusted Rand index of k-means in each world, for all pairs.

    The paper calls a world marginal if its cluster structure differs from that of
    most others (Definition 3); this measures just that.

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

    Notes
    -----
    One k-means per world, then `ari_matrix`.

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
        msg = f"n_clusters={n_clusters} must be between 1 and the {n_objects} objects."
        raise ValueError(msg)
    steps = track(len(worlds), "divergence")
    labels = np.empty((len(worlds), n_objects), dtype=np.intp)
    for j, world in enumerate(worlds):
        kmeans = KMeans(n_clusters, n_init=3, random_state=random_state % 2**32)
        labels[j] = kmeans.fit_predict(world)
        next(steps)
    return np.clip(1.0 - ari_matrix(labels), 0.0, None)


def ari_matrix(labels: Indices) -> Array:
    """Adjusted Rand index of all pairs of clusterings.

    Parameters
    ----------
    labels : ndarray of shape (n_clusterings, n_objects)
        Whole numbers; -1 is a cluster like any other.

    Returns
    -------
    ndarray of shape (n_clusterings, n_clusterings)

    Notes
    -----
    The contingency tables of all pairs are the blocks of one sparse product; time
    grows with n_clusterings² n_objects.
    """
    m, n = labels.shape
    codes = np.empty_like(labels)
    sizes = np.empty(m, dtype=np.intp)
    for j, row in enumerate(labels):
        found, codes[j] = np.unique(row, return_inverse=True)
        sizes[j] = len(found)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    columns = (codes + starts[:-1, None]).ravel()
    rows = np.tile(np.arange(n), m)
    shape = (n, int(starts[-1]))
    members = sparse.csr_array((np.ones(n * m), (rows, columns)), shape=shape)
    tables = (members.T @ members).toarray()
    # Σ n_ab² over each block; the pairs of objects that are together are half of it
    # less half of n, and the halves cancel in the index.
    squares = np.add.reduceat(tables**2, starts[:-1], axis=0)
    together = np.add.reduceat(squares, starts[:-1], axis=1) - n
    own = together.diagonal()
    expected = np.outer(own, own) / max(n * (n - 1), 1)
    most = (own[:, None] + own) / 2
    same = most == expected  # both trivial: all in one, or all alone
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(same, 1.0, (together - expected) / (most - expected))
