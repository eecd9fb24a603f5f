"""What FDBSCAN and PDBSCAN share: one radius, and clusters that grow from it."""

from typing import Any, NamedTuple

import numpy as np

from incerta.data.container import UncertainData
from incerta.density.expansion import grown
from incerta.density.in_worlds import DenseClusters
from incerta.density.persistence import persistent_radius, tree_of
from incerta.density.probabilities import Reach
from incerta.density.reachability import share_within
from incerta.labels import in_order_of_appearance
from incerta.worlds import Worlds
from incerta.worlds.sequence import worlds_of

# Pairs of objects with a probability to store: some 5 GB.
MOST_PAIRS = 2e8
# What a model file holds of them.
STORED: dict[str, str] = {
    "core_sample_indices_": "s c",
    "core_probabilities_": "f n",
    "cluster_levels_": "f k",
    "n_clusters_": "",
    "eps_": "",
    "min_samples_": "",
    "_model": "",
}


class Prepared(NamedTuple):
    """Worlds, how many near objects make an object core, and how near they are."""

    worlds: Worlds
    min_samples: int
    eps: float


def prepared(estimator: Any, data: UncertainData) -> Prepared:
    """Draw the worlds, and fix the radius and the number of neighbours."""
    worlds = worlds_of(data, estimator.n_worlds, estimator.seed_)
    min_samples, eps = estimator.min_samples, estimator.eps
    if isinstance(min_samples, str):
        min_samples = int(np.clip(data.n_features + 1, 4, 20))
    if isinstance(eps, str):
        eps = persistent_radius(tree_of(data.law, worlds, min_samples), min_samples)
    n_pairs = share_within(worlds[0], eps) * len(data) ** 2
    if n_pairs > MOST_PAIRS:
        msg = (
            f"eps={eps:.6g} leaves about {n_pairs:.0e} pairs of {len(data)} "
            f"objects (at most {MOST_PAIRS:.0e}); lower eps."
        )
        raise ValueError(msg)
    return Prepared(worlds, int(min_samples), float(eps))


def grow(
    estimator: Any,
    how: Prepared,
    reach: Reach,
    core: float,
    reached: float,
    noise_below: float,
) -> None:
    """Grow the clusters, number them in order of appearance, and keep them."""
    labels, estimator.core_sample_indices_ = grown(
        reach, core, reached, noise_below, alone=how.min_samples == 1
    )
    estimator.labels_, order = in_order_of_appearance(labels)
    estimator.core_probabilities_ = reach.core
    estimator.n_clusters_ = len(order)
    estimator.cluster_levels_ = np.full(len(order), how.eps)
    estimator.eps_, estimator.min_samples_ = how.eps, how.min_samples
    estimator._model = DenseClusters(
        how.worlds, estimator.labels_, estimator.cluster_levels_, how.min_samples
    )
