"""Row sums of powers of two by numba, the extra ``fast``."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from incerta.typing import Array

FEW_FEATURES = 4

jit: Any = numba.njit


@jit(fastmath=True, inline="always")
def _power_of_two(exponent: Any) -> Any:
    """Return ``2**exponent`` for exponents up to 0, in float32, so that it vectorizes.

    The whole part sets the bits, and a polynomial gives the rest (error 1e-7).
    """
    # The exponent of the smallest normal number; lower ones are negligible.
    t = max(exponent, np.float32(-126.0))
    whole = np.int32(t)
    f = t - np.float32(whole)
    p = np.float32(0.000944903295)
    p = p * f + np.float32(0.00920579769)
    p = p * f + np.float32(0.0552973561)
    p = p * f + np.float32(0.24018015)
    p = p * f + np.float32(0.693143725)
    p = p * f + np.float32(1.0)
    bits = np.int32((whole + np.int32(127)) << 23)
    return p * bits.view(np.float32)


@jit("void(float32[:, ::1], float64[::1])", fastmath=True, cache=True)
def add_powers_of_two(exponents: NDArray[np.float32], sums: Array) -> None:
    """Add ``2**exponents``, summed along rows, to `sums`."""
    for i in range(exponents.shape[0]):
        total = np.float32(0.0)
        for j in range(exponents.shape[1]):
            total += _power_of_two(exponents[i, j])
        sums[i] += total


@jit("void(float32[:, ::1], float32[:, ::1], float64[::1])", fastmath=True, cache=True)
def add_kernels_of_four(
    points: NDArray[np.float32], centers: NDArray[np.float32], sums: Array
) -> None:
    """Add the kernels of `centers` at `points` to `sums`, for four features."""
    for i in range(points.shape[0]):
        x0, x1, x2, x3 = points[i, 0], points[i, 1], points[i, 2], points[i, 3]
        own = points[i, 5]
        total = np.float32(0.0)
        for j in range(centers.shape[1]):
            exponent = own + centers[4, j]
            exponent += x0 * centers[0, j] + x1 * centers[1, j]
            exponent += x2 * centers[2, j] + x3 * centers[3, j]
            total += _power_of_two(exponent)
        sums[i] += total


def kernel_sums_of_few(
    points: NDArray[np.float32], centers: NDArray[np.float32]
) -> Array:
    """Do as `kernel_sums` for at most four features; missing features are 0."""
    missing = FEW_FEATURES - (points.shape[1] - 2)
    if missing:
        points = np.insert(points, [0] * missing, 0.0, axis=1)
        centers = np.insert(centers, [0] * missing, 0.0, axis=0)
    sums = np.zeros(len(points))
    # Blocks keep the sums in single precision short.
    for start in range(0, centers.shape[1], 512):
        part = np.ascontiguousarray(centers[:, start : start + 512])
        add_kernels_of_four(points, part, sums)
    return sums
