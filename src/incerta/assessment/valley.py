"""Test whether the distribution of the true values along an axis has a valley.

The best mixture of Gaussians is compared with the best of all distributions with a
single mode, both with the measurement errors added. Labels play no part: a cut through
one cluster shows no valley, whoever made it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.optimize import nnls
from scipy.special import ndtr

from incerta.models.registry import stored
from incerta.typing import Array

# Number of cells for counting values: along the axis, and by the size of errors.
PLACES, SIZES = 64, 3
# Numbers of Gaussians to try.
NUMBERS = (2, 3, 4)
# Number of modes tried first, and of ends of uniforms on either side of each.
MODES, ENDS = 24, 24
# In standard deviations within clusters. Gaussians are at least as wide as WIDTH, so
# that the steps of rounded values are no modes; and all values are smoothed a little.
WIDTH, SMOOTHING = 0.35, 0.2
# Most rounds of EM, rounds for one mode before Newton steps, and most of these.
ROUNDS, FIRST_ROUNDS, NEWTON_STEPS = 200, 60, 50
# Precision of log likelihoods: of steps, and of the maximum.
ENOUGH, NEAR = 0.01, 0.05
# Least weight of a uniform that counts as a part.
SOME_WEIGHT = 1e-4
TINY = 1e-300


@stored(places="f m", errors="f m", numbers="f m")
class Counts(NamedTuple):
    """Values along an axis, counted in m cells."""

    places: Array  # (m,), mean of the values in a cell
    errors: Array  # (m,), their standard error, smoothing included
    numbers: Array  # (m,)


@stored(weights="f k", means="f k", variances="f k")
class Gaussians(NamedTuple):
    """A mixture of k Gaussians along the axis, errors off."""

    weights: Array  # (k,)
    means: Array  # (k,)
    variances: Array  # (k,)

    def density(self, places: Array) -> Array:
        """Density at the places (m,)."""
        apart = places[:, None] - self.means
        heights = self.weights / np.sqrt(2.0 * np.pi * self.variances)
        return np.exp(-0.5 * apart**2 / self.variances) @ heights


class Valley(NamedTuple):
    """How much better several modes explain the values than one."""

    depth: float
    counts: Counts
    law: Gaussians  # of the true values


def valley(values: Array, errors: Array) -> Valley:
    """Compare several modes with one for n values with errors.

    Values are in standard deviations within clusters. The depth is twice the gain in
    log likelihood, minus the number of parameters of the Gaussians, plus the number of
    parts of the fit with one mode. The time does not depend on n.
    """
    counts = counted(values, errors)
    fits = [best_gaussians(counts, k) for k in NUMBERS]
    scores = [2.0 * reached - (3 * len(law.means) - 1) for reached, law in fits]
    reached, n_parts = one_mode(counts)
    best = int(np.argmax(scores))
    return Valley(scores[best] - 2.0 * reached + n_parts, counts, fits[best][1])


def counted(values: Array, errors: Array) -> Counts:
    """Count values in cells by their place and the size of their error."""
    low, high = values.min(), values.max()
    width = max(high - low, WIDTH) / PLACES
    place = np.minimum(((values - low) / width).astype(np.intp), PLACES - 1)
    edges = np.quantile(errors, np.arange(1, SIZES) / SIZES)
    cell = place * SIZES + np.searchsorted(edges, errors, side="left")
    numbers = np.bincount(cell, minlength=PLACES * SIZES).astype(np.float64)
    some = numbers > 0
    means = np.bincount(cell, values, PLACES * SIZES)[some] / numbers[some]
    squares = np.bincount(cell, errors**2, PLACES * SIZES)[some] / numbers[some]
    noise = np.sqrt(squares + width**2 / 12.0 + SMOOTHING**2)
    return Counts(means, noise, numbers[some])


def best_gaussians(counts: Counts, k: int) -> tuple[float, Gaussians]:
    """Fit a mixture of k Gaussians by EM; return its log likelihood and the mixture."""
    places, errors, numbers = counts
    n, noise = numbers.sum(), errors**2
    order = np.argsort(places, kind="stable")
    ranks = np.cumsum(numbers[order]) / n
    low, high = places[order[0]], places[order[-1]]
    middles = (np.arange(k) + 0.5) / k
    by_rank = places[order[np.searchsorted(ranks, middles)]]
    by_place = low + (high - low) * middles
    # Arrays are (starts, k), or (starts, k, cells).
    means = np.array([by_rank, by_place, 0.5 * (by_rank + by_place)])
    middle = places @ numbers / n
    spread = np.square(places - middle) @ numbers / n
    variances = np.full_like(means, max(spread / k**2, WIDTH**2))
    weights = np.full_like(means, 1.0 / k)
    best, law = -np.inf, Gaussians(weights[0], means[0], variances[0])
    for _ in range(ROUNDS):
        total = variances[:, :, None] + noise
        apart = places - means[:, :, None]
        share = np.exp(-0.5 * apart**2 / total) * weights[:, :, None]
        share /= np.sqrt(2.0 * np.pi * total)
        whole = np.maximum(share.sum(axis=1), TINY)
        reached = np.log(whole) @ numbers
        start = int(reached.argmax())
        if reached[start] < best + ENOUGH:
            break
        best = float(reached[start])
        law = Gaussians(weights[start], means[start], variances[start])
        share *= (numbers / whole)[:, None]
        size = np.maximum(share.sum(axis=2), TINY)
        kept = variances[:, :, None] / total
        truth = means[:, :, None] + kept * apart
        means = (share * truth).sum(axis=2) / size
        left = np.square(truth - means[:, :, None]) + kept * noise
        variances = np.maximum((share * left).sum(axis=2) / size, WIDTH**2)
        weights = size / n
    return best, law


def one_mode(counts: Counts) -> tuple[float, int]:
    """Fit one mode; return the log likelihood and the number of parts.

    Every distribution with one mode is a mixture of uniforms that end there and a point
    at the mode (Khintchine). The number of parts measures how closely the fit follows
    the values, like a histogram.
    """
    low, high = counts.places.min(), counts.places.max()
    step = (high - low) / MODES
    modes = low + step * (np.arange(MODES) + 0.5)
    best, n_parts, mode = -np.inf, 0, modes[0]
    for finer in (False, True):
        if finer:
            modes = mode + step * np.array([-0.75, -0.5, -0.25, 0.25, 0.5, 0.75])
        tables = densities(counts, modes)
        weights, most = _roughly(tables, counts.numbers)
        for i in np.argsort(-most):
            if most[i] <= best + NEAR:
                break
            reached, own = best_weights(tables[i], counts.numbers, weights[i])
            if reached > best:
                best, mode = reached, modes[i]
                n_parts = int((own > SOME_WEIGHT).sum())
    return best, n_parts


def densities(counts: Counts, modes: Array) -> Array:
    """Density of each uniform, and of the point at the mode, in cells: (m, c, j)."""
    places, errors, _ = counts
    # Ends are closer near the mode, for narrow peaks with long tails.
    part = np.linspace(0.0, 1.0, ENDS + 1)[1:] ** 2
    ends = [places.min() - errors.max(), places.max() + errors.max()]
    length = (np.array(ends) - modes[:, None])[:, :, None] * part  # (m, sides, ends)
    length = length.reshape(len(modes), 1, -1)
    off = (places - modes[:, None]) / errors
    past = (places[:, None] - modes[:, None, None] - length) / errors[:, None]
    uniform = (ndtr(off)[:, :, None] - ndtr(past)) / length
    point = np.exp(-0.5 * off**2) / (np.sqrt(2.0 * np.pi) * errors)
    return np.maximum(np.concatenate([uniform, point[:, :, None]], axis=2), TINY)


def _roughly(tables: Array, numbers: Array) -> tuple[Array, Array]:
    """Run some rounds of EM; return weights and an upper bound, for each mode."""
    n = numbers.sum()
    weights = np.full((len(tables), tables.shape[2]), 1.0 / tables.shape[2])
    turned = tables.transpose(0, 2, 1)
    whole = _times(tables, weights)
    for _ in range(FIRST_ROUNDS):
        weights *= _times(turned, numbers / whole) / n
        whole = _times(tables, weights)
    slope = _times(turned, numbers / whole) / n
    # The log likelihood is concave: no weights reach more than this.
    return weights, np.log(whole) @ numbers + n * np.log(slope.max(axis=1))


def _times(matrices: Array, vectors: Array) -> Array:
    """Products of matrices (m, a, b) and vectors (m, b)."""
    return np.matmul(matrices, vectors[:, :, None])[:, :, 0]


def best_weights(table: Array, numbers: Array, weights: Array) -> tuple[float, Array]:
    """Find the best weights and their log likelihood (Wang 2007).

    Each step maximizes the quadratic with the same value, slope and curvature over all
    weights of at least 0.
    """
    n, roots = numbers.sum(), np.sqrt(numbers)
    whole = table @ weights
    reached = float(numbers @ np.log(whole))
    sums = np.full(table.shape[1], n)
    for _ in range(NEWTON_STEPS):
        scaled = table * (roots / whole)[:, None]
        aim = nnls(np.vstack([scaled, sums]), np.append(2.0 * roots, n))[0]
        aim, step, before = aim / aim.sum(), 1.0, reached
        while step > ENOUGH:
            tried = (1.0 - step) * weights + step * aim
            there = table @ tried
            value = float(numbers @ np.log(there))
            if value > reached:
                weights, whole, reached = tried, there, value
                break
            step /= 2.0
        slope = table.T @ (numbers / whole) / n
        if n * np.log(slope.max()) < NEAR or reached <= before:
            break
    return reached, weights
