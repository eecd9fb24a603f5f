"""UMicro: clustering of a stream of uncertain objects."""

from __future__ import annotations

from dataclasses import KW_ONLY
from typing import ClassVar, NamedTuple

from sklearn.utils.validation import check_is_fitted

from incerta.backend.parameters import (
    POSITIVE,
    SEED,
    WHOLE,
    StrOptions,
    parameter,
    with_parameters,
)
from incerta.data.container import UncertainData
from incerta.models.registry import stored
from incerta.streams._base import ByMoments, StreamClusterer
from incerta.streams.absorbing import Room, pieces, ticks
from incerta.streams.macro import METHODS
from incerta.streams.sketch import Sketch, since
from incerta.typing import Array, Seed

# Snapshots kept of each order, the latest ones; order r has every 2**r-th snapshot.
KEPT = 5


@stored()
class Snapshot(NamedTuple):
    """The micro-clusters at some time."""

    tick: int
    time: float
    sketch: Sketch  # with weights as of that time


def kept(snapshots: list[Snapshot]) -> list[Snapshot]:
    """Return the snapshots to keep: the latest of every order, by time.

    A requested time is missed by at most a quarter of its age. The number of snapshots
    grows with the logarithm of the length of the stream.
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
    """Return the latest snapshot that is not after `time`, or None."""
    before = [one for one in snapshots if one.time <= time]
    return before[-1] if before else None


@with_parameters
class UMicro(ByMoments, StreamClusterer):
    """Cluster a stream of values with errors, in bounded memory.

    Objects are added to micro-clusters, which store sums: number of objects, mean,
    spread and errors. An object joins the nearest micro-cluster if it is within
    `factor` radii, errors included. Otherwise it starts a new one, and the two nearest
    ones are merged if there are too many. The micro-clusters are clustered when
    clusters are requested. With `half_life`, old objects lose weight, so that the
    clusters follow drift.

    Use it for data that never end or are too large to store. For fixed data of any
    size, use `UKMeans` or `ErrorMixture`, which also have `partial_fit`. An object
    costs ``n_micro_clusters * n_features`` operations.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    n_micro_clusters : int, default=100
        Largest number of micro-clusters.
    factor : float, default=2.0
        Number of radii within which an object joins a micro-cluster.
    half_life : float, optional
        Time after which the weight of an object is halved, in units of `times`, or of
        objects. By default weights do not change.
    snapshot_every : float, optional
        Time between stored states, from which `between` computes the clusters of an
        interval. Fewer old states are kept. By default none are stored.
    method : {"UKMeans", "ErrorMixture", "AutoClusterer"}, default="UKMeans"
        Method that clusters the micro-clusters.
    random_state : int, RandomState, Generator or None, default=0
        Seed of `method`.

    Attributes
    ----------
    n_seen_ : int
        Number of objects received.
    time_ : float
        Time of the last object.
    micro_clusters_ : Sketch
        The micro-clusters: weights as of the last object, means, and more.
    macro_labels_ : ndarray of shape (n_micro,)
        Cluster of each micro-cluster. A cluster keeps its number from batch to batch,
        even if it drifts far.
    labels_ : ndarray of shape (n_objects,)
        Clusters of the objects of the last batch.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The algorithm is that of [1]_, with expected squared distances. Distributions enter
    by means and variances. The extra ``fast`` speeds it up. The order of the objects
    has a small effect.

    References
    ----------
    .. [1] C. C. Aggarwal, P. S. Yu, "A framework for clustering uncertain data
       streams", ICDE 2008.

    Examples
    --------
    >>> import numpy as np
    >>> import incerta as ic
    >>> rng = np.random.default_rng(0)
    >>> stream = ic.UMicro(n_clusters=2)
    >>> for _ in range(10):
    ...     centers = rng.choice([0.0, 9.0], size=(50, 1))
    ...     piece = ic.from_gaussian(centers + rng.normal(size=(50, 1)), std=0.3)
    ...     stream = stream.partial_fit(piece)
    >>> stream.n_seen_, stream.predict([[0.5], [8.0]]).tolist() in ([0, 1], [1, 0])
    (500, True)
    """

    n_clusters: int = parameter(WHOLE, default=3)
    _: KW_ONLY
    n_micro_clusters: int = parameter(WHOLE, default=100)
    factor: float = parameter(POSITIVE, default=2.0)
    half_life: float | None = parameter([*POSITIVE, None], default=None)
    snapshot_every: float | None = parameter([*POSITIVE, None], default=None)
    method: str = parameter([StrOptions(set(METHODS))], default="UKMeans")
    random_state: Seed = parameter(SEED, default=0)

    _stored: ClassVar[dict[str, str]] = {
        "labels_": "i n",
        "snapshots_": "",
        "_first": "",
        "_became": "",
        "_numbers": "",
        "_tick": "",
    }

    def between(self, start: float, end: float | None = None) -> UMicro:
        """Return the stream of an interval of time, as far as it is still stored.

        Parameters
        ----------
        start : float
            Begin of the interval, rounded down to a stored state (`snapshot_every`).
        end : float, optional
            End of the interval, rounded down in the same way; by default now.

        Returns
        -------
        UMicro
            With the micro-clusters of the objects of the interval, except dropped ones.
        """
        check_is_fitted(self, "time_")
        if self.snapshot_every is None:
            msg = (
                "between() needs stored states; set snapshot_every before the stream "
                "begins."
            )
            raise ValueError(msg)
        if end is not None and not start < end:
            msg = f"end={end!r} must be after start={start!r}."
            raise ValueError(msg)
        snapshots, time, sketch = self.snapshots_, self.time_, self.micro_clusters_
        if end is not None and end <= time:
            last = at(snapshots, end)
            if last is None:
                first = f"is of {snapshots[0].time}" if snapshots else "is yet to come"
                msg = (
                    f"end={end!r} is too long ago: the earliest stored state {first}. "
                    "Pass a later end, or leave it out."
                )
                raise ValueError(msg)
            time, sketch = last.time, last.sketch
        early = at(snapshots, start)
        if early is not None:
            before = early.sketch.older(self._left(time - early.time))
            sketch = since(sketch, before, self._became)
        if sketch.n == 0:
            msg = f"{start=}, {end=} has no stored objects; pass a longer interval."
            raise ValueError(msg)
        part = UMicro(**self.get_params())
        part.n_features_in_, part.time_ = self.n_features_in_, time
        if hasattr(self, "feature_names_in_"):
            part.feature_names_in_ = self.feature_names_in_
        part.n_seen_ = int(sketch.number.sum())
        part._room = Room(sketch, sketch.n, self._room.next_id)
        part._origin = part._first = time
        part._tick, part.snapshots_, part._became = 0, [], {}
        part._numbers = self._numbers
        return part

    def _begin(self, n_features: int, time: float) -> None:
        super()._begin(n_features, time)
        self._first, self._tick = time, 0
        self.snapshots_: list[Snapshot] = []
        self._became: dict[int, int] = {}

    def _learn(self, data: UncertainData, when: Array) -> None:
        values, variances = data.mean(), data.variance()
        for part in pieces(when, self._first, self.snapshot_every, self.half_life):
            if self.snapshot_every is not None:
                due = ticks(when[part.start], self._first, self.snapshot_every)
                self._keep_snapshot(int(due))
            self._age(float(when[part.start]))
            done = self._absorb(values[part], variances[part], when[part])
            if self.snapshots_:  # their micro-clusters may have been merged
                self._became.update(done.joined.tolist())
        self._name(data)

    def _keep_snapshot(self, tick: int) -> None:
        if tick <= self._tick:
            return
        self._tick = tick
        time = self._first + tick * float(self.snapshot_every or 0.0)
        sketch = self.micro_clusters_.older(self._left(time - self.time_))
        self.snapshots_ = kept([*self.snapshots_, Snapshot(tick, time, sketch)])
        named = {id for one in self.snapshots_ for id in one.sketch.id.tolist()}
        # A merger's target is older, so every snapshot that has one of them has both.
        self._became = {id: self._became[id] for id in named & self._became.keys()}
