"""Many tasks on all cores, without those already done."""

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

# From long to short, so that no core ends with a long task.
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
    """Compute the cells that are missing from a folder, and return all.

    Parameters
    ----------
    tasks : sequence of Task
        The tasks.
    folder : Path
        Folder of cells (``cells.csv``) and searches (``searches.csv``). Each is written
        when it is done, so that an interrupted run can resume.
    n_jobs : int, optional
        Number of processes, each with one thread; it does not change the result.

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
    """Return the parameters chosen with labels, by set, noise and method."""
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
    """Yield results in any order, with progress."""
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
    """Group tasks that use the same choice of worlds."""
    found: dict[Any, list[Task]] = {}
    for task in tasks:
        alone = not chooses_worlds(task.method)
        found.setdefault((task.setting, task if alone else None), []).append(task)
    return sorted(found.values(), key=lambda some: SETS_BY_SIZE.index(some[0].set))


def _n_trials(task: SearchTask) -> int:
    return len(points_of(task.family, task.part)) * len(TUNED[task.family])


def _search_size(task: SearchTask) -> tuple[int, int]:
    return SETS_BY_SIZE.index(task.set), FAMILIES_BY_SIZE.index(task.family)
