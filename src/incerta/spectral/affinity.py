"""Affinities between the values of one world, and their normalized Laplacian."""

from math import inf
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.neighbors import NearestNeighbors

from incerta.backend.device import CPU, fetch, in_place, namespace, put, put_beside
from incerta.backend.memory import blocks, check_fits
from incerta.data.refused import LARGEST, SMALLEST
from incerta.typing import Array, ArrayLike, Indices

Matrix: TypeAlias = "Array | sparse.csr_array"
Width: TypeAlias = "str | float"

# The self-tuning scale of an object is its distance to this neighbor.
TUNING_NEIGHBOR = 7
# With more objects, the median distance is that of 1000 objects drawn at random.
MEDIAN_OBJECTS = 1000
# Up to 5000 values of more than 5 features, brute force is faster than a tree.
FEW_VALUES, FEW_FEATURES = 5000, 5


def gaussian_affinity(
    X: ArrayLike,
    *,
    width: Width = "median",
    width_scale: float = 1.0,
    n_neighbors: int | None = None,
) -> Matrix:
    """Return the Gaussian affinity ``exp(-d² / (2 g²))`` in one world: Eq. 8.

    Parameters
    ----------
    X : array-like of shape (n_objects, n_features)
        One value per object.
    width : {"median", "self-tuning"} or float, default="median"
        Kernel width g. "median" is the median distance between two objects.
        "self-tuning" is the root of the product of the two objects' distances to
        their 7th neighbors.
    width_scale : float, default=1.0
        Factor on the width.
    n_neighbors : int, optional
        Keep only the pairs in which one object is among the `n_neighbors` nearest of
        the other, as a sparse matrix. By default all pairs are kept.

    Returns
    -------
    ndarray or scipy.sparse.csr_array of shape (n_objects, n_objects)
        Symmetric, with ones on the diagonal.

    Notes
    -----
    All pairs take ``8 n_objects²`` bytes, which is 200 MB for 5000 objects. If the
    median distance is 0, the median of the positive distances is used.

    Examples
    --------
    >>> from incerta.spectral import gaussian_affinity
    >>> gaussian_affinity([[0.0], [1.0], [3.0]], width=1.0).round(2)
    array([[1.  , 0.61, 0.01],
           [0.61, 1.  , 0.14],
           [0.01, 0.14, 1.  ]])
    """
    values = np.asarray(X, dtype=np.float64)
    n = len(values)
    if n_neighbors is None:
        what = f"Affinities of all pairs of {n:,} objects"
        check_fits(8 * n * n, what, "Give n_neighbors.")
    scales = kernel_scales(values, width, width_scale)
    if n_neighbors is None:
        return dense_affinity(values, scales)
    return sparse_affinity(values, scales, n_neighbors)


def kernel_scales(
    values: Array, width: Width, width_scale: float, weights: Array | None = None
) -> Array:
    """Return the scale s of each object, for affinities ``exp(-d² / (2 s_i s_j))``."""
    n = len(values)
    if width == "self-tuning":
        k = min(TUNING_NEIGHBOR, n - 1)
        if k < 1:
            return np.ones(n)
        distances, _ = NearestNeighbors(n_neighbors=k).fit(values).kneighbors()
        # The published rule, exp(-d²/(σ_i σ_j)), corresponds to a width of σ/√2.
        return _positive(distances[:, -1]) * width_scale / np.sqrt(2.0)
    if width == "median":
        found = median_distance(values, weights)
        return np.full(n, usable_width(found, width_scale))
    if isinstance(width, str):
        msg = f"width={width!r} must be 'median', 'self-tuning' or a positive number."
        raise ValueError(msg)
    return np.full(n, usable_width(float(width), width_scale))


def width_of(gamma: str | float) -> str | float:
    """Return the width of the kernel ``exp(-gamma d**2)``; rules remain names."""
    return gamma if isinstance(gamma, str) else float(np.sqrt(0.5 / gamma))


