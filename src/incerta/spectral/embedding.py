"""Leading eigenvectors of symmetric matrices, by matrix products alone."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import issparse
from sklearn.cluster import KMeans

from incerta.backend.device import fetch, put_beside
from incerta.exceptions import DataError
from incerta.labels import in_order_of_appearance, with_empty_last
from incerta.typing import Array, Indices

# Vectors kept beyond those requested, which speeds convergence.
GUARD = 4
# Squared length that a unit column must add to a space; less is a rounding error.
SMALLEST_SQUARE = 1e-13
# Below this squared length, a projected vector is made orthogonal once more.
CANCELLED_SQUARE = 1e-4
# The search space is cut back when it holds this multiple of the requested vectors.
MOST_BLOCKS = 10
# Steps before residuals are checked: the first time, and at most.
FIRST_LOOK, LONGEST_WAIT = 2, 6


def lanczos(
    times: Callable[[Array], Array], start: Array, tol: float, max_steps: int
) -> tuple[Array, Array]:
    """Return as many leading eigenvectors as there are start vectors (block Lanczos).

    All but the last block of the space is mapped into it, so small matrices give the
    residuals. A block is as wide as the number of vectors, so that no multiple
    eigenvalue is missed and disconnected graphs are safe. `tol` is the largest
    acceptable residual.
    """
    n, k = start.shape
    keep = min(n, 2 * k + GUARD)
    most = min(n, max(MOST_BLOCKS * k, keep + 2 * k))
    # Columns are appended in place: stored by column, the filled part is contiguous.
    space = np.empty((n, most), order="F")
    small = np.zeros((most, most))  # the matrix as seen within the space
    new, m = np.linalg.qr(start)[0], 0
    look, before = FIRST_LOOK, (0, np.inf)
    longest = 0.0  # product so far: about the largest absolute eigenvalue
    for step in range(1, max_steps + 1):
        old, m = m, m + new.shape[1]
        space[:, old:m] = new
        image = times(new)
        across = space[:, :m].T @ image
        small[:m, old:m], small[old:m, :m] = across, across.T
        rest = image - space[:, :m] @ across
        longest = max(longest, _longest(image))
        new = _outside(rest, longest, space[:, :m])
        full, last = m + new.shape[1] > most, step == max_steps or new.shape[1] == 0
        if not (full or last or step >= look):
            continue
        values, rotation = np.linalg.eigh(small[:m, :m])
        values, rotation = values[::-1], rotation[:, ::-1]
        worst = np.linalg.norm(rest @ rotation[old:, :k], axis=0).max()
        if worst <= tol or last:
            break
        look, before = step + _wait(step, worst, before, tol), (step, worst)
        if full:
            space[:, :keep] = space[:, :m] @ rotation[:, :keep]
            small[:], m = 0.0, keep
            np.fill_diagonal(small[:m, :m], values[:m])
    return values[:k], space[:, :m] @ rotation[:, :k]


def _longest(block: Array) -> float:
    return float(np.linalg.norm(block, axis=0).max())


def _outside(rest: Array, longest: float, space: Array) -> Array:
    """Return an orthonormal basis of the part of products outside a space."""
    n, m = space.shape
    size = _longest(rest)
    if size <= 10.0 * np.finfo(float).eps * longest:
        return rest[:, :0]
    new, squares = _directions(rest / size)
    # Where projection removed most of the length, rounding errors weigh more.
    if size**2 * squares.min() < CANCELLED_SQUARE * longest**2:
        new = complement(new, space)
    return new[:, : n - m]


def _wait(step: int, worst: float, before: tuple[int, float], tol: float) -> int:
    """Return the steps until residuals are small enough at their present rate.

    The estimate is low rather than high: a check costs as much as a step.
    """
    last, was = before
    if not worst < 0.99 * was < np.inf:
        return FIRST_LOOK
    missing = np.log(worst / max(tol, np.finfo(float).tiny))
    steps = 0.8 * missing * (step - last) / np.log(was / worst)
    return int(np.clip(steps, 1, LONGEST_WAIT))


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
    residuals. Eigenvalues never fall from step to step, so a warm start can only get
    better. `basis` (n, m ≥ k) is orthonormal, and `image` is ``times(basis)``. The
    products of the vectors are returned with them.
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
        # Residuals are orthogonal to the space except for rounding errors.
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
    """Return an orthonormal basis of the part of `block` outside `basis`."""
    norms = np.linalg.norm(block, axis=0)
    rest = block[:, norms > 0] / norms[norms > 0]
    for _ in range(2):  # after one pass, rounding errors may be as large as the rest
        rest = orthonormal(rest - basis @ (basis.T @ rest))
    return rest[:, : basis.shape[0] - basis.shape[1]]


def orthonormal(block: Array) -> Array:
    """Return an orthonormal basis of the span of columns of length at most 1."""
    return _directions(block)[0]


def _directions(block: Array) -> tuple[Array, Array]:
    """Return such a basis and the squared lengths of the block along it."""
    # The Gram matrix is faster than the singular values of a tall block.
    squares, turned = np.linalg.eigh(block.T @ block)
    kept = squares > SMALLEST_SQUARE
    squares = squares[kept]
    return np.asarray(block @ (turned[:, kept] / np.sqrt(squares))), squares


# Up to this number of rows, LAPACK is faster and exact.
FEW_ROWS = 256


def leading_eigenvectors(
    matrix: Any, k: int, *, tol: float = 1e-9, max_steps: int = 500
) -> tuple[Array, Array]:
    """Return the eigenvectors of the `k` largest eigenvalues.

    Parameters
    ----------
    matrix : ndarray or sparse array of shape (n, n)
        Symmetric.
    k : int
        Number of vectors.
    tol : float, default=1e-9
        Largest acceptable residual ``|A u - λ u|``.
    max_steps : int, default=500
        Maximum number of products of the matrix with a block of vectors.

    Returns
    -------
    eigenvalues : ndarray of shape (k,)
        Largest first.
    eigenvectors : ndarray of shape (n, k)
        Orthonormal columns. Signs and rotations within multiple eigenvalues are
        arbitrary but reproducible.

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
            f"k={k} leading eigenvectors were requested of a matrix of shape "
            f"{matrix.shape}; it must be square and have at least {k} rows."
        )
        raise DataError(msg)
    sparse = bool(issparse(matrix))
    if n <= FEW_ROWS and (sparse or isinstance(matrix, np.ndarray)):
        dense = matrix.toarray() if sparse else matrix
        values, vectors = eigh(dense, subset_by_index=(n - k, n - 1))
        return values[::-1], np.ascontiguousarray(vectors[:, ::-1])
    start = np.random.default_rng(0).standard_normal((n, k))
    return lanczos(partial(multiply, matrix), start, tol, max_steps)


