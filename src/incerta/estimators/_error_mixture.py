"""ErrorMixture: a mixture of Gaussians that knows the error of every value."""

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from incerta.backend.parameters import NOT_NEGATIVE
from incerta.data.container import UncertainData
from incerta.estimators._base import SEED, WHOLE, StrOptions, UncertainClusterer
from incerta.estimators._facts import Facts
from incerta.labels import in_order_of_appearance, likeliest, with_empty_last
from incerta.mixture.expectation import log_densities
from incerta.mixture.fitting import Found, How, bic, by_number, fitted
from incerta.mixture.measured import measured
from incerta.mixture.merging import drawn, merged
from incerta.mixture.model import Components
from incerta.models.checks import within, wrong
from incerta.typing import Array, Indices, Seed
from incerta.worlds.streams import as_seed


class ErrorMixture(UncertainClusterer):
    """Cluster measured values by a mixture of Gaussians that knows their errors.

    The values are taken for what they are: true values that an error of known size was
    added to. The mixture describes the truth, so that clusters are as wide as they are
    and not as wide as their errors make them look, and a value that was measured badly
    counts for little. It takes missing values as they are, and a million objects.

    Use it for values with error bars and for replicates if clusters are roughly
    elliptical. `UKMeans` is simpler if errors are all alike; for clusters of other
    shapes, cluster the beliefs that `Deconvolver` gives by `ExpectedSpectral` or
    `FDBSCAN`.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of Gaussians, each a cluster. "auto" takes the number with the lowest
        BIC, and joins components that overlap into one cluster.
    covariance : {"full", "diag", "tied"}, default="full"
        Whether components have covariances of their own, variances of their own, or
        share one covariance.
    noise : bool, default=False
        Whether there is a uniform component as well, whose objects get the label −1.
    max_components : int, default=10
        Largest number of components that "auto" tries.
    prior_weight : float, default=0.1
        How many objects' worth covariances are drawn towards independent features with
        the variance of the values less that of the errors.
    n_init : int, default=5
        Number of starts; the best one is followed to its end.
    tol : float, default=1e-6
        Relative gain of the objective at which rounds end.
    max_iter : int, default=500
        Maximum number of rounds.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Most probable cluster of each object, numbered in the order of the ids; −1 is
        noise.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability of each cluster; the rest of a row, up to 1, is noise.
    confidence_ : ndarray of shape (n_objects,)
        Probability of each object's own label.
    n_clusters_ : int
        Number of clusters.
    weights_ : ndarray of shape (n_components,)
        Share of each component; the rest, up to 1, is noise.
    means_ : ndarray of shape (n_components, n_features)
        Their means.
    covariances_ : ndarray of shape (n_components, n_features, n_features)
        Their covariances, without the errors.
    clusters_ : ndarray of shape (n_components,)
        Cluster that each component belongs to.
    bic_ : float
        Bayesian information criterion of the fit; lower is better.
    objective_ : list of float
        Mean log-likelihood after each round, with the part of the prior; it never
        falls.
    n_iter_ : int
        Number of rounds.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the data had names.

    Notes
    -----
    Expectation–maximisation for ``w = x + e`` [1]_, where errors may be correlated and
    a missing value has an infinite error. Errors that are not Gaussian count by their
    covariance. A round takes some ``d**3`` operations for each object and component, or
    d with ``covariance="diag"`` and independent errors. Memory beyond the data does not
    grow with their number.

    References
    ----------
    .. [1] J. Bovy, D. W. Hogg, S. T. Roweis, "Extreme deconvolution: inferring complete
       distribution functions from noisy, heterogeneous and incomplete observations",
       Ann. Appl. Stat. 5, 2011.

    Examples
    --------
    >>> import incerta as ic
    >>> values = [[0.0], [0.3], [0.2], [9.0], [9.4], [8.8], [5.0]]
    >>> errors = [[0.1], [0.1], [0.1], [0.1], [0.1], [0.1], [6.0]]
    >>> data = ic.from_gaussian(values, std=errors)
    >>> mixture = ic.ErrorMixture(2, random_state=0).fit(data)
    >>> mixture.labels_, mixture.confidence_.round(1)
    (array([0, 0, 0, 1, 1, 1, 1]), array([1. , 1. , 1. , 1. , 1. , 1. , 0.5]))
    """

    finds_number = True
    knows_errors = True
    number_parameter = "n_components"
    _takes_missing = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_components": [*WHOLE, StrOptions({"auto"})],
        "covariance": [StrOptions({"full", "diag", "tied"})],
        "noise": ["boolean"],
        "max_components": WHOLE,
        "prior_weight": NOT_NEGATIVE,
        "n_init": WHOLE,
        "tol": NOT_NEGATIVE,
        "max_iter": WHOLE,
        "random_state": SEED,
    }
    _stored: ClassVar[dict[str, str]] = {
        "weights_": "f c",
        "means_": "f c d",
        "covariances_": "f c d d",
        "clusters_": "i c",
        "ranges_": "f d",
        "n_clusters_": "",
        "bic_": "",
        "objective_": "",
        "n_iter_": "",
    }

    def __init__(
        self,
        n_components: int | str = "auto",
        *,
        covariance: str = "full",
        noise: bool = False,
        max_components: int = 10,
        prior_weight: float = 0.1,
        n_init: int = 5,
        tol: float = 1e-6,
        max_iter: int = 500,
        random_state: Seed = None,
    ) -> None:
        self.n_components = n_components
        self.covariance = covariance
        self.noise = noise
        self.max_components = max_components
        self.prior_weight = prior_weight
        self.n_init = n_init
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def _fit(self, data: UncertainData) -> None:
        given = measured(data)
        found, groups = self._found(data)
        components = found.components
        shares = np.exp(log_densities(given, components).shares)
        membership = _by_cluster(shares[: len(groups)].T, groups)
        self.labels_, order = in_order_of_appearance(likeliest(membership))
        order = with_empty_last(order, membership.shape[1])
        self.membership_ = membership[:, order]
        self.n_clusters_ = len(order)

        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        by_cluster = np.argsort(rank[groups], kind="stable")
        self.clusters_ = rank[groups][by_cluster]
        self.weights_ = components.weights[by_cluster]
        self.means_ = components.means[by_cluster]
        self.covariances_ = np.array(
            [components.covariance_of(int(k)) for k in by_cluster]
        )
        self.ranges_ = components.ranges
        self.bic_ = bic(found, self.covariance, len(data))
        self.objective_ = found.objective
        self.n_iter_ = len(found.objective)

    def facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        return Facts(objective=self.objective_)

    def score_samples(self, X: Any) -> Array:
        """Log density of what was measured, errors included.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_objects,)
        """
        data = self._new_objects(X)
        return log_densities(measured(data), self._components()).totals

    def score(self, X: Any, y: None = None) -> float:
        """Mean log density of what was measured.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            As for `predict`.
        y : None
            Not used; here for pipelines.

        Returns
        -------
        float
        """
        return float(self.score_samples(X).mean())

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> Array:
        """Draw true values from the mixture, without noise.

        Parameters
        ----------
        n_samples : int, default=1
            Number of values.
        random_state : int, RandomState, Generator or None, default=None
            Seed.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        return drawn(self._components(), n_samples, as_seed(random_state))

    def _proba(self, data: UncertainData) -> Array:
        shares = np.exp(log_densities(measured(data), self._components()).shares)
        return _by_cluster(shares[: len(self.clusters_)].T, self.clusters_)

    def _found(self, data: UncertainData) -> tuple[Found, Indices]:
        """The mixture, and the cluster of each of its components."""
        how = How(
            self.covariance,
            self.noise,
            self.prior_weight,
            self.n_init,
            self.tol,
            self.max_iter,
            self.seed_,
        )
        given = measured(data)
        if isinstance(self.n_components, str):
            tried = by_number(given, self.max_components, how)
            found = min(tried, key=lambda each: each[1])[0]
            return found, merged(found.components, self.seed_)
        found = fitted(given, int(self.n_components), how)
        return found, np.arange(int(self.n_components))

    def _components(self) -> Components:
        covariances = self.covariances_
        if self.covariance == "diag":
            covariances = np.einsum("kii->ki", covariances).copy()
        return Components(self.weights_, self.means_, covariances, self.ranges_)

    def _check_stored(self) -> None:
        within(self.clusters_, self.n_clusters_, "clusters_")
        if (self.weights_ < 0).any() or self.weights_.sum() > 1.0 + 1e-9:
            wrong("weights do not add up to 1")


def _by_cluster(shares: Array, groups: Indices) -> Array:
    """Add up the columns of components of the same cluster."""
    return shares @ np.eye(int(groups.max()) + 1)[groups]
