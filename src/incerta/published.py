"""Published methods for uncertain data, implemented as their papers describe them.

They are for comparisons. Where a method of `incerta.estimators` does the same, prefer
that one.
"""

import warnings
from collections.abc import Iterable
from dataclasses import KW_ONLY, field, replace
from itertools import starmap
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from sklearn.cluster import DBSCAN
from sklearn.exceptions import ConvergenceWarning

from incerta.backend.parameters import (
    AUTO,
    NOT_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    SEED,
    WHOLE,
    Interval,
    StrOptions,
    choice,
    parameter,
    with_parameters,
)
from incerta.backend.progress import followed, track
from incerta.data.container import UncertainData
from incerta.density.in_worlds import new_labels_in_worlds
from incerta.density.persistence import positive_knee
from incerta.density.probabilities import of_products
from incerta.density.within import known, within
from incerta.divergence.clusterings import ari_matrix
from incerta.ensemble.alternatives import BOUNDS, Alternatives, alternatives
from incerta.ensemble.consensus import renamed
from incerta.ensemble.consensus_affinity import (
    Consensus,
    adaptive_affinity,
    agreement_weights,
    n_components,
    neighbor_weights,
    rank_constrained,
    votes,
    weighted_mean,
)
from incerta.ensemble.runs import cluster_worlds
from incerta.estimators import UKMeans
from incerta.estimators._base import (
    DIVERGENCE,
    SELECTION,
    Alternative,
    Facts,
    UncertainClusterer,
    check_model,
    kept_worlds,
)
from incerta.estimators._consensus import STORED, AnyClusterer, WorldsClusterer, agreed
from incerta.estimators._fdbscan import STORED as DENSE
from incerta.estimators._fdbscan import DenseClusterer, grow, prepared
from incerta.labels import in_order_of_appearance, shares
from incerta.models.registry import stored
from incerta.partition.relocate import (
    Objective,
    best_relocation,
    mean_by_cluster,
    mmvar,
    ucpc,
)
from incerta.partition.shares import nearest_centers, nearest_shares
from incerta.selection.keeping import Divergence, Kept
from incerta.spectral.embedding import cut, leading_eigenvectors
from incerta.typing import Array, Indices, Seed
from incerta.worlds import Worlds
from incerta.worlds.sequence import check_worlds, paired

__all__ = [
    "PDBSCAN",
    "REP",
    "SC",
    "UCPC",
    "CKMeans",
    "MMVar",
    "PossibleWorldConsistency",
]

# Number of neighbors of the default DBSCAN of REP.
MIN_SAMPLES = 5

# Up to this many objects, a dense eigenvalue solver is faster.
DENSE_OBJECTS = 1000
# Largest number of times that the neighbors are doubled to connect components.
MOST_DOUBLINGS = 3
N_INIT = 10


@with_parameters
class CKMeans(UKMeans):
    """UK-means reduced to k-means on the means of the objects.

    The expected squared distance of an object to a center is the squared distance of
    its mean plus its variance, which is the same for all centers [1]_. Use `UKMeans`
    instead: with squared distances it is the same method at the same cost, and takes
    partitioned data, too. The argmax of `predict_proba` may differ from `predict`.

    Parameters
    ----------
    n_clusters, init, n_init, max_iter, tol, algorithm, n_worlds, random_state
        As for `UKMeans`, which has the same attributes.

    References
    ----------
    .. [1] S. D. Lee, B. Kao, R. Cheng, "Reducing UK-means to K-means", ICDM Workshops
       2007.

    Examples
    --------
    >>> import incerta as ic
    >>> mean, std = [[0.0], [0.2], [5.0], [5.3]], [[0.1], [2.0], [1.0], [0.1]]
    >>> data = ic.from_gaussian(mean, std)
    >>> ck = ic.published.CKMeans(n_clusters=2, random_state=0).fit(data)
    >>> ck.labels_, ck.confidence_.round(1)
    (array([0, 0, 1, 1]), array([1. , 0.9, 1. , 1. ]))
    """

    # Fixed values of parameters of `UKMeans`.
    metric: str = field(init=False, default="sqeuclidean", metadata={"allowed": []})
    center: str = field(init=False, default="mean", metadata={"allowed": []})
    pruning: str | None = field(init=False, default=None, metadata={"allowed": []})

    _takes_partitions = False


