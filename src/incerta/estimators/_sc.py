"""SC: DBSCAN in many worlds, joined by majority."""

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.cluster import DBSCAN

from incerta.data.container import UncertainData
from incerta.density.in_worlds import new_labels_in_worlds
from incerta.density.radius import positive_knee
from incerta.ensemble.naming import renamed
from incerta.ensemble.runs import cluster_worlds
from incerta.estimators._base import (
    KEEPING,
    WHOLE,
    Interval,
    StrOptions,
    UncertainClusterer,
    check_model,
    kept_worlds,
)
from incerta.estimators._consensus import agreed
from incerta.estimators._facts import Facts
from incerta.estimators._worlds import STORED, Described, describe, facts_of
from incerta.labels import shares
from incerta.selection.keeping import Divergence
from incerta.typing import Array, Seed
from incerta.worlds.pairing import paired


class SC(UncertainClusterer):
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
    n_worlds : int, default=100
        Number of worlds to draw. Joint data have no more worlds than draws.
    n_representatives : int, optional
        Cluster only this many worlds, chosen to represent all, as in `RPC`.
    selection : {"greedy", "central", "random"}, default="greedy"
        How worlds are chosen, with `n_representatives`; see `RPC`.
    divergence : str or callable, default="jensen-shannon"
        How far apart worlds are, with `n_representatives`; see `RPC`.
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
    n_jobs : int, optional
        Processes, or the backend that ``joblib.parallel_config`` names; the result does
        not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds.

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
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label, noise or not.
    membership_ : ndarray of shape (n_objects, n_found)
        Share of the worlds in which the object falls into each cluster; the rest,
        up to 1, is noise.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Labels in each world; its clusters are matched with the final ones by overlap.
    raw_labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        As DBSCAN gave them.
    stability_ : float
        Mean adjusted Rand index of the clusterings of two worlds.
    failures_ : dict
        Number of the world, and "all noise", where that is so.
    representatives_ : ndarray of shape (n_representatives,) or None
        Numbers of the worlds that were kept, in the order they were chosen.
    n_drawn_ : int
        Number of worlds that were drawn.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the data had names.

    Warns
    -----
    IncertaWarning
        If all objects are noise in some worlds.

    Notes
    -----
    There are as many runs of DBSCAN as worlds. Pairs of objects are compared by what
    all worlds say about them, equal objects once; above 5000 different ones only where
    they can be linked.

    References
    ----------
    .. [1] P. B. Volk, F. Rosenthal, M. Hahmann, D. Habich, W. Lehner, "Clustering
       Uncertain Data With Possible Worlds", ICDE 2009.

    Examples
    --------
    >>> import incerta as ic
    >>> mean = [[0.0], [0.3], [0.5], [0.8], [5.0], [5.2], [5.6], [5.9], [20.0]]
    >>> data = ic.from_gaussian(mean, std=0.1)
    >>> found = ic.SC(eps=1.0, min_samples=3, random_state=0).fit(data)
    >>> found.labels_
    array([ 0,  0,  0,  0,  1,  1,  1,  1, -1])
    """

    _takes_kept = True
    finds_number = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **KEEPING,
        "eps": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "min_samples": WHOLE,
        "noise": [StrOptions({"separate", "cluster"})],
        "linkage": [StrOptions({"components", "average"})],
        "threshold": [Interval(Real, 0, 1, closed="left")],
        "n_jobs": [Integral, None],
    }
    _stored: ClassVar[dict[str, str]] = {**STORED, "eps_": ""}

    def __init__(
        self,
        eps: float | str = "auto",
        min_samples: int = 5,
        n_worlds: int = 100,
        n_representatives: int | None = None,
        *,
        selection: str = "greedy",
        divergence: Divergence = "jensen-shannon",
        noise: str = "separate",
        linkage: str = "components",
        threshold: float = 0.5,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.eps = eps
        self.min_samples = min_samples
        self.n_worlds = n_worlds
        self.n_representatives = n_representatives
        self.selection = selection
        self.divergence = divergence
        self.noise = noise
        self.linkage = linkage
        self.threshold = threshold
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _fit(self, objects: Any) -> None:
        kept = kept_worlds(self, objects)
        self.eps_ = (
            positive_knee(kept.worlds, self.min_samples)
            if isinstance(self.eps, str)
            else float(self.eps)
        )
        dbscan = DBSCAN(eps=self.eps_, min_samples=self.min_samples)
        runs = cluster_worlds(dbscan, kept.worlds, seed=self.seed_, n_jobs=self.n_jobs)
        self.representatives_ = kept.chosen
        self.n_drawn_ = len(kept.drawn)
        method = "graph" if self.linkage == "components" else "coassociation"
        self.labels_, self.n_clusters_, self.stability_ = agreed(runs, self, method)
        describe(self, kept.worlds, runs)

    def facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        return facts_of(self)

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

    def _check_stored(self) -> None:
        check_model(self, Described)
