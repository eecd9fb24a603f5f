"""Adding objects to the nearest micro-clusters, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from incerta.backend.optional import engine_for
from incerta.models.registry import stored
from incerta.streams.sketch import EQUAL, LITTLE, Rule, Sketch, empty, grouped
from incerta.typing import Array, Indices

# Micro-clusters with less than this weight left are forgotten.
FORGOTTEN = 1e-9


@stored()
class Room(NamedTuple):
    """Micro-clusters in arrays with spare room, and their number.

    Weights of new objects grow with time instead of old ones shrinking: an object gets
    ``2**(rate * t)`` on arrival, and all weights are divided by this on access. So each
    object changes only one micro-cluster.
    """

    sketch: Sketch
    n: int
    next_id: int


class Absorbed(NamedTuple):
    """Where objects went, and which micro-clusters were merged."""

    room: Room
    joined: Indices  # (n_joined, 2), merged ids and their targets, in turn
    into: Indices  # (n,), id of the micro-cluster of each object


def absorb(
    room: Room,
    values: Array,
    variances: Array,
    ages: Array,
    times: Array,
    rule: Rule,
    engine: str = "auto",
    existence: Array | None = None,
) -> Absorbed:
    """Add objects to micro-clusters, in their order; arrays of `room` are changed.

    `ages` (n,) are times since weights were 1. With `existence` (n,), an object joins
    the micro-cluster of the surest objects within reach instead of the nearest.
    """
    joined = np.empty((len(values), 2), dtype=np.int64)
    into = np.empty(len(values), dtype=np.int64)
    sure = existence is None
    there = np.ones(len(values)) if existence is None else existence
    given = values, variances, ages, times, there
    if engine_for(engine) == "numba":
        from incerta.streams.numba_absorbing import absorb_all

        n, next_id, n_joined = absorb_all(*room, *given, sure, rule, joined, into)
        return Absorbed(Room(room.sketch, n, next_id), joined[:n_joined], into)
    n_joined = 0
    for i, (x, variance, age, time, e) in enumerate(zip(*given, strict=True)):
        growth = 2.0 ** (rule.rate * age)
        c = _chosen(room, x, variance, growth, rule, None if sure else e)
        if c < 0:
            sketch, n, next_id = room
            c, n = n, n + 1
            if n > sketch.n:
                c, n = _place(sketch, growth, joined[n_joined]), sketch.n
                n_joined += joined[n_joined, 0] >= 0
            zero = sketch.weight, sketch.squares, sketch.scatter, sketch.error
            for each in (*zero, sketch.number):
                each[c] = 0
            sketch.mean[c], sketch.id[c] = x, next_id
            room = Room(sketch, n, next_id + 1)
        sketch, weight = room.sketch, growth * e
        sketch.weight[c] += weight
        sketch.squares[c] += weight * e
        gap = x - sketch.mean[c]
        sketch.mean[c] += gap * (weight / sketch.weight[c])
        sketch.scatter[c] += weight * gap * (x - sketch.mean[c])
        sketch.error[c] += weight * variance
        sketch.number[c] += 1
        sketch.last[c] = time
        into[i] = sketch.id[c]
    return Absorbed(room, joined[:n_joined], into)


def without_the_forgotten(room: Room, left: float) -> Room:
    """Copy, with weights multiplied by `left`, without negligible micro-clusters."""
    aged = room.sketch.only(slice(room.n)).older(left)
    return made_room(
        aged.only(np.flatnonzero(aged.weight > FORGOTTEN)), room.sketch.n, room.next_id
    )


def made_room(sketch: Sketch, size: int, next_id: int) -> Room:
    """Copy micro-clusters into arrays with spare room."""
    arrays = empty(sketch.n_features, size)
    for target, source in zip(arrays, sketch, strict=True):
        target[: sketch.n] = source
    return Room(arrays, sketch.n, next_id)


def _chosen(
    room: Room, x: Array, variance: Array, growth: float, rule: Rule, e: float | None
) -> int:
    """Return the row of the micro-cluster for an object; −1 is none."""
    sketch, n, _ = room
    if n == 0 or (rule.fills and n < sketch.n):
        return -1
    if sketch.n == 1:  # no room for another, and no two to merge
        return 0
    there = sketch.only(slice(n))
    apart = np.square(x - there.mean).sum(axis=1) + there.blur() * growth
    apart += variance.sum()
    c = int(apart.argmin())
    if apart[c] > _squared_bound(there, c, growth, rule):
        return -1
    if e is None:
        return c
    bounds = [_squared_bound(there, c, growth, rule) for c in range(n)]
    weight, squares = there.weight + growth * e, there.squares + growth * e * e
    doubt = np.where(apart <= bounds, 1.0 - squares / weight, np.inf)
    surest = doubt <= doubt.min() + EQUAL
    return int(np.where(surest, apart, np.inf).argmin())


def _squared_bound(sketch: Sketch, c: int, growth: float, rule: Rule) -> float:
    """Return the squared distance up to which objects join a micro-cluster."""
    if sketch.number[c] == 1:  # no radius yet: half way to the nearest other
        if sketch.n == 1:
            return 0.0
        apart = np.square(sketch.mean - sketch.mean[c]).sum(axis=1)
        apart[c] = np.inf
        return float(apart.min() / 4.0)
    weight = sketch.weight[c]
    share_of_one = growth / weight * (sketch.squares[c] / weight)
    errors = (1.0 + share_of_one) * sketch.error[c]
    return float(rule.factor**2 * (sketch.scatter[c] + errors).sum() / weight)


def _place(sketch: Sketch, growth: float, joined: Indices) -> int:
    """Return a free row for a new micro-cluster.

    The one that got no object for longest is dropped if its weight is negligible;
    otherwise the two nearest ones are merged. (The published algorithm always drops, so
    that a single round cluster is soon forgotten.)
    """
    joined[:] = -1
    oldest = int(sketch.last.argmin())
    if sketch.weight[oldest] < LITTLE * growth:
        return oldest
    apart = np.square(sketch.mean[:, None] - sketch.mean).sum(axis=2)
    apart[np.tril_indices(sketch.n)] = np.inf
    a, b = np.unravel_index(int(apart.argmin()), apart.shape)
    total = sketch.weight[a] + sketch.weight[b]
    gap, share = sketch.mean[b] - sketch.mean[a], sketch.weight[b] / total
    sketch.scatter[a] += sketch.scatter[b] + sketch.weight[a] * share * gap**2
    sketch.mean[a] += share * gap
    sketch.error[a] += sketch.error[b]
    sketch.weight[a] = total
    sketch.squares[a] += sketch.squares[b]
    sketch.number[a] += sketch.number[b]
    sketch.last[a] = max(sketch.last[a], sketch.last[b])
    # The older id stays, so only the newer one has to be looked up.
    joined[:] = max(sketch.id[a], sketch.id[b]), min(sketch.id[a], sketch.id[b])
    sketch.id[a] = joined[1]
    return int(b)


# Number of doublings of the weights after which they are rescaled.
MOST_HALVINGS = 400.0


def checked_times(times: Any, n: int, last: float | None) -> Array:
    """Return the times of `n` objects, after `last`; by default one unit each."""
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
            f"times[{i}]={when[i]} is before the time of the previous object; sort the "
            "objects by time."
        )
        raise ValueError(msg)
    return when


def ticks(when: Any, first: float, every: float) -> Any:
    """Return the number of snapshots due by the given times."""
    return np.floor((when - first) / every)


def pieces(
    when: Array, first: float, every: float | None, half_life: float | None
) -> list[slice]:
    """Split objects so that no piece contains a snapshot, or weights too large."""
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
    """Objects of a part of the window, added up by micro-cluster."""

    number: int
    sketch: Sketch


def of_objects(
    values: Array, variances: Array, existence: Array, times: Array, ids: Indices
) -> Sketch:
    """Return one micro-cluster per object; several may have the same id."""
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
    """Add up everything with the same id, in the order of the ids."""
    every = Sketch(*(np.concatenate(each) for each in zip(*sketches, strict=True)))
    ids, groups = np.unique(every.id, return_inverse=True)
    return grouped(every, groups, len(ids))


def renamed(sketch: Sketch, done: Absorbed) -> Sketch:
    """Return the block with present ids, without dropped micro-clusters."""
    ids = current_ids(sketch.id, done)
    return sketch._replace(id=ids).only(np.flatnonzero(ids >= 0))


def current_ids(ids: Indices, done: Absorbed) -> Indices:
    """Replace ids of merged micro-clusters; −1 is a dropped one."""
    became = dict(done.joined.tolist())
    there = set(done.room.sketch.id[: done.room.n].tolist())
    different, places = np.unique(ids, return_inverse=True)
    known = np.empty(len(different), dtype=np.int64)
    for row, now in enumerate(different.tolist()):
        while now in became:
            now = became[now]
        known[row] = now if now in there else -1
    return known[places]