@with_parameters
class _Relocating(UncertainClusterer, family=True):
    """Base class of methods that move one object at a time."""

    n_clusters: int = parameter(WHOLE, default=3)
    _: KW_ONLY
    init: str = choice("random", default="k-means++")
    n_init: int = parameter(WHOLE, default=10)
    max_iter: int = parameter(WHOLE, default=100)
    n_worlds: int = parameter(WHOLE, default=100)
    random_state: Seed = parameter(SEED, default=None)

    _stored: ClassVar[dict[str, str]] = {
        "cluster_centers_": "f k d",
        "cluster_variances_": "f k d",
        "cluster_sizes_": "i k",
        "objective_": "",
        "inertia_": "",
        "n_iter_": "",
    }

    def _relocate(
        self, data: UncertainData, objective: Objective
    ) -> tuple[Array, Array]:
        """Find the clusters; return squared deviations from centers, and variances."""
        means, variances = data.mean(), data.variance()
        middle = means.mean(axis=0)
        means = means - middle  # a large offset would cost digits of the squares
        history = best_relocation(
            means,
            variances.sum(axis=1),
            self.n_clusters,
            objective,
            init=self.init,
            n_init=self.n_init,
            max_iter=self.max_iter,
            seed=self.seed_,
        )
        if history[-1].n_moved:
            msg = (
                f"objects still move after max_iter={self.max_iter} sweeps "
                f"({history[-1].n_moved} in the last one); raise max_iter."
            )
            warnings.warn(msg, ConvergenceWarning, stacklevel=4)
        self.objective_ = [sweep.objective for sweep in history]
        self.inertia_ = self.objective_[-1]
        self.n_iter_ = len(history)
        self.labels_, _ = in_order_of_appearance(history[-1].labels)
        sizes = np.bincount(self.labels_, minlength=self.n_clusters)
        centers = mean_by_cluster(means, self.labels_, sizes)
        self.cluster_sizes_ = sizes
        self.cluster_centers_ = centers + middle
        return np.square(means - centers[self.labels_]), variances

    def _predict(self, data: UncertainData) -> Indices:
        # Objects of the fit may get another label: the fit also considers how a move
        # changes the centers.
        return nearest_centers(data.mean(), self.cluster_centers_, self._offsets())

    def _proba(self, data: UncertainData) -> Array:
        n_worlds = 1 if data.exact else self.n_worlds
        centers = self.cluster_centers_
        return nearest_shares(data, centers, self._offsets(), n_worlds, self.seed_)

    def _offsets(self) -> Array:
        return np.zeros(self.n_clusters)


class UCPC(_Relocating):
    """Cluster uncertain objects around centroids that are uncertain themselves.

    The centroid of a cluster is the random mean of its members' values. The sum of the
    expected squared distances of all objects to an independent copy of their centroid
    is lowered by moving one object at a time [1]_. The sum is the k-means inertia of
    the means, plus the variances of all objects, plus the mean variance within each
    cluster: compared with k-means, very uncertain objects prefer large clusters. With
    equal variances the result is that of Hartigan's k-means. `predict` uses means and
    `predict_proba` counts values, so the argmax of `predict_proba` may differ.

    Use it for round clusters of many objects with different uncertainties. If these are
    alike, `UKMeans` lowers the same sum and is faster. For clusters of other shapes see
    `ExpectedSpectral` and `RPC`.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters. No cluster is ever empty.
    init : {"k-means++", "random"}, default="k-means++"
        Initial partition: k-means++ on the means and a few rounds of k-means; or
        random, as published.
    n_init : int, default=10
        Number of starts, of which the best is kept.
    max_iter : int, default=100
        Maximum number of sweeps over all objects in each start.
    n_worlds : int, default=100
        Number of worlds (random draws) for `membership_`, unless objects are lists of
        values.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts and of the worlds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Expected centroids: the means of the members' means.
    cluster_variances_ : ndarray of shape (n_clusters, n_features)
        Variance of each centroid: the sum of the members' variances divided by the
        square of their number.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of objects in each cluster.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability, by the object's distribution, that a copy of each centroid is
        nearest in expectation.
    confidence_ : ndarray of shape (n_objects,)
        Membership in the cluster of the label.
    objective_ : list of float
        Objective after each sweep; never rises.
    inertia_ : float
        Objective at the end.
    n_iter_ : int
        Number of sweeps, including the last one without moves.

    See Also
    --------
    MMVar : Minimizes the variance of the members' mixture, whatever their number.

    Notes
    -----
    Only means and variances matter; they are exact for all kinds of data. With c
    members, sum of means U, sum of variances Psi and sum of expected squares Phi, a
    cluster costs ``Psi / c + Phi - |U|² / c``. A sweep takes ``n_objects * n_clusters *
    n_features`` operations. The result is a local minimum: no move of a single object
    lowers the objective.

    References
    ----------
    .. [1] F. Gullo, A. Tagarelli, "Uncertain Centroid based Partitional Clustering of
       Uncertain Data", PVLDB 5(7), 2012, 610-621.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [2.0], [10.0]], std=[[1.0], [3**0.5], [2.0]])
    >>> found = ic.published.UCPC(n_clusters=2, random_state=0).fit(data)
    >>> found.labels_
    array([0, 0, 1])
    >>> round(found.inertia_, 6)
    16.0
    """

    def _fit(self, data: UncertainData) -> None:
        _, variances = self._relocate(data, ucpc)
        means = mean_by_cluster(variances, self.labels_, self.cluster_sizes_)
        self.cluster_variances_ = means / self.cluster_sizes_[:, None]
        self.membership_ = self._proba(data)

    def _offsets(self) -> Array:
        # E|X - copy|² also has the variance of X, the same for every cluster.
        return self.cluster_variances_.sum(axis=1)


