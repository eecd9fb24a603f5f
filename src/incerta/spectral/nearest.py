"""Which of some values are nearest to others, of which there may be very many."""

from math import inf
from typing import Any

import numpy as np

from incerta.backend.device import CPU, fetch, namespace, put, put_beside
from incerta.backend.memory import blocks
from incerta.spectral.affinity import neighbours_of, squared_distances
from incerta.typing import Array, Indices

# Squared distances at a time, on a device.
DEVICE_BYTES = 2**28


def nearest_of(new: Array, values: Array, k: int, device: str = CPU) -> Indices:
    """The nearest values of others.

    `new` (n_new, n_features): whose neighbours are looked for. `values` (n_values,
    n_features): among which they are. `k`: how many. `device`: where all pairs are
    compared. On the CPU a tree may save most of them.

    Returns (n_new, k): positions among the values, the nearest first.
    """
    if device == CPU:
        found: Indices = neighbours_of(values, k).kneighbors(new, return_distance=False)
        return found
    centre = values.mean(axis=0)  # digits are lost by products far from 0
    there = put(values - centre, device)
    out = np.empty((len(new), k), dtype=np.intp)
    for part in blocks(len(new), 8 * len(values), DEVICE_BYTES):
        squares = squared_distances(put(new[part] - centre, device), there)
        out[part] = fetch(_lowest(squares, k))
    return out


def _lowest(table: Any, k: int) -> Any:
    """Where the lowest numbers of each row are; ties to the first."""
    xp = namespace(table)
    columns = put_beside(np.arange(table.shape[1]), table)
    found = []
    for _ in range(k):
        found.append(xp.argmin(table, axis=1, keepdims=True))
        table = xp.where(columns == found[-1], inf, table)
    return xp.concat(found, axis=1)
