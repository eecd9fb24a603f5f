"""ErrorDiscriminant: discriminant analysis that accounts for measurement errors."""

from collections.abc import Sequence
from dataclasses import KW_ONLY
from typing import Any, ClassVar

import numpy as np

from incerta.backend.parameters import (
    NOT_NEGATIVE,
    SEED,
    WHOLE,
    StrOptions,
    parameter,
    with_parameters,
)
from incerta.classifiers._base import STORED, UncertainClassifier
from incerta.data.container import UncertainData
from incerta.mixture.expectation import log_densities
from incerta.mixture.fitting import Effort, FittedMixture, Search, refuse_wide
from incerta.mixture.model import Components, measured
from incerta.mixture.pieces import fitted_to
from incerta.models.checks import within, wrong
from incerta.models.files import Storable
from incerta.typing import Array, Indices, Seed


@with_parameters
class ErrorDiscriminant(Storable, UncertainClassifier):
    """Discriminant analysis that accounts for the measurement error of each value.

    The true values of each class are modeled by a Gaussian or a mixture of Gaussians,
    with the errors removed. Predictions use the error of the new object: the larger it
    is, the closer the probabilities are to the priors. Without errors and with one
    component it is quadratic discriminant analysis. Missing values need no imputation.

    Use it for values with error bars or replicates if each class consists of one or a
    few ellipses. For other shapes, use `WorldsClassifier` with a classifier of
    scikit-learn. The cost is linear in the number of objects, as for `ErrorMixture`.

    Parameters
    ----------
    n_components : int or "auto", default=1
        Number of Gaussians in each class. "auto" takes the number with the lowest BIC,
        class by class.
    covariance_type : {"auto", "full", "diag"}, default="auto"
        Whether Gaussians have a full covariance matrix or independent features. "auto"
        takes the one with the lower BIC, class by class.
    max_components : int, default=5
        Largest number of components that "auto" tries.
    priors : array-like of shape (n_classes,), optional
        Probabilities of the classes, in the order of `classes_`. By default their
        shares in the fit.
    prior_weight : float, default=0.1
        Strength of the prior on the covariances, in objects. The prior has independent
        features with the variance of the class minus that of the errors.
    n_init : int, default=8
        Number of starts if there is more than one component.
    tol : float, default=1e-6
        Gain in the mean log-likelihood below which the fit stops.
    max_iter : int, default=500
        Maximum number of rounds.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the starts.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes, sorted.
    priors_ : ndarray of shape (n_classes,)
        Probabilities of the classes.
    weights_ : ndarray of shape (n_components,)
        Weight of each component; they sum to 1 over all classes.
    means_ : ndarray of shape (n_components, n_features)
        Means of the components.
    covariances_ : ndarray of shape (n_components, n_features, n_features)
        Covariances of the components, without the errors.
    class_of_component_ : ndarray of shape (n_components,)
        Number of the class of each component.
    n_iter_ : int
        Largest number of rounds of a class.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Notes
    -----
    Each class is fitted like an `ErrorMixture`. The total cost is that of one mixture
    with the components of all classes.

    Examples
    --------
    >>> import incerta as ic
    >>> values = [[0.0], [0.4], [0.2], [3.0], [3.4], [2.9]]
    >>> data = ic.from_gaussian(values, std=0.1)
    >>> model = ic.ErrorDiscriminant().fit(data, ["dwarf"] * 3 + ["giant"] * 3)
    >>> new = ic.from_gaussian([[2.6], [2.6]], std=[[0.1], [9.0]])
    >>> model.predict(new), model.predict_proba(new).round(1)[:, 1]
    (array(['giant', 'giant'], dtype='<U5'), array([1. , 0.5]))
    """

    n_components: int | str = parameter([*WHOLE, StrOptions({"auto"})], default=1)
    _: KW_ONLY
    covariance_type: str = parameter(
        [StrOptions({"auto", "full", "diag"})], default="auto"
    )
    max_components: int = parameter(WHOLE, default=5)
    priors: Any = parameter(["array-like", None], default=None)
    prior_weight: float = parameter(NOT_NEGATIVE, default=Effort.prior_weight)
    n_init: int = parameter(WHOLE, default=Effort.n_init)
    tol: float = parameter(NOT_NEGATIVE, default=Effort.tol)
    max_iter: int = parameter(WHOLE, default=Effort.max_iter)
    random_state: Seed = parameter(SEED, default=0)

    _takes_missing = True
    _stored: ClassVar[dict[str, str]] = {
        **STORED,
        "priors_": "f c",
        "weights_": "f k",
        "means_": "f k d",
        "covariances_": "f k d d",
        "class_of_component_": "i k",
        "n_iter_": "",
    }

    def _fit(self, data: UncertainData, codes: Indices) -> None:
        # Stored covariances are full, whatever covariance_type is.
        refuse_wide(data.n_features, "full")
        self.priors_ = self._frequencies(codes)
        mixtures = [
            self._of_class(data[np.flatnonzero(codes == c)])
            for c in range(len(self.classes_))
        ]
        each = [mixture.components.as_kind("full") for mixture in mixtures]
        sizes = [components.n_components for components in each]
        self.class_of_component_ = np.repeat(np.arange(len(each)), sizes)
        shares = np.concatenate([components.weights for components in each])
        self.weights_ = shares * self.priors_[self.class_of_component_]
        self.means_ = np.concatenate([components.means for components in each])
        covariances = [components.covariances for components in each]
        self.covariances_ = np.concatenate(covariances)
        self.n_iter_ = max(len(mixture.objective) for mixture in mixtures)

    def _frequencies(self, codes: Indices) -> Array:
        n_classes = len(self.classes_)
        if self.priors is None:
            return np.bincount(codes, minlength=n_classes) / len(codes)
        given = np.asarray(self.priors, dtype=np.float64)
        total = given.sum()
        if given.shape != (n_classes,) or not (given >= 0.0).all() or not total > 0.0:
            msg = (
                f"priors={self.priors!r} must have one number for each of the "
                f"{n_classes} classes, none below 0, and not all 0."
            )
            raise ValueError(msg)
        return given / total

    def _of_class(self, data: UncertainData) -> FittedMixture:
        """Fit a mixture to the true values of one class."""
        numbers: Sequence[int]
        if isinstance(self.n_components, str):
            numbers = range(1, min(self.max_components, len(data)) + 1)
        else:
            numbers = [min(self.n_components, len(data))]
        kinds = (
            ("diag", "full")
            if self.covariance_type == "auto"
            else (self.covariance_type,)
        )
        search = Search(
            numbers=numbers,
            covariances=kinds,
            seed=self.seed_,
            effort=Effort.of(self),
        )
        return fitted_to(data, search)

    def _proba(self, data: UncertainData) -> Array:
        logs = log_densities(measured(data), self._components()).shares
        of_class = np.eye(len(self.classes_))[self.class_of_component_]
        return np.exp(logs).T @ of_class

    def _components(self) -> Components:
        full = Components(self.weights_, self.means_, self.covariances_)
        alone = np.einsum("kii->ki", self.covariances_)
        off = self.covariances_ - alone[:, :, None] * np.eye(self.n_features_in_)
        return full if off.any() else full.as_kind("diag")

    def _check_stored(self) -> None:
        if self.class_of_component_.shape != self.weights_.shape:
            wrong("components do not belong to a class")
        within(self.class_of_component_, len(self.classes_), "class_of_component_")
        if (self.weights_ < 0).any() or not np.isclose(self.weights_.sum(), 1.0):
            wrong("weights do not add up to 1")
