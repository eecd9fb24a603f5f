"""Clusters from core objects and whom they reach."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from incerta.density.reach import Reach
from incerta.typing import Array, Indices


def grown(
    reach: Reach, core_threshold: float, reach_threshold: float, noise_below: float
) -> tuple[Indices, Indices]:
    """Join core objects that reach each other, and attach the others.

    Parameters
    ----------
    reach : Reach
        Probabilities of being core and of being reached.
    core_threshold : float
        An object is core from this probability on.
    reach_threshold : float
        Core objects are in one cluster where one reaches the other with at least
        this probability, or by way of others.
    noise_below : float
        Another object goes to the core object that reaches it most probably, of
        equals to the first, if that is at least this and not 0; else it is noise.

    Returns
    -------
    labels : ndarray of shape (n_objects,)
        Numbered in order of first appearance, −1 for noise.
    core : ndarray of shape (n_core,)
        The core objects.

    Notes
    -----
    Either direction joins two core objects, so that the order of the objects does
    not matter. One pass over the stored probabilities.
    """
    is_core = reach.core >= core_threshold
    core = np.flatnonzero(is_core)
    labels = np.full(len(reach.core), -1, dtype=np.intp)
    between = csr_array(reach.reached[core])
    inner = csr_array(between[:, core])
    inner.data = (inner.data >= reach_threshold).astype(np.int8)
    inner.eliminate_zeros()
    labels[core] = connected_components(inner, connection="weak")[1]
    rest, by, probability = _best_core(between, ~is_core)
    kept = (probability >= noise_below) & (probability > 0.0)
    labels[rest[kept]] = labels[core[by[kept]]]
    return labels, core


def _best_core(between: csr_array, wanted: Array) -> tuple[Indices, Indices, Array]:
    """Most probable row of each wanted column that has entries, and how probable."""
    rows = np.repeat(np.arange(between.shape[0]), np.diff(between.indptr))
    entries = np.flatnonzero(wanted[between.indices])
    columns, data = between.indices[entries], between.data[entries]
    # By column; within it the most probable first, of equals the first row.
    order = np.lexsort((rows[entries], -data, columns))
    found, first = np.unique(columns[order], return_index=True)
    best = order[first]
    return found, rows[entries][best], data[best]
