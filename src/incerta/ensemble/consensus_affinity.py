"""One affinity for all worlds, with as many components as clusters.

A row of an affinity is the distribution of an object over its neighbors. The consensus
is as near as possible to the affinities of all worlds (constrained Laplacian rank).
"""

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from operator import add
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.neighbors import NearestNeighbors

from incerta.backend.memory import blocks
from incerta.typing import Array, Indices

# Smaller affinities are rounding errors, and connect nothing.
LINK = 1e-10


class Consensus(NamedTuple):
    """State after one round."""

    affinity: sparse.csr_array  # S, rows sum to 1
    components: Indices  # (n_objects,), of the graph of S + S', in order of appearance
    embedding: Array  # F, (n_objects, n_clusters), lowest eigenvectors of L_S

    @property
    def n_components(self) -> int:
        """Number of components."""
        return int(self.components.max()) + 1


# Index arrays, of 32 bits if the numbers fit.
Numbers: TypeAlias = NDArray[np.integer[Any]]
# Function that returns leading eigenvectors of a symmetric matrix, (n_objects, k).
Eigenvectors = Callable[[sparse.csr_array, int], Array]


def adaptive_affinity(values: Array, n_neighbors: int) -> sparse.csr_array:
    """Return the affinities of the objects of a world (n, d) to their neighbors.

    They are ``a_ij = (e_iq' − e_ij) / Σ_h (e_iq' − e_ih)`` with squared distances e and
    the first object q' that is not a neighbor. Rows sum to 1, and the diagonal is zero.
    With at most q + 1 other objects, there are fewer than q neighbors.
    """
    n = len(values)
    if n < 2:
        return sparse.csr_array((n, n))
    near, weights = neighbor_weights(values, None, n_neighbors)
    rows = np.arange(n + 1) * near.shape[1]
    return sparse.csr_array((weights.ravel(), near.ravel(), rows), shape=(n, n))


def neighbor_weights(
    values: Array, new: Array | None, n_neighbors: int
) -> tuple[Indices, Array]:
    """Return neighbors in a world, and their affinities, both (n, q)."""
    most = len(values) - (new is None)
    search = NearestNeighbors(n_neighbors=min(n_neighbors + 1, most)).fit(values)
    distances, near = search.kneighbors(new)
    if distances.shape[1] == 1:
        return near, np.ones_like(distances)
    squares = distances**2
    gaps = squares[:, -1:] - squares[:, :-1]
    total = gaps.sum(axis=1, keepdims=True)
    equal = 1.0 / gaps.shape[1]
    with np.errstate(invalid="ignore"):
        weights = np.where(total > 0.0, gaps / total, equal)
    return near[:, :-1], weights


def weighted_mean(
    affinities: Iterable[sparse.csr_array], weights: Iterable[float]
) -> sparse.csr_array:
    """Return the weighted sum of affinities, computed one by one."""
    pairs = zip(affinities, weights, strict=True)
    return reduce(add, (affinity * weight for affinity, weight in pairs))


def agreement_weights(
    consensus: sparse.csr_array, affinities: Iterable[sparse.csr_array]
) -> Array:
    """Return weights of worlds, inverse to their distance to the consensus."""
    distances = np.array([sparse.linalg.norm(consensus - a) for a in affinities])
    nearest = distances.min()
    # A world equal to the consensus would get all the weight.
    weights = 1.0 / np.maximum(distances, max(LINK, 1e-6 * nearest))
    return weights / weights.sum()


def rank_constrained(
    mean: sparse.csr_array,
    n_clusters: int,
    eigenvectors: Eigenvectors,
    remix: Callable[[sparse.csr_array], sparse.csr_array] | None = None,
) -> Iterator[Consensus]:
    """Change an affinity until it has `n_clusters` components; yield all states.

    Minimizes ``|S − A|² + 2 λ tr(F' L_S F)`` over S with rows on the simplex and over
    orthonormal F, alternately. λ is doubled while there are too few components, and
    halved if there are too many. A is the mean affinity of the worlds, and `remix`
    returns a new one after each round. The first state is that of A. It never ends if
    no state has `n_clusters` components.

    S is sparse: an object has affinity to its neighbors in any world and to itself,
    which lets it be a cluster of its own. A round takes k eigenvectors, and a sort of
    each row.
    """
    n = mean.shape[0]
    support = _with_diagonal(mean)
    rows = np.repeat(np.arange(n), np.diff(support.indptr))
    strength = 1.0
    state = _state(support, n_clusters, eigenvectors, None)
    while True:
        yield state
        if state.n_components == n_clusters:
            return
        if remix is not None:
            support = _with_diagonal(remix(state.affinity))
            rows = np.repeat(np.arange(n), np.diff(support.indptr))
        F = state.embedding
        pull = _squared_distances(F, rows, support.indices)
        moved = projected(support.data - 0.5 * strength * pull, support.indptr)
        affinity = sparse.csr_array((moved, support.indices, support.indptr), (n, n))
        state = _state(affinity, n_clusters, eigenvectors, F)
        strength *= 2.0 if state.n_components < n_clusters else 0.5


