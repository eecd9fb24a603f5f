"""What WorldConsensus, SC and REP share: worlds in terms of one clustering."""

import warnings
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from incerta.data.container import UncertainData
from incerta.ensemble.naming import Renaming, renamed, renamings
from incerta.ensemble.runs import Runs, cluster_worlds, predict_worlds
from incerta.ensemble.stability import Instability, sources
from incerta.estimators._base import Facts, UncertainClusterer, check_model
from incerta.exceptions import IncertaWarning
from incerta.labels import shares
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.selection.keeping import Kept
from incerta.typing import Array, Indices
from incerta.worlds import Worlds
from incerta.worlds.pairing import paired
from incerta.worlds.sequence import check_worlds, worlds_of

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

    def facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        return Facts(
            labels_per_world=self.labels_per_world_,
            n_drawn=self.n_drawn_,
            kept=self.representatives_,
            stability=self.stability_,
            failures=self.failures_,
        )

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
            ``total``, ``uncertainty``, ``clusterer``; printed, it explains itself in
            words.

        Notes
        -----
        It takes ``n_seeds * n_worlds`` fits.
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
