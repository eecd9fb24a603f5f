"""UCPC: clusters around centroids that are uncertain themselves."""

from typing import Any, ClassVar

from incerta.data.container import UncertainData
from incerta.estimators._base import UncertainClusterer
from incerta.estimators._facts import Facts
from incerta.estimators._relocation import CONSTRAINTS, STORED, relocated
from incerta.partition.moments import mean_by_cluster, ucpc
from incerta.partition.shares import nearest_centres, nearest_shares
from incerta.typing import Array, Indices, Seed


class UCPC(UncertainClusterer):
    """Cluster uncertain objects around centroids that are uncertain themselves.

    The centroid of a cluster is the random mean of its members' values; the sum of the
    expected squared distances of all objects to an independent copy of their cluster's
    centroid is lowered by moving one object at a time [1]_. The total is the k-means
    inertia of the means, plus the variances of all objects, plus the mean variance
    within each cluster: compared with k-means on the means, very uncertain objects
    prefer large clusters. With equal variances the partitions are those of Hartigan's
    k-means.

    Use it for round clusters of many objects whose uncertainties differ. Where these
    are all alike, scikit-learn's ``KMeans`` on ``data.mean()`` lowers the same total
    and is faster; for clusters of other shapes see `ExpectedSpectral` and `RPC`.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters. None of them is ever empty.
    init : {"k-means++", "random"}, default="k-means++"
        Partition to start from: seeds that k-means++ draws among the means, followed by
        a few rounds of k-means; or, as in the paper, at random.
    n_init : int, default=10
        Number of starts; the one that ends lowest is kept.
    max_iter : int, default=100
        Maximum number of sweeps over all objects in each start.
    n_worlds : int, default=100
        Number of worlds behind `membership_`, for objects that are not given by
        values; the labels do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts and of the worlds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Expected value of each centroid: the mean of the members' means.
    cluster_variances_ : ndarray of shape (n_clusters, n_features)
        Variance of each centroid: the sum of the members' variances divided by the
        square of their number.
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
        Number of sweeps, including the last one, which moved nothing.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the data had names.

    See Also
    --------
    MMVar : Lowers the variance of the members' mixture, whatever their number.

    Notes
    -----
    Only means and variances matter; they are exact for every kind of data. With c
    members, sum of means U, sum of variances Psi and sum of expected squares Phi, a
    cluster costs ``Psi / c + Phi - |U|² / c``. A sweep takes ``n_objects * n_clusters *
    n_features`` operations. The result is a local minimum: no single object can move
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

    _parameter_constraints: ClassVar[dict[str, Any]] = CONSTRAINTS
    _stored: ClassVar[dict[str, str]] = STORED

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

    def _fit(self, data: UncertainData) -> None:
        found = relocated(self, data, ucpc)
        variances = mean_by_cluster(found.variances, self.labels_, found.sizes)
        self.cluster_variances_ = variances / found.sizes[:, None]
        self.membership_ = self._proba(data)

    def _predict(self, data: UncertainData) -> Indices:
        # An object of the fit may get another cluster than its label: the fit also
        # counts what a move does to the centres.
        return nearest_centres(data.mean(), self.cluster_centers_, self._offsets())

    def facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        return Facts(objective=self.objective_)

    def _proba(self, data: UncertainData) -> Array:
        n_worlds = 1 if data.exact else self.n_worlds
        centres = self.cluster_centers_
        return nearest_shares(data, centres, self._offsets(), n_worlds, self.seed_)

    def _offsets(self) -> Array:
        # E|X - copy|² also has X's own variance, the same for every cluster.
        return self.cluster_variances_.sum(axis=1)
