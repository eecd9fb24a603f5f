"""What a fitted estimator can tell besides labels and membership."""

from collections.abc import Mapping
from typing import NamedTuple

from incerta.typing import Array, Indices
from incerta.views.consensus import View


class Alternative(NamedTuple):
    """A clustering that could be the true one."""

    world: int  # that it comes from
    probability: float
    labels: Indices


class Reachability(NamedTuple):
    """At what distance each object is reached, and in what order."""

    reachability: Array
    ordering: Indices
    cut: float | None


class Facts(NamedTuple):
    """What a fit can tell; None, or empty, where a method knows nothing about it.

    Reports and pictures ask for these instead of looking for attributes.
    """

    objective: list[float] | None = None  # after each step
    labels_per_world: Indices | None = None  # (n_worlds, n_objects)
    n_drawn: int | None = None  # worlds that were drawn
    kept: Indices | None = None  # positions of the kept ones; None if all were
    divergences: Array | None = None  # between all worlds
    stability: float | None = None  # mean adjusted Rand index of two worlds
    failures: dict[int, str] = {}
    alternatives: tuple[Alternative, ...] = ()
    reachability: Reachability | None = None
    views: Mapping[str, View] = {}  # what each view is worth
