"""The base class of all estimators."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_is_fitted

from incerta.backend.device import CPU, check_device
from incerta.backend.parameters import StrOptions
from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData, at_their_rows, first_equals, order_of
from incerta.data.partitioned import PartitionedData
from incerta.exceptions import IncertaWarning
from incerta.known import known_labels, partial
from incerta.labels import confidence_of, likeliest, mean_of_equals
from incerta.models.checks import wrong
from incerta.models.files import Storable
from incerta.selection.keeping import DIVERGENCES, SELECTIONS, Kept, keep_worlds
from incerta.typing import Array, Indices, Seed
from incerta.views.consensus import View
from incerta.wording import counted, verb
from incerta.worlds.streams import as_seed


class Alternative(NamedTuple):
    """A possible clustering and its probability."""

    world: int  # number of the world that it comes from
    probability: float
    labels: Indices


class Reachability(NamedTuple):
    """The reachability distances of the objects, and their order."""

    reachability: Array
    ordering: Indices
    cut: float | None


@dataclass(frozen=True, kw_only=True)
class Facts:
    """Results of a fit for reports and pictures; None or empty where not available."""

    objective: list[float] | None = None  # after each step
    labels_per_world: Indices | None = None  # (n_worlds, n_objects)
    n_drawn: int | None = None  # number of worlds drawn
    kept: Indices | None = None  # positions of the kept worlds; None if all are
    divergences: Array | None = None  # between all worlds
    stability: float | None = None  # mean adjusted Rand index of two worlds
    failures: dict[int, str] = field(default_factory=dict)
    alternatives: tuple[Alternative, ...] = ()
    reachability: Reachability | None = None
    views: Mapping[str, View] = field(default_factory=dict)


T = TypeVar("T", bound=np.generic)
# Parameters of estimators that cluster worlds and may keep only some of them.
SELECTION: list[Any] = [StrOptions(set(SELECTIONS))]
DIVERGENCE: list[Any] = [StrOptions(set(DIVERGENCES)), callable]


class UncertainClusterer(
    Storable,
    ClusterMixin,  # type: ignore[misc]
    BaseEstimator,  # type: ignore[misc]
    ABC,
    family=True,
):
    """Base class of the clusterers of uncertain data.

    A subclass defines how clusters are found (`_fit`) and the probability of each of
    them for new objects (`_proba`). `_fit` sets ``labels_``. It also sets
    ``membership_``, unless `_membership` computes it on first access. Predictions use
    public attributes and one object, ``_model``.

    `_stored` lists what a model file holds besides the parameters: public attributes
    and ``_model``, with the type and shape of arrays.

    A fit does not depend on the order of the rows: `_fit` gets the objects in the order
    of their ids. Public attributes are then put into the order of the rows, according
    to their shapes. ``_model`` keeps the order of the ids, and attributes computed
    later go through `_at_rows`.
    """

    random_state: Seed
    seed_: int
    labels_: Indices
    cluster_sizes_: Indices
    _model: Any
    # Positions of the objects in the order of their ids; None if that is their order.
    _order: Indices | None = None

    # Whether the fit finds the number of clusters by default.
    _finds_number: ClassVar[bool] = False
    # Whether it models measurement errors; others take the distributions as given.
    _knows_errors: ClassVar[bool] = False
    # Name of the parameter for the number of clusters.
    _number_parameter: ClassVar[str] = "n_clusters"
    # Whether `fit` uses the labels of some objects.
    _takes_labels: ClassVar[bool] = False
    # Whether `fit` accepts kept worlds instead of data.
    _takes_kept: ClassVar[bool] = False
    # Whether values may be missing.
    _takes_missing: ClassVar[bool] = False
    # Whether data may be in partitions.
    _takes_partitions: ClassVar[bool] = False
    _stored_by_all: ClassVar[dict[str, str]] = {
        "labels_": "i n",
        "membership_": "f n k",
        "confidence_": "f n",
        "labels_per_world_": "i w n",
        "feature_names_in_": "a d",
        "n_features_in_": "",
        "seed_": "",
        "_order": "o n",
    }

    def __sklearn_tags__(self) -> Any:
        """Return the tags that scikit-learn's tools use."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the clusters of `X`.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The objects. A plain 2-D array holds objects without uncertainty. Methods
            that cluster worlds also accept the output of
            `incerta.selection.keep_worlds`.
        y : array-like of shape (n_objects,), optional
            Labels of some objects: numbers of clusters from 0, and −1 where unknown.
            Only `ErrorMixture` and `AutoClusterer` use them. A `y` without any −1 is
            ignored, because scikit-learn passes true classes for scoring in this way.
        """
        self._validate_params()
        check_device(getattr(self, "device", CPU))
        self._forget()
        objects = self._objects(X)
        self.seed_ = as_seed(self.random_state)
        self._order = None
        labeled = self._told(objects, y)
        if isinstance(objects, UncertainData | Kept):
            self._order = order_of(_data_of(objects).ids)
        if self._order is None:
            self._fit(objects, **labeled)
        else:
            labeled = {name: labels[self._order] for name, labels in labeled.items()}
            self._fit(_taken(objects, self._order), **labeled)
            for name, shape in self._fields().items():
                if name in vars(self) and name not in ("_order", "_model"):
                    found = getattr(self, name)
                    setattr(self, name, _rearranged(found, shape, self._order))
        if isinstance(objects, UncertainData) and not labeled:
            self._unite_equals(objects)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Indices:
        """Find the clusters of `X`, and return `labels_`."""
        return self.fit(X, y).labels_

    def predict(self, X: Any) -> Indices:
        """Return the most probable cluster of each new object; −1 is noise.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit, independent of the objects of the
            fit unless both are joint.
        """
        return self._predict(self._new_objects(X))

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each cluster for new objects, as for `predict`.

        Returns
        -------
        ndarray of shape (n_new, n_clusters)
            Columns are in the order of the labels. A row sums to 1 minus the
            probability of noise.
        """
        return self._proba(self._new_objects(X))

    def _facts(self) -> Facts:
        """Return the results of the fit beyond labels and membership; see `Facts`."""
        worlds = getattr(self, "labels_per_world_", None)
        n_drawn = None if worlds is None else len(worlds)
        return Facts(
            objective=getattr(self, "objective_", None),
            labels_per_world=worlds,
            n_drawn=getattr(self, "n_drawn_", n_drawn),
            kept=getattr(self, "representatives_", None),
            divergences=getattr(self, "divergences_", None),
            stability=getattr(self, "stability_", None),
            failures=getattr(self, "failures_", {}),
            views=getattr(self, "views_", {}),
        )

    @cached_property
    def membership_(self) -> Array:
        """Probability of each cluster for each object of the fit."""
        check_is_fitted(self)
        return self._membership()

    @cached_property
    def confidence_(self) -> Array:
        """Probability of the label of each object, noise included."""
        check_is_fitted(self)
        return confidence_of(self.labels_, self.membership_)

    @abstractmethod
    def _fit(self, objects: Any) -> None:
        """Find the clusters, and set the attributes of the fit."""

    @abstractmethod
    def _proba(self, data: UncertainData) -> Array:
        """Return the probability of each cluster for new objects."""

    def _membership(self) -> Array:
        """Compute the membership of the objects, if the fit did not set it."""
        raise NotImplementedError

    def _at_rows(self, array: NDArray[T], axis: int = 0) -> NDArray[T]:
        """Reorder an array from the order of the ids to the order of the rows."""
        if self._order is None:
            return array
        return np.take(array, at_their_rows(self._order), axis=axis)

    def _predict(self, data: UncertainData) -> Indices:
        """Return the most probable cluster of each object; some methods override it."""
        return likeliest(self._proba(data))

    def _unite_equals(self, objects: UncertainData) -> None:
        """Average the membership of equal objects, and warn if too few differ."""
        if self._order is None:
            first = first_equals(objects)
        else:  # the order of the rows must not matter
            first = self._at_rows(self._order[first_equals(objects[self._order])])
        k, n_different = self._number_asked(), len(np.unique(first))
        if n_different < k:
            msg = (
                f"{self._number_parameter}={k}, but only {n_different} of the "
                f"{counted(len(first), 'object')} {verb(n_different, 'is', 'are')} "
                "distinct; there cannot be more clusters."
            )
            warnings.warn(msg, IncertaWarning, stacklevel=3)
        if n_different == len(first):
            return
        follows = np.array_equal(self.labels_, likeliest(self.membership_))
        self.membership_ = mean_of_equals(self.membership_, first)
        if follows:
            self.labels_ = likeliest(self.membership_)
        else:
            self.labels_ = self.labels_[first]
        if "cluster_sizes_" in vars(self):
            sizes = np.bincount(self.labels_, minlength=len(self.cluster_sizes_))
            self.cluster_sizes_ = sizes

    def _number_asked(self) -> int:
        """Return the requested number of clusters; 1 if the fit finds it."""
        k = getattr(self, self._number_parameter, 1)
        return int(k) if isinstance(k, (int, np.integer)) else 1

    def _forget(self) -> None:
        """Delete all attributes of an earlier fit."""
        for name in [n for n in vars(self) if n.endswith("_") or n == "_model"]:
            delattr(self, name)

    def _objects(self, X: Any) -> Any:
        """Check the objects of a fit against the parameters."""
        if self._takes_partitions and isinstance(X, PartitionedData):
            self._check_partitions(X, reset=True)
            return X
        kept = isinstance(X, Kept)
        if kept and not self._takes_kept:
            msg = f"X holds kept worlds, which {type(self).__name__} cannot use; pass "
            raise TypeError(msg + "X.data.")
        data = objects_of(self, _data_of(X))
        self._check_number(len(data))
        return X if kept else data

    def _new_objects(self, X: Any) -> Any:
        check_is_fitted(self)
        if self._takes_partitions and isinstance(X, PartitionedData):
            self._check_partitions(X, reset=False)
            return X
        return objects_of(self, X, reset=False)

    def _told(self, objects: Any, y: Any) -> dict[str, Indices]:
        """Return the labels of some objects as an argument of `_fit`."""
        if not self._takes_labels or y is None:
            return {}
        if isinstance(objects, PartitionedData):
            if not partial(y):
                return {}
            msg = (
                "y has one label for each object, but X is in partitions, which have "
                "no common order; pass X.gather(), or leave y out."
            )
            raise TypeError(msg)
        known = known_labels(y, len(objects), *self._most_clusters())
        return {} if known is None else {"known": known}

    def _most_clusters(self) -> tuple[int, str]:
        """Return the largest number of clusters, and the parameter that sets it."""
        return getattr(self, self._number_parameter), self._number_parameter

    def _check_partitions(self, data: PartitionedData, *, reset: bool) -> None:
        """Check the features of partitioned data."""
        objects_of(self, data.example(), reset=reset)

    def _check_number(self, n_objects: int) -> None:
        name, k = self._number_parameter, self._number_asked()
        if k > n_objects:
            msg = (
                f"{name}={k} exceeds the number of objects, "
                f"n_samples={n_objects}; lower {name}."
            )
            raise ValueError(msg)


