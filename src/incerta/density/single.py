"""Pairs of values within eps, in single precision if possible.

Squared distances minus ``|x|²`` are products of two tables, ``|y|² - 2 x y'``, and are
compared with ``eps² - |x|²``. BLAS computes them in single precision several times as
fast as differences can be squared in double precision. If rounding could change a
decision, differences are squared, so that all decisions are those of double precision.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incerta.typing import Array, Indices, Mask

Singles = NDArray[np.float32]

# Twice the relative rounding error of single precision.
ROUNDING = float(np.finfo(np.float32).eps)
# If rounding could exceed this share of eps², too many pairs would be undecided.
WIDEST = 0.01


class Factors(NamedTuple):
    """Values in units of eps from a center, as factors of squared distances."""

    left: Singles  # (n, d + 1)
    right: Singles  # (n, d + 1), left @ right.T are squared distances less |x|²
    limits: Array  # (n,), 1 - |x|²
    lengths: Array  # (n,), |x|

    def only(self, rows: slice | Indices) -> "Factors":
        """Return the factors of some values."""
        left, right, limits, lengths = self
        return Factors(left[rows], right[rows], limits[rows], lengths[rows])


def factors(values: Array, center: Array, eps: float) -> Factors:
    """Prepare values for `near`: precision is best near the center."""
    n, d = values.shape
    left, right = np.ones((2, n, d + 1), dtype=np.float32)
    with np.errstate(all="ignore"):
        scaled = (values - center) / eps
        squares = np.einsum("ij,ij->i", scaled, scaled)
        left[:, :d] = -2.0 * scaled
        right[:, :d], right[:, d] = scaled, squares
        return Factors(left, right, 1.0 - squares, np.sqrt(squares))


def near(x: Array, y: Array, eps: float, of_x: Factors, of_y: Factors) -> Mask:
    """Return which values of x (n_x, d) and y (n_y, d) are within eps of each other.

    The result is ``((x[:, None] - y) ** 2).sum(axis=2) <= eps**2``, added by feature.
    """
    band = rounding(of_x, of_y)
    if not band <= WIDEST:  # or not a number
        center = x.mean(axis=0)
        of_x, of_y = factors(x, center, eps), factors(y, center, eps)
        band = rounding(of_x, of_y)
        if not band <= WIDEST:
            return _squared_distances(x, y) <= eps * eps
    squares = of_x.left @ of_y.right.T
    limits = of_x.limits[:, None]
    close = squares <= (limits - band).astype(np.float32)
    perhaps = squares <= (limits + band).astype(np.float32)
    # Counts show faster than entries where single precision cannot decide.
    undecided = np.flatnonzero(counts(close) != counts(perhaps))
    close[:, undecided] = _squared_distances(x, y[undecided]) <= eps * eps
    return close


def counts(close: Mask) -> Indices:
    """Count the true entries in each column."""
    total = np.zeros(close.shape[1], dtype=np.intp)
    for first in range(0, len(close), 255):  # as many rows as a byte can count
        total += close[first : first + 255].view(np.uint8).sum(axis=0, dtype=np.uint8)
    return total


def rounding(of_x: Factors, of_y: Factors) -> float:
    """Return a bound of the error of squared distances.

    A sum of n products has an error of at most n + 2 roundings of the sum of their
    sizes, less than (|x| + |y|)², and a limit of one rounding of twice that. The bound
    is twice the sum of both.
    """
    n = of_x.left.shape[1]
    reach = of_x.lengths.max() + of_y.lengths.max()
    return float((n + 3) * ROUNDING * reach**2)


def _squared_distances(x: Array, y: Array) -> Array:
    """Return squared distances, added by feature; scipy's depend on the processor."""
    total = np.zeros((len(x), len(y)))
    for one, other in zip(x.T, y.T, strict=True):
        total += np.square(one[:, None] - other)
    return total
