"""Table 2 of the paper: all methods on all sets."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from incerta.typing import Array
from paper.cells import FIRST_SEED, Cell, Task, tunings_of
from paper.methods import METHODS
from paper.published import published
from paper.running import cells_of
from paper.sets import INPUTS, SETS, mode_for, usual_noise


class Line(NamedTuple):
    """Mean and standard deviation of a method on a set, beside those of the paper.

    `tuning` is the source of parameters. "none" needs only the number of classes, and
    "auto" uses no label. "labels" takes the best point of a grid for the scored draw,
    as the paper does, and "kept" applies it to all other draws.
    """

    set: str
    input: str
    method: str
    tuning: str
    n_seeds: int
    acc: float
    acc_sd: float
    nmi: float
    nmi_sd: float
    n_clusters: float
    noise_share: float
    confidence: float
    cpu_seconds: float
    paper_acc: float
    paper_nmi: float


def tasks_of(
    sets: Sequence[str] = SETS,
    methods: Sequence[str] = METHODS,
    n_seeds: int = 10,
    mode: str = "centered",
) -> list[Task]:
    """Return all cells of the table.

    Parameters
    ----------
    sets, methods : sequence of str
        Rows and columns.
    n_seeds : int, default=10
        Number of draws of the uncertainty, worlds and starts, with seeds 0, 1, ...
    mode : {"centered", "displaced"}, default="centered"
        Center of the errors of exact sets: the values, or measurements of them; see
        `incerta.datasets.make_uncertain`.

    Returns
    -------
    list of Task
    """
    return [
        Task(
            name, source, mode_for(name, mode), usual_noise(name), method, tuning, seed
        )
        for name in sets
        for source in INPUTS
        for method in methods
        for tuning in tunings_of(method)
        # As in the paper, labels choose parameters only for the uncertain data.
        if source == "uncertain" or tuning != "labels"
        for seed in range(n_seeds)
    ]


def table2(
    folder: Path,
    sets: Sequence[str] = SETS,
    methods: Sequence[str] = METHODS,
    n_seeds: int = 10,
    mode: str = "centered",
    n_jobs: int | None = None,
) -> list[Line]:
    """Compute the missing cells, and return the table.

    Parameters
    ----------
    folder : Path
        Folder of the cells; see `paper.running.cells_of`.
    sets, methods, n_seeds, mode
        As for `tasks_of`.
    n_jobs : int, optional
        Processes.

    Returns
    -------
    list of Line
    """
    cells = cells_of(tasks_of(sets, methods, n_seeds, mode), folder, n_jobs)
    return list(summarized(cells))


def summarized(cells: Iterable[Cell]) -> Iterator[Line]:
    """Average over seeds; only the uncertain data have figures of the paper."""
    groups: dict[tuple[str, str, str, str], list[Cell]] = {}
    for cell in cells:
        tuning = cell.tuning
        if tuning == "labels" and cell.seed != FIRST_SEED:
            tuning = "kept"
        key = (cell.set, cell.input, cell.method, tuning)
        groups.setdefault(key, []).append(cell)
    for (name, source, method, tuning), some in groups.items():
        paper = published()[name, method]
        numbers = np.array([cell[7:] for cell in some], dtype=np.float64)
        acc, info, n_clusters, noise, sure, seconds = numbers.mean(axis=0)
        acc_sd, info_sd = _spread(numbers[:, :2])
        beside = paper if source == "uncertain" else (np.nan, np.nan)
        yield Line(
            name,
            source,
            method,
            tuning,
            len(some),
            acc,
            acc_sd,
            info,
            info_sd,
            n_clusters,
            noise,
            sure,
            seconds,
            *beside,
        )


def _spread(values: Array) -> Array:
    if len(values) == 1:
        return np.full(values.shape[1], np.nan)
    return values.std(axis=0, ddof=1)
