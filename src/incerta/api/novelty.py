"""Novelty: how unlike all other objects an object is, given its error."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtri
from scipy.stats import chi2, t

from incerta.backend.memory import blocks
from incerta.data.container import UncertainData
from incerta.mixture.model import errors_of_means
from incerta.typing import Array, Indices, Mask

# Least and largest number of objects with which others are compared.
FEWEST, MOST = 20, 400
# Novelty from which an object is called unlike the others: 1 in 1000. In large tables
# it is higher, so that at most 1 in 20 tables has such an object by chance.
NOVEL, TABLES = 3.0, 20.0
# Largest novelty that is reported.
HIGHEST = 10.0
# Least width of a kernel, in standard deviations of the features.
NARROWEST = 0.01
WIDEST_SHARE = 0.95
# Objects beyond this share count as the tail; more may be unlike in small tables.
TAIL, TAIL_OBJECTS, LARGEST_TAIL = 0.02, 5, 0.2
# Objects for each degree of freedom of the tail.
PER_DEGREE = 2
NO_ERROR = 1e-100
CACHE_BYTES = 2**20
TINY = float(np.finfo(np.float64).tiny)


class Places(NamedTuple):
    """Positions of objects, with errors."""

    means: Array  # (n, d), 0 where missing
    variances: Array  # (n, d), of the means
    known: Mask  # (n, d)


class References(NamedTuple):
    """Objects with which others are compared, as kernels of a density.

    The widths of kernels are distances to neighbors: wide where objects are sparse.
    """

    centers: Array  # (m, d)
    variances: Array  # (m, d)
    width: float  # typical variance of a kernel without error
    positions: Indices  # (m,), positions among the objects of the fit


class Tail(NamedTuple):
    """Distribution of oddness in the fit: log-normal above the median."""

    shift: float
    half: float
    deviation: float
    degrees: float


class Novelty:
    """How unlike the objects of a fit other objects are; at least `FEWEST`, scaled.

    The novelty of an object is ``-log10(p)``: 3 means that 1 in 1000 objects like those
    of the fit would lie as far out. The oddness of an object is minus twice the log
    density at its position, relative to the height of a typical kernel. The density is
    that of at most 400 objects of the fit, blurred by the error of the object. p is the
    share of objects of the fit with at least this oddness, each compared with the
    others, and is continued by a log-normal tail. The novelty is limited by a
    chi-squared test of the distance to the likeliest of the 400 objects, in units of
    the object's error: a far value with a large error is not novel.

    Positions are the means of the objects, and errors enter by their variances. A
    missing value has an infinite error. Time grows with the product of the numbers of
    objects, references and features.
    """

    def __init__(self, data: UncertainData) -> None:
        order = np.argsort(data._keys, kind="stable")[:MOST]
        places = places_of(data[order])
        self.references = references_of(places, order)
        oddness, apart = self.oddness(places, leave_out=True)
        self._tail = tail_of(oddness, data.n_features)
        self._inside = self._novelty(places, oddness, apart)

    def of_fit(self, data: UncertainData) -> Array:
        """Return the novelty of the objects of the fit among themselves."""
        out = np.empty(len(data))
        positions = self.references.positions
        rest = np.setdiff1d(np.arange(len(data)), positions)
        if len(rest):
            out[rest] = self.of(data[rest])
        out[positions] = self._inside
        return out

    def of(self, data: UncertainData) -> Array:
        """Return the novelty of other objects, with features on the same scale."""
        places = places_of(data)
        return self._novelty(places, *self.oddness(places))

    def _novelty(self, places: Places, oddness: Array, apart: Array) -> Array:
        shift, half, deviation, degrees = self._tail
        z = (np.log(np.maximum(oddness - shift, TINY)) - half) / deviation
        n_known = places.known.sum(axis=1)
        by_error = chi2.sf(apart, np.maximum(n_known, 1))
        share = np.maximum(t.sf(z, degrees), np.where(n_known > 0, by_error, 1.0))
        return np.clip(-np.log10(np.maximum(share, TINY)), 0.0, HIGHEST)

    def oddness(self, places: Places, leave_out: bool = False) -> tuple[Array, Array]:
        """Return oddness, and squared distances in errors to the likeliest reference.

        With `leave_out`, the objects are the references, each compared with the others.
        """
        centers, variances, width, _ = self.references
        m, d = centers.shape
        oddness, apart = np.empty((2, len(places.means)))
        complete = places.known.all()
        for part in blocks(len(oddness), 8 * m * 4, CACHE_BYTES):
            height = np.zeros((len(oddness[part]), m))
            ratio = np.ones_like(height)
            for j in range(d):
                own = places.variances[part, j, None]
                total = own + variances[:, j]
                gap = places.means[part, j, None] - centers[:, j]
                gap *= gap
                gap /= total
                total *= 1.0 / (own + width)
                if not complete:
                    missing = ~places.known[part, j]
                    gap[missing], total[missing] = 0.0, 1.0
                height += gap
                ratio *= total
                if j % 8 == 7 or j == d - 1:  # one logarithm for several features
                    height += np.log(ratio)
                    ratio[:] = 1.0
            if leave_out:
                rows = np.arange(part.start, part.stop)
                height[rows - part.start, rows] = np.inf
            nearest = height.argmin(axis=1)[:, None]
            lowest = np.take_along_axis(height, nearest, axis=1)
            sums = np.exp(0.5 * (lowest - height)).sum(axis=1) / (m - leave_out)
            oddness[part] = lowest[:, 0] - 2.0 * np.log(sums)
            gaps = places.means[part] - centers[nearest[:, 0]]
            own = np.maximum(places.variances[part], NO_ERROR)
            apart[part] = np.where(places.known[part], gaps**2 / own, 0.0).sum(axis=1)
        return oddness, apart


def from_which(n_objects: int) -> float:
    """Return the novelty from which an object is called unlike others."""
    return max(NOVEL, float(np.log10(TABLES * max(n_objects, 1))))


def places_of(data: UncertainData) -> Places:
    """Return means, or 0, and the variances of their errors."""
    means = data.mean()
    if data.meaning == "spread":
        errors = errors_of_means(data)
        # If values are correlated, these are covariances: take their diagonals.
        diagonal = errors if errors.ndim == 2 else np.einsum("iin->in", errors)
        variances = diagonal.T
    else:
        variances = data.variance()
    known = ~np.isnan(means)
    return Places(np.where(known, means, 0.0), np.where(known, variances, 0.0), known)


def references_of(places: Places, positions: Indices) -> References:
    """Make objects kernels whose widths are the distances to neighbors."""
    centers, variances, known = places
    count = np.maximum(known.sum(axis=0), 1)
    middle = centers.sum(axis=0) / count
    spread = (np.where(known, centers - middle, 0.0) ** 2).sum(axis=0) / count
    # A missing value of a reference may be the value of any other object.
    centers = np.where(known, centers, middle)
    variances = np.where(known, variances, spread)
    m, d = centers.shape
    k = min(max(3, int(0.5 * np.sqrt(m))), m - 1)
    gaps = np.empty(m)
    for part in blocks(m, 8 * m * d):
        squares = ((centers[part, None] - centers) ** 2).sum(axis=2)
        gaps[part] = np.partition(squares, k, axis=1)[:, k] / d  # 0 is itself
    least = NARROWEST**2 * spread.mean() or 1.0
    widths = np.clip(gaps, least, max(least, np.quantile(gaps, WIDEST_SHARE)))
    width = float(np.median(widths))
    return References(centers, variances + widths[:, None], width, positions)


def tail_of(oddness: Array, n_features: int) -> Tail:
    """Fit a log-normal tail to the median and a high quantile."""
    m, d = len(oddness), float(n_features)
    share = np.clip(TAIL_OBJECTS / m, TAIL, LARGEST_TAIL)
    low, middle, high = np.quantile(oddness, [0.05, 0.5, 1.0 - share])
    shift = low - d
    half, far = np.log(middle - shift), np.log(high - shift)
    # Half of the value for Gaussian features: objects on a grid are all alike.
    least = 0.5 * np.sqrt(2.0 * d) / (d + 1.64 * np.sqrt(2.0 * d))
    deviation = max(float((far - half) / -ndtri(share)), least)
    return Tail(float(shift), float(half), deviation, m / PER_DEGREE)
