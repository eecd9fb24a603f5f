"""Tracking the clusters of a stream: which of them stay, move, appear and vanish."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import linear_sum_assignment

from incerta.streams.sketch import Sketch
from incerta.typing import Array, Indices


def matched(
    old: Array, new: Array, old_spread: Array, new_spread: Array, gate: float
) -> Indices:
    """Return the former cluster of each present cluster, or −1, in cubic time.

    The sum of squared distances is minimal; a cluster without a partner costs as much
    as one at the gate. Distances of centers, (n_old, d) and (n_new, d), are root mean
    squares over features, in units of the root mean square of both spreads.
    """
    unit = (old_spread[:, None] ** 2 + new_spread**2) / 2.0
    apart = ((old[:, None] - new) ** 2 / unit).mean(axis=2)
    capped = np.minimum(apart, gate**2)
    rows, columns = linear_sum_assignment(capped)
    partner = np.full(len(new), -1, dtype=np.intp)
    near = apart[rows, columns] < gate**2
    partner[columns[near]] = rows[near]
    return partner


# Distance from which a cluster is another one, in units of spread (RMS over features).
GATE = 3.0
# A center has moved if the gap exceeds this many of its standard errors ...
STANDARD_ERRORS = 4.0
# ... and this share of the cluster's spread, because k-means cuts vary.
PART_OF_SPREAD = 0.25
# Share of the total spread that is added, so that clusters of equal values have one.
LEAST_SPREAD = 1e-3
# Share of the weight of the lightest micro-clusters, which are in no cluster.
LIGHT = 0.01


@dataclass(frozen=True, kw_only=True)
class Cluster:
    """A cluster at one time. Its number never changes and is never used again."""

    number: int
    share: float  # of the weight
    rows: int  # number of objects of its micro-clusters, however old
    center: Array  # (d,)
    spread: Array  # (d,), standard deviation of its objects
    error: Array  # (d,), standard error of the center
    since: int  # number of objects received when it was first seen


@dataclass(frozen=True, kw_only=True)
class Event:
    """A change of a cluster between two calls of `Follower.look`."""

    kind: str  # "new", "moved" or "gone"
    cluster: Cluster
    before: Cluster | None = None  # its state at the last event, if moved
    ratio: float = 0.0  # distance moved, in standard errors


class Follower:
    """Give clusters permanent numbers, and report their changes.

    Clusters farther apart than `gate` are different; see `matched`. `clusters` are
    those of the last call of `look`, by number. Memory does not grow with the calls.

    >>> import numpy as np
    >>> import incerta as ic
    >>> from incerta.streams.following import Follower, heavy
    >>> from incerta.streams.sketch import grouped
    >>> rng, follower = np.random.default_rng(0), Follower()
    >>> stream = ic.UMicro(n_clusters=2, half_life=200.0)
    >>> for shift in (0.0, 0.0, 2.0):
    ...     centers = rng.choice([0.0, 30.0 + shift], size=(1000, 1))
    ...     stream = stream.partial_fit(centers + rng.normal(size=(1000, 1)))
    ...     parts = grouped(stream.micro_clusters_, stream.macro_labels_, 2)
    ...     print([event.kind for event in follower.look(parts, stream.n_seen_)])
    ['new', 'new']
    []
    ['moved']
    """

    def __init__(self, gate: float = GATE) -> None:
        self.gate = gate
        self.clusters: list[Cluster] = []
        self._told: dict[int, Cluster] = {}  # state at the last event of each
        self._next = 0

    def look(self, parts: Sketch, n_seen: int) -> list[Event]:
        """Return the events since the last call: new, moved, then vanished clusters.

        Each row of `parts` is a present cluster, after `n_seen` objects.
        """
        parts = parts.only(np.flatnonzero(parts.weight > 0.0))
        now = self._named(_described(parts, n_seen))
        before = {one.number for one in self.clusters}
        there = {one.number for one in now}
        new = [one for one in now if one.number not in before]
        gone = [one for one in self.clusters if one.number not in there]
        moved = []
        for one in now:
            then = self._told.get(one.number)
            ratio = 0.0 if then is None else _moved(then, one)
            if ratio:
                event = Event(kind="moved", cluster=one, before=then, ratio=ratio)
                moved.append(event)
        for one in (*new, *(event.cluster for event in moved)):
            self._told[one.number] = one
        self._told = {n: one for n, one in self._told.items() if n in there}
        self.clusters = sorted(now, key=lambda one: one.number)
        appeared = [Event(kind="new", cluster=one) for one in new]
        return [*appeared, *moved, *(Event(kind="gone", cluster=one) for one in gone)]

    def _named(self, found: list[Cluster]) -> list[Cluster]:
        """Number clusters as before, and new ones from the largest on."""
        old = self.clusters
        partner = np.full(len(found), -1)
        if old and found:
            partner = matched(
                np.array([one.center for one in old]),
                np.array([one.center for one in found]),
                np.array([one.spread for one in old]),
                np.array([one.spread for one in found]),
                self.gate,
            )
        named = [
            replace(one, number=old[p].number, since=old[p].since)
            for one, p in zip(found, partner, strict=True)
            if p >= 0
        ]
        fresh = [one for one, p in zip(found, partner, strict=True) if p < 0]
        for one in sorted(fresh, key=lambda one: -one.share):
            named.append(replace(one, number=self._next))
            self._next += 1
        return named


def heavy(sketch: Sketch, since: float = -np.inf) -> Sketch:
    """Return the micro-clusters that form clusters: without the lightest and past ones.

    Past ones got no object after `since`; the heaviest one always stays.
    """
    late = np.flatnonzero(sketch.last > since)
    sketch = sketch.only(late) if len(late) else sketch
    order = np.argsort(sketch.weight, kind="stable")
    light = np.cumsum(sketch.weight[order]) <= LIGHT * sketch.weight.sum()
    return sketch.only(np.sort(order[~light]))


def _described(parts: Sketch, n_seen: int) -> list[Cluster]:
    if not parts.n:
        return []
    weight = parts.weight[:, None]
    total = weight.sum()
    middle = (weight * parts.mean).sum(axis=0) / total
    inside = (parts.scatter + parts.error) / weight
    whole = (weight * (inside + (parts.mean - middle) ** 2)).sum(axis=0) / total
    floor = np.where(whole > 0.0, LEAST_SPREAD**2 * whole, 1.0)
    spread = np.sqrt(inside + floor)
    return [
        Cluster(
            number=-1,
            share=float(parts.weight[c] / total[()]),
            rows=int(parts.number[c]),
            center=parts.mean[c].copy(),
            spread=spread[c],
            # An object with half the weight carries half the information.
            error=spread[c] / np.sqrt(max(parts.weight[c], 1.0)),
            since=n_seen,
        )
        for c in range(parts.n)
    ]


def _moved(before: Cluster, now: Cluster) -> float:
    """Return the move of a center in standard errors; 0 if it is not an event."""
    gap = np.abs(now.center - before.center)
    errors = float((gap / np.hypot(now.error, before.error)).max())
    spreads = float((gap / np.hypot(now.spread, before.spread)).max()) * np.sqrt(2.0)
    is_event = errors > STANDARD_ERRORS and spreads > PART_OF_SPREAD
    return errors if is_event else 0.0
