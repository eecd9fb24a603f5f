"""Objects, one after the other, into the micro-cluster that is nearest."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incerta.backend.engine import engine_for
from incerta.models.registry import stored
from incerta.streams.sketch import LITTLE, Sketch
from incerta.typing import Array, Indices


class Rule(NamedTuple):
    """When an object goes into a micro-cluster, and how fast that is forgotten."""

    factor: float  # of the uncertain radius, within which objects belong
    rate: float  # halvings per unit of time


@stored()
class Room(NamedTuple):
    """Micro-clusters in arrays with room for more, and how many there are.

    Weights grow with time instead of shrinking: an object counts for ``2**(rate * t)``
    when it comes, and all are divided by that when they are asked for. So nothing but
    the nearest micro-cluster changes.
    """

    sketch: Sketch
    n: int
    next_id: int


def absorb(
    room: Room,
    values: Array,
    variances: Array,
    ages: Array,
    times: Array,
    rule: Rule,
    engine: str = "auto",
) -> tuple[Room, Indices]:
    """Put objects into micro-clusters, in their order; arrays of `room` are changed.

    Parameters
    ----------
    room : Room
        What there is.
    values, variances : ndarray of shape (n, d)
        Values, and variances of their errors.
    ages : ndarray of shape (n,)
        Time since weights were 1.
    times : ndarray of shape (n,)
        When they came.
    rule : Rule
    engine : {"auto", "numba", "numpy"}
        Both give the same but for rounding.

    Returns
    -------
    Room
    ndarray of shape (n_joined, 2)
        Ids of micro-clusters that were joined to others, and of those, one after the
        other.
    """
    joined = np.empty((len(values), 2), dtype=np.int64)
    given = values, variances, ages, times
    if engine_for(engine) == "numba":
        from incerta.streams.numba_absorbing import absorb_all

        n, next_id, n_joined = absorb_all(
            *room.sketch, room.n, room.next_id, *given, *rule, joined
        )
        return Room(room.sketch, n, next_id), joined[:n_joined]
    n_joined = 0
    for x, variance, age, time in zip(*given, strict=True):
        growth = 2.0 ** (rule.rate * age)
        c = _nearest(room, x, variance, growth, rule)
        if c < 0:
            sketch, n, next_id = room
            c, n = n, n + 1
            if n > sketch.n:
                c, n = _place(sketch, growth, joined[n_joined]), sketch.n
                n_joined += joined[n_joined, 0] >= 0
            for each in (sketch.weight, sketch.scatter, sketch.error, sketch.number):
                each[c] = 0
            sketch.mean[c], sketch.id[c] = x, next_id
            room = Room(sketch, n, next_id + 1)
        _add(room.sketch, c, x, variance, growth, time)
    return room, joined[:n_joined]


def _nearest(room: Room, x: Array, variance: Array, growth: float, rule: Rule) -> int:
    """Row of the micro-cluster that an object belongs to; −1 is none."""
    sketch, n, _ = room
    if n == 0:
        return -1
    blur = sketch.error[:n].sum(axis=1) * growth / sketch.weight[:n] ** 2
    apart = np.square(x - sketch.mean[:n]).sum(axis=1) + blur
    c = int(apart.argmin())
    bound = _squared_bound(sketch, n, c, growth, rule)
    return c if apart[c] + variance.sum() <= bound else -1


def _squared_bound(sketch: Sketch, n: int, c: int, growth: float, rule: Rule) -> float:
    """Squared distance up to which objects belong to a micro-cluster."""
    if sketch.number[c] == 1:  # it has no radius yet: half way to the nearest other
        if n == 1:
            return 0.0
        apart = np.square(sketch.mean[:n] - sketch.mean[c]).sum(axis=1)
        apart[c] = np.inf
        return float(apart.min() / 4.0)
    weight = sketch.weight[c]
    errors = (1.0 + growth / weight) * sketch.error[c]
    squared_radius = (sketch.scatter[c] + errors).sum() / weight
    return float(rule.factor**2 * squared_radius)


def _place(sketch: Sketch, growth: float, joined: Indices) -> int:
    """Row that is free for a new micro-cluster.

    The one that got nothing for longest is dropped if next to nothing is left of it;
    else the two that are nearest to each other are joined. (The published algorithm
    always drops, so that all objects of a single round cluster are soon forgotten.)
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
    sketch.number[a] += sketch.number[b]
    sketch.last[a] = max(sketch.last[a], sketch.last[b])
    # The older id stays, so that the newer one is the only one to be looked up.
    joined[:] = max(sketch.id[a], sketch.id[b]), min(sketch.id[a], sketch.id[b])
    sketch.id[a] = joined[1]
    return int(b)


def _add(
    sketch: Sketch, c: int, x: Array, variance: Array, growth: float, time: float
) -> None:
    sketch.weight[c] += growth
    gap = x - sketch.mean[c]
    sketch.mean[c] += gap * (growth / sketch.weight[c])
    sketch.scatter[c] += growth * gap * (x - sketch.mean[c])
    sketch.error[c] += growth * variance
    sketch.number[c] += 1
    sketch.last[c] = time
