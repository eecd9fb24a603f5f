"""The embedding of new values by that of a fit (Nyström)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sklearn.neighbors import NearestNeighbors

from incerta.backend.device import CPU, fetch, in_place, namespace, put
from incerta.backend.memory import blocks
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.models.checks import whole, wrong
from incerta.models.registry import stored
from incerta.spectral.affinity import TUNING_NEIGHBOR, Width, squared_distances
from incerta.spectral.consistency import Consistency
from incerta.spectral.embedding import multiply
from incerta.spectral.laplacians import Laplacians
from incerta.typing import Array
from incerta.worlds import Worlds
from incerta.worlds.sequence import check_worlds, paired

# Bytes of affinities at a time: to fit the second-level cache, and on a device.
BLOCK_BYTES, DEVICE_BYTES = 2**21, 2**30


@dataclass(frozen=True, kw_only=True)
class Embedded:
    """One world and the embedding of its objects."""

    values: Array  # (n_objects, n_features)
    scales: Array  # (n_objects,), kernel scales
    roots: Array  # (n_objects,), degree ** -0.5
    targets: Array  # (n_objects, k), the factors of rows of the Laplacian
    weights: Array | None = None  # (n_objects,), number of objects each one represents


def aligned(embedding: Array, common: Array) -> Array:
    """Return the rotation that best aligns an embedding with the common one."""
    left, _, right = np.linalg.svd(embedding.T @ common)
    return left @ right


def extend(
    new: Array,
    world: Embedded,
    width: Width,
    n_neighbors: int | None,
    device: str = CPU,
) -> Array:
    """Embed new values (n_new, n_features) among those of a world: (n_new, k).

    Only the `n_neighbors` nearest objects count, if given. With all objects and one
    scale, the work is done on the device in single precision.
    """
    if n_neighbors is None and width != "self-tuning":
        return _extend_by_all(new, world, device)
    n = len(world.values)
    out = np.empty((len(new), world.targets.shape[1]))
    for part in blocks(len(new), 16 * n):
        out[part] = _extend_block(new[part], world, width, n_neighbors)
    return out


def _extend_by_all(new: Array, world: Embedded, device: str) -> Array:
    """Extend by all objects of a world, with one scale.

    In units of the scale, the logarithm of an affinity is x·y - |y|²/2 plus a term that
    all objects share. The largest is subtracted as in `_affinities`.
    """
    (n, d), k = world.values.shape, world.targets.shape[1]
    center, scale = world.values.mean(axis=0), world.scales[0]
    columns, weights = np.ones((d + 1, n), np.float32), np.ones((n, k + 1), np.float32)
    columns[:d] = (world.values - center).T / scale
    columns[d] = -0.5 * np.square(columns[:d]).sum(axis=0)
    weights[:, :k] = world.roots[:, None] * world.targets
    if world.weights is not None:
        weights[:, k] = world.weights
    columns, weights = put(columns, device), put(weights, device)
    out = np.empty((len(new), k))
    for part in blocks(len(new), 4 * n, BLOCK_BYTES if device == CPU else DEVICE_BYTES):
        rows = np.ones((part.stop - part.start, d + 1), np.float32)
        rows[:, :d] = (new[part] - center) / scale
        logs = put(rows, device) @ columns
        logs -= namespace(logs).max(logs, axis=1, keepdims=True)
        sums = fetch(in_place("exp", logs) @ weights)
        out[part] = sums[:, :k] / np.sqrt(sums[:, k:])
    return out


def _extend_block(
    new: Array, world: Embedded, width: Width, n_neighbors: int | None
) -> Array:
    weighted, many = world.roots[:, None] * world.targets, world.weights
    if n_neighbors is None:
        squares = squared_distances(new, world.values)
        scales = _own_scales(squares, world, width)
        affinity = _affinities(squares, scales[:, None] * world.scales)
        degrees = affinity.sum(axis=1) if many is None else affinity @ many
        return (affinity @ weighted) / np.sqrt(degrees)[:, None]
    k = min(n_neighbors, len(world.values))
    search = NearestNeighbors(n_neighbors=k).fit(world.values)
    distances, near = search.kneighbors(new)
    squares = distances**2
    scales = _own_scales(squares, world, width)
    affinity = _affinities(squares, scales[:, None] * world.scales[near])
    sums = np.einsum("ij,ijk->ik", affinity, weighted[near])
    degrees = (affinity if many is None else affinity * many[near]).sum(axis=1)
    return sums / np.sqrt(degrees)[:, None]


def _affinities(squares: Array, scales: Array | float) -> Array:
    """Return the affinities, overwriting the squares."""
    logs = squares
    logs *= -0.5 / scales
    # The nearest object gets affinity 1, so that a value far from everything follows
    # its nearest object instead of vanishing.
    logs -= logs.max(axis=1, keepdims=True)
    return np.exp(logs, out=logs)


def _own_scales(squares: Array, world: Embedded, width: Width) -> Array:
    if width != "self-tuning":
        return np.full(len(squares), world.scales[0])
    k = min(TUNING_NEIGHBOR, squares.shape[1]) - 1
    own = np.sqrt(np.partition(squares, k, axis=1)[:, k] / 2.0)
    return np.where(own > 0.0, own, world.scales.min())


def _check(model: "Embeddings") -> None:
    check_worlds(model.worlds, model.common_target)
    if len(model.worlds) != len(model.targets):
        wrong("there is not one embedding per world")
    if model.n_neighbors is not None:
        whole(model.n_neighbors, 1, "n_neighbors")


@stored(
    _check,
    centers="f k e",
    targets="f w n e",
    common_target="f n e",
    scales="f w n",
    roots="f w n",
    weights="f n",
)
@dataclass(frozen=True, kw_only=True)
class Embeddings:
    """The kept worlds, with all that extends their embeddings to new objects."""

    worlds: Worlds
    centers: Array  # (n_clusters, k), of the cut
    targets: Array  # (n_kept, n_objects, k), to the embedding of each world
    common_target: Array  # (n_objects, k), to the common one
    scales: Array  # (n_kept, n_objects), of the kernels
    roots: Array  # (n_kept, n_objects), degree ** -0.5
    n_neighbors: int | None
    weights: Array | None = None  # (n_objects,), number of objects each one represents


def remembered(
    worlds: Worlds, found: Consistency, laplacians: Laplacians, centers: Array
) -> Embeddings:
    """Return the record from which predictions are made."""
    # L U = U Λ, so a row of L times U Λ^-1 gives the row of U.
    targets = [
        (own / values) @ aligned(own, found.common)
        for values, own in zip(*found.alone, strict=True)
    ]
    # U* is nearly invariant under the mean Laplacian, which replaces the eigenvalues.
    images = (multiply(each, found.common) for each in laplacians)
    mean = sum(images) / len(worlds)
    return Embeddings(
        worlds=worlds,
        centers=centers,
        targets=np.array(targets),
        common_target=found.common @ np.linalg.pinv(found.common.T @ mean),
        scales=np.array([laplacians.scales[j] for j in range(len(worlds))]),
        roots=np.array([laplacians.roots[j] for j in range(len(worlds))]),
        n_neighbors=laplacians.n_neighbors,
        weights=laplacians.weights,
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
    """Yield embeddings (n_new, k) of new objects, one per kept world (Nyström).

    They extend the common embedding, or that of each world. If the objects of the fit
    are exact, `n_worlds` worlds of the new objects are drawn.
    """
    pairs = paired(model.worlds, data, n_worlds)
    positions = followed(pairs.positions, "worlds")
    for j, values, new in zip(positions, pairs.fitted, pairs.new, strict=True):
        target = model.common_target if common else model.targets[j]
        known = Embedded(
            values=values,
            scales=model.scales[j],
            roots=model.roots[j],
            targets=target,
            weights=model.weights,
        )
        yield extend(new, known, width, model.n_neighbors, device)
