"""FDBSCAN: DBSCAN with probabilities instead of distances."""

from dataclasses import KW_ONLY
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from incerta.backend.device import CPU
from incerta.backend.memory import check_fits
from incerta.backend.parameters import (
    AUTO,
    PROBABILITY,
    SEED,
    WHOLE,
    Interval,
    choice,
    parameter,
    with_parameters,
)
from incerta.data.container import UncertainData
from incerta.density.in_worlds import DenseClusters
from incerta.density.persistence import persistent_radius, tree_of
from incerta.density.probabilities import (
    Reach,
    grown,
    of_marginals,
    of_threshold,
    of_values,
    of_worlds,
)
from incerta.density.reachability import share_within
from incerta.density.within import known, within
from incerta.estimators._base import UncertainClusterer, check_model
from incerta.labels import in_order_of_appearance, shares
from incerta.typing import Array, Indices, Seed
from incerta.worlds import Worlds
from incerta.worlds.sequence import worlds_of

# Largest number of pairs of objects with a stored probability, and the bytes of each:
# about 5 GB.
MOST_PAIRS, PAIR_BYTES = 2e8, 24
# Attributes and `_model` in a model file, with types and shapes.
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
    """Worlds, number of neighbors of a core object, and radius."""

    worlds: Worlds
    min_samples: int
    eps: float


def prepared(estimator: Any, data: UncertainData) -> Prepared:
    """Draw the worlds, and determine the radius and the number of neighbors."""
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
    whose = (
        f"Probabilities of about {n_pairs:.0e} pairs of objects within eps={eps:.6g}"
    )
    check_fits(PAIR_BYTES * n_pairs, whose, "Lower eps.")
    return Prepared(worlds, int(min_samples), float(eps))


def grow(
    estimator: Any,
    how: Prepared,
    reach: Reach,
    core: float,
    reached: float,
    noise_below: float,
) -> None:
    """Grow the clusters, number them in order of appearance, and store them."""
    labels, estimator.core_sample_indices_ = grown(
        reach, core, reached, noise_below, alone=how.min_samples == 1
    )
    estimator.labels_, order = in_order_of_appearance(labels)
    estimator.core_probabilities_ = reach.core
    estimator.n_clusters_ = len(order)
    estimator.cluster_levels_ = np.full(len(order), how.eps)
    estimator.eps_, estimator.min_samples_ = how.eps, how.min_samples
    estimator._model = DenseClusters(
        worlds=how.worlds,
        labels=estimator.labels_,
        levels=estimator.cluster_levels_,
        min_samples=how.min_samples,
    )


class DenseClusterer(UncertainClusterer, family=True):
    """Base class of FDBSCAN, PDBSCAN and FOPTICS: confidence comes from worlds."""

    n_worlds: int
    cluster_levels_: Array
    _model: DenseClusters
    _finds_number = True

    @cached_property
    def labels_per_world_(self) -> Indices:
        """Labels of the objects in each world."""
        check_is_fitted(self)
        return self._at_rows(self._model.labels_per_world(), axis=1)

    def _membership(self) -> Array:
        return shares(self.labels_per_world_, len(self.cluster_levels_))

    def _proba(self, data: UncertainData) -> Array:
        return self._model.proba(data, self.n_worlds)

    def _check_stored(self) -> None:
        check_model(self, DenseClusters)


