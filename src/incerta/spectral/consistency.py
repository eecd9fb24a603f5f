"""Consistency learning: one embedding that all worlds agree with (Eqs. 11 to 15)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from incerta.backend.progress import track
from incerta.convergence import warn_unfinished
from incerta.exceptions import DataError
from incerta.spectral.embedding import complement, leading_eigenvectors, multiply, ritz
from incerta.spectral.laplacians import Laplacians
from incerta.typing import Array
from incerta.worlds import Worlds

MOST_CLUSTERS = 10  # the largest number that the eigengap may choose
INNER_TOL = 1e-8
INNER_STEPS = 50


class Sweep(NamedTuple):
    """State after one round: first U*, then every U(j) from that U*."""

    common: Array  # U*, (n_objects, k)
    per_world: Array  # U(1) ... U(R), (n_worlds, n_objects, k)
    objective: float  # Eq. 11; never falls from one sweep to the next


class Alone(NamedTuple):
    """Leading eigenvectors of each world on its own, before any agreement."""

    eigenvalues: Array  # (n_worlds, k), largest first
    embeddings: Array  # (n_worlds, n_objects, k)


@dataclass(frozen=True, kw_only=True)
class Consistency:
    """The result of consistency learning."""

    common: Array  # U*, (n_objects, n_clusters)
    per_world: Array  # U(1) ... U(R), (n_worlds, n_objects, n_clusters)
    objective: list[float]  # Eq. 11 after each sweep
    alone: Alone  # where the U(j) started from


def consistency(
    laplacians: Sequence[Any],
    n_clusters: int,
    *,
    weight: float = 1.0,
    tol: float = 1e-6,
    max_iter: int = 200,
) -> Consistency:
    """Embed the objects so that all worlds agree as well as they can.

    Maximize ``Σ_j tr(U(j)' L(j) U(j)) + weight |U(j)' U*|²`` over orthonormal U(j)
    and U* (Eq. 11). The steps alternate: U* from all U(j), then each U(j) from its
    Laplacian and U*.

    Parameters
    ----------
    laplacians : sequence of arrays or sparse arrays of shape (n_objects, n_objects)
        One per world, from `normalized_laplacian`. They are requested one at a time, so
        a lazy sequence such as `Laplacians` need not hold them all.
    n_clusters : int
        Dimension of the embedding.
    weight : float, default=1.0
        Weight of the agreement relative to the structure of each world. 0 gives the
        mean of the separate embeddings, as a subspace.
    tol : float, default=1e-6
        Stop when the relative gain of the objective falls below this.
    max_iter : int, default=200
        Maximum number of sweeps.

    Returns
    -------
    Consistency
        ``common`` is U*, computed from the last U(j); ``per_world`` has the U(j);
        ``objective`` has the value after each sweep; ``alone`` has the embeddings of
        the separate worlds.

    Notes
    -----
    Neither ``L + U* U*'`` nor ``Σ U U'`` is formed: U* holds the leading left singular
    vectors of all U(j) side by side, and each U(j) is updated from its previous value.
    A sweep costs a few products of each Laplacian with k vectors. Most data need two to
    five sweeps.

    Embeddings are unique up to a rotation: compare subspaces, not columns.

    References
    ----------
    .. [1] H. Liu et al., IJCAI 2019, Eqs. 11 to 15.
    .. [2] A. Kumar, P. Rai, H. Daumé III, "Co-regularized Multi-view Spectral
       Clustering", NIPS 2011: the same objective with worlds in place of views.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.spectral import consistency
    >>> block = np.kron(np.eye(2), np.full((2, 2), 0.5))
    >>> found = consistency([block, block], n_clusters=2)
    >>> abs(found.common @ found.common.T).round(6).tolist() == block.tolist()
    True
    """
    if len(laplacians) == 0:
        msg = "laplacians is empty; give one per world."
        raise DataError(msg)
    alone = embeddings_alone(laplacians, n_clusters)
    history: list[float] = []
    for last in consistency_sweeps(laplacians, alone, weight):
        history.append(last.objective)
        if history[1:] and history[-1] - history[-2] <= tol * abs(history[-2]):
            break
        if len(history) >= max_iter:
            warn_unfinished(tol, max_iter)
            break
    return Consistency(
        common=common_embedding(last.per_world),
        per_world=last.per_world,
        objective=history,
        alone=alone,
    )


def embeddings_alone(laplacians: Sequence[Any], k: int) -> Alone:
    """Embed every world separately."""
    steps = track(len(laplacians), "embedding")
    found = []
    for laplacian in laplacians:
        found.append(leading_eigenvectors(laplacian, k, tol=INNER_TOL))
        next(steps)
    return Alone(np.stack([v for v, _ in found]), np.stack([u for _, u in found]))


def consistency_sweeps(
    laplacians: Sequence[Any], alone: Alone, weight: float = 1.0
) -> Iterator[Sweep]:
    """Yield the state after each sweep, which alternates Eqs. 13 and 15."""
    n_worlds = len(laplacians)
    per_world = alone.embeddings.copy()
    # L(j) U(j) is kept to avoid a second product.
    images = per_world * alone.eigenvalues[:, None, :]
    while True:
        common = common_embedding(per_world)
        steps = track(n_worlds, "consistency")
        for j in range(n_worlds):
            per_world[j], images[j] = pulled_eigenvectors(
                laplacians[j], per_world[j], images[j], common, weight
            )
            next(steps)
        own = np.einsum("jnk,jnk->", per_world, images)
        agreement = np.square(np.swapaxes(per_world, 1, 2) @ common).sum()
        yield Sweep(common, per_world.copy(), float(own + weight * agreement))


def common_embedding(per_world: Array) -> Array:
    """Return U*, the leading eigenvectors of Σ U(j) U(j)' (Eq. 13)."""
    n_worlds, n, k = per_world.shape
    side_by_side = np.moveaxis(per_world, 0, 1).reshape(n, n_worlds * k)
    values, vectors = np.linalg.eigh(side_by_side.T @ side_by_side)
    # The leading k values are at least 1: a single U(j) already has k unit columns.
    return side_by_side @ (vectors[:, -k:][:, ::-1] / np.sqrt(values[-k:][::-1]))


def pulled_eigenvectors(
    laplacian: Any, own: Array, image: Array, common: Array, weight: float
) -> tuple[Array, Array]:
    """Return eigenvectors of ``L + weight U* U*'`` (Eq. 15) and their images by L."""

    def times(block: Array) -> Array:
        return multiply(laplacian, block) + weight * (common @ (common.T @ block))

    new = complement(common, own)
    basis = np.hstack([own, new])
    start = image + weight * (common @ (common.T @ own))
    start = np.hstack([start, times(new)]) if new.shape[1] else start
    k = own.shape[1]
    _, vectors, images = ritz(times, basis, start, k, INNER_TOL, INNER_STEPS)
    return vectors, images - weight * (common @ (common.T @ vectors))


def common_eigenvalues(laplacians: Laplacians, k: int) -> Array:
    """Return the eigenvalues of the mean Laplacian, k × k, in the common space."""
    common = common_embedding(embeddings_alone(laplacians, k).embeddings)
    mean = np.zeros((k, k))
    for laplacian in laplacians:
        mean += common.T @ multiply(laplacian, common) / len(laplacians)
    return np.flip(np.linalg.eigvalsh((mean + mean.T) / 2)).astype(np.float64)


def n_clusters_by_eigengap(worlds: Worlds, n_neighbors: "int | str | None") -> int:
    """Return the number of clusters before the largest gap of `common_eigenvalues`.

    It lies between 2 and 10. With k well-separated clusters, the leading k eigenvalues
    are near 1 and the next one is not. The affinity is self-tuning whatever the fit
    uses, as with the median width the first gap hides all others. Overlapping clusters
    leave no clear gap, and even a single cluster shows one, so this is only a hint.
    """
    n_objects = worlds.shape[1]
    if n_objects <= 2:
        return n_objects
    laplacians = Laplacians(worlds, "self-tuning", n_neighbors=n_neighbors)
    values = common_eigenvalues(laplacians, min(MOST_CLUSTERS + 1, n_objects))
    gaps = values[:-1] - values[1:]
    return 2 + int(gaps[1:].argmax())
