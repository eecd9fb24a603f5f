"""What a clusterer of scikit-learn costs in every world, from a trial in one."""

import time
import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone

from incerta.api.answer import believed, scaled_by
from incerta.backend.threads import threads
from incerta.cost.model import Cost, Size, expected
from incerta.data.container import UncertainData

# Objects of the trial; it is made again with half of them, to see how time grows.
MOST_TRIED = 500
RUNS = 2
# Time grows at least with the number of objects, and at most with its cube.
LEAST_POWER, MOST_POWER = 1.0, 3.0
# All pairs of so many patterns of labels are compared for the consensus: seconds on the
# machine of the benchmark, of each pair and of each pair in each world, and bytes.
PATTERNS = 5000
PER_PAIR, PER_PAIR_AND_WORLD, BYTES_PER_PAIR = 1.5e-8, 6e-10, 24.0


class Trial(NamedTuple):
    """A clusterer in one world."""

    n_objects: int
    seconds: float
    power: float  # of the number of objects, by which time grows

    def seconds_for(self, n_objects: int) -> float:
        """Time in a world of another number of objects."""
        return self.seconds * (n_objects / self.n_objects) ** self.power


def tried(model: Any, data: UncertainData) -> Trial:
    """Run the clusterer of a `WorldConsensus` in one world of some of the objects.

    Parameters
    ----------
    model : WorldConsensus
        With its number of clusters.
    data : UncertainData
        The objects.

    Returns
    -------
    Trial

    Notes
    -----
    It takes four fits to at most 500 objects.
    """
    n = min(len(data), MOST_TRIED)
    some = data[np.linspace(0, len(data) - 1, n).astype(np.intp)]
    world = believed(scaled_by(some, True)[1], model)[1].worlds(1, 0)[0]
    half = max(n // 2, 1)
    with warnings.catch_warnings(), threads(1):
        warnings.simplefilter("ignore")
        whole = _seconds(model.clusterer, world)
        part = _seconds(model.clusterer, world[::2])
    power = np.log(whole / part) / np.log(n / half) if n > half else LEAST_POWER
    return Trial(n, whole, float(np.clip(power, LEAST_POWER, MOST_POWER)))


def cost_in_worlds(kind: str, size: Size) -> Cost:
    """Cost of all but the fits, on the machine of the benchmark.

    Parameters
    ----------
    kind : {"exact", "errors", "values"}
        Of the data.
    size : Size

    Returns
    -------
    Cost
        That of `UKMeans`, which reads the laws and draws worlds in the same way, and of
        the consensus.
    """
    rest = expected("UKMeans", kind, size)
    pairs = min(size.n_objects, PATTERNS) ** 2
    consensus = pairs * (PER_PAIR + PER_PAIR_AND_WORLD * size.n_worlds)
    return Cost(rest.seconds + consensus, rest.bytes + BYTES_PER_PAIR * pairs)


def _seconds(clusterer: Any, values: Any) -> float:
    """Time of one fit: the shorter of some, as the first one loads what it needs."""
    found = []
    for _ in range(RUNS):
        start = time.process_time()
        clone(clusterer, safe=False).fit(values)
        found.append(time.process_time() - start)
    return max(min(found), 1e-6)
