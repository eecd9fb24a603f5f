"""UKMeans: k-means with expected distances."""

from collections.abc import Callable
from dataclasses import KW_ONLY
from functools import cached_property
from itertools import repeat
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from incerta.backend.parameters import (
    NOT_NEGATIVE,
    SEED,
    WHOLE,
    StrOptions,
    choice,
    parameter,
    with_parameters,
)
from incerta.backend.progress import followed
from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData
from incerta.data.laws import Values, as_values
from incerta.data.meaning import certain
from incerta.data.partitioned import PartitionedData
from incerta.estimators._base import UncertainClusterer
from incerta.estimators._scored import ScoredByDistance, as_points
from incerta.labels import in_order_of_appearance, with_empty_last
from incerta.mixture.pieces import by_moments, some_objects
from incerta.models.checks import check_shapes, wrong
from incerta.models.registry import Recipe, State, register
from incerta.partition.distributed import (
    drawn_means,
    labels_of,
    lloyd,
    sorted_ids,
    wherever,
)
from incerta.partition.kmeans import (
    PRUNING,
    EuclideanSearch,
    KMeansRun,
    SquaredSearch,
    starts,
)
from incerta.partition.shares import centers_in_worlds, nearest_centers, nearest_shares
from incerta.typing import Array, Indices, Seed
from incerta.worlds.sequence import worlds_of
from incerta.worlds.streams import as_seed

# Largest numbers of worlds that are clustered for `membership_`, and of their objects.
MANY_WORLDS = 20
MANY_OBJECTS = 5000


class OfWorlds:
    """Centers in several worlds, computed on first access by `find(*given)`.

    `find` must be a function of a module.
    """

    def __init__(self, find: Callable[..., Array], *given: Any) -> None:
        self._how = find, given

    @cached_property
    def centers(self) -> Array:
        """Array of shape (n_worlds, n_clusters, n_features)."""
        find, given = self._how
        return find(*given)


def _of_file(state: State) -> OfWorlds:
    check_shapes(state, {"centers": "f w k d"}, {})
    return OfWorlds(np.asarray, state["centers"])


register(OfWorlds, Recipe(lambda model: {"centers": model.centers}, _of_file))


def _by_means(estimator: Any) -> bool:
    """Return whether means suffice, so that data may come in batches."""
    if estimator.metric == "euclidean":
        msg = "partial_fit needs metric='sqeuclidean'; gather the data and fit."
        raise AttributeError(msg)
    return True


