"""RPC: representative possible worlds with consistency learning."""

from collections.abc import Callable, Iterator
from functools import partial
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData
from incerta.divergence import (
    between_clusterings,
    energy,
    jensen_shannon,
    jensen_shannon_per_feature,
)
from incerta.estimators._base import (
    Interval,
    StrOptions,
    UncertainClusterMixin,
    cut,
    nearest,
    of_unit_length,
    shares,
)
from incerta.selection import random_worlds, representatives
from incerta.spectral.consistency import Consistency, consistency
from incerta.spectral.eigengap import n_clusters_by_eigengap
from incerta.spectral.embedding import multiply
from incerta.spectral.extension import (
    Embedded,
    aligned,
    extend,
)
from incerta.spectral.laplacians import Laplacians
from incerta.typing import Array, Indices, Seed
from incerta.worlds import Worlds
from incerta.worlds.sequence import matching, worlds_of
from incerta.worlds.streams import as_seed

# Above this many objects the divergence of worlds is taken at a part of their values.
EXACT_DIVERGENCE_OBJECTS = 2000
DIVERGENCE_POINTS = 500


class RPC(UncertainClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster uncertain objects by agreement among representative worlds.

    Possible worlds are drawn from the data, the few that best stand for all of them
    are kept, and their spectral embeddings are pulled towards a common one, which
    k-means then cuts [1]_. Use it when clusters are not round, or when objects hang
    together (joint worlds). For round clusters k-means on the means is far cheaper;
    `ExpectedSpectral` is the limit of infinitely many worlds, without any draw.

    Parameters
    ----------
    n_clusters : int or "auto", default=3
        Number of clusters. "auto" takes the largest gap between the eigenvalues of
        the common embedding, from 2 to 10 clusters; it never says that there is only
        one, and is a hint rather than a test where clusters overlap.
    n_worlds : int, default=100
        Number of worlds to draw. Joint data have no more than their draws: all of
        them are used if they are fewer, else `n_worlds` of them, evenly spaced.
    n_representatives : int, default=10
        Number of worlds to keep; at most `n_worlds`.
    selection : {"greedy", "central", "random"}, default="greedy"
        How they are chosen; see `incerta.selection.representatives`. "random" needs
        no divergences and saves most of the time; in our trials it does as well.
    divergence : str or callable, default="jensen-shannon"
        How far apart worlds are: "jensen-shannon" (the paper's), "per-feature",
        "energy" or "clustering"; see `incerta.divergence`. A callable takes `Worlds`
        and returns the matrix, e.g. ``functools.partial(jensen_shannon,
        bandwidth="scott")``. Above 2000 objects the named densities are
        compared at 500 values of each world.
    width : {"median", "self-tuning"} or float, default="median"
        Width of the Gaussian affinity; see `incerta.spectral.gaussian_affinity`.
    width_scale : float, default=1.0
        Factor on the width.
    n_neighbors : int, "auto" or None, default="auto"
        Affinity of nearest neighbours only, as a sparse graph. None keeps all pairs;
        "auto" does so up to 5000 objects, and takes 15 neighbours above.
    weight : float, default=1.0
        How much agreement counts against each world's own structure (Eq. 11).
    normalize_rows : bool, default=False
        Scale the rows of the embedding to length 1 before the cut.
    tol : float, default=1e-6
        Relative gain of the objective below which the sweeps stop.
    max_iter : int, default=200
        Most sweeps to make.
    n_init : int, default=10
        Number of k-means starts.
    n_jobs : int, optional
        Threads for the divergences; the result does not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds, of the selection and of k-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in order of first appearance.
    confidence_ : ndarray of shape (n_objects,)
        Share of the kept worlds that agree with the object's label.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Share of the kept worlds in which the object falls into each cluster.
    labels_per_world_ : ndarray of shape (n_representatives, n_objects)
        Labels in each kept world: its embedding by itself, rotated to the common one
        (Procrustes), cut at the same centres.
    representatives_ : ndarray of shape (n_representatives,)
        Numbers of the kept worlds, in the order they were chosen.
    divergences_ : ndarray of shape (n_worlds, n_worlds) or None
        Between all worlds; None if `selection` is "random".
    loss_ : ndarray of shape (n_representatives,) or None
        Loss after each choice (Eq. 1); None without divergences.
    embedding_ : ndarray of shape (n_objects, n_clusters)
        The common embedding U*.
    objective_ : list of float
        Objective (Eq. 11) after each sweep; never falls.
    n_iter_ : int
        Number of sweeps made.
    n_clusters_ : int
        Number of clusters that was used.
    seed_ : int
        What everything random was drawn with: ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where the data had names.

    Notes
    -----
    With M worlds, R of them kept, and n objects: M² n² kernel evaluations for the
    divergences, and R n² for the affinities. Memory holds one or a few n × n matrices
    up to 5000 objects, and sparse graphs above. Objects without uncertainty have a
    single world; the result is then spectral clustering.

    References
    ----------
    .. [1] H. Liu, X. Zhang, X. Zhang, Q. Li, X.-M. Wu, "Clustering Uncertain Data via
       Representative Possible Worlds with Consistency Learning", IJCAI 2019.

    Examples
    --------
    >>> import incerta as ic
    >>> X = [[[0.0], [0.2]], [[0.1]], [[9.0], [9.3]], [[9.1]]]
    >>> rpc = ic.RPC(n_clusters=2, n_worlds=20, random_state=0).fit(X)
    >>> rpc.labels_, rpc.confidence_
    (array([0, 0, 1, 1]), array([1., 1., 1., 1.]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "n_worlds": [Interval(Integral, 1, None, closed="left")],
        "n_representatives": [Interval(Integral, 1, None, closed="left")],
        "selection": [StrOptions({"greedy", "central", "random"})],
        "divergence": [
            StrOptions({"jensen-shannon", "per-feature", "energy", "clustering"}),
            callable,
        ],
        "width": [
            StrOptions({"median", "self-tuning"}),
            Interval(Real, 0, None, closed="neither"),
        ],
        "width_scale": [Interval(Real, 0, None, closed="neither")],
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
            None,
        ],
        "weight": [Interval(Real, 0, None, closed="left")],
        "normalize_rows": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "n_jobs": [Integral, None],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_clusters: int | str = 3,
        n_worlds: int = 100,
        n_representatives: int = 10,
        *,
        selection: str = "greedy",
        divergence: str | Callable[[Worlds], Array] = "jensen-shannon",
        width: str | float = "median",
        width_scale: float = 1.0,
        n_neighbors: int | str | None = "auto",
        weight: float = 1.0,
        normalize_rows: bool = False,
        tol: float = 1e-6,
        max_iter: int = 200,
        n_init: int = 10,
        n_jobs: int | None = None,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_worlds = n_worlds
        self.n_representatives = n_representatives
        self.selection = selection
        self.divergence = divergence
        self.width = width
        self.width_scale = width_scale
        self.n_neighbors = n_neighbors
        self.weight = weight
        self.normalize_rows = normalize_rows
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: None = None) -> Self:
        """Find the clusters of `X`.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            The objects. A plain 2-D array holds objects without uncertainty.
        y : None
            Not used; here for pipelines.

        Returns
        -------
        self
        """
        data = self._check_objects(X)
        self.seed_ = as_seed(self.random_state)

        worlds = self._draw(data)
        self.representatives_ = self._choose(worlds)
        self._kept = worlds.at(self.representatives_)
        self.n_clusters_ = self._count(self._kept)
        laplacians = Laplacians(
            self._kept, self.width, self.width_scale, self.n_neighbors
        )
        found = consistency(
            laplacians,
            self.n_clusters_,
            weight=self.weight,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        rows = self._rows(found.common)
        self.labels_, self._centres = cut(
            rows, self.n_clusters_, self.n_init, self.seed_
        )

        self.embedding_ = found.common
        self.objective_ = found.objective
        self.n_iter_ = len(found.objective)
        self._n_neighbors = laplacians.n_neighbors
        self._remember(found, laplacians)
        self.membership_ = shares(self.labels_per_world_, self.n_clusters_)
        self.confidence_ = self.membership_[np.arange(len(data)), self.labels_]
        return self

    def predict(self, X: Any) -> Indices:
        """Cluster of new objects, seen from the clusters of the fit.

        The common embedding is extended to the new objects in each kept world
        (Nyström); the extensions are averaged and cut at the same centres. For the
        objects of the fit this gives their labels, up to a few at the borders.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new,)
        """
        check_is_fitted(self)
        targets = [self._common_target] * len(self._kept)
        mean = np.mean(list(self._extensions(X, targets)), axis=0)
        return nearest(self._rows(mean), self._centres)

    def predict_proba(self, X: Any) -> Array:
        """Share of the kept worlds in which new objects fall into each cluster.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new, n_clusters)
            Columns in the order of the labels; rows sum to one.
        """
        check_is_fitted(self)
        extended = self._extensions(X, self._targets)
        each = [nearest(self._rows(rows), self._centres) for rows in extended]
        return shares(np.array(each), self.n_clusters_)

    def _draw(self, data: UncertainData) -> Worlds:
        """Draw the worlds; exact data have one, joint data those that were given."""
        if self.n_representatives > self.n_worlds:
            msg = (
                f"n_representatives={self.n_representatives} worlds cannot be kept of "
                f"n_worlds={self.n_worlds}; lower the one or raise the other."
            )
            raise ValueError(msg)
        worlds = worlds_of(data, self.n_worlds, self.seed_)
        if data.joint and self.n_representatives > len(worlds):
            msg = (
                f"n_representatives={self.n_representatives} worlds cannot be kept of "
                f"the {len(worlds)} joint draws of the data; lower it."
            )
            raise ValueError(msg)
        return worlds

    def _choose(self, worlds: Worlds) -> Indices:
        """Choose the worlds that stand for all (Eq. 7)."""
        n_kept = min(self.n_representatives, len(worlds))
        if self.selection == "random":
            self.divergences_ = self.loss_ = None
            return random_worlds(len(worlds), n_kept, self.seed_)
        self.divergences_ = self._divergence_of(worlds)(worlds)
        chosen, self.loss_ = representatives(
            self.divergences_, n_kept, self.selection, return_loss=True
        )
        return chosen

    def _divergence_of(self, worlds: Worlds) -> Callable[[Worlds], Array]:
        if callable(self.divergence):
            return self.divergence
        few = worlds.shape[1] <= EXACT_DIVERGENCE_OBJECTS
        n_points = None if few else DIVERGENCE_POINTS
        n_clusters = 3 if isinstance(self.n_clusters, str) else self.n_clusters
        named: dict[str, Callable[[Worlds], Array]] = {
            "jensen-shannon": partial(
                jensen_shannon, n_points=n_points, n_jobs=self.n_jobs
            ),
            "per-feature": partial(
                jensen_shannon_per_feature, n_points=n_points, n_jobs=self.n_jobs
            ),
            "energy": energy,
            "clustering": partial(
                between_clusterings, n_clusters=n_clusters, random_state=self.seed_
            ),
        }
        return named[self.divergence]

    def _count(self, worlds: Worlds) -> int:
        if isinstance(self.n_clusters, str):
            return n_clusters_by_eigengap(worlds, self.n_neighbors)
        return int(self.n_clusters)

    def _rows(self, embedding: Array) -> Array:
        return of_unit_length(embedding) if self.normalize_rows else embedding

    def _remember(self, found: Consistency, laplacians: Laplacians) -> None:
        """Label the objects in each kept world, and keep what `predict` needs.

        What a world says by itself counts, not what it says after it was pulled
        towards the others: those agree with each other, right or wrong.
        """
        labels, targets = [], []
        for values, own in zip(*found.alone, strict=True):
            rotated = aligned(own, found.common)
            labels.append(nearest(self._rows(own @ rotated), self._centres))
            # L U = U Λ, so a row of L times U Λ^-1 gives the row of U (Nyström).
            targets.append((own / values) @ rotated)
        self.labels_per_world_ = np.array(labels)
        self._targets = targets
        # U* is nearly invariant under the mean Laplacian; what is left of it there
        # takes the place of the eigenvalues.
        mean = sum(multiply(each, found.common) for each in laplacians) / len(labels)
        self._common_target = found.common @ np.linalg.pinv(found.common.T @ mean)
        self._scales, self._roots = laplacians.scales, laplacians.roots

    def _extensions(self, X: Any, targets: list[Array]) -> Iterator[Array]:
        """Embedding of new objects next to the objects of each kept world."""
        data = objects_of(self, X, reset=False)
        new = matching(self._kept, data)
        for j, values in enumerate(self._kept):
            world = Embedded(values, self._scales[j], self._roots[j], targets[j])
            yield extend(new[j], world, self.width, self._n_neighbors)
