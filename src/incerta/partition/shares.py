"""How often the values of an object are nearest to each centre."""

from itertools import cycle

import numpy as np

from incerta.backend.memory import blocks
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.data.laws import Values
from incerta.typing import Array, Indices
from incerta.worlds import Worlds


def nearest_centres(values: Array, centres: Array, offsets: Array) -> Indices:
    """Index of the centre with the least ``|x - c|² + offset``, ties to the lowest.

    `values` (n_values, n_features). `centres` (n_clusters, n_features). `offsets`
    (n_clusters,): what a centre costs in addition to the distance, such as its own
    variance.
    """
    middle = centres.mean(axis=0)
    centred = centres - middle
    fixed = np.square(centred).sum(axis=1) + offsets
    nearest = np.empty(len(values), dtype=np.intp)
    for part in blocks(len(values), 8 * (len(centres) + values.shape[1])):
        cost = fixed - 2.0 * (values[part] - middle) @ centred.T
        nearest[part] = cost.argmin(axis=1)
    return nearest


def nearest_shares(
    data: UncertainData, centres: Array, offsets: Array, n_worlds: int, seed: int
) -> Array:
    """Probability, under each object's own law, of being nearest to each centre.

    Exact for objects given by values and for joint draws; over `n_worlds` worlds for
    the others.

    `data`: the objects. `centres` (n_clusters, n_features): the centres, or several
    sets of them: one world after the other has the next set, and values have all.
    `offsets` (n_clusters,): see `nearest_centres`. `n_worlds`, `seed`: of the worlds.

    Returns (n_objects, n_clusters): rows sum to one.
    """
    sets = centres if centres.ndim == 3 else centres[None]
    n, k = len(data), sets.shape[1]
    law, counts = data.law, np.zeros(n * k)
    if isinstance(law, Values):
        rows = np.repeat(np.arange(n), law.counts) * k
        weights = law.weights
        if weights is None:
            weights = np.repeat(1.0 / law.counts, law.counts)
        for own in sets:
            cells = rows + nearest_centres(law.values, own, offsets)
            counts += np.bincount(cells, weights=weights, minlength=n * k)
        return counts.reshape(n, k) / len(sets)
    n_worlds = data.n_draws or n_worlds
    worlds = Worlds.drawn(data, n_worlds, seed)
    for world, own in zip(followed(worlds, "confidence"), cycle(sets), strict=False):
        cells = np.arange(n) * k + nearest_centres(world, own, offsets)
        counts += np.bincount(cells, minlength=n * k)
    return counts.reshape(n, k) / n_worlds
