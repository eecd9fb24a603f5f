"""Counter-based random numbers: any world's numbers, without the others'.

A stream is named by (seed, world), so nothing depends on the order in which worlds
are asked for, nor on threads or processes.
"""

from functools import lru_cache

import numpy as np
from sklearn.utils import check_random_state

from incerta.typing import Array, Seed

# Philox counters are four 64-bit words. The last holds the world, the one before
# it the purpose; a stream would need 2**128 numbers to run into another.
_VALUES, _STRATA = 0, 1


def as_seed(random_state: Seed) -> int:
    """Turn whatever was given as `random_state` into a number to draw from.

    None gives a fresh one; generators give one by drawing from them.
    """
    if random_state is None:
        # 32 bits, so that scikit-learn takes it for a random_state, too.
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            msg = f"random_state={random_state} must not be negative."
            raise ValueError(msg)
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    return int(check_random_state(random_state).randint(2**31 - 1))


def uniforms(seed: int, world: int, shape: tuple[int, ...]) -> Array:
    """Uniform numbers of one world, strictly between 0 and 1."""
    u = _generator(seed, _VALUES, world).random(shape)
    # random() may return 0, whose quantile can be infinite; 2**-54 lies below every
    # other number it returns.
    u[u == 0.0] = 2.0**-54
    return u


def stratified_uniforms(
    seed: int, world: int, n_worlds: int, shape: tuple[int, ...]
) -> Array:
    """Uniform numbers of one of `n_worlds` worlds that share out the unit interval.

    Each entry visits each interval ``[i / n_worlds, (i + 1) / n_worlds)`` in exactly
    one world, in an order of its own (Latin hypercube sampling).
    """
    keys = _generator(seed, _STRATA, 0).integers(2**63, size=shape, dtype=np.uint64)
    strata = keyed_permutation(world, n_worlds, keys)
    u = (strata + uniforms(seed, world, shape)) / n_worlds
    return np.clip(u, 2.0**-54, 1.0 - 2.0**-53)


def keyed_permutation(
    index: int, length: int, keys: "np.ndarray[tuple[int, ...], np.dtype[np.uint64]]"
) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint64]]":
    """Where each key's own permutation of ``range(length)`` sends `index`.

    Nothing of the permutations is stored. Rounds of invertible steps on the next
    power of two (add a key, multiply by an odd number, fold high bits into low
    ones) permute it; what falls outside the range is sent on until it is inside.
    """
    bits = max(int(length - 1).bit_length(), 1)
    mask = np.uint64(2**bits - 1)
    fold = np.uint64(max(bits // 2, 1))
    place = np.full(keys.shape, index, dtype=np.uint64)
    outside = np.ones(keys.shape, dtype=bool)
    while outside.any():
        x, key = place[outside], keys[outside].copy()
        for _ in range(4):
            x = (x + key) & mask
            x = (x * (key >> np.uint64(31) | np.uint64(1))) & mask
            x ^= x >> fold
            key = _mixed(key)
        place[outside] = x
        outside[outside] = x >= length
    return place


def _mixed(
    key: "np.ndarray[tuple[int, ...], np.dtype[np.uint64]]",
) -> "np.ndarray[tuple[int, ...], np.dtype[np.uint64]]":
    """Hash 64 bits: fold, multiply by an odd constant (2**64 over the golden ratio)."""
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(29))


@lru_cache(maxsize=64)
def _key(seed: int) -> tuple[int, int]:
    low, high = np.random.SeedSequence(seed).generate_state(2, np.uint64).tolist()
    return low, high


def _generator(seed: int, purpose: int, world: int) -> np.random.Generator:
    counter = np.array([0, 0, purpose, world], dtype=np.uint64)
    key = np.array(_key(seed), dtype=np.uint64)
    return np.random.Generator(np.random.Philox(key=key, counter=counter))
