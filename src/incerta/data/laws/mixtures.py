"""Objects given by mixtures of Gaussians."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from incerta.data.laws.base import Law, diagonal
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices


def _check(law: "Mixtures") -> None:
    sums = law.shares.sum(axis=1)
    if (law.shares < 0).any() or not np.allclose(sums, 1.0):
        wrong("shares do not add up to 1")
    factors = law.factors
    if factors.ndim not in (3, 4) or factors.shape[:3] != law.centres.shape:
        wrong("factors do not fit the centres")


@stored(_check, shares="f n k", centres="f n k d")
@dataclass(frozen=True, eq=False)
class Mixtures(Law):
    """Mixtures of Gaussians: component c with probability ``shares[i, c]``.

    Its values are then ``centres[i, c] + factors[i, c] @ z``; or, where features are
    independent, the factors are deviations, and ``factors[i, c] * z``.
    """

    shares: Array
    centres: Array
    factors: Array  # (n, k, d, u), or (n, k, d)

    kind = "gaussian mixture"

    @property
    def n_objects(self) -> int:
        return self.centres.shape[0]

    @property
    def n_features(self) -> int:
        return self.centres.shape[2]

    @property
    def n_uniforms(self) -> int:
        return 1 + self.factors.shape[-1]

    def at(self, u: Array) -> Array:
        edges = np.cumsum(self.shares, axis=1)[:, :-1]
        objects = np.arange(self.n_objects)
        out = np.empty((*u.shape[:2], self.n_features))
        for values, numbers in zip(out, u, strict=True):
            picked = (numbers[:, :1] >= edges).sum(axis=1)
            normals, factors = ndtri(numbers[:, 1:]), self.factors[objects, picked]
            if factors.ndim == 2:
                moved = factors * normals
            else:
                moved = (factors @ normals[..., None])[..., 0]
            values[...] = self.centres[objects, picked] + moved
        return out

    def mean(self) -> Array:
        return np.einsum("nk,nkd->nd", self.shares, self.centres)

    def variance(self) -> Array:
        within = np.square(self.factors)
        if within.ndim == 4:
            within = np.einsum("nkij,nkij->nki", self.factors, self.factors)
        apart = (self.centres - self.mean()[:, None]) ** 2
        return np.einsum("nk,nki->ni", self.shares, within + apart)

    def covariance(self) -> Array:
        apart = self.centres - self.mean()[:, None]
        cov = np.einsum("nk,nki,nkj->nij", self.shares, apart, apart)
        if self.factors.ndim == 3:
            own = np.einsum("nk,nki->ni", self.shares, np.square(self.factors))
            return cov + diagonal(own)
        for c in range(self.shares.shape[1]):
            own = self.factors[:, c]
            cov += self.shares[:, c, None, None] * (own @ np.swapaxes(own, 1, 2))
        return cov

    def take(self, index: Indices) -> "Mixtures":
        return Mixtures(self.shares[index], self.centres[index], self.factors[index])

    def rescaled(self, scale: Array, offset: Array) -> "Mixtures":
        by = scale if self.factors.ndim == 3 else scale[:, None]
        factors = self.factors * by
        return Mixtures(self.shares, self.centres * scale + offset, factors)

    def select(self, features: Indices) -> "Mixtures":
        some = self.centres[:, :, features], self.factors[:, :, features]
        return Mixtures(self.shares, *some)

    def mapped(self, matrix: Array, offset: Array) -> "Mixtures":
        centres = self.centres @ matrix.T + offset
        if self.factors.ndim == 3:
            return Mixtures(self.shares, centres, matrix * self.factors[:, :, None])
        return Mixtures(self.shares, centres, matrix @ self.factors)

    def joined(self, other: Law) -> "Mixtures | None":
        same = (
            isinstance(other, Mixtures)
            and other.shares.shape[1] == self.shares.shape[1]
            and other.n_uniforms == self.n_uniforms
            and other.factors.ndim == self.factors.ndim
        )
        if not isinstance(other, Mixtures) or not same:
            return None
        return Mixtures(
            np.concatenate([self.shares, other.shares]),
            np.concatenate([self.centres, other.centres]),
            np.concatenate([self.factors, other.factors]),
        )
