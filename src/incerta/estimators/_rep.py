"""REP: clusterings of possible worlds that represent the others."""

from itertools import starmap
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.cluster import DBSCAN

from incerta.data.container import UncertainData
from incerta.density.radius import positive_knee
from incerta.divergence.clusterings import ari_matrix
from incerta.ensemble.alternatives import BOUNDS, Alternatives, alternatives
from incerta.ensemble.runs import cluster_worlds
from incerta.ensemble.stability import Instability
from incerta.estimators._base import (
    KEEPING,
    WHOLE,
    Interval,
    StrOptions,
    UncertainClusterer,
    check_model,
    kept_worlds,
)
from incerta.estimators._facts import Alternative, Facts
from incerta.estimators._worlds import (
    STORED,
    Described,
    describe,
    facts_of,
    instability_of,
    predicted_shares,
)
from incerta.labels import in_order_of_appearance
from incerta.selection.keeping import Divergence, Kept
from incerta.typing import Array, Seed

# Of DBSCAN, where no clusterer is given.
MIN_SAMPLES = 5


class REP(UncertainClusterer):
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
    n_worlds : int, default=100
        Number of worlds to draw. Joint data have no more worlds than draws.
    n_representatives : int, optional
        Cluster only this many worlds, chosen as in `RPC`; all by default.
    selection : {"greedy", "central", "random"}, default="greedy"
        How worlds are chosen, with `n_representatives`; see `RPC`.
    divergence : str or callable, default="jensen-shannon"
        How far apart worlds are, with `n_representatives`; see `RPC`.
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
    n_jobs : int, optional
        Processes for the worlds, each with a single thread; the result does not
        depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds and, together with the number of the world, of clusterers
        without a seed of their own.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object in the first alternative, numbered in order of first
        appearance; -1 is noise.
    clusterings_ : ndarray of shape (n_found, n_objects)
        Labels of all alternatives. Fewer than asked for if fewer clusterings differ.
    worlds_of_clusterings_ : ndarray of shape (n_found,)
        Number of the world that each of them comes from.
    representatives_ : ndarray of shape (n_representatives,) or None
        Positions of the kept worlds, in the order they were chosen; None if all were.
    n_drawn_ : int
        Number of worlds that were drawn.
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
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Labels in each world, with clusters renamed to the matching ones of `labels_`.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Share of the worlds in which the object falls into each cluster of `labels_`;
        the rest, up to 1, is noise.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label.
    stability_ : float
        Mean adjusted Rand index between worlds.
    failures_ : dict
        What happened in worlds in which the clusterer raised an exception, or found
        nothing but noise. The former do not count.
    clusterer_ : object
        What was run in the worlds.
    n_clusters_ : int
        Number of clusters of the first alternative.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the data had names.

    Notes
    -----
    With M worlds, it takes M runs of the clusterer, and M² n operations for the
    distances of the clusterings. A distance is one minus the adjusted Rand index: 0 for
    the same partition, about 1 for unrelated ones.

    At a confidence of 0.95, `phi_` may be too large for one data set in twenty. With
    half of the worlds held out it was too large for no more than that in our
    simulations, with none held out for 8 in a hundred, though on average the true
    clustering was within `tau_` more often than `phi_` says. With ``bound="wald"`` it
    was too large for 87 in a hundred.

    References
    ----------
    .. [1] A. Züfle, T. Emrich, K. A. Schmid, N. Mamoulis, A. Zimek, M. Renz,
       "Representative Clustering of Uncertain Data", KDD 2014.

    Examples
    --------
    >>> import incerta as ic
    >>> from sklearn.cluster import KMeans
    >>> data = ic.from_gaussian([[0.0], [1.0], [4.3], [8.0], [9.0]], std=0.5)
    >>> rep = ic.REP(KMeans(2), n_alternatives=2, random_state=0).fit(data)
    >>> rep.clusterings_
    array([[0, 0, 0, 1, 1],
           [0, 0, 1, 1, 1]])
    >>> rep.probabilities_
    array([0.62, 0.38])
    """

    _takes_kept = True
    finds_number = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **KEEPING,
        "clusterer": "no_validation",
        "n_alternatives": WHOLE,
        "criterion": [StrOptions({"center", "medoid"})],
        "tau": [Interval(Real, 0, None, closed="left"), None],
        "bound": [StrOptions(set(BOUNDS))],
        "confidence_level": [Interval(Real, 0, 1, closed="neither")],
        "holdout": [Interval(Real, 0, 1, closed="left"), StrOptions({"auto"})],
        "noise": [StrOptions({"singletons", "cluster"})],
        "n_jobs": [Integral, None],
    }
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

    def __init__(
        self,
        clusterer: Any = None,
        n_worlds: int = 100,
        n_representatives: int | None = None,
        *,
        selection: str = "greedy",
        divergence: Divergence = "jensen-shannon",
        n_alternatives: int = 1,
        criterion: str = "center",
        tau: float | None = None,
        bound: str = "clopper-pearson",
        confidence_level: float = 0.95,
        holdout: float | str = "auto",
        noise: str = "singletons",
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.clusterer = clusterer
        self.n_worlds = n_worlds
        self.n_representatives = n_representatives
        self.selection = selection
        self.divergence = divergence
        self.n_alternatives = n_alternatives
        self.criterion = criterion
        self.tau = tau
        self.bound = bound
        self.confidence_level = confidence_level
        self.holdout = holdout
        self.noise = noise
        self.n_jobs = n_jobs
        self.random_state = random_state

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
        self.representatives_ = kept.chosen
        self.n_drawn_ = len(kept.drawn)
        self.probabilities_ = found.support / found.n_counted
        self.tau_, self.global_tau_ = found.tau, found.global_tau
        self.phi_ = self._phi(found, kept)
        self.stability_ = _mean_of_others(likeness)
        self.labels_ = self.clusterings_[0]
        self.n_clusters_ = int(self.labels_.max()) + 1
        describe(self, worlds, runs)

    def instability(self, n_seeds: int = 5, n_worlds: int = 20) -> Instability:
        """Tell the uncertainty of the data from the clusterer's own randomness.

        Parameters
        ----------
        n_seeds, n_worlds : int
            As for `WorldConsensus.instability`.

        Returns
        -------
        Instability
        """
        return instability_of(self, self.clusterer_, n_seeds, n_worlds)

    def facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        found = zip(
            self.worlds_of_clusterings_.tolist(),
            self.probabilities_.tolist(),
            self.clusterings_,
            strict=True,
        )
        return facts_of(self)._replace(alternatives=tuple(starmap(Alternative, found)))

    def _proba(self, data: UncertainData) -> Array:
        return predicted_shares(self, data)

    def _check_stored(self) -> None:
        check_model(self, Described)

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
