"""Leading eigenvectors of symmetric matrices that are only ever multiplied."""

from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import issparse
from sklearn.cluster import KMeans

from incerta.backend.device import fetch, put_beside
from incerta.exceptions import DataError
from incerta.labels import in_order_of_appearance, with_empty_last
from incerta.spectral.krylov import lanczos
from incerta.typing import Array, Indices

# Of so few rows LAPACK finds eigenvectors sooner, exactly.
FEW_ROWS = 256
# Length of what is added to vectors of another matrix: these may be 0 where one that is
# wanted is not.
NUDGE = 0.01


def leading_eigenvectors(
    matrix: Any,
    k: int,
    *,
    tol: float = 1e-9,
    max_steps: int = 500,
    near: Array | None = None,
) -> tuple[Array, Array]:
    """Eigenvectors of the `k` largest eigenvalues.

    Parameters
    ----------
    matrix : ndarray or sparse array of shape (n, n)
        Symmetric.
    k : int
        Number of vectors.
    tol : float, default=1e-9
        Largest residual ``|A u - λ u|`` to accept.
    max_steps : int, default=500
        Maximum number of products of the matrix with a block of vectors.
    near : ndarray of shape (n, k), optional
        Eigenvectors of a matrix that is much like this one: they are found sooner.

    Returns
    -------
    eigenvalues : ndarray of shape (k,)
        Largest first.
    eigenvectors : ndarray of shape (n, k)
        Orthonormal columns; signs, and rotations within multiple eigenvalues, are
        arbitrary but always the same.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.spectral import leading_eigenvectors
    >>> leading_eigenvectors(np.diag([1.0, 3.0, 2.0]), 2)[0]
    array([3., 2.])
    """
    n = matrix.shape[0]
    if matrix.shape != (n, n) or not 1 <= k <= n:
        msg = (
            f"{k} leading eigenvectors were asked for of a matrix of shape "
            f"{matrix.shape}; it must be square and have at least as many rows."
        )
        raise DataError(msg)
    if near is not None and near.shape != (n, k):
        msg = f"near must have the shape {(n, k)}, it has {near.shape}."
        raise DataError(msg)
    sparse = bool(issparse(matrix))
    if n <= FEW_ROWS and (sparse or isinstance(matrix, np.ndarray)):
        dense = matrix.toarray() if sparse else matrix
        values, vectors = eigh(dense, subset_by_index=(n - k, n - 1))
        return values[::-1], np.ascontiguousarray(vectors[:, ::-1])
    start = np.random.default_rng(0).standard_normal((n, k))
    if near is not None:
        start = near + NUDGE / np.sqrt(n) * start

    def times(block: Array) -> Array:
        return multiply(matrix, block)

    return lanczos(times, start, tol, max_steps)


def multiply(matrix: Any, block: Array) -> Array:
    """``matrix @ block`` for a symmetric matrix, which may be on a device."""
    if isinstance(matrix, np.ndarray):
        # The same by symmetry; BLAS is twice as fast on a wide result as on a tall one.
        return (block.T @ matrix).T
    if bool(issparse(matrix)):
        return np.asarray(matrix @ block)
    return fetch(matrix @ put_beside(block, matrix))


def of_unit_length(rows: Array) -> Array:
    """Scale rows to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def cut(
    rows: Array, n_clusters: int, n_init: int, seed: int, weights: Array | None = None
) -> tuple[Indices, Array]:
    """Cut an embedding by k-means, where objects may count for more than one.

    Returns `labels` (n_objects,). `centres` (n_clusters, k): in the order of the
    labels. Clusters without any object, which k-means leaves where objects coincide,
    come last.
    """
    model = KMeans(n_clusters, n_init=n_init, random_state=seed % 2**32)
    found = model.fit(rows, sample_weight=weights)
    labels, order = in_order_of_appearance(found.labels_)
    return labels, found.cluster_centers_[with_empty_last(order, n_clusters)]


def nearest(rows: Array, centres: Array) -> Indices:
    """Index of the nearest centre of each row, ties to the lowest."""
    squares = np.square(centres).sum(axis=1) - 2.0 * rows @ centres.T
    return squares.argmin(axis=1)


MOST_CLUSTERS = 10
