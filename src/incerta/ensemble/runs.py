"""Running one clusterer in many worlds, and comparing the results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.base import clone

from incerta.backend.device import threads
from incerta.backend.progress import followed, track
from incerta.divergence.clusterings import ari_matrix
from incerta.models.checkpoint import Checkpoint
from incerta.typing import Indices
from incerta.wording import percent
from incerta.worlds import Worlds

# Tasks per worker: enough to share work evenly, few enough to send quickly.
TASKS_PER_JOB = 8


@dataclass(frozen=True, kw_only=True, eq=False)
class Runs:
    """The results of a clusterer in each world.

    `labels` (n_worlds, n_objects): as returned by the clusterer, with -1 for noise; a
    row of -1 in failed worlds. `failed` (n_worlds,): whether it raised an exception.
    `failures`: messages by number of the world, including worlds in which all objects
    are noise, which have not failed. `models`: the fitted clusterers, or None if they
    failed or cannot predict.
    """

    labels: Indices
    failed: NDArray[np.bool_]
    failures: dict[int, str]
    models: list[Any] | None


class _Answer(NamedTuple):
    labels: Indices | None
    model: Any
    problem: str | None


def cluster_worlds(
    clusterer: Any,
    worlds: Worlds,
    *,
    seed: int,
    n_jobs: int | None = None,
    keep_models: bool = False,
    reseed: bool = False,
    pieces: Checkpoint | None = None,
) -> Runs:
    """Fit a copy of a clusterer in every world.

    Every ``random_state`` that is None, also of nested clusterers, is replaced by a
    number that depends on the seed and the world; with `reseed` the others are, too.
    The result does not depend on `n_jobs`, the number of single-threaded processes.
    Finished worlds are kept in `pieces`. If all fail, the first exception is raised.
    """
    n_worlds, n_objects, _ = worlds.shape
    pieces = Checkpoint(None, seed) if pieces is None else pieces
    names = [f"world-{number}" for number in worlds.indices]
    missing = {j for j, name in enumerate(names) if not pieces.has(name)}
    size = max(-(-len(missing) // (TASKS_PER_JOB * effective_n_jobs(n_jobs))), 1)
    todo = sorted(missing)
    parts = (
        worlds.at(todo[start : start + size]) for start in range(0, len(todo), size)
    )

    def computed() -> Iterator[_Answer]:
        found = Parallel(n_jobs=n_jobs, return_as="generator")(
            delayed(_fit_all)(clusterer, part, seed, keep_models, reseed)
            for part in parts
        )
        yield from (answer for part in found for answer in part)

    def answers() -> Iterator[_Answer]:
        new = computed()
        for j, name in enumerate(names):
            if j not in missing:
                yield _Answer(*pieces.read(name))
                continue
            answer = next(new)
            pieces.write(name, tuple(answer))
            yield answer

    labels = np.full((n_worlds, n_objects), -1, dtype=np.intp)
    failed = np.zeros(n_worlds, dtype=bool)
    failures: dict[int, str] = {}
    models: list[Any] = []
    steps = track(n_worlds, "worlds")
    for j, answer in enumerate(answers()):
        if answer.labels is None:
            failed[j] = True
        else:
            labels[j] = answer.labels
        if answer.problem is not None:
            failures[int(worlds.indices[j])] = answer.problem
        models.append(answer.model)
        next(steps)
    if failed.all():
        _raise_first(clusterer, worlds, seed, reseed, next(iter(failures.values())))
    kept = models if keep_models else None
    return Runs(labels=labels, failed=failed, failures=failures, models=kept)


def predict_worlds(
    worlds: Worlds,
    new_worlds: Worlds,
    labels: Indices,
    models: Sequence[Any] | None = None,
    *,
    n_jobs: int | None = None,
) -> Indices:
    """Label new objects in every world, by its model or by the nearest value."""
    found = np.empty(new_worlds.shape[:2], dtype=np.intp)
    news = followed(new_worlds, "worlds")
    for j, (new, row) in enumerate(zip(news, found, strict=True)):
        model = None if models is None else models[j]
        if model is None:
            nearest = cKDTree(worlds[j]).query(new, workers=n_jobs or 1)[1]
            row[:] = labels[j][nearest]
            continue
        with threads(1):
            row[:] = _as_labels(model.predict(new), len(new))
    return found


def _fit_all(
    clusterer: Any, worlds: Worlds, seed: int, keep_models: bool, reseed: bool
) -> list[_Answer]:
    answers = []
    # Most worlds are too small to gain from threads, and there are many of them.
    with threads(1):
        for number, values in zip(worlds.indices.tolist(), worlds, strict=True):
            model = _copy(clusterer, seed, number, reseed)
            try:
                labels = _fitted_labels(model, values)
            except Exception as error:
                answers.append(_Answer(None, None, f"{type(error).__name__}: {error}"))
                continue
            kept = model if keep_models and hasattr(model, "predict") else None
            problem = "all noise" if labels.max() < 0 else None
            answers.append(_Answer(labels, kept, problem))
    return answers


def _copy(clusterer: Any, seed: int, world: int, reseed: bool) -> Any:
    """Copy a clusterer, with randomness that depends only on the seed and the world."""
    model = clone(clusterer, safe=False)
    if not hasattr(model, "get_params"):
        return model
    names = sorted(
        name
        for name, value in model.get_params(deep=True).items()
        if name.rpartition("__")[2] == "random_state" and (reseed or value is None)
    )
    if names:
        states = np.random.SeedSequence([seed, world]).generate_state(len(names))
        model.set_params(**dict(zip(names, states.tolist(), strict=True)))
    return model


def _fitted_labels(model: Any, values: Any) -> Indices:
    if hasattr(model, "fit_predict"):
        return _as_labels(model.fit_predict(values), len(values))
    model.fit(values)
    own = model.labels_ if hasattr(model, "labels_") else model.predict(values)
    return _as_labels(own, len(values))


def _as_labels(labels: Any, n_objects: int) -> Indices:
    """Convert labels to whole numbers, with -1 for every kind of noise."""
    found = np.asarray(labels)
    if found.shape != (n_objects,) or found.dtype.kind not in "iu":
        msg = (
            f"the clusterer returned labels of shape {found.shape} and type "
            f"{found.dtype}; it must return {n_objects} whole numbers."
        )
        raise ValueError(msg)
    return np.maximum(found.astype(np.intp), -1)


def _raise_first(
    clusterer: Any, worlds: Worlds, seed: int, reseed: bool, problem: str
) -> None:
    """Fit the first world again, so that its exception is raised unchanged."""
    model = _copy(clusterer, seed, int(worlds.indices[0]), reseed)
    try:
        _fitted_labels(model, worlds[0])
    except Exception as error:
        error.add_note(f"The clusterer failed in all {len(worlds)} worlds.")
        raise
    msg = f"the clusterer failed in all {len(worlds)} worlds; in the first: {problem}"
    raise RuntimeError(msg)


# comparison of clusterings ----------------------------------------------------------


@dataclass(frozen=True)
class Instability:
    """Disagreement of clusterings, and its two sources.

    Disagreement is one minus the adjusted Rand index of two clusterings: 0 for the
    same, about 1 for unrelated ones.

    Attributes
    ----------
    total : float
        Mean disagreement of runs in different worlds, with different seeds.
    clusterer : float
        Mean disagreement of runs in the same world with different seeds, which would
        remain if the data were exact.
    uncertainty : float
        The rest, at least 0, due to the uncertainty of the data.
    """

    total: float
    clusterer: float
    uncertainty: float

    @property
    def share_of_uncertainty(self) -> float:
        """Share of the total due to the data; 0 if there is no disagreement."""
        return self.uncertainty / self.total if self.total > 0 else 0.0

    def __str__(self) -> str:
        """Describe the result in words."""
        if self.total == 0:
            return "All runs agree: neither the data nor the clusterer disturbs them."
        return (
            f"Two runs disagree by {self.total:.3f} (0: same clusters, 1: unrelated).\n"
            f"{percent(self.share_of_uncertainty)} of that comes from the uncertainty "
            f"of the data ({self.uncertainty:.3f}),\n"
            f"the rest from the randomness of the clusterer ({self.clusterer:.3f})."
        )


def mean_agreement(labels: Indices) -> float:
    """Return the mean adjusted Rand index of all pairs; 1 for a single clustering."""
    m = len(labels)
    if m < 2:
        return 1.0
    table = ari_matrix(labels)
    return float((table.sum() - np.trace(table)) / (m * (m - 1)))


def sources(labels: Indices, worlds: Indices) -> Instability:
    """Split the disagreement of runs (n_runs, n_objects) into its sources."""
    table = 1.0 - ari_matrix(labels)
    together = worlds[:, None] == worlds
    # All worlds have the same weight, whatever their number of runs.
    same = np.array(
        [
            table[np.ix_(here, here)].sum() / (len(here) * (len(here) - 1))
            for here in (np.flatnonzero(worlds == w) for w in np.unique(worlds))
            if len(here) > 1
        ]
    )
    clusterer = max(float(same.mean()), 0.0) if len(same) else 0.0
    total = float(table[~together].mean()) if not together.all() else clusterer
    total = max(total, 0.0)
    return Instability(total, clusterer, max(total - clusterer, 0.0))
