"""What the components say of each object (E-step), and sums of it over objects.

With ``T = V + S`` and ``g = T⁻¹ (w − m)`` the truth of an object, given that it is of
this component, is Gaussian with mean ``m + V g`` and covariance ``V − V T⁻¹ V``. All
that EM needs are the sums of ``q``, ``q g`` and ``q (g g' − T⁻¹)``. Objects may be on
a device; components are sent there, and sums come back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from incerta.backend.device import fetch, namespace, put_beside
from incerta.mixture.alike import LOG_2PI, alike_under
from incerta.mixture.factors import (
    add_to_diagonals,
    applied,
    inverse_roots,
    log_products,
    summed,
)
from incerta.mixture.model import Components, Measured
from incerta.typing import Array, Indices

# With so few numbers in matrices, all components are taken at once: a call for each
# would take longer than what it does.
FEW_NUMBERS = 2**16


class Fitted(NamedTuple):
    """A block of objects under one component."""

    logs: Any  # (n,), log density of what was measured
    pulls: Any  # g, (d, n)
    # L⁻¹ of T = L L', (d, d, n), 0 at missing values; or 1 / T, (d, n), for variances.
    # With 1 in the place of n where errors are alike.
    precision: Any


class Sums(NamedTuple):
    """Sums over objects that the next components are made from."""

    log_likelihood: float
    n_objects: float
    shares: Array  # Σ q, (k,)
    pulls: Array  # Σ q g, (k, d)
    gains: Array  # Σ q (g g' − T⁻¹), (k, d, d), or its diagonal, (k, d)

    def plus(self, other: Sums) -> Sums:
        """Of both sets of objects together."""
        return Sums(
            self.log_likelihood + other.log_likelihood,
            self.n_objects + other.n_objects,
            self.shares + other.shares,
            self.pulls + other.pulls,
            self.gains + other.gains,
        )


def under_each(measured: Measured, components: Components) -> list[Fitted]:
    """A block of objects under all components."""
    k, n = components.n_components, measured.n_objects
    few = k * n * measured.n_features**2 <= FEW_NUMBERS and not measured.alike
    if not few or not isinstance(measured.values, np.ndarray):
        return [under(measured, components, c) for c in range(k)]
    together = _end_to_end(measured, components)
    parts = [slice(c * n, (c + 1) * n) for c in range(k)]
    return [Fitted(*(each[..., part] for each in together)) for part in parts]


def _end_to_end(measured: Measured, components: Components) -> Fitted:
    """Few objects under all components at once: as if there were k times as many."""
    (d, n), k = measured.values.shape, components.n_components
    own, known = components.covariances, measured.known
    if not measured.by_feature(components) and own.ndim == 2:
        own = own[:, :, None] * np.eye(d)
    own = np.moveaxis(np.broadcast_to(own, (k, *own.shape[1:])), 0, -1)
    gaps = measured.values[:, None] - components.means.T[:, :, None]
    if known is not None:
        gaps *= known[:, None]
        known = np.tile(known, k)
    gap = gaps.reshape(d, k * n)
    if measured.by_feature(components):
        total = own[:, :, None] + measured.errors[:, None]
        return _by_feature(gap, total.reshape(d, k * n), known)
    total = np.repeat(own, n, axis=2)
    if measured.errors.ndim == 3:
        total.reshape(d, d, k, n)[...] += measured.errors[:, :, None]
    else:
        add_to_diagonals(total, np.tile(measured.errors, k))
    return _correlated(gap, total, known)


def under(measured: Measured, components: Components, k: int) -> Fitted:
    """A block of objects under component `k`."""
    own = components.covariances[k if len(components.covariances) > 1 else 0]
    if not measured.by_feature(components) and own.ndim == 1:
        own = np.diag(own)
    own = put_beside(own, measured.values)
    gap = measured.values - put_beside(components.means[k][:, None], measured.values)
    if measured.known is not None:
        gap *= measured.known
    errors = _stored(measured)
    if measured.by_feature(components):
        return _by_feature(gap, errors + own[:, None], measured.known)
    # Objects lie side by side, however the errors are stored.
    total = namespace(gap).repeat(own[:, :, None], errors.shape[-1], axis=2)
    if errors.ndim == 3:
        total += errors
    else:
        add_to_diagonals(total, errors)
    return _correlated(gap, total, measured.known)


def _by_feature(gap: Any, total: Any, known: Any) -> Fitted:
    """Log densities and pulls by ``w − m`` and the diagonals of ``T``."""
    xp = namespace(gap)
    n_known: Any = gap.shape[0]
    precision = 1.0 / total
    if known is not None:
        total = xp.where(known > 0, total, 1.0)
        precision *= known
        n_known = xp.sum(known, axis=0)
    pulls = gap * precision
    squares = summed("in,in->n", gap, pulls)
    factors = [total[i, :] for i in range(gap.shape[0])]
    logs = -0.5 * (n_known * LOG_2PI + log_products(factors) + squares)
    return Fitted(logs, pulls, precision)


def _correlated(gap: Any, total: Any, known: Any) -> Fitted:
    """Log densities and pulls by ``w − m`` and ``T``, which is not needed after."""
    xp = namespace(gap)
    n_known: Any = gap.shape[0]
    if known is not None:
        # Rows and columns of missing values are those of the unit matrix.
        total *= known
        total *= known[:, None, :]
        add_to_diagonals(total, 1.0 - known)
        n_known = xp.sum(known, axis=0)
    roots, log_determinants = inverse_roots(total)
    if known is not None:
        add_to_diagonals(roots, known - 1.0)
    white = applied(roots, gap)
    squares = summed("in,in->n", white, white)
    logs = -0.5 * (n_known * LOG_2PI + log_determinants + squares)
    return Fitted(logs, applied(xp.permute_dims(roots, (1, 0, 2)), white), roots)


def _stored(measured: Measured) -> Any:
    """Errors of each object, or of one if they are alike."""
    return measured.errors[..., :1] if measured.alike else measured.errors


def log_shares(
    measured: Measured, components: Components, logs: list[Any]
) -> tuple[Any, Any]:
    """Log probability of each component, and log density of each object.

    Parameters
    ----------
    measured : Measured
        A block of n objects.
    components : Components
        The k components, and noise if there is any.
    logs : list of array of shape (n,)
        Log densities under each component.

    Returns
    -------
    shares : array of shape (k, n) or (k + 1, n)
        Noise is the last.
    totals : array of shape (n,)
    """
    xp = namespace(measured.values)
    weights, rows = components.weights, list(logs)
    if components.ranges is not None:
        weights = np.append(weights, components.noise_weight)
        rows.append(-_log_volumes(measured, components.ranges))
    with np.errstate(divide="ignore"):  # a component may have lost all objects
        log_weights = np.log(weights)[:, None]
    table = xp.stack(rows)
    table += put_beside(log_weights, table)
    if measured.labels is not None:
        table += put_beside(_open(measured.labels, len(rows)), table)
    top = xp.max(table, axis=0)
    totals = top + xp.log(xp.sum(xp.exp(table - top), axis=0))
    return table - totals, totals


def _open(labels: Indices, n_rows: int) -> Array:
    """0 where an object may be of a component, −∞ where it is known to be not."""
    other = (labels >= 0) & (labels != np.arange(n_rows)[:, None])
    return np.where(other, -np.inf, 0.0)


def _log_volumes(measured: Measured, ranges: Array) -> Any:
    logs = np.log(ranges)
    if measured.known is None:
        return put_beside(np.full(measured.n_objects, logs.sum()), measured.values)
    return put_beside(logs, measured.known) @ measured.known


class Densities(NamedTuple):
    """What a mixture says about objects."""

    shares: Array  # (k, n) or (k + 1, n), log probability of each component, noise last
    totals: Array  # (n,), log density


def log_densities(measured: Measured, components: Components) -> Densities:
    """Log probabilities of the components, and log densities, of all objects.

    Parameters
    ----------
    measured : Measured
        The n objects.
    components : Components
        The k components, and noise if there is any.

    Returns
    -------
    Densities
    """
    k, n = components.n_components, measured.n_objects
    shares = np.empty((k + (components.ranges is not None), n))
    totals = np.empty(n)
    for block, some in measured.in_blocks(components):
        alike = alike_under(some, components)
        if alike is None:
            logs = [each.logs for each in under_each(some, components)]
        else:
            logs = alike.logs()
        found = log_shares(some, components, logs)
        shares[:, block], totals[block] = (fetch(each) for each in found)
    return Densities(shares, totals)


def sums(measured: Measured, components: Components) -> Sums:
    """Go through all objects once.

    Parameters
    ----------
    measured : Measured
        The n objects.
    components : Components
        The k components.

    Returns
    -------
    Sums

    Notes
    -----
    Some d³ operations for each object and component; d where covariances and errors
    are both diagonal. Blocks are added up in their order.
    """
    k, d = components.means.shape
    shape = (k, d) if components.covariances.ndim == 2 else (k, d, d)
    total = Sums(0.0, 0.0, np.zeros(k), np.zeros((k, d)), np.zeros(shape))
    for _, some in measured.in_blocks(components):
        total = total.plus(_block_sums(some, components))
    return total


def _block_sums(some: Measured, components: Components) -> Sums:
    xp, k = namespace(some.values), components.n_components
    alike = alike_under(some, components)
    fitted = under_each(some, components) if alike is None else []
    densities = [each.logs for each in fitted] if alike is None else alike.logs()
    logs, totals = log_shares(some, components, densities)
    shares = xp.exp(logs[:k, :])
    if alike is None:
        pairs = [(each, shares[c, :]) for c, each in enumerate(fitted)]
        pulls = fetch(xp.stack([each.pulls @ q for each, q in pairs]))
        gains = fetch(xp.stack([_gain(each, q) for each, q in pairs]))
    else:
        pulls, gains = alike.pulls_and_gains(shares)
    if components.covariances.ndim == 2 and gains.ndim == 3:
        gains = np.einsum("kii->ki", gains)
    total = fetch(xp.sum(shares, axis=1))
    return Sums(float(xp.sum(totals)), some.n_objects, total, pulls, gains)


def _gain(fitted: Fitted, shares: Any) -> Any:
    """``Σ q (g g' − T⁻¹)``, or its diagonal."""
    pulls, precision = fitted.pulls, fitted.precision
    xp = namespace(pulls)
    if precision.ndim == 2:
        return (pulls**2 - precision) @ shares
    weighted = xp.permute_dims(precision * xp.sqrt(shares), (1, 0, 2))
    weighted = xp.reshape(weighted, (pulls.shape[0], -1))
    return (pulls * shares) @ pulls.T - weighted @ weighted.T
