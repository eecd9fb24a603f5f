"""Pairs of values within eps, counted mostly in single precision: the numba version.

It is imported only if the extra ``fast`` is installed, compiled once and cached.
Squared distances, in units of eps from the middle of an object, are |x|² + |y|² - 2 x
y'. A column of them, all values of the object with one value of another, is counted
twice, for rounding errors in either direction. If the counts differ, differences are
squared in double precision.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from incerta.density.single import ROUNDING, WIDEST
from incerta.typing import Array

jit: Any = numba.njit
# Positions are unsigned: for signed ones numba checks whether they count from the end,
# which keeps the loops from being vectorized.
U: Any = np.uint64
# Block size: distances of a block from four values fit in the first-level cache.
WIDTH = U(512)
TWO, THREE = U(2) * WIDTH, U(3) * WIDTH
ONE, NONE = np.int32(1), np.int32(0)


@jit(fastmath={"contract"})
def _multiply_first(x: Any, y: Any, sizes: Any, n_columns: Any, out: Any) -> None:
    """Write |y|² and products of four rows of `x` with columns of `y`."""
    a0, a1, a2, a3 = x[0, 0], x[0, 1], x[0, 2], x[0, 3]
    b0, b1, b2, b3 = x[1, 0], x[1, 1], x[1, 2], x[1, 3]
    c0, c1, c2, c3 = x[2, 0], x[2, 1], x[2, 2], x[2, 3]
    d0, d1, d2, d3 = x[3, 0], x[3, 1], x[3, 2], x[3, 3]
    for t in range(n_columns):
        size = sizes[t]
        y0, y1, y2, y3 = y[t], y[t + WIDTH], y[t + TWO], y[t + THREE]
        out[t] = size + a0 * y0 + a1 * y1 + a2 * y2 + a3 * y3
        out[t + WIDTH] = size + b0 * y0 + b1 * y1 + b2 * y2 + b3 * y3
        out[t + TWO] = size + c0 * y0 + c1 * y1 + c2 * y2 + c3 * y3
        out[t + THREE] = size + d0 * y0 + d1 * y1 + d2 * y2 + d3 * y3


@jit(fastmath={"contract"})
def _multiply(x: Any, y: Any, n_columns: Any, out: Any) -> None:
    """Add products of four rows of `x` with columns of `y`, over four features."""
    a0, a1, a2, a3 = x[0, 0], x[0, 1], x[0, 2], x[0, 3]
    b0, b1, b2, b3 = x[1, 0], x[1, 1], x[1, 2], x[1, 3]
    c0, c1, c2, c3 = x[2, 0], x[2, 1], x[2, 2], x[2, 3]
    d0, d1, d2, d3 = x[3, 0], x[3, 1], x[3, 2], x[3, 3]
    for t in range(n_columns):
        y0, y1, y2, y3 = y[t], y[t + WIDTH], y[t + TWO], y[t + THREE]
        out[t] = out[t] + a0 * y0 + a1 * y1 + a2 * y2 + a3 * y3
        out[t + WIDTH] = out[t + WIDTH] + b0 * y0 + b1 * y1 + b2 * y2 + b3 * y3
        out[t + TWO] = out[t + TWO] + c0 * y0 + c1 * y1 + c2 * y2 + c3 * y3
        out[t + THREE] = out[t + THREE] + d0 * y0 + d1 * y1 + d2 * y2 + d3 * y3


@jit
def _count(squares: Any, limits: Any, band: Any, n_columns: Any, counts: Any) -> None:
    """Count entries below four limits, minus and plus `band`, in each column."""
    low0, low1 = limits[0] - band, limits[1] - band
    low2, low3 = limits[2] - band, limits[3] - band
    high0, high1 = limits[0] + band, limits[1] + band
    high2, high3 = limits[2] + band, limits[3] + band
    surely, maybe = counts
    for t in range(n_columns):
        s0, s1 = squares[t], squares[t + WIDTH]
        s2, s3 = squares[t + TWO], squares[t + THREE]
        surely[t] += (
            (ONE if s0 <= low0 else NONE)
            + (ONE if s1 <= low1 else NONE)
            + (ONE if s2 <= low2 else NONE)
            + (ONE if s3 <= low3 else NONE)
        )
        maybe[t] += (
            (ONE if s0 <= high0 else NONE)
            + (ONE if s1 <= high1 else NONE)
            + (ONE if s2 <= high2 else NONE)
            + (ONE if s3 <= high3 else NONE)
        )


@jit
def _count_singly(
    x: Any, y: Any, sizes: Any, n_columns: Any, limits: Any, band: Any, out: Any
) -> None:
    """Count near values in each column, with lower and upper bounds for rounding."""
    squares = np.empty(4 * WIDTH, dtype=np.float32)
    for s in range(0, x.shape[0], 4):
        rows = x[s : s + 4]
        _multiply_first(rows, y, sizes, n_columns, squares)
        for k in range(4, x.shape[1], 4):
            _multiply(rows[:, k:], y[k * WIDTH :], n_columns, squares)
        _count(squares, limits[s : s + 4], band, n_columns, (out[0], out[1]))


@jit
def _recount(
    values: Any, by_feature: Any, firsts: Any, steps: Any, counts: Any, eps: Any
) -> None:
    """Correct the first count by squared differences where the two differ.

    They are added in the order of the features, which no option lets compilers change.
    """
    which = np.flatnonzero(counts[0] != counts[1])
    n, d = which.shape[0], values.shape[1]
    columns, squares = np.empty((d, n)), np.empty(n)
    for t in range(n):
        counts[0, which[t]] = 0
        for k in range(d):
            columns[k, t] = by_feature[firsts[which[t]] + k * steps[which[t]]]
    for s in range(values.shape[0]):
        squares[:] = 0.0
        for k in range(d):
            x, column = values[s, k], columns[k]
            for t in range(n):
                gap = column[t] - x
                squares[t] += gap * gap
        for t in range(n):
            counts[0, which[t]] += squares[t] <= eps * eps


@jit
def _as_rows(values: Any, center: Any, scale: Any) -> Any:
    """Return rows -2 x in blocks of four, limits 1 - |x|², and the largest |x|²."""
    n, d = values.shape
    x = np.zeros((-(-n // 4) * 4, -(-d // 4) * 4), dtype=np.float32)
    limits = np.full(x.shape[0], -np.inf, dtype=np.float32)
    largest = 0.0
    for s in range(n):
        size = 0.0
        for k in range(d):
            scaled = (values[s, k] - center[k]) * scale
            x[s, k] = -2.0 * scaled
            size += scaled * scaled
        limits[s] = 1.0 - size
        # NaN if one of them is infinite or NaN.
        largest = max(largest, size) + (size - size)
    return x, limits, largest


@jit(fastmath={"contract"})
def _as_columns(
    by_feature: Any, first: Any, step: Any, center: Any, scale: Any, y: Any, sizes: Any
) -> None:
    """Write values, in units of eps from `center`, as columns, and |y|² of each."""
    n = sizes.shape[0]
    sizes[:] = 0.0
    for k in range(center.shape[0]):
        middle, row, source = center[k], y[k], by_feature[first + k * step :]
        for t in range(n):
            row[t] = (source[t] - middle) * scale
            sizes[t] += row[t] * row[t]


@jit(
    "void(float64[:, ::1], int64[::1], float64[::1], int64[::1], int64[::1], "
    "int64[::1], float64, float64[::1])",
    cache=True,
    nogil=True,
    error_model="numpy",
)
def counts_within(
    values: Array,
    starts: NDArray[np.int64],
    by_feature: Array,
    other_starts: NDArray[np.int64],
    i: NDArray[np.int64],
    j: NDArray[np.int64],
    eps: float,
    out: Array,
) -> None:
    """Count pairs of values within eps, for pairs (i, j) of objects, in order of i.

    The result is that of squared differences in double precision, added by feature.
    """
    d = values.shape[1]
    scale = 1.0 / eps
    center = np.empty(d)
    y = np.zeros((-(-d // 4) * 4, WIDTH), dtype=np.float32)
    sizes = np.empty(WIDTH, dtype=np.float32)
    owner = np.empty(WIDTH, dtype=np.int64)
    firsts, steps = np.empty_like(owner), np.empty_like(owner)
    counts = np.empty((2, WIDTH), dtype=np.int32)
    out[:] = 0.0
    p = 0
    while p < i.shape[0]:
        own = values[starts[i[p]] : starts[i[p] + 1]]
        last = p
        while last + 1 < i.shape[0] and i[last + 1] == i[p]:
            last += 1
        center[:] = 0.0
        for s in range(own.shape[0]):
            center += own[s] / own.shape[0]
        x, limits, reach = _as_rows(own, center, scale)
        n = 0
        for q in range(p, last + 1):
            begin, end = other_starts[j[q]], other_starts[j[q] + 1]
            done = 0
            while done < end - begin:
                some = min(end - begin - done, WIDTH - n)
                first = begin * d + done
                here = slice(n, n + some)
                _as_columns(
                    by_feature,
                    first,
                    end - begin,
                    center,
                    scale,
                    y[:, here],
                    sizes[here],
                )
                for t in range(some):
                    owner[n + t], steps[n + t] = q, end - begin
                    firsts[n + t] = first + t
                done += some
                n += some
                if n < WIDTH and (q < last or done < end - begin):
                    continue
                largest = 0.0
                for t in range(n):
                    # NaN if one of them is infinite or NaN.
                    largest = max(largest, sizes[t]) + (sizes[t] - sizes[t])
                band = ROUNDING * (d + 4) * (np.sqrt(reach) + np.sqrt(largest)) ** 2
                if band <= WIDEST:  # and a number
                    counts[:] = 0
                    _count_singly(
                        x, y.ravel(), sizes, U(n), limits, np.float32(band), counts
                    )
                else:
                    counts[0, :n], counts[1, :n] = 0, 1
                _recount(own, by_feature, firsts, steps, counts[:, :n], eps)
                for t in range(n):
                    out[owner[t]] += counts[0, t]
                n = 0
        p = last + 1
