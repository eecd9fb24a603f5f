"""Leading eigenvectors of symmetric matrices that are only ever multiplied."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import issparse

from incerta.backend.device import fetch, put_beside
from incerta.exceptions import DataError
from incerta.typing import Array

# Of so few rows LAPACK finds eigenvectors sooner, exactly.
FEW_ROWS = 256
# More start vectors than are wanted: they speed convergence and, since a block
# cannot miss a multiple eigenvalue, make disconnected graphs safe.
GUARD = 4
# Squares of what columns of length 1 add to a space; less is a rounding error.
SMALLEST_SQUARE = 1e-13
# The search space is cut back when it holds this many times the wanted vectors.
MOST_BLOCKS = 10


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
    start = np.random.default_rng(0).standard_normal((n, min(k + GUARD, n)))
    if near is not None:
        start[:, :k] = near
    basis = np.linalg.qr(start)[0]

    def times(block: Array) -> Array:
        return multiply(matrix, block)

    values, vectors, _ = ritz(times, basis, times(basis), k, tol, max_steps)
    return values, vectors


def multiply(matrix: Any, block: Array) -> Array:
    """``matrix @ block`` for a symmetric matrix, which may be on a device."""
    if isinstance(matrix, np.ndarray):
        # The same by symmetry; BLAS is twice as fast on a wide result as on a tall one.
        return (block.T @ matrix).T
    if bool(issparse(matrix)):
        return np.asarray(matrix @ block)
    return fetch(matrix @ put_beside(block, matrix))


def ritz(
    times: Callable[[Array], Array],
    basis: Array,
    image: Array,
    k: int,
    tol: float,
    max_steps: int,
) -> tuple[Array, Array, Array]:
    """Improve a space until it holds the `k` leading eigenvectors (block Krylov).

    Each step takes the best vectors of the space (Rayleigh–Ritz) and adds their
    residuals to it. Their eigenvalues never fall from step to step, so a warm start
    can only get better.

    Parameters
    ----------
    times : callable
        Multiplies a block of vectors by the matrix.
    basis : ndarray of shape (n, m)
        Orthonormal start, m at least k.
    image : ndarray of shape (n, m)
        ``times(basis)``.
    k : int
        Number of vectors.
    tol : float
        Largest residual to accept.
    max_steps : int
        Maximum number of steps; after that the best so far is returned.

    Returns
    -------
    values : ndarray of shape (k,), largest first
    vectors : ndarray of shape (n, k)
    images : ndarray of shape (n, k)
        ``times(vectors)``.
    """
    n, m = basis.shape
    keep = min(n, 2 * k + GUARD)
    most = max(MOST_BLOCKS * k, keep + 2 * k, m)
    # Columns are appended in place: stored by column, the filled part is contiguous.
    space = np.empty((n, most), order="F")
    mapped = np.empty((n, most), order="F")
    space[:, :m], mapped[:, :m] = basis, image
    small = basis.T @ image  # the matrix as seen within the space
    for step in range(1, max_steps + 1):
        values, rotation = np.linalg.eigh((small + small.T) / 2)
        values, rotation = values[::-1], rotation[:, ::-1]
        vectors = space[:, :m] @ rotation[:, :k]
        images = mapped[:, :m] @ rotation[:, :k]
        residual = images - vectors * values[:k]
        sizes = np.linalg.norm(residual, axis=0)
        if sizes.max() <= tol or step == max_steps or m >= n:
            break
        if m + k > most:
            space[:, :keep] = space[:, :m] @ rotation[:, :keep]
            mapped[:, :keep] = mapped[:, :m] @ rotation[:, :keep]
            small, m = np.diag(values[:keep]), keep
        # Residuals are orthogonal to the space, but for rounding errors.
        new = orthonormal(residual[:, sizes > tol / 10] / sizes[sizes > tol / 10])
        new = orthonormal(new - space[:, :m] @ (space[:, :m].T @ new))[:, : n - m]
        if new.shape[1] == 0:
            break
        image_of_new = times(new)
        across = space[:, :m].T @ image_of_new
        small = np.block([[small, across], [across.T, new.T @ image_of_new]])
        end = m + new.shape[1]
        space[:, m:end], mapped[:, m:end] = new, image_of_new
        m = end
    return values[:k], vectors, images


def complement(block: Array, basis: Array) -> Array:
    """Orthonormal basis of what `block` adds to the space of `basis`."""
    norms = np.linalg.norm(block, axis=0)
    rest = block[:, norms > 0] / norms[norms > 0]
    for _ in range(2):  # once leaves rounding errors of the size of the rest itself
        rest = orthonormal(rest - basis @ (basis.T @ rest))
    return rest[:, : basis.shape[0] - basis.shape[1]]


def orthonormal(block: Array) -> Array:
    """Orthonormal basis of the space of columns of length 1 at most."""
    # By squares: singular values of a tall block would take longer.
    squares, turned = np.linalg.eigh(block.T @ block)
    told = squares > SMALLEST_SQUARE
    return np.asarray(block @ (turned[:, told] / np.sqrt(squares[told])))


def of_unit_length(rows: Array) -> Array:
    """Scale rows to length 1; rows of zeros stay."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)
