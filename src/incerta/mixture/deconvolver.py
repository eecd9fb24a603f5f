"""`Deconvolver`: from measured values with errors to what is known of the truth."""

from __future__ import annotations

from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from incerta.backend.parameters import (
    NOT_NEGATIVE,
    SEED,
    WHOLE,
    StrOptions,
    parameter,
    with_parameters,
)
from incerta.data.coerce import is_plain_table, objects_of, uncertain_stays
from incerta.data.container import UncertainData, sorted_by_id
from incerta.data.laws import Gaussian, Independent, Law, Mixtures
from incerta.data.meaning import of_errors
from incerta.data.projections import projected
from incerta.data.reliability import reliability
from incerta.exceptions import MissingValueError
from incerta.mixture.expectation import Belief, belief
from incerta.mixture.fitting import Effort, Search, refuse_wide
from incerta.mixture.model import (
    MOST_CORRELATED,
    Components,
    check_covariances,
    measured,
)
from incerta.mixture.pieces import fitted_to
from incerta.models.checks import whole, wrong
from incerta.models.files import Storable
from incerta.typing import Seed
from incerta.worlds.streams import as_seed

# Priors of more components are not looked for.
MOST_COMPONENTS = 10


@uncertain_stays
@with_parameters
class Deconvolver(Storable, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn measured values with errors into beliefs about the true values.

    A measured value contains an error already; a world drawn around it would add a
    second one. This finds out what the true values of all objects are like: a Gaussian,
    or a mixture of Gaussians, that the errors have blurred. Then it says for each
    object what its true value probably is: near the measured one if that is good, near
    the others if it is not. Worlds of the result have the covariance of the truth.

    Use it before methods that draw worlds or compare laws; `cluster` does so by
    itself. `ErrorMixture` needs no such step.

    Parameters
    ----------
    prior : {"gaussian", "mixture"} or int, default="gaussian"
        What the truth is like: one Gaussian, a mixture with as many components as BIC
        finds best, or with this number of them.
    covariance_type : {"auto", "full", "diag", "tied"}, default="auto"
        Whether components have covariances of their own, variances of their own, or
        share one covariance. "auto" takes the first where there are more objects than
        features, and at most 200 features; else the second.
    prior_weight : float, default=0.1
        How many objects' worth covariances are drawn towards independent features with
        the variance of the values less that of the errors.
    n_init : int, default=8
        Starts of a mixture; the best one is followed.
    tol : float, default=1e-6
        Gain of the mean log-likelihood at which rounds end.
    max_iter : int, default=500
        Maximum number of rounds.
    random_state : int, RandomState, Generator or None, default=0
        Of the starts of a mixture.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Share of each component of the prior.
    means_ : ndarray of shape (n_components, n_features)
        Their means.
    covariances_ : ndarray of shape (n_components, n_features, n_features)
        Their covariances; above 200 features variances, of shape (n_components,
        n_features).
    covariance_type_ : {"full", "diag", "tied"}
        Which sort of covariances they have.
    reliability_ : ndarray of shape (n_features,)
        Share of the observed variance of each feature that is not error.
    n_iter_ : int
        Number of rounds.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The model is extreme deconvolution [1]_: ``w = x + e`` with x from the mixture and
    e of known covariance, or ``w = R x + e`` (``projection=`` in `from_gaussian`). A
    missing value has an infinite error. Errors that are not Gaussian count by their
    mean and covariance. A round takes some ``d**3`` operations for each object and
    component. Data whose meaning is not "error" come back as they are, and so do
    objects without errors, bit for bit.

    References
    ----------
    .. [1] J. Bovy, D. W. Hogg, S. T. Roweis, "Extreme deconvolution: inferring complete
       distribution functions from noisy, heterogeneous and incomplete observations",
       Ann. Appl. Stat. 5, 2011.

    Examples
    --------
    >>> import incerta as ic
    >>> values, std = [[0.0], [3.0], [6.0], [30.0]], [[1], [1], [1], [50]]
    >>> data = ic.from_gaussian(values, std=std)
    >>> belief = ic.Deconvolver().fit_transform(data)
    >>> belief.meaning, belief.mean().ravel().round(1)
    ('belief', array([0.5, 3. , 5.5, 3.1]))
    """

    prior: str | int = parameter(
        [StrOptions({"gaussian", "mixture"}), *WHOLE], default="gaussian"
    )
    _: KW_ONLY
    covariance_type: str = parameter(
        [StrOptions({"auto", "full", "diag", "tied"})], default="auto"
    )
    prior_weight: float = parameter(NOT_NEGATIVE, default=Effort.prior_weight)
    n_init: int = parameter(WHOLE, default=Effort.n_init)
    tol: float = parameter(NOT_NEGATIVE, default=Effort.tol)
    max_iter: int = parameter(WHOLE, default=Effort.max_iter)
    random_state: Seed = parameter(SEED, default=0)

    _takes_missing: ClassVar[bool] = True
    _stored: ClassVar[dict[str, str]] = {
        "weights_": "f k",
        "means_": "f k d",
        "covariance_type_": "",
        "covariances_": "",
        "reliability_": "f d",
        "feature_names_in_": "a d",
        "n_features_in_": "",
        "n_iter_": "",
    }

    def fit(self, X: Any, y: None = None) -> Self:
        """Find out what the true values are like.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The objects, with their errors.
        y : None
            Not used; here for pipelines.
        """
        self._validate_params()
        data = sorted_by_id(self._objects(X, reset=True))
        most = {"gaussian": 1, "mixture": MOST_COMPONENTS}
        numbers = (
            range(1, most[self.prior] + 1)
            if isinstance(self.prior, str)
            else [self.prior]
        )
        d = data.n_features
        self.covariance_type_ = self.covariance_type
        if self.covariance_type == "auto":
            full = d < len(data) and d <= MOST_CORRELATED
            self.covariance_type_ = "full" if full else "diag"
        refuse_wide(d, self.covariance_type_)
        search = Search(
            numbers=numbers,
            covariances=(self.covariance_type_,),
            seed=as_seed(self.random_state),
            effort=Effort.of(self),
        )
        found = fitted_to(data, search)
        self.n_iter_, components = len(found.objective), found.components
        self.weights_, self.means_ = components.weights, components.means
        self.covariances_ = components.published
        self.reliability_ = reliability(data).features
        return self

    def transform(self, X: Any) -> Any:
        """What is known about the true values of objects, of the fit or new ones.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The objects, with their errors.

        Returns
        -------
        UncertainData
            With the meaning "belief". Data that have no errors, or mean something else
            by their uncertainty, come back as they are; a plain 2-D array as an array.
        """
        check_is_fitted(self)
        data = self._objects(X, reset=False)
        found = believed(data, self._components())
        return found.mean() if is_plain_table(X) else found

    def _objects(self, X: Any, *, reset: bool) -> UncertainData:
        """The objects; no plain table with gaps: beliefs are not an array."""
        data = objects_of(self, X, reset=reset)
        if is_plain_table(X) and not data.exact:
            msg = (
                "X is a table without errors and has missing values (NaN). Say how "
                "good the other values are: ic.from_gaussian(X, std=..., "
                "missing='infinite'), with std=0.0 if they are exact."
            )
            raise MissingValueError(msg)
        return data

    def _check_stored(self) -> None:
        whole(getattr(self, "n_iter_", 1), 1, "n_iter_")
        if self.covariance_type_ not in ("full", "diag", "tied"):
            wrong(f"covariance_type_={self.covariance_type_!r} is unknown")
        check_covariances(self.covariances_, self.means_, self.covariance_type_)
        if not np.allclose(self.weights_.sum(), 1.0):
            wrong("weights do not add up to 1")

    def _components(self) -> Components:
        found = Components(self.weights_, self.means_, self.covariances_)
        return found.as_kind(self.covariance_type_)


def located(data: UncertainData) -> UncertainData:
    """Objects where pictures show them: as believed, if measured in projection."""
    if projected(data.law) is None:
        return data
    found: UncertainData = Deconvolver().fit_transform(data)
    return found


def believed(data: UncertainData, components: Components) -> UncertainData:
    """What is known about the true values of objects, if they are of this law."""
    if not of_errors(data):
        return data
    found = belief(measured(data), components)
    return replace(data, law=law_of(found), meaning="belief")


def law_of(found: Belief) -> Law:
    """A law for beliefs: a plain one where there is a single component."""
    if found.shares.shape[1] > 1:
        n, k, d = found.centers.shape
        if found.covariances.ndim == 3:
            factor = np.sqrt(found.covariances)
        else:
            centers = found.centers.reshape(n * k, d)
            flat = found.covariances.reshape(n * k, d, d)
            factor = Gaussian.with_covariance(centers, flat).factor.reshape(n, k, d, d)
        return Mixtures(found.shares, found.centers, factor)
    centers = found.centers[:, 0]
    if found.covariances.ndim == 3:
        return Independent("gaussian", centers, np.sqrt(found.covariances[:, 0]))
    return Gaussian.with_covariance(centers, found.covariances[:, 0])
