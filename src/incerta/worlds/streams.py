"""Random numbers determined by seed, world, object and feature."""

import numpy as np
from sklearn.utils import check_random_state

from incerta.backend import keyed
from incerta.backend.keyed import Keys, stream_keys
from incerta.typing import Array, Indices, Seed
from incerta.wording import given

# Numbers that separate the streams of different purposes.
_VALUES, _STRATA = 0, 1
# scikit-learn accepts seeds from 0 to one less than this.
MOST_SEEDS = 2**32


def as_seed(random_state: Seed) -> int:
    """Convert a `random_state` to a seed; None gives a new one each time."""
    if random_state is None:
        # 32 bits, so that scikit-learn accepts the seed as a random_state.
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, (int, np.integer)):
        if random_state < 0:
            msg = f"random_state={random_state} must not be negative."
            raise ValueError(msg)
        return int(random_state)
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**32))
    try:
        return int(check_random_state(random_state).randint(2**31 - 1))
    except ValueError as error:
        name = given(random_state=random_state)
        msg = f"{name} must be a whole number, None, or a generator of numpy."
        raise ValueError(msg) from error


def checked_seed(random_state: Seed) -> int:
    """Convert a `random_state` to a seed that scikit-learn accepts, too."""
    seed = random_state
    if isinstance(seed, (int, np.integer)) and not 0 <= seed < MOST_SEEDS:
        name = given(random_state=seed)
        msg = f"{name} must be a whole number from 0 to {MOST_SEEDS - 1}."
        raise ValueError(msg)
    return as_seed(seed)


def uniforms(seed: int, worlds: Indices, keys: Keys) -> Array:
    """Return uniform numbers in the open interval (0, 1): (world, object, number)."""
    return keyed.uniforms(stream_keys(seed, _VALUES, worlds), keys)


def stratified_uniforms(seed: int, worlds: Indices, n_worlds: int, keys: Keys) -> Array:
    """Return uniform numbers of some worlds, stratified over all `n_worlds`."""
    orders = keyed.mixed(keys + stream_keys(seed, _STRATA, np.zeros(1, np.intp)))
    streams = stream_keys(seed, _VALUES, worlds)
    return keyed.stratified_uniforms(streams, keys, orders, worlds, n_worlds)
