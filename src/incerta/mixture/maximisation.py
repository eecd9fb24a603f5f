"""From sums over objects to the next components (M-step), and rounds of both.

J. Bovy, D. W. Hogg, S. T. Roweis, "Extreme deconvolution", Ann. Appl. Stat. 5, 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from incerta.mixture.acceleration import ahead
from incerta.mixture.expectation import Sums
from incerta.mixture.model import Components, Measured
from incerta.models.registry import stored
from incerta.typing import Array

SumsOf = Callable[[Components], Sums]

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

    Parameters
    ----------
    before : Components
        What the sums were made with.
    found : Sums
        Over all objects.

    Returns
    -------
    Moments
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

    Parameters
    ----------
    found : Moments
        Of all objects.
    before : Components
        Of the same kind.
    prior : Prior
        What covariances are drawn towards.

    Returns
    -------
    Components
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


def rounds(sums_of: SumsOf, start: Components, prior: Prior) -> Iterator[State]:
    """Rounds of expectation and maximisation, with steps ahead, for ever.

    Parameters
    ----------
    sums_of : callable
        Sums over all objects under given components.
    start : Components
        Where to begin.
    prior : Prior
        Of the covariances.

    Yields
    ------
    State
    """

    def after(components: Components) -> State:
        found = sums_of(components)
        gained = found.log_likelihood + prior.log_density(components.covariances)
        following = with_prior(moments(components, found), components, prior)
        return State(following, gained / found.n_objects)

    scale, longest = np.sqrt(prior.variances), FIRST_STEP
    before, state = start, after(start)
    yield state
    while True:
        last = after(state.components)
        yield last
        two_rounds = before, state.components, last.components
        guess, step = ahead(two_rounds, scale, longest)
        if guess is not None and (tried := after(guess)).objective >= last.objective:
            longest = min(longest * LONGER, LONGEST) if step == longest else longest
            before, state = guess, tried
        else:
            longest = max(longest / LONGER, FIRST_STEP)
            before, state = last.components, after(last.components)
        yield state