class MMVar(_Relocating):
    """Cluster uncertain objects by minimizing the variance of cluster mixtures.

    A cluster represents the mixture of its members. The sum of the variances of the
    mixtures is lowered by moving one object at a time [1]_. The argmax of
    `predict_proba` may differ from `predict`, as for `UCPC`.

    **Look at** `cluster_sizes_`. The sum counts each cluster once, however many objects
    it has, so a cluster of a single object costs no more than the variance of that
    object. If clusters overlap, the minimum is degenerate: one giant cluster, and
    clusters of one or a few objects. More starts make this more likely. Use `MMVar`
    only for clusters that are well separated, and otherwise `UCPC`, which counts every
    object and costs the same.

    Parameters
    ----------
    n_clusters, init, n_init, max_iter, n_worlds, random_state
        As for `UCPC`.

    Attributes
    ----------
    cluster_variances_ : ndarray of shape (n_clusters, n_features)
        Variance of each mixture. They sum to `inertia_`.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of objects in each cluster; ones next to a large number indicate the
        degenerate result.
    labels_, cluster_centers_, membership_, confidence_, objective_, inertia_, n_iter_
        As of `UCPC`.

    See Also
    --------
    UCPC : Counts every object, and so has no such degenerate result.

    Notes
    -----
    Only means and variances matter; they are exact for all kinds of data. With c
    members, sum of means U and sum of expected squares Phi, a cluster costs
    ``Phi / c - |U|² / c²``. For the rest see `UCPC`.

    New objects go to the nearest mean of a mixture, without its variance: otherwise
    wide clusters would lose members to narrow neighbors.

    References
    ----------
    .. [1] F. Gullo, G. Ponti, A. Tagarelli, "Minimizing the Variance of Cluster
       Mixture Models for Clustering Uncertain Objects", ICDM 2010, 839-844.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [2.0], [10.0]], std=[[1.0], [3**0.5], [2.0]])
    >>> found = ic.published.MMVar(n_clusters=2, random_state=0).fit(data)
    >>> found.labels_, found.cluster_sizes_
    (array([0, 0, 1]), array([2, 1]))
    >>> round(found.inertia_, 6)
    7.0
    """

    def _fit(self, data: UncertainData) -> None:
        # Variance of a mixture: the mean variance of its members plus that of means.
        apart, variances = self._relocate(data, mmvar)
        both = apart + variances
        self.cluster_variances_ = mean_by_cluster(
            both, self.labels_, self.cluster_sizes_
        )
        self.membership_ = self._proba(data)


@with_parameters
class PDBSCAN(DenseClusterer):
    """DBSCAN for uncertain objects, with one product of probabilities per pair.

    It differs from `FDBSCAN` in the probability that an object is reached from another:
    the product of the probabilities that the other is core and that the two are within
    `eps` [1]_. With ``assignment="maximal"`` it is PDBSCANi: every object joins the
    core object that reaches it most probably, however improbable that is. The exact
    definitions are not public; these follow the abstract of the paper. Use `FDBSCAN`
    unless you compare methods; the cost is about the same.

    Parameters
    ----------
    eps, min_samples, distances, n_worlds, random_state
        As for `FDBSCAN`, which has the same attributes.
    assignment : {"threshold", "maximal"}, default="threshold"
        Whether an object that is not core needs a core object that reaches it with
        probability `reach_threshold`; or joins the one that reaches it most probably
        (PDBSCANi), unless that probability is below `noise_threshold`.
    core_threshold : float, default=0.5
        Least probability of being core.
    reach_threshold : float, default=0.5
        Least probability of one core object reaching another to be in the same cluster.
    noise_threshold : float, default=0.0
        With ``assignment="maximal"``, objects reached with a lower probability are
        noise. Objects that no other can reach are always noise.

    Notes
    -----
    It costs as much as `FDBSCAN`, minus the removal of one neighbor per pair. The
    probabilities are never larger than those of `FDBSCAN`, which considers that the
    object reached helps to make the other one core. The hierarchical version by the
    same authors is ``FOPTICS(algorithm="grid")``.

    References
    ----------
    .. [1] X. Zhang, H. Liu, X. Zhang, X. Liu, "Novel Density-Based Clustering
       Algorithms for Uncertain Data", AAAI 2014.

    Examples
    --------
    >>> import incerta as ic
    >>> mean = [[0.0], [0.3], [0.5], [0.8], [5.0], [5.2], [5.6], [5.9], [1.8]]
    >>> data = ic.from_gaussian(mean, std=[[0.1]] * 8 + [[0.4]])
    >>> from incerta.published import PDBSCAN
    >>> PDBSCAN(eps=0.8, min_samples=3).fit(data).labels_
    array([ 0,  0,  0,  0,  1,  1,  1,  1, -1])
    >>> PDBSCAN(eps=0.8, min_samples=3, assignment="maximal").fit(data).labels_
    array([0, 0, 0, 0, 1, 1, 1, 1, 0])
    """

    eps: float | str = parameter(
        [Interval(Real, 0, None, closed="both"), AUTO], default="auto"
    )
    min_samples: int | str = parameter([*WHOLE, AUTO], default=5)
    _: KW_ONLY
    assignment: str = choice("maximal", default="threshold")
    core_threshold: float = parameter(PROBABILITY, default=0.5)
    reach_threshold: float = parameter(PROBABILITY, default=0.5)
    noise_threshold: float = parameter(
        [Interval(Real, 0, 1, closed="both")], default=0.0
    )
    distances: str = choice("fast", default="exact")
    n_worlds: int = parameter(WHOLE, default=100)
    random_state: Seed = parameter(SEED, default=None)

    _stored: ClassVar[dict[str, str]] = DENSE

    def _fit(self, data: UncertainData) -> None:
        everyone = self.assignment == "maximal"
        if self.noise_threshold > 0 and not everyone:
            msg = (
                f"noise_threshold={self.noise_threshold} needs assignment='maximal'; "
                "with 'threshold', set reach_threshold."
            )
            raise ValueError(msg)
        how = prepared(self, data)
        fast = self.distances == "fast"
        law = known(data.law, self.seed_, data.uniform_keys())
        table = within(law, how.eps, fast=fast)
        reach = of_products(table, how.min_samples)
        noise_below = self.noise_threshold if everyone else self.reach_threshold
        grow(self, how, reach, self.core_threshold, self.reach_threshold, noise_below)


