"""WorldConsensus: any clusterer, run in many worlds, and what they agree on."""

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

# What a model file holds of them.
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
            wrong("worlds are not all described")


@stored(_check, raw="i w n")
@dataclass(frozen=True, kw_only=True)
class Described:
    """Worlds that were clustered, in terms of one common clustering."""

    worlds: Worlds
    raw: Indices  # (n_worlds, n_objects), labels as the clusterer gave them
    names: list[Renaming]  # of each world's clusters
    models: list[Any]  # clusterers fitted in each world; None where they cannot predict
    # Cluster that each component of a world goes with, where probabilities are used.
    components: list[Indices] | None = None


class WorldsClusterer(UncertainClusterer, family=True):
    """A clusterer that runs another one in every world."""

    n_worlds: int
    n_jobs: int | None
    n_clusters_: int
    _takes_kept = True
    _stored: ClassVar[dict[str, str]] = STORED

    def _keep(self, kept: Kept, runs: Runs) -> None:
        """Tell each world in terms of ``labels_``; those that failed are left out."""
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
        # In each world this is what the clusterer fitted there predicts, if it can;
        # else the label of the nearest value.
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
    """One that runs the clusterer of a user."""

    clusterer: Any

    def instability(self, n_seeds: int = 5, n_worlds: int = 20) -> Instability:
        """Tell the uncertainty of the data from the clusterer's own randomness.

        The clusterer is run again in some of the worlds, several times in each with
        different seeds; a ``random_state`` that is set is replaced, too.

        Parameters
        ----------
        n_seeds : int, default=5
            Runs in each world, at least 2.
        n_worlds : int, default=20
            Number of worlds.

        Returns
        -------
        Instability
            ``total``, ``uncertainty``, ``clusterer``; printed, it explains itself.
        """
        check_is_fitted(self)
        if n_seeds < 2 or n_worlds < 1:
            msg = (
                f"n_seeds={n_seeds} and n_worlds={n_worlds} must be at least 2 and 1: "
                "runs are compared with each other."
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
    said = [
        f"the clusterer failed in {n_failed} of {len(runs.labels)} worlds, which "
        "do not count"
    ] * (n_failed > 0) + [
        f"all objects are noise in {n_noise} of {len(runs.labels)} worlds"
    ] * (n_noise > 0)
    first = next(iter(runs.failures.items()))
    msg = f"{'; '.join(said)}. See failures_; world {first[0]}: {first[1]}"
    warnings.warn(msg, IncertaWarning, stacklevel=5)


# Entries of a membership that are still reasonable to store: 2 GB.
MOST_ENTRIES = 2**28
# What the result does not depend on.
NO_PART = ("checkpoint", "n_jobs", "random_state")


@with_parameters
class WorldConsensus(AnyClusterer):
    """Run your own clusterer over the uncertainty, and learn how sure each label is.

    Possible worlds are drawn from the data, a copy of the clusterer is fitted in each,
    and the clusterings are made into one [1]_. Any clusterer will do that has
    ``fit_predict``, or ``fit`` with ``labels_`` or ``predict``: scikit-learn's, and
    others that follow it. The methods of this library that are made for uncertain data
    (`UKMeans`, `FDBSCAN`, ...) are cheaper where they are suitable.

    Parameters
    ----------
    clusterer : object
        The clusterer. It is copied, never changed. Every ``random_state`` in it that is
        None gets a seed for each world; one that is set stays.
    n_worlds : int, default=100
        Number of worlds to draw. Joint data have no more worlds than draws; of more
        draws, `n_worlds` are used, evenly spaced.
    n_representatives, selection, divergence
        Cluster only so many worlds, chosen to represent all, as in `RPC`; by default
        all worlds are.
    consensus : str, default="coassociation"
        How the clusterings are made into one:

        - "coassociation": average linkage on the share of worlds in which two objects
          are together, cut to `n_clusters`, or at `min_share`. With a cut at a
          share, groups that are not a cluster in most worlds are dissolved: objects
          on which worlds disagree join the cluster they are with most often.
        - "graph": objects together in more than `min_share` of the worlds are linked,
          and connected objects form a cluster, single objects included. Chains of
          objects between clusters join them.
        - "kmeans-binary": k-means on indicators of the clusters, in all worlds, that an
          object is in.
        - "vote": clusters of all worlds are matched with those of the world that is
          most like the others, and each object goes where most worlds put it.
    n_clusters : int, optional
        Number of clusters of the consensus; the clusterer has its own. By default the
        number that most worlds have; a cut at `min_share` finds its own.
    noise : {"separate", "cluster"}, default="separate"
        Whether objects that are noise in the same world are together there: never, or
        as if noise were a cluster.
    min_share : float, default=0.5
        Share of the worlds, for "graph", and for "coassociation" without `n_clusters`.
    soft : bool, default=False
        Average the probabilities that the clusterer gives in each world, rather than
        count its labels: for mixture models, where a value does not tell which
        component it comes from. The clusterer must have ``predict_proba``.
    n_jobs : int, optional
        Processes for the fits, or the backend that ``joblib.parallel_config`` names,
        such as a Dask cluster; the result does not depend on it. Each fit runs on one
        thread.
    checkpoint : path-like, optional
        Folder for the answers of finished worlds, made if it is not there. The same
        call again goes on where it was stopped, with the same result to the last bit;
        a folder of other data or parameters is refused.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds, of the clusterer in each of them, and of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids; -1 is noise: objects
        that are noise in more than half of the worlds, or in so many that they cannot
        be with others in more than `min_share`.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label, noise or not.
    membership_ : ndarray of shape (n_objects, n_found)
        Share of the worlds in which the object falls into each cluster; the rest,
        up to 1, is noise.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Labels in each world: its clusters are matched one to one with those of the
        consensus, by overlap; those left over go with the one they overlap most.
    raw_labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        As the clusterer gave them.
    stability_ : float
        Mean adjusted Rand index of the clusterings of two worlds: 1 if all agree,
        about 0 if they have nothing in common.
    n_clusters_ : int
        Number of clusters of the consensus.
    failures_ : dict
        Number of the world, and what went wrong there. Worlds in which the clusterer
        raised an exception have rows of -1 and do not count; worlds in which all
        objects are noise do.
    representatives_ : ndarray of shape (n_representatives,) or None
        Numbers of the worlds that were kept, in the order they were chosen.
    n_drawn_ : int
        Number of worlds that were drawn.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Warns
    -----
    IncertaWarning
        If the clusterer failed in some worlds, or found only noise.

    Notes
    -----
    There are as many fits as worlds; fitted clusterers that can predict are kept. The
    consensus takes n_worlds × n_objects operations and memory, and all pairs of at most
    5000 objects that are labeled differently: beyond that, the cut is made among the
    5000 most frequent patterns of labels, and the others join the cluster they are with
    most often. With "graph" all patterns that can touch are compared, in blocks.

    A clusterer in a world clusters values, errors included: with errors that are large
    compared with the clusters it sees the clusters blurred. Confidence is a share of
    worlds, so it is a probability only as far as the laws of the objects are right; a
    measured value with its error bar is not yet the law of the true value.

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
        """Finished worlds; they keep their seed if the estimator has none."""
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
                f"soft=True needs a clusterer with predict_proba, which "
                f"{type(self.clusterer).__name__} does not have; leave soft out."
            )
            raise ValueError(msg)
        if self.consensus == "graph" and self.n_clusters is not None:
            msg = (
                f'n_clusters={self.n_clusters} cannot be asked of consensus="graph", '
                'which finds its own number; use "coassociation".'
            )
            raise ValueError(msg)

    def _soft_membership(self) -> Array:
        """Mean of the worlds' probabilities, components matched by their overlap."""
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
        """Add up the columns of components that go with the same cluster."""
        columns = np.eye(self.n_clusters_ + 1)[component]
        return given @ columns[:, : self.n_clusters_]


def agreed(
    runs: Runs, how: Any, method: str, n_clusters: int | None = None
) -> tuple[Indices, int, float]:
    """Make one clustering of many: labels, number of clusters, and stability."""
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
            f"the worlds agree so little that {n} objects fall into {k} clusters, "
            "most of them single objects, and their membership is too large to be "
            f"stored; lower min_share={how.min_share}, or use average linkage "
            "instead of the graph."
        )
        raise ValueError(msg)
    return labels, k, mean_agreement(raw)
