"""Where micro-clusters are in many worlds at once."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from incerta.backend.memory import blocks
from incerta.exceptions import DataError
from incerta.streams.absorbing import Absorbed
from incerta.streams.clock import current_ids
from incerta.typing import Array, Indices
from incerta.worlds import Worlds


def in_as_many_worlds(centres: Array, n_worlds: int) -> Array:
    """Centres that were the same in all worlds so far, in each of them.

    `centres` (n_micro_clusters, n_before, n_features): one world is enough while all
    objects are exact. `n_worlds`: number of worlds of the next objects; 1 if they are
    exact.
    """
    before = centres.shape[1]
    if before == 1:
        return np.repeat(centres, n_worlds, axis=1)
    if n_worlds not in (1, before):
        msg = (
            f"these objects have {n_worlds} worlds, and those before had {before}; all "
            "joint data of a stream need as many draws, or n_worlds of them."
        )
        raise DataError(msg)
    return centres


def rows_of(names: Indices, ids: Indices) -> Indices:
    """Row of each name among ids that are all different; −1 if it is not there."""
    if len(ids) == 0:
        return np.full(len(names), -1, dtype=np.intp)
    order = np.argsort(ids)
    there = order[np.searchsorted(ids, names, sorter=order).clip(max=len(ids) - 1)]
    return np.where(ids[there] == names, there, -1)


def moved_centres(
    centres: Array,
    ids: Indices,
    weights: Array,
    drawn: Worlds,
    counts: Array,
    done: Absorbed,
) -> Array:
    """Centres of micro-clusters in every world, after they absorbed some objects.

    `centres` (n_before, n_worlds, n_features): where they were. `ids` (n_before,):
    which they were. `weights` (n_before,): their weights then. `drawn`: as many worlds
    of the objects, or a single one. `counts` (n_objects,): weights of the objects.
    `done`: what became of all of them.

    Returns (n_now, n_worlds, n_features): in the order of the micro-clusters of now.
    """
    sketch, n, _ = done.room
    now = sketch.id[:n]
    shape = n, *centres.shape[1:]
    out = np.zeros((n, shape[1] * shape[2]))
    known = rows_of(ids, now)
    stay = np.flatnonzero(known >= 0)
    flat = centres.reshape(len(centres), out.shape[1])
    out[known[stay]] = flat[stay]
    begun_with = out.copy()

    def add(values: Array, mass: Array, names: Indices) -> None:
        rows = rows_of(names, now)
        some = np.flatnonzero(rows >= 0)
        rows, share = rows[some], mass[some] / sketch.weight[rows[some]]
        sums = csr_array((share, (rows, np.arange(len(some)))), shape=(n, len(some)))
        out[:] += sums @ (values[some] - begun_with[rows])

    lost = np.flatnonzero(known < 0)  # joined to others, or dropped
    if len(lost):
        add(flat[lost], weights[lost], current_ids(ids[lost], done))
    into = current_ids(done.into, done)
    for part in blocks(len(counts), 24 * out.shape[1]):
        values = drawn.only(part).stack()
        wide = np.broadcast_to(values, (shape[1], *values.shape[1:]))
        each = np.moveaxis(wide, 0, 1).reshape(len(values[0]), out.shape[1])
        add(each, counts[part], into[part])
    return out.reshape(shape)
