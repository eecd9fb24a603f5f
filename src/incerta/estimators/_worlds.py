"""What WorldConsensus, SC and REP share: worlds in terms of one clustering."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from incerta.data.container import UncertainData
from incerta.ensemble.consensus import Renaming, renamed, renamings
from incerta.ensemble.runs import (
    Instability,
    Runs,
    cluster_worlds,
    predict_worlds,
    sources,
)
from incerta.estimators._base import Facts
from incerta.exceptions import IncertaWarning
from incerta.labels import shares
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices
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
class Described(NamedTuple):
    """Worlds that were clustered, in terms of one common clustering."""

    worlds: Worlds
    raw: Indices  # (n_worlds, n_objects), labels as the clusterer gave them
    names: list[Renaming]  # of each world's clusters
    models: list[Any]  # clusterers fitted in each world; None where they cannot predict
    # Cluster that each component of a world goes with, where probabilities are used.
    components: list[Indices] | None = None


def describe(estimator: Any, worlds: Worlds, runs: Runs) -> None:
    """Express each world in terms of ``labels_``; worlds that failed are left out."""
    k, answered = estimator.n_clusters_, np.flatnonzero(~runs.failed)
    raw = runs.labels[answered]
    names = renamings(raw, estimator.labels_, k)
    models = runs.models or [None] * len(runs.labels)
    estimator._model = Described(
        worlds.at(answered), raw, names, [models[j] for j in answered]
    )
    estimator.raw_labels_per_world_ = runs.labels
    estimator.labels_per_world_ = np.full_like(runs.labels, -1)
    estimator.labels_per_world_[answered] = renamed(raw, names)
    estimator.membership_ = shares(estimator.labels_per_world_[answered], k)
    estimator.failures_ = runs.failures
    _warn_of_failures(runs)


def facts_of(estimator: Any) -> Facts:
    """What the worlds tell."""
    return Facts(
        labels_per_world=estimator.labels_per_world_,
        n_drawn=estimator.n_drawn_,
        kept=estimator.representatives_,
        stability=estimator.stability_,
        failures=estimator.failures_,
    )


def predicted_shares(estimator: Any, data: UncertainData) -> Array:
    """Share of the worlds in which new objects fall into each cluster.

    In each world this is what the clusterer fitted there predicts, if it can; else the
    label of the nearest value.
    """
    model = estimator._model
    positions, worlds, new = paired(model.worlds, data, estimator.n_worlds)
    raw = predict_worlds(
        worlds,
        new,
        model.raw[positions],
        [model.models[j] for j in positions],
        n_jobs=estimator.n_jobs,
    )
    found = renamed(raw, [model.names[j] for j in positions])
    return shares(found, estimator.n_clusters_)


def instability_of(
    estimator: Any, clusterer: Any, n_seeds: int, n_worlds: int
) -> Instability:
    """Run a clusterer again in some worlds, several times in each; see the methods."""
    check_is_fitted(estimator)
    if n_seeds < 2 or n_worlds < 1:
        msg = (
            f"n_seeds={n_seeds} and n_worlds={n_worlds} must be at least 2 and 1: "
            "runs are compared with each other."
        )
        raise ValueError(msg)
    worlds = worlds_of(estimator._model.worlds.data, n_worlds, estimator.seed_)
    seeds = np.random.SeedSequence([estimator.seed_, 5]).generate_state(n_seeds)
    labels, of_world = [], []
    for seed in seeds.tolist():
        runs = cluster_worlds(
            clusterer, worlds, seed=seed, n_jobs=estimator.n_jobs, reseed=True
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
