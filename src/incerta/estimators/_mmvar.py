"""MMVar: clusters whose mixtures vary little."""

from typing import Any, ClassVar

import numpy as np

from incerta.data.container import UncertainData
from incerta.estimators._base import UncertainClusterer
from incerta.estimators._facts import Facts
from incerta.estimators._relocation import CONSTRAINTS, STORED, relocated
from incerta.partition.moments import mean_by_cluster, mmvar
from incerta.partition.shares import nearest_centres, nearest_shares
from incerta.typing import Array, Indices, Seed


class MMVar(UncertainClusterer):
    """Cluster uncertain objects so that the mixtures of their laws vary little.

    A cluster represents the mixture of its members; the sum of the mixtures' variances
    over clusters is lowered by moving one object at a time [1]_.

    **Look at** `cluster_sizes_`. The sum counts each cluster once, however many
    objects it has. Setting a single object apart therefore costs no more than that
    object's own variance, and where the classes overlap the lowest total is degenerate:
    all clusters but one hold one object or a few, and one giant cluster holds all the
    others. That is what the method asks for, and what is returned. More starts make it
    more likely, not less. If it happens, use `UCPC`, which counts every object; `MMVar`
    is for clusters that lie well apart.

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
        Mean of each mixture.
    cluster_variances_ : ndarray of shape (n_clusters, n_features)
        Variance of each mixture. They sum to `inertia_`.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of objects in each cluster; ones next to a single large number are the
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
        Number of sweeps, including the last one, which moved nothing.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the data had names.

    See Also
    --------
    UCPC : Counts every object, and so has no such degenerate result.

    Notes
    -----
    Only means and variances matter; they are exact for every kind of data. With c
    members, sum of means U and sum of expected squares Phi, a cluster costs
    ``Phi / c - |U|² / c²``. A sweep takes ``n_objects * n_clusters * n_features``
    operations. The result is a local minimum: no single object can move and lower the
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
        found = relocated(self, data, mmvar)
        # Of a mixture: the variances within its members, and that of their means.
        within = found.apart + found.variances
        self.cluster_variances_ = mean_by_cluster(within, self.labels_, found.sizes)
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
        return np.zeros(self.n_clusters)
