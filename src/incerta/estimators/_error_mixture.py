"""ErrorMixture: extreme deconvolution, a Gaussian mixture that accounts for errors."""

from dataclasses import KW_ONLY, replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from incerta.backend.device import CPU
from incerta.backend.parameters import (
    AUTO,
    NOT_NEGATIVE,
    SEED,
    WHOLE,
    choice,
    parameter,
    with_parameters,
)
from incerta.data.checks import as_feature_names
from incerta.data.coerce import as_uncertain, objects_of
from incerta.data.container import UncertainData
from incerta.data.partitioned import PartitionedData
from incerta.data.refused import refuse_extremes
from incerta.estimators._base import UncertainClusterer
from incerta.estimators._scored import weights_of
from incerta.exceptions import DataError
from incerta.known import known_labels, n_named, surely
from incerta.labels import likeliest, numbered
from incerta.mixture.deconvolver import law_of
from incerta.mixture.expectation import (
    belief,
    by_cluster,
    log_densities,
    sums,
    with_clusters_known,
)
from incerta.mixture.fitting import Effort, Search, refuse_wide
from incerta.mixture.maximization import Running, moments, prior_for
from incerta.mixture.merging import drawn, merged
from incerta.mixture.model import Components, check_covariances, measured
from incerta.mixture.pieces import fitted_to, ids_of
from incerta.models.checks import within, wrong
from incerta.partition.distributed import wherever
from incerta.typing import Array, Indices, Seed
from incerta.worlds.streams import as_seed


