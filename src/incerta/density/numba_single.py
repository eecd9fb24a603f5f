"""Pairs of values within eps, counted mostly in single precision: the numba version.

Imported only where the extra ``fast`` is installed; compiled once and cached. Squared
distances, in units of eps from the middle of all values, or where that leaves too much
open from the middle of an object, are |x|² + |y|² - 2 x y'. A column of them, all
values of the object with one value of another, is counted twice, with what rounding
could add and with what it could take away; where the counts differ, differences are
squared in double precision.
"""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from incerta.density.numba_within import squared_distances
from incerta.density.single import ROUNDING, WIDEST
from incerta.typing import Array

jit: Any = numba.njit
# Positions are unsigned: numba would ask of others whether they count from the end, and
# the loops would not run in vector registers.
U: Any = np.uint64
# Values at a time: their distances from four others stay in the first-level cache.
WIDTH = U(512)
TWO, THREE = U(2) * WIDTH, U(3) * WIDTH
FOUR, FIVE = U(4) * WIDTH, U(5) * WIDTH
ONE, NONE = np.int32(1), np.int32(0)
# Where rounding could change more than this, columns are prepared for each object anew.
NARROW = 3e-4


@jit(fastmath={"contract"})
def _multiply_first(x: Any, y: Any, sizes: Any, n_columns: Any, out: Any) -> None:
    """Write |y|² and products of four rows of `x` with columns of `y`, by four."""
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
def _multiply_four(x: Any, y: Any, n_columns: Any, out: Any) -> None:
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


@jit(fastmath={"contract"})
def _multiply_first_six(x: Any, y: Any, sizes: Any, n_columns: Any, out: Any) -> None:
    """Write |y|² and products of four rows of `x` with columns of `y`, by six."""
    a0, a1, a2, a3, a4, a5 = x[0, 0], x[0, 1], x[0, 2], x[0, 3], x[0, 4], x[0, 5]
    b0, b1, b2, b3, b4, b5 = x[1, 0], x[1, 1], x[1, 2], x[1, 3], x[1, 4], x[1, 5]
    c0, c1, c2, c3, c4, c5 = x[2, 0], x[2, 1], x[2, 2], x[2, 3], x[2, 4], x[2, 5]
    d0, d1, d2, d3, d4, d5 = x[3, 0], x[3, 1], x[3, 2], x[3, 3], x[3, 4], x[3, 5]
    for t in range(n_columns):
        size = sizes[t]
        y0, y1, y2, y3 = y[t], y[t + WIDTH], y[t + TWO], y[t + THREE]
        y4, y5 = y[t + FOUR], y[t + FIVE]
        out[t] = size + a0 * y0 + a1 * y1 + a2 * y2 + a3 * y3 + a4 * y4 + a5 * y5
        out[t + WIDTH] = (
            size + b0 * y0 + b1 * y1 + b2 * y2 + b3 * y3 + b4 * y4 + b5 * y5
        )
        out[t + TWO] = size + c0 * y0 + c1 * y1 + c2 * y2 + c3 * y3 + c4 * y4 + c5 * y5
        out[t + THREE] = (
            size + d0 * y0 + d1 * y1 + d2 * y2 + d3 * y3 + d4 * y4 + d5 * y5
        )


@jit
def _count(squares: Any, limits: Any, band: Any, n_columns: Any, counts: Any) -> None:
    """Count what is below four limits, less and plus `band`, in each column."""
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
    x: Any, y: Any, sizes: Any, n: Any, limits: Any, band: Any, out: Any
) -> None:
    """Count near values in n columns, less and plus what rounding could change."""
    n_columns = U(n)
    for t in range(n):
        out[0, t], out[1, t] = 0, 0
    squares = np.empty(4 * WIDTH, dtype=np.float32)
    n_first = 6 if x.shape[1] % 4 else 4
    for s in range(0, x.shape[0], 4):
        rows = x[s : s + 4]
        if n_first == 6:
            _multiply_first_six(rows, y, sizes, n_columns, squares)
        else:
            _multiply_first(rows, y, sizes, n_columns, squares)
        for k in range(n_first, x.shape[1], 4):
            _multiply_four(rows[:, k:], y[k * WIDTH :], n_columns, squares)
        _count(squares, limits[s : s + 4], band, n_columns, (out[0], out[1]))


@jit
def _recount(
    values: Any, by_feature: Any, firsts: Any, steps: Any, counts: Any, eps: Any
) -> None:
    """Where the two counts differ, make the first one right by squared differences.

    Feature k of a column is `steps` times k after its first.
    """
    n = 0
    which = np.empty(counts.shape[1], dtype=np.int64)
    for t in range(counts.shape[1]):
        if counts[0, t] != counts[1, t]:
            which[n], counts[0, t] = t, 0
            n += 1
    some, squares = np.empty((values.shape[1], n)), np.empty(n)
    for t in range(n):
        for k in range(values.shape[1]):
            some[k, t] = by_feature[firsts[which[t]] + k * steps[which[t]]]
    for s in range(values.shape[0]):
        squared_distances(values[s], some, squares)
        for t in range(n):
            counts[0, which[t]] += squares[t] <= eps * eps


@jit
def _padded(d: Any) -> Any:
    """Number of features, filled up to four and to pairs."""
    return max(4, d + d % 2)


