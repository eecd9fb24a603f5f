"""How near objects are to clusters, as scikit-learn's search for parameters asks."""

from abc import abstractmethod
from typing import Any

import numpy as np

from incerta.data.checks import as_floats
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

    def score(self, X: Any, y: None = None, sample_weight: Any = None) -> float:
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
        sample_weight : array-like of shape (n_objects,), default=None
            How much each object counts; by default 1.
        """
        cores, metric = self._cores()
        objects = self._new_objects(X)
        nearest = wherever(to_nearest, objects, cores, metric, self.seed_)
        return -float((nearest * weights_of(sample_weight, len(nearest))).sum())


def weights_of(sample_weight: Any, n_objects: int) -> Array:
    """How much each object counts: what was said, or 1."""
    if sample_weight is None:
        return np.ones(n_objects)
    weights = as_floats(sample_weight, "sample_weight")
    if weights.shape != (n_objects,):
        msg = (
            f"sample_weight has the shape {weights.shape}; pass one weight for each "
            f"of the {n_objects} objects."
        )
        raise ValueError(msg)
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        msg = (
            f"sample_weight runs from {weights.min()} to {weights.max()}; weights are "
            "finite and at least 0, and some are above 0."
        )
        raise ValueError(msg)
    return weights


def to_nearest(data: UncertainData, cores: Law, metric: str, seed: int) -> Array:
    """Expected distance of each object to the nearest of some others."""
    keys = data.uniform_keys()
    return expected_distances(data.law, cores, metric, seed, keys).min(axis=1)


def as_points(centers: Array) -> Values:
    """Centers as objects without uncertainty."""
    return Values(centers, np.arange(len(centers) + 1))