@with_parameters
class SC(WorldsClusterer):
    """Run DBSCAN in possible worlds, and join objects that are together in most.

    Two objects are linked if they are in the same cluster in more than half of the
    worlds (random draws of the data), and connected objects form a cluster [1]_.
    Clusters may have any shape, and their number is found. RP-SC is this method with
    ``n_representatives=10``. Use `FDBSCAN` to avoid random draws, and `WorldConsensus`
    for other clusterers. It costs one run of DBSCAN for each world.

    Parameters
    ----------
    eps : float or "auto", default="auto"
        The radius of DBSCAN. "auto" takes the knee of the sorted distances to the
        `min_samples`-th nearest object, pooled over five worlds; check `eps_`.
    min_samples : int, default=5
        Number of objects within `eps`, itself included, that makes an object core.
    n_worlds, n_representatives, selection, divergence
        As for `WorldConsensus`.
    noise : {"separate", "cluster"}, default="separate"
        Whether objects that are noise in the same world count as separate there, or, as
        published, as one cluster.
    linkage : {"components", "average"}, default="components"
        "components", as published, can chain clusters together through single objects
        between them, and makes clusters of single objects on which worlds disagree.
        "average" links groups by the mean over all pairs, and lets such objects join
        the cluster they are with most often.
    min_share : float, default=0.5
        Two objects are linked if they are together in more than this share of the
        worlds.
    n_jobs, random_state
        As for `WorldConsensus`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids; -1 is noise. An object
        is noise if it is noise in more than half of the worlds, or in so many that it
        cannot be with others in more than `min_share`.
    n_clusters_ : int
        Number of clusters found.
    eps_ : float
        Radius used.
    confidence_, membership_, labels_per_world_, raw_labels_per_world_
        As of `WorldConsensus`.
    stability_, failures_, representatives_, n_drawn_
        As of `WorldConsensus`.

    Warns
    -----
    IncertaWarning
        If all objects are noise in some worlds.

    Notes
    -----
    DBSCAN runs once in each world; for the rest see `WorldConsensus`.

    References
    ----------
    .. [1] P. B. Volk, F. Rosenthal, M. Hahmann, D. Habich, W. Lehner, "Clustering
       Uncertain Data With Possible Worlds", ICDE 2009.

    Examples
    --------
    >>> import incerta as ic
    >>> mean = [[0.0], [0.3], [0.5], [0.8], [5.0], [5.2], [5.6], [5.9], [20.0]]
    >>> data = ic.from_gaussian(mean, std=0.1)
    >>> found = ic.published.SC(eps=1.0, min_samples=3, random_state=0).fit(data)
    >>> found.labels_
    array([ 0,  0,  0,  0,  1,  1,  1,  1, -1])
    """

    eps: float | str = parameter([*POSITIVE, AUTO], default="auto")
    min_samples: int = parameter(WHOLE, default=5)
    n_worlds: int = parameter(WHOLE, default=100)
    n_representatives: int | None = parameter([*WHOLE, None], default=None)
    _: KW_ONLY
    selection: str = parameter(SELECTION, default="greedy")
    divergence: Divergence = parameter(DIVERGENCE, default="jensen-shannon")
    noise: str = choice("cluster", default="separate")
    linkage: str = choice("average", default="components")
    min_share: float = parameter([Interval(Real, 0, 1, closed="left")], default=0.5)
    n_jobs: int | None = parameter([Integral, None], default=None)
    random_state: Seed = parameter(SEED, default=None)

    _finds_number = True
    _stored: ClassVar[dict[str, str]] = {**STORED, "eps_": ""}

    def _fit(self, objects: Any) -> None:
        kept = kept_worlds(self, objects)
        self.eps_ = (
            positive_knee(kept.worlds, self.min_samples)
            if isinstance(self.eps, str)
            else float(self.eps)
        )
        dbscan = DBSCAN(eps=self.eps_, min_samples=self.min_samples)
        runs = cluster_worlds(dbscan, kept.worlds, seed=self.seed_, n_jobs=self.n_jobs)
        method = "graph" if self.linkage == "components" else "coassociation"
        self.labels_, self.n_clusters_, self.stability_ = agreed(runs, self, method)
        self._keep(kept, runs)

    def _proba(self, data: UncertainData) -> Array:
        # In each world the label of the nearest core object, if within the radius.
        model = self._model
        pairs = paired(model.worlds, data, self.n_worlds)
        levels = np.full(self.n_clusters_, self.eps_)
        labels = renamed(model.raw, model.names)
        found = [
            new_labels_in_worlds(
                pairs.fitted[j : j + 1],
                pairs.new[j : j + 1],
                labels[position],
                levels,
                self.min_samples,
            )[0]
            for j, position in enumerate(pairs.positions.tolist())
        ]
        return shares(np.array(found), self.n_clusters_)


