"""When objects come, where a piece of a stream is cut, and what is in a window."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from incerta.models.registry import stored
from incerta.streams.absorbing import Absorbed
from incerta.streams.sketch import Sketch, grouped
from incerta.typing import Array, Indices

# Weights grow by a factor of 2 per half-life; after so many they are brought back.
MOST_HALVINGS = 400.0


def checked_times(times: Any, n: int, last: float | None) -> Array:
    """When objects came.

    `times` (n,): what was said; None is one unit of time after the other. `n`: number
    of objects. `last`: when the last object before them came.
    """
    if times is None:
        return np.arange(n, dtype=np.float64) + (0.0 if last is None else last + 1.0)
    when = np.asarray(times, dtype=np.float64)
    if when.shape != (n,) or not np.isfinite(when).all():
        msg = f"times must be one finite number for each of the {n} objects."
        raise ValueError(msg)
    backwards = np.diff(when, prepend=-np.inf if last is None else last) < 0.0
    if backwards.any():
        i = int(backwards.argmax())
        msg = (
            f"times[{i}]={when[i]} is before the object that came before; sort the "
            "objects by time."
        )
        raise ValueError(msg)
    return when


def ticks(when: Any, first: float, every: float) -> Any:
    """Number of snapshots that are due by then."""
    return np.floor((when - first) / every)


def pieces(
    when: Array, first: float, every: float | None, half_life: float | None
) -> list[slice]:
    """Stretches without a snapshot inside, nor with weights that grow too large."""
    cuts: list[Indices] = [np.array([0, len(when)])]
    if every is not None:
        cuts.append(np.flatnonzero(np.diff(ticks(when, first, every))) + 1)
    if half_life is not None:
        spans = np.floor((when - when[0]) / (MOST_HALVINGS * half_life))
        cuts.append(np.flatnonzero(np.diff(spans)) + 1)
    edges = np.unique(np.concatenate(cuts)).tolist()
    return [slice(a, b) for a, b in pairwise(edges)]


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
