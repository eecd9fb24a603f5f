"""Which pairs of values are within eps, by single precision wherever that can tell.

Squared distances but for ``|x|²`` are products of two tables, ``|y|² - 2 x y'``, which
BLAS multiplies several times as fast in single precision as differences are squared in
double; they are compared with ``eps² - |x|²``. Where rounding could turn a decision,
differences are squared after all, so that all decisions are those of double precision.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from incerta.typing import Array, Indices, Mask

Singles = NDArray[np.float32]

# Twice what single precision rounds by, relative to what is rounded.
ROUNDING = float(np.finfo(np.float32).eps)
# Where more than this share of eps² could be due to rounding, too much is left open.
WIDEST = 0.01


class Factors(NamedTuple):
    """Values, in units of eps from a center, as factors of squared distances."""

    left: Singles  # (n, d + 1)
    right: Singles  # (n, d + 1), left @ right.T are squared distances less |x|²
    limits: Array  # (n,), 1 - |x|²
    lengths: Array  # (n,), |x|

    def only(self, rows: slice | Indices) -> "Factors":
        """Return those of some values."""
        left, right, limits, lengths = self
        return Factors(left[rows], right[rows], limits[rows], lengths[rows])


def factors(values: Array, center: Array, eps: float) -> Factors:
    """Prepare values for `near`: the nearer to the center, the less is lost."""
    n, d = values.shape
    left, right = np.ones((2, n, d + 1), dtype=np.float32)
    with np.errstate(all="ignore"):
        scaled = (values - center) / eps
        squares = np.einsum("ij,ij->i", scaled, scaled)
        left[:, :d] = -2.0 * scaled
        right[:, :d], right[:, d] = scaled, squares
        return Factors(left, right, 1.0 - squares, np.sqrt(squares))


def near(x: Array, y: Array, eps: float, of_x: Factors, of_y: Factors) -> Mask:
    """Whether values of x (n_x, d) and of y (n_y, d) are within eps of each other.

    As ``((x[:, None] - y) ** 2).sum(axis=2) <= eps**2``, added feature by feature.
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
    # Counts tell sooner than entries where single precision cannot decide.
    undecided = np.flatnonzero(counts(close) != counts(perhaps))
    close[:, undecided] = _squared_distances(x, y[undecided]) <= eps * eps
    return close


def counts(close: Mask) -> Indices:
    """Number of true entries in each column."""
    total = np.zeros(close.shape[1], dtype=np.intp)
    for first in range(0, len(close), 255):  # as many as a byte can count
        total += close[first : first + 255].view(np.uint8).sum(axis=0, dtype=np.uint8)
    return total


def rounding(of_x: Factors, of_y: Factors) -> float:
    """Bound of the error of squared distances.

    A sum of n products is off by n + 2 roundings of the sum of their sizes, less than
    (|x| + |y|)², and a limit by one of twice that; the bound is twice both together.
    """
    n = of_x.left.shape[1]
    reach = of_x.lengths.max() + of_y.lengths.max()
    return float((n + 3) * ROUNDING * reach**2)


def _squared_distances(x: Array, y: Array) -> Array:
    """Sums feature by feature; those of scipy depend on the processor."""
    total = np.zeros((len(x), len(y)))
    for one, other in zip(x.T, y.T, strict=True):
        total += np.square(one[:, None] - other)
    return total
