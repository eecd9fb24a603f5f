"""The memory of the machine, and work in blocks that fit into it."""

import math
import os
from collections.abc import Iterator

import numpy as np

from incerta.typing import Array

BLOCK_BYTES = 64 * 2**20
CACHE_BYTES = 2**18  # several arrays of this size fit into the cache of one core


def physical_bytes() -> int:
    """Return the memory of this machine in bytes, or 8 GiB if it is not available."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 8 * 2**30


def check_fits(n_bytes: float, what: str, way_out: str) -> None:
    """Raise MemoryError if the work ahead needs more memory than the machine has.

    `what` is the plural subject of the message; `way_out` is a full sentence.
    """
    if n_bytes > (limit := physical_bytes()):
        needed, there = (f"{size / 2**30:,.3g} GiB" for size in (n_bytes, limit))
        msg = f"{what} need {needed}, and this machine has {there}. {way_out}"
        raise MemoryError(msg)


def blocks(
    n_items: int, item_bytes: float, limit: int = BLOCK_BYTES
) -> Iterator[slice]:
    """Cut ``range(n_items)`` into slices of about `limit` bytes each."""
    step = max(1, int(limit // max(item_bytes, 1)))
    for start in range(0, n_items, step):
        yield slice(start, min(start + step, n_items))


class Scratch:
    """Named arrays that reuse their memory, which is cheaper than allocating it."""

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> Array:
        """Return an uninitialized array."""
        size = math.prod(shape)
        memory = self._arrays.get(name)
        if memory is None or memory.size < size:
            memory = self._arrays[name] = np.empty(size)
        return memory[:size].reshape(shape)
