"""Which mixture explains the objects best: starts, rounds, and how many components."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from incerta.backend.keyed import keys_of, mixed, seed_key
from incerta.convergence import until_flat
from incerta.mixture.maximisation import Prior, State, prior_for, rounds
from incerta.mixture.model import Components, Measured
from incerta.mixture.starts import one_component, starting_components

# Starts are tried on so many objects at most, and followed for so many rounds.
TRIAL_OBJECTS = 1000
TRIAL_ROUNDS = 10
# From here on the first rounds take a part of the objects.
MANY_OBJECTS = 50_000
# The search for the number of components ends after so many that are no better.
PATIENCE = 2


class How(NamedTuple):
    """How a mixture is fitted."""

    covariance: str  # "full", "diag" or "tied"
    noise: bool
    prior_weight: float
    n_init: int
    tol: float
    max_iter: int
    seed: int


class Found(NamedTuple):
    """A fitted mixture, and the way to it."""

    components: Components
    objective: list[float]  # after each round
    log_likelihood: float  # of all objects


def fitted(measured: Measured, n_components: int, how: How) -> Found:
    """Follow the best of several starts to its end.

    Parameters
    ----------
    measured : Measured
        The objects.
    n_components : int
        Number of Gaussians.
    how : How

    Returns
    -------
    Found
    """
    # Products are small and many: threads would cost more than they bring.
    with threadpool_limits(limits=1):
        return _fitted(measured, n_components, how)


def _fitted(measured: Measured, n_components: int, how: How) -> Found:
    prior = prior_for(measured, how.prior_weight)
    best = _first(measured, n_components, how)
    if measured.n_objects > MANY_OBJECTS:
        part = some_of(measured, MANY_OBJECTS, how.seed)
        best = _followed(part, best, prior, how.tol, how.max_iter).components
    states = list(until_flat(rounds(measured, best, prior), how.tol, how.max_iter))
    last = states[-1].components
    # Each state says how good the one before it was.
    closing = next(rounds(measured, last, prior)).objective
    log_likelihood = closing * measured.n_objects - prior.log_density(last.covariances)
    objective = [state.objective for state in states[1:]]
    return Found(last, [*objective, closing], log_likelihood)


def _first(measured: Measured, n_components: int, how: How) -> Components:
    """The best of several starts, followed for some rounds on some of the objects."""
    few = some_of(measured, TRIAL_OBJECTS, how.seed)
    prior = prior_for(few, how.prior_weight)
    single = one_component(few, how.covariance)
    truth = _followed(few, single, prior, how.tol, TRIAL_ROUNDS).components
    if n_components == 1 and not how.noise:
        return truth
    shape = n_components, how.covariance, how.noise
    starts = (
        starting_components(few, truth, *shape, how.seed + number)
        for number in range(how.n_init if n_components > 1 else 1)
    )
    ends = [_followed(few, start, prior, how.tol, TRIAL_ROUNDS) for start in starts]
    return max(ends, key=lambda state: state.objective).components


def _followed(
    measured: Measured, start: Components, prior: Prior, tol: float, most: int
) -> State:
    """The state after some rounds; that more would gain more is nothing to warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        *_, last = until_flat(rounds(measured, start, prior), tol, most)
    return last


def some_of(measured: Measured, most: int, seed: int) -> Measured:
    """At most `most` of the objects, chosen at random."""
    n = measured.n_objects
    if n <= most:
        return measured
    keys = mixed(keys_of(np.arange(n)) + seed_key(seed))
    chosen = np.sort(np.argpartition(keys, most)[:most])
    known = None if measured.known is None else measured.known[:, chosen]
    return Measured(measured.values[:, chosen], measured.errors[..., chosen], known)


def n_parameters(components: Components, covariance: str) -> int:
    """Number of free numbers of a mixture."""
    k, d = components.means.shape
    own = {
        "full": k * d * (d + 1) // 2,
        "diag": k * d,
        "tied": d * (d + 1) // 2,
    }[covariance]
    noise = int(components.ranges is not None)
    return k * d + own + k - 1 + noise


def bic(found: Found, covariance: str, n_objects: int) -> float:
    """Bayesian information criterion: the lower, the better."""
    size = n_parameters(found.components, covariance)
    return float(size * np.log(n_objects) - 2.0 * found.log_likelihood)


def by_number(measured: Measured, most: int, how: How) -> Iterator[tuple[Found, float]]:
    """Mixtures of 1, 2, … components with their BIC, until these no longer fall."""
    best, since = np.inf, 0
    for k in range(1, min(most, measured.n_objects) + 1):
        found = fitted(measured, k, how)
        value = bic(found, how.covariance, measured.n_objects)
        yield found, value
        since = 0 if value < best else since + 1
        best = min(best, value)
        if since >= PATIENCE:
            return
