"""Methods that choose worlds, without choosing them anew for each.

RPC, RP-SC and RP-REP keep the same worlds of the same data. The choice takes most of
their time, so that it is made once for all of them; a fit is what it would be alone.
"""

import time
from functools import lru_cache
from typing import Any, NamedTuple

from incerta.data import from_worlds
from incerta.divergence import jensen_shannon
from incerta.ensemble.runs import DIVERGENCE_POINTS, EXACT_DIVERGENCE_OBJECTS
from incerta.selection import representatives
from incerta.typing import Array, Indices
from incerta.worlds import Worlds
from incerta.worlds.sequence import worlds_of
from paper.methods import N_REPRESENTATIVES, N_WORLDS
from paper.sets import Problem, Setting, problem


class Selection(NamedTuple):
    """How far worlds are apart, which of them are kept, and what that took."""

    divergences: Array
    kept: Indices
    cpu_seconds: float


def chooses_worlds(method: str) -> bool:
    """Whether a method keeps some of its worlds, by their divergences."""
    return method.startswith("RP")


def divergences_of(worlds: Worlds, bandwidth: str = "silverman") -> Array:
    """How far worlds are apart, at as many values as `RPC` takes."""
    few = worlds.shape[1] <= EXACT_DIVERGENCE_OBJECTS
    return jensen_shannon(
        worlds, bandwidth=bandwidth, n_points=None if few else DIVERGENCE_POINTS
    )


@lru_cache(maxsize=1)
def selection_of(setting: Setting) -> Selection:
    """Choose the worlds of one draw of a set."""
    start = time.process_time()
    worlds = worlds_of(problem(setting).data, N_WORLDS, setting.seed)
    divergences = divergences_of(worlds)
    kept = representatives(divergences, N_REPRESENTATIVES)
    return Selection(divergences, kept, time.process_time() - start)


def fitted(method: str, estimator: Any, given: Problem) -> Any:
    """Fit a method with worlds that were chosen once.

    Parameters
    ----------
    method : str
        Its name.
    estimator : estimator
        What to fit.
    given : Problem
        What to fit it to.

    Returns
    -------
    estimator
        With the labels and the confidence that ``estimator.fit(given.data)`` has.
    """
    if not chooses_worlds(method) or given.data.exact:
        return estimator.fit(given.data)
    selection = selection_of(given.setting)
    if method == "RPC":
        known = estimator.set_params(divergence=lambda _: selection.divergences)
        return known.fit(given.data)
    worlds = worlds_of(given.data, N_WORLDS, given.seed).at(selection.kept)
    return estimator.set_params(n_representatives=None).fit(from_worlds(worlds.stack()))
