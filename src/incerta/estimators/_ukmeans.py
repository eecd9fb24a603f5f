"""UK-means: expected distance to centres."""

from collections.abc import Iterator
from itertools import islice
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.cluster import MiniBatchKMeans
from sklearn.utils.validation import check_is_fitted

from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData
from incerta.data.laws import Values
from incerta.data.partitioned import PartitionedData
from incerta.distances.affinity import as_values
from incerta.estimators._base import StrOptions
from incerta.estimators._ckmeans import CKMeans, Run
from incerta.partition.distributed import drawn_means, labels_of, lloyd, sorted_ids
from incerta.partition.euclidean import (
    PRUNING,
    Shifts,
    assign,
    boxes_of,
    expected_distances,
    geometric_median,
)
from incerta.partition.seeding import without_empty
from incerta.partition.shares import nearest_shares
from incerta.typing import Array, Indices, Seed
from incerta.worlds.streams import as_seed


class UKMeans(CKMeans):
    """Cluster uncertain objects by expected distance to centres.

    With squared distances this is exactly k-means on the means, and is computed as
    such by scikit-learn: see `CKMeans`. With ``metric="euclidean"`` the expected
    distance itself is taken over the values of each object, which uncertainty does
    change; bounds save most of its evaluations and change no label.

    Data in the partitions of a dask cluster (`from_dask`) are clustered where they
    are, with squared distances: workers answer centres with sums, which are exact, so
    that labels do not depend on the partitioning (DUK-means in exact mode [4]_).

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    metric : {"sqeuclidean", "euclidean"}, default="sqeuclidean"
        The distance whose expectation is minimised.
    center : {"mean", "geometric-median"}, default="mean"
        Where centres go with ``metric="euclidean"``: to the mean of the members'
        means, as published, which need not lower the objective; or to the point
        that minimises it. With squared distances the two are one: only "mean".
    pruning : {"all", "minmax", "voronoi", "shift"} or None, default="all"
        Bounds used with ``metric="euclidean"``: boxes around the values (MinMax-BB),
        boxes inside Voronoi cells, and how little centres moved since a distance was
        computed. None computes everything. With squared distances there is nothing
        to prune.
    init : {"k-means++", "random"} or array, default="k-means++"
        Where centres start: spread out, at random objects, or at given places, an
        array of shape (n_clusters, n_features).
    n_init : int, default=10
        Number of starts, of which the best is kept; 1 if `init` is an array.
    max_iter : int, default=300
        Most iterations of each start.
    tol : float, default=1e-4
        Move of the centres, against the variance of the features, below which it
        stops; with ``metric="euclidean"`` it stops when no label changes.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        scikit-learn's algorithm for squared distances.
    n_worlds : int, default=100
        Number of worlds behind `membership_`, where objects are not given by values.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in order of first appearance.
    inertia_ : float
        Sum of the expected distances, squared or not.
    objective_ : list of float
        `inertia_` after each iteration. It never rises, except with
        ``metric="euclidean"`` and ``center="mean"``. The iterations are repeated to
        tell it, when first asked for.
    cluster_centers_, membership_, confidence_, cluster_sizes_, n_iter_, seed_
        As in `CKMeans`.
    ids_ : ndarray of shape (n_objects,)
        Partitioned data: ids of the objects, sorted; all attributes and predictions
        have one row for each in this order.
    n_evaluations_ : int
        Expected distances computed over all starts; 0 with squared distances, which
        need none.
    share_saved_ : float
        Share of the expected distances that the bounds made unnecessary.

    Notes
    -----
    Laws other than lists of values are replaced by 64 stratified values each for
    ``metric="euclidean"``. A distance costs the number of values times features.
    An object that is equally far from several centres, to twelve digits, goes to the
    first of them, whatever `pruning` is.

    Partitioned data are seeded from at most ``max(50 * n_clusters, 1000)`` objects,
    drawn by a hash of their ids, and all starts share the passes over the partitions;
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

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **CKMeans._parameter_constraints,
        "metric": [StrOptions({"sqeuclidean", "euclidean"})],
        "center": [StrOptions({"mean", "geometric-median"})],
        "pruning": [StrOptions({"all", *PRUNING}), None],
    }

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        metric: str = "sqeuclidean",
        center: str = "mean",
        pruning: str | None = "all",
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        algorithm: str = "lloyd",
        n_worlds: int = 100,
        random_state: Seed = None,
    ) -> None:
        super().__init__(
            n_clusters,
            init=init,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            algorithm=algorithm,
            n_worlds=n_worlds,
            random_state=random_state,
        )
        self.metric = metric
        self.center = center
        self.pruning = pruning

    def fit(self, X: Any, y: None = None) -> Self:
        """Find the clusters of `X`.

        Parameters
        ----------
        X : UncertainData, PartitionedData or anything `as_uncertain` takes
            The objects. A plain 2-D array holds objects without uncertainty.
        y : None
            Not used; here for pipelines.

        Returns
        -------
        self
        """
        if self.metric == "sqeuclidean" and self.center != "mean":
            msg = (
                f"center={self.center!r} is for metric='euclidean'; with squared "
                "distances the mean is the best centre."
            )
            raise ValueError(msg)
        self.n_evaluations_ = self._n_unpruned = 0
        self._values: tuple[UncertainData, Values] | None = None
        if isinstance(X, PartitionedData):
            self._fit_partitions(X)
        else:
            self.__dict__.pop("ids_", None)  # of an earlier fit
            super().fit(X)
        self._values = None
        saved = self._n_unpruned - self.n_evaluations_
        self.share_saved_ = saved / max(self._n_unpruned, 1)
        return self

    def predict(self, X: Any) -> Indices:
        """Cluster of new objects: the centre with the least expected distance.

        Parameters
        ----------
        X : UncertainData, PartitionedData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new,)
            Partitioned objects are in the order of their ids.
        """
        if not isinstance(X, PartitionedData):
            return super().predict(X)
        self._check_partitions(X)
        return X.each(labels_of, self.cluster_centers_)

    def predict_proba(self, X: Any) -> Array:
        """Probability, under its own law, of being nearest to each centre.

        Parameters
        ----------
        X : UncertainData, PartitionedData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new, n_clusters)
            Columns in the order of the labels; rows sum to one. Partitioned objects
            are in the order of their ids.
        """
        if not isinstance(X, PartitionedData):
            return super().predict_proba(X)
        self._check_partitions(X)
        centres, no_offsets = self.cluster_centers_, np.zeros(self.n_clusters)
        return X.each(nearest_shares, centres, no_offsets, self.n_worlds, self.seed_)

    def partial_fit(self, X: Any, y: None = None) -> Self:
        """Take one more piece of the data: mini-batch k-means on the means.

        `labels_` and `membership_` are those of the last piece.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The next objects. The first piece needs as many as there are clusters.
        y : None
            Not used; here for pipelines.

        Returns
        -------
        self
        """
        if self.metric != "sqeuclidean":
            msg = "partial_fit needs metric='sqeuclidean'; gather the data and fit."
            raise ValueError(msg)
        first = not hasattr(self, "_online")
        if first:
            data = self._check_objects(X)
            self.seed_ = as_seed(self.random_state)
            init = self.init if isinstance(self.init, str) else np.asarray(self.init)
            self._online = MiniBatchKMeans(
                self.n_clusters, init=init, n_init=1, random_state=self.seed_ % 2**32
            )
        else:
            data = objects_of(self, X, reset=False)
        self._online.partial_fit(data.mean())
        centres = self._online.cluster_centers_
        labels = self._assigned(data, centres)
        # Pieces come one after the other: clusters keep the numbers they have.
        self.cluster_centers_, self.labels_ = centres.copy(), labels
        self.cluster_sizes_ = np.bincount(labels, minlength=self.n_clusters)
        self.n_iter_, self._start, self._data = 1, centres.copy(), data
        self._membership = self._objective = None
        self._inertia = self._costs(data, labels, centres)
        return self

    def _fit_partitions(self, data: PartitionedData) -> None:
        self._validate_params()
        self._check_partitions(data, reset=True)
        self.seed_, parts = as_seed(self.random_state), data.summaries()
        self.ids_ = sorted_ids(parts, at_least=self.n_clusters)
        drawn = drawn_means(parts, self.seed_, max(50 * self.n_clusters, 1000))
        starts = self._starts(drawn)
        best, labels = lloyd(parts, starts, self.max_iter, self.tol)
        run = Run(best.start, best.centres, labels, best.inertia, best.n_iter)
        self._keep(data, run)  # type: ignore[arg-type]  # it only passes data on
        self._inertia, self._objective = best.inertia, best.objective

    def _check_partitions(self, data: PartitionedData, *, reset: bool = False) -> None:
        if self.metric != "sqeuclidean":
            msg = (
                f"metric={self.metric!r} is not for partitioned data; use "
                "metric='sqeuclidean', or bring the objects here: X.gather()."
            )
            raise ValueError(msg)
        if not reset:
            check_is_fitted(self, "cluster_centers_")
        objects_of(self, data.example(), reset=reset)

    def _run(self, data: UncertainData, means: Array, start: Array) -> Run:
        if self.metric == "sqeuclidean":
            return super()._run(data, means, start)
        seen = set[bytes]()
        for labels, centres in self._iterations(data, start):
            again = labels.tobytes() in seen
            seen.add(labels.tobytes())
            # With mean centres the same labels may come back after a while.
            if again or len(seen) == self.max_iter:
                cost = self._costs(data, labels, centres)
                return Run(start, centres, labels, cost, len(seen))
        raise AssertionError

    def _iterations(
        self, data: UncertainData, centres: Array
    ) -> Iterator[tuple[Indices, Array]]:
        """Assign all objects, then move the centres; both after each iteration."""
        law, k = self._as_values(data), len(centres)
        boxes, shifts = boxes_of(law), Shifts(len(data), k)
        while True:
            labels, n_new = assign(law, boxes, centres, self._rules(), shifts)
            self.n_evaluations_ += n_new
            self._n_unpruned += len(data) * k
            if len(np.unique(labels)) < k:
                own = self._own_distances(law, labels, centres)
                labels = without_empty(labels, own, k)
            centres = self._moved(data, labels, centres)
            yield labels, centres

    def _moved(self, data: UncertainData, labels: Indices, centres: Array) -> Array:
        if self.center == "mean":
            members = np.eye(len(centres))[labels]
            return members.T @ data.mean() / members.sum(axis=0)[:, None]
        law = self._as_values(data)
        clusters = (law.take(np.flatnonzero(labels == c)) for c in range(len(centres)))
        places = zip(clusters, centres, strict=True)
        return np.array([geometric_median(*place) for place in places])

    def _rules(self) -> tuple[str, ...]:
        if self.pruning is None:
            return ()
        # Bisectors decide whatever boxes decide, so "all" needs no minmax.
        return ("voronoi", "shift") if self.pruning == "all" else (self.pruning,)

    def _as_values(self, data: UncertainData) -> Values:
        """The values of the objects; those of the data at hand are kept."""
        if self._values is None or self._values[0] is not data:
            self._values = data, as_values(data.law, self.seed_)
        return self._values[1]

    def _own_distances(self, law: Values, labels: Indices, centres: Array) -> Array:
        """Expected distance of each object to the centre of its own cluster."""
        own = np.empty(len(labels))
        for c in np.unique(labels):
            members = np.flatnonzero(labels == c)
            own[members] = expected_distances(law, members, centres[c])
        return own

    def _fixed(self, data: UncertainData) -> float:
        return super()._fixed(data) if self.metric == "sqeuclidean" else 0.0

    def _assigned(self, data: UncertainData, centres: Array) -> Indices:
        if self.metric == "sqeuclidean":
            return super()._assigned(data, centres)
        law = as_values(data.law, self.seed_)
        nothing_known = Shifts(len(data), len(centres))
        return assign(law, boxes_of(law), centres, self._rules(), nothing_known)[0]

    def _costs(self, data: UncertainData, labels: Indices, centres: Array) -> float:
        if self.metric == "sqeuclidean":
            return super()._costs(data, labels, centres)
        return float(self._own_distances(self._as_values(data), labels, centres).sum())

    def _replayed(self) -> Iterator[float]:
        if self.metric == "sqeuclidean":
            yield from super()._replayed()
            return
        counts = self.n_evaluations_, self._n_unpruned
        steps = islice(self._iterations(self._data, self._start), self.n_iter_)
        yield from [self._costs(self._data, *step) for step in steps]
        # Telling the objective is not part of the fit.
        self.n_evaluations_, self._n_unpruned = counts
        self._values = None
