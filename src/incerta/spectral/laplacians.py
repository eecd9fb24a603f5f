"""The Laplacians of many worlds, held in bounded memory."""

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from incerta.backend.device import CPU, fetch, namespace, put
from incerta.spectral.affinity import (
    Matrix,
    Width,
    dense_affinity,
    inverse_root,
    kernel_scales,
    normalize_in_place,
    sparse_affinity,
)
from incerta.spectral.embedding import multiply
from incerta.typing import Array
from incerta.worlds import Worlds

# Up to 5000 objects (200 MB) all pairs are used, above a graph of nearest neighbors.
DENSE_OBJECTS = 5000
GRAPH_NEIGHBORS = 15
# Laplacians are kept if all of them fit into 512 MiB, else recomputed on each use.
KEPT_BYTES = 512 * 2**20


class Laplacians(Sequence[Any]):
    """Normalized Laplacians of worlds, computed on access.

    Parameters
    ----------
    worlds : Worlds
        The worlds.
    width, width_scale
        See `gaussian_affinity`.
    n_neighbors : int, "auto" or None, default="auto"
        See `gaussian_affinity`. "auto" keeps all pairs for up to 5000 objects and 15
        neighbors of each for more.
    device : str, default="cpu"
        Device that computes and holds matrices of all pairs: "cpu" or one of torch.
    weights : ndarray of shape (n_objects,), optional
        Number of objects that each one represents; equal by default.

    Notes
    -----
    With weights w they are ``D^(-1/2) √w W √w D^(-1/2)``, where ``D = diag(W w)``. If
    the objects represented by one object coincide, an eigenvector v has the entry
    ``v/√w`` at each of them.

    Sparse Laplacians are kept. Dense ones are kept if all of them take at most 512 MB,
    and are otherwise recomputed on each access. No array of all pairs times worlds is
    ever formed.
    """

    def __init__(
        self,
        worlds: Worlds,
        width: Width = "median",
        width_scale: float = 1.0,
        n_neighbors: "int | str | None" = "auto",
        device: str = CPU,
        weights: Array | None = None,
    ) -> None:
        n_worlds, n_objects, _ = worlds.shape
        if n_neighbors == "auto":
            n_neighbors = None if n_objects <= DENSE_OBJECTS else GRAPH_NEIGHBORS
        self.worlds, self.width, self.width_scale = worlds, width, width_scale
        self.device, self.weights = device, weights
        self.n_neighbors = None if n_neighbors is None else int(n_neighbors)
        fits = 8 * n_worlds * n_objects**2 <= KEPT_BYTES
        self._keep = fits or self.n_neighbors is not None
        self._kept: dict[int, Matrix] = {}
        self.scales: dict[int, Array] = {}  # kernel scales of each world's values
        self.roots: dict[int, Array] = {}  # degree ** -0.5 of each world's objects

    def __len__(self) -> int:
        return len(self.worlds)

    @overload
    def __getitem__(self, j: int) -> Matrix: ...
    @overload
    def __getitem__(self, j: slice) -> "Laplacians": ...
    def __getitem__(self, j: int | slice) -> "Matrix | Laplacians":
        """Return the Laplacian of world `j`."""
        if isinstance(j, slice):
            how = self.width, self.width_scale, self.n_neighbors, self.device
            return Laplacians(self.worlds[j], *how, self.weights)
        if j in self._kept:
            return self._kept[j]
        values = self.worlds[j]
        if j not in self.scales:
            how_wide: Any = self.width, self.width_scale, self.weights
            self.scales[j] = kernel_scales(values, *how_wide)
        affinity: Any
        if self.n_neighbors is None:
            here = (put(x, self.device) for x in (values, self.scales[j]))
            affinity = dense_affinity(*here)
        else:
            affinity = sparse_affinity(values, self.scales[j], self.n_neighbors)
        self.roots[j] = self._root(affinity)
        laplacian = normalize_in_place(affinity, self.roots[j])
        if self._keep:
            self._kept[j] = laplacian
        return laplacian

    def _root(self, affinity: Any) -> Array:
        """Return the factors of rows and columns."""
        if self.weights is not None:
            degrees = multiply(affinity, self.weights[:, None]).ravel()
            return inverse_root(degrees) * np.sqrt(self.weights)
        if self.n_neighbors is None:
            return inverse_root(fetch(namespace(affinity).sum(affinity, axis=1)))
        return inverse_root(np.asarray(affinity.sum(axis=1), dtype=float).ravel())
