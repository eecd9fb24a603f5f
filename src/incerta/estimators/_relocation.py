"""What MMVar and UCPC share: clusters found by moving one object at a time."""

import warnings
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from incerta.data.container import UncertainData
from incerta.estimators._base import SEED, WHOLE, StrOptions
from incerta.labels import in_order_of_appearance
from incerta.partition.moments import Objective, mean_by_cluster
from incerta.partition.relocate import best_relocation
from incerta.typing import Array, Indices

CONSTRAINTS: dict[str, Any] = {
    "n_clusters": WHOLE,
    "init": [StrOptions({"k-means++", "random"})],
    "n_init": WHOLE,
    "max_iter": WHOLE,
    "n_worlds": WHOLE,
    "random_state": SEED,
}
STORED: dict[str, str] = {
    "cluster_centers_": "f k d",
    "cluster_variances_": "f k d",
    "cluster_sizes_": "i k",
    "objective_": "",
    "inertia_": "",
    "n_iter_": "",
}


class Moments(NamedTuple):
    """What the objects of the clusters are like."""

    sizes: Indices  # (n_clusters,)
    apart: Array  # (n_objects, n_features), squared differences to the centres
    variances: Array  # (n_objects, n_features)


def relocated(estimator: Any, data: UncertainData, objective: Objective) -> Moments:
    """Search from several starts, and set what is known about the best one."""
    k = estimator.n_clusters
    means, variances = data.mean(), data.variance()
    middle = means.mean(axis=0)
    means = means - middle  # a large offset would eat the digits of the squares
    history = best_relocation(
        means,
        variances.sum(axis=1),
        k,
        objective,
        init=estimator.init,
        n_init=estimator.n_init,
        max_iter=estimator.max_iter,
        seed=estimator.seed_,
    )
    if history[-1].n_moved:
        msg = (
            f"objects still move after max_iter={estimator.max_iter} sweeps "
            f"({history[-1].n_moved} in the last one); raise max_iter."
        )
        warnings.warn(msg, ConvergenceWarning, stacklevel=4)
    estimator.objective_ = [sweep.objective for sweep in history]
    estimator.inertia_ = estimator.objective_[-1]
    estimator.n_iter_ = len(history)
    estimator.labels_, _ = in_order_of_appearance(history[-1].labels)
    sizes = np.bincount(estimator.labels_, minlength=k)
    centres = mean_by_cluster(means, estimator.labels_, sizes)
    estimator.cluster_sizes_ = sizes
    estimator.cluster_centers_ = centres + middle
    apart = np.square(means - centres[estimator.labels_])
    return Moments(sizes, apart, variances)
