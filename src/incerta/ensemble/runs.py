"""One clusterer, many worlds: fit it in each, and ask each about new objects."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from numpy.typing import NDArray
from scipy.spatial import cKDTree
from sklearn.base import clone

from incerta.backend.progress import followed, track
from incerta.backend.threads import threads
from incerta.models.checkpoint import Checkpoint
from incerta.typing import Indices
from incerta.worlds import Worlds

# Tasks per worker: enough for even shares, few enough that sending them costs little.
TASKS_PER_JOB = 8


class Runs(NamedTuple):
    """What a clusterer said in each world.

    `labels` (n_worlds, n_objects): as the clusterer gave them, with -1 for noise; a row
    of -1 where it failed. `failed` (n_worlds,): where it raised an exception: worlds
    that must not count. `failures`: number of the world, and what happened there.
    Worlds in which all objects were noise are named, too, though that is an answer.
    `models`: the fitted clusterers, None for those that failed or cannot predict.
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

    `clusterer`: anything with ``fit_predict``, with ``fit`` and ``labels_``, or with
    ``fit`` and ``predict``. It is copied, never changed. `worlds`: the worlds; each is
    drawn where it is needed. `seed`: what the clusterer's own randomness comes from,
    together with the number of the world: every ``random_state`` that is None,
    including those of nested clusterers, gets a number made from both. `n_jobs`:
    processes, or the backend that ``joblib.parallel_config`` names; the result does not
    depend on it. Each runs on one thread. `keep_models`: keep the fitted clusterers
    that can predict. `reseed`: also replace a ``random_state`` that is set. `pieces`:
    where the answers of finished worlds are, and are kept.

    Raises Exception: what the clusterer raised in the first world, if it failed in all.

    As many fits as worlds. Only data, seeds and labels travel between processes; kept
    clusterers travel back, too, and stay in memory, most with labels of their own.

    >>> import incerta as ic
    >>> from sklearn.cluster import KMeans
    >>> worlds = ic.from_gaussian([[0.0], [1.0], [9.0]], std=0.1).worlds(3, 0)
    >>> found = cluster_worlds(KMeans(2), worlds, seed=0)
    >>> found.labels.shape, found.failures
    ((3, 3), {})
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
    return Runs(labels, failed, failures, models if keep_models else None)


def predict_worlds(
    worlds: Worlds,
    new_worlds: Worlds,
    labels: Indices,
    models: Sequence[Any] | None = None,
    *,
    n_jobs: int | None = None,
) -> Indices:
    """Ask every world about new objects.

    `worlds`, `labels`: worlds of the clustered objects, and their labels in each, of
    shape (n_worlds, n_objects). `new_worlds`: as many worlds of the new objects.
    `models`: the clusterer fitted in each world, or None. `n_jobs`: threads of the
    search for the nearest value.

    Returns (n_worlds, n_new): what the fitted clusterer predicts, where it can; else
    the label of the nearest value in that world, -1 included. Numbers have the same
    meaning as in `labels`.

    For clusterers that cannot predict, one tree of the objects per world.
    """
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
    # Most worlds are small next to what threads cost, and there are many of them.
    with threads(1):
        return list(_answers(clusterer, worlds, seed, keep_models, reseed))


def _answers(
    clusterer: Any, worlds: Worlds, seed: int, keep_models: bool, reseed: bool
) -> Iterator[_Answer]:
    for number, values in zip(worlds.indices.tolist(), worlds, strict=True):
        model = _copy(clusterer, seed, number, reseed)
        try:
            labels = _fitted_labels(model, values)
        except Exception as error:
            yield _Answer(None, None, f"{type(error).__name__}: {error}")
            continue
        kept = model if keep_models and hasattr(model, "predict") else None
        yield _Answer(labels, kept, "all noise" if labels.max() < 0 else None)


def _copy(clusterer: Any, seed: int, world: int, reseed: bool) -> Any:
    """Copy of a clusterer whose randomness depends only on the seed and the world."""
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
    """Labels as whole numbers, with -1 for every kind of noise."""
    found = np.asarray(labels)
    if found.shape != (n_objects,) or found.dtype.kind not in "iu":
        msg = (
            f"the clusterer gave labels of shape {found.shape} and type {found.dtype}; "
            f"it must give {n_objects} whole numbers."
        )
        raise ValueError(msg)
    return np.maximum(found.astype(np.intp), -1)


def _raise_first(
    clusterer: Any, worlds: Worlds, seed: int, reseed: bool, problem: str
) -> None:
    """Raise what the first world raised, as it was raised: by doing it again."""
    model = _copy(clusterer, seed, int(worlds.indices[0]), reseed)
    try:
        _fitted_labels(model, worlds[0])
    except Exception as error:
        error.add_note(f"The clusterer failed in all {len(worlds)} worlds.")
        raise
    msg = f"the clusterer failed in all {len(worlds)} worlds; in the first: {problem}"
    raise RuntimeError(msg)