@with_parameters
class REP(AnyClusterer):
    """Run any clusterer in possible worlds, and return representative clusterings.

    Of the clusterings of all worlds (random draws of the data), one or a few are
    returned that most others are near to, by the adjusted Rand index. Each of them
    comes with a lower bound on the probability that the true clustering is near [1]_.

    Use it if you want possible clusterings rather than one combined clustering, for
    which see `WorldConsensus`. It costs one fit for each world. `labels_` are those of
    one world, so the argmax of `membership_` and `predict` may differ from them.

    Parameters
    ----------
    clusterer : object, optional
        Any scikit-learn clusterer, such as ``KMeans(5)``. By default DBSCAN with 5
        neighbors and a radius taken from the distances to them.
    n_worlds, n_representatives, selection, divergence
        As for `WorldConsensus`.
    n_alternatives : int, default=1
        Number of clusterings to return. The clusterings of the worlds are divided into
        that many groups around medoids, and one member represents each group.
    criterion : {"center", "medoid"}, default="center"
        The representative of a group: the clustering with the smallest maximum distance
        to the others, or with the smallest mean distance.
    tau : float, optional
        Distance up to which clusterings are near. With it, the first clustering is the
        one with the most others within this distance, the second the one with the most
        of the rest, and so on.
    bound : {"clopper-pearson", "wilson", "wald"}, default="clopper-pearson"
        How `phi_` is computed: exactly, or by one of two approximations. "wald" is the
        published one, and gives 1 if all worlds agree.
    confidence_level : float, default=0.95
        Confidence level of `phi_`.
    holdout : float or "auto", default="auto"
        Share of the worlds that are not used for the choice, but only for counting how
        often the clusterings are near. With 0, as published, `tau_` is fitted to the
        same worlds that are counted, which makes `phi_` slightly too large. "auto" is
        0.5, or 0 with `n_representatives`.
    noise : {"singletons", "cluster"}, default="singletons"
        Whether noise objects count as single clusters or as one cluster when
        clusterings are compared.
    n_jobs, random_state
        As for `WorldConsensus`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object in the first alternative, numbered in order of first
        appearance; -1 is noise.
    clusterings_ : ndarray of shape (n_found, n_objects)
        Labels of all alternatives; fewer than `n_alternatives` if fewer differ.
    worlds_of_clusterings_ : ndarray of shape (n_found,)
        Number of the world of each alternative.
    probabilities_ : ndarray of shape (n_found,)
        Share of the worlds that each alternative represents: those of its group, the
        largest group first. With `holdout`, the share of the held-out worlds within
        `tau_`, in the order of the groups of the other worlds.
    tau_ : ndarray of shape (n_found,)
        Largest distance within the group of each alternative.
    global_tau_ : ndarray of shape (n_found,)
        Largest distance of each alternative to any clustering.
    phi_ : ndarray of shape (n_found,) or None
        Lower confidence bound on the probability that the clustering of the true world
        is within `tau_`. 1 for data without uncertainty. None with `n_representatives`,
        because selected worlds are not a random sample.
    confidence_, membership_, labels_per_world_, raw_labels_per_world_
        As of `WorldConsensus`, for the first alternative.
    stability_, failures_, representatives_, n_drawn_
        As of `WorldConsensus`.
    clusterer_ : object
        The clusterer that was run.
    n_clusters_ : int
        Number of clusters of the first alternative.

    Notes
    -----
    With M worlds, it takes M runs of the clusterer, and M² n operations for the
    distances of the clusterings. The distance is one minus the adjusted Rand index: 0
    for the same partition, about 1 for unrelated ones.

    With a confidence level of 0.95, `phi_` may be too large for 5% of the data sets.
    In our simulations it was for at most 5% with half of the worlds held out, for 8%
    with none held out, and for 87% with ``bound="wald"``.

    References
    ----------
    .. [1] A. Züfle, T. Emrich, K. A. Schmid, N. Mamoulis, A. Zimek, M. Renz,
       "Representative Clustering of Uncertain Data", KDD 2014.

    Examples
    --------
    >>> import incerta as ic
    >>> from sklearn.cluster import KMeans
    >>> data = ic.from_gaussian([[0.0], [1.0], [4.3], [8.0], [9.0]], std=0.5)
    >>> rep = ic.published.REP(KMeans(2), n_alternatives=2, random_state=0).fit(data)
    >>> rep.clusterings_
    array([[0, 0, 0, 1, 1],
           [0, 0, 1, 1, 1]])
    >>> rep.probabilities_
    array([0.62, 0.38])
    """

    clusterer: Any = parameter("no_validation", default=None)
    n_worlds: int = parameter(WHOLE, default=100)
    n_representatives: int | None = parameter([*WHOLE, None], default=None)
    _: KW_ONLY
    selection: str = parameter(SELECTION, default="greedy")
    divergence: Divergence = parameter(DIVERGENCE, default="jensen-shannon")
    n_alternatives: int = parameter(WHOLE, default=1)
    criterion: str = choice("medoid", default="center")
    tau: float | None = parameter([*NOT_NEGATIVE, None], default=None)
    bound: str = parameter([StrOptions(set(BOUNDS))], default="clopper-pearson")
    confidence_level: float = parameter(
        [Interval(Real, 0, 1, closed="neither")], default=0.95
    )
    holdout: float | str = parameter(
        [Interval(Real, 0, 1, closed="left"), AUTO], default="auto"
    )
    noise: str = choice("cluster", default="singletons")
    n_jobs: int | None = parameter([Integral, None], default=None)
    random_state: Seed = parameter(SEED, default=None)

    _finds_number = True
    _stored: ClassVar[dict[str, str]] = {
        **STORED,
        "clusterings_": "i f n",
        "worlds_of_clusterings_": "i f",
        "probabilities_": "f f",
        "tau_": "f f",
        "global_tau_": "f f",
        "phi_": "f f",
        "clusterer_": "",
    }

    def _fit(self, objects: Any) -> None:
        # Selected worlds are not a random sample, whoever selected them.
        given = isinstance(objects, Kept) and objects.chosen is not None
        holdout = self._holdout(given or self.n_representatives is not None)
        kept = kept_worlds(self, objects)
        worlds = kept.worlds
        self.clusterer_ = self.clusterer
        if self.clusterer is None:
            eps = positive_knee(worlds, MIN_SAMPLES)
            self.clusterer_ = DBSCAN(eps=eps, min_samples=MIN_SAMPLES)
        runs = cluster_worlds(
            self.clusterer_,
            worlds,
            seed=self.seed_,
            n_jobs=self.n_jobs,
            keep_models=True,
        )
        counted = np.flatnonzero(~runs.failed)
        labels = runs.labels[counted]
        likeness = ari_matrix(labels, noise=self.noise)
        found = alternatives(
            np.clip(1.0 - likeness, 0.0, None),
            self.n_alternatives,
            criterion=self.criterion,
            tau=self.tau,
            holdout=holdout,
        )

        chosen = [in_order_of_appearance(labels[i])[0] for i in found.representatives]
        self.clusterings_ = np.array(chosen)
        self.worlds_of_clusterings_ = worlds.indices[counted[found.representatives]]
        self.probabilities_ = found.support / found.n_counted
        self.tau_, self.global_tau_ = found.tau, found.global_tau
        self.phi_ = self._phi(found, kept)
        self.stability_ = _mean_of_others(likeness)
        self.labels_ = self.clusterings_[0]
        self.n_clusters_ = int(self.labels_.max()) + 1
        self._keep(kept, runs)

    def _facts(self) -> Facts:
        """Return the facts of the fit; see `Facts`."""
        found = zip(
            self.worlds_of_clusterings_.tolist(),
            self.probabilities_.tolist(),
            self.clusterings_,
            strict=True,
        )
        return replace(
            super()._facts(), alternatives=tuple(starmap(Alternative, found))
        )

    def _holdout(self, chosen: bool) -> float:
        """Return the share of held-out worlds; refuse contradicting parameters."""
        if self.clusterer is not None and not hasattr(self.clusterer, "fit"):
            msg = (
                f"clusterer={self.clusterer!r} must be an object with fit, such as "
                "KMeans(3), or None for DBSCAN."
            )
            raise TypeError(msg)
        if isinstance(self.holdout, str):
            return 0.0 if chosen else 0.5
        if chosen and self.holdout > 0:
            msg = (
                f"holdout={self.holdout} counts random worlds, but with "
                "n_representatives worlds are selected; set holdout=0."
            )
            raise ValueError(msg)
        return self.holdout

    def _phi(self, found: Alternatives, kept: Kept) -> Array | None:
        if kept.data.exact:
            return np.ones(len(found.support))
        if kept.chosen is not None:
            return None
        bound = BOUNDS[self.bound]
        return bound(found.support, found.n_counted, self.confidence_level)


