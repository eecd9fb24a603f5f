"""WorldConsensus: run any clusterer on random draws of the data, and combine."""

import warnings
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral, Real
from os import PathLike
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from incerta.backend.parameters import (
    SEED,
    WHOLE,
    Interval,
    choice,
    parameter,
    with_parameters,
)
from incerta.data.container import UncertainData
from incerta.ensemble.consensus import Renaming, consensus, matched, renamed, renamings
from incerta.ensemble.runs import (
    Instability,
    Runs,
    cluster_worlds,
    mean_agreement,
    predict_worlds,
    sources,
)
from incerta.estimators._base import (
    DIVERGENCE,
    SELECTION,
    UncertainClusterer,
    check_model,
    kept_worlds,
)
from incerta.exceptions import IncertaWarning
from incerta.labels import in_order_of_appearance, shares
from incerta.models.checkpoint import Checkpoint, opened
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.selection.keeping import Divergence, Kept
from incerta.typing import Array, Indices, Seed
from incerta.worlds import Worlds
from incerta.worlds.sequence import check_worlds, paired, worlds_of

# Attributes and `_model` in a model file, with types and shapes.
STORED: dict[str, str] = {
    "raw_labels_per_world_": "i w n",
    "representatives_": "i r",
    "n_drawn_": "",
    "stability_": "",
    "failures_": "",
    "n_clusters_": "",
    "_model": "",
}


def _check(model: "Described") -> None:
    check_worlds(model.worlds, model.raw.T)
    for each in (model.raw, model.names, model.models):
        if len(each) != len(model.worlds):
            wrong("the worlds are not all described")


@stored(_check, raw="i w n")
@dataclass(frozen=True, kw_only=True)
class Described:
    """Worlds with their clusterings, matched with one consensus clustering."""

    worlds: Worlds
    raw: Indices  # (n_worlds, n_objects), labels as the clusterer gave them
    names: list[Renaming]  # of each world's clusters
    models: list[Any]  # clusterers fitted in each world; None where they cannot predict
    # Cluster of the consensus for each component of a world; only with soft=True.
    components: list[Indices] | None = None


class WorldsClusterer(UncertainClusterer, family=True):
    """Base class of clusterers that run another clusterer in every world."""

    n_worlds: int
    n_jobs: int | None
    n_clusters_: int
    _takes_kept = True
    _stored: ClassVar[dict[str, str]] = STORED

    def _keep(self, kept: Kept, runs: Runs) -> None:
        """Match the clusters of each world with ``labels_``; omit failed worlds."""
        k, answered = self.n_clusters_, np.flatnonzero(~runs.failed)
        raw = runs.labels[answered]
        names = renamings(raw, self.labels_, k)
        models = runs.models or [None] * len(runs.labels)
        self._model = Described(
            worlds=kept.worlds.at(answered),
            raw=raw,
            names=names,
            models=[models[j] for j in answered],
        )
        self.representatives_, self.n_drawn_ = kept.chosen, len(kept.drawn)
        self.raw_labels_per_world_ = runs.labels
        self.labels_per_world_ = np.full_like(runs.labels, -1)
        self.labels_per_world_[answered] = renamed(raw, names)
        self.membership_ = shares(self.labels_per_world_[answered], k)
        self.failures_ = runs.failures
        _warn_of_failures(runs)

    def _proba(self, data: UncertainData) -> Array:
        # The clusterer fitted in each world predicts, if it can. Otherwise the label
        # is that of the nearest value.
        model = self._model
        positions, worlds, new = paired(model.worlds, data, self.n_worlds)
        raw = predict_worlds(
            worlds,
            new,
            model.raw[positions],
            [model.models[j] for j in positions],
            n_jobs=self.n_jobs,
        )
        named = renamed(raw, [model.names[j] for j in positions])
        return shares(named, self.n_clusters_)

    def _check_stored(self) -> None:
        check_model(self, Described)


