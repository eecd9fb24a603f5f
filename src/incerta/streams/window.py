"""What a window still holds of a stream: sums of blocks, which are added up again.

Sums could be subtracted, too, when a block leaves the window. What is left would then
be rounding errors of all that ever was; so those of the blocks that stay are added up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from incerta.models.registry import stored
from incerta.streams.absorbing import Absorbed
from incerta.streams.sketch import Sketch, grouped
from incerta.typing import Array, Indices


@stored()
class Block(NamedTuple):
    """Objects of a part of the window, by the micro-clusters that they went into."""

    number: int
    sketch: Sketch


def of_objects(
    values: Array, variances: Array, existence: Array, times: Array, ids: Indices
) -> Sketch:
    """One micro-cluster per object; several may have the same id."""
    n = len(values)
    return Sketch(
        existence,
        existence**2,
        values,
        np.zeros(values.shape),
        existence[:, None] * variances,
        np.ones(n, dtype=np.int64),
        times,
        ids,
    )


def together(sketches: Sequence[Sketch]) -> Sketch:
    """Add up all that has the same id; in the order of the ids."""
    every = Sketch(*(np.concatenate(each) for each in zip(*sketches, strict=True)))
    ids, groups = np.unique(every.id, return_inverse=True)
    return grouped(every, groups, len(ids))


def renamed(sketch: Sketch, done: Absorbed) -> Sketch:
    """The same under the ids of now, without micro-clusters that were dropped."""
    ids = current_ids(sketch.id, done)
    return sketch._replace(id=ids).only(np.flatnonzero(ids >= 0))


def current_ids(ids: Indices, done: Absorbed) -> Indices:
    """Ids of micro-clusters that others were joined to; −1 is one that was dropped."""
    became = dict(done.joined.tolist())
    there = set(done.room.sketch.id[: done.room.n].tolist())
    different, places = np.unique(ids, return_inverse=True)
    known = np.empty(len(different), dtype=np.int64)
    for row, now in enumerate(different.tolist()):
        while now in became:
            now = became[now]
        known[row] = now if now in there else -1
    return known[places]