@jit
def _as_rows(values: Any, centre: Any, scale: Any) -> Any:
    """Rows -2 x, in blocks of four; limits 1 - |x|² of rows; the largest |x|²."""
    n, d = values.shape
    x = np.zeros((-(-n // 4) * 4, _padded(d)), dtype=np.float32)
    limits = np.empty(x.shape[0], dtype=np.float32)
    largest = 0.0
    for s in range(x.shape[0]):
        size = 0.0
        for k in range(d if s < n else 0):
            scaled = (values[s, k] - centre[k]) * scale
            x[s, k] = -2.0 * scaled
            size += scaled * scaled
        limits[s] = 1.0 - size if s < n else -np.inf
        # Not a number if one of them is infinite, or is none.
        largest = max(largest, size) + (size - size)
    return x, limits, largest


@jit
def _scaled(by_feature: Any, starts: Any, centre: Any, scale: Any) -> Any:
    """All columns, in units of eps from `centre`, and |y|² of each."""
    d = centre.shape[0]
    y = np.empty(by_feature.shape[0], dtype=np.float32)
    sizes = np.zeros(starts[-1])
    for j in range(starts.shape[0] - 1):
        begin, n = starts[j], starts[j + 1] - starts[j]
        for k in range(d):
            first = begin * d + k * n
            for t in range(n):
                scaled = (by_feature[first + t] - centre[k]) * scale
                y[first + t] = scaled
                sizes[begin + t] += scaled * scaled
    return y, sizes


@jit
def _scale_again(
    columns: Any, n: Any, centre: Any, scale: Any, y: Any, sizes: Any
) -> Any:
    """Write n columns, in units of eps from another centre, to `y`, and |y|².

    Return the largest |y|², or not a number if one of them is infinite, or is none.
    """
    total = np.zeros(n)
    for k in range(columns.shape[0]):
        own, middle, row = columns[k], centre[k], y[k]
        for t in range(n):
            scaled = (own[t] - middle) * scale
            row[t] = scaled
            total[t] += scaled * scaled
    largest = 0.0
    for t in range(n):
        sizes[t] = total[t]
        largest = max(largest, total[t]) + (total[t] - total[t])
    return largest


@jit
def _band(reach: Any, size: Any, d: Any) -> Any:
    """What rounding could change, by the largest |x|² and |y|²."""
    return ROUNDING * (d + 4) * (np.sqrt(reach) + np.sqrt(size)) ** 2


@jit
def _copy(source: Any, first: Any, step: Any, d: Any, n: Any, to: Any, at: Any) -> None:
    """Copy n values of d features, the features `step` apart, to columns from `at`."""
    for k in range(d):
        row, new = to[k, at:], source[first + k * step :]
        for t in range(n):
            row[t] = new[t]


@jit
def _middle(values: Any, centre: Any) -> None:
    centre[:] = 0.0
    for s in range(values.shape[0]):
        centre += values[s] / values.shape[0]


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
    """Number of pairs of values within eps, for pairs (i, j) of objects, by rising i.

    Decided as by squared differences in double precision, added feature by feature.
    """
    d = values.shape[1]
    scale = 1.0 / eps
    middle, centre = np.empty(d), np.empty(d)
    _middle(values, middle)
    all_y, all_sizes = _scaled(by_feature, other_starts, middle, scale)
    columns = np.empty((d, WIDTH))
    y = np.zeros((_padded(d), WIDTH), dtype=np.float32)
    sizes = np.empty(WIDTH, dtype=np.float32)
    owner = np.empty(WIDTH, dtype=np.int64)
    firsts, steps = np.empty_like(owner), np.empty_like(owner)
    counts = np.empty((2, WIDTH), dtype=np.int32)
    for q in range(out.shape[0]):
        out[q] = 0.0
    p = 0
    while p < i.shape[0]:
        own = values[starts[i[p]] : starts[i[p] + 1]]
        last = p
        while last + 1 < i.shape[0] and i[last + 1] == i[p]:
            last += 1
        # From the middle of all values if that leaves little open, else from its own.
        x, limits, reach = _as_rows(own, middle, scale)
        size = 0.0
        for q in range(p, last + 1):
            for t in range(other_starts[j[q]], other_starts[j[q] + 1]):
                size = max(size, all_sizes[t])
        band = _band(reach, size, d)
        prepared = band <= NARROW  # and a number
        if not prepared:
            _middle(own, centre)
            x, limits, reach = _as_rows(own, centre, scale)
        n = 0
        for q in range(p, last + 1):
            begin, end = other_starts[j[q]], other_starts[j[q] + 1]
            done = 0
            while done < end - begin:
                some = min(end - begin - done, WIDTH - n)
                first = begin * d + done
                if prepared:
                    _copy(all_y, first, end - begin, d, some, y, n)
                    for t in range(some):
                        sizes[n + t] = all_sizes[begin + done + t]
                else:
                    _copy(by_feature, first, end - begin, d, some, columns, n)
                for t in range(some):
                    owner[n + t], steps[n + t] = q, end - begin
                    firsts[n + t] = first + t
                done += some
                n += some
                if n < WIDTH and (q < last or done < end - begin):
                    continue
                if not prepared:
                    size = _scale_again(columns, n, centre, scale, y, sizes)
                    band = _band(reach, size, d)
                for c in range(n):
                    counts[0, c], counts[1, c] = 0, 1
                if band <= WIDEST:  # and a number
                    _count_singly(
                        x, y.ravel(), sizes, n, limits, np.float32(band), counts
                    )
                decided = True
                for c in range(n):
                    decided = decided and counts[0, c] == counts[1, c]
                if not decided:
                    _recount(own, by_feature, firsts, steps, counts[:, :n], eps)
                for c in range(n):
                    out[owner[c]] += counts[0, c]
                n = 0
        p = last + 1
