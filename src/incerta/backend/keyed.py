"""Random numbers that are functions of keys.

Each number is a hash of the sum of the keys of an object, a feature and a stream (such
as a world for a seed). Any block can be drawn in any order, on any machine.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incerta.backend.memory import blocks
from incerta.typing import Array

Keys = NDArray[np.uint64]

# 2**64 divided by the golden ratio, as an odd number: its multiples are far apart.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# Rounds of hashing: shift and XOR, then multiply (variant 13 of D. Stafford's mixers).
_ROUNDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
# Size of the two working buffers together, in bytes: small enough for the cache.
_BUFFER_BYTES = 2**18
# Floats represent all integers up to this one exactly.
_WHOLE_FLOATS = 2.0**53


def mixed(keys: Keys) -> Keys:
    """Hash 64 bits to 64 bits, one to one."""
    out = keys.copy()
    _mix(out)
    return out


def keys_of(names: NDArray[Any]) -> Keys:
    """Hash names (n,) to keys, the same on every machine and for 1.0 and 1."""
    kind = names.dtype.kind
    if kind in "iub":
        return mixed(names.astype(np.uint64) * GOLDEN + GOLDEN)
    if kind == "f":
        names = names.astype(np.float64)
        is_whole = (np.trunc(names) == names) & (np.abs(names) <= _WHOLE_FLOATS)
        whole = np.where(is_whole, names, 0.0).astype(np.int64)
        return np.where(is_whole, keys_of(whole), mixed(names.view(np.uint64)))
    if kind not in "US":
        names = names.astype(str)
    wide = names.astype(names.dtype.newbyteorder("="))
    letters: NDArray[Any] = wide.view(np.uint8 if kind == "S" else np.uint32)
    letters = letters.reshape(len(names), -1)
    # Strings are padded with zeros, which must not affect their keys.
    n_letters = (np.arange(1, letters.shape[1] + 1) * (letters > 0)).max(axis=1)
    keys = np.full(len(names), GOLDEN)
    for j, column in enumerate(letters.T):
        keys = np.where(j < n_letters, mixed(keys * GOLDEN + column), keys)
    return keys


@lru_cache(maxsize=64)
def keys_of_texts(names: tuple[str, ...]) -> Keys:
    """Hash a few strings, such as the names of features, to a read-only array."""
    keys = keys_of(np.array(names, dtype=str))
    keys.flags.writeable = False
    return keys


@lru_cache(maxsize=64)
def seed_key(seed: int) -> np.uint64:
    """Return the key of a seed, which may be any nonnegative integer."""
    return np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]


def some_by_key(keys: Keys, most: int, seed: int) -> NDArray[np.intp]:
    """Choose at most `most` keys by their values; return sorted positions."""
    if len(keys) <= most:
        return np.arange(len(keys))
    order = np.argpartition(mixed(keys + seed_key(seed)), most)
    return np.sort(order[:most])


def stream_keys(seed: int, purpose: int, numbers: NDArray[np.integer[Any]]) -> Keys:
    """Return the keys of numbered streams, such as worlds, for a seed and a purpose."""
    return mixed(_origin(seed, purpose) + numbers.astype(np.uint64) * GOLDEN)


@lru_cache(maxsize=64)
def _origin(seed: int, purpose: int) -> np.uint64:
    """Return the key at which the streams for a purpose begin."""
    return mixed(np.array([purpose], dtype=np.uint64) * GOLDEN + seed_key(seed))[0]


def uniforms(streams: Keys, keys: Keys) -> Array:
    """Draw odd multiples of 2**-53 between 0 and 1: (n_streams, *keys.shape)."""
    out = np.empty((len(streams), keys.size))
    flat = keys.ravel()
    parts = list(blocks(keys.size, 16, _BUFFER_BYTES))
    # With few keys, do several streams at once: the calls cost more than the work.
    for some in blocks(len(streams), 16 * keys.size, _BUFFER_BYTES):
        for part in parts:
            here = np.add.outer(streams[some], flat[part])
            _mix(here)
            here >>= np.uint64(12)
            # The midpoint of a cell: never 0 or 1, and symmetric between them.
            np.multiply(here, 2.0**-52, out=out[some, part])
            out[some, part] += 2.0**-53
    return out.reshape(len(streams), *keys.shape)


def stratified_uniforms(
    streams: Keys,
    keys: Keys,
    orders: Keys,
    numbers: NDArray[np.integer[Any]],
    n_strata: int,
) -> Array:
    """Draw uniform numbers, as `uniforms` does, with one stream in each stratum.

    Each entry falls into each interval ``[i / n_strata, (i + 1) / n_strata)`` in
    exactly one stream, in an order given by its key in `orders` (Latin hypercube
    sampling). `orders` has the shape of `keys`; `numbers` are below `n_strata`.
    """
    u = uniforms(streams, keys)
    for some in blocks(len(numbers), 64 * orders.size, _BUFFER_BYTES):
        each = numbers[some].reshape(-1, *(1,) * orders.ndim)
        u[some] += keyed_permutation(each, n_strata, orders)
    u /= n_strata
    return np.minimum(u, 1.0 - 2.0**-53, out=u)


def keyed_permutation(index: NDArray[np.integer[Any]], length: int, keys: Keys) -> Keys:
    """Map an index by the permutation of ``range(length)`` that each key defines.

    Nothing is stored. Invertible steps permute the range up to the next power of two;
    an index that lands outside ``range(length)`` is mapped again until it is inside.
    """
    bits = max(int(length - 1).bit_length(), 1)
    mask = np.uint64(2**bits - 1)
    fold = np.uint64(max(bits // 2, 1))
    places, keys = np.broadcast_arrays(index.astype(np.uint64), keys)
    place = places.copy()
    outside = np.ones(place.shape, dtype=bool)
    while outside.any():
        x, key = place[outside], keys[outside]
        for _ in range(4):
            x = (x + key) & mask
            x = (x * (key >> np.uint64(31) | np.uint64(1))) & mask
            x ^= x >> fold
            key = mixed(key)
        place[outside] = x
        outside[outside] = x >= length
    return place


def _mix(x: Keys) -> None:
    """Hash in place."""
    spare = np.empty_like(x)
    for shift, factor in _ROUNDS:
        np.right_shift(x, np.uint64(shift), out=spare)
        np.bitwise_xor(x, spare, out=x)
        np.multiply(x, np.uint64(factor), out=x)
    np.right_shift(x, np.uint64(31), out=spare)
    np.bitwise_xor(x, spare, out=x)
