"""From sums over objects to the next components (M-step), and rounds of both.

J. Bovy, D. W. Hogg, S. T. Roweis, "Extreme deconvolution", Ann. Appl. Stat. 5, 2011.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from incerta.mixture.expectation import Sums, sums
from incerta.mixture.model import Components, Measured
from incerta.typing import Array

# Share of the observed variance that is left at least when errors are taken off.
LEAST_SHARE = 0.05
SPREAD_ROUNDS = 10
TINY = float(np.finfo(np.float64).tiny)


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


def observed_spread(measured: Measured) -> tuple[Array, Array]:
    """Mean and variance of the measured values of each feature, both of shape (d,)."""
    weight = np.ones_like(measured.values) if measured.known is None else measured.known
    n_known = np.maximum(weight.sum(axis=1), 1.0)
    means = measured.values.sum(axis=1) / n_known
    gaps = (measured.values - means[:, None]) * weight
    return means, np.einsum("in,in->i", gaps, gaps) / n_known


def true_spread(measured: Measured) -> tuple[Array, Array]:
    """Mean and variance of the truth of each feature, both of shape (d,).

    Values count as much as they are worth: by the inverse of the variance that the
    truth and their error have together, which is found in a few rounds. At least a
    twentieth of what is observed is taken to be true.
    """
    errors = measured.variances
    known = np.ones_like(measured.values) if measured.known is None else measured.known
    means, variances = observed_spread(measured)
    for _ in range(SPREAD_ROUNDS):
        total = errors + variances[:, None]
        weights = np.divide(known, total, out=np.ones_like(total), where=total > 0)
        sums = np.maximum(weights.sum(axis=1), TINY)
        means = (weights * measured.values).sum(axis=1) / sums
        squares = (measured.values - means[:, None]) ** 2
        observed = (weights * squares).sum(axis=1) / sums
        twice = weights**2 / np.maximum((weights**2).sum(axis=1), TINY)[:, None]
        excess = (twice * (squares - errors)).sum(axis=1)
        variances = np.maximum(excess, LEAST_SHARE * observed)
    return means, variances


def prior_for(measured: Measured, weight: float) -> Prior:
    """The prior of a data set; features that do not vary at all get a variance of 1."""
    _, variances = true_spread(measured)
    return Prior(weight, np.where(variances > 0.0, variances, 1.0))


def next_components(before: Components, found: Sums, prior: Prior) -> Components:
    """Components that explain the objects better, given the sums under those before.

    Parameters
    ----------
    before : Components
        What the sums were made with.
    found : Sums
        Over all objects.
    prior : Prior
        What covariances are drawn towards.

    Returns
    -------
    Components
        Of a component without objects nothing changes but its weight.
    """
    shares = np.maximum(found.shares, TINY)
    k = len(before.means)
    own = np.broadcast_to(before.covariances, (k, *before.covariances.shape[1:]))
    by_feature = own.ndim == 2
    if by_feature:
        moves = own * found.pulls / shares[:, None]
        spread = own + own**2 * found.gains / shares[:, None] - moves**2
        towards, counts = prior.variances, shares[:, None]
    else:
        moves = np.einsum("kij,kj->ki", own, found.pulls) / shares[:, None]
        spread = own + own @ (found.gains / shares[:, None, None]) @ own
        spread = spread - moves[:, :, None] * moves[:, None]
        spread = 0.5 * (spread + np.swapaxes(spread, 1, 2))
        towards, counts = np.diag(prior.variances), shares[:, None, None]
    if len(before.covariances) < k:  # tied: one for all
        spread = (spread * counts).sum(axis=0, keepdims=True)
        counts = counts.sum(axis=0, keepdims=True)
        covariances = (spread + prior.weight * towards) / (counts + prior.weight)
    else:
        weighted = spread * counts + prior.weight * towards
        covariances = weighted / (counts + prior.weight)
    return before._replace(
        weights=found.shares / found.n_objects,
        means=before.means + moves,
        covariances=covariances,
    )


def rounds(measured: Measured, start: Components, prior: Prior) -> Iterator[State]:
    """Rounds of expectation and maximisation, for ever.

    Parameters
    ----------
    measured : Measured
        The objects.
    start : Components
        Where to begin.
    prior : Prior
        Of the covariances.

    Yields
    ------
    State
    """
    components = start
    while True:
        found = sums(measured, components)
        gained = found.log_likelihood + prior.log_density(components.covariances)
        components = next_components(components, found, prior)
        yield State(components, gained / measured.n_objects)
