"""Rivals from the literature, as their papers describe them.

They are here to be compared with, and keep the promise of their papers and no other.
Where two of them differ from a method of the library, that method is the one to use.
"""

import warnings
from dataclasses import KW_ONLY, field, replace
from itertools import starmap
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
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
from incerta.data.container import UncertainData
from incerta.density.in_worlds import new_labels_in_worlds
from incerta.density.persistence import positive_knee
from incerta.density.probabilities import of_products
from incerta.density.within import known, within
from incerta.divergence.clusterings import ari_matrix
from incerta.ensemble.alternatives import BOUNDS, Alternatives, alternatives
from incerta.ensemble.consensus import renamed
from incerta.ensemble.runs import cluster_worlds
from incerta.estimators import UKMeans
from incerta.estimators._base import (
    DIVERGENCE,
    SELECTION,
    Alternative,
    Facts,
    UncertainClusterer,
    kept_worlds,
)
from incerta.estimators._consensus import STORED, AnyClusterer, WorldsClusterer, agreed
from incerta.estimators._fdbscan import STORED as DENSE
from incerta.estimators._fdbscan import DenseClusterer, grow, prepared
from incerta.labels import in_order_of_appearance, shares
from incerta.partition.relocate import (
    Objective,
    best_relocation,
    mean_by_cluster,
    mmvar,
    ucpc,
)
from incerta.partition.shares import nearest_centres, nearest_shares
from incerta.selection.keeping import Divergence, Kept
from incerta.typing import Array, Indices, Seed
from incerta.worlds.sequence import paired

__all__ = ["PDBSCAN", "REP", "SC", "UCPC", "CKMeans", "MMVar"]

# Of DBSCAN, where REP is given no clusterer.
MIN_SAMPLES = 5


@with_parameters
class CKMeans(UKMeans):
    """K-means on the means of the objects: UK-means under its published name.

    The expected squared distance of an object to a centre is the squared distance of
    its mean plus its variance, which is the same for all centres [1]_. `UKMeans` with
    squared distances is this, and does more.

    Parameters
    ----------
    n_clusters, init, n_init, max_iter, tol, algorithm, n_worlds, random_state
        As for `UKMeans`, whose attributes it has.

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

    # What is fixed here, and is no parameter.
    metric: str = field(init=False, default="sqeuclidean", metadata={"allowed": []})
    center: str = field(init=False, default="mean", metadata={"allowed": []})
    pruning: str | None = field(init=False, default=None, metadata={"allowed": []})

    _takes_partitions = False


@with_parameters
class _Relocating(UncertainClusterer, family=True):
    """Clusters found by moving one object at a time."""

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
        """Find the clusters; squares of what objects are off centre, and variances."""
        means, variances = data.mean(), data.variance()
        middle = means.mean(axis=0)
        means = means - middle  # a large offset would eat the digits of the squares
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
        centres = mean_by_cluster(means, self.labels_, sizes)
        self.cluster_sizes_ = sizes
        self.cluster_centers_ = centres + middle
        return np.square(means - centres[self.labels_]), variances

    def _predict(self, data: UncertainData) -> Indices:
        # An object of the fit may get another cluster than its label: the fit also
        # counts what a move does to the centres.
        return nearest_centres(data.mean(), self.cluster_centers_, self._offsets())

    def _proba(self, data: UncertainData) -> Array:
        n_worlds = 1 if data.exact else self.n_worlds
        centres = self.cluster_centers_
        return nearest_shares(data, centres, self._offsets(), n_worlds, self.seed_)

    def _offsets(self) -> Array:
        return np.zeros(self.n_clusters)


class UCPC(_Relocating):
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
        Number of worlds behind `membership_`, for objects not given by values.
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
        # E|X - copy|² also has X's own variance, the same for every cluster.
        return self.cluster_variances_.sum(axis=1)


class MMVar(_Relocating):
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
    n_clusters, init, n_init, max_iter, n_worlds, random_state
        As for `UCPC`.

    Attributes
    ----------
    cluster_variances_ : ndarray of shape (n_clusters, n_features)
        Variance of each mixture. They sum to `inertia_`.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of objects in each cluster; ones next to a single large number are the
        degenerate result.
    labels_, cluster_centers_, membership_, confidence_, objective_, inertia_, n_iter_
        As of `UCPC`.

    See Also
    --------
    UCPC : Counts every object, and so has no such degenerate result.

    Notes
    -----
    Only means and variances matter; they are exact for every kind of data. With c
    members, sum of means U and sum of expected squares Phi, a cluster costs
    ``Phi / c - |U|² / c²``. Else it is as for `UCPC`.

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
    >>> found = ic.published.MMVar(n_clusters=2, random_state=0).fit(data)
    >>> found.labels_, found.cluster_sizes_
    (array([0, 0, 1]), array([2, 1]))
    >>> round(found.inertia_, 6)
    7.0
    """

    def _fit(self, data: UncertainData) -> None:
        # Of a mixture: the variances within its members, and that of their means.
        apart, variances = self._relocate(data, mmvar)
        both = apart + variances
        self.cluster_variances_ = mean_by_cluster(
            both, self.labels_, self.cluster_sizes_
        )
        self.membership_ = self._proba(data)


