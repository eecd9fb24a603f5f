"""UKMedoids: k-medoids with expected distances."""

import warnings
from dataclasses import KW_ONLY
from itertools import islice
from typing import ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from incerta.backend.device import CPU
from incerta.backend.parameters import (
    SEED,
    WHOLE,
    StrOptions,
    choice,
    parameter,
    with_parameters,
)
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.data.laws import Law
from incerta.distances.expected import expected_distance_matrix, expected_distances
from incerta.estimators._base import UncertainClusterer
from incerta.estimators._scored import ScoredByDistance
from incerta.labels import in_order_of_appearance
from incerta.models.checks import wrong
from incerta.partition.medoids import METHODS, Medoids, assign, seeds
from incerta.partition.shares import nearest_shares
from incerta.typing import Array, Indices, Seed

MOST_OBJECTS = 20_000


@with_parameters
class UKMedoids(ScoredByDistance, UncertainClusterer):
    """K-medoids for uncertain objects, with expected distances.

    Each cluster is represented by one of its objects, the medoid. The sum of the
    expected distances of all objects to their medoids is minimized [1]_. `predict` uses
    expected distances and `predict_proba` counts values, so the argmax of
    `predict_proba` may differ.

    Use it if clusters should have actual objects as centers, or if there are outliers,
    which affect medoids little, least of all with ``metric="euclidean"``. `UKMeans` is
    far cheaper: k-medoids stores the distances of all pairs. `ExpectedSpectral` and
    `RPC` find clusters that are not round.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    metric : {"sqeuclidean", "euclidean"}, default="sqeuclidean"
        Whether to take the expectation of the squared distance of two objects,
        ``|μ − μ'|² + s + s'`` with means μ and total variances s, exact for all kinds
        of data; or of the distance. The distance of an object to itself is 0.
    algorithm : {"fasterpam", "alternate"}, default="fasterpam"
        "fasterpam" swaps medoids for other objects as long as that helps [2]_.
        "alternate", as first published, alternates between finding the medoid of each
        cluster and reassigning the objects; it stops earlier, at worse clusters.
    n_init : int, default=10
        Number of starts, each from medoids drawn far from each other as in k-means++.
        The best one is kept. Distances are computed once.
    max_iter : int, default=100
        Maximum number of passes over the objects ("fasterpam") or rounds ("alternate")
        per start.
    n_worlds : int, default=100
        Number of worlds (random draws) for `membership_`, unless objects are lists of
        values. The labels do not depend on it.
    device : str, default="cpu"
        Where means or values are compared: "cpu", or a torch device such as "cuda"
        (extra ``gpu``).
    random_state : int, RandomState, Generator or None, default=None
        Seed of the starts, of the worlds, and of the values that represent
        distributions without a closed form.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids.
    medoid_indices_ : ndarray of shape (n_clusters,)
        Position of the medoid of each cluster among the objects.
    medoid_ids_ : ndarray of shape (n_clusters,)
        Ids of the medoids.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Means of the medoids.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Share of the object's values that are nearest to each medoid.
    confidence_ : ndarray of shape (n_objects,)
        Share of the object's values that agree with its label.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of objects in each cluster, at least 1.
    objective_ : list of float
        Sum of the expected distances to the medoids after each pass; never rises.
    inertia_ : float
        The last entry of `objective_`.
    n_iter_ : int
        Number of passes of the best start.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Warns
    -----
    ConvergenceWarning
        If the best start did not converge within `max_iter` passes.

    Notes
    -----
    The distances of all pairs are stored, which limits it to 20,000 objects. Squared
    distances take n² operations per feature. With "euclidean", lists of values take all
    pairs of values, exactly. Gaussian, uniform and exponential objects take an integral
    per pair, about 40 times the cost of squared distances. Other distributions are
    replaced by 64 stratified values each. Joint data use the mean distance over the
    worlds. A pass takes n² operations. Integrals and the search run on the CPU.

    `membership_` is based on ``|x − μ|² + s`` with the mean and the total variance of
    the medoid, an approximation if ``metric="euclidean"``. Predictions treat objects as
    independent of the medoids, so `predict` may differ from `labels_`.

    References
    ----------
    .. [1] F. Gullo, G. Ponti, A. Tagarelli, "Clustering Uncertain Data via K-medoids",
       SUM 2008.
    .. [2] E. Schubert, P. J. Rousseeuw, "Fast and eager k-medoids clustering: O(k)
       runtime improvement of the PAM, CLARA, and CLARANS algorithms", Information
       Systems 101, 2021.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_gaussian(
    ...     [[0.0], [0.3], [0.5], [5.0], [5.2], [5.6]],
    ...     std=[[0.1], [0.9], [0.1], [0.1], [0.1], [0.1]],
    ... )
    >>> found = ic.UKMedoids(n_clusters=2, random_state=0).fit(data)
    >>> found.labels_
    array([0, 0, 0, 1, 1, 1])
    >>> found.medoid_indices_  # object 1 is in the middle, too, but uncertain
    array([2, 4])
    """

    n_clusters: int = parameter(WHOLE, default=3)
    _: KW_ONLY
    metric: str = choice("euclidean", default="sqeuclidean")
    algorithm: str = parameter([StrOptions(set(METHODS))], default="fasterpam")
    n_init: int = parameter(WHOLE, default=10)
    max_iter: int = parameter(WHOLE, default=100)
    n_worlds: int = parameter(WHOLE, default=100)
    device: str = parameter([str], default=CPU)
    random_state: Seed = parameter(SEED, default=None)

    _stored: ClassVar[dict[str, str]] = {
        "medoid_indices_": "o k",
        "medoid_ids_": "a k",
        "cluster_centers_": "f k d",
        "cluster_sizes_": "i k",
        "objective_": "",
        "inertia_": "",
        "n_iter_": "",
        "_model": "",
    }

    def _fit(self, data: UncertainData) -> None:
        if len(data) > MOST_OBJECTS:
            msg = (
                f"{len(data)} objects are too many for the distances of all pairs (at "
                f"most {MOST_OBJECTS}); use UKMeans, which does not need them."
            )
            raise ValueError(msg)
        how = self.metric, self.seed_, data.uniform_keys(), self.device
        distances = expected_distance_matrix(data.law, *how)
        history = self._best_start(distances)
        medoids = history[-1].medoids
        self.labels_, order = in_order_of_appearance(assign(distances, medoids))

        self.medoid_indices_ = medoids[order]
        self.medoid_ids_ = data.ids[self.medoid_indices_]
        self._model = data.law.take(self.medoid_indices_)
        self.cluster_centers_ = self._model.mean()
        self.cluster_sizes_ = np.bincount(self.labels_, minlength=self.n_clusters)
        self.objective_ = [state.objective for state in history]
        self.inertia_ = self.objective_[-1]
        self.n_iter_ = len(history)
        self.membership_ = self._proba(data)

    def _predict(self, data: UncertainData) -> Indices:
        how = self.metric, self.seed_, data.uniform_keys(), self.device
        return expected_distances(data.law, self._model, *how).argmin(axis=1)

    def _cores(self) -> tuple[Law, str]:
        return self._model, self.metric

    def _proba(self, data: UncertainData) -> Array:
        spread = self._model.variance().sum(axis=1)
        centers = self.cluster_centers_
        return nearest_shares(data, centers, spread, self.n_worlds, self.seed_)

    def _check_stored(self) -> None:
        medoids = self._model
        if not isinstance(medoids, Law) or medoids.n_features != self.n_features_in_:
            wrong("the medoids do not have the features of the model")

    def _best_start(self, distances: Array) -> list[Medoids]:
        """Return the steps of the best start, the earliest one in case of ties."""
        search = METHODS[self.algorithm]
        best: list[Medoids] = []
        for start in followed(range(self.n_init), "medoids"):
            rng = np.random.default_rng([self.seed_, 4, start])
            first = seeds(distances, self.n_clusters, rng)
            history = list(islice(search(distances, first), self.max_iter))
            if not best or history[-1].objective < best[-1].objective:
                best = history
        if not best[-1].converged:
            msg = (
                f"the medoids still change after max_iter={self.max_iter} passes; "
                "raise max_iter."
            )
            warnings.warn(msg, ConvergenceWarning, stacklevel=4)
        return best
