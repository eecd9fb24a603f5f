"""Objects given by joint draws: every draw places all objects at once."""

from dataclasses import dataclass

import numpy as np

from incerta.data.laws.base import Boxes, Law
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices


def _check(law: "Joint") -> None:
    if not len(law.draws):
        wrong("there are no draws")


@stored(_check, draws="f w n d")
@dataclass(frozen=True, eq=False)
class Joint(Law):
    """Joint draws, shape (n_draws, n_objects, n_features), equally likely.

    Its worlds are the draws themselves; `at` never mixes objects of different
    draws, so it takes one uniform per world, the same for every object.
    """

    draws: Array

    kind = "joint worlds"
    n_uniforms = 1

    @property
    def n_draws(self) -> int:  # type: ignore[override]
        return len(self.draws)

    @property
    def n_objects(self) -> int:
        return self.draws.shape[1]

    @property
    def n_features(self) -> int:
        return self.draws.shape[2]

    def at(self, u: Array) -> Array:
        return self.draws[(u[:, 0, 0] * len(self.draws)).astype(np.intp)]

    def mean(self) -> Array:
        return self.draws.mean(axis=0)

    def variance(self) -> Array:
        return self.draws.var(axis=0)

    def covariance(self) -> Array:
        centred = self.draws - self.draws.mean(axis=0)
        return np.einsum("mni,mnj->nij", centred, centred) / len(self.draws)

    def values_per_object(self) -> Indices:
        return np.full(self.n_objects, len(self.draws))

    def boxes(self) -> Boxes:
        return Boxes(self.draws.min(axis=0), self.draws.max(axis=0))

    def take(self, index: Indices) -> "Joint":
        return Joint(self.draws[:, index])

    def rescaled(self, scale: Array, offset: Array) -> "Joint":
        return Joint(self.draws * scale + offset)

    def select(self, features: Indices) -> "Joint":
        return Joint(self.draws[:, :, features])

    def mapped(self, matrix: Array, offset: Array) -> "Joint":
        return Joint(self.draws @ matrix.T + offset)

    def joined(self, other: Law) -> "Joint | None":
        if not isinstance(other, Joint) or len(other.draws) != len(self.draws):
            return None
        return Joint(np.concatenate([self.draws, other.draws], axis=1))
