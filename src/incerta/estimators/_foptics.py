"""FOPTICS: clusters of any density, from expected reachability."""

import warnings
from dataclasses import KW_ONLY, replace
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from incerta.backend.parameters import (
    AUTO,
    NOT_NEGATIVE,
    SEED,
    WHOLE,
    Interval,
    choice,
    parameter,
    with_parameters,
)
from incerta.data.container import UncertainData
from incerta.density.in_worlds import DenseClusters
from incerta.density.ordering import (
    Extraction,
    Ordering,
    clusters_at_cut,
    clusters_by_number,
    clusters_by_steepness,
    densest_first,
    order,
)
from incerta.density.persistence import persistent_radius, tree_of_ordering
from incerta.density.reachability import (
    Matrix,
    expected_in_worlds,
    expected_on_grid,
    share_within,
)
from incerta.density.within import known
from incerta.estimators._base import Facts, Reachability
from incerta.estimators._fdbscan import DenseClusterer
from incerta.exceptions import IncertaWarning
from incerta.labels import in_order_of_appearance
from incerta.typing import Array, Indices, Seed
from incerta.worlds import Worlds
from incerta.worlds.sequence import worlds_of

MOST_OBJECTS = 10_000


@with_parameters
class FOPTICS(DenseClusterer):
    """Order uncertain objects by how densely they lie, and read clusters off.

    Objects are visited in the order in which they are reached from dense ones, by
    their expected reachability distance [1]_; clusters are the valleys of this
    distance along the order. It begins with the densest object, so that the rows have
    no say. No radius has to be chosen beforehand, clusters may have any shape and
    different densities, and objects outside all of them are noise. Without
    uncertainty it is OPTICS. `FDBSCAN` is cheaper where one radius fits all
    clusters.

    Parameters
    ----------
    min_samples : int, default=5
        An object is core at the distance of its `min_samples`-th nearest object,
        itself included. If it exceeds the number of objects, all are noise.
    max_eps : float, default=inf
        Distances beyond it count as `max_eps`, and objects that are never that close
        do not reach each other. inf uses the distances of all pairs.
    algorithm : {"worlds", "grid"}, default="worlds"
        Where the expectation comes from: a mean over worlds, which keeps the dependence
        between distances; or an integral over `n_radii` radii of the probability of
        being reached, as if distances were independent of each other, which is POPTICS
        [2]_.
    n_clusters : int, optional
        Cut at the radius that leaves this number of clusters, with the least noise
        among those that do, or the nearest number that some radius leaves.
    eps : float or "auto", optional
        Cut at this radius. "auto" takes the one at which the clusters that last longest
        while the radius grows are apart. This is the default if neither `n_clusters`
        nor `xi` is given.
    xi : float, optional
        Valleys of the reachability that begin and end this steeply, in relative terms,
        are clusters: 0.05, say, below 1. They may be of different density.
    min_cluster_size : int, optional
        Minimum number of objects in a cluster; by default `min_samples`, and 1 with
        `eps`. Steep valleys have at least 2.
    n_worlds : int, default=100
        Number of worlds behind the expectation, and behind `membership_`. Joint data
        have no more worlds than draws.
    n_radii : int, default=64
        Number of radii for ``algorithm="grid"``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds, and of the radii.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids; -1 is noise.
    ordering_ : ndarray of shape (n_objects,)
        Objects in the order they were visited.
    reachability_ : ndarray of shape (n_objects,)
        Expected reachability of each object; inf if none reached it. The plot is
        ``reachability_[ordering_]``.
    core_distances_ : ndarray of shape (n_objects,)
        Expected core distance of each object; inf if it is never within `max_eps`.
    predecessor_ : ndarray of shape (n_objects,)
        The object from which each was reached; -1 for none.
    cluster_levels_ : ndarray of shape (n_found,)
        Radius at which each cluster is connected: the cut, or the largest reachability
        in the cluster.
    eps_ : float or None
        The cut; None with `xi`. With `n_clusters` half way between two radii at
        which the clusters change.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        In each world, the cluster of which a core object is within the cluster's level;
        -1 is noise. Computed when first asked for.
    membership_, confidence_, seed_, n_features_in_, feature_names_in_
        As of `FDBSCAN`.

    Warns
    -----
    IncertaWarning
        If no radius leaves `n_clusters` clusters.

    Notes
    -----
    With ``max_eps=inf`` an n × n matrix limits it to 10,000 objects, and n² operations
    per world and feature are made. A finite `max_eps` stores only pairs within it, and
    can handle 100,000 objects and more as long as each has about a hundred neighbors.
    ``algorithm="grid"`` takes a table of distance probabilities and `min_samples`
    operations per pair and radius, and is off by half the gap between two radii.
    Ordering is quadratic, or for a finite `max_eps` about linear in the stored pairs.

    References
    ----------
    .. [1] H.-P. Kriegel, M. Pfeifle, "Hierarchical Density-Based Clustering of
       Uncertain Data", ICDM 2005.
    .. [2] X. Zhang, H. Liu, X. Zhang, "Novel density-based and hierarchical
       density-based clustering algorithms for uncertain data", Neural Networks 93,
       2017.

    Examples
    --------
    >>> import incerta as ic
    >>> mean = [[0.0], [0.3], [0.5], [0.8], [5.0], [5.2], [5.6], [5.9], [20.0]]
    >>> data = ic.from_gaussian(mean, std=0.1)
    >>> found = ic.FOPTICS(min_samples=3, n_clusters=2, random_state=0).fit(data)
    >>> found.labels_
    array([ 0,  0,  0,  0,  1,  1,  1,  1, -1])
    >>> found.extract(eps=8.0)
    array([ 0,  0,  0,  0,  0,  0,  0,  0, -1])
    """

    min_samples: int = parameter(WHOLE, default=5)
    _: KW_ONLY
    max_eps: float = parameter(
        [Interval(Real, 0, None, closed="right")], default=np.inf
    )
    algorithm: str = choice("grid", default="worlds")
    n_clusters: int | None = parameter([*WHOLE, None], default=None)
    eps: float | str | None = parameter([*NOT_NEGATIVE, AUTO, None], default=None)
    xi: float | None = parameter(
        [Interval(Real, 0, 1, closed="left"), None], default=None
    )
    min_cluster_size: int | None = parameter([*WHOLE, None], default=None)
    n_worlds: int = parameter(WHOLE, default=100)
    n_radii: int = parameter([Interval(Integral, 2, None, closed="left")], default=64)
    random_state: Seed = parameter(SEED, default=None)

    _stored: ClassVar[dict[str, str]] = {
        "ordering_": "o p",
        "reachability_": "f n",
        "predecessor_": "o n",
        "core_distances_": "f n",
        "cluster_levels_": "f k",
        "eps_": "",
        "_model": "",
    }

    def _fit(self, data: UncertainData) -> None:
        self._check_cut(self.n_clusters, self.eps, self.xi)
        worlds = worlds_of(data, self.n_worlds, self.seed_)
        self._check_size(worlds)

        reach, self.core_distances_ = self._expected(worlds)
        # In the order of their names, features decide the same in any order.
        places = data.mean()[:, np.argsort(data.feature_names)]
        first = densest_first(self.core_distances_, places)
        found = order(reach, self.core_distances_, first)
        self.ordering_, self.reachability_, self.predecessor_ = found
        clusters = self._extracted(worlds, self.n_clusters, self.eps, self.xi)
        self.labels_, self.cluster_levels_, self.eps_ = clusters
        self._model = DenseClusters(
            worlds=worlds,
            labels=self.labels_,
            levels=self.cluster_levels_,
            min_samples=self.min_samples,
        )

    def _facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        reached = Reachability(self.reachability_, self.ordering_, self.eps_)
        return replace(super()._facts(), reachability=reached)

    def extract(
        self,
        *,
        n_clusters: int | None = None,
        eps: float | str | None = None,
        xi: float | None = None,
    ) -> Indices:
        """Read other clusters off the same order; the fit itself does not change.

        Without any parameter these are steep valleys, if the fit has `xi`, or those of
        ``eps="auto"``.

        Parameters
        ----------
        n_clusters : int, optional
            Cut at the radius that leaves this number of clusters.
        eps : float or "auto", optional
            Cut at this radius.
        xi : float, optional
            Valleys whose sides are this steep.
        """
        check_is_fitted(self)
        if n_clusters is None and eps is None and xi is None:
            xi = self.xi
        clone(self).set_params(n_clusters=n_clusters, eps=eps, xi=xi)._validate_params()
        self._check_cut(n_clusters, eps, xi)
        labels = self._extracted(self._model.worlds, n_clusters, eps, xi).labels
        if self._order is None:
            return labels
        return self._at_rows(in_order_of_appearance(labels[self._order])[0])

    def _check_cut(
        self, n_clusters: int | None, eps: float | str | None, xi: float | None
    ) -> None:
        given = {"n_clusters": n_clusters, "eps": eps, "xi": xi}
        named = [f"{name}={v!r}" for name, v in given.items() if v is not None]
        if len(named) > 1:
            msg = f"{' and '.join(named)} ask for different clusters; give one of them."
            raise ValueError(msg)
        if eps is not None and not isinstance(eps, str) and eps > self.max_eps:
            msg = (
                f"eps={eps} exceeds max_eps={self.max_eps}, beyond which distances are "
                "not known; lower eps or raise max_eps."
            )
            raise ValueError(msg)

    def _check_size(self, worlds: Worlds) -> None:
        n = worlds.shape[1]
        if n <= MOST_OBJECTS:
            return
        if np.isinf(self.max_eps):
            msg = (
                f"{n} objects are too many for the distances of all pairs (at most "
                f"{MOST_OBJECTS}); give max_eps, and only pairs within it are stored."
            )
            raise ValueError(msg)
        n_pairs = share_within(worlds[0], self.max_eps) * n * n
        if n_pairs > MOST_OBJECTS**2:
            msg = (
                f"max_eps={self.max_eps} leaves about {n_pairs:.0e} pairs of {n} "
                f"objects (at most {MOST_OBJECTS**2:.0e}); lower max_eps."
            )
            raise ValueError(msg)

    def _expected(self, worlds: Worlds) -> tuple[Matrix, Array]:
        m, most = self.min_samples, float(self.max_eps)
        if self.algorithm == "worlds":
            return expected_in_worlds(worlds, m, most)
        law = known(worlds.data.law, self.seed_, worlds.data.uniform_keys())
        return expected_on_grid(law, m, most, self.n_radii, self.seed_)

    def _extracted(
        self,
        worlds: Worlds,
        n_clusters: int | None,
        eps: float | str | None,
        xi: float | None,
    ) -> Extraction:
        """Clusters by number, by a cut or by steepness, in order of appearance."""
        found = Ordering(self.ordering_, self.reachability_, self.predecessor_)
        core, size = self.core_distances_, self.min_cluster_size
        if eps == "auto" or (n_clusters is None and eps is None and xi is None):
            tree = tree_of_ordering(found, core, worlds.data.law)
            eps = min(persistent_radius(tree, self.min_samples), self.max_eps)
        if eps is not None:
            clusters = clusters_at_cut(found, core, float(eps), size or 1)
        elif xi is not None:
            clusters = clusters_by_steepness(
                found, core, xi, self.min_samples, size or self.min_samples
            )
        elif n_clusters is not None:
            size = size or self.min_samples
            clusters = clusters_by_number(found, core, n_clusters, size, self.max_eps)
            if len(clusters.levels) != n_clusters:
                msg = (
                    f"no radius leaves n_clusters={n_clusters} clusters of at least "
                    f"{size} objects; the nearest number is {len(clusters.levels)}. "
                    "Try another min_samples or min_cluster_size."
                )
                warnings.warn(msg, IncertaWarning, stacklevel=4)
        labels, numbers = in_order_of_appearance(clusters.labels)
        return Extraction(labels, clusters.levels[numbers], clusters.cut)
