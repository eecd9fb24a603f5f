"""UMicro: clusters of a stream of uncertain objects."""

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


@with_parameters
class UMicro(ByMoments, StreamClusterer):
    """Cluster a stream of values with errors, in memory that does not grow.

    Objects are absorbed by micro-clusters, which keep sums: how many there were, their
    mean, spread and errors. An object goes into the nearest one if it is within some
    radii of it, errors included; else it begins a new one, for which the two nearest
    ones are joined if there are too many. The micro-clusters are clustered whenever
    clusters are asked for. With a half-life, what came long ago counts for less, so
    that drift is followed.

    Use it for data that never end, or are too many to be kept. `UKMeans` and
    `ErrorMixture` take data of any size that stand still, and have `partial_fit`, too.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    n_micro_clusters : int, default=100
        Largest number of micro-clusters.
    factor : float, default=2.0
        Radii within which an object belongs to a micro-cluster.
    half_life : float, optional
        Time after which an object counts for half; in units of `times`, or of objects.
        By default nothing is forgotten.
    snapshot_every : float, optional
        Time between states that are kept, so that `between` can tell what came in a
        stretch of time. The longer ago, the fewer of them stay. None by default.
    method : {"UKMeans", "ErrorMixture", "AutoClusterer"}, default="UKMeans"
        What clusters the micro-clusters.
    random_state : int, RandomState, Generator or None, default=0
        Seed of that.

    Attributes
    ----------
    n_seen_ : int
        How many objects came.
    time_ : float
        When the last one did.
    micro_clusters_ : Sketch
        The micro-clusters: weights as of the last object, means, and more.
    macro_labels_ : ndarray of shape (n_micro,)
        Cluster of each micro-cluster. A cluster keeps its number from one piece to the
        next, however far it drifts in the end.
    labels_ : ndarray of shape (n_objects,)
        Clusters of the objects of the last piece.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The algorithm is that of [1]_, with expected squared distances. Laws count by means
    and variances. An object takes ``n_micro_clusters * n_features`` operations, which
    the extra ``fast`` makes fast. Order matters a little.

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
        """What came in a stretch of time, as far as it is still known.

        Parameters
        ----------
        start : float
            Objects that came from then on are taken; rounded down to a state that was
            kept (`snapshot_every`).
        end : float, optional
            And before this, rounded down in the same way; all until now by default.

        Returns
        -------
        UMicro
            With the micro-clusters of those objects that were not dropped since.
        """
        check_is_fitted(self, "time_")
        if self.snapshot_every is None:
            msg = (
                "between() needs states that were kept; set snapshot_every before the "
                "stream begins."
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
                    f"end={end!r} is too long ago: the earliest state that is kept "
                    f"{first}. Take a later end, or none."
                )
                raise ValueError(msg)
            time, sketch = last.time, last.sketch
        early = at(snapshots, start)
        if early is not None:
            before = early.sketch.older(self._left(time - early.time))
            sketch = since(sketch, before, self._became)
        if sketch.n == 0:
            msg = f"Nothing is known of {start=}, {end=}; take a longer stretch."
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
            if self.snapshots_:  # which name micro-clusters that are now others
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
        # An older one, which it became, was there already and is named as well.
        self._became = {id: self._became[id] for id in named & self._became.keys()}
