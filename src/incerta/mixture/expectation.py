"""What the components say of each object (E-step), and sums of it over objects.

With ``T = V + S`` and ``g = T⁻¹ (w − m)`` the truth of an object, given that it is of
this component, is Gaussian with mean ``m + V g`` and covariance ``V − V T⁻¹ V``. All
that EM needs are the sums of ``q``, ``q g`` and ``q (g g' − T⁻¹)``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incerta.mixture.factors import applied, inverse_roots, log_products
from incerta.mixture.model import Components, Measured
from incerta.typing import Array

LOG_2PI = float(np.log(2.0 * np.pi))
# Differences of squares this large still have seven digits.
MOST_SQUARED_DEVIATIONS = 1e9


class Fitted(NamedTuple):
    """A block of objects under one component."""

    logs: Array  # (n,), log density of what was measured
    pulls: Array  # g, (d, n)
    # L⁻¹ of T = L L', (d, d, n), 0 at missing values; or 1 / T, (d, n), for variances.
    # With 1 in the place of n where errors are alike.
    precision: Array


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


def under(measured: Measured, components: Components, k: int) -> Fitted:
    """A block of objects under component `k`."""
    gap = measured.values - components.means[k][:, None]
    if measured.known is not None:
        gap *= measured.known
    own = components.covariances[k if len(components.covariances) > 1 else 0]
    if measured.by_feature(components):
        return _by_feature(gap, own, measured)
    return _correlated(gap, np.diag(own) if own.ndim == 1 else own, measured)


def _by_feature(gap: Array, variance: Array, measured: Measured) -> Fitted:
    total = _stored(measured) + variance[:, None]
    n_known: Array | int = len(gap)
    precision = 1.0 / total
    if measured.known is not None:
        total = np.where(measured.known > 0, total, 1.0)
        precision *= measured.known
        n_known = measured.known.sum(axis=0)
    pulls = gap * precision
    squares = np.einsum("in,in->n", gap, pulls)
    logs = -0.5 * (n_known * LOG_2PI + log_products(total) + squares)
    return Fitted(logs, pulls, precision)


def _correlated(gap: Array, covariance: Array, measured: Measured) -> Fitted:
    errors = _stored(measured)
    total = np.repeat(covariance[:, :, None], errors.shape[-1], axis=2)
    diagonal = np.einsum("iin->in", total)  # a view
    if errors.ndim == 3:
        total += errors
    else:
        diagonal += errors
    n_known: Array | int = len(gap)
    if measured.known is not None:
        # Rows and columns of missing values are those of the unit matrix.
        total *= measured.known
        total *= measured.known[:, None]
        diagonal += 1.0 - measured.known
        n_known = measured.known.sum(axis=0)
    roots, log_determinants = inverse_roots(total)
    if measured.known is not None:
        np.einsum("iin->in", roots)[...] *= measured.known
    white = applied(roots, gap)
    squares = np.einsum("in,in->n", white, white)
    logs = -0.5 * (n_known * LOG_2PI + log_determinants + squares)
    return Fitted(logs, applied(roots.swapaxes(0, 1), white), roots)


def _stored(measured: Measured) -> Array:
    """Errors of each object, or of one if they are alike."""
    return measured.errors[..., :1] if measured.alike else measured.errors


def log_shares(
    measured: Measured, components: Components, logs: list[Array]
) -> tuple[Array, Array]:
    """Log probability of each component, and log density of each object.

    Parameters
    ----------
    measured : Measured
        A block of n objects.
    components : Components
        The k components, and noise if there is any.
    logs : list of ndarray of shape (n,)
        Log densities under each component.

    Returns
    -------
    shares : ndarray of shape (k, n) or (k + 1, n)
        Noise is the last.
    totals : ndarray of shape (n,)
    """
    with np.errstate(divide="ignore"):  # a component may have lost all objects
        joint = [
            each + weight
            for each, weight in zip(logs, np.log(components.weights), strict=True)
        ]
        if components.ranges is not None:
            weight = np.log(components.noise_weight)
            joint.append(weight - _log_volumes(measured, components.ranges))
    table = np.array(joint)
    top = table.max(axis=0)
    totals = top + np.log(np.exp(table - top).sum(axis=0))
    return table - totals, totals


def _log_volumes(measured: Measured, ranges: Array) -> Array:
    logs = np.log(ranges)
    if measured.known is None:
        return np.full(measured.n_objects, logs.sum())
    volumes: Array = logs @ measured.known
    return volumes


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
        plain = plain_of(some, components)
        if plain is None:
            logs = [under(some, components, c).logs for c in range(k)]
        else:
            logs = list(plain.logs())
        shares[:, block], totals[block] = log_shares(some, components, logs)
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
        plain = plain_of(some, components)
        if plain is None:
            total = total.plus(_block_sums(some, components))
        else:
            total = total.plus(_plain_sums(plain, some, components))
    return total


def _block_sums(some: Measured, components: Components) -> Sums:
    k = components.n_components
    fitted = [under(some, components, c) for c in range(k)]
    logs, totals = log_shares(some, components, [each.logs for each in fitted])
    shares = np.exp(logs[:k])
    pairs = list(zip(fitted, shares, strict=True))
    pulls = np.array([each.pulls @ q for each, q in pairs])
    gains = np.array([_gain(each, q) for each, q in pairs])
    if components.covariances.ndim == 2 and gains.ndim == 3:
        gains = np.einsum("kii->ki", gains)
    return Sums(float(totals.sum()), len(totals), shares.sum(axis=1), pulls, gains)


def _gain(fitted: Fitted, shares: Array) -> Array:
    """``Σ q (g g' − T⁻¹)``, or its diagonal."""
    pulls, precision = fitted.pulls, fitted.precision
    if precision.ndim == 2:
        return (pulls**2 - precision) @ shares
    d, n = pulls.shape
    if precision.shape[2] < n:
        root = precision[..., 0]
        return (pulls * shares) @ pulls.T - shares.sum() * root.T @ root
    weighted = (precision * np.sqrt(shares)).swapaxes(0, 1).reshape(d, -1)
    return (pulls * shares) @ pulls.T - weighted @ weighted.T


class Plain(NamedTuple):
    """A block of objects whose ``T`` are alike and diagonal: products of matrices do.

    All is told from the middle of the components.
    """

    values: Array  # (d, n)
    squares: Array  # (d, n)
    means: Array  # (k, d)
    precision: Array  # 1 / T, (k, d)

    def logs(self) -> Array:
        """Log densities, (k, n)."""
        pulls = self.means * self.precision
        logs = pulls @ self.values
        logs -= 0.5 * (self.precision @ self.squares)
        constants = len(self.values) * LOG_2PI - np.log(self.precision).sum(axis=1)
        constants += (pulls * self.means).sum(axis=1)
        logs -= 0.5 * constants[:, None]
        return logs


def plain_of(measured: Measured, components: Components) -> Plain | None:
    """A block of objects under all components; None where it cannot be had this way.

    Squares of values far from the middle would leave no digits for narrow components.
    """
    if not (measured.alike and measured.by_feature(components)):
        return None
    middle = components.means.mean(axis=0)
    values = measured.values - middle[:, None]
    precision = 1.0 / (components.covariances + measured.errors[:, 0])
    squares = values**2
    if not (squares.max(axis=1) * precision).max() < MOST_SQUARED_DEVIATIONS:
        return None
    return Plain(values, squares, components.means - middle, precision)


def _plain_sums(plain: Plain, some: Measured, components: Components) -> Sums:
    logs, totals = log_shares(some, components, list(plain.logs()))
    q = np.exp(logs[: components.n_components])
    each, first, second = q.sum(axis=1), q @ plain.values.T, q @ plain.squares.T
    m, precision = plain.means, plain.precision
    pulls = precision * (first - each[:, None] * m)
    squares = second - 2.0 * m * first + m**2 * each[:, None]
    gains = precision * (precision * squares - each[:, None])
    return Sums(float(totals.sum()), len(totals), each, pulls, gains)
