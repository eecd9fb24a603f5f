"""ExpectedSpectral: spectral clustering of the expected affinity."""

from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from incerta.backend.progress import track
from incerta.data.coerce import objects_of
from incerta.data.container import UncertainData
from incerta.data.laws import Joint, Law
from incerta.distances.affinity import (
    as_values,
    expected_affinity,
    expected_squared_distances,
    points_like,
    with_closed_form,
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
from incerta.spectral.affinity import (
    dense_affinity,
    inverse_root,
    normalise_in_place,
)
from incerta.spectral.embedding import leading_eigenvectors
from incerta.typing import Array, Indices, Seed
from incerta.worlds.streams import as_seed

MOST_OBJECTS = 20_000
# A new object is lost if even its largest affinity is below this part of the median.
LOST = 1e-3


class ExpectedSpectral(UncertainClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster uncertain objects by their expected affinity.

    The affinity of two objects is the mean of the Gaussian kernel over all their
    values, in closed form where there is one; its leading eigenvectors are cut by
    k-means. It is what `RPC` tends to with ever more worlds and no selection, costs
    one eigenproblem instead of many, and nothing in it is drawn: prefer it for
    independent objects, and hold `RPC` against it.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    width : "median" or float, default="median"
        Kernel width: the median, over pairs, of the root of the expected squared
        distance; or a number.
    width_scale : float, default=1.0
        Factor on the width. Smaller ones (0.25, 0.5) help where objects overlap.
    normalize_rows : bool, default=False
        Scale the rows of the embedding to length 1 before the cut.
    n_worlds : int, default=100
        Number of worlds behind `membership_`; the labels do not depend on it.
    n_init : int, default=10
        Number of k-means starts.
    random_state : int, RandomState, Generator or None, default=None
        Seed of k-means, of the worlds, and of the values that stand for laws without
        closed form.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in order of first appearance.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Share of the worlds in which the object's value falls into each cluster.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Labels of each world's values in the embedding (Nyström).
    affinity_ : ndarray of shape (n_objects, n_objects)
        The expected affinity, 1 on the diagonal.
    embedding_ : ndarray of shape (n_objects, n_clusters)
        Leading eigenvectors.
    eigenvalues_ : ndarray of shape (n_clusters,)
        Their eigenvalues, largest first.
    width_ : float
        Kernel width that was used.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where the data had names.

    Notes
    -----
    Gaussian, uniform and exponential objects: n² operations per feature, exact. Lists
    of values: all pairs of values, in blocks, exact. Joint worlds: the mean of their
    affinities, exact. Other laws are replaced by 64 stratified values each. The n × n
    affinity limits it to 20,000 objects.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [0.2], [5.0], [5.3]], std=0.3)
    >>> ic.ExpectedSpectral(n_clusters=2, random_state=0).fit_predict(data)
    array([0, 0, 1, 1])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "width": [StrOptions({"median"}), Interval(Real, 0, None, closed="neither")],
        "width_scale": [Interval(Real, 0, None, closed="neither")],
        "normalize_rows": ["boolean"],
        "n_worlds": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        width: str | float = "median",
        width_scale: float = 1.0,
        normalize_rows: bool = False,
        n_worlds: int = 100,
        n_init: int = 10,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.width = width
        self.width_scale = width_scale
        self.normalize_rows = normalize_rows
        self.n_worlds = n_worlds
        self.n_init = n_init
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
        if len(data) > MOST_OBJECTS:
            msg = (
                f"{len(data)} objects are too many for an affinity of all pairs (at "
                f"most {MOST_OBJECTS}); RPC takes more, with a graph of neighbours."
            )
            raise ValueError(msg)
        self.seed_ = as_seed(self.random_state)
        self._law = with_closed_form(data.law, self.seed_)

        self.width_ = self._kernel_width(data)
        self.affinity_ = self._expected(data)
        self._least = LOST * float(np.median(self.affinity_))
        self._roots = inverse_root(self.affinity_.sum(axis=1))
        laplacian = normalise_in_place(self.affinity_.copy(), self._roots)
        self.eigenvalues_, self.embedding_ = leading_eigenvectors(
            laplacian, self.n_clusters
        )
        self.labels_, self._centres = cut(
            self._rows(self.embedding_), self.n_clusters, self.n_init, self.seed_
        )

        self.labels_per_world_ = self._labels_in_worlds(data)
        self.membership_ = shares(self.labels_per_world_, self.n_clusters)
        self.confidence_ = self.membership_[np.arange(len(data)), self.labels_]
        return self

    def predict(self, X: Any) -> Indices:
        """Cluster of new objects, by their expected affinity to those of the fit.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new,)
        """
        check_is_fitted(self)
        new = with_closed_form(objects_of(self, X, reset=False).law, self.seed_)
        known = self._law
        if type(new) is not type(known) or new.kind != known.kind:
            new, known = as_values(new, self.seed_), as_values(known, self.seed_)
        return nearest(self._embed(new, known), self._centres)

    def predict_proba(self, X: Any) -> Array:
        """Share of the worlds in which new objects fall into each cluster.

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
        data = objects_of(self, X, reset=False)
        return shares(self._labels_in_worlds(data), self.n_clusters)

    @property
    def _t(self) -> float:
        return 0.5 / self.width_**2

    def _kernel_width(self, data: UncertainData) -> float:
        if not isinstance(self.width, str):
            return float(self.width) * self.width_scale
        apart = expected_squared_distances(data.law, data.law)
        apart = apart[np.triu_indices(len(data), 1)]
        if len(apart) == 0 or np.median(apart) == 0.0:
            apart = apart[apart > 0.0]
        median = float(np.sqrt(np.median(apart))) if len(apart) else 1.0
        return median * self.width_scale

    def _expected(self, data: UncertainData) -> Array:
        if isinstance(data.law, Joint):
            affinity = np.zeros((len(data), len(data)))
            scales = np.full(len(data), self.width_)
            for draw in data.law.draws:
                affinity += dense_affinity(draw, scales) / len(data.law.draws)
        else:
            affinity = expected_affinity(self._law, self._law, self._t)
        # An object meets itself in the same value, not in an independent copy.
        np.fill_diagonal(affinity, 1.0)
        return affinity

    def _rows(self, embedding: Array) -> Array:
        return of_unit_length(embedding) if self.normalize_rows else embedding

    def _embed(self, new: Law, known: Law) -> Array:
        """Extend the embedding to new objects by their expected affinity (Nyström)."""
        affinity = expected_affinity(new, known, self._t)
        # An object far from everything goes with its nearest one, not with nobody.
        lost = np.flatnonzero(affinity.max(axis=1) < self._least)
        apart = expected_squared_distances(new.take(lost), known)
        affinity[lost] = 0.0
        affinity[lost, apart.argmin(axis=1)] = 1.0
        targets = self._roots[:, None] * self.embedding_ / self.eigenvalues_
        own = inverse_root(affinity.sum(axis=1))
        return self._rows(own[:, None] * (affinity @ targets))

    def _labels_in_worlds(self, data: UncertainData) -> Indices:
        n_worlds = 1 if data.exact else self.n_worlds
        if isinstance(data.law, Joint):
            n_worlds = min(n_worlds, len(data.law.draws))
        steps = track(n_worlds, "confidence")
        labels = []
        for world in data.worlds(n_worlds, self.seed_):
            points = points_like(world, self._law)
            labels.append(nearest(self._embed(points, self._law), self._centres))
            next(steps)
        return np.array(labels)
