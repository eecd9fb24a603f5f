"""Core and reachability probabilities, in the four variants of FDBSCAN.

An object is core if at least m objects, itself included, are within eps of it; another
is reached from it if it is core and the other is within eps.
"""

from typing import NamedTuple

import numpy as np
from scipy.sparse import block_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from incerta.backend.device import CPU
from incerta.backend.keyed import Keys
from incerta.backend.memory import blocks
from incerta.backend.progress import followed, track
from incerta.data.laws import Law, Values, as_values
from incerta.density.counts import at_least, at_least_without
from incerta.density.within import known, within_between
from incerta.typing import Array, Indices, Mask
from incerta.worlds import Worlds


class Reach(NamedTuple):
    """Probabilities of being core, and that p is reached from o: ``reached[o, p]``."""

    core: Array
    reached: csr_array


def of_marginals(table: csr_array, m: int, least: float = 0.0) -> Reach:
    """Treat the distances of an object to the others as independent.

    ``core[o] = T_m({p_qo})`` with T the upper tail of the number of neighbors, and
    ``reached[o, p] = p_po T_{m−1}({p_qo}, q ≠ p)``, where both can be at least `least`.
    """
    core = at_least(table, m)
    rows = np.repeat(np.arange(len(core)), np.diff(table.indptr))
    wanted = (table.data >= least) & (core >= least)[rows]
    others = at_least_without(table, m - 1, wanted)
    return Reach(core, _some(table, rows, wanted, table.data[wanted] * others))


def of_products(table: csr_array, m: int) -> Reach:
    """Multiply the probability of being core by that of being within eps.

    This is our reading of PDBSCAN. It is at most `of_marginals`, because neighbors help
    to make an object core.
    """
    core = at_least(table, m)
    rows = np.repeat(np.arange(len(core)), np.diff(table.indptr))
    every = np.ones(table.nnz, dtype=bool)
    return Reach(core, _some(table, rows, every, core[rows] * table.data))


def of_threshold(table: csr_array, m: int, threshold: float) -> Reach:
    """Count objects within eps with enough probability as neighbors, as ELKI does."""
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    close = table.data >= threshold
    core = np.bincount(rows[close], minlength=table.shape[0]) >= m
    wanted = close & core[rows]
    return Reach(core.astype(float), _some(table, rows, wanted, table.data[wanted]))


def of_values(
    law: Law,
    m: int,
    eps: float,
    *,
    n_values: int,
    seed: int,
    fast: bool,
    keys: Keys | None = None,
    device: str = CPU,
) -> Reach:
    """Sum over the values of each object: given one, the distances are independent.

    ``core[o] = Σ_a w_a T_m({p_q(a)})`` over the values a of o, of which q is within eps
    with the probability p_q(a), and ``reached[o, p] = Σ_a w_a p_p(a) T_{m−1}({p_q(a)},
    q ≠ p)``. Objects not given by values get `n_values` of them; as neighbors they keep
    their law.
    """
    values = as_values(law, seed, keys, n_values)
    law = known(law, seed, keys)
    n = law.n_objects
    core = np.empty(n)
    parts = []
    steps = track(n, "values")
    mean_values = len(values.values) / n
    for some in blocks(n, 8 * 16 * mean_values * min(n, 1000)):
        objects = np.arange(some.start, some.stop)
        mine = values.take(objects)
        points = Values(mine.values, np.arange(len(mine.values) + 1))
        table = _certain_of_itself(
            within_between(points, law, eps, seed=seed, fast=fast, device=device),
            np.repeat(objects, mine.counts),
        )
        weight = csr_array(
            (mine.probabilities(), np.arange(len(mine.values)), mine.starts),
            shape=(len(objects), len(mine.values)),
        )
        core[some] = np.asarray(weight @ at_least(table, m))
        table.data *= at_least_without(table, m - 1)
        parts.append([csr_array(weight @ table)])
        for _ in objects:
            next(steps)
    return Reach(core, csr_array(block_array(parts)))


def of_worlds(worlds: Worlds, m: int, eps: float) -> Reach:
    """Count worlds: approximates `of_values`; the only way for joint draws."""
    n = worlds.shape[1]
    core = np.zeros(n)
    reached = csr_array((n, n))
    itself = np.arange(n)
    for world in followed(worlds, "worlds"):
        i, j = cKDTree(world).query_pairs(eps, output_type="ndarray").T
        rows, columns = np.concatenate([i, j, itself]), np.concatenate([j, i, itself])
        is_core = np.bincount(rows, minlength=n) >= m
        core += is_core
        kept = is_core[rows]
        places = rows[kept], columns[kept]
        reached = reached + csr_array((np.ones(kept.sum()), places), shape=(n, n))
    reached = csr_array(reached)
    reached.data /= len(worlds)
    return Reach(core / len(worlds), reached)


def _some(table: csr_array, rows: Indices, wanted: Mask, data: Array) -> csr_array:
    """Select the wanted entries of a table and renumber them."""
    counts = np.bincount(rows[wanted], minlength=table.shape[0])
    starts = np.concatenate([[0], np.cumsum(counts)])
    return csr_array((data, table.indices[wanted], starts), shape=table.shape)


def _certain_of_itself(table: csr_array, own: Indices) -> csr_array:
    """Set the probability of each value's own object to 1."""
    n_rows = table.shape[0]
    rows = np.repeat(np.arange(n_rows), np.diff(table.indptr))
    itself = table.indices == own[rows]
    places = np.concatenate([rows[~itself], np.arange(n_rows)])
    columns = np.concatenate([table.indices[~itself], own])
    data = np.concatenate([table.data[~itself], np.ones(n_rows)])
    return csr_array((data, (places, columns)), shape=table.shape)


def grown(
    reach: Reach,
    core_threshold: float,
    reach_threshold: float,
    noise_below: float,
    *,
    alone: bool = False,
) -> tuple[Indices, Indices]:
    """Join core objects that reach each other either way, and attach the others.

    An object that is not core joins the core object that reaches it most probably, the
    first of equals, unless the probability is below `noise_below` or 0. Unless `alone`,
    an object that reaches no other object is not core: a very uncertain object may be
    dense wherever it is, and near no object in particular.
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
    """Find the most probable row of each wanted column with entries."""
    rows = np.repeat(np.arange(between.shape[0]), np.diff(between.indptr))
    entries = np.flatnonzero(wanted[between.indices])
    columns, data = between.indices[entries], between.data[entries]
    # By column, the most probable first; ties by row.
    order = np.lexsort((rows[entries], -data, columns))
    found, first = np.unique(columns[order], return_index=True)
    best = order[first]
    return found.astype(np.intp), rows[entries][best], data[best]
