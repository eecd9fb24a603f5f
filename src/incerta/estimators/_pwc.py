"""PossibleWorldConsistency: one graph for all worlds that falls into clusters."""

import warnings
from collections.abc import Iterable
from dataclasses import KW_ONLY
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from sklearn.exceptions import ConvergenceWarning

from incerta.backend.parameters import SEED, WHOLE, choice, parameter, with_parameters
from incerta.backend.progress import followed, track
from incerta.data.container import UncertainData
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
from incerta.estimators._base import (
    DIVERGENCE,
    SELECTION,
    UncertainClusterer,
    check_model,
    kept_worlds,
)
from incerta.labels import shares
from incerta.models.registry import stored
from incerta.selection.keeping import Divergence
from incerta.spectral.embedding import cut, leading_eigenvectors
from incerta.typing import Array, Indices, Seed
from incerta.worlds import Worlds
from incerta.worlds.sequence import check_worlds, paired

# Up to this many objects all eigenvectors of a full matrix are quicker to find.
DENSE_OBJECTS = 1000
# How often the number of neighbours is doubled to connect too many components.
MOST_DOUBLINGS = 3
N_INIT = 10


def _check(model: "Voting") -> None:
    check_worlds(model.worlds, model.labels)


@stored(_check, labels="i n")
class Voting(NamedTuple):
    """Worlds of the objects of a fit, and the clusters that they vote for."""

    worlds: Worlds
    labels: Indices  # (n_objects,)


