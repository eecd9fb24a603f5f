"""Objects given by a formula: Gaussian, uniform, exponential, Laplace."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from incerta.backend.keyed import Keys
from incerta.data.laws.base import Law, nan_or_none
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices, Mask


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
class Independent(Law):
    """Independent features of one location-scale family: ``loc + scale * Q(u)``.

    For the uniform family `loc` is the lower bound and `scale` the width. A
    negative scale mirrors the distribution. A missing value has the location NaN and
    an infinite scale.
    """

    family: str
    loc: Array
    scale: Array

    independent_features = True

    @property
    def kind(self) -> str:
        return self.family

    @property
    def n_objects(self) -> int:
        return self.loc.shape[0]

    @property
    def n_features(self) -> int:
        return self.loc.shape[1]

    @property
    def n_uniforms(self) -> int:
        return self.loc.shape[1]

    def keys(self, objects: Keys, features: Keys) -> Keys:
        return objects[:, None] + features

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

    def take(self, index: Indices) -> "Independent":
        return Independent(self.family, self.loc[index], self.scale[index])

    def rescaled(self, scale: Array, offset: Array) -> "Independent":
        return Independent(self.family, self.loc * scale + offset, self.scale * scale)

    def select(self, features: Indices) -> "Independent":
        return Independent(self.family, self.loc[:, features], self.scale[:, features])

    def mapped(self, matrix: Array, offset: Array) -> "Gaussian | None":
        if self.family != "gaussian":
            return None
        # As Gaussian.mapped, without a matrix of d × d numbers for each object.
        factor = matrix * np.abs(self.scale)[:, None]
        return Gaussian(self.loc @ matrix.T + offset, factor)

    def joined(self, other: Law) -> "Independent | None":
        if not isinstance(other, Independent) or other.family != self.family:
            return None
        return Independent(
            self.family,
            np.concatenate([self.loc, other.loc]),
            np.concatenate([self.scale, other.scale]),
        )


@stored(centre="f n d", factor="f n d u")
@dataclass(frozen=True, eq=False)
class Gaussian(Law):
    """Gaussians with correlated features: ``centre + factor @ z``.

    `factor` is the symmetric root of the covariance: it exists for singular
    matrices too and changes continuously with them, unlike Cholesky's. A missing value
    has the centre NaN, and no part in the factor.
    """

    centre: Array
    factor: Array

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
    def n_objects(self) -> int:
        return self.centre.shape[0]

    @property
    def n_features(self) -> int:
        return self.centre.shape[1]

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

    def take(self, index: Indices) -> "Gaussian":
        return Gaussian(self.centre[index], self.factor[index])

    def rescaled(self, scale: Array, offset: Array) -> "Gaussian":
        return Gaussian(self.centre * scale + offset, self.factor * scale[:, None])

    def select(self, features: Indices) -> "Gaussian":
        return Gaussian(self.centre[:, features], self.factor[:, features])

    def mapped(self, matrix: Array, offset: Array) -> "Gaussian":
        return Gaussian(self.centre @ matrix.T + offset, matrix @ self.factor)

    def joined(self, other: Law) -> "Gaussian | None":
        same_width = isinstance(other, Gaussian) and other.n_uniforms == self.n_uniforms
        if not isinstance(other, Gaussian) or not same_width:
            return None
        return Gaussian(
            np.concatenate([self.centre, other.centre]),
            np.concatenate([self.factor, other.factor]),
        )
