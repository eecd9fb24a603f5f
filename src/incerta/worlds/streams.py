"""The random numbers of a world, by seed, world, object and feature."""

import numpy as np
from sklearn.utils import check_random_state

from incerta.backend import keyed
from incerta.backend.keyed import Keys, stream_keys
from incerta.typing import Array, Indices, Seed

# Purposes of streams.
_VALUES, _STRATA = 0, 1


def as_seed(random_state: Seed) -> int:
    """Turn a `random_state` into a seed; None gives a fresh one."""
    if random_state is None:
        # 32 bits, so that scikit-learn accepts it as a random_state.
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            msg = f"random_state={random_state} must not be negative."
            raise ValueError(msg)
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    return int(check_random_state(random_state).randint(2**31 - 1))


def uniforms(seed: int, worlds: Indices, keys: Keys) -> Array:
    """Return uniform numbers strictly between 0 and 1: (world, object, number)."""
    return keyed.uniforms(stream_keys(seed, _VALUES, worlds), keys)


def stratified_uniforms(seed: int, worlds: Indices, n_worlds: int, keys: Keys) -> Array:
    """Return uniform numbers of some worlds, one per stratum of `n_worlds` strata."""
    orders = keyed.mixed(keys + stream_keys(seed, _STRATA, np.zeros(1, np.intp)))
    streams = stream_keys(seed, _VALUES, worlds)
    return keyed.stratified_uniforms(streams, keys, orders, worlds, n_worlds)
