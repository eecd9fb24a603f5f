"""Figure 3 of the paper: the running times of the methods."""

import time
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from incerta.backend.progress import track
from paper.methods import METHODS, usual
from paper.quiet import quietly
from paper.sets import UNCERTAIN, Setting, problem, usual_noise


class Duration(NamedTuple):
    """Time of one fit on one core: median, minimum and maximum of several."""

    set: str
    method: str
    n_runs: int
    milliseconds: float
    least: float
    most: float


def figure3(
    sets: Sequence[str] = UNCERTAIN,
    methods: Sequence[str] = METHODS,
    n_runs: int = 5,
) -> list[Duration]:
    """Time the fit of every method, with parameters chosen without labels.

    Parameters
    ----------
    sets : sequence of str
        By default those of the figure in the paper.
    methods : sequence of str
        Methods to run.
    n_runs : int, default=5
        Number of timed fits, with seeds 0, 1, ..., after one untimed fit.

    Returns
    -------
    list of Duration

    Notes
    -----
    Times are CPU times of one thread, one fit after the other, so that other load on
    the machine matters little. The choice of the radius is part of a fit.
    """
    steps = track(len(sets) * len(methods) * (n_runs + 1), "fits")
    found = []
    for name in sets:
        for method in methods:
            seconds = []
            for seed in (0, *range(n_runs)):
                seconds.append(_seconds(name, method, seed))
                next(steps)
            ms = 1000.0 * np.array(seconds[1:])
            found.append(
                Duration(
                    name,
                    method,
                    n_runs,
                    float(np.median(ms)),
                    float(ms.min()),
                    float(ms.max()),
                )
            )
    return found


def _seconds(name: str, method: str, seed: int) -> float:
    given = problem(Setting(name, seed, usual_noise(name)))
    with quietly(), threadpool_limits(limits=1):
        start = time.process_time()
        usual(method, given).fit(given.data)
        return time.process_time() - start
