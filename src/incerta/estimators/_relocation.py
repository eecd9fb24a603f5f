"""MMVar and UCPC: clusters found by moving one object at a time."""

import warnings
from abc import ABC, abstractmethod
from itertools import islice
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from incerta.backend.progress import track
from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData
from incerta.estimators._base import (
    Interval,
    StrOptions,
    UncertainClusterMixin,
    in_order_of_appearance,
)
from incerta.partition.moments import Objective, mean_by_cluster, mmvar, ucpc
from incerta.partition.relocate import Sweep, relocation_sweeps
from incerta.partition.seeding import random_partition, seeded_partition
from incerta.partition.shares import nearest_centres, nearest_shares
from incerta.typing import Array, Indices, Seed
from incerta.worlds.streams import as_seed


class _Relocation(UncertainClusterMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """The search that `MMVar` and `UCPC` share; they differ in what they lower."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "init": [StrOptions({"k-means++", "random"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_worlds": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        init: str = "k-means++",
        n_init: int = 10,
        max_iter: int = 100,
        n_worlds: int = 100,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
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
        means, variances = data.mean(), data.variance()
        middle = means.mean(axis=0)
        means = means - middle  # a large offset would eat the digits of the squares

        history = self._best_search(means, variances.sum(axis=1))
        self.objective_ = [sweep.objective for sweep in history]
        self.inertia_ = self.objective_[-1]
        self.n_iter_ = len(history)
        self.labels_, _ = in_order_of_appearance(history[-1].labels)

        sizes = np.bincount(self.labels_, minlength=self.n_clusters)
        centres = mean_by_cluster(means, self.labels_, sizes)
        self.cluster_sizes_ = sizes
        self.cluster_centers_ = centres + middle
        self.cluster_variances_ = self._variances_of_centres(
            np.square(means - centres[self.labels_]), variances
        )
        self.membership_ = self._shares(data)
        self.confidence_ = self.membership_[np.arange(len(data)), self.labels_]
        return self

    def predict(self, X: Any) -> Indices:
        """Cluster of new objects: that with the nearest centre.

        An object of the fit may get another cluster than its label, because the fit
        also counts what a move does to the centres.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new,)
        """
        check_is_fitted(self)
        means = objects_of(self, X, reset=False).mean()
        return nearest_centres(means, self.cluster_centers_, self._offsets())

    def predict_proba(self, X: Any) -> Array:
        """Probability, under each object's own law, that each centre is the nearest.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new, n_clusters)
            Columns in the order of the labels; rows sum to one.
        """
        check_is_fitted(self)
        return self._shares(objects_of(self, X, reset=False))

    @abstractmethod
    def _objective(self) -> Objective:
        """What is lowered."""

    @abstractmethod
    def _variances_of_centres(self, apart: Array, variances: Array) -> Array:
        """Variance of each centre; `apart` are squared differences of the means."""

    @abstractmethod
    def _offsets(self) -> Array:
        """What each centre costs besides the distance to it."""

    def _best_search(self, means: Array, variances: Array) -> list[Sweep]:
        """Sweeps of the start that ends lowest."""
        random_state = check_random_state(self.seed_ % 2**32)
        n, k = len(means), self.n_clusters
        # With one cluster, or one object in each, all starts are the same partition.
        n_init = self.n_init if 1 < k < n else 1
        best: list[Sweep] = []
        starts = track(n_init, "starts")
        for _ in range(n_init):
            if self.init == "random":
                start = random_partition(n, k, random_state)
            else:
                start = seeded_partition(means, k, random_state)
            sweeps = relocation_sweeps(means, variances, start, k, self._objective())
            history = []
            for sweep in islice(sweeps, self.max_iter):
                history.append(sweep)
                if not sweep.n_moved:
                    break
            if not best or history[-1].objective < best[-1].objective:
                best = history
            next(starts)
        if best[-1].n_moved:
            msg = (
                f"objects still move after max_iter={self.max_iter} sweeps "
                f"({best[-1].n_moved} in the last one); raise max_iter."
            )
            warnings.warn(msg, ConvergenceWarning, stacklevel=3)
        return best

    def _shares(self, data: UncertainData) -> Array:
        n_worlds = 1 if data.exact else self.n_worlds
        centres = self.cluster_centers_
        return nearest_shares(data, centres, self._offsets(), n_worlds, self.seed_)


class UCPC(_Relocation):
    """Cluster uncertain objects around centroids that are uncertain themselves.

    The centroid of a cluster is the random mean of its members' values; what is
    lowered is the sum of the expected squared distances of all objects to an
    independent copy of their cluster's centroid, by moving one object at a time [1]_.
    The total is the k-means inertia of the means, plus the variances of all objects,
    plus the mean variance within each cluster: compared with k-means on the means, very
    uncertain objects prefer large clusters. With equal variances the partitions are
    those of Hartigan's k-means.

    Use it for round clusters of many objects whose uncertainties differ. Where they
    are all alike, scikit-learn's ``KMeans`` on ``data.mean()`` lowers the same total
    and is faster; for clusters of other shapes see `ExpectedSpectral` and `RPC`.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters. None of them is ever empty.
    init : {"k-means++", "random"}, default="k-means++"
        Partition to start from: seeds that k-means++ draws among the means, and a few
        rounds of k-means from there; or, as in the paper, at random.
    n_init : int, default=10
        Number of starts; the one that ends lowest is kept.
    max_iter : int, default=100
        Most sweeps over all objects in each start.
    n_worlds : int, default=100
        Number of worlds behind `membership_`, for objects that are not given by
        values; the labels do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts and of the worlds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in order of first appearance.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Expected value of each centroid: the mean of the members' means.
    cluster_variances_ : ndarray of shape (n_clusters, n_features)
        Variance of each centroid: the sum of the members' variances over the square
        of their number.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of objects in each cluster.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability, under the object's own law, that a copy of each centroid is
        nearest in expectation.
    confidence_ : ndarray of shape (n_objects,)
        The object's membership in the cluster of its label.
    objective_ : list of float
        Total after each sweep; never rises.
    inertia_ : float
        Total at the end.
    n_iter_ : int
        Number of sweeps, with the last one that moved nothing.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where the data had names.

    See Also
    --------
    MMVar : Lowers the variance of the members' mixture, whatever their number.

    Notes
    -----
    Only means and variances matter; they are exact for every kind of data. With c
    members, sum of means U, sum of variances Psi and sum of expected squares Phi, a
    cluster costs ``Psi / c + Phi - |U|² / c``. A sweep takes ``n_objects * n_clusters *
    n_features`` operations. The end is a local minimum: no single object can move
    and lower the total.

    References
    ----------
    .. [1] F. Gullo, A. Tagarelli, "Uncertain Centroid based Partitional Clustering of
       Uncertain Data", PVLDB 5(7), 2012, 610-621.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [2.0], [10.0]], std=[[1.0], [3**0.5], [2.0]])
    >>> found = ic.UCPC(n_clusters=2, random_state=0).fit(data)
    >>> found.labels_
    array([0, 0, 1])
    >>> round(found.inertia_, 6)
    16.0
    """

    def _objective(self) -> Objective:
        return ucpc

    def _variances_of_centres(self, apart: Array, variances: Array) -> Array:
        sizes = self.cluster_sizes_
        return mean_by_cluster(variances, self.labels_, sizes) / sizes[:, None]

    def _offsets(self) -> Array:
        # E|X - copy|² also has X's own variance, the same for every cluster.
        return self.cluster_variances_.sum(axis=1)


class MMVar(_Relocation):
    """Cluster uncertain objects so that the mixtures of their laws vary little.

    A cluster stands for the mixture of its members; what is lowered is the sum over
    clusters of the mixtures' variances, by moving one object at a time [1]_.

    **Look at** `cluster_sizes_`. The sum counts each cluster once, however many
    objects it has. Setting a single object apart therefore costs no more than that
    object's own variance, and where the classes overlap the lowest total is degenerate:
    all clusters but one hold an object or a few, and one giant holds all the others.
    That is what the method asks for, and what is returned. More starts find it more
    surely, not less. If it happens, use `UCPC`, which counts every object; `MMVar` is
    for clusters that lie well apart.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters. None of them is ever empty.
    init : {"k-means++", "random"}, default="k-means++"
        Partition to start from: seeds that k-means++ draws among the means, and a few
        rounds of k-means from there; or, as in the paper, at random.
    n_init : int, default=10
        Number of starts; the one that ends lowest is kept.
    max_iter : int, default=100
        Most sweeps over all objects in each start.
    n_worlds : int, default=100
        Number of worlds behind `membership_`, for objects that are not given by
        values; the labels do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts and of the worlds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in order of first appearance.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of each mixture.
    cluster_variances_ : ndarray of shape (n_clusters, n_features)
        Variance of each mixture. They sum to `inertia_`.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of objects in each cluster; ones beside one large number are the
        degenerate result.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability, under the object's own law, that each mixture's mean is nearest.
    confidence_ : ndarray of shape (n_objects,)
        The object's membership in the cluster of its label.
    objective_ : list of float
        Total after each sweep; never rises.
    inertia_ : float
        Total at the end.
    n_iter_ : int
        Number of sweeps, with the last one that moved nothing.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where the data had names.

    See Also
    --------
    UCPC : Counts every object, and so has no such degenerate result.

    Notes
    -----
    Only means and variances matter; they are exact for every kind of data. With c
    members, sum of means U and sum of expected squares Phi, a cluster costs
    ``Phi / c - |U|² / c²``. A sweep takes ``n_objects * n_clusters * n_features``
    operations. The end is a local minimum: no single object can move and lower the
    total.

    New objects go to the nearest mean of a mixture. The variances of the mixtures do
    not count there: with them, wide clusters would lose members to narrow neighbours.

    References
    ----------
    .. [1] F. Gullo, G. Ponti, A. Tagarelli, "Minimizing the Variance of Cluster
       Mixture Models for Clustering Uncertain Objects", ICDM 2010, 839-844.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [2.0], [10.0]], std=[[1.0], [3**0.5], [2.0]])
    >>> found = ic.MMVar(n_clusters=2, random_state=0).fit(data)
    >>> found.labels_, found.cluster_sizes_
    (array([0, 0, 1]), array([2, 1]))
    >>> round(found.inertia_, 6)
    7.0
    """

    def _objective(self) -> Objective:
        return mmvar

    def _variances_of_centres(self, apart: Array, variances: Array) -> Array:
        return mean_by_cluster(apart + variances, self.labels_, self.cluster_sizes_)

    def _offsets(self) -> Array:
        return np.zeros(self.n_clusters)
