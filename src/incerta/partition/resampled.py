"""Where k-means puts its centres in other worlds, with objects that count differently.

Which clusters there are is as uncertain as which of them an object is in: other objects
of the same kind, displaced as these could be, have other centres.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from incerta.backend.keyed import stream_keys, uniforms
from incerta.backend.progress import followed
from incerta.lloyd import lloyd
from incerta.partition.shares import nearest_centres
from incerta.typing import Array

KMEANS_STARTS = 3
# What the stream of these draws is for; worlds have others.
_WEIGHTS = 9


def centres_in_worlds(
    worlds: Iterable[Array], keys: NDArray[np.uint64], centres: Array, seed: int
) -> Array:
    """Cluster each world, its objects weighted at random (Bayesian bootstrap).

    `worlds` (n_objects, n_features): values of the same objects. `keys` (n_objects,):
    of the objects: what weights go by. `centres` (n_clusters, n_features): a start that
    is tried, too, and whose numbers the clusters get. `seed`: of weights and starts.
    """
    found = []
    for number, values in enumerate(followed(worlds, "worlds")):
        stream = stream_keys(seed, _WEIGHTS, np.array([number]))
        weights = -np.log(uniforms(stream, keys)[0])
        own = _clustered(values, weights, centres, seed + number)
        found.append(own[_named(values, own, centres)])
    return np.array(found)


def _clustered(values: Array, weights: Array, start: Array, seed: int) -> Array:
    rng = np.random.default_rng(seed)
    return lloyd(values, len(start), KMEANS_STARTS, rng, weights, also=start).centres


def _named(values: Array, own: Array, centres: Array) -> NDArray[np.intp]:
    """Which centre takes the place of each given one, by the objects in common."""
    k, flat = len(centres), np.zeros(len(centres))
    given = nearest_centres(values, centres, flat)
    here = nearest_centres(values, own, flat)
    overlap = np.bincount(given * k + here, minlength=k * k).reshape(k, k)
    return linear_sum_assignment(overlap, maximize=True)[1]
