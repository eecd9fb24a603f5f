"""The radius of density methods in the tables of the paper: the knee of a curve."""

import numpy as np
from scipy.spatial import cKDTree

from incerta.data.laws import Joint, Law
from incerta.typing import Array

FEW_DRAWS = 20


def expected_neighbor_distances(law: Law, min_samples: int) -> Array:
    """Return the distances of all objects to their `min_samples`-th neighbor.

    The distance of two objects is the root of its expected square. At this radius, one
    is within reach of the other in about half of the worlds. `neighbor_distances` may
    be far lower, as the near objects differ between worlds.

    Parameters
    ----------
    law : Law
        The objects.
    min_samples : int
        Rank of the neighbor; each object is its own first neighbor, at distance 0. With
        fewer objects, the farthest one is used.

    Returns
    -------
    ndarray of shape (n_objects,)
        In rising order.

    Notes
    -----
    A single search in a tree. At most 20 joint draws are used, evenly spaced.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [1.0], [3.0]], std=2.0)
    >>> expected_neighbor_distances(data.law, 2).round(2)
    array([3.  , 3.  , 3.46])
    """
    rank = min(min_samples, law.n_objects)
    if isinstance(law, Joint):
        some = np.linspace(0, len(law.draws) - 1, min(len(law.draws), FEW_DRAWS))
        draws = law.draws[np.round(some).astype(np.intp)]
        # With all draws side by side, the mean square is one squared distance.
        places = draws.transpose(1, 0, 2).reshape(law.n_objects, -1)
        places = places / np.sqrt(len(draws))
        own = np.zeros(law.n_objects)
    else:
        # E|X − Y|² = |E X − E Y|² + var X + var Y: the root of the variance, as a
        # further feature of the others, adds it to the squared distance.
        places, own = law.mean(), law.variance().sum(axis=1)
    others = np.column_stack([places, np.sqrt(own)])
    here = np.column_stack([places, np.zeros_like(own)])
    gaps, found = cKDTree(others).query(here, k=range(1, rank + 1))
    squares = np.square(gaps) + own[:, None]
    itself = found == np.arange(len(own))[:, None]
    squares[itself] = 0.0
    # An uncertain object outside the search result is still its own first neighbor.
    without = squares[:, -2] if rank > 1 else np.zeros(len(own))
    nth = np.where(itself.any(axis=1), squares.max(axis=1), without)
    return np.sort(np.sqrt(nth))
