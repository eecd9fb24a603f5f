"""A radius to start from, read off the distances to the nearest objects."""

from collections.abc import Iterable

import numpy as np
from scipy.spatial import cKDTree

from incerta.typing import Array
from incerta.worlds import Worlds

# Worlds that are pooled; more hardly move the curve.
FEW_WORLDS = 5
# Relative error of a distance, at most.
ROUNDING = 1e-12


def neighbour_distances(worlds: Worlds, min_samples: int) -> Array:
    """Distances of all objects to their `min_samples`-th nearest, pooled and sorted.

    `worlds`: at most the first five are used. `min_samples`: which neighbour; an object
    is its own first. Where there are fewer objects, the farthest of them.

    One search in a tree per world.

    >>> import incerta as ic
    >>> worlds = ic.as_uncertain([[0.0], [1.0], [3.0]]).worlds(1, 0)
    >>> neighbour_distances(worlds, 2)
    array([1., 1., 2.])
    """
    return np.sort(core_distances(worlds[:FEW_WORLDS], min_samples), axis=None)


def core_distances(worlds: Iterable[Array], min_samples: int) -> Array:
    """Distance of each object to its `min_samples`-th nearest in every world.

    `worlds` (n_objects, n_features). `min_samples`: as for `neighbour_distances`.
    """
    found = [
        cKDTree(world).query(world, k=[min(min_samples, len(world))])[0]
        for world in worlds
    ]
    return np.array(found)[..., 0]


def positive_knee(worlds: Worlds, min_samples: int) -> float:
    """Knee of the `neighbour_distances`, above 0: DBSCAN takes no radius of 0.

    It is 0 where objects coincide. A knee is a distance of two objects; they are within
    the radius in any units, however distances are rounded.
    """
    found = knee(neighbour_distances(worlds, min_samples)) * (1.0 + ROUNDING)
    return max(found, float(np.finfo(np.float64).tiny))


def knee(distances: Array) -> float:
    """Where a rising curve bends up: its point farthest below the chord.

    `distances` (n_distances,): in rising order.

    Returns one of the distances: the last one for a curve that does not bend.

    >>> knee(np.array([1.0, 1.1, 1.2, 1.3, 5.0, 9.0]))
    1.3
    """
    low, high = distances[0], distances[-1]
    below = np.linspace(low, high, len(distances)) - distances
    # Of equal ones the last: a straight line has no knee, and its end loses no object.
    return float(distances[len(below) - 1 - int(below[::-1].argmax())])
