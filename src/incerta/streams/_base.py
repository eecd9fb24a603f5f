"""The base classes of clusterers of streams."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import deepcopy
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted

from incerta.data.checks import as_feature_names
from incerta.data.coerce import objects_of
from incerta.data.construct import from_gaussian
from incerta.data.container import UncertainData
from incerta.exceptions import DataError
from incerta.models.checks import wrong
from incerta.models.files import Storable
from incerta.streams.absorbing import (
    Absorbed,
    Room,
    absorb,
    checked_times,
    without_the_forgotten,
)
from incerta.streams.macro import as_before, macro_labels, nearest_labels
from incerta.streams.sketch import Rule, Sketch, empty
from incerta.typing import Array, Indices, Seed
from incerta.worlds.streams import as_seed


class StreamClusterer(
    Storable,
    ClusterMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
    ABC,
    family=True,
):
    """Base class of clusterers that collect a stream of objects in micro-clusters.

    A subclass defines how the next objects are added (`_learn`), how micro-clusters are
    clustered (`macro_clusters`) and the clusters of new objects (`predict`).
    """

    n_clusters: int
    n_micro_clusters: int
    factor: float
    random_state: Seed
    n_seen_: int
    time_: float
    _room: Room
    _origin: float  # time at which weights were 1
    # None unless a subclass lets weights decay.
    half_life: float | None = None

    # River's pipelines ask whether `learn_one` takes a class as well.
    _supervised = False
    _fills: ClassVar[bool] = False  # see `Rule`
    _stored_by_all: ClassVar[dict[str, str]] = {
        "n_seen_": "",
        "time_": "",
        "feature_names_in_": "a d",
        "n_features_in_": "",
        "_room": "",
        "_origin": "",
    }

    def fit(self, X: Any, y: None = None) -> Self:
        """Add all objects of `X` to an empty stream.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The objects, in the order of arrival.
        y : None
            Not used; present for pipelines.
        """
        for name in [n for n in vars(self) if n.endswith("_") or n in self._fields()]:
            delattr(self, name)
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: None = None, *, times: Any = None) -> Self:
        """Add the next objects of the stream.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The next objects, in the order of arrival.
        y : None
            Not used; present for pipelines.
        times : array-like of shape (n_objects,), optional
            Times of arrival, which never decrease. By default one unit of time per
            object.
        """
        data, when = self._arrived(X, times)
        self._learn(data, when)
        return self

    def learn_one(self, x: Mapping[Any, Any], *, time: float | None = None) -> Self:
        """Add one object, as river's pipelines do.

        Parameters
        ----------
        x : mapping
            Value, or pair of value and error, by name of the feature. Names may come in
            any order.
        time : float, optional
            Time of arrival.
        """
        times = None if time is None else [time]
        taught: Self = self.partial_fit(self._one(x), times=times)
        return taught

    def predict_one(self, x: Mapping[Any, Any]) -> int:
        """Return the cluster of one object; 0 before the first, as river expects.

        Parameters
        ----------
        x : mapping
            As for `learn_one`.
        """
        data = self._one(x)
        return int(self.predict(data)[0]) if hasattr(self, "n_seen_") else 0

    def clone(
        self,
        new_params: Mapping[str, Any] | None = None,
        include_attributes: bool = False,
    ) -> Self:
        """Return a copy; without parameters it is scikit-learn's `clone`.

        Parameters
        ----------
        new_params : mapping, optional
            Values of parameters in the copy, by name.
        include_attributes : bool, default=False
            Whether to copy the state of the stream.
        """
        copied = deepcopy(self) if include_attributes else clone(self)
        changed: Self = copied.set_params(**(new_params or {}))
        return changed

    def _get_params(self) -> dict[str, Any]:
        """Return the parameters, for river."""
        params: dict[str, Any] = self.get_params()
        return params

    def _one(self, x: Mapping[Any, Any]) -> UncertainData:
        """Convert one object, with its features in the order of the stream."""
        if not x:
            msg = f"x={x!r} has no features; pass at least one name with a value."
            raise DataError(msg)
        named = {str(name): value for name, value in x.items()}
        unnamed = as_feature_names(None, getattr(self, "n_features_in_", 0))
        known = getattr(self, "feature_names_in_", unnamed)
        names = list(known if set(known) == named.keys() else named)
        pairs = [v if isinstance(v, tuple) else (v, 0.0) for v in map(named.get, names)]
        values, errors = zip(*pairs, strict=True)
        return from_gaussian([values], std=[errors], feature_names=names)

    @abstractmethod
    def predict(self, X: Any) -> Indices:
        """Return the cluster of each object."""

    @abstractmethod
    def macro_clusters(self, n_clusters: int | None = None) -> Indices:
        """Return the cluster of each micro-cluster."""

    @abstractmethod
    def _learn(self, data: UncertainData, when: Array) -> None:
        """Add the next objects, with their times of arrival."""

    @property
    def micro_clusters_(self) -> Sketch:
        """The micro-clusters, with weights as of the last object."""
        check_is_fitted(self, "time_")
        there = self._room.sketch.only(np.arange(self._room.n))
        return there.older(self._left(self.time_ - self._origin))

    def _arrived(self, X: Any, times: Any) -> tuple[UncertainData, Array]:
        """Check the next objects and their times; begin if they are the first."""
        first = not hasattr(self, "time_")
        if first:
            self._validate_params()
        data = objects_of(self, X, reset=first)
        when = checked_times(times, len(data), None if first else self.time_)
        if first:
            self._begin(data.n_features, float(when[0]))
        return data, when

    def _begin(self, n_features: int, time: float) -> None:
        self._room = Room(empty(n_features, self.n_micro_clusters), 0, 0)
        self.n_seen_, self._origin = 0, time

    @property
    def _rate(self) -> float:
        """Halvings per unit of time."""
        return 0.0 if self.half_life is None else 1.0 / self.half_life

    def _left(self, age: float) -> float:
        """Return the share of the weight of an object that is left at some age."""
        return float(2.0 ** (-age * self._rate))

    def _age(self, time: float) -> None:
        """Advance the weights to the given time, and forget what has no weight."""
        if self.half_life is not None:
            left = self._left(time - self._origin)
            self._room, self._origin = without_the_forgotten(self._room, left), time

    def _absorb(
        self,
        values: Array,
        variances: Array,
        when: Array,
        existence: Array | None = None,
    ) -> Absorbed:
        """Add objects to micro-clusters; weights are as of the first, or before."""
        rule = Rule(self.factor, self._rate, self._fills)
        ages = when - self._origin
        done = absorb(
            self._room, values, variances, ages, when, rule, existence=existence
        )
        self._room, self.time_ = done.room, float(when[-1])
        self.n_seen_ += len(values)
        self.__dict__.pop("macro_labels_", None)  # of earlier objects
        return done

    def _check_stored(self) -> None:
        if not isinstance(self._room, Room) or self._room.n > self._room.sketch.n:
            wrong("the micro-clusters are missing")
        if self._room.sketch.n_features != self.n_features_in_:
            wrong("micro-clusters have other features")


class ByMoments:
    """Methods of streams that cluster the moments of their micro-clusters."""

    method: str
    labels_: Indices
    _numbers: dict[int, int]  # of clusters, by ids of micro-clusters

    def predict(self: Any, X: Any) -> Indices:
        """Return the nearest cluster, or that of the nearest micro-cluster.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            Objects with the features of the stream.
        """
        check_is_fitted(self, "time_")
        return self._nearest(objects_of(self, X, reset=False))

    def macro_clusters(
        self: Any, n_clusters: int | None = None, method: str | None = None
    ) -> Indices:
        """Cluster the micro-clusters, by another number of clusters or method.

        Parameters
        ----------
        n_clusters : int, optional
            Number of clusters; by default the parameter of the stream.
        method : {"UKMeans", "ErrorMixture", "AutoClusterer"}, optional
            Clustering method; by default the parameter of the stream.
        """
        check_is_fitted(self, "time_")
        k = self.n_clusters if n_clusters is None else n_clusters
        how = method or self.method
        return macro_labels(self.micro_clusters_, k, how, as_seed(self.random_state))

    @cached_property
    def macro_labels_(self: Any) -> Indices:
        """Cluster of each micro-cluster; computed on first access."""
        return as_before(self.macro_clusters(), self.micro_clusters_, self._numbers)

    def _name(self: Any, data: UncertainData) -> None:
        """Label the latest objects, and store the numbers of clusters."""
        self.labels_ = self._nearest(data)
        ids = self.micro_clusters_.id.tolist()
        self._numbers = dict(zip(ids, self.macro_labels_.tolist(), strict=True))

    def _nearest(self: Any, data: UncertainData) -> Indices:
        known = self.micro_clusters_, self.macro_labels_, self.method
        return nearest_labels(*known, data.mean(), data.variance())

    def _begin(self, n_features: int, time: float) -> None:
        super()._begin(n_features, time)  # type: ignore[misc]
        self._numbers = {}

    def _check_stored(self) -> None:
        super()._check_stored()  # type: ignore[misc]
        there = self._numbers.values() if isinstance(self._numbers, dict) else [None]
        if not all(isinstance(number, int) for number in there):
            wrong("the numbers of clusters are missing")
