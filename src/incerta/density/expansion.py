"""Clusters from core objects and what they reach."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from incerta.density.probabilities import Reach
from incerta.typing import Array, Indices, Mask


def grown(
    reach: Reach,
    core_threshold: float,
    reach_threshold: float,
    noise_below: float,
    *,
    alone: bool = False,
) -> tuple[Indices, Indices]:
    """Join core objects that reach each other, and attach the others.

    `reach`: probabilities of being core and of being reached. `core_threshold`:
    probability from which an object counts as core. `reach_threshold`: core objects are
    in one cluster where one reaches the other with at least this probability, directly
    or through others. `noise_below`: any other object goes to the core object that
    reaches it most probably, to the first of equals, if that probability is at least
    this and not 0; else it is noise. `alone`: whether an object that is core but
    reaches no other is a cluster of its own. Without uncertainty there is none, unless
    one object is enough to be core; a very uncertain object may lie densely wherever it
    is, and still be near no other one in particular. It is then not taken as core.

    Returns `labels` (n_objects,): numbered in order of first appearance, −1 for noise.
    `core` (n_core,): the core objects.

    Either direction joins two core objects, so that the order of the objects does not
    matter. One pass over the stored probabilities.
    """
    is_core = reach.core >= core_threshold
    if not alone:
        is_core &= _reaches_another(reach.reached, reach_threshold)
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


def _reaches_another(reached: csr_array, threshold: float) -> Mask:
    n = reached.shape[0]
    rows = np.repeat(np.arange(n), np.diff(reached.indptr))
    far = (reached.data >= threshold) & (reached.indices != rows)
    return np.bincount(rows[far], minlength=n) > 0


def _best_core(between: csr_array, wanted: Mask) -> tuple[Indices, Indices, Array]:
    """Most probable row of each wanted column that has entries, and how probable."""
    rows = np.repeat(np.arange(between.shape[0]), np.diff(between.indptr))
    entries = np.flatnonzero(wanted[between.indices])
    columns, data = between.indices[entries], between.data[entries]
    # By column; within it the most probable first, of equals the first row.
    order = np.lexsort((rows[entries], -data, columns))
    found, first = np.unique(columns[order], return_index=True)
    best = order[first]
    return found.astype(np.intp), rows[entries][best], data[best]
