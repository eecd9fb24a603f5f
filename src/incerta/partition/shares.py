"""Shares of the values of an object that are nearest to each center."""

from collections.abc import Iterable
from itertools import cycle

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from incerta.backend.keyed import stream_keys, uniforms
from incerta.backend.memory import blocks
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.data.laws import Values
from incerta.lloyd import lloyd
from incerta.typing import Array, Indices
from incerta.worlds import Worlds


def nearest_centers(values: Array, centers: Array, offsets: Array) -> Indices:
    """Return the center with the least ``|x - c|² + offset``, the lowest on ties."""
    middle = centers.mean(axis=0)
    centered = centers - middle
    fixed = np.square(centered).sum(axis=1) + offsets
    nearest = np.empty(len(values), dtype=np.intp)
    for part in blocks(len(values), 8 * (len(centers) + values.shape[1])):
        cost = fixed - 2.0 * (values[part] - middle) @ centered.T
        nearest[part] = cost.argmin(axis=1)
    return nearest


def nearest_shares(
    data: UncertainData, centers: Array, offsets: Array, n_worlds: int, seed: int
) -> Array:
    """Return the probability of each object's value being nearest to each center.

    It is exact for objects given by values and for joint draws; the others use
    `n_worlds` worlds. With several sets of centers, each world uses one of them in
    turn, and values use all.
    """
    sets = centers if centers.ndim == 3 else centers[None]
    n, k = len(data), sets.shape[1]
    law, counts = data.law, np.zeros(n * k)
    if isinstance(law, Values):
        rows = np.repeat(np.arange(n), law.counts) * k
        weights = law.weights
        if weights is None:
            weights = np.repeat(1.0 / law.counts, law.counts)
        for own in sets:
            cells = rows + nearest_centers(law.values, own, offsets)
            counts += np.bincount(cells, weights=weights, minlength=n * k)
        return counts.reshape(n, k) / len(sets)
    n_worlds = data.n_draws or n_worlds
    worlds = Worlds.drawn(data, n_worlds, seed)
    for world, own in zip(followed(worlds, "confidence"), cycle(sets), strict=False):
        cells = np.arange(n) * k + nearest_centers(world, own, offsets)
        counts += np.bincount(cells, minlength=n * k)
    return counts.reshape(n, k) / n_worlds


KMEANS_STARTS = 3
# Number of the random stream of these draws; worlds use others.
_WEIGHTS = 9


def centers_in_worlds(
    worlds: Iterable[Array], keys: NDArray[np.uint64], centers: Array, seed: int
) -> Array:
    """Cluster each world with random weights; match the numbers of `centers`."""
    found = []
    for number, values in enumerate(followed(worlds, "worlds")):
        stream = stream_keys(seed, _WEIGHTS, np.array([number]))
        weights = -np.log(uniforms(stream, keys)[0])
        own = _clustered(values, weights, centers, seed + number)
        found.append(own[_named(values, own, centers)])
    return np.array(found)


def _clustered(values: Array, weights: Array, start: Array, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return lloyd(values, len(start), KMEANS_STARTS, rng, weights, also=start).centers


def _named(values: Array, own: Array, centers: Array) -> NDArray[np.intp]:
    """Return the new center that replaces each given one, by common objects."""
    k, flat = len(centers), np.zeros(len(centers))
    given = nearest_centers(values, centers, flat)
    here = nearest_centers(values, own, flat)
    overlap = np.bincount(given * k + here, minlength=k * k).reshape(k, k)
    return linear_sum_assignment(overlap, maximize=True)[1]
