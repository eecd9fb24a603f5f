"""Accuracy and confidence by uncertainty, for all methods and sets."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from paper.cells import Task, tunings_of
from paper.methods import METHODS
from paper.running import cells_of
from paper.sets import SETS, mode_for

NOISES = (0.25, 0.5, 1.0)


class Reaction(NamedTuple):
    """Means over seeds of a method on a set with some uncertainty."""

    set: str
    method: str
    mode: str
    noise: float
    n_seeds: int
    acc: float
    nmi: float
    confidence: float
    n_clusters: float
    noise_share: float


def sensitivity(
    folder: Path,
    sets: Sequence[str] = SETS,
    methods: Sequence[str] = METHODS,
    noises: Sequence[float] = NOISES,
    n_seeds: int = 3,
    mode: str = "displaced",
    n_jobs: int | None = None,
) -> list[Reaction]:
    """Cluster with growing uncertainty, without using labels.

    Parameters
    ----------
    folder : Path
        Folder of the cells (``cells.csv``).
    sets, methods : sequence of str
        Sets and methods to run.
    noises : sequence of float
        Standard deviations of the errors added to exact sets, in those of the
        features. For other sets, the share of the spread of objects that is kept.
    n_seeds : int, default=3
        Seeds 0, 1, ...
    mode : {"displaced", "centered"}, default="displaced"
        Center of the errors of exact sets: a measurement, as in practice, or the true
        value, which methods that use means never lose.
    n_jobs : int, optional
        Number of processes.

    Returns
    -------
    list of Reaction
    """
    tasks = [
        Task(name, "uncertain", mode_for(name, mode), noise, method, tuning, seed)
        for name in sets
        for method in methods
        for tuning in tunings_of(method)
        if tuning != "labels"
        for noise in noises
        for seed in range(n_seeds)
    ]
    cells = cells_of(tasks, folder, n_jobs)
    found = []
    for start in range(0, len(cells), n_seeds):
        some = cells[start : start + n_seeds]
        acc, info, n_clusters, noise_share, confidence, _ = np.mean(
            [cell[7:] for cell in some], axis=0
        ).tolist()
        first = some[0]
        found.append(
            Reaction(
                first.set,
                first.method,
                first.mode,
                first.noise,
                n_seeds,
                acc,
                info,
                confidence,
                n_clusters,
                noise_share,
            )
        )
    return found
