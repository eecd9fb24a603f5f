"""The score of a clustering by distances, for scikit-learn's parameter searches."""

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
    """Adds `score` to estimators whose clusters have centers."""

    seed_: int
    _new_objects: Any

    @abstractmethod
    def _cores(self) -> tuple[Law, str]:
        """Return the centers of the clusters, and the metric."""

    def score(self, X: Any, y: None = None, sample_weight: Any = None) -> float:
        """Return minus the sum of expected distances to the nearest cluster.

        For the objects of the fit it is minus `inertia_`, except that each medoid
        counts as a separate object. Scores rise with the number of clusters, so compare
        only fits with the same number.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            As for `predict`.
        y : None
            Not used; present for pipelines.
        sample_weight : array-like of shape (n_objects,), default=None
            Weight of each object; 1 by default.
        """
        cores, metric = self._cores()
        objects = self._new_objects(X)
        nearest = wherever(to_nearest, objects, cores, metric, self.seed_)
        return -float((nearest * weights_of(sample_weight, len(nearest))).sum())


def weights_of(sample_weight: Any, n_objects: int) -> Array:
    """Return the weight of each object, 1 by default."""
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
            f"sample_weight ranges from {weights.min()} to {weights.max()}; pass "
            "finite weights that are at least 0 and not all 0."
        )
        raise ValueError(msg)
    return weights


def to_nearest(data: UncertainData, cores: Law, metric: str, seed: int) -> Array:
    """Return the expected distance of each object to the nearest of the centers."""
    keys = data.uniform_keys()
    return expected_distances(data.law, cores, metric, seed, keys).min(axis=1)


def as_points(centers: Array) -> Values:
    """Return the centers as objects without uncertainty."""
    return Values(centers, np.arange(len(centers) + 1))
