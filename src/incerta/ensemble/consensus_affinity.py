"""One affinity for all worlds, with as many components as there are clusters.

The rows of an affinity say how an object distributes its affinity over its neighbors.
The consensus is as near as possible to all worlds' (constrained Laplacian rank).
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

# Affinities below this are rounding, and hold nothing together.
LINK = 1e-10


class Consensus(NamedTuple):
    """State after one round."""

    affinity: sparse.csr_array  # S, rows sum to one
    components: Indices  # (n_objects,), of the graph of S + S', as they appear
    embedding: Array  # F, (n_objects, n_clusters), lowest eigenvectors of L_S

    @property
    def n_components(self) -> int:
        """Number of components."""
        return int(self.components.max()) + 1


# Sparse matrices have 32 bits where those do.
Numbers: TypeAlias = NDArray[np.integer[Any]]
# What finds the leading eigenvectors of a symmetric matrix, as (n_objects, k).
Eigenvectors = Callable[[sparse.csr_array, int], Array]


def adaptive_affinity(values: Array, n_neighbors: int) -> sparse.csr_array:
    """Affinity of the objects of one world (n, d) to their nearest neighbors.

    ``a_ij = (e_iq' − e_ij) / Σ_h (e_iq' − e_ih)`` with squared distances e and the
    first object q' that is no longer a neighbor. Rows sum to one; the diagonal is
    zero. Where there are not more than q + 1 others, there are fewer neighbors than q.
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
    """Neighbors of new or own objects in a world, and affinities, both (n, q)."""
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
    """Weighted sum of affinities, one after the other."""
    pairs = zip(affinities, weights, strict=True)
    return reduce(add, (affinity * weight for affinity, weight in pairs))


def agreement_weights(
    consensus: sparse.csr_array, affinities: Iterable[sparse.csr_array]
) -> Array:
    """Weights of worlds: one over their distance to the consensus, summing to one."""
    distances = np.array([sparse.linalg.norm(consensus - a) for a in affinities])
    nearest = distances.min()
    # One that coincides with the consensus would get all of the weight.
    weights = 1.0 / np.maximum(distances, max(LINK, 1e-6 * nearest))
    return weights / weights.sum()


def rank_constrained(
    mean: sparse.csr_array,
    n_clusters: int,
    eigenvectors: Eigenvectors,
    remix: Callable[[sparse.csr_array], sparse.csr_array] | None = None,
) -> Iterator[Consensus]:
    """Move an affinity until it has as many components as there are clusters.

    Minimizes ``|S − A|² + 2 λ tr(F' L_S F)`` over S with rows on the simplex and
    orthonormal F, by turns, with λ doubled while there are too few components and
    halved when there are too many. A is the mean affinity of the worlds; `remix` gives
    a new one after each round. States are yielded, first that of A; there is no end if
    none has `n_clusters`.

    S is sparse: objects share affinity with their neighbors in any world, and
    themselves, which connects nothing and lets them be a cluster alone. A round takes k
    eigenvectors, and a sort of each row.
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
    """Project rows, which begin at ``starts[i]``, onto the simplex: sum one."""
    out = np.empty_like(values)
    counts = np.diff(starts)
    for part in blocks(len(counts), 40 * int(counts.max())):
        length = counts[part]
        taken = np.arange(int(length.max())) < length[:, None]
        inside = slice(int(starts[part.start]), int(starts[part.stop]))
        rows = np.full(taken.shape, -np.inf)
        rows[taken] = values[inside]
        rows -= rows.max(axis=1, keepdims=True)
        # What lies more than 1 below the largest gets nothing; sums keep their digits.
        rows = np.maximum(rows, -1.0)
        falling = -np.sort(-rows, axis=1)
        over = np.cumsum(falling, axis=1) - 1.0
        ranks = np.arange(1, rows.shape[1] + 1)
        n_kept = (falling * ranks > over).sum(axis=1)
        level = over[np.arange(len(rows)), n_kept - 1] / n_kept
        out[inside] = np.maximum(rows - level[:, None], 0.0)[taken]
    return out


def votes(near: Indices, weights: Array, labels: Indices, n_clusters: int) -> Array:
    """Affinity of objects to each cluster: that of their neighbors in it, summed."""
    n = len(near)
    cells = np.arange(n)[:, None] * n_clusters + labels[near]
    sums = np.bincount(cells.ravel(), weights.ravel(), minlength=n * n_clusters)
    return np.asarray(sums.reshape(n, n_clusters), dtype=np.float64)


def n_components(affinity: sparse.csr_array) -> tuple[int, Indices]:
    """Components of the graph of an affinity, in order of appearance."""
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
    """``|f_i − f_j|²`` of some pairs."""
    out = np.empty(len(rows))
    for part in blocks(len(rows), 24 * F.shape[1]):
        difference = F[rows[part]] - F[columns[part]]
        out[part] = np.einsum("ij,ij->i", difference, difference)
    return out