def usable_width(width: float, width_scale: float) -> float:
    """Return the scaled width of a kernel; raise if its square over- or underflows."""
    product = width * width_scale
    if not SMALLEST <= product <= LARGEST:
        msg = (
            f"a kernel of width {width:.3g} times width_scale={width_scale:.3g} is out "
            f"of range; choose a width between {SMALLEST:.0e} and {LARGEST:.0e}, close "
            "to the typical distance between objects."
        )
        raise ValueError(msg)
    return product


def median_distance(values: Array, weights: Array | None = None) -> float:
    """Return the weighted median distance between two of at most 1000 objects."""
    n = len(values)
    if n > MEDIAN_OBJECTS:
        picked = np.random.default_rng(0).choice(n, MEDIAN_OBJECTS, replace=False)
        picked = np.sort(picked)
        values = values[picked]
        weights = None if weights is None else weights[picked]
    squares = euclidean_distances(values, squared=True)
    one, other = np.triu_indices(len(values), 1)
    apart = squares[one, other]
    if len(apart) == 0:
        return 1.0
    counts = None if weights is None else weights[one] * weights[other]
    middle = _median(apart, counts)
    if middle == 0.0:
        some = apart > 0.0
        counts = None if counts is None else counts[some]
        middle = _median(apart[some], counts) if some.any() else 1.0
    return float(np.sqrt(middle))


def _median(values: Array, weights: Array | None) -> float:
    """Return the weighted median, or the mean of the two middle values."""
    if weights is None:
        return float(np.median(values))
    order = np.argsort(values)
    sums = np.cumsum(weights[order])
    below = np.searchsorted(sums, sums[-1] / 2.0, side="left")
    above = np.searchsorted(sums, sums[-1] / 2.0, side="right")
    return float(values[order[[below, above]]].mean())


def dense_affinity(values: Any, scales: Any) -> Any:
    """Return the affinity of all pairs, on the device of the values."""
    out = squared_distances(values, values)
    out /= scales[:, None]
    out *= -0.5 / scales
    out = in_place("exp", out)
    # This is a view, as the rows are contiguous; numpy 2.0 does not accept copy=False.
    flat = namespace(out).reshape(out, (-1,))
    flat[:: scales.shape[0] + 1] = 1.0
    return out


def squared_distances(x: Any, y: Any) -> Any:
    """Return the squared distances between the rows of two arrays on one device."""
    xp = namespace(x)
    out = x @ y.T
    out *= -2.0
    out += xp.vecdot(x, x)[:, None]
    out += xp.vecdot(y, y)
    return in_place("clip", out, 0.0, None)  # rounding may give negative values


def sparse_affinity(values: Array, scales: Array, n_neighbors: int) -> sparse.csr_array:
    """Return the affinity of near pairs only."""
    n = len(values)
    k = min(n_neighbors, n - 1)
    if k < 1:
        return sparse.csr_array(np.ones((n, n)))
    distances, columns = NearestNeighbors(n_neighbors=k).fit(values).kneighbors()
    return _near_affinity(distances, columns, scales)


def _near_affinity(
    distances: Array, columns: Indices, scales: Array
) -> sparse.csr_array:
    n, k = distances.shape
    rows = np.repeat(np.arange(n), k)
    columns = columns.ravel()
    weights = np.exp(-0.5 * distances.ravel() ** 2 / (scales[rows] * scales[columns]))
    one_way = sparse.csr_array((weights, (rows, columns)), shape=(n, n))
    both = one_way.maximum(one_way.T)
    return sparse.csr_array(both + sparse.eye_array(n))


def neighbors_of(values: Array, k: int) -> NearestNeighbors:
    """Return a search for the `k` nearest values.

    scikit-learn uses a tree for up to 15 features. For a few thousand values of more
    than a few features, brute force is three times as fast.
    """
    n, d = values.shape
    all_of_them = n <= FEW_VALUES and d > FEW_FEATURES
    algorithm = "brute" if all_of_them else "auto"
    return NearestNeighbors(n_neighbors=k, algorithm=algorithm).fit(values)


