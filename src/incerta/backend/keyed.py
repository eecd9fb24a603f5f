"""Random numbers that are functions of what they are for.

A number is a hash of the sum of the keys of an object, a feature and a stream (a world
under a seed): any block of them can be had in any order, on any machine.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from incerta.backend.memory import blocks
from incerta.typing import Array

Keys = NDArray[np.uint64]

# 2**64 over the golden ratio, odd: multiples of it are far from each other.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
# Rounds of hashing: shift and fold, then multiply (variant 13 of D. Stafford's mixers).
_ROUNDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
# Bytes of the two buffers that numbers are made in; they stay in the cache.
_BUFFER_BYTES = 2**18
# Whole numbers up to here are floats too, one for one.
_WHOLE_FLOATS = 2.0**53


def mixed(keys: Keys) -> Keys:
    """Hash 64 bits to 64 bits, one for one."""
    out = keys.copy()
    _mix(out)
    return out


def keys_of(names: NDArray[Any]) -> Keys:
    """Hash names (n,) to keys, on every machine the same; 1.0 is the same as 1."""
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
    # Texts are filled up with zeros, which have no part in their keys.
    n_letters = (np.arange(1, letters.shape[1] + 1) * (letters > 0)).max(axis=1)
    keys = np.full(len(names), GOLDEN)
    for j, column in enumerate(letters.T):
        keys = np.where(j < n_letters, mixed(keys * GOLDEN + column), keys)
    return keys


@lru_cache(maxsize=64)
def keys_of_texts(names: tuple[str, ...]) -> Keys:
    """Hash a few texts, such as the names of features; not to be written to."""
    keys = keys_of(np.array(names, dtype=str))
    keys.flags.writeable = False
    return keys


@lru_cache(maxsize=64)
def seed_key(seed: int) -> np.uint64:
    """Key of a seed: any whole number that is not negative."""
    return np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]


def some_by_key(keys: Keys, most: int, seed: int) -> NDArray[np.intp]:
    """Rising positions of at most `most` keys, chosen by what they are."""
    if len(keys) <= most:
        return np.arange(len(keys))
    order = np.argpartition(mixed(keys + seed_key(seed)), most)
    return np.sort(order[:most])


def stream_keys(seed: int, purpose: int, numbers: NDArray[np.integer[Any]]) -> Keys:
    """Keys of numbered streams under a seed, such as worlds, for one purpose."""
    return mixed(_origin(seed, purpose) + numbers.astype(np.uint64) * GOLDEN)


@lru_cache(maxsize=64)
def _origin(seed: int, purpose: int) -> np.uint64:
    """Where the streams for one purpose begin."""
    return mixed(np.array([purpose], dtype=np.uint64) * GOLDEN + seed_key(seed))[0]


def uniforms(streams: Keys, keys: Keys) -> Array:
    """Numbers strictly between 0 and 1, by 2**-52: (n_streams, *keys.shape)."""
    out = np.empty((len(streams), keys.size))
    flat = keys.ravel()
    parts = list(blocks(keys.size, 16, _BUFFER_BYTES))
    # Of few keys several streams at once: a call costs more than what it does.
    for some in blocks(len(streams), 16 * keys.size, _BUFFER_BYTES):
        for part in parts:
            here = np.add.outer(streams[some], flat[part])
            _mix(here)
            here >>= np.uint64(12)
            # The middle of a cell: neither 0 nor 1, and as far from both.
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
    """Uniform numbers, as of `uniforms`, of streams that divide up the unit interval.

    Each entry visits each interval ``[i / n_strata, (i + 1) / n_strata)`` in exactly
    one stream, in an order of its own (Latin hypercube sampling). The orders have keys
    of the shape of `keys`; streams have numbers below `n_strata`.
    """
    u = uniforms(streams, keys)
    for some in blocks(len(numbers), 64 * orders.size, _BUFFER_BYTES):
        each = numbers[some].reshape(-1, *(1,) * orders.ndim)
        u[some] += keyed_permutation(each, n_strata, orders)
    u /= n_strata
    return np.clip(u, 2.0**-54, 1.0 - 2.0**-53, out=u)


def keyed_permutation(index: NDArray[np.integer[Any]], length: int, keys: Keys) -> Keys:
    """Where each key's own permutation of ``range(length)`` sends an index.

    Nothing is stored: invertible steps on the next power of two permute it, and what
    falls outside the range is sent on until it is inside.
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