@with_parameters
class ErrorMixture(UncertainClusterer):
    """Extreme deconvolution: a Gaussian mixture that accounts for each value's error.

    Every measured value is a true value plus an error of known size. The mixture
    describes the true values [1]_: clusters are not widened by the errors, and a value
    with a large error counts for little. Missing values need no imputation.

    Use it for values with error bars or replicates if the clusters are roughly
    elliptical. `UKMeans` is simpler if all errors are alike. For clusters of other
    shapes, pass the output of `Deconvolver` to `ExpectedSpectral` or `FDBSCAN`. The
    cost grows linearly with the number of objects; a million objects are practical.

    Parameters
    ----------
    n_components : int or "auto", default="auto"
        Number of Gaussians, each of them a cluster. "auto" takes the number with the
        lowest BIC and merges overlapping components into one cluster. With labels, it
        takes at least as many components as there are classes and keeps these apart.
    covariance_type : {"auto", "full", "diag", "tied"}, default="auto"
        "full": each component has its own covariance matrix; "diag": its own variances;
        "tied": all share one covariance matrix. "auto" takes "diag", or "full" if its
        BIC is lower and there are more objects than components times features.
    noise : bool, default=False
        Whether to add a uniform component, whose objects get the label −1.
    max_components : int, default=10
        Largest number of components that "auto" tries.
    prior_weight : float, default=0.1
        Strength of the prior on the covariances, in objects. The prior has independent
        features with the variance of the values minus that of the errors.
    n_init : int, default=8
        Number of starts. All run a few rounds, and only the best runs to the end.
    tol : float, default=1e-6
        Gain in the mean log-likelihood below which the fit stops.
    max_iter : int, default=500
        Maximum number of rounds.
    device : str, default="cpu"
        Where densities are computed: "cpu", or a torch device such as "cuda" (extra
        ``gpu``).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Most probable cluster of each object, numbered in the order of the ids, or as
        in `y`. −1 is noise.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability of each cluster. A row sums to 1 minus the probability of noise.
    confidence_ : ndarray of shape (n_objects,)
        Probability of the object's label.
    n_clusters_ : int
        Number of clusters.
    weights_ : ndarray of shape (n_components,)
        Weight of each component. They sum to 1 minus the weight of the noise.
    means_ : ndarray of shape (n_components, n_features)
        Means of the components.
    covariances_ : ndarray of shape (n_components, n_features, n_features)
        Covariances of the components, without the errors. With more than 200 features,
        variances of shape (n_components, n_features).
    clusters_ : ndarray of shape (n_components,)
        Cluster of each component.
    covariance_type_ : {"full", "diag", "tied"}
        Covariance type of the fit.
    bic_ : float
        Bayesian information criterion of the fit; lower is better. Removed by
        `partial_fit`.
    objective_ : list of float
        Mean log-likelihood plus log prior after each round; never falls. After
        `partial_fit`, the mean log-likelihood of each new batch before the update.
    n_iter_ : int
        Number of rounds.
    ids_ : ndarray of shape (n_objects,)
        For partitioned data: sorted ids of the objects. Other attributes follow them.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Notes
    -----
    The fit is expectation–maximization for ``w = x + e`` [1]_, or for ``w = R x + e``
    with a matrix for each object (``projection=`` in `from_gaussian`). Errors may be
    correlated, and a missing value has an infinite error. Errors that are not Gaussian
    enter by their mean and covariance. Extrapolated steps save rounds [2]_. A round
    takes about ``d**3`` operations for each object and component, or d with independent
    errors and ``covariance_type="diag"``. Memory beyond the data does not grow with the
    number of objects. The choices of "auto" and the first rounds use at most 50,000
    objects.

    The probabilities treat the fitted mixture as exact. With strongly overlapping
    clusters and few objects it is not, and the probabilities are too high.

    Labels of some objects, ``fit(X, y)`` with −1 for the others, fix their components
    [3]_: cluster c is class c, and further clusters may be added. Labeled objects keep
    their labels with probability 1. A `y` without any −1 is ignored; if all objects
    have labels, use `ErrorDiscriminant`.

    Data in partitions, from dask (`from_dask`) or files (``read_table(...,
    lazy=True)``), stay where they are: partitions receive components and return sums.
    The result depends on the partitioning only in the last digits.

    References
    ----------
    .. [1] J. Bovy, D. W. Hogg, S. T. Roweis, "Extreme deconvolution: inferring complete
       distribution functions from noisy, heterogeneous and incomplete observations",
       Ann. Appl. Stat. 5, 2011.
    .. [2] R. Varadhan, C. Roland, "Simple and globally convergent methods for
       accelerating the convergence of any EM algorithm", Scand. J. Stat. 35, 2008.
    .. [3] K. Nigam et al., "Text classification from labeled and unlabeled documents
       using EM", Mach. Learn. 39, 2000.

    Examples
    --------
    >>> import incerta as ic
    >>> values = [[0.0], [0.3], [0.2], [9.0], [9.4], [8.8], [5.0]]
    >>> errors = [[0.1], [0.1], [0.1], [0.1], [0.1], [0.1], [6.0]]
    >>> data = ic.from_gaussian(values, std=errors)
    >>> mixture = ic.ErrorMixture(2, random_state=0).fit(data)
    >>> mixture.labels_, mixture.confidence_.round(1)
    (array([0, 0, 0, 1, 1, 1, 1]), array([1. , 1. , 1. , 1. , 1. , 1. , 0.5]))

    Labels of two objects name the clusters:

    >>> mixture.fit_predict(data, [1, -1, -1, -1, 0, -1, -1])
    array([1, 1, 1, 0, 0, 0, 0])
    """

    n_components: int | str = parameter([*WHOLE, AUTO], default="auto")
    _: KW_ONLY
    covariance_type: str = choice("full", "diag", "tied", default="auto")
    noise: bool = parameter(["boolean"], default=False)
    max_components: int = parameter(WHOLE, default=10)
    prior_weight: float = parameter(NOT_NEGATIVE, default=Effort.prior_weight)
    n_init: int = parameter(WHOLE, default=Effort.n_init)
    tol: float = parameter(NOT_NEGATIVE, default=Effort.tol)
    max_iter: int = parameter(WHOLE, default=Effort.max_iter)
    device: str = parameter([str], default=CPU)
    random_state: Seed = parameter(SEED, default=None)

    _finds_number = True
    _knows_errors = True
    _takes_labels = True
    _number_parameter = "n_components"
    _takes_missing = True
    _takes_partitions = True
    _stored: ClassVar[dict[str, str]] = {
        "weights_": "f c",
        "means_": "f c d",
        "covariances_": "",
        "clusters_": "i c",
        "ranges_": "f d",
        "n_clusters_": "",
        "covariance_type_": "",
        "bic_": "",
        "objective_": "",
        "n_iter_": "",
        "ids_": "a n",
        "_running": "",
    }

    def partial_fit(self, X: Any, y: Any = None) -> Self:
        """Update the mixture with one more batch, by one round of EM.

        The first batch is fitted as by `fit`, which sets the number of components and
        the covariance type. The weight of earlier batches decays slowly. `labels_` and
        `membership_` are those of the last batch.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The next objects, preferably some thousands.
        y : array-like of shape (n_objects,), optional
            Labels of the batch, as for `fit`.
        """
        if isinstance(X, PartitionedData):
            msg = "partial_fit takes one batch at a time; use fit for partitioned data."
            raise TypeError(msg)
        first = not hasattr(self, "_running")
        if first:
            self.fit(X, y)
        data = objects_of(self, X, reset=False)
        known = known_labels(y, len(data), self.n_clusters_, "n_components")
        before = self._components()
        given = with_clusters_known(data, known, before, self.clusters_)
        found = sums(given.on(self.device), before)
        if first:
            prior = prior_for(given, self.prior_weight)
            self._running = Running(moments(before, found), prior)
            return self
        self._running = self._running.and_then(before, found)
        self._keep(components := self._running.components(before))
        self._order = None
        membership = by_cluster(data, components, self.clusters_, self.device)
        self.membership_ = surely(membership, known)
        # Batches come one after the other, so clusters keep their numbers.
        self.labels_ = likeliest(self.membership_)
        for stale in ("confidence_", "bic_"):
            self.__dict__.pop(stale, None)
        gained = found.log_likelihood / found.n_objects
        self.objective_: list[float] = [*self.objective_, gained]
        self.n_iter_ = len(self.objective_)
        return self

    def _fit(
        self, objects: UncertainData | PartitionedData, known: Indices | None = None
    ) -> None:
        self.__dict__.pop("_running", None)  # batches of an earlier fit
        refuse_wide(objects.n_features, self.covariance_type)
        if isinstance(objects, PartitionedData):
            self.ids_ = objects.each(ids_of)
            self._check_number(len(self.ids_))
        n_known = n_named(known)
        found = fitted_to(objects, self._search(n_known), known)
        components = found.components
        groups = np.arange(components.n_components)
        if self.n_components == "auto":
            groups = merged(components, self.seed_, n_known)
        membership = wherever(by_cluster, objects, components, groups, self.device)
        membership = surely(membership, known)
        labels = likeliest(membership)
        order = numbered(labels, membership.shape[1], n_known)
        self.membership_ = membership[:, order]
        self.n_clusters_ = len(order)

        rank = np.argsort(order)
        self.labels_ = np.where(labels < 0, labels, rank[labels])
        together = np.argsort(rank[groups], kind="stable")
        self.clusters_ = rank[groups][together]
        self.covariance_type_ = found.covariance
        self._keep(components.only(together))
        self.bic_ = found.bic
        self.objective_ = found.objective
        self.n_iter_ = len(found.objective)

    def _keep(self, components: Components) -> None:
        self.weights_, self.means_ = components.weights, components.means
        self.covariances_ = components.published
        self.ranges_ = components.ranges

    def score_samples(self, X: Any) -> Array:
        """Return the log density of each measured object, errors included."""
        data = self._new_objects(X)
        there = measured(data).on(self.device)
        return log_densities(there, self._components()).totals

    def score(self, X: Any, y: None = None, sample_weight: Any = None) -> float:
        """Return the weighted mean of the log densities of the measured objects."""
        densities = self.score_samples(X)
        weights = weights_of(sample_weight, len(densities))
        return float(np.average(densities, weights=weights))

    def condition(self, given: Any) -> UncertainData:
        """Predict the other features of new objects from some of their features.

        Parameters
        ----------
        given : UncertainData or anything `as_uncertain` takes
            New objects with some of the features of the fit, matched by name. Errors,
            missing values and projections are accounted for.

        Returns
        -------
        UncertainData
            Distribution of the true values of all other features (meaning "belief"),
            a mixture of Gaussians for each object. Noise is left out.

        Examples
        --------
        >>> import numpy as np
        >>> import incerta as ic
        >>> x = np.random.default_rng(0).normal(size=(500, 1))
        >>> data = ic.from_gaussian(np.hstack([x, 2.0 * x]), std=0.1)
        >>> mixture = ic.ErrorMixture(1, covariance_type="full", random_state=0)
        >>> mixture = mixture.fit(data)
        >>> new = ic.from_gaussian([[1.0], [1.0]], std=[[0.0], [0.5]])
        >>> belief = mixture.condition(new)
        >>> belief.feature_names, belief.mean().ravel().round(1)
        (('x1',), array([2. , 1.6]))
        """
        check_is_fitted(self)
        data = as_uncertain(given)
        refuse_extremes(data, spread=False)
        d = self.n_features_in_
        names = as_feature_names(getattr(self, "feature_names_in_", None), d)
        unknown = [name for name in data.feature_names if name not in names]
        if unknown or data.n_features == d:
            which = f"not of the fit: {unknown[0]!r}" if unknown else "all of the fit"
            msg = (
                f"given has the features {data.feature_names}, {which}. Pass some of "
                f"{names} by feature_names=, and leave out those to predict."
            )
            raise DataError(msg)
        places = np.array([names.index(name) for name in data.feature_names])
        others = np.setdiff1d(np.arange(d), places)
        components = self._components()
        shares = components.weights / components.weights.sum()
        components = components._replace(weights=shares, ranges=None)
        found = belief(measured(data).among(places, d), components)
        return replace(
            data,
            law=law_of(found).select(others),
            feature_names=tuple(names[j] for j in others),
            meaning="belief",
        )

    def sample(self, n_samples: int = 1, random_state: Seed = None) -> Array:
        """Draw true values, (n_samples, n_features), from the mixture without noise."""
        check_is_fitted(self)
        return drawn(self._components(), n_samples, as_seed(random_state))

    def _proba(self, objects: UncertainData | PartitionedData) -> Array:
        known = self._components(), self.clusters_, self.device
        return wherever(by_cluster, objects, *known)

    def _most_clusters(self) -> tuple[int, str]:
        if isinstance(self.n_components, str):
            return self.max_components, "max_components"
        return self.n_components, "n_components"

    def _search(self, n_known: int) -> Search:
        numbers = (
            range(max(n_known, 1), self.max_components + 1)
            if isinstance(self.n_components, str)
            else [self.n_components]
        )
        kinds = (
            ("diag", "full")
            if self.covariance_type == "auto"
            else (self.covariance_type,)
        )
        return Search(
            numbers=numbers,
            covariances=kinds,
            seed=self.seed_,
            effort=Effort.of(self),
            noise=self.noise,
            device=self.device,
        )

    def _components(self) -> Components:
        found = Components(self.weights_, self.means_, self.covariances_, self.ranges_)
        return found.as_kind(self.covariance_type_)

    def _check_stored(self) -> None:
        check_covariances(self.covariances_, self.means_, self.covariance_type_)
        within(self.clusters_, self.n_clusters_, "clusters_")
        if (self.weights_ < 0).any() or self.weights_.sum() > 1.0 + 1e-9:
            wrong("weights do not add up to 1")
