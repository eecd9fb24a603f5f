"""Objects whose errors differ upwards and downwards: split normal laws."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from incerta.backend.keyed import Keys
from incerta.data.laws.base import REACH, Boxes, Law, nan_or_none
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices, Mask


def _check(law: "SplitNormal") -> None:
    if (law.below < 0).any() or (law.above < 0).any():
        wrong("widths are negative")


@stored(_check, mode="f n d", below="f n d", above="f n d")
@dataclass(frozen=True, eq=False)
class SplitNormal(Law):
    """Independent features, each with two halves of different Gaussians.

    The density has its peak at `mode` and falls as a Gaussian of width `below` to the
    left and `above` to the right, without a jump: the left half has the share
    ``below / (below + above)``. A missing value has the mode NaN and infinite widths.
    """

    mode: Array
    below: Array
    above: Array

    independent_features = True
    kind = "split normal"

    @property
    def n_objects(self) -> int:
        return self.mode.shape[0]

    @property
    def n_features(self) -> int:
        return self.mode.shape[1]

    @property
    def n_uniforms(self) -> int:
        return self.mode.shape[1]

    def keys(self, objects: Keys, features: Keys) -> Keys:
        return objects[:, None] + features

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

    def take(self, index: Indices) -> "SplitNormal":
        return SplitNormal(self.mode[index], self.below[index], self.above[index])

    def rescaled(self, scale: Array, offset: Array) -> "SplitNormal":
        size = np.abs(scale)
        below = np.where(scale < 0, self.above, self.below) * size
        above = np.where(scale < 0, self.below, self.above) * size
        return SplitNormal(self.mode * scale + offset, below, above)

    def select(self, features: Indices) -> "SplitNormal":
        chosen = (part[:, features] for part in (self.mode, self.below, self.above))
        return SplitNormal(*chosen)

    def joined(self, other: Law) -> "SplitNormal | None":
        if not isinstance(other, SplitNormal):
            return None
        return SplitNormal(
            np.concatenate([self.mode, other.mode]),
            np.concatenate([self.below, other.below]),
            np.concatenate([self.above, other.above]),
        )
