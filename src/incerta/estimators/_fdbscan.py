"""FDBSCAN: clusters of any shape, from probabilities of being close."""

from dataclasses import KW_ONLY
from functools import cached_property
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted

from incerta.backend.device import CPU
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
    """Draw the worlds, and fix the radius and the number of neighbors."""
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
        worlds=how.worlds,
        labels=estimator.labels_,
        levels=estimator.cluster_levels_,
        min_samples=how.min_samples,
    )


class DenseClusterer(UncertainClusterer, family=True):
    """What FDBSCAN, PDBSCAN and FOPTICS share: worlds tell how sure clusters are."""

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
    """Cluster uncertain objects by how probable it is that they lie densely.

    DBSCAN asks whether an object has `min_samples` objects within `eps`; FDBSCAN [1]_
    asks how probable that is, and how probably another object is reached from it.
    Clusters may have any shape, their number is found, and objects that no other
    reaches with enough probability are noise. Without uncertainty it is DBSCAN. Use
    `FOPTICS` where no single radius fits, `RPC` or
    `UKMeans` where the number of clusters is known and every object belongs to one.

    Parameters
    ----------
    eps : float or "auto", default="auto"
        The radius. "auto" takes one at which the clusters that last longest while the
        radius grows are apart; look at `eps_`. Their scale must be about the same.
    min_samples : int or "auto", default=5
        Number of objects within `eps`, itself included, that makes an object core.
        "auto" is one more than the number of features, at least 4 and at most 20.
    variant : {"marginal", "exact", "threshold", "worlds"}, default="marginal"
        How probabilities are read:

        - "marginal", as published: distances of an object to the others are taken to
          be independent of each other.
        - "exact" makes no such assumption: it goes through the values of the object,
          given which the others are independent. The work is multiplied by the number
          of values of an object.
        - "threshold": objects that are within `eps` with probability `min_probability`
          are neighbors, and the rest is DBSCAN; this is what ELKI computes, and the
          cheapest.
        - "worlds" counts the worlds in which this holds: a random estimate of "exact".
    min_probability : float, default=0.5
        Probability from which an object counts as core, and another one as reached.
    distances : {"exact", "fast"}, default="exact"
        How the distances of Gaussian objects are treated: integrated, or matched by
        four moments, about eight times as fast but off by up to 0.13 for few features.
    n_values : int, default=32
        Number of values that represent a core object not given by values; only for
        "exact".
    n_worlds : int, default=100
        Number of worlds behind `membership_`, and behind ``variant="worlds"``. Joint
        data have no more worlds than draws.
    device : str, default="cpu"
        Where values of objects are compared with each other: "cpu", or a device of
        torch such as "cuda" (extra ``gpu``). The result is the same.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds, and of the values that represent other laws.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids; −1 is noise.
    n_clusters_ : int
        Number of clusters found.
    core_sample_indices_ : ndarray of shape (n_core,)
        The core objects that reach another one.
    core_probabilities_ : ndarray of shape (n_objects,)
        Probability that each object is core; 0 or 1 with "threshold".
    eps_ : float
        The radius that was used.
    min_samples_ : int
        The number of objects that was used.
    cluster_levels_ : ndarray of shape (n_found,)
        The radius of each cluster: `eps_`.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        In each world the cluster of which another object that is core there is within
        `eps_`: the object's own cluster first, else the nearest; −1 is noise. Computed
        when first asked for.
    membership_ : ndarray of shape (n_objects, n_found)
        Share of the worlds in which the object falls into each cluster; the rest,
        up to 1, is noise.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label, noise or not.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Notes
    -----
    Time and memory grow with the number of pairs that can be within `eps`, not with n².
    For lists of values, each pair of objects takes all pairs of their values. Counting
    neighbors then takes `min_samples` operations per pair.

    A single object must reach another with probability `min_probability`: an object
    that is almost certainly reached by one of many core objects, but by none of them in
    particular with that probability, is noise. `confidence_` shows this: it looks at
    all of them at once.

    Core objects are joined where either reaches the other; another object goes to the
    core object that reaches it most probably. An object that is probably core, but
    reaches no other with enough probability, makes no cluster: it is very uncertain,
    and lies densely in one place or another.

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
            # Given the place of one object the others still hang together.
            return of_worlds(data.worlds(data.n_draws, self.seed_), m, eps)
        if self.variant == "exact":
            using["keys"] = data.uniform_keys()
            return of_values(data.law, m, eps, n_values=self.n_values, **using)
        law = known(data.law, self.seed_, data.uniform_keys())
        if self.variant == "threshold":
            table = within(law, eps, least=self.min_probability, **using)
            return of_threshold(table, m, self.min_probability)
        return of_marginals(within(law, eps, **using), m, self.min_probability)
