"""Test whether a single cluster could look as clustered as the data do.

References are drawn from a single cluster that is otherwise like the data: features
keep their shape, except shoulders and further peaks, and their correlations; objects
keep their errors. Thus skewed, heavy-tailed or flat data are not split into clusters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from scipy.optimize import isotonic_regression
from scipy.special import ndtr, ndtri, stdtr
from scipy.stats import rankdata

from incerta.backend.progress import track
from incerta.mixture.expectation import one_by_one, sums
from incerta.mixture.fitting import (
    FittedMixture,
    Search,
    candidates,
    single_gaussian,
)
from incerta.mixture.merging import drawn
from incerta.mixture.model import Components, Measured
from incerta.models.checkpoint import Checkpoint
from incerta.typing import Array

# Stop after this many references if the data are beyond them with this p-value (t).
FEW_REFERENCES, CLEAR = 3, 1e-3
# Least standard deviation of their gains, in log density of all objects, as three
# references can agree by chance.
LEAST_DEVIATION = 2.0
# Maximum number of Gaussians for the distribution of one feature.
MOST_PIECES = 6
# Grid points of a distribution with one peak; its reach in standard deviations.
N_PLACES, REACH = 400, 5.0
# Number of peak positions to try, of half Gaussian widths, and of EM rounds.
N_PEAKS, N_WIDTHS, N_ROUNDS = 16, 12, 40
LEAST_ERROR = 1e-3  # standard deviation, in grid steps
N_DRAWS = 4000
# Weight of the identity in a correlation matrix, so that it has a Cholesky factor.
RIDGE = 1e-3
TINY = 1e-300


class Best(NamedTuple):
    """The best mixture for each number of components."""

    mixtures: dict[int, FittedMixture]
    n_objects: int

    @classmethod
    def of(cls, mixtures: Iterable[FittedMixture], n_objects: int) -> Best:
        """Keep the best for each number of components."""
        best: dict[int, FittedMixture] = {}
        for mixture in mixtures:
            k = mixture.components.n_components
            if k not in best or mixture.bic < best[k].bic:
                best[k] = mixture
        return cls(best, n_objects)

    @classmethod
    def kept(
        cls, name: str, seen: Measured, search: Search, pieces: Checkpoint
    ) -> Best:
        """Fit the mixtures, or load them from a checkpoint."""

        def made() -> list[dict[str, Any]]:
            best = cls.of(candidates(seen, search), seen.n_objects)
            return [vars(each) for each in best.mixtures.values()]

        mixtures = [FittedMixture(**fields) for fields in pieces.piece(name, made)]
        return cls.of(mixtures, seen.n_objects)

    def best_of(self, ks: tuple[int, ...]) -> int:
        """Return the number with the lowest BIC, or the smallest if none was tried."""
        tried = [k for k in ks if k in self.mixtures]
        return min(tried, key=lambda k: self.mixtures[k].bic, default=ks[0])

    def gains(self, ks: tuple[int, ...]) -> Array:
        """Return half the gain in BIC per object over the smallest number."""
        bic = np.array(
            [self.mixtures[k].bic if k in self.mixtures else np.nan for k in ks]
        )
        return (bic[0] - bic) / (2 * self.n_objects)

    def beyond_one(self, laws: Sequence[Law], ks: tuple[int, ...]) -> float:
        """Return the gain in log density beyond that of features with one peak."""
        gain = self.n_objects * float(np.nanmax(self.gains(ks)))
        more_peaks = sum(law.more_peaks for law in laws)
        return max(gain, more_peaks) - sum(law.one_peak for law in laws)


def p_of_one(
    seen: Measured,
    of_data: Best,
    ks: tuple[int, ...],
    search: Search,
    n_null: int,
    n_jobs: int | None,
    pieces: Checkpoint,
) -> tuple[float, Array]:
    """Return the p-value of a single cluster, and gains (n_references, n_ks).

    Fit mixtures to at most `n_null` references in the same way as to the data.
    """
    best = min(of_data.mixtures.values(), key=lambda mixture: mixture.bic)
    numbers = tuple(range(1, best.components.n_components + 2))
    laws = laws_of_features(seen, search)
    own = of_data.beyond_one(laws, numbers)
    cluster = structureless(laws, best.components, search.seed)
    search = replace(search, numbers=numbers)
    fit = delayed(partial(_reference, seen, cluster, search, ks))
    rows: list[Array] = []
    gains: list[float] = []
    steps = track(n_null, "references")
    for row, gain in _references(fit, n_null, n_jobs, pieces):
        rows.append(row)
        gains.append(gain)
        next(steps, None)
        if (p := p_of_gains(gains, own)) is not None:
            return p, np.array(rows)
    return 1.0 / (n_null + 1), np.array(rows)


def p_of_gains(gains: Sequence[float], own: float) -> float | None:
    """Return the p-value of the data if the last of these references decides it."""
    n = len(gains)
    if gains[-1] >= own:
        return 1.0 / n
    if n < FEW_REFERENCES:
        return None
    # As if gains of references were normally distributed.
    deviation = max(np.std(gains, ddof=1), LEAST_DEVIATION)
    width = deviation * np.sqrt(1.0 + 1.0 / n)
    p = float(stdtr(n - 1, (np.mean(gains) - own) / width))
    return p if p < CLEAR else None


def _references(
    fit: Any, n_null: int, n_jobs: int | None, pieces: Checkpoint
) -> Iterator[tuple[Array, float]]:
    """Yield the results of references in order, computed in parallel."""
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
    """Return the gains of one reference, and its gain beyond one cluster."""
    reference = cluster.drawn_like(seen, search.seed + number)
    best = Best.of(candidates(reference, search), reference.n_objects)
    laws = laws_of_features(reference, search)
    return best.gains(ks), best.beyond_one(laws, tuple(search.numbers))


class Structureless(NamedTuple):
    """The distribution of the true values of a single cluster."""

    places: Array  # (d, n_places), of each feature, ascending
    levels: Array  # (d, n_places), probability below them
    root: Array  # (d, d), Cholesky factor of the correlation of normal scores

    def drawn_like(self, like: Measured, seed: int) -> Measured:
        """Draw new objects with the errors of the objects in `like`."""
        rng = np.random.default_rng([seed, 1])
        d, n = like.n_features, like.n_objects
        normal = self.root @ rng.standard_normal((d, n))
        of_features = zip(ndtr(normal), self.levels, self.places, strict=True)
        truth = np.array([np.interp(*of_feature) for of_feature in of_features])
        if like.projection is not None:
            truth = np.einsum("qdn,dn->qn", like.projection, truth)
        values = truth + _errors(like.errors, rng)
        if like.known is not None:
            values = values * like.known
        return like._replace(values=values)


def structureless(
    laws: Sequence[Law], components: Components, seed: int
) -> Structureless:
    """Build a single cluster like the data, with the correlations of `components`."""
    places, levels = (np.array([law[i] for law in laws]) for i in (0, 1))
    draws = drawn(components, N_DRAWS, seed)
    scores = ndtri((rankdata(draws, axis=0) - 0.5) / N_DRAWS)
    d = draws.shape[1]
    correlation: Array = np.eye(d)
    if d > 1:
        correlation = (1.0 - RIDGE) * np.corrcoef(scores.T) + RIDGE * np.eye(d)
    root = np.linalg.cholesky(correlation).astype(np.float64)
    return Structureless(places, levels, root)


class Law(NamedTuple):
    """The distribution of the true values of a feature, with one peak."""

    places: Array  # (n_places,), ascending
    levels: Array  # (n_places,), probability below them
    # Gains in log density over one Gaussian, summed over all objects: of this law, and
    # of the mixture, with any number of peaks, from which it was made.
    one_peak: float
    more_peaks: float


def laws_of_features(seen: Measured, search: Search) -> list[Law]:
    """Fit the distribution of each feature separately."""
    pieces = replace(search, numbers=range(1, MOST_PIECES + 1), covariances=("diag",))
    if seen.projection is not None:
        seen = one_by_one(seen, single_gaussian(seen, search.seed))
    found = []
    for j in range(seen.n_features):
        there = slice(None) if seen.known is None else np.flatnonzero(seen.known[j])
        values, variances = seen.values[j, there], seen.variances[j, there]
        found.append(_law(Measured(values[None], variances[None]), pieces))
    return found


def _law(alone: Measured, pieces: Search) -> Law:
    tried = [*candidates(alone, pieces)]
    # AIC: the shape matters here, not the number of components.
    best = min(tried, key=attrgetter("aic")).components
    of_one, of_best = (
        sums(alone, each).log_likelihood for each in (tried[0].components, best)
    )
    centers, spread = best.means[:, 0], np.sqrt(best.covariances[:, 0])
    low, high = (centers - REACH * spread).min(), (centers + REACH * spread).max()
    places, step = np.linspace(low, high, N_PLACES, retstep=True)
    gaps = (places[:, None] - centers) / spread
    density = (best.weights / spread * np.exp(-0.5 * gaps**2)).sum(axis=1)
    laws = with_one_peak(density)
    errors = np.maximum(np.sqrt(alone.variances[0]), LEAST_ERROR * step)
    edges = np.append(places, high + step) - 0.5 * step
    below = ndtr((edges - alone.values[0][:, None]) / errors[:, None])
    heights = np.log(np.diff(below, axis=1) @ laws.T / step + TINY).sum(axis=0)
    levels = np.cumsum(laws[heights.argmax()])
    # Make it strictly increasing, so that it can be inverted.
    levels = levels / levels[-1] + np.linspace(0.0, 1e-9, N_PLACES)
    return Law(places, levels, float(heights.max() - of_one), of_best - of_one)


def with_one_peak(density: Array) -> Array:
    """Approximate a density on a grid by densities with a single peak, (n_laws, n).

    Most are mixtures of half Gaussians on either side of the peak, which can be skewed
    and heavy-tailed. The last two are a log-concave and a uniform density.
    """
    n = len(density)
    target, places = density / density.sum(), np.arange(n)
    peaks = np.searchsorted(np.cumsum(target), (np.arange(N_PEAKS) + 0.5) / N_PEAKS)
    gaps = places[:, None] - peaks[:, None, None]
    halves = np.exp(-0.5 * np.square(gaps / np.geomspace(1.0, n, N_WIDTHS)))
    halves = np.concatenate([halves * (gaps < 0), halves * (gaps >= 0)], axis=2)
    halves /= halves.sum(axis=1, keepdims=True)
    weights = np.full((N_PEAKS, 2 * N_WIDTHS, 1), 0.5 / N_WIDTHS)
    for _ in range(N_ROUNDS):
        ratios = target[:, None] / (halves @ weights + TINY)
        weights *= np.swapaxes(halves, 1, 2) @ ratios
    slopes = np.diff(np.log(target + TINY))
    masses = target[:-1] + target[1:] + TINY
    concave = isotonic_regression(slopes, weights=masses, increasing=False).x
    logs = np.concatenate([[0.0], np.cumsum(concave)])
    light = np.exp(logs - logs.max())
    center = places @ target
    reach = np.sqrt(3.0 * np.square(places - center) @ target)
    flat = np.clip(reach - np.abs(places - center) + 0.5, 0.0, 1.0)
    flat /= flat.sum()
    return np.vstack([(halves @ weights)[:, :, 0], light / light.sum(), flat])


def _errors(errors: Array, rng: np.random.Generator) -> Array:
    """Draw an error for each value, shape (d, n)."""
    if errors.ndim == 2:
        return np.sqrt(errors) * rng.standard_normal(errors.shape)
    each = np.moveaxis(errors, -1, 0)
    values, vectors = np.linalg.eigh(each)
    roots = vectors * np.sqrt(np.clip(values, 0.0, None))[:, None]
    normal = rng.standard_normal(roots.shape[:2])
    return np.einsum("nij,nj->in", roots, normal)