@with_parameters
class UKMeans(ScoredByDistance, UncertainClusterer):
    """K-means for uncertain objects, with expected distances to the centers.

    With squared distances it is exactly k-means on the means, run by scikit-learn. With
    ``metric="euclidean"`` the expected distance is computed over the values of each
    object, and uncertainty changes the result; bounds skip most distances without
    changing a label. `predict` uses expected distances and `predict_proba` counts
    values, so the argmax of `predict_proba` may differ.

    Use it for round clusters and large data: it is the cheapest method. Use
    `ErrorMixture` if errors differ between objects, and `ExpectedSpectral` or `RPC` if
    clusters are not round.

    With squared distances, data in partitions, from dask (`from_dask`) or files
    (``read_table(..., lazy=True)``), stay where they are: partitions receive centers
    and return exact sums, so labels do not depend on the partitioning (DUK-means in
    exact mode [4]_).

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    metric : {"sqeuclidean", "euclidean"}, default="sqeuclidean"
        The distance whose expectation is minimized.
    center : {"mean", "geometric-median"}, default="mean"
        Centers with ``metric="euclidean"``: the mean of the members' means, as
        published, which may raise the objective; or the point that minimizes it. With
        squared distances both are the same, and only "mean" is allowed.
    pruning : {"all", "minmax", "voronoi", "shift"} or None, default="all"
        Bounds used with ``metric="euclidean"``: boxes around the values (MinMax-BB),
        boxes inside Voronoi cells, and the shift of the centers since a distance was
        computed. None computes all distances. Squared distances need no bounds.
    init : {"k-means++", "random"} or array, default="k-means++"
        Initial centers: spread out, random objects, or an array of shape (n_clusters,
        n_features).
    n_init : int, default=10
        Number of starts, of which the best is kept; 1 if `init` is an array.
    max_iter : int, default=300
        Maximum number of iterations of each start.
    tol : float, default=1e-4
        Movement of the centers, relative to the variance of the features, below which
        it stops. With ``metric="euclidean"`` it stops when no label changes.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        scikit-learn's algorithm for squared distances.
    n_worlds : int, default=100
        Number of worlds (random draws) for `membership_`, unless objects are lists of
        values. At most 20 of them are clustered to vary the centers.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids.
    inertia_ : float
        Sum of the expected distances or squared distances.
    objective_ : list of float
        `inertia_` after each iteration. It never rises, except with
        ``metric="euclidean"`` and ``center="mean"``. Computed on first access by
        repeating the iterations.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centers; with squared distances the mean of the members' means.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of objects in each cluster.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability that the object's value is nearest to each center. It accounts for
        the uncertainty of the centers by clustering 20 worlds with random weights of
        the objects, except with ``metric="euclidean"`` and after `partial_fit`.
        Computed on first access.
    confidence_ : ndarray of shape (n_objects,)
        Membership in the cluster of the label.
    n_iter_ : int
        Number of iterations of the best start.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    ids_ : ndarray of shape (n_objects,)
        For partitioned data: sorted ids of the objects. Other attributes follow them.
    n_evaluations_ : int
        Number of expected distances computed over all starts; 0 with squared distances.
    share_saved_ : float
        Share of the expected distances that the bounds skipped.

    Notes
    -----
    With ``metric="euclidean"``, distributions other than lists of values are replaced
    by 64 stratified values each. A distance takes values × features operations. An
    object equally far from several centers, to twelve digits, joins the first of them
    for every choice of `pruning`.

    Partitioned data are seeded from at most ``max(50 * n_clusters, 1000)`` objects,
    sampled by a hash of their ids. All starts share the passes over the partitions, and
    `algorithm` has no effect.

    References
    ----------
    .. [1] M. Chau, R. Cheng, B. Kao, J. Ng, "Uncertain Data Mining: An Example in
       Clustering Location Data", PAKDD 2006.
    .. [2] B. Kao, S. D. Lee, F. K. F. Lee, D. W. Cheung, W.-S. Ho, "Clustering
       Uncertain Data Using Voronoi Diagrams and R-Tree Index", TKDE 22(9), 2010.
    .. [3] W. K. Ngai, B. Kao, R. Cheng, M. Chau, S. D. Lee, D. W. Cheung, K. Y. Yip,
       "Metric and trigonometric pruning for clustering of uncertain data in 2D
       geometric space", Information Systems 36(2), 2011.
    .. [4] J. Zhou, L. Chen, C. L. P. Chen, Y. Wang, H.-X. Li, "Uncertain Data
       Clustering in Distributed Peer-to-Peer Networks", TNNLS 29(6), 2018.

    Examples
    --------
    >>> import incerta as ic
    >>> X = [[[0.0], [0.2]], [[0.1]], [[9.0], [9.3]], [[9.1]]]
    >>> uk = ic.UKMeans(n_clusters=2, metric="euclidean", random_state=0).fit(X)
    >>> uk.labels_, round(uk.inertia_, 2)
    (array([0, 0, 1, 1]), 0.28)
    """

    n_clusters: int = parameter(WHOLE, default=3)
    _: KW_ONLY
    metric: str = choice("euclidean", default="sqeuclidean")
    center: str = choice("geometric-median", default="mean")
    pruning: str | None = parameter(
        [StrOptions({"all", *PRUNING}), None], default="all"
    )
    init: Any = parameter(
        [StrOptions({"k-means++", "random"}), "array-like"], default="k-means++"
    )
    n_init: int = parameter(WHOLE, default=10)
    max_iter: int = parameter(WHOLE, default=300)
    tol: float = parameter(NOT_NEGATIVE, default=1e-4)
    algorithm: str = choice("elkan", default="lloyd")
    n_worlds: int = parameter(WHOLE, default=100)
    random_state: Seed = parameter(SEED, default=None)

    _takes_partitions = True
    _stored: ClassVar[dict[str, str]] = {
        "cluster_centers_": "f k d",
        "cluster_sizes_": "i k",
        "inertia_": "",
        "objective_": "",
        "n_iter_": "",
        "_model": "",
        "ids_": "a n",
        "n_evaluations_": "",
        "share_saved_": "",
        "_online": "",
    }

    @available_if(_by_means)  # type: ignore[untyped-decorator]
    def partial_fit(self, X: Any, y: None = None) -> Self:
        """Update the centers with one more batch, by mini-batch k-means on the means.

        It needs squared distances. `labels_` and `membership_` are those of the last
        batch.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The next objects. The first batch needs at least `n_clusters` of them.
        y : None
            Not used; present for pipelines.
        """
        if not hasattr(self, "_online"):
            self._validate_params()
            data = self._objects(X)
            self.seed_ = as_seed(self.random_state)
            init = self.init if isinstance(self.init, str) else np.asarray(self.init)
            self._online = MiniBatchKMeans(
                self.n_clusters, init=init, n_init=1, random_state=self.seed_ % 2**32
            )
        else:
            data = objects_of(self, X, reset=False)
        for lazy in ("membership_", "confidence_", "inertia_", "objective_"):
            self.__dict__.pop(lazy, None)  # of the last batch
        self._order = None
        self._online.partial_fit(data.mean())
        centers = self._online.cluster_centers_.copy()
        # Batches come one after the other, so clusters keep their numbers.
        self.cluster_centers_ = centers
        self._model = OfWorlds(np.asarray, centers[None])
        self.labels_ = labels = self._predict(data)
        self.cluster_sizes_ = np.bincount(labels, minlength=self.n_clusters)
        self.n_iter_ = 1
        apart = float(np.square(data.mean() - centers[labels]).sum())
        self._run = KMeansRun(
            start=centers, centers=centers, labels=labels, cost=apart, n_iter=1
        )
        self._data = data
        return self

    @cached_property
    def inertia_(self) -> float:
        """Sum of the expected distances; variances are added on first access."""
        check_is_fitted(self)
        return self._search_for(self._data).inertia(self._run)

    @cached_property
    def objective_(self) -> list[float]:
        """Objective after each iteration of the best start."""
        check_is_fitted(self)
        return self._search_for(self._data).objectives(self._run)

    def _fit(self, objects: UncertainData | PartitionedData) -> None:
        if self.metric == "sqeuclidean" and self.center != "mean":
            msg = (
                f"center={self.center!r} needs metric='euclidean'; with squared "
                "distances use center='mean', which minimizes them."
            )
            raise ValueError(msg)
        self.__dict__.pop("_online", None)  # batches of an earlier fit
        self._data = objects
        self.n_evaluations_, self.share_saved_ = 0, 0.0
        if isinstance(objects, PartitionedData):
            self._fit_partitions(objects)
        else:
            self._fit_here(objects)
        centers = self.cluster_centers_
        self._model = (
            OfWorlds(_found_centers, objects, centers, self.n_worlds, self.seed_)
            if self.metric == "sqeuclidean"
            else OfWorlds(np.asarray, centers[None])
        )

    def _fit_here(self, data: UncertainData) -> None:
        search = self._search_for(data)
        first = self._starts(search.means)
        best = min(map(search.run, followed(first, "starts")), key=lambda run: run.cost)
        self._keep(best)
        if isinstance(search, EuclideanSearch):
            self.n_evaluations_ = search.n_evaluations
            self.share_saved_ = 1.0 - search.n_evaluations / search.n_pairs

    def _fit_partitions(self, data: PartitionedData) -> None:
        parts = data.summaries()
        self.ids_ = sorted_ids(parts)
        self._check_number(len(self.ids_))
        drawn = drawn_means(parts, self.seed_, max(50 * self.n_clusters, 1000))
        best, labels = lloyd(parts, self._starts(drawn), self.max_iter, self.tol)
        self._keep(
            KMeansRun(
                start=best.start,
                centers=best.centers,
                labels=labels,
                cost=best.inertia,
                n_iter=best.n_iter,
            )
        )
        self.inertia_, self.objective_ = best.inertia, best.objective

    def _keep(self, best: KMeansRun) -> None:
        """Set the attributes of the best start, clusters in order of appearance."""
        k, self._run = self.n_clusters, best
        self.labels_, order = in_order_of_appearance(best.labels)
        self.cluster_centers_ = best.centers[with_empty_last(order, k)]
        self.cluster_sizes_ = np.bincount(self.labels_, minlength=k)
        self.n_iter_ = best.n_iter

    def _membership(self) -> Array:
        return self._at_rows(self._proba(self._data))

    def _predict(self, objects: UncertainData | PartitionedData) -> Indices:
        centers = self.cluster_centers_
        if isinstance(objects, PartitionedData):
            return objects.each(labels_of, centers)
        if self.metric == "sqeuclidean":
            return nearest_centers(objects.mean(), centers, np.zeros(len(centers)))
        return self._search_for(objects).assigned(centers)  # type: ignore[union-attr]

    def _cores(self) -> tuple[Values, str]:
        return as_points(self.cluster_centers_), self.metric

    def _proba(self, objects: UncertainData | PartitionedData) -> Array:
        centers, no_offsets = self._model.centers, np.zeros(self.n_clusters)
        how = centers, no_offsets, self.n_worlds, self.seed_
        return wherever(nearest_shares, objects, *how)

    def _check_stored(self) -> None:
        if "_model" not in vars(self):  # a file from before it was stored
            self._model = OfWorlds(np.asarray, self.cluster_centers_[None])
        model = self._model
        if not isinstance(model, OfWorlds):
            wrong("the centers of the worlds are missing")
        if model.centers.shape[1:] != self.cluster_centers_.shape:
            wrong("the centers of the worlds do not fit")

    def _starts(self, means: Array) -> Any:
        return starts(means, self.n_clusters, self.init, self.n_init, self.seed_)

    def _search_for(self, data: UncertainData) -> SquaredSearch | EuclideanSearch:
        if self.metric == "sqeuclidean":
            return SquaredSearch(data, self.max_iter, self.tol, self.algorithm)
        rules: tuple[str, ...] = () if self.pruning is None else (self.pruning,)
        if self.pruning == "all":
            rules = ("voronoi", "shift")  # bisectors make boxes redundant
        law = as_values(data.law, self.seed_, data.uniform_keys())
        return EuclideanSearch(law, data.mean(), self.center, rules, self.max_iter)

    def _check_partitions(self, data: PartitionedData, *, reset: bool) -> None:
        if self.metric != "sqeuclidean":
            msg = (
                f"metric={self.metric!r} does not support partitioned data; use "
                "metric='sqeuclidean', or load all objects with X.gather()."
            )
            raise ValueError(msg)
        super()._check_partitions(data, reset=reset)


def _found_centers(
    objects: UncertainData | PartitionedData, centers: Array, n_worlds: int, seed: int
) -> Array:
    """Find the centers in several worlds, from a sample if there are many objects.

    Objects with the meaning "spread" keep their means in all worlds.
    """
    some, _ = some_objects(by_moments(objects), MANY_OBJECTS, seed)
    if certain(some):
        return centers[None]
    n_worlds = min(n_worlds, MANY_WORLDS)
    spread = some.meaning == "spread" and not some.joint
    worlds = (
        repeat(some.mean(), n_worlds) if spread else worlds_of(some, n_worlds, seed)
    )
    return centers_in_worlds(worlds, some._keys, centers, seed)
