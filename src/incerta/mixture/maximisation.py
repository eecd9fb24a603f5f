"""From sums over objects to the next components (M-step), and rounds of both.

J. Bovy, D. W. Hogg, S. T. Roweis, "Extreme deconvolution", Ann. Appl. Stat. 5, 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import NamedTuple

import numpy as np

from incerta.backend.progress import track
from incerta.mixture.acceleration import ahead
from incerta.mixture.expectation import Sums
from incerta.mixture.model import Components, Measured
from incerta.models.registry import stored
from incerta.typing import Array

SumsOf = Callable[[Components], Sums]
SumsOfEach = Callable[[Sequence[Components]], list[Sums]]

# Of steps ahead: the longest at first, its growth if it was good, and its limit.
FIRST_STEP, LONGER, LONGEST = 4.0, 4.0, 1024.0
TINY = float(np.finfo(np.float64).tiny)


@stored(variances="f d")
class Prior(NamedTuple):
    """What covariances are drawn towards, as by `weight` objects (inverse Wishart)."""

    weight: float
    variances: Array  # (d,)

    def log_density(self, covariances: Array) -> float:
        """Of all components together, up to a constant."""
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
    """Components after a round, and how well those before it explained the objects."""

    components: Components
    objective: float  # mean log density per object, with the prior's part; never falls


def prior_for(measured: Measured, weight: float) -> Prior:
    """The prior of a data set; features that do not vary at all get a variance of 1."""
    variances = measured.true_spread().variances
    return Prior(weight, np.where(variances > 0.0, variances, 1.0))


@stored(counts="f k", means="f k d")
class Moments(NamedTuple):
    """What objects say about each component, without the prior."""

    counts: Array  # (k,), how many objects it has; less than all if some are noise
    means: Array  # (k, d)
    spreads: Array  # (k, d, d), or variances (k, d)
    n_objects: float


def moments(before: Components, found: Sums) -> Moments:
    """Number, mean and spread of the objects of each component.

    `before`: what the sums were made with. `found`: over all objects.

    Of a component without objects mean and spread stay.
    """
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
    """Components that explain the objects better than those before.

    `found`: of all objects. `before`: of the same kind. `prior`: what covariances are
    drawn towards.
    """
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
    """The way of EM from a start, with steps ahead, until it is flat.

    Whoever follows it makes the rounds, of several ways at once if there are.

    `start`: where to begin. `scale` (d,): standard deviations of the features. `tol`:
    gain of the objective that ends the way. `max_iter`: rounds at most.

    A round from what it yields is to be sent.

    Returns the states after each round, without steps ahead that led nowhere.
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
    """Densities have units, so that a log density of 0 is nothing special."""
    return len(states) > 1 and states[-1].objective - states[-2].objective <= tol


def climbed(
    sums_of_each: SumsOfEach,
    starts: Sequence[Components],
    prior: Prior,
    tol: float,
    max_iter: int,
    task: str = "rounds",
) -> list[list[State]]:
    """Climb from several starts at once.

    `sums_of_each`: sums over all objects under each of some mixtures. `starts`: of one
    kind, with as many components. `prior`: of the covariances. `tol`, `max_iter`: where
    ways end; see `climb`. `task`: what progress is of.

    Returns the way from each start.
    """
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


def _next(components: Components, found: Sums, prior: Prior) -> State:
    """A round: what follows components, and how good these were."""
    gained = found.log_likelihood + prior.log_density(components.covariances)
    following = with_prior(moments(components, found), components, prior)
    return State(following, gained / found.n_objects)
