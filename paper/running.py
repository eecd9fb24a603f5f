"""Many tasks, some of them done already, on all cores."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from joblib import Parallel, delayed, parallel_config

from incerta.backend.progress import track
from paper.cells import (
    Cell,
    Found,
    SearchTask,
    Task,
    compute_group,
    compute_search,
    family_of,
)
from paper.methods import TUNED, Point
from paper.search import N_PARTS, Trial, best, points_of
from paper.selected import chooses_worlds
from paper.store import Store

# From long to short, so that no core is left with a long task at the end.
SETS_BY_SIZE = (
    "waveform",
    "image",
    "usps",
    "movement",
    "weather",
    "libras",
    "ecoli",
    "nba",
    "wine",
)
FAMILIES_BY_SIZE = ("worlds", "order", "probability")

Result = TypeVar("Result")


def cells_of(
    tasks: Sequence[Task], folder: Path, n_jobs: int | None = None
) -> list[Cell]:
    """Compute the cells that a folder does not hold yet, and return all.

    Parameters
    ----------
    tasks : sequence of Task
        What is wanted.
    folder : Path
        Where cells (``cells.csv``) and searches (``searches.csv``) are kept. Each is
        written when it is done, so that a run can be stopped and started again.
    n_jobs : int, optional
        Processes, each with one thread; the result does not depend on it.

    Returns
    -------
    list of Cell
        In the order of `tasks`.
    """
    store = Store(folder / "cells.csv", Cell)
    done = {cell.task: cell for cell in store.rows}
    missing = [task for task in dict.fromkeys(tasks) if task not in done]
    points = points_for(missing, folder, n_jobs)
    calls = [
        delayed(compute_group)(group, [points.get(_tuned_by(task)) for task in group])
        for group in _groups(missing)
    ]
    for cells in in_parallel(calls, n_jobs, "cells"):
        store.add(cells)
        done |= {cell.task: cell for cell in cells}
    return [done[task] for task in tasks]


def points_for(
    tasks: Iterable[Task], folder: Path, n_jobs: int | None = None
) -> dict[Any, Point]:
    """Parameters that labels choose for these tasks, by set, noise and method."""
    wanted = dict.fromkeys(task for task in tasks if task.tuning == "labels")
    searches = dict.fromkeys(
        SearchTask(task.set, task.mode, task.noise, family_of(task.method), part)
        for task in wanted
        for part in range(N_PARTS)
    )
    store = Store(folder / "searches.csv", Found)
    counts = Counter(row.task for row in store.rows)
    missing = [task for task in searches if counts[task] < _n_trials(task)]
    missing.sort(key=_search_size)
    for rows in in_parallel(map(delayed(compute_search), missing), n_jobs, "searches"):
        store.add(rows)
    trials: dict[Any, list[Trial]] = {}
    for row in store.rows:
        key = (row.set, row.mode, row.noise, row.method)
        trials.setdefault(key, []).append(Trial(*row[5:]))
    return {_tuned_by(task): best(trials[_tuned_by(task)]) for task in wanted}


def in_parallel(
    calls: Iterable[Callable[[], Result]], n_jobs: int | None, name: str
) -> Iterable[Result]:
    """Results as they come, in any order, with progress."""
    waiting = list(calls)
    steps = track(len(waiting), name)
    with parallel_config(backend="loky", inner_max_num_threads=1):
        run = Parallel(n_jobs=n_jobs, return_as="generator_unordered", batch_size=1)
        for result in run(waiting):
            yield result
            next(steps)


def _tuned_by(task: Task) -> tuple[str, str, float, str] | None:
    if task.tuning != "labels":
        return None
    return task.set, task.mode, task.noise, task.method


def _groups(tasks: Iterable[Task]) -> list[list[Task]]:
    """Tasks by themselves, or together where they take the same choice of worlds."""
    found: dict[Any, list[Task]] = {}
    for task in tasks:
        alone = not chooses_worlds(task.method)
        found.setdefault((task.setting, task if alone else None), []).append(task)
    return sorted(found.values(), key=lambda some: SETS_BY_SIZE.index(some[0].set))


def _n_trials(task: SearchTask) -> int:
    return len(points_of(task.family, task.part)) * len(TUNED[task.family])


def _search_size(task: SearchTask) -> tuple[int, int]:
    return SETS_BY_SIZE.index(task.set), FAMILIES_BY_SIZE.index(task.family)
