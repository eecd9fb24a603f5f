"""Laws as laws of another sort: by values, or without any spread."""

from functools import singledispatch

import numpy as np

from incerta.data.laws.base import Law
from incerta.data.laws.families import Gaussian, Independent
from incerta.data.laws.joint import Joint
from incerta.data.laws.values import Values
from incerta.typing import Array

# Draws that stand for a law where no formula is known.
N_VALUES = 64


@singledispatch
def as_values(law: Law, seed: int, n_values: int = N_VALUES) -> Values:
    """Objects given by values: their own, or `n_values` stratified draws of each."""
    rng = np.random.default_rng([seed, 3])
    shape = (n_values, law.n_objects, law.n_uniforms)
    order = np.broadcast_to(np.arange(n_values)[:, None, None], shape)
    strata = rng.permuted(order, axis=0)
    u = (strata + np.clip(rng.random(shape), 1e-12, None)) / n_values
    return _end_to_end(law.at(u))


@as_values.register
def _(law: Values, seed: int, n_values: int = N_VALUES) -> Values:
    return law


@as_values.register
def _(law: Joint, seed: int, n_values: int = N_VALUES) -> Values:
    return _end_to_end(law.draws)


@singledispatch
def points_like(law: Law, points: Array) -> Law:
    """Points, as objects without spread of the same sort as those of a law."""
    return Values(points, np.arange(len(points) + 1))


@points_like.register
def _(law: Independent, points: Array) -> Law:
    return Independent(law.family, points, np.zeros_like(points))


@points_like.register
def _(law: Gaussian, points: Array) -> Law:
    n, d = points.shape
    return Gaussian(points, np.zeros((n, d, law.n_uniforms)))


def _end_to_end(draws: Array) -> Values:
    m, n, d = draws.shape
    return Values(np.swapaxes(draws, 0, 1).reshape(n * m, d), np.arange(n + 1) * m)
