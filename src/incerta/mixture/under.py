"""Densities of objects under all components, at once or one by one (E-step).

Let ``T = V + S`` and ``g = T⁻¹ (w − m)``. Given its component, the truth of an object
is Gaussian with mean ``m + V g`` and covariance ``V − V T⁻¹ V``. EM needs only log
densities and sums of ``q g`` and ``q (g g' − T⁻¹)``.

Measurements in projection, ``w = R x + e``, have ``T = R V R' + S`` and
``g = R' T⁻¹ (w − R m)``. In the other formulas, ``R' T⁻¹ R`` replaces ``T⁻¹``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from incerta.backend.device import fetch, namespace, put_beside
from incerta.backend.memory import Scratch
from incerta.mixture.factors import (
    add_to_diagonals,
    applied,
    inverse_roots,
    log_products,
    roots_of_columns,
    summed,
)
from incerta.mixture.model import Components, Measured
from incerta.typing import Array

LOG_2PI = float(np.log(2.0 * np.pi))
# Differences of squares below this limit keep at least seven digits.
MOST_SQUARED_DEVIATIONS = 1e9


@dataclass(frozen=True, kw_only=True)
class Plain:
    """A block of objects with diagonal ``T``, centered on the mean of the means."""

    values: Any  # (d, n)
    squares: Any  # (d, n)
    means: Array  # (k, d)
    precision: Array  # 1 / T, (k, d)

    def logs(self) -> Any:
        """Return log densities, (k, n)."""
        d = self.means.shape[1]
        pulls = self.means * self.precision
        logs = put_beside(pulls, self.values) @ self.values
        logs -= 0.5 * (put_beside(self.precision, self.values) @ self.squares)
        constants = d * LOG_2PI - np.log(self.precision).sum(axis=1)
        constants += (pulls * self.means).sum(axis=1)
        return logs - put_beside(0.5 * constants[:, None], self.values)

    def pulls_and_gains(self, shares: Any) -> tuple[Array, Array]:
        """Return ``Σ q g``, (k, d), and ``Σ q (g² − 1 / T)``, (k, d)."""
        xp, m, precision = namespace(shares), self.means, self.precision
        found = xp.sum(shares, axis=1), shares @ self.values.T, shares @ self.squares.T
        each, first, second = (fetch(sums) for sums in found)
        pulls = precision * (first - each[:, None] * m)
        squares = second - 2.0 * m * first + m**2 * each[:, None]
        return pulls, precision * (precision * squares - each[:, None])


class Correlated(NamedTuple):
    """A block of objects that share a full matrix ``T`` for each component."""

    gaps: Any  # w − m, (k, d, n)
    roots: Array  # L⁻¹ of T = L L', (k, d, d)
    log_determinants: Array  # of T, (k,)

    def logs(self) -> Any:
        """Return log densities, (k, n)."""
        d = self.roots.shape[1]
        white = put_beside(self.roots, self.gaps) @ self.gaps
        constants = put_beside(d * LOG_2PI + self.log_determinants, self.gaps)
        return -0.5 * (constants[:, None] + summed("kin,kin->kn", white, white))

    def pulls_and_gains(self, shares: Any) -> tuple[Array, Array]:
        """Return ``Σ q g``, (k, d), and ``Σ q (g g' − T⁻¹)``, (k, d, d)."""
        xp = namespace(shares)
        weighted = self.gaps * shares[:, None, :]
        each, first = fetch(xp.sum(shares, axis=1)), fetch(xp.sum(weighted, axis=2))
        second = fetch(weighted @ xp.permute_dims(self.gaps, (0, 2, 1)))
        precision = self.roots.transpose(0, 2, 1) @ self.roots
        pulls = np.einsum("kij,kj->ki", precision, first)
        return pulls, precision @ second @ precision - each[:, None, None] * precision


def alike_under(
    measured: Measured, components: Components
) -> Plain | Correlated | None:
    """Return a block with equal errors under all components, or None if impossible."""
    if not measured.alike:
        return None
    if measured.by_feature(components):
        return _plain(measured, components)
    k, d = components.means.shape
    errors, own = fetch(measured.errors[..., 0]), components.covariances
    if own.ndim == 2:
        own = own[:, :, None] * np.eye(d)
    total = own + (np.diag(errors) if errors.ndim == 1 else errors)
    # `inverse_roots` stacks along the last axis; tied components give one matrix.
    roots, log_determinants = inverse_roots(np.ascontiguousarray(total.T))
    return Correlated(
        measured.values - put_beside(components.means[:, :, None], measured.values),
        np.broadcast_to(roots.transpose(2, 0, 1), (k, d, d)),
        np.broadcast_to(log_determinants, k),
    )


def _plain(measured: Measured, components: Components) -> Plain | None:
    """Return a `Plain` block, or None if large squares would cost too many digits."""
    middle = components.means.mean(axis=0)
    values = measured.values - put_beside(middle[:, None], measured.values)
    precision = 1.0 / (components.covariances + fetch(measured.errors[:, 0]))
    squares = values**2
    largest = fetch(namespace(squares).max(squares, axis=1))
    if not (largest * precision).max() < MOST_SQUARED_DEVIATIONS:
        return None
    return Plain(
        values=values,
        squares=squares,
        means=components.means - middle,
        precision=precision,
    )


# Up to this many numbers are processed at once: call overhead exceeds the arithmetic.
FEW_NUMBERS = 2**16


class Fitted(NamedTuple):
    """A block of objects under one component."""

    logs: Any  # (n,), log density of the measurements
    pulls: Any  # g, (d, n)
    # L⁻¹ of T = L L', (d, d, n), 0 at missing values; or 1 / T, (d, n), for variances.
    # The last axis is 1 if errors are alike. In projection, g is ``R' T⁻¹ (w − R m)``,
    # and this is L⁻¹ R, (q, d, n).
    precision: Any


class EndToEnd(NamedTuple):
    """A block of n objects under k components, laid out as k n objects."""

    fitted: Fitted  # for k n objects
    n_components: int
    scratch: Scratch

    def logs(self) -> Array:
        """Return log densities, (k, n)."""
        return np.reshape(self.fitted.logs, (self.n_components, -1))

    def pulls_and_gains(self, shares: Array) -> tuple[Array, Array]:
        """Return ``Σ q g``, (k, d), and ``Σ q (g g' − T⁻¹)`` or its diagonal."""
        (_, pulls, precision), (k, n) = self.fitted, shares.shape
        d = len(pulls)
        each = pulls.reshape(d, k, n)
        first = np.einsum("ikn,kn->ki", each, shares)
        if precision.ndim == 2:
            squares = np.square(each) - precision.reshape(d, k, n)
            return first, np.einsum("ikn,kn->ki", squares, shares)
        weighted = self.scratch.array("weighted", (k, d, len(precision), n))
        turned = precision.reshape(-1, d, k, n).transpose(2, 1, 0, 3)
        np.multiply(turned, np.sqrt(shares)[:, None, None], out=weighted)
        weighted = weighted.reshape(k, d, -1)
        each = each.transpose(1, 0, 2)
        second = (each * shares[:, None]) @ each.transpose(0, 2, 1)
        return first, second - weighted @ weighted.transpose(0, 2, 1)


class OneByOne(NamedTuple):
    """A block of objects under each component in turn."""

    each: list[Fitted]

    def logs(self) -> Any:
        """Return log densities, (k, n)."""
        return namespace(self.each[0].logs).stack([one.logs for one in self.each])

    def pulls_and_gains(self, shares: Any) -> tuple[Array, Array]:
        """Return ``Σ q g``, (k, d), and ``Σ q (g g' − T⁻¹)`` or its diagonal."""
        xp = namespace(shares)
        pairs = [(one, shares[c, :]) for c, one in enumerate(self.each)]
        pulls = fetch(xp.stack([one.pulls @ q for one, q in pairs]))
        return pulls, fetch(xp.stack([_gain(one, q) for one, q in pairs]))


def under_all(
    measured: Measured, components: Components, scratch: Scratch
) -> Plain | Correlated | EndToEnd | OneByOne:
    """Evaluate a block the fastest way; the result is valid until the next call."""
    found = alike_under(measured, components)
    if found is not None:
        return found
    k = components.n_components
    values: Any = measured.values
    # Without matrices there is little work per number.
    numbers = measured.n_objects * measured.object_numbers(components)
    few = numbers <= FEW_NUMBERS or not measured.by_feature(components)
    if few and isinstance(values, np.ndarray):
        return EndToEnd(_end_to_end(measured, components, scratch), k, scratch)
    return OneByOne([under(measured, components, c) for c in range(k)])


def _end_to_end(measured: Measured, components: Components, scratch: Scratch) -> Fitted:
    """Evaluate a block of objects under all components at once."""
    (d, n), k = measured.values.shape, components.n_components
    own, errors, known = components.covariances, measured.errors, measured.known
    if not measured.by_feature(components) and own.ndim == 2:
        own = own[:, :, None] * np.eye(measured.n_features)
    through = measured.projection
    if through is None:
        own = np.moveaxis(np.broadcast_to(own, (k, *own.shape[1:])), 0, -1)
        gaps = measured.values[:, None] - components.means.T[:, :, None]
    else:
        turned = own @ through[:, None]  # V R', (d, k, d, n)
        turned = np.broadcast_to(turned, (d, k, *turned.shape[2:]))
        gaps = measured.values[:, None] - components.means @ through
    if known is not None:
        gaps *= known[:, None]
    gap = gaps.reshape(d, k * n)
    if measured.by_feature(components):
        total = (own[:, :, None] + errors[:, None]).reshape(d, k * n)
        return _by_feature(gap, total, None if known is None else np.tile(known, k))

    def column(j: int) -> Array:
        """Return column j of T from the diagonal on."""
        below = np.empty((d - j, k, n))
        if through is None:
            below[...] = own[j:, j, :, None]
        else:
            np.einsum("ikdn,dn->ikn", turned[j:], through[j], out=below)
        if errors.ndim == 3:
            below += errors[j:, j, None]
        else:
            below[0] += errors[j]
        if known is not None:
            # Missing values get the rows and columns of the identity matrix.
            below *= (known[j:] * known[j])[:, None]
            below[0] += 1.0 - known[j]
        return below.reshape(d - j, k * n)

    roots = scratch.array("roots", (d, d, k * n))
    log_determinants = roots_of_columns(column, roots)
    known = None if known is None else np.tile(known, k)
    found = _correlated(gap, roots, log_determinants, known)
    return found if through is None else _of_features(found, gap, through)


def under(measured: Measured, components: Components, k: int) -> Fitted:
    """Evaluate a block of objects under component `k`."""
    own = components.covariances[k if len(components.covariances) > 1 else 0]
    if not measured.by_feature(components) and own.ndim == 1:
        own = np.diag(own)
    own = put_beside(own, measured.values)
    mean = put_beside(components.means[k][:, None], measured.values)
    through = measured.projection
    if through is not None:
        mean = summed("idn,dn->in", through, mean)
    gap = measured.values - mean
    if measured.known is not None:
        gap *= measured.known
    errors = measured.errors[..., :1] if measured.alike else measured.errors
    if measured.by_feature(components):
        return _by_feature(gap, errors + own[:, None], measured.known)
    # Put objects along the last axis, however the errors are stored.
    if through is None:
        total = namespace(gap).repeat(own[:, :, None], errors.shape[-1], axis=2)
    else:
        total = in_projection(own, through)
    if errors.ndim == 3:
        total += errors
    else:
        add_to_diagonals(total, errors)
    if measured.known is not None:
        # Missing values get the rows and columns of the identity matrix.
        total *= measured.known
        total *= measured.known[:, None, :]
        add_to_diagonals(total, 1.0 - measured.known)
    found = _correlated(gap, *inverse_roots(total), measured.known)
    return found if through is None else _of_features(found, gap, through)


def in_projection(own: Any, through: Any) -> Any:
    """Return ``R V R'``, (q, q, n), for a matrix V (d, d) and matrices R (q, d, n)."""
    turned = own @ through
    rows = [
        summed("idn,dn->in", turned, through[j, :, :]) for j in range(through.shape[0])
    ]
    return namespace(through).stack(rows)


def _by_feature(gap: Any, total: Any, known: Any) -> Fitted:
    """Compute log densities and pulls from ``w − m`` and the diagonals of ``T``."""
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


def _correlated(gap: Any, roots: Any, log_determinants: Any, known: Any) -> Fitted:
    """Compute log densities and pulls from ``w − m`` and ``L⁻¹``."""
    xp = namespace(gap)
    n_known: Any = gap.shape[0]
    if known is not None:
        n_known = xp.sum(known, axis=0)
        add_to_diagonals(roots, known - 1.0)
    white = applied(roots, gap)
    squares = summed("in,in->n", white, white)
    logs = -0.5 * (n_known * LOG_2PI + log_determinants + squares)
    return Fitted(logs, applied(xp.permute_dims(roots, (1, 0, 2)), white), roots)


def _of_features(fitted: Fitted, gap: Any, through: Any) -> Fitted:
    """Convert ``T⁻¹ (w − R m)`` and ``L⁻¹`` to ``R' T⁻¹ (w − R m)`` and ``L⁻¹ R``."""
    (_, pulls, roots), n = fitted, through.shape[2]
    parts = []
    for start in range(0, gap.shape[1], n):
        here = slice(start, start + n)
        pull = summed("idn,in->dn", through, pulls[:, here])
        rows = [
            summed("ln,ldn->dn", roots[i, : i + 1, here], through[: i + 1, :, :])
            for i in range(through.shape[0])
        ]
        parts.append((pull, namespace(gap).stack(rows)))
    joined = namespace(gap).concat
    pulls, turned = (joined(each, axis=-1) for each in zip(*parts, strict=True))
    return fitted._replace(pulls=pulls, precision=turned)


def _gain(fitted: Fitted, shares: Any) -> Any:
    """Return ``Σ q (g g' − T⁻¹)``, or its diagonal."""
    pulls, precision = fitted.pulls, fitted.precision
    xp = namespace(pulls)
    if precision.ndim == 2:
        return (pulls**2 - precision) @ shares
    weighted = xp.permute_dims(precision * xp.sqrt(shares), (1, 0, 2))
    weighted = xp.reshape(weighted, (pulls.shape[0], -1))
    return (pulls * shares) @ pulls.T - weighted @ weighted.T