def _mean_of_others(table: Array) -> float:
    """Return the mean of the entries off the diagonal; 1 if there are none."""
    m = len(table)
    return float((table.sum() - np.trace(table)) / (m * (m - 1))) if m > 1 else 1.0


def _check_voting(model: "Voting") -> None:
    check_worlds(model.worlds, model.labels)


@stored(_check_voting, labels="i n")
class Voting(NamedTuple):
    """The worlds of the fit, and the cluster of each object."""

    worlds: Worlds
    labels: Indices  # (n_objects,)


@with_parameters
class PossibleWorldConsistency(UncertainClusterer):
    """Cluster uncertain objects by an affinity learned from all possible worlds.

    In each world (random draw of the data) an object distributes its affinity over its
    nearest neighbors. The affinity nearest to those of all worlds is learned, such that
    its graph has exactly `n_clusters` components, which are the clusters [1]_. They may
    have any shape. The argmax of `membership_` and `predict` may differ from `labels_`.

    Use it for comparisons. `RPC` also finds clusters of any shape, and needs fewer
    worlds. It costs two searches for neighbors in each world, and an eigenproblem in
    each round.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    n_worlds : int, default=100
        Number of worlds to draw. For joint data, at most the number of draws.
    n_representatives, selection, divergence
        Keep only `n_representatives` worlds, selected as in `RPC`; by default all.
    n_neighbors : int, default=10
        Number of neighbors in each world. It is doubled, at most three times, if the
        graph of all worlds has more than `n_clusters` components.
    world_weights : {"uniform", "auto"}, default="uniform"
        Weights of the worlds: equal, or lower for worlds farther from the learned
        affinity. "auto" keeps the graphs of all worlds in memory.
    max_iter : int, default=50
        Maximum number of rounds.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Share of the worlds in which the object is in each cluster.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Cluster in each world: the one to whose objects it has the most affinity.
    affinity_ : scipy.sparse.csr_array of shape (n_objects, n_objects)
        The learned affinity; rows sum to 1.
    world_weights_ : ndarray of shape (n_worlds,)
        Weights of the worlds, which sum to 1.
    representatives_ : ndarray of shape (n_representatives,) or None
        Numbers of the kept worlds; None if all are kept.
    n_drawn_ : int
        Number of worlds drawn.
    n_neighbors_ : int
        Number of neighbors used.
    n_iter_ : int
        Number of rounds.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Warns
    -----
    ConvergenceWarning
        If no affinity with `n_clusters` components was found. The labels then come from
        k-means on its lowest eigenvectors.

    Notes
    -----
    Memory holds one number for every pair of objects that are neighbors in any world.

    The formulas of the paper are not freely available. Affinities, and the steps to the
    right number of components, are those of constrained Laplacian rank [2]_. The rest
    of an object's affinity, which its neighbors do not get, remains with the object.

    References
    ----------
    .. [1] H. Liu, X. Zhang, X. Zhang, "Possible World Based Consistency Learning Model
       for Clustering and Classifying Uncertain Data", Neural Networks 102, 2018.
    .. [2] F. Nie, X. Wang, M. I. Jordan, H. Huang, "The Constrained Laplacian Rank
       Algorithm for Graph-Based Clustering", AAAI 2016.

    Examples
    --------
    >>> import incerta as ic
    >>> X = [[[0.0], [0.2]], [[0.1]], [[9.0], [9.3]], [[9.1]]]
    >>> pwc = ic.published.PossibleWorldConsistency(
    ...     n_clusters=2, n_neighbors=1, random_state=0
    ... )
    >>> pwc.fit(X).labels_, pwc.confidence_
    (array([0, 0, 1, 1]), array([1., 1., 1., 1.]))
    """

    n_clusters: int = parameter(WHOLE, default=3)
    n_worlds: int = parameter(WHOLE, default=100)
    n_representatives: int | None = parameter([*WHOLE, None], default=None)
    _: KW_ONLY
    selection: str = parameter(SELECTION, default="greedy")
    divergence: Divergence = parameter(DIVERGENCE, default="jensen-shannon")
    n_neighbors: int = parameter(WHOLE, default=10)
    world_weights: str = choice("auto", default="uniform")
    max_iter: int = parameter(WHOLE, default=50)
    random_state: Seed = parameter(SEED, default=None)

    _takes_kept = True
    _stored: ClassVar[dict[str, str]] = {
        "affinity_": "",
        "world_weights_": "f w",
        "representatives_": "i r",
        "n_drawn_": "",
        "n_neighbors_": "",
        "n_iter_": "",
        "_model": "",
    }

    def _fit(self, objects: Any) -> None:
        kept = kept_worlds(self, objects, self.n_clusters)
        worlds = kept.worlds
        self.representatives_ = kept.chosen
        self.n_drawn_ = len(kept.drawn)
        self.world_weights_ = np.full(len(worlds), 1.0 / len(worlds))
        graphs, mean = self._connected(worlds)
        history = self._rounds(graphs, mean)
        self.affinity_ = history[-1].affinity
        self.affinity_.eliminate_zeros()
        self.n_iter_ = len(history)
        self.labels_ = self._labels(history[-1])

        self._model = Voting(worlds, self.labels_)
        self.labels_per_world_ = self._in_each_world(worlds)
        self.membership_ = shares(self.labels_per_world_, self.n_clusters)

    def _proba(self, data: UncertainData) -> Array:
        # In each world a new object joins the cluster to whose objects it has the most
        # affinity.
        _, fitted, new = paired(self._model.worlds, data, self.n_worlds)
        return shares(self._in_each_world(fitted, new), self.n_clusters)

    def _check_stored(self) -> None:
        check_model(self, Voting)

    def _connected(self, worlds: Worlds) -> tuple[list[csr_array] | None, csr_array]:
        """Return the graphs of the worlds, and their mean, with few components."""
        most = worlds.shape[1] - 2
        self.n_neighbors_ = max(min(self.n_neighbors, most), 1)
        for doubling in range(MOST_DOUBLINGS + 1):
            graphs: Iterable[csr_array] = (
                adaptive_affinity(values, self.n_neighbors_)
                for values in followed(worlds, "worlds")
            )
            if self.world_weights == "auto":
                graphs = list(graphs)
            mean = weighted_mean(graphs, self.world_weights_)
            few = n_components(mean)[0] <= self.n_clusters
            if few or doubling == MOST_DOUBLINGS or self.n_neighbors_ >= most:
                break
            self.n_neighbors_ = min(2 * self.n_neighbors_, most)
        return graphs if isinstance(graphs, list) else None, mean

    def _rounds(self, graphs: list[csr_array] | None, mean: csr_array) -> list[Any]:
        """Return the states of the search for the right number of components."""
        if self.n_clusters == 1:
            zeros = np.zeros(mean.shape[0], dtype=np.intp)
            return [Consensus(mean, zeros, np.ones((mean.shape[0], 1)))]

        def remix(affinity: csr_array) -> csr_array:
            assert graphs is not None
            self.world_weights_ = agreement_weights(affinity, graphs)
            return weighted_mean(graphs, self.world_weights_)

        rounds = rank_constrained(
            mean, self.n_clusters, _leading, None if graphs is None else remix
        )
        steps = track(self.max_iter, "rounds")
        return [state for _, state in zip(steps, rounds, strict=False)]

    def _labels(self, last: Consensus) -> Indices:
        if last.n_components == self.n_clusters:
            return last.components
        msg = (
            f"the affinity has {last.n_components} components instead of "
            f"n_clusters={self.n_clusters} after {self.n_iter_} rounds; the labels "
            "come from k-means. Try another n_neighbors, or raise max_iter."
        )
        warnings.warn(msg, ConvergenceWarning, stacklevel=4)
        return cut(last.embedding, self.n_clusters, N_INIT, self.seed_)[0]

    def _in_each_world(self, worlds: Worlds, new: Worlds | None = None) -> Indices:
        """Return the cluster with the most affinity to each object."""
        out = np.zeros((worlds if new is None else new).shape[:2], dtype=np.intp)
        if worlds.shape[1] == 1:
            return out
        for j, values in enumerate(followed(worlds, "confidence")):
            others = None if new is None else new[j]
            near, weight = neighbor_weights(values, others, self.n_neighbors_)
            found = votes(near, weight, self._model.labels, self.n_clusters)
            if new is None:  # in case of ties an object keeps its cluster
                found[np.arange(len(found)), self._model.labels] += 1e-12
            out[j] = found.argmax(axis=1)
        return out


def _leading(matrix: csr_array, k: int) -> Array:
    """Return the eigenvectors of the `k` largest eigenvalues."""
    n = matrix.shape[0]
    if n <= DENSE_OBJECTS:
        return eigh(matrix.toarray(), subset_by_index=(n - k, n - 1))[1]
    return leading_eigenvectors(matrix, k, tol=1e-6)[1]
