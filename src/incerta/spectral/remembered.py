"""What a fit remembers, so that its embeddings can be extended to other objects."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from incerta.backend.device import CPU
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.models.checks import whole, wrong
from incerta.models.registry import stored
from incerta.spectral.affinity import Width
from incerta.spectral.consistency import Consistency
from incerta.spectral.embedding import multiply
from incerta.spectral.extension import Embedded, aligned, extend
from incerta.spectral.laplacians import Laplacians
from incerta.typing import Array
from incerta.worlds import Worlds
from incerta.worlds.sequence import check_worlds, paired


def _check(model: "Embeddings") -> None:
    check_worlds(model.worlds, model.common_target)
    if len(model.worlds) != len(model.targets):
        wrong("there is not one embedding per world")
    if model.n_neighbors is not None:
        whole(model.n_neighbors, 1, "n_neighbors")


@stored(
    _check,
    centres="f k e",
    targets="f w n e",
    common_target="f n e",
    scales="f w n",
    roots="f w n",
    weights="f n",
)
class Embeddings(NamedTuple):
    """The kept worlds, and what extends their embeddings to new objects."""

    worlds: Worlds
    centres: Array  # (n_clusters, k), of the cut
    targets: Array  # (n_kept, n_objects, k), to each world's own embedding
    common_target: Array  # (n_objects, k), to the common one
    scales: Array  # (n_kept, n_objects), of the kernels
    roots: Array  # (n_kept, n_objects), degree ** -0.5
    n_neighbors: int | None
    weights: Array | None = None  # (n_objects,), how many each one stands for


def remembered(
    worlds: Worlds, found: Consistency, laplacians: Laplacians, centres: Array
) -> Embeddings:
    """What predictions need."""
    # L U = U Λ, so a row of L times U Λ^-1 gives the row of U.
    targets = [
        (own / values) @ aligned(own, found.common)
        for values, own in zip(*found.alone, strict=True)
    ]
    # U* is nearly invariant under the mean Laplacian; what is left of it there takes
    # the place of the eigenvalues.
    images = (multiply(each, found.common) for each in laplacians)
    mean = sum(images) / len(worlds)
    return Embeddings(
        worlds,
        centres,
        np.array(targets),
        found.common @ np.linalg.pinv(found.common.T @ mean),
        np.array([laplacians.scales[j] for j in range(len(worlds))]),
        np.array([laplacians.roots[j] for j in range(len(worlds))]),
        laplacians.n_neighbors,
        laplacians.weights,
    )


def extensions(
    model: Embeddings,
    data: UncertainData,
    n_worlds: int,
    width: Width,
    *,
    common: bool,
    device: str = CPU,
) -> Iterator[Array]:
    """Embed new objects next to the objects of each kept world (Nyström).

    `model`: what is remembered. `data`: new objects. `n_worlds`: how many worlds to
    draw of them where the objects of the fit are exact. `width`: as for the affinity of
    the fit. `common`: whether the common embedding is extended, or each world's own.
    `device`: where objects are compared.

    Yields (n_new, k): one for each world.
    """
    pairs = paired(model.worlds, data, n_worlds)
    positions = followed(pairs.positions, "worlds")
    for j, values, new in zip(positions, pairs.fitted, pairs.new, strict=True):
        target = model.common_target if common else model.targets[j]
        known = values, model.scales[j], model.roots[j], target, model.weights
        yield extend(new, Embedded(*known), width, model.n_neighbors, device)
