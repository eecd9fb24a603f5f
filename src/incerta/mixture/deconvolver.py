"""`Deconvolver`: estimate true values from values measured with errors."""

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

# Largest number of components that prior="mixture" tries.
MOST_COMPONENTS = 10


@uncertain_stays
@with_parameters
class Deconvolver(Storable, OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turn values measured with errors into beliefs about the true values.

    A measured value already contains an error, so a world drawn around it would add a
    second one. This transformer models the true values of all objects as a Gaussian, or
    a mixture of Gaussians, blurred by the errors. It then estimates the true value of
    each object: close to the measured value if that is precise, and pulled towards the
    other objects if it is not. Worlds of the result have the covariance of the truth.

    Use it before methods that draw worlds or compare laws. `cluster` applies it
    automatically, and `ErrorMixture` does not need it.

    Parameters
    ----------
    prior : {"gaussian", "mixture"} or int, default="gaussian"
        Distribution of the true values: one Gaussian, a mixture whose number of
        components is chosen by BIC, or a mixture of the given number of components.
    covariance_type : {"auto", "full", "diag", "tied"}, default="auto"
        One covariance matrix per component ("full"), variances only ("diag"), or one
        covariance matrix shared by all components ("tied"). "auto" uses "full" with
        more objects than features and at most 200 features, and "diag" otherwise.
    prior_weight : float, default=0.1
        Strength of the prior on the covariances, in objects. The prior has independent
        features with the variance of the values minus that of the errors.
    n_init : int, default=8
        Number of starts of a mixture. The best one is kept.
    tol : float, default=1e-6
        Gain in the mean log-likelihood below which the fit stops.
    max_iter : int, default=500
        Maximum number of rounds.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the starts of a mixture.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
        Weight of each component of the prior.
    means_ : ndarray of shape (n_components, n_features)
        Mean of each component.
    covariances_ : ndarray of shape (n_components, n_features, n_features)
        Covariance of each component. With more than 200 features, the variances, of
        shape (n_components, n_features).
    covariance_type_ : {"full", "diag", "tied"}
        Covariance type used in the fit.
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
    missing value has an infinite error. Non-Gaussian errors are represented by their
    mean and covariance. A round takes about ``d**3`` operations per object and
    component. Data whose meaning is not "error" are returned unchanged, and so are
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
        """Fit the distribution of the true values.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            Objects with their errors.
        y : None
            Ignored; present for compatibility with pipelines.
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
        """Estimate the true values of the fitted objects or of new ones.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            Objects with their errors.

        Returns
        -------
        UncertainData
            Objects with the meaning "belief". Data without errors, or whose meaning is
            not "error", are returned unchanged. For a plain 2-D array, an array.
        """
        check_is_fitted(self)
        data = self._objects(X, reset=False)
        found = believed(data, self._components())
        return found.mean() if is_plain_table(X) else found

    def _objects(self, X: Any, *, reset: bool) -> UncertainData:
        """Return the objects; refuse a plain table with missing values."""
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
    """Return objects as plots show them: as beliefs if measured in projection."""
    if projected(data.law) is None:
        return data
    found: UncertainData = Deconvolver().fit_transform(data)
    return found


def believed(data: UncertainData, components: Components) -> UncertainData:
    """Return beliefs about the true values, given their distribution."""
    if not of_errors(data):
        return data
    found = belief(measured(data), components)
    return replace(data, law=law_of(found), meaning="belief")


def law_of(found: Belief) -> Law:
    """Return the law of beliefs: not a mixture if there is a single component."""
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
