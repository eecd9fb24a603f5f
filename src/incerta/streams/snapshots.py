"""States of a stream at earlier times: many of late, few of long ago.

C. C. Aggarwal, J. Han, J. Wang, P. S. Yu, "A framework for clustering evolving data
streams", VLDB 2003: the pyramidal time frame.
"""

from __future__ import annotations

from typing import NamedTuple

from incerta.models.registry import stored
from incerta.streams.sketch import Sketch

# Of each order, the latest so many are kept; of order r is every 2**r-th.
KEPT = 5


@stored()
class Snapshot(NamedTuple):
    """The micro-clusters at some time."""

    tick: int
    time: float
    sketch: Sketch  # with weights as of that time


def kept(snapshots: list[Snapshot]) -> list[Snapshot]:
    """Those that stay: of every order the latest, in rising order of time.

    The time that is asked for is missed by at most a quarter of how long ago it was,
    and the number of snapshots grows with the logarithm of the length of the stream.
    """
    seen: dict[int, int] = {}
    stay = []
    for one in reversed(snapshots):
        order = (one.tick & -one.tick).bit_length()
        if seen.get(order, 0) < KEPT:
            seen[order] = seen.get(order, 0) + 1
            stay.append(one)
    return stay[::-1]


def at(snapshots: list[Snapshot], time: float) -> Snapshot | None:
    """The latest that is not after `time`; None if there is none."""
    before = [one for one in snapshots if one.time <= time]
    return before[-1] if before else None


def stretch(
    snapshots: list[Snapshot], start: float, end: float | None, now: float
) -> tuple[Snapshot | None, Snapshot | None]:
    """The states between which a stretch of time lies.

    `snapshots`: those that are kept, in rising order of time. `start`, `end`: from
    when, and until when; an end of None is now. `now`: when the last object came.

    Returns `early`: the state at the start; None is the beginning of the stream.
    `last`: the state at the end; None is that of now.
    """
    if end is not None and not start < end:
        msg = f"end={end!r} must be after start={start!r}."
        raise ValueError(msg)
    early = at(snapshots, start)
    if end is None or end > now:
        return early, None
    last = at(snapshots, end)
    if last is None:
        first = f"is of {snapshots[0].time}" if snapshots else "is yet to come"
        msg = (
            f"end={end!r} is too long ago: the earliest state that is kept {first}. "
            "Take a later end, or none."
        )
        raise ValueError(msg)
    return early, last
