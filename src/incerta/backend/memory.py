"""How much memory there is, and how to stay within a part of it."""

import math
import os
from collections.abc import Iterator

import numpy as np

from incerta.typing import Array

BLOCK_BYTES = 64 * 2**20
CACHE_BYTES = 2**18  # several arrays of this size fit into the cache of a core


def physical_bytes() -> int:
    """Memory of this machine in bytes; 8 GiB if the system does not say."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return 8 * 2**30


def check_fits(n_bytes: float, what: str, way_out: str) -> None:
    """Refuse work that would need more memory than the machine has, before it begins.

    `what` is the subject of a sentence in the plural, `way_out` a sentence.
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
    """Arrays by name, whose memory is used again: fresh memory costs more."""

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> Array:
        """An array with anything in it."""
        size = math.prod(shape)
        memory = self._arrays.get(name)
        if memory is None or memory.size < size:
            memory = self._arrays[name] = np.empty(size)
        return memory[:size].reshape(shape)
