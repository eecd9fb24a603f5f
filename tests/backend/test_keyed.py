"""Random numbers by key: what is chosen, and the ends of the unit interval.

How random they look is tested with the worlds that are made from them.
"""

import itertools

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from incerta.backend import keyed
from incerta.backend.keyed import (
    keyed_permutation,
    keys_of,
    some_by_key,
    stratified_uniforms,
    stream_keys,
    uniforms,
)

NAMES = np.array([f"object {i}" for i in range(200)])


@given(st.integers(0, 9999), st.integers(1, 250) | st.just(len(NAMES)))
@example(0, len(NAMES))
def test_some_are_chosen_by_what_they_are(seed, most):
    order = np.random.default_rng(seed).permutation(len(NAMES))
    one = NAMES[some_by_key(keys_of(NAMES), most, seed)]
    other = NAMES[order][some_by_key(keys_of(NAMES[order]), most, seed)]
    assert len(one) == min(most, len(NAMES))
    assert set(one) == set(other)


def test_other_seeds_choose_others_and_all_alike():
    keys = keys_of(NAMES)
    chosen = np.array([some_by_key(keys, 50, seed) for seed in range(400)])
    assert (np.diff(chosen, axis=1) > 0).all()
    counts = np.bincount(chosen.ravel(), minlength=len(NAMES))
    # Each is chosen a quarter of the time: 100 times, give or take 5 deviations.
    assert np.abs(counts - 100).max() < 5 * np.sqrt(400 * 0.25 * 0.75)


def test_purposes_and_seeds_have_streams_of_their_own():
    numbers = np.arange(100)
    every = [stream_keys(seed, p, numbers) for seed in (0, 1) for p in (0, 1, 2)]
    assert len(np.unique(every)) == 600


def test_numbers_of_any_size_have_keys_of_their_own():
    large = np.array([1e17, 2e17, 1e300, 2e300, -1e300, 2.0**53, 2.0**54, 0.5, 0.0])
    assert len(np.unique(keys_of(large))) == len(large)


def test_a_text_has_its_key_whatever_stands_beside_it():
    alone = [keys_of(np.array([name]))[0] for name in ("a", "ab", "")]
    assert keys_of(np.array(["a", "ab", "", "much longer"]))[:3].tolist() == alone


def test_neither_end_of_the_interval_is_reached():
    # The hash of 0 is 0, which is in the first cell.
    first = uniforms(np.zeros(1, np.uint64), np.zeros(1, np.uint64))
    assert first.item() == 2.0**-53


@pytest.mark.parametrize("n_strata", [1, 3, 1000])
def test_nor_by_the_first_and_last_stratum(n_strata, monkeypatch):
    keys = np.arange(4, dtype=np.uint64)
    for end in (2.0**-53, 1.0 - 2.0**-53):
        monkeypatch.setattr(
            keyed, "uniforms", lambda *_, u=end: np.full((n_strata, 4), u)
        )
        numbers = np.arange(n_strata)
        found = stratified_uniforms(keys[:0], keys, keys, numbers, n_strata)
        assert found.min() > 0.0
        assert found.max() < 1.0


@pytest.mark.parametrize("length", [1, 2, 3, 5, 12])
def test_permutations_stay_in_their_range(length):
    keys = keys_of(np.arange(300))
    images = keyed_permutation(np.arange(length)[:, None], length, keys)
    np.testing.assert_array_equal(
        np.sort(images, axis=0), np.arange(length)[:, None] * np.ones((1, 300))
    )


@pytest.mark.parametrize("n_bytes", [1, 100, 2**18])
def test_blocks_have_the_numbers_that_each_has_alone(n_bytes, monkeypatch):
    monkeypatch.setattr(keyed, "_BUFFER_BYTES", n_bytes)
    numbers = np.arange(6)
    streams, orders = stream_keys(0, 0, numbers), keys_of(np.arange(9, 17))
    keys, orders = keys_of(np.arange(8)).reshape(4, 2), orders.reshape(4, 2)
    plain = uniforms(streams, keys)
    in_strata = stratified_uniforms(streams, keys, orders, numbers, 7)
    for i, place in itertools.product(numbers, np.ndindex(4, 2)):
        one, key, order = streams[[i]], keys[place][None], orders[place][None]
        assert plain[i][place] == uniforms(one, key)
        alone = stratified_uniforms(one, key, order, numbers[[i]], 7)
        assert in_strata[i][place] == alone
