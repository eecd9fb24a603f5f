"""What estimators share that cluster world by world, and then make one of many."""

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from incerta.backend.memory import blocks
from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData
from incerta.ensemble.consensus import consensus
from incerta.ensemble.naming import renamed, renamings
from incerta.ensemble.runs import (
    Runs,
    cluster_worlds,
    predict_worlds,
    representative_worlds,
)
from incerta.ensemble.stability import Instability, mean_agreement, sources
from incerta.estimators._base import (
    UncertainClusterMixin,
    in_order_of_appearance,
    likeliest,
    shares,
)
from incerta.exceptions import IncertaWarning
from incerta.typing import Array, Indices
from incerta.worlds import Worlds
from incerta.worlds.sequence import matching, worlds_of

# Entries of a membership that are still reasonable to store: 2 GB.
MOST_ENTRIES = 2**28


class WorldsMixin(UncertainClusterMixin):
    """Draw, cluster, agree, predict.

    A fit sets ``seed_``, asks for worlds with `_draw`, clusters them, and hands the
    result to `_keep`.
    """

    clusterer: Any
    n_worlds: int
    n_representatives: int | None
    noise: str
    threshold: float
    n_jobs: int | None
    seed_: int

    def predict(self, X: Any) -> Indices:
        """Most probable cluster of new objects; -1 where that is none.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit, independent of its objects
            unless both are joint.

        Returns
        -------
        ndarray of shape (n_new,)
        """
        return likeliest(self.predict_proba(X))

    def predict_proba(self, X: Any) -> Array:
        """Share of the worlds in which new objects fall into each cluster.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_new, n_found)
            Columns in the order of the labels; what is missing to 1 is noise.
        """
        positions, new = self._worlds_of_new(X)
        return _shares(self._new_labels(positions, new), self.n_clusters_)

    def instability(self, n_seeds: int = 5, n_worlds: int = 20) -> Instability:
        """Tell the uncertainty of the data from the clusterer's own randomness.

        The clusterer is run again in some of the worlds, several times in each with
        different seeds; also a ``random_state`` that is set is replaced.

        Parameters
        ----------
        n_seeds : int, default=5
            Runs in each world, at least 2.
        n_worlds : int, default=20
            Number of worlds.

        Returns
        -------
        Instability
            ``total``, ``uncertainty``, ``clusterer``; printed, it says it in words.

        Notes
        -----
        ``n_seeds * n_worlds`` fits.
        """
        check_is_fitted(self)
        if n_seeds < 2 or n_worlds < 1:
            msg = (
                f"n_seeds={n_seeds} and n_worlds={n_worlds} must be at least 2 and 1: "
                "runs are compared with each other."
            )
            raise ValueError(msg)
        worlds = worlds_of(self._worlds.data, n_worlds, self.seed_)
        seeds = np.random.SeedSequence([self.seed_, 5]).generate_state(n_seeds)
        labels, of_world = [], []
        for seed in seeds.tolist():
            runs = cluster_worlds(
                self._clusterer, worlds, seed=seed, n_jobs=self.n_jobs, reseed=True
            )
            labels.append(runs.labels[~runs.failed])
            of_world.append(np.flatnonzero(~runs.failed))
        return sources(np.concatenate(labels), np.concatenate(of_world))

    def _draw(self, data: UncertainData) -> Worlds:
        """Draw the worlds, and with `n_representatives` keep those that stand for all.

        Exact data have one, joint data those that were given.
        """
        worlds = worlds_of(data, self.n_worlds, self.seed_)
        self.representatives_: Indices | None = None
        if self.n_representatives is not None:
            worlds = worlds.at(
                representative_worlds(
                    worlds, self.n_representatives, n_jobs=self.n_jobs
                )
            )
            self.representatives_ = worlds.indices
        return worlds

    def _keep(
        self,
        clusterer: Any,
        worlds: Worlds,
        runs: Runs,
        method: str,
        n_clusters: int | None = None,
    ) -> None:
        """Make one clustering of all, and keep what all of them say of it."""
        answered = np.flatnonzero(~runs.failed)
        raw = runs.labels[answered] if runs.failed.any() else runs.labels
        found = consensus(
            raw,
            method,
            n_clusters=n_clusters,
            noise=self.noise,
            threshold=self.threshold,
            seed=self.seed_,
        )
        self.labels_, order = in_order_of_appearance(found)
        self.n_clusters_ = len(order)
        self._refuse_too_many()
        self._clusterer = clusterer
        self._worlds = worlds.at(answered)
        self._raw = raw
        self._names = renamings(raw, self.labels_, self.n_clusters_)
        models = runs.models or [None] * len(runs.labels)
        self._models = [models[j] for j in answered]
        self.raw_labels_per_world_ = runs.labels
        self.labels_per_world_ = np.full_like(runs.labels, -1)
        self.labels_per_world_[answered] = renamed(raw, self._names)
        self.stability_ = mean_agreement(raw)
        self.failures_ = runs.failures
        self._set_membership(_shares(self.labels_per_world_[answered], len(order)))
        self._warn_of_failures(runs)

    def _set_membership(self, membership: Array) -> None:
        self.membership_ = membership
        noise = 1.0 - membership.sum(axis=1)
        # One column more: that of -1 is the last.
        full = np.column_stack([membership, noise])
        self.confidence_ = full[np.arange(len(full)), self.labels_]

    def _worlds_of_new(self, X: Any) -> tuple[Indices, Worlds]:
        """Worlds of new objects, and which worlds of the fit they go with."""
        check_is_fitted(self)
        data = objects_of(self, X, reset=False)
        kept = self._worlds
        if kept.data.exact:
            # A single world, which goes with all of the others.
            new = worlds_of(data, self.n_worlds, self.seed_ + 1)
            return np.zeros(len(new), dtype=np.intp), new
        # Another seed: the same one would move new object i along with object i.
        new = replace(matching(kept, data), seed=kept.seed + 1)
        return np.arange(len(kept)), new

    def _new_labels(self, positions: Indices, new: Worlds) -> Indices:
        """Labels of new objects, in terms of the consensus, in each of their worlds."""
        raw = predict_worlds(
            self._worlds.at(positions),
            new,
            self._raw[positions],
            [self._models[j] for j in positions],
            n_jobs=self.n_jobs,
        )
        return renamed(raw, [self._names[j] for j in positions])

    def _refuse_too_many(self) -> None:
        n, k = len(self.labels_), self.n_clusters_
        if n * k > MOST_ENTRIES:
            msg = (
                f"the worlds agree so little that {n} objects fall into {k} clusters, "
                "most of them single objects, and their membership is too large to be "
                f"stored; lower threshold={self.threshold}, or look for the average "
                "instead of the graph."
            )
            raise ValueError(msg)

    def _warn_of_failures(self, runs: Runs) -> None:
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
        warnings.warn(msg, IncertaWarning, stacklevel=4)


def _shares(labels_per_world: Indices, n_clusters: int) -> Array:
    """Shares of the worlds, some objects at a time."""
    m, n = labels_per_world.shape
    out = np.empty((n, n_clusters))
    for part in blocks(n, 8 * (3 * m + 2 * n_clusters)):
        out[part] = shares(labels_per_world[:, part], n_clusters)
    return out