def multiply(matrix: Any, block: Array) -> Array:
    """Return ``matrix @ block`` for a symmetric matrix, which may be on a device."""
    if isinstance(matrix, np.ndarray):
        # By symmetry; BLAS is twice as fast for a wide result as for a tall one.
        return (block.T @ matrix).T
    if bool(issparse(matrix)):
        return np.asarray(matrix @ block)
    return fetch(matrix @ put_beside(block, matrix))


def of_unit_length(rows: Array) -> Array:
    """Scale rows to length 1; rows of zeros are unchanged."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return rows / np.where(lengths > 0, lengths, 1.0)


def cut(
    rows: Array, n_clusters: int, n_init: int, seed: int, weights: Array | None = None
) -> tuple[Indices, Array]:
    """Cut an embedding by k-means; return labels, and centers in their order."""
    model = KMeans(n_clusters, n_init=n_init, random_state=seed % 2**32)
    found = model.fit(rows, sample_weight=weights)
    labels, order = in_order_of_appearance(found.labels_)
    return labels, found.cluster_centers_[with_empty_last(order, n_clusters)]


def nearest(rows: Array, centers: Array) -> Indices:
    """Return the index of the nearest center of each row, the lowest for ties."""
    squares = np.square(centers).sum(axis=1) - 2.0 * rows @ centers.T
    return squares.argmin(axis=1)
