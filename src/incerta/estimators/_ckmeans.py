"""CK-means: UK-means reduced to k-means."""

import warnings
from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData
from incerta.estimators._base import (
    Interval,
    StrOptions,
    UncertainClusterMixin,
    in_order_of_appearance,
)
from incerta.partition.shares import nearest_centres, nearest_shares
from incerta.typing import Array, Indices, Seed
from incerta.worlds.streams import as_seed


class Run(NamedTuple):
    """One start of the algorithm and where it ended."""

    start: Array
    centres: Array
    labels: Indices
    inertia: float
    n_iter: int


class CKMeans(UncertainClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster uncertain objects by k-means on their means.

    The expected squared distance of an object to a centre is the squared distance of
    its mean plus its variance; the variance is the same for all centres, so k-means
    on the means minimises exactly what UK-means with squared distances does [1]_.
    It is as fast as k-means. The uncertainty does not change the labels; it does tell
    how sure they are.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    init : {"k-means++", "random"} or array, default="k-means++"
        Where centres start: spread out, at random objects, or at given places, an
        array of shape (n_clusters, n_features).
    n_init : int, default=10
        Number of starts, of which the best is kept; 1 if `init` is an array.
    max_iter : int, default=300
        Most iterations of each start.
    tol : float, default=1e-4
        Move of the centres, against the variance of the features, below which it
        stops.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        scikit-learn's algorithm underneath.
    n_worlds : int, default=100
        Number of worlds behind `membership_`, where objects are not given by values.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in order of first appearance.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of the members' means.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability, under the object's own law, that its value is nearest to each
        centre; computed when first asked for.
    confidence_ : ndarray of shape (n_objects,)
        Its entry for the object's own label.
    inertia_ : float
        Sum of the expected squared distances: that of k-means plus all variances.
    objective_ : list of float
        `inertia_` after each iteration; never rises. The iterations are repeated to
        tell it, when first asked for.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of objects in each cluster.
    n_iter_ : int
        Number of iterations of the best start.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where the data had names.

    References
    ----------
    .. [1] S. D. Lee, B. Kao, R. Cheng, "Reducing UK-means to K-means", ICDM Workshops
       2007.

    Examples
    --------
    >>> import incerta as ic
    >>> mean, std = [[0.0], [0.2], [5.0], [5.3]], [[0.1], [2.0], [1.0], [0.1]]
    >>> data = ic.from_gaussian(mean, std)
    >>> ck = ic.CKMeans(n_clusters=2, random_state=0).fit(data)
    >>> ck.labels_, ck.confidence_.round(1)
    (array([0, 0, 1, 1]), array([1. , 0.9, 1. , 1. ]))
    """

    _membership: Array | None
    _objective: list[float] | None
    _inertia: float | None
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"k-means++", "random"}), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "algorithm": [StrOptions({"lloyd", "elkan"})],
        "n_worlds": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        algorithm: str = "lloyd",
        n_worlds: int = 100,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.algorithm = algorithm
        self.n_worlds = n_worlds
        self.random_state = random_state

    def fit(self, X: Any, y: None = None) -> Self:
        """Find the clusters of `X`.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The objects. A plain 2-D array holds objects without uncertainty.
        y : None
            Not used; here for pipelines.

        Returns
        -------
        self
        """
        data = self._check_objects(X)
        self.seed_ = as_seed(self.random_state)
        means = data.mean()
        runs = (self._run(data, means, start) for start in self._starts(means))
        best = min(runs, key=lambda run: run.inertia)
        self._keep(data, best)
        return self

    def predict(self, X: Any) -> Indices:
        """Cluster of new objects: the centre with the least expected distance.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new,)
        """
        check_is_fitted(self, "cluster_centers_")
        data = objects_of(self, X, reset=False)
        return self._assigned(data, self.cluster_centers_)

    def predict_proba(self, X: Any) -> Array:
        """Probability, under its own law, of being nearest to each centre.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new, n_clusters)
            Columns in the order of the labels; rows sum to one.
        """
        check_is_fitted(self, "cluster_centers_")
        data = objects_of(self, X, reset=False)
        no_offsets = np.zeros(len(self.cluster_centers_))
        return nearest_shares(
            data, self.cluster_centers_, no_offsets, self.n_worlds, self.seed_
        )

    @property
    def membership_(self) -> Array:
        """Probability of each cluster for each object of the fit."""
        check_is_fitted(self, "cluster_centers_")
        if self._membership is None:
            self._membership = self.predict_proba(self._data)
        return self._membership

    @property
    def confidence_(self) -> Array:
        """Probability of each object's own label."""
        return self.membership_[np.arange(len(self.labels_)), self.labels_]

    @property
    def inertia_(self) -> float:
        """Sum of the expected distances; the variances are added when asked for."""
        check_is_fitted(self, "cluster_centers_")
        if self._inertia is None:
            self._inertia = self._distances + self._fixed(self._data)
        return self._inertia

    @property
    def objective_(self) -> list[float]:
        """Objective after each iteration of the best start."""
        check_is_fitted(self, "cluster_centers_")
        if self._objective is None:
            self._objective = list(self._replayed())
        return self._objective

    def _starts(self, means: Array) -> Iterator[Array]:
        """Centres to start from, one set per run."""
        rng = np.random.RandomState(self.seed_ % 2**32)
        if not isinstance(self.init, str):
            start = np.asarray(self.init, dtype=np.float64)
            if start.shape != (self.n_clusters, means.shape[1]):
                msg = (
                    f"init has shape {start.shape}; it must hold one centre per "
                    f"cluster: ({self.n_clusters}, {means.shape[1]})."
                )
                raise ValueError(msg)
            yield start
            return
        for _ in range(self.n_init):
            if self.init == "random":
                yield means[rng.permutation(len(means))[: self.n_clusters]]
            else:
                yield kmeans_plusplus(means, self.n_clusters, random_state=rng)[0]

    def _run(self, data: UncertainData, means: Array, start: Array) -> Run:
        found = KMeans(
            self.n_clusters,
            init=start,
            n_init=1,
            max_iter=self.max_iter,
            tol=self.tol,
            algorithm=self.algorithm,
        ).fit(means)
        centres, labels = found.cluster_centers_, found.labels_
        return Run(start, centres, labels, found.inertia_, found.n_iter_)

    def _keep(self, data: UncertainData, best: Run) -> None:
        self.labels_, order = in_order_of_appearance(best.labels)
        empty = np.setdiff1d(np.arange(self.n_clusters), order)
        order = np.concatenate([order, empty])
        self.cluster_centers_ = best.centres[order]
        self.cluster_sizes_ = np.bincount(self.labels_, minlength=self.n_clusters)
        self._distances = best.inertia
        self.n_iter_ = best.n_iter
        self._start, self._data = best.start, data
        self._membership = self._objective = self._inertia = None

    def _fixed(self, data: UncertainData) -> float:
        """What the objective has beyond the distances of the means."""
        return float(data.variance().sum())

    def _assigned(self, data: UncertainData, centres: Array) -> Indices:
        return nearest_centres(data.mean(), centres, np.zeros(len(centres)))

    def _costs(self, data: UncertainData, labels: Indices, centres: Array) -> float:
        apart = np.square(data.mean() - centres[labels]).sum()
        return float(apart) + self._fixed(data)

    def _replayed(self) -> Iterator[float]:
        """Repeat the iterations of the best start, with the objective after each."""
        centres, fixed = self._start, self._fixed(self._data)
        means = self._data.mean()
        for _ in range(self.n_iter_):
            step = KMeans(self.n_clusters, init=centres, n_init=1, max_iter=1, tol=0.0)
            with warnings.catch_warnings():
                # A cluster may be empty on the way; the fit has warned if it stayed so.
                warnings.simplefilter("ignore", ConvergenceWarning)
                centres = step.fit(means).cluster_centers_
            yield step.inertia_ + fixed