@with_parameters
class FDBSCAN(DenseClusterer):
    """DBSCAN for uncertain objects: density clusters from probabilities of distances.

    DBSCAN tests whether an object has `min_samples` objects within `eps`. FDBSCAN [1]_
    computes the probability of this, and the probability that an object is reached from
    another. Clusters may have any shape, and their number is found. Objects that are
    not reached with enough probability are noise. Without uncertainty it is DBSCAN.

    Use it if one radius fits all clusters, and `FOPTICS` if none does. Use `RPC` or
    `UKMeans` if the number of clusters is given and there is no noise. The cost grows
    with the number of pairs that can be within `eps`.

    Parameters
    ----------
    eps : float or "auto", default="auto"
        The radius. "auto" takes the radius at which the most persistent clusters are
        separate; check `eps_`. It requires clusters of about the same density.
    min_samples : int or "auto", default=5
        Number of objects within `eps`, itself included, that makes an object core.
        "auto" is the number of features plus 1, at least 4 and at most 20.
    variant : {"marginal", "exact", "threshold", "worlds"}, default="marginal"
        How probabilities are computed:

        - "marginal": as published. The distances of an object to the others are treated
          as independent.
        - "exact": without this assumption. It conditions on each value of the object,
          given which the others are independent, so the cost is multiplied by the
          number of values.
        - "threshold": objects within `eps` with probability `min_probability` are
          neighbors, and DBSCAN does the rest, as in ELKI. It is the cheapest.
        - "worlds": shares of the worlds (random draws), an estimate of "exact".
    min_probability : float, default=0.5
        Least probability of being core, or of being reached.
    distances : {"exact", "fast"}, default="exact"
        Whether distances of Gaussian objects are integrated, or matched by four moments
        in an eighth of the time, with errors of up to 0.13 for few features.
    n_values : int, default=32
        For "exact": number of values that represent a core object whose distribution is
        not a list of values.
    n_worlds : int, default=100
        Number of worlds for `membership_` and for ``variant="worlds"``. For joint data,
        at most the number of draws.
    device : str, default="cpu"
        Where values are compared: "cpu", or a torch device such as "cuda" (extra
        ``gpu``). The result is the same.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds, and of the values that represent other distributions.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids; −1 is noise.
    n_clusters_ : int
        Number of clusters found.
    core_sample_indices_ : ndarray of shape (n_core,)
        Core objects that reach another object.
    core_probabilities_ : ndarray of shape (n_objects,)
        Probability that each object is core; 0 or 1 with "threshold".
    eps_ : float
        Radius used.
    min_samples_ : int
        Number of objects used as `min_samples`.
    cluster_levels_ : ndarray of shape (n_found,)
        The radius of each cluster: `eps_`.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Cluster of each object in each world: one with a core object of that world,
        other than the object, within `eps_`. Its own cluster is preferred, then the
        nearest; −1 is noise. Computed on first access.
    membership_ : ndarray of shape (n_objects, n_found)
        Share of the worlds in which the object is in each cluster. A row sums to 1
        minus the share of noise. Its maximum may differ from `labels_`, but `predict`
        takes the maximum of `predict_proba`.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label, noise included.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Notes
    -----
    Time and memory grow with the number of pairs that can be within `eps`, not with n².
    Lists of values take all pairs of values for each pair of objects. Counting the
    neighbors then takes `min_samples` operations per pair.

    An object is reached only if a single core object reaches it with probability
    `min_probability`. If many core objects reach it, each with a lower probability, it
    is noise, although some core object almost certainly reaches it. `confidence_` shows
    this, as it considers all core objects at once.

    Two core objects are joined if either reaches the other. Any other object joins the
    core object that reaches it most probably. A core object that reaches no other
    object with enough probability forms no cluster: it is very uncertain, and dense
    wherever it may be.

    References
    ----------
    .. [1] H.-P. Kriegel, M. Pfeifle, "Density-Based Clustering of Uncertain Data",
       KDD 2005.

    Examples
    --------
    >>> import incerta as ic
    >>> mean = [[0.0], [0.3], [0.5], [0.8], [5.0], [5.2], [5.6], [5.9], [20.0]]
    >>> data = ic.from_gaussian(mean, std=0.1)
    >>> found = ic.FDBSCAN(eps=1.0, min_samples=3, random_state=0).fit(data)
    >>> found.labels_
    array([ 0,  0,  0,  0,  1,  1,  1,  1, -1])
    >>> found.predict_proba(ic.from_gaussian([[1.8]], std=0.4)).round(1)
    array([[0.6, 0. ]])
    """

    eps: float | str = parameter(
        [Interval(Real, 0, None, closed="both"), AUTO], default="auto"
    )
    min_samples: int | str = parameter([*WHOLE, AUTO], default=5)
    _: KW_ONLY
    variant: str = choice("exact", "threshold", "worlds", default="marginal")
    min_probability: float = parameter(PROBABILITY, default=0.5)
    distances: str = choice("fast", default="exact")
    n_values: int = parameter(WHOLE, default=32)
    n_worlds: int = parameter(WHOLE, default=100)
    device: str = parameter([str], default=CPU)
    random_state: Seed = parameter(SEED, default=None)

    _stored: ClassVar[dict[str, str]] = STORED

    def _fit(self, data: UncertainData) -> None:
        how = prepared(self, data)
        reach = self._reach(data, how)
        grow(
            self,
            how,
            reach,
            self.min_probability,
            self.min_probability,
            self.min_probability,
        )

    def _reach(self, data: UncertainData, how: Prepared) -> Reach:
        worlds, m, eps = how
        fast = self.distances == "fast"
        using: Any = {"seed": self.seed_, "fast": fast, "device": self.device}
        if self.variant == "worlds":
            return of_worlds(worlds, m, eps)
        if self.variant == "exact" and data.n_draws is not None:
            # Conditioning on one object leaves the others dependent.
            return of_worlds(data.worlds(data.n_draws, self.seed_), m, eps)
        if self.variant == "exact":
            using["keys"] = data.uniform_keys()
            return of_values(data.law, m, eps, n_values=self.n_values, **using)
        law = known(data.law, self.seed_, data.uniform_keys())
        if self.variant == "threshold":
            table = within(law, eps, least=self.min_probability, **using)
            return of_threshold(table, m, self.min_probability)
        return of_marginals(within(law, eps, **using), m, self.min_probability)
