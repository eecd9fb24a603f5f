"""The base class of all classifiers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData, order_of
from incerta.mixture import Deconvolver
from incerta.typing import Array, Ids, Indices, Seed
from incerta.worlds.streams import as_seed

# Attributes of every classifier in a model file, with types and shapes.
STORED: dict[str, str] = {
    "classes_": "a c",
    "feature_names_in_": "a d",
    "n_features_in_": "",
    "seed_": "",
}


class UncertainClassifier(ClassifierMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """Base class of the classifiers of uncertain data.

    A subclass defines how it learns (`_fit`, with objects in the order of their ids and
    classes as numbers) and the probability of each class for new objects (`_proba`).
    """

    random_state: Seed
    seed_: int
    classes_: Ids

    # Whether values may be missing.
    _takes_missing: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        """Return the tags that scikit-learn's tools use."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_missing
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the classes of objects.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The objects. A plain 2-D array holds objects without uncertainty.
        y : array-like of shape (n_objects,)
            Classes of the objects: text or whole numbers.
        """
        self._validate_params()
        if y is None:
            msg = (
                f"{type(self).__name__} requires y to be passed, but the target y is "
                "None; pass the class of each object."
            )
            raise ValueError(msg)
        data = objects_of(self, X)
        y = column_or_1d(y, warn=True)
        check_array(y, ensure_2d=False, dtype=None, input_name="y")
        check_consistent_length(data.ids, y)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.seed_ = as_seed(getattr(self, "random_state", 0))
        order = order_of(data.ids)
        if order is not None:
            data, codes = data[order], codes[order]
        self._fit(data, codes)
        return self

    def predict_proba(self, X: Any) -> Array:
        """Return the probability of each class for new objects.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new, n_classes)
            Columns are in the order of `classes_`.
        """
        check_is_fitted(self)
        return self._proba(objects_of(self, X, reset=False))

    def predict(self, X: Any) -> Ids:
        """Return the most probable class of each new object.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            As for `predict_proba`.
        """
        likeliest = self.predict_proba(X).argmax(axis=1)
        return self.classes_[likeliest]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy: the share of objects with the right predicted class.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            As for `predict_proba`.
        y : array-like of shape (n_objects,)
            True classes.
        sample_weight : array-like of shape (n_objects,), optional
            Weight of each object.
        """
        return float(accuracy_score(y, self.predict(X), sample_weight=sample_weight))

    @abstractmethod
    def _fit(self, data: UncertainData, codes: Indices) -> None:
        """Learn from objects and the numbers of their classes."""

    @abstractmethod
    def _proba(self, data: UncertainData) -> Array:
        """Return the probability of each class for new objects."""


def believer_for(data: UncertainData) -> Deconvolver | None:
    """Fit a deconvolver if the data are measurements with errors, else return None.

    Worlds drawn around measured values would add a second error to each value.
    """
    return Deconvolver().fit(data) if data.meaning == "error" else None


def beliefs_about(believer: Deconvolver | None, data: UncertainData) -> UncertainData:
    """Return the data, deconvolved if there is a deconvolver."""
    return data if believer is None else believer.transform(data)