def _data_of(objects: Any) -> Any:
    return objects.data if isinstance(objects, Kept) else objects


def _taken(objects: UncertainData | Kept, order: Indices) -> UncertainData | Kept:
    if isinstance(objects, Kept):
        return replace(objects, drawn=objects.drawn.only(order))
    return objects[order]


def _rearranged(value: Any, shape: str, order: Indices) -> Any:
    """Reorder an attribute from the order of the ids to the order of the rows."""
    rows = at_their_rows(order)
    if issparse(value):
        pairs: Any = value
        return pairs[rows][:, rows]
    if value is None or not shape:
        return value
    kind, *letters = shape.split()
    if kind in "os":  # −1 stands for no object
        value = np.where(value < 0, value, order[value])
    if kind == "s":
        value = np.sort(value)
    for axis, letter in enumerate(letters):
        if letter == "n":
            value = np.take(value, rows, axis=axis)
    return value


def kept_worlds(estimator: Any, objects: Any, n_clusters: int = 3) -> Kept:
    """Return the worlds passed to an estimator, or draw and select them."""
    if isinstance(objects, Kept):
        return objects
    return keep_worlds(
        objects,
        estimator.n_worlds,
        estimator.n_representatives,
        selection=estimator.selection,
        divergence=estimator.divergence,
        n_clusters=n_clusters,
        n_jobs=getattr(estimator, "n_jobs", None),
        device=getattr(estimator, "device", "cpu"),
        random_state=estimator.seed_,
    )


def check_fitted_to(model: Any, data: Any, n_features: int | None = None) -> None:
    """Refuse a model from a file that was not fitted to these data.

    `n_features` is the number of features of the fit if the data were projected.
    """
    if (
        not isinstance(data, UncertainData)
        or (n_features or data.n_features) != model.n_features_in_
        or len(data) != len(model.labels_)
    ):
        wrong("the data are not those of the model")


def check_model(model: Any, cls: Any) -> None:
    """Refuse a model from a file whose ``_model`` has another class or other data."""
    if not isinstance(model._model, cls):
        wrong(f"the model holds no {cls.__name__}")
    check_fitted_to(model, model._model.worlds.data)
