"""How often data of one cluster look as clustered as the given ones.

In such data every feature keeps its shape, as far as that has a single peak, features
keep their correlation, and objects their errors; everything else is left to chance. So
data that are skewed, heavy-tailed or flat are not taken for clusters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.special import ndtr, ndtri, stdtr
from scipy.stats import rankdata
from sklearn.isotonic import isotonic_regression

from incerta.backend.progress import track
from incerta.mixture.expectation import sums
from incerta.mixture.fitting import FittedMixture, Search, candidates, n_parameters
from incerta.mixture.merging import drawn
from incerta.mixture.model import Components, Measured
from incerta.models.checkpoint import Checkpoint
from incerta.typing import Array

# After so few references data are clear that are beyond them with this p-value (t).
FEW_REFERENCES, CLEAR = 3, 1e-4
# Deviation of a gain, times the number of objects, at least: that some references do
# not differ says little.
LEAST_DEVIATION = 5.0
# The law of a feature is a mixture of at most so many Gaussians.
MOST_PIECES = 6
# Places of that law, how far out they go in deviations, and peaks that are tried.
N_PLACES, REACH, N_PEAKS = 1500, 5.0, 40
N_DRAWS = 4000
# Of a correlation matrix, so that it has a root.
RIDGE = 1e-3


class Best(NamedTuple):
    """The best mixture of each number of components."""

    mixtures: dict[int, FittedMixture]
    n_objects: int

    @classmethod
    def of(cls, seen: Measured, search: Search) -> Best:
        """Fit them."""
        best: dict[int, FittedMixture] = {}
        for mixture in candidates(seen, search):
            k = mixture.components.n_components
            if k not in best or mixture.bic < best[k].bic:
                best[k] = mixture
        return cls(best, seen.n_objects)

    @classmethod
    def kept(
        cls, name: str, seen: Measured, search: Search, pieces: Checkpoint
    ) -> Best:
        """As a finished piece."""

        def made() -> list[dict[str, Any]]:
            return [vars(each) for each in cls.of(seen, search).mixtures.values()]

        mixtures = [FittedMixture(**fields) for fields in pieces.piece(name, made)]
        best = {mixture.components.n_components: mixture for mixture in mixtures}
        return cls(best, seen.n_objects)

    def best_of(self, ks: tuple[int, ...]) -> int:
        """Number with the lowest BIC; the smallest if none was tried."""
        tried = [k for k in ks if k in self.mixtures]
        return min(tried, key=lambda k: self.mixtures[k].bic, default=ks[0])

    def gains(self, ks: tuple[int, ...]) -> Array:
        """Half the gain of BIC per object, over the smallest number."""
        bic = np.array(
            [self.mixtures[k].bic if k in self.mixtures else np.nan for k in ks]
        )
        return (bic[0] - bic) / (2 * self.n_objects)


def p_of_one(
    seen: Measured,
    of_data: Best,
    ks: tuple[int, ...],
    search: Search,
    n_null: int,
    n_jobs: int | None,
    pieces: Checkpoint,
) -> tuple[float, Array]:
    """P-value of one cluster, and the gains (n_references, n_ks) behind it.

    To at most `n_null` references mixtures are fitted as they were to the data.
    """
    best = min(of_data.mixtures.values(), key=lambda mixture: mixture.bic)
    numbers = tuple(range(1, best.components.n_components + 2))
    own = float(np.nanmax(of_data.gains(numbers)))
    cluster = structureless(seen, best.components, search)
    search = replace(search, numbers=numbers)
    fit = delayed(partial(_reference, seen, cluster, search, ks))
    rows, gains = [], []
    p = 1.0 / (n_null + 1)
    steps = track(n_null, "references")
    references = _references(fit, n_null, n_jobs, pieces)
    for number, (row, gain) in enumerate(references, 1):
        rows.append(row)
        gains.append(gain)
        next(steps, None)
        if gains[-1] >= own:
            p = 1.0 / number
            break
        if number >= FEW_REFERENCES:
            # P-value of the gain, if others like it are of one Gaussian.
            deviation = max(np.std(gains, ddof=1), LEAST_DEVIATION / seen.n_objects)
            width = deviation * np.sqrt(1.0 + 1.0 / len(gains))
            beyond = float(stdtr(number - 1, (np.mean(gains) - own) / width))
            if beyond < CLEAR:
                p = beyond
                break
    return p, np.array(rows)


def _references(
    fit: Any, n_null: int, n_jobs: int | None, pieces: Checkpoint
) -> Iterator[tuple[Array, float]]:
    """References in order, made as many at a time as there are processes."""
    step = effective_n_jobs(n_jobs)
    for start in range(1, n_null + 1, step):
        numbers = range(start, min(start + step, n_null + 1))
        names = {number: f"reference-{number}" for number in numbers}
        missing = [number for number, name in names.items() if not pieces.has(name)]
        new = Parallel(n_jobs=n_jobs)(map(fit, missing))
        made = dict(zip(missing, new, strict=True))
        for number, reference in made.items():
            pieces.write(names[number], reference)
        for number, name in names.items():
            yield made[number] if number in made else pieces.read(name)


def _reference(
    seen: Measured,
    cluster: Structureless,
    search: Search,
    ks: tuple[int, ...],
    number: int,
) -> tuple[Array, float]:
    """Gains of one reference, and the largest of them."""
    best = Best.of(cluster.drawn_like(seen, search.seed + number), search)
    return best.gains(ks), float(np.nanmax(best.gains(tuple(search.numbers))))


class Structureless(NamedTuple):
    """True values of one cluster."""

    places: Array  # (d, n_places), of each feature, rising
    levels: Array  # (d, n_places), probability below them
    root: Array  # (d, d), of the correlation of normal scores

    def drawn_like(self, like: Measured, seed: int) -> Measured:
        """Values of new objects with the errors of the given ones."""
        rng = np.random.default_rng([seed, 1])
        d, n = like.values.shape
        normal = self.root @ rng.standard_normal((d, n))
        of_features = zip(ndtr(normal), self.levels, self.places, strict=True)
        truth = np.array([np.interp(*of_feature) for of_feature in of_features])
        values = truth + _errors(like.errors, rng)
        if like.known is not None:
            values = values * like.known
        return Measured(values, like.errors, like.known)


def structureless(
    measured: Measured, components: Components, search: Search
) -> Structureless:
    """One cluster as like the objects as can be; components give the correlations."""
    laws = [_law(measured, j, search) for j in range(measured.n_features)]
    places, levels = (np.array(each) for each in zip(*laws, strict=True))
    draws = drawn(components, N_DRAWS, search.seed)
    scores = ndtri((rankdata(draws, axis=0) - 0.5) / N_DRAWS)
    d = draws.shape[1]
    correlation: Array = np.eye(d)
    if d > 1:
        correlation = (1.0 - RIDGE) * np.corrcoef(scores.T) + RIDGE * np.eye(d)
    root = np.linalg.cholesky(correlation).astype(np.float64)
    return Structureless(places, levels, root)


def _law(measured: Measured, feature: int, search: Search) -> tuple[Array, Array]:
    """Places of the true values of a feature, and the probability below them."""
    rows = slice(feature, feature + 1)
    known = None if measured.known is None else measured.known[rows]
    alone = Measured(measured.values[rows], measured.variances[rows], known)

    # The shape counts, not the number of pieces.
    def akaike(mixture: FittedMixture) -> float:
        likelihood = sums(alone, mixture.components).log_likelihood
        return n_parameters(mixture.components, "diag") - likelihood

    pieces = replace(search, numbers=range(1, MOST_PIECES + 1), covariances=("diag",))
    best = min(candidates(alone, pieces), key=akaike).components
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

    def with_peak(at: int) -> Array:
        rising = isotonic_regression(density[:at])
        falling = isotonic_regression(density[at:], increasing=False)
        return np.concatenate([rising, falling])

    places = np.unique(np.linspace(1, len(density) - 1, N_PEAKS).astype(int))
    return min(map(with_peak, places), key=lambda fit: np.square(fit - density).sum())


def _errors(errors: Array, rng: np.random.Generator) -> Array:
    """Draw an error of each value: shape (d, n)."""
    if errors.ndim == 2:
        return np.sqrt(errors) * rng.standard_normal(errors.shape)
    each = np.moveaxis(errors, -1, 0)
    values, vectors = np.linalg.eigh(each)
    roots = vectors * np.sqrt(np.clip(values, 0.0, None))[:, None]
    normal = rng.standard_normal(roots.shape[:2])
    return np.einsum("nij,nj->in", roots, normal)