def projected(values: Array, starts: Numbers) -> Array:
    """Project rows, which begin at ``starts[i]``, onto the simplex."""
    out = np.empty_like(values)
    counts = np.diff(starts)
    for part in blocks(len(counts), 40 * int(counts.max())):
        length = counts[part]
        taken = np.arange(int(length.max())) < length[:, None]
        inside = slice(int(starts[part.start]), int(starts[part.stop]))
        rows = np.full(taken.shape, -np.inf)
        rows[taken] = values[inside]
        rows -= rows.max(axis=1, keepdims=True)
        # Entries more than 1 below the largest become 0; this keeps digits of sums.
        rows = np.maximum(rows, -1.0)
        falling = -np.sort(-rows, axis=1)
        over = np.cumsum(falling, axis=1) - 1.0
        ranks = np.arange(1, rows.shape[1] + 1)
        n_kept = (falling * ranks > over).sum(axis=1)
        level = over[np.arange(len(rows)), n_kept - 1] / n_kept
        out[inside] = np.maximum(rows - level[:, None], 0.0)[taken]
    return out


def votes(near: Indices, weights: Array, labels: Indices, n_clusters: int) -> Array:
    """Return the total affinity of objects to the neighbors in each cluster."""
    n = len(near)
    cells = np.arange(n)[:, None] * n_clusters + labels[near]
    sums = np.bincount(cells.ravel(), weights.ravel(), minlength=n * n_clusters)
    return np.asarray(sums.reshape(n, n_clusters), dtype=np.float64)


def n_components(affinity: sparse.csr_array) -> tuple[int, Indices]:
    """Return number and components of a graph, in order of appearance."""
    linked = affinity > LINK
    n_found, labels = connected_components(linked, directed=False)
    return n_found, labels.astype(np.intp)


def _state(
    affinity: sparse.csr_array,
    n_clusters: int,
    eigenvectors: Eigenvectors,
    before: Array | None,
) -> Consensus:
    found, components = n_components(affinity)
    if found == n_clusters:
        # The lowest eigenvectors of separate components, in closed form.
        size = np.bincount(components)
        F = (components[:, None] == np.arange(found)) / np.sqrt(size)
        return Consensus(affinity, components, F)
    if before is not None and found > n_clusters:
        return Consensus(affinity, components, before)
    both = (affinity + affinity.T) / 2.0
    degrees = both.sum(axis=1)
    # The lowest of L = D − W are the leading ones of the shifted c − L.
    shift = sparse.diags_array(degrees.max() - degrees)
    F = eigenvectors(sparse.csr_array(both + shift), n_clusters)
    return Consensus(affinity, components, F)


def _with_diagonal(matrix: sparse.csr_array) -> sparse.csr_array:
    """Store the diagonal, zeros included."""
    n = matrix.shape[0]
    kept = matrix.tocoo()
    here = np.arange(n)
    rows = np.concatenate([kept.row, here])
    columns = np.concatenate([kept.col, here])
    data = np.concatenate([kept.data, np.zeros(n)])
    return sparse.csr_array((data, (rows, columns)), shape=(n, n))


def _squared_distances(F: Array, rows: Numbers, columns: Numbers) -> Array:
    """Return ``|f_i − f_j|²`` of some pairs."""
    out = np.empty(len(rows))
    for part in blocks(len(rows), 24 * F.shape[1]):
        difference = F[rows[part]] - F[columns[part]]
        out[part] = np.einsum("ij,ij->i", difference, difference)
    return out
