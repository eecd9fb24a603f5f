"""Objects whose errors are alike, under all components: products of matrices do.

With ``T = V + S`` the same for all objects, sums of ``g = T⁻¹ (w − m)`` and of ``g g'``
follow from those of ``w − m``.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from incerta.backend.device import fetch, namespace, put_beside
from incerta.mixture.factors import inverse_roots, summed
from incerta.mixture.model import Components, Measured
from incerta.typing import Array

LOG_2PI = float(np.log(2.0 * np.pi))
# Differences of squares this large still have seven digits.
MOST_SQUARED_DEVIATIONS = 1e9


class Plain(NamedTuple):
    """A block of objects whose ``T`` are diagonal.

    All is told from the middle of the components.
    """

    values: Any  # (d, n)
    squares: Any  # (d, n)
    means: Array  # (k, d)
    precision: Array  # 1 / T, (k, d)

    def logs(self) -> Any:
        """Log densities, (k, n)."""
        d = self.means.shape[1]
        pulls = self.means * self.precision
        logs = put_beside(pulls, self.values) @ self.values
        logs -= 0.5 * (put_beside(self.precision, self.values) @ self.squares)
        constants = d * LOG_2PI - np.log(self.precision).sum(axis=1)
        constants += (pulls * self.means).sum(axis=1)
        return logs - put_beside(0.5 * constants[:, None], self.values)

    def pulls_and_gains(self, shares: Any) -> tuple[Array, Array]:
        """``Σ q g``, (k, d), and ``Σ q (g² − 1 / T)``, (k, d), by q, (k, n)."""
        xp, m, precision = namespace(shares), self.means, self.precision
        found = xp.sum(shares, axis=1), shares @ self.values.T, shares @ self.squares.T
        each, first, second = (fetch(sums) for sums in found)
        pulls = precision * (first - each[:, None] * m)
        squares = second - 2.0 * m * first + m**2 * each[:, None]
        return pulls, precision * (precision * squares - each[:, None])


class Correlated(NamedTuple):
    """A block of objects with matrices ``T``."""

    gaps: Any  # w − m, (k, d, n)
    roots: Array  # L⁻¹ of T = L L', (k, d, d)
    log_determinants: Array  # of T, (k,)

    def logs(self) -> Any:
        """Log densities, (k, n)."""
        d = self.roots.shape[1]
        white = put_beside(self.roots, self.gaps) @ self.gaps
        constants = put_beside(d * LOG_2PI + self.log_determinants, self.gaps)
        return -0.5 * (constants[:, None] + summed("kin,kin->kn", white, white))

    def pulls_and_gains(self, shares: Any) -> tuple[Array, Array]:
        """``Σ q g``, (k, d), and ``Σ q (g g' − T⁻¹)``, (k, d, d), by q, (k, n)."""
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
    """A block of objects under all components; None where it cannot be had this way."""
    if not measured.alike:
        return None
    if measured.by_feature(components):
        return _plain(measured, components)
    k, d = components.means.shape
    errors, own = fetch(measured.errors[..., 0]), components.covariances
    if own.ndim == 2:
        own = own[:, :, None] * np.eye(d)
    total = own + (np.diag(errors) if errors.ndim == 1 else errors)
    # Matrices lie along the last axis there; if tied, they are one.
    roots, log_determinants = inverse_roots(np.ascontiguousarray(total.T))
    return Correlated(
        measured.values - put_beside(components.means[:, :, None], measured.values),
        np.broadcast_to(roots.transpose(2, 0, 1), (k, d, d)),
        np.broadcast_to(log_determinants, k),
    )


def _plain(measured: Measured, components: Components) -> Plain | None:
    """Squares of values far from the middle would leave narrow components no digits."""
    middle = components.means.mean(axis=0)
    values = measured.values - put_beside(middle[:, None], measured.values)
    precision = 1.0 / (components.covariances + fetch(measured.errors[:, 0]))
    squares = values**2
    largest = fetch(namespace(squares).max(squares, axis=1))
    if not (largest * precision).max() < MOST_SQUARED_DEVIATIONS:
        return None
    return Plain(values, squares, components.means - middle, precision)
