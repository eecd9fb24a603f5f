"""Random numbers by key: what is chosen, and the ends of the unit interval.

How random they look is tested with the worlds that are made from them.
"""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from incerta.backend.keyed import (
    keyed_permutation,
    keys_of,
    mixed,
    some_by_key,
    stratified_uniforms,
    stream_keys,
    uniforms,
)

NAMES = np.array([f"object {i}" for i in range(200)])
# Keys of 0, −7, 0.5, "a" and b"a".
KNOWN = [
    "0xe220a8397b1dcdaf",
    "0x559429a76cf56c84",
    "0x440fe4ce5f2d375",
    "0xe54f64eae192c5d4",
    "0xe54f64eae192c5d4",
]
# This is mixed to the largest number.
LAST = 0xCF9A04AFFA6BADC0


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


@given(st.lists(st.integers(-(2**53), 2**53), min_size=1, unique=True))
def test_numbers_have_one_key_whatever_their_type(numbers):
    keys = keys_of(np.array(numbers, dtype=np.int64))
    np.testing.assert_array_equal(keys_of(np.array(numbers, dtype=np.float64)), keys)
    assert len(set(keys.tolist())) == len(numbers)


@given(st.lists(st.text(), min_size=1, unique=True))
def test_texts_have_one_key_whatever_stands_beside_them(texts):
    texts = sorted({text.rstrip("\0") for text in texts})
    keys = keys_of(np.array(texts, dtype=str))
    alone = [keys_of(np.array([text], dtype=str))[0] for text in texts]
    assert keys.tolist() == alone
    assert len(set(alone)) == len(texts)
    objects = np.empty(len(texts), dtype=object)
    objects[:] = texts
    np.testing.assert_array_equal(keys_of(objects), keys)


@given(hnp.arrays(st.sampled_from([">i4", "u1", "<U3", ">U3", "S4", "M8[D]"]), 4))
def test_equal_names_have_equal_keys(names):
    keys = keys_of(names)
    assert keys.dtype == np.uint64
    equal = names[:, None] == names
    np.testing.assert_array_equal((keys[:, None] == keys)[equal], True)


def test_keys_are_the_same_on_every_machine():
    found = [keys_of(np.array(each))[0] for each in ([0], [-7], [0.5], ["a"], [b"a"])]
    assert [hex(key) for key in found] == KNOWN


def test_mixing_is_one_to_one_and_changes_half_of_the_bits():
    x = np.random.default_rng(0).integers(2**63, size=2000, dtype=np.uint64)
    assert len(np.unique(mixed(np.arange(10**6, dtype=np.uint64)))) == 10**6
    for bit in range(64):
        changed = mixed(x) ^ mixed(x ^ np.uint64(1 << bit))
        share = np.bitwise_count(changed).sum() / (64 * len(x))
        assert abs(share - 0.5) < 0.02


@given(st.integers(1, 300), st.integers(0, 2**63 - 1))
def test_keyed_permutation_is_a_permutation(length, key):
    keys = np.array([key, key ^ 12345], dtype=np.uint64)
    images = keyed_permutation(np.arange(length)[:, None], length, keys)
    for column in images.T:
        np.testing.assert_array_equal(np.sort(column), np.arange(length))


def test_keyed_permutations_look_random():
    length, n_keys = 10, 20_000
    keys = np.random.default_rng(0).integers(2**63, size=n_keys, dtype=np.uint64)
    images = keyed_permutation(np.arange(length)[:, None], length, keys)
    # Every position goes everywhere equally often, and so does every pair.
    expected, error = n_keys / length, np.sqrt(n_keys * 0.1 * 0.9)
    counts = np.array(
        [np.bincount(row.astype(np.intp), minlength=length) for row in images]
    )
    assert np.abs(counts - expected).max() < 5 * error
    pairs = np.bincount(
        (images[0] * length + images[1]).astype(np.intp), minlength=length**2
    )
    pairs = pairs.reshape(length, length)[~np.eye(length, dtype=bool)]
    assert np.abs(pairs - n_keys / 90).max() < 5 * np.sqrt(n_keys / 90)


def test_neither_end_of_the_interval_is_reached():
    # The hash of 0 is 0, which is in the first cell.
    first = uniforms(np.zeros(1, np.uint64), np.zeros(1, np.uint64))
    assert first.item() == 2.0**-53


@pytest.mark.parametrize("n_strata", [1, 3, 1000])
def test_nor_by_the_first_and_last_stratum(n_strata):
    keys = np.array([0, LAST], dtype=np.uint64)
    np.testing.assert_array_equal(mixed(keys), [0, 2**64 - 1])
    streams, numbers = np.zeros(n_strata, np.uint64), np.arange(n_strata)
    found = stratified_uniforms(streams, keys, keys, numbers, n_strata)
    assert 0.0 < found.min() < 1e-15
    assert found.max() == 1.0 - 2.0**-53


@pytest.mark.parametrize(("n_streams", "n_keys"), [(6, 8), (3, 40_000), (20_000, 2)])
def test_blocks_have_the_numbers_that_each_has_alone(n_streams, n_keys):
    numbers = np.arange(n_streams)
    streams, keys = stream_keys(0, 0, numbers), keys_of(np.arange(n_keys))
    keys, orders = keys.reshape(2, -1), mixed(keys).reshape(2, -1)
    plain = uniforms(streams, keys)
    in_strata = stratified_uniforms(streams, keys, orders, numbers, n_streams)
    rng = np.random.default_rng(0)
    for _ in range(300):
        i, *place = rng.integers(plain.shape)
        one, key, order = streams[[i]], keys[*place][None], orders[*place][None]
        assert plain[i, *place] == uniforms(one, key)
        alone = stratified_uniforms(one, key, order, numbers[[i]], n_streams)
        assert in_strata[i, *place] == alone