@with_parameters
class PossibleWorldConsistency(UncertainClusterer):
    """Cluster uncertain objects by an affinity that all worlds agree on.

    In each world an object distributes its affinity over its nearest neighbours. One
    affinity is learnt that is as near as possible to those of all worlds and whose
    graph falls into exactly `n_clusters` components: these are the clusters, and no cut
    is needed [1]_. It finds clusters of any shape. `RPC` looks for agreement of
    embeddings instead, and uses few worlds.

    Parameters
    ----------
    n_clusters : int, default=3
        Number of clusters.
    n_worlds : int, default=100
        Number of worlds to draw. Joint data have no more worlds than draws.
    n_representatives, selection, divergence
        Keep only so many worlds, chosen as in `RPC`; all by default.
    n_neighbors : int, default=10
        Neighbours of an object in each world. Doubled, at most three times, if the
        graph of all worlds has more than `n_clusters` components.
    weights : {"uniform", "auto"}, default="uniform"
        How much worlds count: all the same, or less the farther they are from what all
        agree on. "auto" keeps the graphs of all worlds in memory.
    max_iter : int, default=50
        Maximum number of rounds.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the worlds.

    Attributes
    ----------
    labels_ : ndarray of shape (n_objects,)
        Cluster of each object, numbered in the order of the ids.
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
    n_drawn_ : int
        Number of worlds that were drawn.
    n_neighbors_ : int
        Number of neighbours that was used.
    n_iter_ : int
        Number of rounds made.
    seed_, n_features_in_, feature_names_in_
        ``random_state=seed_`` repeats the fit; the others are as in scikit-learn.

    Warns
    -----
    ConvergenceWarning
        If no affinity with `n_clusters` components was found. The labels are then a
        k-means cut of its lowest eigenvectors.

    Notes
    -----
    It takes two searches for neighbours per world, then the lowest eigenvectors of a
    sparse matrix per round. Memory holds one number for every pair of objects that are
    neighbours in any world.

    The publication's own formulas are not freely available; the affinities, and the
    steps that lead to the right number of components, are those of constrained
    Laplacian rank [2]_. The share of an object that its neighbours do not get stays
    with it.

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

    n_clusters: int = parameter(WHOLE, default=3)
    n_worlds: int = parameter(WHOLE, default=100)
    n_representatives: int | None = parameter([*WHOLE, None], default=None)
    _: KW_ONLY
    selection: str = parameter(SELECTION, default="greedy")
    divergence: Divergence = parameter(DIVERGENCE, default="jensen-shannon")
    n_neighbors: int = parameter(WHOLE, default=10)
    weights: str = choice("auto", default="uniform")
    max_iter: int = parameter(WHOLE, default=50)
    random_state: Seed = parameter(SEED, default=None)

    _takes_kept = True
    _stored: ClassVar[dict[str, str]] = {
        "affinity_": "",
        "weights_": "f w",
        "representatives_": "i r",
        "n_drawn_": "",
        "n_neighbors_": "",
        "n_iter_": "",
        "_model": "",
    }

    def _fit(self, objects: Any) -> None:
        kept = kept_worlds(self, objects, self.n_clusters)
        worlds = kept.worlds
        self.representatives_ = kept.chosen
        self.n_drawn_ = len(kept.drawn)
        self.weights_ = np.full(len(worlds), 1.0 / len(worlds))
        graphs, mean = self._connected(worlds)
        history = self._rounds(graphs, mean)
        self.affinity_ = history[-1].affinity
        self.affinity_.eliminate_zeros()
        self.n_iter_ = len(history)
        self.labels_ = self._labels(history[-1])

        self._model = Voting(worlds, self.labels_)
        self.labels_per_world_ = self._in_each_world(worlds)
        self.membership_ = shares(self.labels_per_world_, self.n_clusters)

    def _proba(self, data: UncertainData) -> Array:
        # In each world a new object goes with the cluster to whose objects it has the
        # most affinity.
        _, fitted, new = paired(self._model.worlds, data, self.n_worlds)
        return shares(self._in_each_world(fitted, new), self.n_clusters)

    def _check_stored(self) -> None:
        check_model(self, Voting)

    def _connected(self, worlds: Worlds) -> tuple[list[csr_array] | None, csr_array]:
        """Mean graph of the worlds, with not too many components, and its parts."""
        most = worlds.shape[1] - 2
        self.n_neighbors_ = max(min(self.n_neighbors, most), 1)
        for doubling in range(MOST_DOUBLINGS + 1):
            graphs: Iterable[csr_array] = (
                adaptive_affinity(values, self.n_neighbors_)
                for values in followed(worlds, "worlds")
            )
            if self.weights == "auto":
                graphs = list(graphs)
            mean = weighted_mean(graphs, self.weights_)
            few = n_components(mean)[0] <= self.n_clusters
            if few or doubling == MOST_DOUBLINGS or self.n_neighbors_ >= most:
                break
            self.n_neighbors_ = min(2 * self.n_neighbors_, most)
        return graphs if isinstance(graphs, list) else None, mean

    def _rounds(self, graphs: list[csr_array] | None, mean: csr_array) -> list[Any]:
        """States on the way to the right number of components."""
        if self.n_clusters == 1:
            zeros = np.zeros(mean.shape[0], dtype=np.intp)
            return [Consensus(mean, zeros, np.ones((mean.shape[0], 1)))]

        def remix(affinity: csr_array) -> csr_array:
            assert graphs is not None
            self.weights_ = agreement_weights(affinity, graphs)
            return weighted_mean(graphs, self.weights_)

        rounds = rank_constrained(
            mean, self.n_clusters, _leading, None if graphs is None else remix
        )
        steps = track(self.max_iter, "rounds")
        return [state for _, state in zip(steps, rounds, strict=False)]

    def _labels(self, last: Consensus) -> Indices:
        if last.n_components == self.n_clusters:
            return last.components
        msg = (
            f"the affinity has {last.n_components} components instead of "
            f"n_clusters={self.n_clusters} after {self.n_iter_} rounds; the labels are "
            "a k-means cut. Try another n_neighbors, or raise max_iter."
        )
        warnings.warn(msg, ConvergenceWarning, stacklevel=4)
        return cut(last.embedding, self.n_clusters, N_INIT, self.seed_)[0]

    def _in_each_world(self, worlds: Worlds, new: Worlds | None = None) -> Indices:
        """Cluster with the most affinity, of the objects or of new ones."""
        out = np.zeros((worlds if new is None else new).shape[:2], dtype=np.intp)
        if worlds.shape[1] == 1:
            return out
        for j, values in enumerate(followed(worlds, "confidence")):
            others = None if new is None else new[j]
            near, weight = neighbour_weights(values, others, self.n_neighbors_)
            found = votes(near, weight, self._model.labels, self.n_clusters)
            if new is None:  # an object stays where it is if others are not better
                found[np.arange(len(found)), self._model.labels] += 1e-12
            out[j] = found.argmax(axis=1)
        return out


def _leading(matrix: csr_array, k: int) -> Array:
    """Eigenvectors of the `k` largest eigenvalues."""
    n = matrix.shape[0]
    if n <= DENSE_OBJECTS:
        return eigh(matrix.toarray(), subset_by_index=(n - k, n - 1))[1]
    return leading_eigenvectors(matrix, k, tol=1e-6)[1]
