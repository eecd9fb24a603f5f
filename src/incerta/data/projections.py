"""Objects measured in projection: ``w = R x + e``."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incerta.backend.memory import BLOCK_BYTES, blocks
from incerta.data.laws import Arrays, Gaussian, Law, Stacked, nan_or_none
from incerta.models.registry import stored
from incerta.typing import Array, Indices, Mask

# Relative size of singular values that are rounding errors, and largest part of a
# determined feature outside of the measured space.
ROUNDING = 1e-9


@stored(matrix="f n q d", center="f n q", factor="f n q u")
@dataclass(frozen=True, eq=False)
class Projected(Arrays):
    """Gaussian errors of linear combinations of the features.

    ``center[i]`` is the measured value of ``matrix[i] @ x``, with the error ``factor[i]
    @ z``. A missing measurement has the center NaN and zeros elsewhere. A feature is
    missing if the measurements do not determine it.
    """

    matrix: Array
    center: Array
    factor: Array

    axes = {"matrix": "nqd", "center": "nq", "factor": "nqu"}
    kind = "projected gaussian"

    @cached_property
    def determined(self) -> Gaussian:
        """Return the features that the measurements determine."""
        n, q, d = self.matrix.shape
        out = np.full((n, d), np.nan), np.zeros((n, d, self.n_uniforms))
        scale = sizes_of_columns(self.matrix)
        for some in blocks(n, 8 * 4 * (q + d) * (q + d), BLOCK_BYTES):
            part = self.take(np.arange(n)[some])
            back, known = _best_estimate(part, scale)
            values = np.einsum("ndq,nq->nd", back, np.nan_to_num(part.center))
            out[0][some] = np.where(known, values, np.nan)
            out[1][some] = (back @ part.factor) * known[:, :, None]
        return Gaussian(*out)

    @property
    def errors(self) -> Array:
        """Return the covariances of the errors, (n_objects, q, q)."""
        return self.factor @ np.swapaxes(self.factor, 1, 2)

    @property
    def measured(self) -> Mask:
        """Return a mask of the measurements, (n_objects, n_measurements)."""
        return ~np.isnan(self.center)

    @property
    def n_uniforms(self) -> int:
        return self.factor.shape[2]

    def at(self, u: Array) -> Array:
        return self.determined.at(u)

    def mean(self) -> Array:
        return self.determined.mean()

    def variance(self) -> Array:
        return self.determined.variance()

    def covariance(self) -> Array:
        return self.determined.covariance()

    def missing(self) -> Mask | None:
        return nan_or_none(self.determined.center)

    def select(self, features: Indices) -> Projected:
        others = np.setdiff1d(np.arange(self.n_features), features)
        kept = Projected(self.matrix[:, :, features], self.center, self.factor)
        return kept.without(self.matrix[:, :, others])

    def mapped(self, matrix: Array, offset: Array) -> Projected:
        left, sizes, right = np.linalg.svd(matrix)
        rank = int((sizes > ROUNDING * sizes.max(initial=0.0)).sum())
        back = (right[:rank].T / sizes[:rank]) @ left[:, :rank].T
        seen = self.matrix @ back
        moved = Projected(seen, self.center + seen @ offset, self.factor)
        return moved.without(self.matrix @ right[rank:].T)

    def without(self, lost: Array) -> Projected:
        """Marginalize over other quantities that the measurements contain.

        These have the matrices `lost`, (n, q, m). Combinations of measurements that
        contain them become missing.
        """
        if not lost.shape[2]:
            return self
        gaps = np.where(self.measured, 0.0, 1.0)[:, :, None] * np.eye(lost.shape[1])
        size = np.abs(lost).max(axis=(1, 2), keepdims=True)
        lost = np.concatenate([lost / np.where(size > 0.0, size, 1.0), gaps], axis=2)
        turn, sizes, _ = np.linalg.svd(lost)
        turn = np.swapaxes(turn, 1, 2)
        free = sizes <= ROUNDING * sizes[:, :1]
        turned = np.einsum("npq,nq->np", turn, np.nan_to_num(self.center))
        return Projected(
            (turn @ self.matrix) * free[:, :, None],
            np.where(free, turned, np.nan),
            (turn @ self.factor) * free[:, :, None],
        )


def projected(law: Law) -> Projected | None:
    """Return a law as measurements in projection; None if it has none."""
    if isinstance(law, Projected):
        return law
    if not isinstance(law, Stacked):
        return None
    if not any(isinstance(part, Projected) for part in law.parts):
        return None
    parts = [_as_projected(part) for part in law.parts]
    q, u = (max(part.factor.shape[i] for part in parts) for i in (1, 2))
    first = np.cumsum([0] + [part.n_objects for part in parts])
    together = Projected(
        np.concatenate([_widened(part.matrix, 0.0, q) for part in parts]),
        np.concatenate([_widened(part.center, np.nan, q) for part in parts]),
        np.concatenate([_widened(part.factor, 0.0, q, u) for part in parts]),
    )
    return together.take(first[law.part] + law.row)


def _as_projected(law: Law) -> Projected:
    if isinstance(law, Projected):
        return law
    mean = law.mean()
    known = ~np.isnan(mean)
    both = known[:, :, None] & known[:, None]
    cov = np.where(both, law.covariance(), 0.0)
    factor = Gaussian.with_covariance(mean, cov).factor
    return Projected(np.eye(law.n_features) * known[:, :, None], mean, factor)


def _widened(array: Array, by: float, *lengths: int) -> Array:
    """Lengthen the axes after the first."""
    before = array.shape[1 : 1 + len(lengths)]
    room = [(0, new - old) for old, new in zip(before, lengths, strict=True)]
    rest = [(0, 0)] * (array.ndim - 1 - len(lengths))
    return np.pad(array, [(0, 0), *room, *rest], constant_values=by)


def sizes_of_columns(matrix: Array) -> Array:
    """Return sizes (d,) for scaling, because rounding must not depend on units."""
    sizes = np.abs(matrix).max(axis=(0, 1), initial=0.0)
    return np.where(sizes > 0.0, sizes, 1.0)


def total_covariance(of_truth: Array, errors: Array) -> Array:
    """Return ``R V R' + S`` for each object, with 1 for missing measurements.

    A small term makes it invertible.
    """
    total = of_truth + errors
    diagonal = np.einsum("nii->ni", total)  # a view
    diagonal += 1e-14 * diagonal
    diagonal[diagonal == 0.0] = 1.0
    return total


def _best_estimate(law: Projected, scale: Array) -> tuple[Array, Mask]:
    """Return matrices (n, d, q) from measurements to features, and determined ones.

    By Gauss, Markov and Rao: ``(R' W⁻¹ R)⁺ R' W⁻¹`` with ``W = S + c R R'``, which is
    invertible even if some measurements are exact.
    """
    matrix = law.matrix / scale
    own = np.square(law.factor).sum(axis=(1, 2))
    sizes = np.square(matrix).sum(axis=(1, 2))
    spread = np.where(own > 0.0, own, 1.0) / np.where(sizes > 0.0, sizes, 1.0)
    turned = np.swapaxes(matrix, 1, 2)
    total = total_covariance(spread[:, None, None] * matrix @ turned, law.errors)
    whitening = np.linalg.inv(np.linalg.cholesky(total))
    white = whitening @ matrix
    back = np.linalg.pinv(white, rcond=ROUNDING)
    shares = np.einsum("ndq,nqd->nd", back, white)
    known: Mask = shares > 1.0 - ROUNDING
    return (back @ whitening) / scale[:, None], known
