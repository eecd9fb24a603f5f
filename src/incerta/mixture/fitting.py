"""Fit mixtures: choose starts, run EM and select the number of components."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from incerta.backend.device import CPU, threads
from incerta.backend.keyed import keys_of
from incerta.backend.memory import Scratch
from incerta.backend.progress import track
from incerta.convergence import warn_unfinished
from incerta.known import kept, named_order, some_with_labels
from incerta.lloyd import lloyd, nearest_centers, spread_seeds
from incerta.mixture.expectation import Sums, belief, sums, sums_of_each
from incerta.mixture.maximization import Prior, SumsOf, climbed, prior_for
from incerta.mixture.model import MOST_CORRELATED, Components, Measured
from incerta.typing import Array, Indices, Mask

# Share of the objects assigned to noise in a start.
FIRST_NOISE = 0.05
# k-means is fast, and a good start saves rounds of EM.
KMEANS_STARTS = 4
# Width of the noise box, in standard deviations, for measurements in projection.
RANGE = 6.0
# Smallest variance within a cluster in a start, relative to that of all objects.
LEAST_WITHIN = 0.02
# Smallest number of neighbors used to estimate the density at a place.
NEIGHBORS = 10
TINY_RADIUS = 1e-3


def one_component(measured: Measured, kind: str) -> Components:
    """Return a single Gaussian with the mean and variances of the truth."""
    means, variances = measured.true_spread()
    variances = _positive(variances)
    covariances = variances[None] if kind == "diag" else np.diag(variances)[None]
    return Components(np.ones(1), means[None], covariances)


def starting_components(
    measured: Measured,
    truth: Components,
    n_components: int,
    kind: str,
    noise: bool,
    seeds: Sequence[int],
) -> Iterator[Components]:
    """Yield varied starting components, because EM converges to a nearby optimum.

    The first start uses k-means centers. The others use reliably measured objects far
    from each other. With noise, one more start uses dense places. Components with
    labeled objects start near these. Objects are placed at their belief under `truth`,
    a single Gaussian, because imprecise values would be misleading.
    """
    scale = np.sqrt(_positive(truth.variances[0]))
    places = belief(measured._replace(labels=None), truth).centers[:, 0] / scale
    good = places[_measured_well(measured)]
    middle, known = good.mean(axis=0), measured.labels
    ranges = _positive(_ranges(measured)) if noise else None
    for seed in seeds:
        rng = np.random.default_rng(seed)
        if seed == seeds[0] or len(good) < n_components:
            found = lloyd(places, n_components, KMEANS_STARTS, rng, known=known)
            centers = found.centers
        else:
            alike = np.full(len(good), 1.0 / len(good))
            centers = spread_seeds(good - middle, alike, n_components, 1, rng)[0]
            centers += middle
            if known is not None:
                centers = centers[named_order(centers, places, known)]
        nearest = kept(nearest_centers(places - middle, centers - middle), known)
        counts = np.bincount(nearest, minlength=n_components) + 1.0
        weights = counts / counts.sum() * (1.0 - FIRST_NOISE * noise)
        within = np.square(places - centers[nearest]).mean(axis=0)
        within = np.maximum(within, LEAST_WITHIN) * scale**2
        shape = _shaped(np.tile(within, (n_components, 1)), kind)
        yield Components(weights, centers * scale, shape, ranges)
    if noise:
        peaks, radii = _peaks(places, n_components)
        if known is not None:
            order = named_order(places[peaks], places, known)
            peaks, radii = peaks[order], radii[order]
        within = np.square(radii[:, None] * scale) / measured.n_features
        weights = np.full(n_components, 0.5 / n_components)
        yield Components(weights, places[peaks] * scale, _shaped(within, kind), ranges)


def _measured_well(measured: Measured) -> Mask:
    """Select the more reliably measured half of the objects."""
    reliable = measured.shares().mean(axis=0)
    return np.asarray(reliable >= np.median(reliable))


def _shaped(variances: Array, kind: str) -> Array:
    """Return covariances of the given kind with the variances (k, d)."""
    if kind == "diag":
        return variances
    covariances = variances[:, :, None] * np.eye(variances.shape[1])
    return covariances[:1] if kind == "tied" else covariances


def _peaks(places: Array, n_peaks: int) -> tuple[Indices, Array]:
    """Find dense places far from denser ones (Rodriguez, 2014), and their radii."""
    n = len(places)
    squares = euclidean_distances(places, squared=True)
    n_near = min(max(NEIGHBORS, n // 50), n - 1)
    radii = np.sqrt(np.partition(squares, n_near, axis=1)[:, n_near])
    order = np.argsort(radii, kind="stable")
    denser = np.tri(n, k=-1, dtype=bool)
    apart = np.where(denser, squares[np.ix_(order, order)], np.inf).min(axis=1)
    apart[0] = squares.max()
    with np.errstate(divide="ignore"):
        heights = np.log(apart) / 2 - places.shape[1] * np.log(radii[order])
    peaks = order[np.argsort(-heights, kind="stable")[:n_peaks]]
    return peaks, np.maximum(radii[peaks], TINY_RADIUS)


def _ranges(measured: Measured) -> Array:
    """Return the range of the values of each feature."""
    if measured.projection is not None:  # features have no measured minimum or maximum
        return RANGE * np.sqrt(measured.true_spread().variances)
    if measured.known is None:
        return np.ptp(measured.values, axis=1)
    known = measured.known > 0
    high = np.where(known, measured.values, -np.inf).max(axis=1)
    low = np.where(known, measured.values, np.inf).min(axis=1)
    return high - low


def _positive(values: Array) -> Array:
    """Replace 0 by 1, for features that do not vary."""
    return np.where(values > 0.0, values, 1.0)


# Largest number of objects on which starts are compared, and rounds of the first pass.
TRIAL_OBJECTS = 1000
TRIAL_ROUNDS = 5
FIRST_ROUNDS = 10  # rounds for the single Gaussian behind the starts
# Stop adding components after this many numbers in a row without improvement.
PATIENCE = 2
# Most features with correlations if errors are unequal and there is a choice. Each
# object then needs one decomposition per round: minutes in all for 1000 objects.
MOST_UNLIKE = 40
# Rounds -> smallest share of the gain required by the criterion that correlations must
# reach by then to be kept. Checking earlier would miss clusters that cross.
HOPELESS = {15: 0.25, 35: 0.5}


@dataclass(frozen=True, kw_only=True)
class Effort:
    """Limits on the work of EM; the defaults are shared by all methods."""

    prior_weight: float = 0.1  # of the covariances, in objects
    n_init: int = 8
    tol: float = 1e-6
    max_iter: int = 500

    @classmethod
    def of(cls, estimator: object) -> Effort:
        """Return the effort set by the parameters of the same names of an estimator."""
        return cls(**{each.name: getattr(estimator, each.name) for each in fields(cls)})


@dataclass(frozen=True, kw_only=True)
class Search:
    """Which mixtures to try, and how much effort to spend."""

    numbers: Sequence[int]  # of components, to choose from
    covariances: Sequence[str]  # kinds to choose from, the simpler ones first
    seed: int
    effort: Effort = field(default_factory=Effort)
    noise: bool = False
    near: Sequence[Components] = ()  # extra starts for their number of components
    criterion: str = "bic"  # or "aic"; chooses the number of components
    device: str = CPU  # for sums over all objects; starts run on the CPU


@dataclass(frozen=True, kw_only=True)
class FittedMixture:
    """A fitted mixture and the history of its fit."""

    components: Components
    covariance: str
    objective: list[float]  # after each round
    bic: float
    aic: float


def refuse_wide(n_features: int, covariance: str) -> None:
    """Refuse covariance matrices of too many features."""
    if covariance in ("full", "tied") and n_features > MOST_CORRELATED:
        msg = (
            f"covariance_type={covariance!r} needs a matrix of {n_features:,} × "
            f"{n_features:,} numbers for each object; above {MOST_CORRELATED} features "
            "put them into few directions first, with "
            "ic.Directions().fit_transform(data), or use covariance_type='diag'."
        )
        raise ValueError(msg)


def fitted(
    some: Measured, search: Search, sums_of: SumsOf | None = None
) -> FittedMixture:
    """Return the best mixture by the criterion; `sums_of` sums over all objects."""
    # There are many small products, for which threads cost more than they save.
    with threads(1):
        prior = prior_for(some, search.effort.prior_weight)
        best = min(_tried(some, prior, search), key=attrgetter(search.criterion))
        if sums_of is not None:
            best = _finished(sums_of, best.components, best.covariance, prior, search)
        if len(best.objective) >= search.effort.max_iter:
            warn_unfinished(search.effort.tol, search.effort.max_iter)
        return best


def single_gaussian(some: Measured, seed: int = 0) -> Components:
    """Fit a single Gaussian to the truth."""
    # Fewer objects than features do not determine correlations.
    enough = some.n_features < some.n_objects and affords(some)
    kind = "full" if enough else "diag"
    return fitted(some, Search(numbers=[1], covariances=(kind,), seed=seed)).components


def candidates(some: Measured, search: Search) -> Iterator[FittedMixture]:
    """Yield mixtures of more and more components, until two in a row are no better."""
    with threads(1):
        yield from _tried(some, prior_for(some, search.effort.prior_weight), search)


def _tried(some: Measured, prior: Prior, search: Search) -> Iterator[FittedMixture]:
    """Yield mixtures of all kinds, until more components are no better."""
    best = dict.fromkeys(search.covariances, np.inf)
    since = dict.fromkeys(search.covariances, 0)
    steps = track(len(search.numbers) * len(search.covariances), "mixtures")
    sums_of = partial(sums, some.on(search.device), scratch=Scratch())
    trials: dict[str, Trial] = {}
    for k in search.numbers:
        if k > some.n_objects:
            return
        simple: Components | None = None
        also = [each for each in search.near if each.n_components == k]
        for kind in _affordable(search.covariances, k, some):
            if since[kind] >= PATIENCE:
                continue
            if kind not in trials:
                trials[kind] = _trial(some, kind, search)
            trial, bars = trials[kind], Bars()
            if kind == "full" and simple is not None:
                bars = bars_above(trial, simple, some.n_objects, search.criterion)
            start = _first(trial, k, kind, also, search, bars)
            if start is None:
                # Keep trying this kind as long as there are "diag" mixtures to compare.
                since[kind] = since["diag"]
                continue
            yield (found := _finished(sums_of, start, kind, prior, search))
            if kind == "diag":
                simple = found.components
            value = getattr(found, search.criterion)
            since[kind] = 0 if value < best[kind] else since[kind] + 1
            best[kind] = min(best[kind], value)
            also.append(found.components)
            next(steps, None)


def affords(some: Measured) -> bool:
    """Return whether full covariances of this many features are worth their cost."""
    return some.n_features <= (MOST_CORRELATED if some.alike else MOST_UNLIKE)


def _affordable(kinds: Sequence[str], k: int, some: Measured) -> list[str]:
    """Return covariance kinds to try; matrices only with enough objects to fit them."""
    n, d = some.n_objects, some.n_features
    wide = not affords(some)
    too_few = {"full": wide or n <= k * d, "tied": wide or n <= d}
    return [one for one in kinds if not too_few.get(one)] or list(kinds)


def _finished(
    sums_of: SumsOf, start: Components, covariance: str, prior: Prior, search: Search
) -> FittedMixture:
    """Run EM from a start until it stops."""

    def one_by_one(several: Sequence[Components]) -> list[Sums]:
        return [sums_of(each) for each in several]

    states = climbed(
        one_by_one, [start], prior, search.effort.tol, search.effort.max_iter
    )[0]
    last = states[-1].components
    # The objective of a state is that of the components before it.
    closing = sums_of(last)
    prior_part = prior.log_density(last.covariances)
    final = (closing.log_likelihood + prior_part) / closing.n_objects
    objective = [*(state.objective for state in states[1:]), final]
    size, misfit = n_parameters(last, covariance), -2.0 * closing.log_likelihood
    bic = misfit + size * np.log(closing.n_objects)
    return FittedMixture(
        components=last,
        covariance=covariance,
        objective=objective,
        bic=float(bic),
        aic=float(misfit + 2.0 * size),
    )


class Trial(NamedTuple):
    """Data for comparing starts, independent of the number of components."""

    few: Measured
    prior: Prior
    truth: Components  # a single Gaussian


def _trial(measured: Measured, covariance: str, search: Search) -> Trial:
    few = some_of(measured, TRIAL_OBJECTS, search.seed)
    prior = prior_for(few, search.effort.prior_weight)
    single = one_component(few, covariance)
    alike = few._replace(labels=None)  # labels do not apply to a single Gaussian
    trying = partial(sums_of_each, alike)
    states = climbed(trying, [single], prior, search.effort.tol, FIRST_ROUNDS)[0]
    truth = states[-1].components
    return Trial(few, prior, truth)


class Bars(NamedTuple):
    """Objectives that starts must reach after given numbers of rounds to be kept."""

    objectives: Mapping[int, float] = {}

    def lowest(self, n_rounds: int) -> float:
        """Return the lowest objective to continue with after `n_rounds` rounds."""
        passed = [self.objectives[n] for n in self.objectives if n <= n_rounds]
        return max(passed, default=-np.inf)


def bars_above(
    trial: Trial, simple: Components, n_objects: int, criterion: str
) -> Bars:
    """Return bars for correlations, from a mixture without them fitted to all objects.

    A superfluous parameter gains about 1 in −2 log density for any number of objects.
    """
    n_few, (k, d) = trial.few.n_objects, simple.means.shape
    # Only the objective of these components is needed.
    given = sums(trial.few, full := simple.as_kind("full"))
    without = (given.log_likelihood + trial.prior.log_density(full.covariances)) / n_few
    price = np.log(n_objects) if criterion == "bic" else 2.0
    more = k * d * (d - 1) // 2
    bars = {}
    for n_rounds, share in HOPELESS.items():
        each = 1.0 + (share * price - 1.0) * n_few / n_objects
        bars[n_rounds] = without + more * each / (2.0 * n_few)
    return Bars(bars)


def _first(
    trial: Trial,
    n_components: int,
    covariance: str,
    also: Sequence[Components],
    search: Search,
    bars: Bars,
) -> Components | None:
    """Return the best start after some rounds, or None if all are below the bars."""
    few, prior, truth = trial
    if n_components == 1 and not search.noise:
        return truth
    seeds = range(
        search.seed, search.seed + (search.effort.n_init if n_components > 1 else 1)
    )
    starts = starting_components(
        few, truth, n_components, covariance, search.noise, seeds
    )
    # Drop the worse half, then run the others for twice as many rounds.
    alive = [*starts, *(each.as_kind(covariance) for each in also)]
    trying = partial(sums_of_each, few, scratch=Scratch())
    n_rounds, followed = TRIAL_ROUNDS, 0
    while len(alive) > 1:
        ways = climbed(trying, alive, prior, search.effort.tol, n_rounds, "starts")
        states = sorted((way[-1] for way in ways), key=lambda state: -state.objective)
        alive = [state.components for state in states[: len(states) // 2]]
        followed += n_rounds
        if states[0].objective < bars.lowest(followed):
            return None
        n_rounds *= 2
    return alive[0]


def some_of(measured: Measured, most: int, seed: int) -> Measured:
    """Choose at most `most` objects at random."""
    n = measured.n_objects
    if n <= most:
        return measured
    chosen = some_with_labels(keys_of(np.arange(n)), most, seed, measured.labels)
    return measured.only(chosen)


def n_parameters(components: Components, covariance: str) -> int:
    """Return the number of free parameters of a mixture."""
    k, d = components.means.shape
    own = {
        "full": k * d * (d + 1) // 2,
        "diag": k * d,
        "tied": d * (d + 1) // 2,
    }[covariance]
    noise = int(components.ranges is not None)
    return k * d + own + k - 1 + noise
