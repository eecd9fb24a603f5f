"""CK-means: UK-means reduced to k-means."""

from collections.abc import Callable
from functools import cached_property
from itertools import repeat
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.data.laws import Values
from incerta.data.meaning import certain
from incerta.data.partitioned import PartitionedData
from incerta.estimators._base import (
    SEED,
    WHOLE,
    Interval,
    StrOptions,
    UncertainClusterer,
)
from incerta.estimators._facts import Facts
from incerta.estimators._scored import ScoredByDistance, as_points
from incerta.labels import in_order_of_appearance, with_empty_last
from incerta.mixture.pieces import by_moments, some_objects
from incerta.models.checks import check_shapes, wrong
from incerta.models.registry import Recipe, State, register
from incerta.partition.kmeans import Run, SquaredSearch, starts
from incerta.partition.resampled import centres_in_worlds
from incerta.partition.shares import nearest_centres, nearest_shares
from incerta.typing import Array, Indices, Seed
from incerta.worlds.sequence import worlds_of

# Of CKMeans and UKMeans.
CONSTRAINTS: dict[str, Any] = {
    "n_clusters": WHOLE,
    "init": [StrOptions({"k-means++", "random"}), "array-like"],
    "n_init": WHOLE,
    "max_iter": WHOLE,
    "tol": [Interval(Real, 0, None, closed="left")],
    "algorithm": [StrOptions({"lloyd", "elkan"})],
    "n_worlds": WHOLE,
    "random_state": SEED,
}
STORED: dict[str, str] = {
    "cluster_centers_": "f k d",
    "cluster_sizes_": "i k",
    "inertia_": "",
    "objective_": "",
    "n_iter_": "",
    "_model": "",
}
# Worlds that are clustered by themselves at most, and objects of each.
MANY_WORLDS = 20
MANY_OBJECTS = 5000


class OfWorlds:
    """Centres of several worlds, found when they are first needed.

    Parameters
    ----------
    find : callable
        A function of a module, and what it is called with.
    """

    def __init__(self, find: Callable[..., Array], *given: Any) -> None:
        self._how = find, given

    @cached_property
    def centres(self) -> Array:
        """Shape (n_worlds, n_clusters, n_features)."""
        find, given = self._how
        return find(*given)


def _of_file(state: State) -> OfWorlds:
    check_shapes(state, {"centres": "f w k d"}, {})
    return OfWorlds(np.asarray, state["centres"])


register(OfWorlds, Recipe(lambda model: {"centres": model.centres}, _of_file))


