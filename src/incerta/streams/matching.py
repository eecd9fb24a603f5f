"""Which cluster of now is which of before."""

import numpy as np
from scipy.optimize import linear_sum_assignment

from incerta.typing import Array, Indices


def matched(
    old: Array, new: Array, old_spread: Array, new_spread: Array, gate: float
) -> Indices:
    """Former cluster of each cluster of now.

    Clusters that are paired differ as little as possible in all: the sum of squared
    distances is smallest, where a cluster without a partner counts like one at the
    gate.

    `old` (n_old, n_features): former centres. `new` (n_new, n_features): centres of
    now. `old_spread`, `new_spread`: standard deviations of the objects of each cluster,
    above 0. Distances are in units of their root mean square. `gate`: distance from
    which two centres are not those of the same cluster: root mean square over features.

    Returns (n_new,): row of `old`, or −1 for a cluster that was not there before.

    Time grows with the cube of the number of clusters.

    >>> import numpy as np
    >>> from incerta.streams.matching import matched
    >>> old, new = np.array([[0.0], [9.0]]), np.array([[9.5], [0.4], [30.0]])
    >>> matched(old, new, np.ones((2, 1)), np.ones((3, 1)), gate=3.0)
    array([ 1,  0, -1])
    """
    apart = squared_distances(old, new, old_spread, new_spread)
    capped = np.minimum(apart, gate**2)
    rows, columns = linear_sum_assignment(capped)
    found = np.full(len(new), -1, dtype=np.intp)
    near = apart[rows, columns] < gate**2
    found[columns[near]] = rows[near]
    return found


def squared_distances(
    old: Array, new: Array, old_spread: Array, new_spread: Array
) -> Array:
    """Mean over features of squared gaps in units of spread, shape (n_old, n_new)."""
    unit = (old_spread[:, None] ** 2 + new_spread**2) / 2.0
    return np.asarray(((old[:, None] - new) ** 2 / unit).mean(axis=2))
