"""Energy distance between the values of worlds."""

import numpy as np
from scipy.spatial.distance import cdist

from incerta.backend.memory import blocks
from incerta.backend.progress import track
from incerta.divergence.bandwidth import spread_of
from incerta.typing import Array, ArrayLike
from incerta.worlds import Worlds, as_worlds


def energy(worlds: Worlds | ArrayLike) -> Array:
    """Return ``2 E|x − y| − E|x − x'| − E|y − y'|`` of all pairs of worlds.

    This is the energy distance, where x, x' are values of one world and y, y' of the
    other. Each feature is divided by its spread over all worlds. The distance has no
    bandwidth and does not saturate [1]_.

    Parameters
    ----------
    worlds : Worlds or array-like of shape (n_worlds, n_objects, n_features)
        The worlds.

    Returns
    -------
    ndarray of shape (n_worlds, n_worlds)
        Symmetric, zero on the diagonal, not negative.

    Notes
    -----
    The cost is ``n_worlds² n_objects² / 2`` distances. Like `jensen_shannon`, it
    ignores which object has which value.

    References
    ----------
    .. [1] G. J. Székely, M. L. Rizzo, "Energy statistics: A class of statistics based
       on distances", Journal of Statistical Planning and Inference 143(8), 2013.

    Examples
    --------
    >>> from incerta.divergence import energy
    >>> energy([[[0.0], [1.0]], [[0.0], [1.0]], [[4.0], [5.0]]]).round(2)
    array([[0.  , 0.  , 3.59],
           [0.  , 0.  , 3.59],
           [3.59, 3.59, 0.  ]])
    """
    worlds = as_worlds(worlds)
    n_worlds = len(worlds)
    spread = spread_of(worlds)
    varying = spread.pooled > 0
    scale = spread.pooled[varying]
    if not varying.any():
        return np.zeros((n_worlds, n_worlds))
    mean = np.zeros((n_worlds, n_worlds))
    steps = track(n_worlds, "divergence")
    for p in range(n_worlds):
        one = worlds[p][:, varying] / scale
        for q in range(p, n_worlds):
            other = worlds[q][:, varying] / scale
            mean[p, q] = mean[q, p] = _mean_distance(one, other)
        next(steps)
    within = mean.diagonal()
    distances = np.clip(2 * mean - within[:, None] - within, 0.0, None)
    np.fill_diagonal(distances, 0.0)
    return distances


def _mean_distance(x: Array, y: Array) -> float:
    total = sum(cdist(x[part], y).sum() for part in blocks(len(x), 8 * len(y)))
    return float(total) / (len(x) * len(y))
