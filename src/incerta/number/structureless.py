"""Data like the given ones, but of one cluster: what a choice is tested against.

Every feature keeps its shape, as far as that has a single peak, features keep their
correlation, and objects their errors; everything else is left to chance. So data that
are skewed, heavy-tailed or flat are not taken for clusters.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata
from sklearn.isotonic import isotonic_regression

from incerta.mixture.expectation import sums
from incerta.mixture.fitting import How, candidates, n_parameters
from incerta.mixture.merging import drawn
from incerta.mixture.model import Components, Measured
from incerta.typing import Array

# The law of a feature is a mixture of at most so many Gaussians.
MOST_PIECES = 6
# Places of that law, how far out they go in deviations, and peaks that are tried.
N_PLACES, REACH, N_PEAKS = 1500, 5.0, 40
N_DRAWS = 4000
# Of a correlation matrix, so that it has a root.
RIDGE = 1e-3


class Structureless(NamedTuple):
    """True values of one cluster."""

    places: Array  # (d, n_places), of each feature, rising
    levels: Array  # (d, n_places), probability below them
    root: Array  # (d, d), of the correlation of normal scores

    def measured(self, like: Measured, seed: int) -> Measured:
        """Values of new objects with the errors of the given ones."""
        rng = np.random.default_rng([seed, 1])
        d, n = like.values.shape
        normal = self.root @ rng.standard_normal((d, n))
        truth = np.array(
            [
                np.interp(u, level, place)
                for u, level, place in zip(
                    ndtr(normal), self.levels, self.places, strict=True
                )
            ]
        )
        values = truth + _errors(like.errors, rng)
        if like.known is not None:
            values = values * like.known
        return Measured(values, like.errors, like.known)


def structureless(
    measured: Measured, components: Components, how: How
) -> Structureless:
    """One cluster that is as like the objects as can be.

    Components that were fitted to them say how features are correlated; `how` is for
    the laws of single features.
    """
    laws = [_law(measured, j, how) for j in range(measured.n_features)]
    places, levels = (np.array(each) for each in zip(*laws, strict=True))
    draws = drawn(components, N_DRAWS, how.seed)
    scores = ndtri((rankdata(draws, axis=0) - 0.5) / N_DRAWS)
    d = draws.shape[1]
    correlation: Array = np.eye(d)
    if d > 1:
        correlation = (1.0 - RIDGE) * np.corrcoef(scores.T) + RIDGE * np.eye(d)
    root: Array = np.asarray(np.linalg.cholesky(correlation), dtype=np.float64)
    return Structureless(places, levels, root)


def _law(measured: Measured, feature: int, how: How) -> tuple[Array, Array]:
    """Places of the true values of a feature, and the probability below them."""
    one = slice(feature, feature + 1)
    known = None if measured.known is None else measured.known[one]
    alone = Measured(measured.values[one], measured.variances[one], known)
    best, least = None, np.inf
    pieces = how._replace(numbers=range(1, MOST_PIECES + 1), covariances=("diag",))
    for found in candidates(alone, pieces):
        # Akaike's criterion: here the shape counts, not the number of pieces.
        likelihood = sums(alone, found.components).log_likelihood
        score = n_parameters(found.components, "diag") - likelihood
        if score < least:
            best, least = found.components, score
    assert best is not None
    centres, spread = best.means[:, 0], np.sqrt(best.covariances[:, 0])
    low, high = (centres - REACH * spread).min(), (centres + REACH * spread).max()
    places = np.linspace(low, high, N_PLACES)
    gaps = (places[:, None] - centres) / spread
    density = (best.weights / spread * np.exp(-0.5 * gaps**2)).sum(axis=1)
    levels = np.cumsum(unimodal(density))
    # Rising, so that it can be inverted.
    levels = levels / levels[-1] + np.linspace(0.0, 1e-9, N_PLACES)
    return places, levels


def unimodal(density: Array) -> Array:
    """The density with one peak that is nearest; two peaks become a plateau."""
    best, least = density, np.inf
    for peak in np.unique(np.linspace(1, len(density) - 1, N_PEAKS).astype(int)):
        rising = isotonic_regression(density[:peak])
        falling = isotonic_regression(density[peak:], increasing=False)
        tried = np.concatenate([rising, falling])
        off = np.square(tried - density).sum()
        if off < least:
            best, least = tried, off
    return best


def _errors(errors: Array, rng: np.random.Generator) -> Array:
    """Draw an error of each value: shape (d, n)."""
    if errors.ndim == 2:
        return np.sqrt(errors) * rng.standard_normal(errors.shape)
    each = np.moveaxis(errors, -1, 0)
    values, vectors = np.linalg.eigh(each)
    roots = vectors * np.sqrt(np.clip(values, 0.0, None))[:, None]
    normal = rng.standard_normal(roots.shape[:2])
    drawn_errors: Array = np.einsum("nij,nj->in", roots, normal)
    return drawn_errors