class AnyClusterer(WorldsClusterer, family=True):
    """Base class of estimators with a clusterer as parameter."""

    clusterer: Any

    def instability(self, n_seeds: int = 5, n_worlds: int = 20) -> Instability:
        """Separate the instability due to uncertainty from that of the clusterer.

        The clusterer is run several times in some of the worlds, each time with another
        seed. A ``random_state`` of the clusterer is replaced.

        Parameters
        ----------
        n_seeds : int, default=5
            Runs in each world, at least 2.
        n_worlds : int, default=20
            Number of worlds.

        Returns
        -------
        Instability
            ``total``, ``uncertainty`` and ``clusterer``; print it for an explanation.
        """
        check_is_fitted(self)
        if n_seeds < 2 or n_worlds < 1:
            msg = (
                f"n_seeds={n_seeds} must be at least 2, and n_worlds={n_worlds} at "
                "least 1, so that there are runs to compare."
            )
            raise ValueError(msg)
        clusterer = getattr(self, "clusterer_", self.clusterer)
        worlds = worlds_of(self._model.worlds.data, n_worlds, self.seed_)
        seeds = np.random.SeedSequence([self.seed_, 5]).generate_state(n_seeds)
        labels, of_world = [], []
        for seed in seeds.tolist():
            runs = cluster_worlds(
                clusterer, worlds, seed=seed, n_jobs=self.n_jobs, reseed=True
            )
            labels.append(runs.labels[~runs.failed])
            of_world.append(np.flatnonzero(~runs.failed))
        return sources(np.concatenate(labels), np.concatenate(of_world))


def _warn_of_failures(runs: Runs) -> None:
    if not runs.failures:
        return
    n_failed = int(runs.failed.sum())
    n_noise = len(runs.failures) - n_failed
    problems = [
        f"the clusterer failed in {n_failed} of {len(runs.labels)} worlds, which "
        "are ignored"
    ] * (n_failed > 0) + [
        f"all objects are noise in {n_noise} of {len(runs.labels)} worlds"
    ] * (n_noise > 0)
    first = next(iter(runs.failures.items()))
    msg = f"{'; '.join(problems)}. See failures_; world {first[0]}: {first[1]}"
    warnings.warn(msg, IncertaWarning, stacklevel=5)


# Largest number of entries of a membership: 2 GB.
MOST_ENTRIES = 2**28
# Parameters that do not change the result.
NO_PART = ("checkpoint", "n_jobs", "random_state")


