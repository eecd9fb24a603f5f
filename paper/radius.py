"""The radius of the density methods in the paper's tables: the knee of a curve."""

import numpy as np
from scipy.spatial import cKDTree

from incerta.data.laws import Joint, Law
from incerta.typing import Array

FEW_DRAWS = 20


def expected_neighbor_distances(law: Law, min_samples: int) -> Array:
    """Distances of all objects to their `min_samples`-th nearest, over all worlds.

    The distance of two objects is the root of its expected square. At about this radius
    one is within reach of the other in every second world. `neighbor_distances` may be
    far below: in each world others are near.

    Parameters
    ----------
    law : Law
        The objects.
    min_samples : int
        Which neighbor; an object is its own first, at distance 0. Where there are
        fewer objects, the farthest of them.

    Returns
    -------
    ndarray of shape (n_objects,)
        In rising order.

    Notes
    -----
    One search in a tree. Of joint draws at most 20 are taken, evenly spaced.

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
        # All draws side by side: the mean square over draws is one squared distance.
        places = draws.transpose(1, 0, 2).reshape(law.n_objects, -1)
        places = places / np.sqrt(len(draws))
        own = np.zeros(law.n_objects)
    else:
        # E|X − Y|² = |E X − E Y|² + var X + var Y: with its root as one more feature
        # of the others, a variance adds to the squared distance.
        places, own = law.mean(), law.variance().sum(axis=1)
    others = np.column_stack([places, np.sqrt(own)])
    here = np.column_stack([places, np.zeros_like(own)])
    gaps, found = cKDTree(others).query(here, k=range(1, rank + 1))
    squares = np.square(gaps) + own[:, None]
    itself = found == np.arange(len(own))[:, None]
    squares[itself] = 0.0
    # An uncertain object that is not among those found is still its own first.
    without = squares[:, -2] if rank > 1 else np.zeros(len(own))
    nth = np.where(itself.any(axis=1), squares.max(axis=1), without)
    return np.sort(np.sqrt(nth))
