"""PossibleWorldConsistency: one graph for all worlds that falls into clusters."""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from incerta.backend.progress import track
from incerta.data.coerce import objects_of
from incerta.ensemble.consensus_affinity import (
    Consensus,
    adaptive_affinity,
    agreement_weights,
    n_components,
    neighbour_weights,
    rank_constrained,
    votes,
    weighted_mean,
)
from incerta.ensemble.runs import representative_worlds
from incerta.estimators._base import (
    Interval,
    StrOptions,
    UncertainClusterMixin,
    cut,
    shares,
)
from incerta.spectral.embedding import leading_eigenvectors
from incerta.typing import Array, Indices, Seed
from incerta.worlds import Worlds
from incerta.worlds.sequence import matching, worlds_of
from incerta.worlds.streams import as_seed

# Up to this many objects all eigenvectors of a full matrix are quicker to find.
DENSE_OBJECTS = 1000
# How often the number of neighbours is doubled to connect too many components.
MOST_DOUBLINGS = 3
N_INIT = 10


class PossibleWorldConsistency(UncertainClusterMixin, BaseEstimator):  # type: ignore[misc]
    """Cluster uncertain objects by an affinity that all worlds agree on.

    In each world an object shares itself out over its nearest neighbours. One affinity
    is learnt that is as near as possible to those of all worlds and whose graph falls
    into exactly `n_clusters` components: these are the clusters, and nothing is left
    to be cut [1]_. It finds clusters of any shape. `RPC` agrees on embeddings instead,
    and works on few worlds.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    n_worlds : int, default=100
        Number of worlds to draw. Joint data have no more than their draws.
    n_representatives : int, optional
        Keep only this many worlds, chosen as in `RPC`; all by default.
    n_neighbors : int, default=10
        Neighbours of an object in each world. Doubled, at most three times, where the
        graph of all worlds has more components than there are to be clusters.
    weights : {"uniform", "auto"}, default="uniform"
        How much worlds count: all the same, or the less the farther they are from
        what all agree on. "auto" keeps the graphs of all worlds in memory.
    max_iter : int, default=50
        Most rounds to make.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in order of first appearance.
    confidence_ : ndarray of shape (n_objects,)
        Share of the worlds that agree with the object's label.
    membership_ : ndarray of shape (n_objects, n_clusters)
        Share of the worlds in which the object falls into each cluster.
    labels_per_world_ : ndarray of shape (n_worlds, n_objects)
        Labels in each world: the cluster to whose objects it has the most affinity
        there.
    affinity_ : scipy.sparse.csr_array of shape (n_objects, n_objects)
        What all worlds agree on; rows sum to one.
    weights_ : ndarray of shape (n_worlds,)
        Weights of the worlds, summing to one.
    representatives_ : ndarray of shape (n_representatives,) or None
        Numbers of the kept worlds; None if all were.
    n_neighbors_ : int
        Number of neighbours that was used.
    n_iter_ : int
        Number of rounds made.
    seed_ : int
        ``random_state=seed_`` repeats the fit.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features,)
        Names of the features, where the data had names.

    Warns
    -----
    ConvergenceWarning
        If no affinity with `n_clusters` components was found. The labels are then a
        k-means cut of its lowest eigenvectors.

    Notes
    -----
    Per world two searches for neighbours; then per round the lowest eigenvectors of a
    sparse matrix. Memory holds one number for every pair of objects that are
    neighbours in any world: with q neighbours and M worlds at most M q per object,
    and few of that unless the objects are very uncertain.

    The publication's own formulas are not free to read; the affinities, and the steps
    that lead to the right number of components, are those of constrained Laplacian
    rank [2]_. The share of an object that its neighbours do not get stays with it.

    References
    ----------
    .. [1] H. Liu, X. Zhang, X. Zhang, "Possible World Based Consistency Learning Model
       for Clustering and Classifying Uncertain Data", Neural Networks 102, 2018.
    .. [2] F. Nie, X. Wang, M. I. Jordan, H. Huang, "The Constrained Laplacian Rank
       Algorithm for Graph-Based Clustering", AAAI 2016.

    Examples
    --------
    >>> import incerta as ic
    >>> X = [[[0.0], [0.2]], [[0.1]], [[9.0], [9.3]], [[9.1]]]
    >>> pwc = ic.PossibleWorldConsistency(n_clusters=2, n_neighbors=1, random_state=0)
    >>> pwc.fit(X).labels_, pwc.confidence_
    (array([0, 0, 1, 1]), array([1., 1., 1., 1.]))
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_worlds": [Interval(Integral, 1, None, closed="left")],
        "n_representatives": [Interval(Integral, 1, None, closed="left"), None],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "weights": [StrOptions({"uniform", "auto"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state", np.random.Generator],
    }

    def __init__(
        self,
        n_clusters: int = 3,
        n_worlds: int = 100,
        n_representatives: int | None = None,
        *,
        n_neighbors: int = 10,
        weights: str = "uniform",
        max_iter: int = 50,
        random_state: Seed = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_worlds = n_worlds
        self.n_representatives = n_representatives
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.max_iter = max_iter
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

        worlds = worlds_of(data, self.n_worlds, self.seed_)
        self.representatives_ = None
        if self.n_representatives is not None:
            self.representatives_ = representative_worlds(
                worlds, self.n_representatives
            )
            worlds = worlds.at(self.representatives_)
        self._kept = worlds
        self.weights_ = np.full(len(worlds), 1.0 / len(worlds))
        graphs, mean = self._connected()
        history = self._rounds(graphs, mean)
        self.affinity_ = history[-1].affinity
        self.affinity_.eliminate_zeros()
        self.n_iter_ = len(history)
        self.labels_ = self._labels(history[-1])

        self.labels_per_world_ = self._in_each_world(self._kept)
        self.membership_ = shares(self.labels_per_world_, self.n_clusters)
        self.confidence_ = self.membership_[np.arange(len(data)), self.labels_]
        return self

    def predict(self, X: Any) -> Indices:
        """Cluster of new objects: the one they fall into in most worlds.

        Parameters
        ----------
        X : UncertainData or anything `as_uncertain` takes
            New objects with the features of the fit.

        Returns
        -------
        ndarray of shape (n_new,)
        """
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X: Any) -> Array:
        """Share of the worlds in which new objects fall into each cluster.

        In each world a new object goes with the cluster to whose objects it has the
        most affinity.

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
        # Another seed: the same one would move new object i along with object i.
        new = replace(matching(self._kept, data), seed=self.seed_ + 1)
        if self._kept.data.exact:  # a single world, which goes with all of the others
            new = worlds_of(data, self.n_worlds, self.seed_ + 1)
        old = self._kept.at(np.arange(len(new)) % len(self._kept))
        return shares(self._in_each_world(old, new), self.n_clusters)

    def _connected(self) -> tuple[list[csr_array] | None, csr_array]:
        """Mean graph of the worlds, with not too many components, and its parts."""
        most = self._kept.shape[1] - 2
        self.n_neighbors_ = max(min(self.n_neighbors, most), 1)
        for doubling in range(MOST_DOUBLINGS + 1):
            graphs: Iterable[csr_array] = self._graphs()
            if self.weights == "auto":
                graphs = list(graphs)
            mean = weighted_mean(graphs, self.weights_)
            few = n_components(mean)[0] <= self.n_clusters
            if few or doubling == MOST_DOUBLINGS or self.n_neighbors_ >= most:
                break
            self.n_neighbors_ = min(2 * self.n_neighbors_, most)
        return graphs if isinstance(graphs, list) else None, mean

    def _graphs(self) -> Iterator[csr_array]:
        steps = track(len(self._kept), "worlds")
        for values in self._kept:
            yield adaptive_affinity(values, self.n_neighbors_)
            next(steps)

    def _rounds(self, graphs: list[csr_array] | None, mean: csr_array) -> list[Any]:
        """States on the way to the right number of components."""
        if self.n_clusters == 1:
            zeros = np.zeros(mean.shape[0], dtype=np.intp)
            return [Consensus(mean, 1, zeros, np.ones((mean.shape[0], 1)))]

        def remix(affinity: csr_array) -> csr_array:
            assert graphs is not None
            self.weights_ = agreement_weights(affinity, graphs)
            return weighted_mean(graphs, self.weights_)

        rounds = rank_constrained(
            mean,
            self.n_clusters,
            _leading,
            None if graphs is None else remix,
        )
        return list(islice(rounds, self.max_iter))

    def _labels(self, last: Consensus) -> Indices:
        if last.n_components == self.n_clusters:
            return last.components
        msg = (
            f"the affinity has {last.n_components} components instead of "
            f"n_clusters={self.n_clusters} after {self.n_iter_} rounds; the labels are "
            "a k-means cut. Try another n_neighbors, or raise max_iter."
        )
        warnings.warn(msg, ConvergenceWarning, stacklevel=3)
        return cut(last.embedding, self.n_clusters, N_INIT, self.seed_)[0]

    def _in_each_world(self, worlds: Worlds, new: Worlds | None = None) -> Indices:
        """Cluster with the most affinity, of the objects or of new ones."""
        out = np.zeros((worlds if new is None else new).shape[:2], dtype=np.intp)
        if worlds.shape[1] == 1:
            return out
        for j, values in enumerate(worlds):
            others = None if new is None else new[j]
            near, weight = neighbour_weights(values, others, self.n_neighbors_)
            found = votes(near, weight, self.labels_, self.n_clusters)
            if new is None:  # an object stays where it is if others are not better
                found[np.arange(len(found)), self.labels_] += 1e-12
            out[j] = found.argmax(axis=1)
        return out


def _leading(matrix: csr_array, k: int) -> Array:
    """Eigenvectors of the `k` largest eigenvalues."""
    n = matrix.shape[0]
    if n <= DENSE_OBJECTS:
        return eigh(matrix.toarray(), subset_by_index=(n - k, n - 1))[1]
    return leading_eigenvectors(matrix, k, tol=1e-6)[1]