@with_parameters
class PDBSCAN(DenseClusterer):
    """Cluster uncertain objects by density, with one product per pair.

    Like `FDBSCAN`, but the probability that an object is reached from another is the
    product of the probability that the other is core and the probability of being
    within `eps` [1]_. With ``assignment="maximal"`` it is PDBSCANi: every object goes
    to the core object that reaches it most probably, however improbable that is. The
    exact definitions of the paper are not public; these are ours, based on its
    abstract.

    Parameters
    ----------
    eps, min_samples, distances, n_worlds, random_state
        As for `FDBSCAN`, whose attributes it has.
    assignment : {"threshold", "maximal"}, default="threshold"
        Whether an object that is not core is noise unless some core object reaches it
        with probability `reach_threshold`, or goes to the one that reaches it most
        probably (PDBSCANi) unless that probability is below `noise_threshold`.
    core_threshold : float, default=0.5
        Probability from which an object counts as core.
    reach_threshold : float, default=0.5
        Core objects are in one cluster where one reaches the other with at least this
        probability.
    noise_threshold : float, default=0.0
        With ``assignment="maximal"``: an object reached with a probability below this
        is noise. One that no other can reach is noise in any case.

    Notes
    -----
    It costs as much as `FDBSCAN`, minus the removal of one neighbour per pair. The
    probabilities are never larger than those of `FDBSCAN`, which takes into account
    that the object reached helps to make the other one core. The hierarchical version
    of the same authors is ``FOPTICS(method="grid")``.

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
                f"noise_threshold={self.noise_threshold} is for assignment='maximal'; "
                "with 'threshold', reach_threshold decides."
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
    """Cluster each world by density, and join objects that most worlds put together.

    DBSCAN runs in every world; two objects are linked if they are in the same cluster
    in more than half of the worlds, and connected objects form a cluster [1]_. Clusters
    may have any shape, and their number is found. With ``n_representatives=10`` it is
    the paper's RP-SC. `FDBSCAN` does the same from probabilities instead of worlds;
    `WorldConsensus` takes any other clusterer.

    Parameters
    ----------
    eps : float or "auto", default="auto"
        The radius of DBSCAN. "auto" takes the knee of the sorted distances to the
        `min_samples`-th nearest object, pooled over five worlds; look at `eps_`.
    min_samples : int, default=5
        Number of objects within `eps`, itself included, that makes an object core.
    n_worlds, n_representatives, selection, divergence
        As for `WorldConsensus`.
    noise : {"separate", "cluster"}, default="separate"
        Whether objects that are noise in the same world are together there: never,
        or, as published, as if noise were a cluster.
    linkage : {"components", "average"}, default="components"
        "components", as published, may chain clusters together through single objects
        between them, and leaves objects on which worlds disagree as clusters of one.
        "average" links by the mean over all pairs of two groups, and lets such objects
        join the cluster they are with most often.
    threshold : float, default=0.5
        Two objects are linked if they are together in more than this share of the
        worlds.
    n_jobs, random_state
        As for `WorldConsensus`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids; -1 is noise: objects
        that are noise in more than half of the worlds, or in so many that they cannot
        be with others in more than `threshold`.
    n_clusters_ : int
        Number of clusters found.
    eps_ : float
        The radius that was used.
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
    There are as many runs of DBSCAN as worlds; for the rest see `WorldConsensus`.

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
    threshold: float = parameter([Interval(Real, 0, 1, closed="left")], default=0.5)
    n_jobs: int | None = parameter([Integral, None], default=None)
    random_state: Seed = parameter(SEED, default=None)

    finds_number = True
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
    """Cluster uncertain objects as the most representative of their worlds do.

    Any clusterer is run in every world. Of all the clusterings, one or a few are
    returned that the others are near to, by the adjusted Rand index: not a mixture, but
    clusterings that could be the true one, with the probability that the true one is
    that near [1]_. If one clustering that all worlds contribute to will do, see
    `WorldConsensus`.

    Parameters
    ----------
    clusterer : object, optional
        Any scikit-learn clusterer, such as ``KMeans(5)``. By default DBSCAN with 5
        neighbours and a radius read off the distances to them.
    n_worlds, n_representatives, selection, divergence
        As for `WorldConsensus`.
    n_alternatives : int, default=1
        Number of clusterings to return: the clusterings of the worlds are put into that
        many groups, around medoids, and each group is represented by one of its
        members.
    criterion : {"center", "medoid"}, default="center"
        What represents a group: the clustering with the smallest maximum distance to
        the others, or with the smallest mean distance.
    tau : float, optional
        Distance beyond which clusterings are no longer alike. With it, the first
        clustering is the one with the most others within this distance, the second the
        one with the most of the rest, and so on.
    bound : {"clopper-pearson", "wilson", "wald"}, default="clopper-pearson"
        How `phi_` is found: exactly, or by one of two approximations. "wald" is the
        published one, and calls whatever all worlds agree on certain.
    confidence_level : float, default=0.95
        Confidence of `phi_`.
    holdout : float or "auto", default="auto"
        Share of the worlds that are kept out of the choice; only in these is it counted
        how often the clusterings are near. With 0, as published, `tau_` is chosen to
        fit the same worlds that are counted, which makes `phi_` a little too large.
        "auto" is 0.5, and 0 with `n_representatives`.
    noise : {"singletons", "cluster"}, default="singletons"
        Whether noise objects are each a cluster of their own or together one cluster,
        when clusterings are compared.
    n_jobs, random_state
        As for `WorldConsensus`.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object in the first alternative, numbered in order of first
        appearance; -1 is noise.
    clusterings_ : ndarray of shape (n_found, n_objects)
        Labels of all alternatives. Fewer than asked for if fewer clusterings differ.
    worlds_of_clusterings_ : ndarray of shape (n_found,)
        Number of the world that each of them comes from.
    probabilities_ : ndarray of shape (n_found,)
        Share of the worlds that each of them represents: those of its group, the
        largest group first; with `holdout`, those held-out worlds that are within
        `tau_`, and the groups are those of the other worlds.
    tau_ : ndarray of shape (n_found,)
        Largest distance within its group.
    global_tau_ : ndarray of shape (n_found,)
        Largest distance to any clustering.
    phi_ : ndarray of shape (n_found,) or None
        Lower bound on the probability that the clustering of the true world is within
        `tau_` of it; it holds with the confidence asked for. 1 for data without
        uncertainty. None with `n_representatives`: chosen worlds are not random ones,
        and a share of them says nothing about the true one.
    confidence_, membership_, labels_per_world_, raw_labels_per_world_
        As of `WorldConsensus`, in terms of the first alternative.
    stability_, failures_, representatives_, n_drawn_
        As of `WorldConsensus`.
    clusterer_ : object
        What was run in the worlds.
    n_clusters_ : int
        Number of clusters of the first alternative.

    Notes
    -----
    With M worlds, it takes M runs of the clusterer, and M² n operations for the
    distances of the clusterings. A distance is one minus the adjusted Rand index: 0 for
    the same partition, about 1 for unrelated ones.

    At a confidence of 0.95, `phi_` may be too large for one data set in twenty. With
    half of the worlds held out it was so no more often in our simulations, with none
    held out for 8 in a hundred, with ``bound="wald"`` for 87.

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

    finds_number = True
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
        # Chosen worlds are not random ones, whoever has chosen them.
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

    def facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        found = zip(
            self.worlds_of_clusterings_.tolist(),
            self.probabilities_.tolist(),
            self.clusterings_,
            strict=True,
        )
        return replace(super().facts(), alternatives=tuple(starmap(Alternative, found)))

    def _holdout(self, chosen: bool) -> float:
        """Share of the worlds to keep out of the choice; refuse what makes no sense."""
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
                f"holdout={self.holdout} counts random worlds, but worlds that are "
                "kept (n_representatives) are chosen; set holdout=0."
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
    """Mean of a symmetric table without its diagonal; 1 if there is nothing else."""
    m = len(table)
    return float((table.sum() - np.trace(table)) / (m * (m - 1))) if m > 1 else 1.0
