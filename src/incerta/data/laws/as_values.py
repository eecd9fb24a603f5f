"""Laws as laws of another kind: by values, or without any spread."""

from functools import singledispatch

import numpy as np

from incerta.backend.keyed import (
    Keys,
    keys_of,
    mixed,
    stratified_uniforms,
    stream_keys,
)
from incerta.data.laws.base import Law, numbered
from incerta.data.laws.families import Gaussian, Independent
from incerta.data.laws.joint import Joint
from incerta.data.laws.values import Values
from incerta.typing import Array

# Draws that stand for a law where no formula is known.
N_VALUES = 64
# What streams are for; worlds have the numbers below.
_VALUES, _STRATA = 2, 3


def as_values(
    law: Law, seed: int, keys: Keys | None = None, n_values: int = N_VALUES
) -> Values:
    """Objects given by values: their own, or stratified draws of each.

    Parameters
    ----------
    law : Law
        The objects.
    seed : int
        Seed of the draws.
    keys : ndarray of shape (n_objects, n_uniforms), optional
        Keys of the uniform numbers, see `Law.keys`; objects and features are counted
        by default.
    n_values : int, default=64
        Number of draws that represent an object.

    Returns
    -------
    Values
    """
    return _as_values(law, seed, keys, n_values)


@singledispatch
def _as_values(law: Law, seed: int, keys: Keys | None, n_values: int) -> Values:
    if keys is None:
        objects = keys_of(np.arange(law.n_objects))
        keys = law.keys(objects, numbered(law.n_features))
    numbers = np.arange(n_values)
    streams = stream_keys(seed, _VALUES, numbers)
    orders = mixed(keys + stream_keys(seed, _STRATA, numbers[:1]))
    return _end_to_end(
        law.at(stratified_uniforms(streams, keys, orders, numbers, n_values))
    )


@_as_values.register
def _(law: Values, seed: int, keys: Keys | None, n_values: int) -> Values:
    return law


@_as_values.register
def _(law: Joint, seed: int, keys: Keys | None, n_values: int) -> Values:
    return _end_to_end(law.draws)


@singledispatch
def points_like(law: Law, points: Array) -> Law:
    """Points, as objects without spread of the same kind as those of a law."""
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