class CKMeans(ScoredByDistance, UncertainClusterer):
    """Cluster uncertain objects by k-means on their means.

    The expected squared distance of an object to a centre is the squared distance of
    its mean plus its variance; the variance is the same for all centres, so k-means
    on the means minimises exactly what UK-means with squared distances does [1]_.
    It is as fast as k-means. The uncertainty does not change the labels; it does say
    how sure they are.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    init : {"k-means++", "random"} or array, default="k-means++"
        Where centres start: spread out, at random objects, or at given places, an
        array of shape (n_clusters, n_features).
    n_init : int, default=10
        Number of starts, of which the best is kept; 1 if `init` is an array.
    max_iter : int, default=300
        Maximum number of iterations of each start.
    tol : float, default=1e-4
        Movement of the centres, relative to the variance of the features, below which
        it stops.
    algorithm : {"lloyd", "elkan"}, default="lloyd"
        scikit-learn's algorithm underneath.
    n_worlds : int, default=100
        Number of worlds behind `membership_`, if objects are not given by values; and
        of those that are clustered by themselves for it, if fewer than 20.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids.
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        Mean of the members' means.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Probability, under the object's own law, that its value is nearest to each
        centre. These are not taken for certain: 20 worlds, whose objects are weighted
        at random, are clustered by themselves. Computed when first asked for.
    confidence_ : ndarray of shape (n_objects,)
        Its entry for the object's own label.
    inertia_ : float
        Sum of the expected squared distances: that of k-means plus all variances.
    objective_ : list of float
        `inertia_` after each iteration; never rises. The iterations are repeated to
        compute it, when first asked for.
    cluster_sizes_ : ndarray of shape (n_clusters,)
        Number of objects in each cluster.
    n_iter_ : int
        Number of iterations of the best start.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, if the data had names.

    References
    ----------
    .. [1] S. D. Lee, B. Kao, R. Cheng, "Reducing UK-means to K-means", ICDM Workshops
       2007.

    Examples
    --------
    >>> import incerta as ic
    >>> mean, std = [[0.0], [0.2], [5.0], [5.3]], [[0.1], [2.0], [1.0], [0.1]]
    >>> data = ic.from_gaussian(mean, std)
    >>> ck = ic.CKMeans(n_clusters=2, random_state=0).fit(data)
    >>> ck.labels_, ck.confidence_.round(1)
    (array([0, 0, 1, 1]), array([1. , 0.9, 1. , 1. ]))
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = CONSTRAINTS
    _stored: ClassVar[dict[str, str]] = STORED

    def __init__(
        self,
        n_clusters: int = 3,
        *,
        init: Any = "k-means++",
        n_init: int = 10,
        max_iter: int = 300,
        tol: float = 1e-4,
        algorithm: str = "lloyd",
        n_worlds: int = 100,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.algorithm = algorithm
        self.n_worlds = n_worlds
        self.random_state = random_state

    def _fit(self, data: UncertainData) -> None:
        search = self._search_for(data)
        means, k = search.means, self.n_clusters
        first = starts(means, k, self.init, self.n_init, self.seed_)
        best = min(map(search.run, followed(first, "starts")), key=lambda run: run.cost)
        keep_run(self, best)
        self._run, self._data = best, data
        given = data, self.cluster_centers_, self.n_worlds, self.seed_
        self._model = OfWorlds(found_centres, *given)

    @cached_property
    def inertia_(self) -> float:
        """Sum of the expected distances; the variances are added when asked for."""
        check_is_fitted(self)
        return self._search_for(self._data).inertia(self._run)

    @cached_property
    def objective_(self) -> list[float]:
        """Objective after each iteration of the best start."""
        check_is_fitted(self)
        return self._search_for(self._data).objectives(self._run)

    def _search_for(self, data: UncertainData) -> SquaredSearch:
        return SquaredSearch(data, self.max_iter, self.tol, self.algorithm)

    def _membership(self) -> Array:
        return self._at_rows(self._proba(self._data))

    def _predict(self, data: UncertainData) -> Indices:
        centres = self.cluster_centers_
        return nearest_centres(data.mean(), centres, np.zeros(len(centres)))

    def _cores(self) -> tuple[Values, str]:
        return as_points(self.cluster_centers_), "sqeuclidean"

    def facts(self) -> Facts:
        """What the fit can tell; see `Facts`."""
        return Facts(objective=self.objective_)

    def _proba(self, data: UncertainData) -> Array:
        centres, no_offsets = self._model.centres, np.zeros(self.n_clusters)
        return nearest_shares(data, centres, no_offsets, self.n_worlds, self.seed_)

    def _check_stored(self) -> None:
        check_of_worlds(self)


def found_centres(
    objects: UncertainData | PartitionedData, centres: Array, n_worlds: int, seed: int
) -> Array:
    """Find the centres of worlds, with some of the objects if there are many.

    Objects that are spread are where their means are, whatever the worlds of their
    values.
    """
    some, _ = some_objects(by_moments(objects), MANY_OBJECTS, seed)
    if certain(some):
        return centres[None]
    n_worlds = min(n_worlds, MANY_WORLDS)
    spread = some.meaning == "spread" and not some.joint
    worlds = (
        repeat(some.mean(), n_worlds) if spread else worlds_of(some, n_worlds, seed)
    )
    return centres_in_worlds(worlds, some.keys, centres, seed)


def check_of_worlds(estimator: Any) -> None:
    """Refuse centres from a file that do not fit."""
    if "_model" not in vars(estimator):  # of before there were any
        estimator._model = OfWorlds(np.asarray, estimator.cluster_centers_[None])
    model = estimator._model
    if not isinstance(model, OfWorlds):
        wrong("what should be the centres of worlds is something else")
    if model.centres.shape[1:] != estimator.cluster_centers_.shape:
        wrong("the centres of worlds do not fit")


def keep_run(estimator: Any, best: Run) -> None:
    """Set what is known about the best start, clusters in order of appearance."""
    k = estimator.n_clusters
    estimator.labels_, order = in_order_of_appearance(best.labels)
    estimator.cluster_centers_ = best.centres[with_empty_last(order, k)]
    estimator.cluster_sizes_ = np.bincount(estimator.labels_, minlength=k)
    estimator.n_iter_ = best.n_iter
