"""Sums of Gaussian kernels over all pairs: the inner loop of world divergence.

Σ_a exp(−|x − a|²/2) for every x, with |x − a|² multiplied out: the points carry two
more columns, so that one matrix product gives the finished exponent, in base 2.
"""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incerta.typing import Array

# Blocks of exponents stay in the second-level cache.
POINTS, CENTRES = 512, 512
LOG2_E = 1.4426950408889634
# 2**LOWEST is the smallest normal float32. Below it arithmetic is a hundred times
# slower, and what is added is less than 1e-37 where the sum is at least 1.
LOWEST = -126.0


def augmented_points(
    x: Array, center: Array, widths: Array, dtype: Any
) -> NDArray[Any]:
    """Rows ``[x, 1, −|x|²/2]`` in units of the kernel `widths`, to base 2.

    Coordinates are relative to the `center` of the centres: what is then large is far
    from all of them and does not count, so single precision is enough.
    """
    d = x.shape[1]
    out = np.empty((x.shape[0], d + 2), dtype=dtype)
    unit = np.sqrt(LOG2_E) / widths
    np.multiply(x - center, unit, out=out[:, :d], casting="same_kind")
    out[:, d] = 1.0
    # From the rounded coordinates, so that rounding moves points and nothing else.
    np.einsum("ij,ij->i", out[:, :d], out[:, :d], out=out[:, d + 1])
    out[:, d + 1] *= -0.5
    return out


def augmented_centres(
    a: Array, center: Array, widths: Array, dtype: Any, weights: Array | None = None
) -> NDArray[Any]:
    """Columns ``[a, −|a|²/2, 1]`` in units of the kernel `widths`, to base 2.

    Kernels are multiplied by the weights, if there are any, over the largest of them:
    powers of more than 0 are not to be had.
    """
    out = augmented_points(a, center, widths, dtype)
    if weights is not None:
        out[:, -1] += np.log2(weights / weights.max())
    out[:, [-2, -1]] = out[:, [-1, -2]]
    return np.ascontiguousarray(out.T)


def kernel_sums(points: NDArray[Any], centres: NDArray[Any], engine: str) -> Array:
    """Sum the kernels of all `centres` at each of the `points`.

    `points` (n_points, n_features + 2): from `augmented_points`. `centres` (n_features
    + 2, n_centres): from `augmented_centres`. `engine`: what computes the exponentials;
    the matrix product is BLAS either way.

    Returns (n_points,): blocks are summed in the precision of the input, their sums in
    float64.
    """
    add_powers = _numpy_powers
    if engine == "numba" and points.dtype == np.float32:
        from incerta.divergence import numba_kernel

        if len(centres) - 2 <= numba_kernel.FEW_FEATURES:
            return numba_kernel.kernel_sums_of_few(points, centres)
        add_powers = numba_kernel.add_powers_of_two
    sums = np.zeros(len(points))
    buffer = np.empty(POINTS * CENTRES, dtype=points.dtype)
    for i in range(0, len(points), POINTS):
        rows = points[i : i + POINTS]
        for j in range(0, centres.shape[1], CENTRES):
            columns = centres[:, j : j + CENTRES]
            shape = len(rows), columns.shape[1]
            exponents = buffer[: shape[0] * shape[1]].reshape(shape)
            np.matmul(rows, columns, out=exponents)
            add_powers(exponents, sums[i : i + POINTS])
    return sums


def _numpy_powers(exponents: NDArray[Any], sums: Array) -> None:
    np.maximum(exponents, exponents.dtype.type(LOWEST), out=exponents)
    np.exp2(exponents, out=exponents)
    sums += exponents @ _ones(exponents.shape[1], exponents.dtype)


@cache
def _ones(n: int, dtype: "np.dtype[Any]") -> NDArray[Any]:
    return np.ones(n, dtype=dtype)