def nearness(values: Array, n_neighbors: int) -> sparse.csr_array:
    """Return `gaussian_affinity` with width="self-tuning", by a single search."""
    n = len(values)
    k = min(max(n_neighbors, TUNING_NEIGHBOR), n - 1)
    if k < 1:
        return sparse.csr_array(np.ones((n, n)))
    distances, columns = neighbors_of(values, k).kneighbors()
    scales = _positive(distances[:, min(TUNING_NEIGHBOR, k) - 1]) / np.sqrt(2.0)
    near = min(n_neighbors, k)
    return _near_affinity(distances[:, :near], columns[:, :near], scales)


def normalized_laplacian(affinity: Any) -> Matrix:
    """Return the Laplacian of the paper, ``D^(-1/2) W D^(-1/2)``.

    Parameters
    ----------
    affinity : array-like or sparse array of shape (n_objects, n_objects)
        Symmetric and not negative.

    Returns
    -------
    ndarray or scipy.sparse.csr_array of shape (n_objects, n_objects)
        Its eigenvalues lie between -1 and 1, and the leading eigenvectors show the
        clusters. An object without any affinity has a row of zeros.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.spectral import normalized_laplacian
    >>> normalized_laplacian(np.array([[1.0, 1.0], [1.0, 1.0]]))
    array([[0.5, 0.5],
           [0.5, 0.5]])
    """
    dense = not sparse.issparse(affinity)
    matrix: Matrix = np.array(affinity, float) if dense else sparse.csr_array(affinity)
    root = inverse_root(np.asarray(matrix.sum(axis=1)).ravel())
    return normalize_in_place(matrix, root)


def normalize_in_place(matrix: Any, root: Array) -> Any:
    """Scale the rows and columns of a matrix, overwriting it."""
    if bool(sparse.issparse(matrix)):
        of_row = np.repeat(root, np.diff(matrix.indptr))
        values = of_row * matrix.data * root[matrix.indices]
        return sparse.csr_array((values, matrix.indices, matrix.indptr), matrix.shape)
    factors = put_beside(root, matrix)
    matrix *= factors[:, None]
    matrix *= factors
    return matrix


def inverse_root(degrees: Array) -> Array:
    """Return ``degrees ** -0.5``, and 0 for a degree of 0."""
    with np.errstate(divide="ignore"):
        return np.where(degrees > 0.0, degrees**-0.5, 0.0)


def _positive(scales: Array) -> Array:
    """Replace zeros (eight objects coincide) by the smallest positive scale."""
    others = scales[scales > 0.0]
    return np.where(scales > 0.0, scales, others.min() if len(others) else 1.0)


# Bytes of squared distances held at a time on a device.
DEVICE_BYTES = 2**28


def nearest_of(new: Array, values: Array, k: int, device: str = CPU) -> Indices:
    """Return the positions (n_new, k) of the nearest values, the nearest first."""
    if device == CPU:
        found: Indices = neighbors_of(values, k).kneighbors(new, return_distance=False)
        return found
    center = values.mean(axis=0)  # products far from 0 lose digits
    there = put(values - center, device)
    out = np.empty((len(new), k), dtype=np.intp)
    for part in blocks(len(new), 8 * len(values), DEVICE_BYTES):
        squares = squared_distances(put(new[part] - center, device), there)
        out[part] = fetch(_lowest(squares, k))
    return out


def _lowest(table: Any, k: int) -> Any:
    """Return the positions of the `k` lowest numbers of each row; ties to the first."""
    xp = namespace(table)
    columns = put_beside(np.arange(table.shape[1]), table)
    found = []
    for _ in range(k):
        found.append(xp.argmin(table, axis=1, keepdims=True))
        table = xp.where(columns == found[-1], inf, table)
    return xp.concat(found, axis=1)
