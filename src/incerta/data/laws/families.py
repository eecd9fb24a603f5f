"""Objects given by a formula: location-scale families, Gaussians and their kin."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from incerta.data.laws.base import REACH, Arrays, Boxes, Law, diagonal, nan_or_none
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, Mask


class Family(NamedTuple):
    """A standard distribution: location 0, scale 1."""

    quantile: Callable[[Array], Array]
    mean: float
    variance: float


def _laplace_quantile(u: Array) -> Array:
    tail = np.minimum(u, 1.0 - u)
    return np.copysign(np.log(2.0 * tail), u - 0.5)


FAMILIES = {
    "gaussian": Family(ndtri, 0.0, 1.0),
    "uniform": Family(lambda u: u, 0.5, 1 / 12),
    "exponential": Family(lambda u: -np.log1p(-u), 1.0, 1.0),
    "laplace": Family(_laplace_quantile, 0.0, 2.0),
}


def _check(law: "Independent") -> None:
    if law.family not in FAMILIES:
        wrong(f"family {law.family!r} is unknown")


@stored(_check, loc="f n d", scale="f n d")
@dataclass(frozen=True, eq=False)
class Independent(Arrays):
    """Independent features of one location-scale family: ``loc + scale * Q(u)``.

    For the uniform family `loc` is the lower bound and `scale` the width. A
    negative scale mirrors the distribution. A missing value has the location NaN and
    an infinite scale.
    """

    family: str
    loc: Array
    scale: Array

    axes = {"loc": "nd", "scale": "nd"}
    independent_features = True

    @property
    def kind(self) -> str:
        return self.family

    def at(self, u: Array) -> Array:
        return self.loc + self.scale * FAMILIES[self.family].quantile(u)

    def mean(self) -> Array:
        standard = FAMILIES[self.family].mean
        if standard == 0.0:  # the scale of a missing value is infinite
            return self.loc.copy()
        return self.loc + self.scale * standard

    def variance(self) -> Array:
        return self.scale**2 * FAMILIES[self.family].variance

    def missing(self) -> Mask | None:
        return nan_or_none(self.loc)

    def rescaled(self, scale: Array, offset: Array) -> "Independent":
        return Independent(self.family, self.loc * scale + offset, self.scale * scale)

    def mapped(self, matrix: Array, offset: Array) -> Law:
        if self.family != "gaussian":
            return super().mapped(matrix, offset)
        # As Gaussian.mapped, without a matrix of d × d numbers for each object.
        factor = matrix * np.abs(self.scale)[:, None]
        return Gaussian(self.loc @ matrix.T + offset, factor)


@stored(centre="f n d", factor="f n d u")
@dataclass(frozen=True, eq=False)
class Gaussian(Arrays):
    """Gaussians with correlated features: ``centre + factor @ z``.

    `factor` is the symmetric root of the covariance: it exists for singular
    matrices too and changes continuously with them, unlike Cholesky's. A missing value
    has the centre NaN, and no part in the factor.
    """

    centre: Array
    factor: Array

    axes = {"centre": "nd", "factor": "ndu"}
    kind = "correlated gaussian"

    @classmethod
    def with_covariance(cls, mean: Array, cov: Array) -> "Gaussian":
        """Factor covariances already known to be positive semi-definite.

        It is the correlations that are factored: next to a feature in other units, of
        much larger variances, a small variance would be lost in the rounding.
        """
        scale = np.sqrt(np.clip(np.einsum("nii->ni", cov), 0.0, None))
        by = np.where(scale > 0.0, scale, 1.0)
        eigenvalues, vectors = np.linalg.eigh(cov / by[:, :, None] / by[:, None])
        roots = np.sqrt(np.clip(eigenvalues, 0.0, None))
        factor = (vectors * roots[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        return cls(mean, scale[:, :, None] * factor)

    @property
    def n_uniforms(self) -> int:
        return self.factor.shape[2]

    def at(self, u: Array) -> Array:
        return self.centre + (self.factor @ ndtri(u)[..., None])[..., 0]

    def mean(self) -> Array:
        return self.centre.copy()

    def variance(self) -> Array:
        squares = np.einsum("nij,nij->ni", self.factor, self.factor)
        return np.where(np.isnan(self.centre), np.inf, squares)

    def covariance(self) -> Array:
        return self.factor @ np.swapaxes(self.factor, 1, 2)

    def missing(self) -> Mask | None:
        return nan_or_none(self.centre)

    def rescaled(self, scale: Array, offset: Array) -> "Gaussian":
        return Gaussian(self.centre * scale + offset, self.factor * scale[:, None])

    def mapped(self, matrix: Array, offset: Array) -> "Gaussian":
        return Gaussian(self.centre @ matrix.T + offset, matrix @ self.factor)


def _check_widths(law: "SplitNormal") -> None:
    if (law.below < 0).any() or (law.above < 0).any():
        wrong("widths are negative")


@stored(_check_widths, mode="f n d", below="f n d", above="f n d")
@dataclass(frozen=True, eq=False)
class SplitNormal(Arrays):
    """Independent features, each with two halves of different Gaussians.

    The density has its peak at `mode` and falls as a Gaussian of width `below` to the
    left and `above` to the right, without a jump: the left half has the share
    ``below / (below + above)``. A missing value has the mode NaN and infinite widths.
    """

    mode: Array
    below: Array
    above: Array

    axes = {"mode": "nd", "below": "nd", "above": "nd"}
    independent_features = True
    kind = "split normal"

    def at(self, u: Array) -> Array:
        total = self.below + self.above
        left = u * total <= self.below
        width = np.where(left, self.below, self.above)
        # The tail that is left over, as a share of the Gaussian with this width.
        share = np.where(left, u, 1.0 - u) * (total / 2)
        tail = np.divide(share, width, out=np.full(u.shape, 0.5), where=width > 0)
        return self.mode + np.where(left, width, -width) * ndtri(np.minimum(tail, 0.5))

    def mean(self) -> Array:
        with np.errstate(invalid="ignore"):  # of missing values
            return self.mode + np.sqrt(2 / np.pi) * (self.above - self.below)

    def variance(self) -> Array:
        with np.errstate(invalid="ignore"):
            off = (1 - 2 / np.pi) * (self.above - self.below) ** 2
            return np.where(np.isnan(self.mode), np.inf, off + self.below * self.above)

    def missing(self) -> Mask | None:
        return nan_or_none(self.mode)

    def boxes(self) -> Boxes:
        # Each half reaches as far as its own Gaussian.
        return Boxes(self.mode - REACH * self.below, self.mode + REACH * self.above)

    def rescaled(self, scale: Array, offset: Array) -> "SplitNormal":
        size = np.abs(scale)
        below = np.where(scale < 0, self.above, self.below) * size
        above = np.where(scale < 0, self.below, self.above) * size
        return SplitNormal(self.mode * scale + offset, below, above)


def _check_shares(law: "Mixtures") -> None:
    sums = law.shares.sum(axis=1)
    if (law.shares < 0).any() or not np.allclose(sums, 1.0):
        wrong("shares do not add up to 1")
    factors = law.factors
    if factors.ndim not in (3, 4) or factors.shape[:3] != law.centres.shape:
        wrong("factors do not fit the centres")


@stored(_check_shares, shares="f n k", centres="f n k d")
@dataclass(frozen=True, eq=False)
class Mixtures(Arrays):
    """Mixtures of Gaussians: component c with probability ``shares[i, c]``.

    Its values are then ``centres[i, c] + factors[i, c] @ z``; or, where features are
    independent, the factors are deviations, and ``factors[i, c] * z``.
    """

    shares: Array
    centres: Array
    factors: Array  # (n, k, d, u), or (n, k, d)

    axes = {"centres": "nkd", "shares": "nk", "factors": "nkdu"}
    kind = "gaussian mixture"

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

    def rescaled(self, scale: Array, offset: Array) -> "Mixtures":
        by = scale if self.factors.ndim == 3 else scale[:, None]
        factors = self.factors * by
        return Mixtures(self.shares, self.centres * scale + offset, factors)

    def mapped(self, matrix: Array, offset: Array) -> "Mixtures":
        centres = self.centres @ matrix.T + offset
        if self.factors.ndim == 3:
            return Mixtures(self.shares, centres, matrix * self.factors[:, :, None])
        return Mixtures(self.shares, centres, matrix @ self.factors)
