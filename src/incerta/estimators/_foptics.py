"""FOPTICS: OPTICS with expected reachability distances."""

import warnings
from dataclasses import KW_ONLY, replace
from numbers import Integral, Real
from typing import ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from incerta.backend.memory import check_fits
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
    """OPTICS for uncertain objects: density clusters from expected reachability.

    Objects are visited in the order in which they are reached from dense ones, by their
    expected reachability distance [1]_, from the densest object on. Clusters are the
    valleys of this distance along the order. They may have any shape and density, and
    objects outside of them are noise. Without uncertainty it is OPTICS.

    Use it if no single radius fits all clusters; otherwise `FDBSCAN` is cheaper. By
    default all pairs of objects are compared in every world (random draw of the data).

    Parameters
    ----------
    min_samples : int, default=5
        The core distance of an object is the distance to its `min_samples`-th nearest
        object, itself included. If there are fewer objects, all are noise.
    max_eps : float, default=inf
        Larger distances count as `max_eps`, and objects that are never that close do
        not reach each other. inf uses the distances of all pairs.
    algorithm : {"worlds", "grid"}, default="worlds"
        "worlds" takes expectations as means over worlds, which keeps the dependence
        between distances. "grid" integrates the probability of being reached over
        `n_radii` radii as if distances were independent (POPTICS [2]_).
    n_clusters : int, optional
        Cut at the radius that leaves this number of clusters with the least noise, or
        else the nearest possible number.
    eps : float or "auto", optional
        Cut at this radius. "auto" takes the radius at which the most persistent
        clusters are separate. It is the default without `n_clusters` and `xi`.
    xi : float, optional
        Take valleys whose sides fall and rise by this relative amount, such as 0.05, as
        clusters. They may differ in density.
    min_cluster_size : int, optional
        Minimum number of objects in a cluster; by default `min_samples`, or 1 with
        `eps`. With `xi` at least 2.
    n_worlds : int, default=100
        Number of worlds for the expectation and for `membership_`. For joint data, at
        most the number of draws.
    n_radii : int, default=64
        Number of radii for ``algorithm="grid"``.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds, and of the radii.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids; -1 is noise.
    ordering_ : ndarray of shape (n_objects,)
        Positions of the objects in the order of the visits.
    reachability_ : ndarray of shape (n_objects,)
        Expected reachability of each object; inf if no object reached it. Plot
        ``reachability_[ordering_]``.
    core_distances_ : ndarray of shape (n_objects,)
        Expected core distance of each object; inf if it is never within `max_eps`.
    predecessor_ : ndarray of shape (n_objects,)
        Object from which each was reached; -1 for none.
    cluster_levels_ : ndarray of shape (n_found,)
        Radius at which each cluster is connected: the cut, or its largest reachability.
    eps_ : float or None
        The cut; None with `xi`. With `n_clusters`, midway between two radii at which
        the clusters change.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        In each world, the cluster with a core object within its level; -1 is noise.
        Computed on first access.
    membership_, confidence_, seed_, n_features_in_, feature_names_in_
        As of `FDBSCAN`.

    Warns
    -----
    IncertaWarning
        If no radius leaves `n_clusters` clusters.

    Notes
    -----
    With ``max_eps=inf`` an n × n matrix limits it to 10,000 objects, and each world
    takes n² operations per feature. A finite `max_eps` stores only pairs within it,
    enough for 100,000 objects with about a hundred neighbors each.
    ``algorithm="grid"`` stores distance probabilities and takes `min_samples`
    operations per pair and radius; its error is half the step between radii. Ordering
    is quadratic, or about linear in the stored pairs with a finite `max_eps`.

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
        # Sort features by name, so that their order does not matter.
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
        """Return the facts of the fit; see `Facts`."""
        reached = Reachability(self.reachability_, self.ordering_, self.eps_)
        return replace(super()._facts(), reachability=reached)

    def extract(
        self,
        *,
        n_clusters: int | None = None,
        eps: float | str | None = None,
        xi: float | None = None,
    ) -> Indices:
        """Return other clusters of the same order, without changing the fit.

        By default these are valleys of steepness `xi` if the fit has it, else the
        clusters of ``eps="auto"``.

        Parameters
        ----------
        n_clusters : int, optional
            Cut at the radius that leaves this number of clusters.
        eps : float or "auto", optional
            Cut at this radius.
        xi : float, optional
            Steepness of the sides of valleys.
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
            msg = f"{' and '.join(named)} exclude each other; pass one of them."
            raise ValueError(msg)
        if eps is not None and not isinstance(eps, str) and eps > self.max_eps:
            msg = (
                f"eps={eps} exceeds max_eps={self.max_eps}, beyond which there are no "
                "distances; lower eps or raise max_eps."
            )
            raise ValueError(msg)

    def _check_size(self, worlds: Worlds) -> None:
        n = worlds.shape[1]
        if n <= MOST_OBJECTS:
            whose, way_out = f"Reachabilities of {n:,} objects", "Give max_eps."
            check_fits(2 * 8 * n * n * np.isinf(self.max_eps), whose, way_out)
            return
        if np.isinf(self.max_eps):
            msg = (
                f"{n} objects are too many for the distances of all pairs (at most "
                f"{MOST_OBJECTS}); pass max_eps to store only pairs within it."
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
        """Extract clusters by number, cut or steepness, in order of appearance."""
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
