"""Figure 3 of the paper: how long each method takes."""

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
    """Time of one fit, on one core: the median of several, and the least and most."""

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
    """Time the fit of every method, with parameters that need no labels.

    Parameters
    ----------
    sets : sequence of str
        By default those of the paper's figure.
    methods : sequence of str
        Which methods.
    n_runs : int, default=5
        Fits that count, with seeds 0, 1, ...; one before them does not.

    Returns
    -------
    list of Duration

    Notes
    -----
    CPU time of one thread, one fit after the other: what else the machine does matters
    little. Choosing the radius is part of a fit.
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