@with_parameters
class WorldConsensus(AnyClusterer):
    """Run any clusterer on random draws of uncertain data, and combine the results.

    Possible versions of the data, called worlds, are drawn; a copy of the clusterer is
    fitted in each, and the clusterings are combined [1]_. The clusterer needs
    ``fit_predict``, or ``fit`` with ``labels_`` or ``predict``, as in scikit-learn.

    Use it to find out how sure the labels of your own clusterer are. Methods made for
    uncertain data (`AutoClusterer`, `UKMeans`, `FDBSCAN`, ...) are cheaper: this one
    costs one fit for each world.

    Parameters
    ----------
    clusterer : object
        The clusterer, which is copied and never changed. A ``random_state`` of None
        gets a seed for each world; any other value is kept.
    n_worlds : int, default=100
        Number of worlds to draw. For joint data, at most the number of draws; if there
        are more draws, `n_worlds` of them are used, evenly spaced.
    n_representatives, selection, divergence
        Cluster only `n_representatives` worlds, selected as in `RPC`. By default all
        worlds are clustered.
    consensus : str, default="coassociation"
        How the clusterings are combined:

        - "coassociation": average linkage on the share of worlds in which two objects
          are together, cut to `n_clusters`, or at `min_share`. With a cut at
          `min_share`, groups that are not a cluster in most worlds are dissolved, and
          their objects join the cluster they are with most often.
        - "graph": objects that are together in more than `min_share` of the worlds are
          linked. Connected components, single objects included, are the clusters.
          Chains of objects can join two clusters.
        - "kmeans-binary": k-means on indicators of each object's clusters in all
          worlds.
        - "vote": the clusters of all worlds are matched with those of the world most
          similar to the others, and each object gets the most frequent cluster.
    n_clusters : int, optional
        Number of clusters of the consensus. By default the number that most worlds
        have; a cut at `min_share` finds the number.
    noise : {"separate", "cluster"}, default="separate"
        Whether objects that are noise in the same world count as separate there, or as
        one cluster.
    min_share : float, default=0.5
        Share of the worlds, for "graph", and for "coassociation" without `n_clusters`.
    soft : bool, default=False
        Average the probabilities of the clusterer in each world instead of counting its
        labels. Use it for mixture models. The clusterer must have ``predict_proba``.
    n_jobs : int, optional
        Number of processes, or the backend of ``joblib.parallel_config``, such as a
        Dask cluster. The result does not depend on it. Each fit runs on one thread.
    checkpoint : path-like, optional
        Folder for the results of finished worlds, created if missing. Repeat the same
        call to resume an interrupted fit; the result is identical. A folder of other
        data or parameters is refused.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds, of the clusterer in each of them, and of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids; -1 is noise. An object
        is noise if it is noise in more than half of the worlds, or in so many that it
        cannot be with others in more than `min_share`.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label, noise included.
    membership_ : ndarray of shape (n_objects, n_found)
        Share of the worlds in which the object is in each cluster. A row sums to 1
        minus the share of noise. Its maximum may differ from `labels_`, which come from
        the consensus; `predict` always takes the maximum of `predict_proba`.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Labels in each world. Clusters are matched one to one with those of the
        consensus by overlap; the remaining ones take the cluster they overlap most.
    raw_labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Labels in each world as returned by the clusterer.
    stability_ : float
        Mean adjusted Rand index of two worlds: 1 if all agree, about 0 if clusterings
        are unrelated.
    n_clusters_ : int
        Number of clusters of the consensus.
    failures_ : dict
        Messages by number of the world. Worlds in which the clusterer raised an
        exception have labels -1 and are ignored. Worlds with only noise are counted.
    representatives_ : ndarray of shape (n_representatives,) or None
        Numbers of the selected worlds, in the order of selection.
    n_drawn_ : int
        Number of worlds drawn.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Warns
    -----
    IncertaWarning
        If the clusterer failed in some worlds, or found only noise.

    Notes
    -----
    The clusterer is fitted once for each world, and fitted clusterers that can predict
    are kept. The consensus takes n_worlds × n_objects operations and memory, plus all
    pairs of at most 5000 distinct patterns of labels. If there are more patterns, the
    5000 most frequent are clustered, and the others join the cluster they are with most
    often. "graph" compares all patterns that can be linked, in blocks.

    In each world the clusterer sees values that include errors. If the errors are large
    compared with the clusters, the clusters look blurred. Confidence is a share of
    worlds: it is a probability only if the distributions of the objects are right. For
    values with error bars, use `Deconvolver` first.

    References
    ----------
    .. [1] A. L. N. Fred, A. K. Jain, "Combining multiple clusterings using evidence
       accumulation", IEEE TPAMI 27(6), 2005.

    Examples
    --------
    >>> import incerta as ic
    >>> from sklearn.cluster import KMeans
    >>> data = ic.from_gaussian(
    ...     [[0.0], [0.3], [0.5], [2.6], [5.0], [5.2], [5.6]],
    ...     std=[[0.1], [0.1], [0.1], [1.0], [0.1], [0.1], [0.1]],
    ... )
    >>> found = ic.WorldConsensus(KMeans(2), random_state=0).fit(data)
    >>> found.labels_
    array([0, 0, 0, 0, 1, 1, 1])
    >>> found.confidence_.round(1)
    array([1. , 1. , 1. , 0.5, 1. , 1. , 1. ])
    """

    clusterer: Any = parameter("no_validation")
    n_worlds: int = parameter(WHOLE, default=100)
    n_representatives: int | None = parameter([*WHOLE, None], default=None)
    _: KW_ONLY
    selection: str = parameter(SELECTION, default="greedy")
    divergence: Divergence = parameter(DIVERGENCE, default="jensen-shannon")
    consensus: str = choice("graph", "kmeans-binary", "vote", default="coassociation")
    n_clusters: int | None = parameter([*WHOLE, None], default=None)
    noise: str = choice("cluster", default="separate")
    min_share: float = parameter([Interval(Real, 0, 1, closed="left")], default=0.5)
    soft: bool = parameter(["boolean"], default=False)
    n_jobs: int | None = parameter([Integral, None], default=None)
    checkpoint: str | PathLike[str] | None = parameter(
        [str, PathLike, None], default=None
    )
    random_state: Seed = parameter(SEED, default=None)

    def _fit(self, objects: Any) -> None:
        self._check_choices()
        pieces = self._pieces(objects)
        kept = kept_worlds(self, objects)
        runs = cluster_worlds(
            self.clusterer,
            kept.worlds,
            seed=self.seed_,
            n_jobs=self.n_jobs,
            keep_models=True,
            pieces=pieces,
        )
        self.labels_, self.n_clusters_, self.stability_ = agreed(
            runs, self, self.consensus, self.n_clusters
        )
        self._keep(kept, runs)
        if self.soft:
            self.membership_ = self._soft_membership()

    def _pieces(self, objects: Any) -> Checkpoint:
        """Open the finished worlds, and take their seed if `random_state` is None."""
        given = self.get_params(deep=False)
        pieces = opened(
            self.checkpoint,
            type(self).__name__,
            {name: value for name, value in given.items() if name not in NO_PART},
            [objects.drawn, objects.chosen] if isinstance(objects, Kept) else objects,
            self.seed_,
            self.random_state is not None,
        )
        self.seed_ = pieces.seed
        return pieces

    def _proba(self, data: UncertainData) -> Array:
        if not self.soft:
            return super()._proba(data)
        components = self._model.components or []
        positions, _, new = paired(self._model.worlds, data, self.n_worlds)
        total = np.zeros((len(data), self.n_clusters_))
        for j, values in zip(positions.tolist(), new, strict=True):
            given = self._model.models[j].predict_proba(values)
            total += self._summed(given, components[j])
        return total / len(new)

    def _check_choices(self) -> None:
        if not hasattr(self.clusterer, "fit") or isinstance(self.clusterer, type):
            msg = (
                f"clusterer={self.clusterer!r} must be an object with fit, such as "
                "sklearn.cluster.KMeans(3)."
            )
            raise TypeError(msg)
        if self.soft and not hasattr(self.clusterer, "predict_proba"):
            msg = (
                f"soft=True needs predict_proba, which {type(self.clusterer).__name__} "
                "does not have; leave soft out."
            )
            raise ValueError(msg)
        if self.consensus == "graph" and self.n_clusters is not None:
            msg = (
                f'n_clusters={self.n_clusters} has no effect on consensus="graph", '
                'which finds the number of clusters; use consensus="coassociation".'
            )
            raise ValueError(msg)

    def _soft_membership(self) -> Array:
        """Return the mean probabilities of the worlds; match components by overlap."""
        consensus = np.eye(self.n_clusters_ + 1)[self.labels_, : self.n_clusters_]
        total = np.zeros_like(consensus)
        components = []
        for model, values in zip(self._model.models, self._model.worlds, strict=True):
            given = model.predict_proba(values)
            components.append(matched(given.T @ consensus))
            total += self._summed(given, components[-1])
        self._model = replace(self._model, components=components)
        return total / len(self._model.worlds)

    def _summed(self, given: Array, component: Indices) -> Array:
        """Add up the columns of components with the same cluster."""
        columns = np.eye(self.n_clusters_ + 1)[component]
        return given @ columns[:, : self.n_clusters_]


def agreed(
    runs: Runs, how: Any, method: str, n_clusters: int | None = None
) -> tuple[Indices, int, float]:
    """Combine clusterings; return labels, number of clusters and stability."""
    raw = runs.labels[~runs.failed]
    found = consensus(
        raw,
        method,
        n_clusters=n_clusters,
        noise=how.noise,
        threshold=how.min_share,
        seed=how.seed_,
    )
    labels, order = in_order_of_appearance(found)
    n, k = len(labels), len(order)
    if n * k > MOST_ENTRIES:
        msg = (
            f"the worlds disagree so much that {n} objects form {k} clusters, most of "
            "them single objects, and their membership is too large to store; lower "
            f"min_share={how.min_share}, or use average linkage instead of the graph."
        )
        raise ValueError(msg)
    return labels, k, mean_agreement(raw)
