"""Worlds of new objects paired with those of a fit: one rule for all estimators.

- Draws of the same ensemble belong together: where the objects of the fit and the new
  ones are both joint, draw j goes with draw j.
- Everything else is independent of the fit, so its worlds are drawn with another seed:
  with the same one, new object i would move along with object i of the fit, and what is
  said about it would depend on its row.
- Exact objects have one world, which goes with every world of the others.
"""

from typing import NamedTuple

import numpy as np

from incerta.data.container import UncertainData
from incerta.typing import Indices
from incerta.worlds.sequence import Worlds, worlds_of


class Pairs(NamedTuple):
    """As many worlds of the objects of a fit as of new objects."""

    positions: Indices  # of the worlds of the fit, in the sequence it keeps
    fitted: Worlds
    new: Worlds


def paired(fitted: Worlds, data: UncertainData, n_worlds: int) -> Pairs:
    """Pair worlds of new objects with those that a fit keeps.

    `n_worlds` are drawn where the objects of the fit are exact.
    """
    if fitted.data.exact:
        new = worlds_of(data, n_worlds, fitted.seed + 1)
        positions = np.zeros(len(new), dtype=np.intp)
        return Pairs(positions, fitted.at(positions), new)
    positions = np.arange(len(fitted))
    if data.exact:
        return Pairs(positions, fitted, data.worlds(1, 0).at(np.zeros_like(positions)))
    numbers = fitted.indices
    seed = fitted.seed + 1
    if data.n_draws is not None:
        numbers = numbers % data.n_draws
        seed = fitted.seed  # draws are given: nothing is random
    return Pairs(positions, fitted, Worlds(data, numbers, seed, fitted.n_strata))
