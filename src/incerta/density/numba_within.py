"""Pairs of weighted values within eps, added up: the numba version.

Imported only where the extra ``fast`` is installed; compiled once and cached.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from incerta.typing import Array

jit: Any = numba.njit
OBJECTS = "float64[:, ::1], int64[::1], float64[::1], int64[::1]"
PAIRS = "int64[::1], int64[::1], float64, float64[::1]"


@jit(inline="always")
def _longest(starts: Any, j: Any) -> Any:
    longest = 0
    for p in range(j.shape[0]):
        longest = max(longest, starts[j[p] + 1] - starts[j[p]])
    return longest


@jit
def squared_distances(x: Any, other: Any, squares: Any) -> None:
    """Squared distances of a point from values that lie feature by feature.

    The loops over the values run in vector registers; four features at a time save
    three of four stores. Squares are added in the order of the features, and no
    option lets the compiler reorder them.
    """
    d = x.shape[0]
    squares[:] = 0.0
    k = 0
    while k + 4 <= d:
        y0, y1, y2, y3 = other[k], other[k + 1], other[k + 2], other[k + 3]
        x0, x1, x2, x3 = x[k], x[k + 1], x[k + 2], x[k + 3]
        for t in range(squares.shape[0]):
            g0, g1, g2, g3 = y0[t] - x0, y1[t] - x1, y2[t] - x2, y3[t] - x3
            square = squares[t] + g0 * g0
            square = square + g1 * g1
            square = square + g2 * g2
            squares[t] = square + g3 * g3
        k += 4
    while k < d:
        y0, x0 = other[k], x[k]
        for t in range(squares.shape[0]):
            gap = y0[t] - x0
            squares[t] += gap * gap
        k += 1


@jit(
    f"void({OBJECTS}, float64[::1], float64[::1], {PAIRS})",
    cache=True,
    nogil=True,
)
def weights_within(
    values: Array,
    starts: NDArray[np.int64],
    by_feature: Array,
    other_starts: NDArray[np.int64],
    weights: Array,
    other_weights: Array,
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    squared_eps: float,
    out: Array,
) -> None:
    """Probability of being within eps, for pairs (i, j) of objects with weights."""
    d = values.shape[1]
    buffer = np.empty(_longest(other_starts, j))
    for p in range(i.shape[0]):
        begin, end = other_starts[j[p]], other_starts[j[p] + 1]
        other = by_feature[begin * d : end * d].reshape(d, end - begin)
        shares = other_weights[begin:end]
        squares = buffer[: end - begin]
        total = 0.0
        for s in range(starts[i[p]], starts[i[p] + 1]):
            squared_distances(values[s], other, squares)
            close = 0.0
            for t in range(squares.shape[0]):
                if squares[t] <= squared_eps:
                    close += shares[t]
            total += weights[s] * close
        out[p] = total
