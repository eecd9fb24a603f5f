"""M-step: compute the next components from sums over objects, and run rounds of EM.

J. Bovy, D. W. Hogg, S. T. Roweis, "Extreme deconvolution", Ann. Appl. Stat. 5, 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

import numpy as np

from incerta.backend.progress import track
from incerta.mixture.expectation import Sums
from incerta.mixture.model import Components, Measured
from incerta.models.registry import stored
from incerta.typing import Array

SumsOf = Callable[[Components], Sums]
SumsOfEach = Callable[[Sequence[Components]], list[Sums]]

# Extrapolation: first limit of a step, growth of the limit, and its largest value.
FIRST_STEP, LONGER, LONGEST = 4.0, 4.0, 1024.0
TINY = float(np.finfo(np.float64).tiny)


@stored(variances="f d")
class Prior(NamedTuple):
    """Inverse Wishart prior on the covariances, worth `weight` objects."""

    weight: float
    variances: Array  # (d,)

    def log_density(self, covariances: Array) -> float:
        """Return the total log density of all components, up to a constant."""
        if self.weight == 0.0:
            return 0.0
        if covariances.ndim == 2:
            logs = np.log(covariances).sum()
            ratios = (self.variances / covariances).sum()
        else:
            logs = np.linalg.slogdet(covariances)[1].sum()
            inverses = np.linalg.inv(covariances)
            ratios = (np.einsum("kii->ki", inverses) * self.variances).sum()
        return float(-0.5 * self.weight * (logs + ratios))


class State(NamedTuple):
    """Components after a round, and the objective of the components before it."""

    components: Components
    objective: float  # mean log density per object, with the prior; never falls


def prior_for(measured: Measured, weight: float) -> Prior:
    """Return the prior for a data set; constant features get a variance of 1."""
    variances = measured.true_spread().variances
    return Prior(weight, np.where(variances > 0.0, variances, 1.0))


@stored(counts="f k", means="f k d")
class Moments(NamedTuple):
    """Number, mean and spread of the objects of each component, without the prior."""

    counts: Array  # (k,), number of objects; sums to less than all if some are noise
    means: Array  # (k, d)
    spreads: Array  # (k, d, d), or variances (k, d)
    n_objects: float


def moments(before: Components, found: Sums) -> Moments:
    """Return moments of each component; one without objects keeps its old moments."""
    shares = np.maximum(found.shares, TINY)
    k = len(before.means)
    own = np.broadcast_to(before.covariances, (k, *before.covariances.shape[1:]))
    if own.ndim == 2:
        moves = own * found.pulls / shares[:, None]
        spreads = own + own**2 * found.gains / shares[:, None] - moves**2
    else:
        moves = np.einsum("kij,kj->ki", own, found.pulls) / shares[:, None]
        spreads = own + own @ (found.gains / shares[:, None, None]) @ own
        spreads = spreads - moves[:, :, None] * moves[:, None]
        spreads = 0.5 * (spreads + np.swapaxes(spreads, 1, 2))
    return Moments(shares, before.means + moves, spreads, found.n_objects)


def with_prior(found: Moments, before: Components, prior: Prior) -> Components:
    """Return the next components from the moments and the prior."""
    by_feature = found.spreads.ndim == 2
    towards = prior.variances if by_feature else np.diag(prior.variances)
    counts = found.counts.reshape(-1, *(1,) * (found.spreads.ndim - 1))
    sums_of_squares = found.spreads * counts
    if len(before.covariances) < len(before.means):  # tied: one for all
        sums_of_squares = sums_of_squares.sum(axis=0, keepdims=True)
        counts = counts.sum(axis=0, keepdims=True)
    return before._replace(
        weights=found.counts / found.n_objects,
        means=found.means,
        covariances=(sums_of_squares + prior.weight * towards)
        / (counts + prior.weight),
    )


def climb(
    start: Components, scale: Array, tol: float, max_iter: int
) -> Generator[Components, State, list[State]]:
    """Run EM from a start, with extrapolation, until a round gains at most `tol`.

    Yields components and expects the state after a round from them to be sent. Returns
    the states after each round, without failed extrapolations. `scale` (d,) holds the
    standard deviations of the features.
    """
    before, states, longest = start, [(yield start)], FIRST_STEP
    while len(states) < max_iter and not _flat(states, tol):
        last = states[-1].components
        if len(states) % 2:
            states.append((yield last))
            continue
        guess, step = ahead((before, states[-2].components, last), scale, longest)
        tried = states[-2] if guess is None else (yield guess)
        if guess is not None and tried.objective >= states[-1].objective:
            longest = min(longest * LONGER, LONGEST) if step == longest else longest
            before = guess
        else:
            longest = max(longest / LONGER, FIRST_STEP)
            before, tried = last, (yield last)
        states.append(tried)
    return states


def _flat(states: list[State], tol: float) -> bool:
    """Return whether the gain is at most `tol`; not relative: densities have units."""
    return len(states) > 1 and states[-1].objective - states[-2].objective <= tol


def climbed(
    sums_of_each: SumsOfEach,
    starts: Sequence[Components],
    prior: Prior,
    tol: float,
    max_iter: int,
    task: str = "rounds",
) -> list[list[State]]:
    """Run EM from several starts of one kind and size at once; return their states."""
    scale = np.sqrt(prior.variances)
    ways = [climb(start, scale, tol, max_iter) for start in starts]
    asked = {number: next(way) for number, way in enumerate(ways)}
    ended: dict[int, list[State]] = {}
    steps = track(max_iter, task)
    while asked:
        found = sums_of_each(list(asked.values()))
        for (number, components), sums in zip(list(asked.items()), found, strict=True):
            state = _next(components, sums, prior)
            try:
                asked[number] = ways[number].send(state)
            except StopIteration as end:
                ended[number] = end.value
                del asked[number]
        next(steps, None)
    return [ended[number] for number in range(len(starts))]


def ahead(
    rounds: tuple[Components, Components, Components], scale: Array, longest: float
) -> tuple[Components | None, float]:
    """Extrapolate two rounds; return components, or None without a gain, and the step.

    EM slows down where errors are large. A long step in the direction of two rounds is
    kept if it is better (Varadhan and Roland, Scand. J. Stat. 35, 2008). A step of 1
    gives the result of the two rounds.
    """
    before, between, after = (coordinates(each, scale) for each in rounds)
    way = between - before
    bend = after - between - way
    length = float(np.linalg.norm(bend))
    if not length * longest > 0.0:
        return None, 1.0
    step = min(float(np.linalg.norm(way) / length), longest)
    if step <= 1.0:
        return None, 1.0
    return _at(before + 2.0 * step * way + step**2 * bend, rounds[0], scale), step


def coordinates(components: Components, scale: Array) -> Array:
    """Return components as a vector: root weights, means, covariances (diag: logs)."""
    weights = np.append(components.weights, components.noise_weight)
    return np.concatenate(
        [
            np.sqrt(weights),
            (components.means / scale).ravel(),
            _standard(components.covariances, scale).ravel(),
        ]
    )


def _standard(covariances: Array, scale: Array) -> Array:
    if covariances.ndim == 2:
        return np.log(covariances / scale**2)
    return covariances / scale[:, None] / scale


def _at(place: Array, like: Components, scale: Array) -> Components | None:
    k, d = like.means.shape
    roots, means, shapes = np.split(place, [k + 1, k + 1 + k * d])
    shapes = shapes.reshape(like.covariances.shape)
    if shapes.ndim == 2:
        with np.errstate(over="ignore"):
            covariances = np.exp(shapes) * scale**2
    else:
        # Long steps amplify rounding errors, so restore the symmetry.
        shapes = 0.5 * (shapes + np.swapaxes(shapes, 1, 2))
        covariances = shapes * scale[:, None] * scale
        try:
            np.linalg.cholesky(covariances)
        except np.linalg.LinAlgError:
            return None
    weights = np.square(roots)
    return like._replace(
        weights=(weights / weights.sum())[:k],
        means=means.reshape(k, d) * scale,
        covariances=covariances,
    )


def _next(components: Components, found: Sums, prior: Prior) -> State:
    """Return the components after a round, and the objective of those before it."""
    gained = found.log_likelihood + prior.log_density(components.covariances)
    following = with_prior(moments(components, found), components, prior)
    return State(following, gained / found.n_objects)


# A piece with a share p of all objects so far gets the weight p**0.6. Earlier ones get
# less than their share, because their moments are based on worse components.
FORGETTING = 0.6


@stored()
class Running(NamedTuple):
    """Running moments of the pieces so far (Cappé and Moulines, 2009)."""

    moments: Moments
    prior: Prior

    def and_then(self, before: Components, found: Sums) -> Running:
        """Add one more piece, given its sums under `before`."""
        new = moments(before, found)
        share = new.n_objects / (self.moments.n_objects + new.n_objects)
        return self._replace(moments=blended(self.moments, new, share**FORGETTING))

    def components(self, before: Components) -> Components:
        """Return the current components, of the same kind as `before`."""
        return with_prior(self.moments, before, self.prior)


def blended(old: Moments, new: Moments, step: float) -> Moments:
    """Average old moments with weight ``1 - step`` and new ones with weight `step`."""
    total = old.n_objects + new.n_objects
    a = (1.0 - step) * old.counts / old.n_objects
    b = step * new.counts / new.n_objects
    part = b / (a + b)
    gaps = new.means - old.means
    by_feature = old.spreads.ndim == 2
    squares = gaps**2 if by_feature else gaps[:, :, None] * gaps[:, None]

    def each(weights: Array) -> Array:
        return weights.reshape(-1, *(1,) * (old.spreads.ndim - 1))

    within = each(1.0 - part) * old.spreads + each(part) * new.spreads
    return Moments(
        (a + b) * total,
        old.means + part[:, None] * gaps,
        within + each(part * (1.0 - part)) * squares,
        total,
    )
