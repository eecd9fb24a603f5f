"""What FDBSCAN, PDBSCAN and FOPTICS share: where objects fall, world by world."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData
from incerta.density.expansion import grown
from incerta.density.in_worlds import labels_in_worlds, new_labels_in_worlds
from incerta.density.probabilities import Reach
from incerta.density.radius import (
    expected_neighbour_distances,
    knee,
    neighbour_distances,
)
from incerta.density.reachability import share_within
from incerta.estimators._base import (
    UncertainClusterMixin,
    in_order_of_appearance,
    likeliest,
    shares,
)
from incerta.typing import Array, Indices, Seed
from incerta.worlds import Worlds
from incerta.worlds.sequence import worlds_of
from incerta.worlds.streams import as_seed

# Pairs of objects with a probability to store: some 5 GB.
MOST_PAIRS = 2e8


class DensityMixin(UncertainClusterMixin):
    """Membership in clusters that have a radius, computed when asked for.

    A fit sets ``labels_``, ``cluster_levels_``, ``seed_``, ``_worlds`` and
    ``_min_samples``, and ``_labels_per_world`` to None.
    """

    n_worlds: int
    seed_: int
    labels_: Indices
    cluster_levels_: Array
    _worlds: Worlds
    _min_samples: int
    _labels_per_world: Indices | None

    def predict(self, X: Any) -> Indices:
        """Most probable cluster of new objects; −1 where that is none.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit, independent of its objects
            unless both are joint.

        Returns
        -------
        ndarray of shape (n_new,)
        """
        return likeliest(self.predict_proba(X))

    def predict_proba(self, X: Any) -> Array:
        """Share of the worlds in which new objects fall into each cluster.

        In each world that is the cluster of the nearest core object, if it is within
        the radius.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            As for `predict`.

        Returns
        -------
        ndarray of shape (n_new, n_found)
            Columns in the order of the labels; what is missing to 1 is noise.
        """
        check_is_fitted(self)
        data = objects_of(self, X, reset=False)
        # Another seed: the same one would move new object i along with object i.
        new = worlds_of(data, self.n_worlds, self.seed_ + 1)
        # Data without uncertainty have one world, which goes with all of the others.
        numbers = np.arange(max(len(self._worlds), len(new)))
        labels = new_labels_in_worlds(
            self._worlds.at(numbers % len(self._worlds)),
            new.at(numbers % len(new)),
            self.labels_,
            self.cluster_levels_,
            self._min_samples,
        )
        return shares(labels, len(self.cluster_levels_))

    @property
    def labels_per_world_(self) -> Indices:
        """Labels of the objects in each world."""
        check_is_fitted(self)
        if self._labels_per_world is None:
            self._labels_per_world = labels_in_worlds(
                self._worlds, self.labels_, self.cluster_levels_, self._min_samples
            )
        return self._labels_per_world

    @property
    def membership_(self) -> Array:
        """Share of the worlds for each cluster, for each object of the fit."""
        return shares(self.labels_per_world_, len(self.cluster_levels_))

    @property
    def confidence_(self) -> Array:
        """Share of the worlds that agree with each object's label."""
        return (self.labels_per_world_ == self.labels_).mean(axis=0)

    def _knee(self) -> float:
        return knee(neighbour_distances(self._worlds, self._min_samples))


class RadiusMixin(DensityMixin):
    """One radius for all clusters, given or found."""

    eps: float | str
    min_samples: int | str
    random_state: Seed

    def _prepare(self, data: UncertainData) -> None:
        """Draw the worlds, and settle the radius and the number of neighbours."""
        self.seed_ = as_seed(self.random_state)
        self._labels_per_world = None
        self._worlds = worlds_of(data, self.n_worlds, self.seed_)
        self._min_samples = (
            int(np.clip(data.n_features + 1, 4, 20))
            if isinstance(self.min_samples, str)
            else int(self.min_samples)
        )
        self.min_samples_ = self._min_samples
        self.eps_ = self._usual(data) if isinstance(self.eps, str) else float(self.eps)
        n_pairs = share_within(self._worlds[0], self.eps_) * len(data) ** 2
        if n_pairs > MOST_PAIRS:
            msg = (
                f"eps={self.eps_:.6g} leaves some {n_pairs:.0e} pairs of {len(data)} "
                f"objects (at most {MOST_PAIRS:.0e}); lower eps."
            )
            raise ValueError(msg)

    def _usual(self, data: UncertainData) -> float:
        """Knee of the distances at which two objects probably are near each other."""
        return knee(expected_neighbour_distances(data.law, self._min_samples))

    def _keep(
        self, reach: Reach, core: float, reached: float, noise_below: float
    ) -> None:
        """Grow the clusters, and number them in order of appearance."""
        labels, self.core_sample_indices_ = grown(
            reach, core, reached, noise_below, alone=self._min_samples == 1
        )
        self.labels_, order = in_order_of_appearance(labels)
        self.core_probabilities_ = reach.core
        self.n_clusters_ = len(order)
        self.cluster_levels_ = np.full(len(order), self.eps_)
