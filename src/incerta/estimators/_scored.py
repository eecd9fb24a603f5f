"""How near objects are to clusters, as scikit-learn's search for parameters asks."""

from abc import abstractmethod
from typing import Any

import numpy as np

from incerta.data.container import UncertainData
from incerta.data.laws import Law, Values
from incerta.distances.expected import expected_distances
from incerta.partition.distributed import wherever
from incerta.typing import Array


class ScoredByDistance:
    """Adds `score` to estimators whose clusters are around something."""

    seed_: int
    _new_objects: Any

    @abstractmethod
    def _cores(self) -> tuple[Law, str]:
        """What clusters are around, and the metric."""

    def score(self, X: Any, y: None = None) -> float:
        """Minus the expected distances of objects to the nearest cluster, added up.

        Of the objects of the fit it is minus `inertia_`, except that a medoid is not
        taken to be the very object that it is. More clusters are always nearer: only
        fits with the same number of them compare.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            As for `predict`.
        y : None
            Not used; here for pipelines.

        Returns
        -------
        float
        """
        cores, metric = self._cores()
        objects = self._new_objects(X)
        return -float(wherever(to_nearest, objects, cores, metric, self.seed_).sum())


def to_nearest(data: UncertainData, cores: Law, metric: str, seed: int) -> Array:
    """Expected distance of each object to the nearest of some others."""
    keys = data.uniform_keys()
    return expected_distances(data.law, cores, metric, seed, keys).min(axis=1)


def as_points(centres: Array) -> Values:
    """Centres as objects without uncertainty."""
    return Values(centres, np.arange(len(centres) + 1))
