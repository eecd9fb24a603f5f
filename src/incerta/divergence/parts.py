"""Worlds of many objects, compared by some of them."""

import warnings
from collections.abc import Callable

import numpy as np

from incerta.backend.keyed import some_by_key
from incerta.exceptions import IncertaWarning
from incerta.typing import Array
from incerta.worlds import Worlds

# The standard error is that of the mean of so many parts.
N_PARTS = 10


def by_some_objects(worlds: Worlds, n_objects: int | None, seed: int) -> Worlds:
    """The same worlds of at most `n_objects` objects, chosen by their ids.

    `worlds`: worlds of all objects. `n_objects`: how many to choose; None for all.
    `seed`: of the choice.

    Returns the same objects in each: what they are by chance is the same in all worlds.
    """
    if n_objects is None or n_objects >= worlds.shape[1]:
        return worlds
    return worlds.only(some_by_key(worlds.data.keys, n_objects, seed))


def error_of_some(compare: Callable[[Worlds], Array], worlds: Worlds) -> Array:
    """Standard error of divergences that comes from the choice of objects.

    `compare`: takes worlds, and returns divergences. `worlds`: of the chosen objects.

    Returns (n_worlds, n_worlds): by the divergences of parts of the objects: how much
    they differ says how much those of another choice would. Densities of few values are
    wider than those of many, so that all are lower than with all objects; that is not
    in it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncertaWarning)
        parts = [compare(worlds.only(slice(i, None, N_PARTS))) for i in range(N_PARTS)]
    spread: Array = np.std(parts, axis=0, ddof=1)
    return spread / np.sqrt(N_PARTS)
