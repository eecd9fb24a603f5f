"""ErrorMixture: a mixture of Gaussians that knows the error of every value."""

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
from incerta.data.extremes import refuse_extremes
from incerta.data.partitioned import PartitionedData
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
        BIC, and joins components that overlap into one cluster; where labels are given,
        it takes at least as many as they name, and does not join these.
    covariance_type : {"auto", "full", "diag", "tied"}, default="auto"
        Whether components have covariances of their own, variances of their own, or
        share one covariance. "auto" takes the second, or the first if its BIC is lower
        and there are more objects than components times features.
    noise : bool, default=False
        Whether there is a uniform component as well, whose objects get the label −1.
    max_components : int, default=10
        Largest number of components that "auto" tries.
    prior_weight : float, default=0.1
        How many objects' worth covariances are drawn towards independent features with
        the variance of the values less that of the errors.
    n_init : int, default=8
        Number of starts; the best one is followed to its end.
    tol : float, default=1e-6
        Gain of the mean log-likelihood at which rounds end.
    max_iter : int, default=500
        Maximum number of rounds.
    device : str, default="cpu"
        Where components and objects are compared: "cpu", or a device of torch such as
        "cuda" (extra ``gpu``).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Most probable cluster of each object, numbered in the order of the ids, or as
        labels in `y` name them; −1 is noise.
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
        Their covariances, without the errors. Above 200 features variances, of shape
        (n_components, n_features).
    clusters_ : ndarray of shape (n_components,)
        Cluster that each component belongs to.
    covariance_type_ : {"full", "diag", "tied"}
        Which sort of covariances they have.
    bic_ : float
        Bayesian information criterion of the fit; lower is better. Not after
        `partial_fit`.
    objective_ : list of float
        Mean log-likelihood after each round, with the part of the prior; it never
        falls. After `partial_fit`: of each further piece before it was taken.
    n_iter_ : int
        Number of rounds.
    ids_ : ndarray of shape (n_objects,)
        For partitioned data: ids of the objects, sorted, as all other attributes are.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Notes
    -----
    Expectation–maximization for ``w = x + e`` [1]_, where errors may be correlated and
    a missing value has an infinite error, or for ``w = R x + e`` with a matrix for each
    object (``projection=`` in `from_gaussian`); steps ahead save rounds [2]_. Errors
    that are not Gaussian count by their mean and covariance. A round takes some
    ``d**3`` operations for each object and component, or d with independent errors and
    ``covariance_type="diag"``. Memory beyond the data does not grow with their number.
    What is "auto" is chosen with at most 50,000 objects, and the first rounds take only
    those.

    Probabilities take the mixture as known. If clusters overlap strongly and there are
    few objects, it is not, and they are too high.

    Labels of some objects, ``fit(X, y)`` with −1 for the others, fix their components
    [3]_: cluster c is class c, further clusters are found. These objects keep their
    labels, surely, and are no noise. If all objects have one, use `ErrorDiscriminant`:
    `y` without any −1 counts as classes to compare with, and is not used.

    Data in partitions, of a dask cluster (`from_dask`) or of files (``read_table(...,
    lazy=True)``), stay there: partitions are sent components and return sums. Other
    partitions change the last digits.

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

    Two labels are known, and name the clusters:

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
        """Take one more piece of the data, by one round of expectation–maximization.

        The first piece is fitted as by `fit`; it decides on the number and sort of
        components. What later pieces say is added to what the earlier ones said, which
        is forgotten slowly. `labels_` and `membership_` are those of the last piece.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The next objects; some thousand at a time are a good number.
        y : array-like of shape (n_objects,), optional
            Labels of the piece, as for `fit`.
        """
        if isinstance(X, PartitionedData):
            msg = "partial_fit takes pieces one after the other; fit takes partitions."
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
        # Pieces come one after the other: clusters keep the numbers they have.
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
        self.__dict__.pop("_running", None)  # pieces of an earlier fit
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
        """Log density of what was measured of each object, errors included."""
        data = self._new_objects(X)
        there = measured(data).on(self.device)
        return log_densities(there, self._components()).totals

    def score(self, X: Any, y: None = None, sample_weight: Any = None) -> float:
        """Mean log density of what was measured, each object as it is weighted."""
        densities = self.score_samples(X)
        weights = weights_of(sample_weight, len(densities))
        return float(np.average(densities, weights=weights))

    def condition(self, given: Any) -> UncertainData:
        """What the mixture says about the other features of new objects.

        Parameters
        ----------
        given : UncertainData or anything `as_uncertain` takes
            New objects with some of the features of the fit, told by their names.
            Errors, missing values and projections count.

        Returns
        -------
        UncertainData
            A belief about the true values of all other features, a mixture of
            Gaussians for each object. It takes the objects to be no noise.

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
                f"given has the features {data.feature_names}, {which}. Give some of "
                f"{names}, by feature_names=, and leave out those to be told."
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
