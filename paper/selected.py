"""One choice of worlds for several methods.

RPC, RP-SC and RP-REP keep the same worlds of the same data. The choice takes most of
their time, so it is made once. The fits are the same as with separate choices.
"""

import time
from functools import lru_cache
from typing import Any, NamedTuple

from incerta.divergence import jensen_shannon
from incerta.selection import Kept, keep_worlds
from incerta.typing import Array
from incerta.worlds import Worlds
from paper.methods import N_REPRESENTATIVES, N_WORLDS
from paper.sets import Problem, Setting, problem

# With more than 2000 objects, densities are evaluated at 500 values of each world.
FEW_OBJECTS, N_POINTS = 2000, 500


class Selection(NamedTuple):
    """The kept worlds, and the time of the choice."""

    kept: Kept
    cpu_seconds: float


def chooses_worlds(method: str) -> bool:
    """Return whether a method keeps some of its worlds, by their divergences."""
    return method.startswith("RP")


def divergences_of(worlds: Worlds, bandwidth: str = "silverman") -> Array:
    """Return divergences of worlds by the densities of all objects, as in the paper."""
    few = worlds.shape[1] <= FEW_OBJECTS
    return jensen_shannon(
        worlds, bandwidth=bandwidth, n_points=None if few else N_POINTS
    )


@lru_cache(maxsize=1)
def selection_of(setting: Setting) -> Selection:
    """Choose the worlds of one draw of a set."""
    start = time.process_time()
    data = problem(setting).data
    kept = keep_worlds(
        data,
        N_WORLDS,
        N_REPRESENTATIVES,
        divergence=divergences_of,
        random_state=setting.seed,
    )
    return Selection(kept, time.process_time() - start)


def fitted(method: str, estimator: Any, given: Problem) -> Any:
    """Fit a method with worlds chosen before.

    Parameters
    ----------
    method : str
        Name of the method.
    estimator : estimator
        The method, not fitted yet.
    given : Problem
        The data.

    Returns
    -------
    estimator
        With the labels and the confidence of ``estimator.fit(given.data)``.
    """
    if not chooses_worlds(method) or given.data.exact:
        return estimator.fit(given.data)
    return estimator.fit(selection_of(given.setting).kept)
