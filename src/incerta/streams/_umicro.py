"""UMicro: clusters of a stream of uncertain objects."""

from __future__ import annotations

from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from incerta.backend.memory import blocks
from incerta.backend.parameters import SEED, WHOLE, Interval, StrOptions
from incerta.data.coerce import objects_of
from incerta.models.checks import wrong
from incerta.models.fitted import Storable
from incerta.streams.absorbing import Room, Rule, absorb
from incerta.streams.clock import checked_times, pieces, ticks
from incerta.streams.macro import METHODS, as_before, asked_labels
from incerta.streams.one_by_one import OneByOne
from incerta.streams.sketch import Sketch, empty, grouped, since
from incerta.streams.snapshots import Snapshot, kept, stretch
from incerta.typing import Array, Indices, Seed
from incerta.worlds.streams import as_seed

POSITIVE: list[Any] = [Interval(Real, 0, None, closed="neither")]
# What has less weight than this left is forgotten.
FORGOTTEN = 1e-9


class UMicro(Storable, OneByOne, ClusterMixin, BaseEstimator):  # type: ignore[misc]
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
    method : {"UKMeans", "ErrorMixture", "ViewConsensus"}, default="UKMeans"
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
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the data had names.

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
    ...     centres = rng.choice([0.0, 9.0], size=(50, 1))
    ...     piece = ic.from_gaussian(centres + rng.normal(size=(50, 1)), std=0.3)
    ...     stream = stream.partial_fit(piece)
    >>> stream.n_seen_, stream.predict([[0.5], [8.0]]).tolist() in ([0, 1], [1, 0])
    (500, True)
    """

    n_seen_: int
    time_: float
    _numbers: dict[int, int]  # of clusters, by the ids of micro-clusters

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": WHOLE,
        "n_micro_clusters": WHOLE,
        "factor": POSITIVE,
        "half_life": [*POSITIVE, None],
        "snapshot_every": [*POSITIVE, None],
        "method": [StrOptions(set(METHODS))],
        "random_state": SEED,
    }

    _stored: ClassVar[dict[str, str]] = {
        "n_seen_": "",
        "time_": "",
        "labels_": "i n",
        "snapshots_": "",
        "feature_names_in_": "a d",
        "n_features_in_": "",
        "_room": "",
        "_origin": "",
        "_first": "",
        "_became": "",
        "_numbers": "",
        "_tick": "",
    }

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        n_micro_clusters: int = 100,
        factor: float = 2.0,
        half_life: float | None = None,
        snapshot_every: float | None = None,
        method: str = "UKMeans",
        random_state: Seed = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_micro_clusters = n_micro_clusters
        self.factor = factor
        self.half_life = half_life
        self.snapshot_every = snapshot_every
        self.method = method
        self.random_state = random_state

    def fit(self, X: Any, y: None = None) -> Self:
        """Take all objects of `X`, as if they were the stream.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The objects, in the order in which they came.
        y : None
            Not used; present for pipelines.

        Returns
        -------
        self
        """
        for name in [n for n in vars(self) if n.endswith("_") or n == "_room"]:
            delattr(self, name)
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: None = None, *, times: Any = None) -> Self:
        """Take the next objects of the stream.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The next objects, in the order in which they came.
        y : None
            Not used; present for pipelines.
        times : array-like of shape (n_objects,), optional
            When they came, never before the ones that came before. By default one unit
            of time after the other.

        Returns
        -------
        self
        """
        first = not hasattr(self, "_room")
        if first:
            self._validate_params()
        data = objects_of(self, X, reset=first)
        if first:
            self._begin(data.n_features)
        values, variances = data.mean(), data.variance()
        when = checked_times(times, len(data), None if first else self.time_)
        if first:
            self._first = self._origin = float(when[0])
        every, half_life = self.snapshot_every, self.half_life
        for part in pieces(when, self._first, every, half_life):
            self._take(values[part], variances[part], when[part])
        self.n_seen_ += len(data)
        self.__dict__.pop("macro_labels_", None)
        self.labels_ = self._nearest(values, variances)
        ids = self.micro_clusters_.id.tolist()
        self._numbers = dict(zip(ids, self.macro_labels_.tolist(), strict=True))
        return self

    def predict(self, X: Any) -> Indices:
        """Cluster of objects: the nearest, or that of the nearest micro-cluster.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            Objects with the features of the stream.

        Returns
        -------
        ndarray of shape (n_objects,)
        """
        check_is_fitted(self, "n_seen_")
        data = objects_of(self, X, reset=False)
        return self._nearest(data.mean(), data.variance())

    def macro_clusters(
        self, n_clusters: int | None = None, method: str | None = None
    ) -> Indices:
        """Cluster of each micro-cluster, for another number of clusters or method.

        Parameters
        ----------
        n_clusters : int, optional
            Number of clusters; that of the parameters by default.
        method : {"UKMeans", "ErrorMixture", "ViewConsensus"}, optional
            What clusters them; that of the parameters by default.

        Returns
        -------
        ndarray of shape (n_micro,)
            In the order of `micro_clusters_`.
        """
        check_is_fitted(self, "n_seen_")
        sketch = self.micro_clusters_
        k = self.n_clusters if n_clusters is None else n_clusters
        return asked_labels(
            sketch, k, method or self.method, as_seed(self.random_state)
        )

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
            With the micro-clusters of those objects. What was dropped in the meantime
            is not in it.
        """
        check_is_fitted(self, "n_seen_")
        if self.snapshot_every is None:
            msg = (
                "between() needs states that were kept; set snapshot_every before the "
                "stream begins."
            )
            raise ValueError(msg)
        early, last = stretch(self.snapshots_, start, end, self.time_)
        sketch = self.micro_clusters_ if last is None else last.sketch
        time = self.time_ if last is None else last.time
        if early is not None:
            before = early.sketch.older(self._left(time - early.time))
            sketch = since(sketch, before, self._became)
        if sketch.n == 0:
            msg = (
                f"Nothing is known of {start=}, {end=}; take a longer stretch of time."
            )
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

    @property
    def micro_clusters_(self) -> Sketch:
        """The micro-clusters, with weights as of the last object."""
        check_is_fitted(self, "n_seen_")
        there = self._room.sketch.only(np.arange(self._room.n))
        return there.older(self._left(self.time_ - self._origin))

    @cached_property
    def macro_labels_(self) -> Indices:
        """Cluster of each micro-cluster; found when it is asked for."""
        return as_before(self.macro_clusters(), self.micro_clusters_, self._numbers)

    def _begin(self, n_features: int) -> None:
        self._room = Room(empty(n_features, self.n_micro_clusters), 0, 0)
        self.n_seen_, self._tick = 0, 0
        self.snapshots_: list[Snapshot] = []
        self._became: dict[int, int] = {}
        self._numbers = {}

    def _left(self, age: float) -> float:
        """What is left of the weight of an object after some time."""
        return 1.0 if self.half_life is None else float(2.0 ** (-age / self.half_life))

    def _take(self, values: Array, variances: Array, when: Array) -> None:
        if self.snapshot_every is not None:
            due = ticks(when[0], self._first, self.snapshot_every)
            self._keep_snapshot(int(due))
        rate = 0.0
        if self.half_life is not None:
            rate = 1.0 / self.half_life
            self._age(float(when[0]))
        rule = Rule(self.factor, rate)
        ages = when - self._origin
        self._room, joined = absorb(self._room, values, variances, ages, when, rule)
        if self.snapshots_:  # which name micro-clusters that are now others
            self._became.update(joined.tolist())
        self.time_ = float(when[-1])

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

    def _age(self, time: float) -> None:
        """Let weights be as of now, and forget what has none."""
        sketch, n, next_id = self._room
        aged = sketch.only(np.arange(n)).older(self._left(time - self._origin))
        aged = aged.only(np.flatnonzero(aged.weight > FORGOTTEN))
        room = empty(self.n_features_in_, self.n_micro_clusters)
        for target, source in zip(room, aged, strict=True):
            target[: aged.n] = source
        self._room, self._origin = Room(room, aged.n, next_id), time

    def _nearest(self, values: Array, variances: Array) -> Indices:
        sketch, labels = self.micro_clusters_, self.macro_labels_
        if self.method == "UKMeans":  # whose clusters are where their centre is nearest
            k = int(labels.max()) + 1
            sketch, labels = grouped(sketch, labels, k), np.arange(k)
        out = np.empty(len(values), dtype=np.intp)
        for part in blocks(len(values), 8 * sketch.n):
            apart = sketch.squared_distances(values[part], variances[part])
            out[part] = labels[apart.argmin(axis=1)]
        return out

    def _check_stored(self) -> None:
        if not isinstance(self._room, Room) or self._room.n > self._room.sketch.n:
            wrong("what should be micro-clusters is something else")
        if self._room.sketch.n_features != self.n_features_in_:
            wrong("micro-clusters have other features")
        there = self._numbers.values() if isinstance(self._numbers, dict) else [None]
        if not all(isinstance(number, int) for number in there):
            wrong("what should be numbers of clusters is something else")
