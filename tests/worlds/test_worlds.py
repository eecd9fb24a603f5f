import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.data import laws
from incerta.partition import shares
from incerta.worlds import sequence, streams
from incerta.worlds.streams import as_seed
from tests.stored import changed, refused
from tests.strategies import KINDS, make, uncertain_data

PROCESS = """
import sys
from tests.strategies import KINDS
from tests.worlds.test_worlds import worlds_of
for kind in KINDS:
    for quasi in (False, True):
        worlds, j = worlds_of(kind, quasi)
        sys.stdout.buffer.write(worlds[j].tobytes())
"""


def worlds_of(kind, quasi=False):
    data = make(kind, n=5, d=3, seed=1)
    n_worlds = 6 if data.joint else 40
    return data.worlds(n_worlds, random_state=11, quasi=quasi), n_worlds - 3


@pytest.mark.parametrize("quasi", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_a_world_is_the_same_however_it_is_reached(kind, quasi):
    worlds, j = worlds_of(kind, quasi)
    alone = worlds[j]
    assert alone.dtype == np.float64
    assert alone.shape == (5, 3)
    for other in (
        worlds[j - 2 : j + 2][2],
        worlds[::-1][len(worlds) - 1 - j],
        worlds[j - len(worlds)],
        worlds.stack()[j],
        worlds.stack([j, 0])[0],
        list(worlds)[j],
        pickle.loads(pickle.dumps(worlds))[j],
        pickle.loads(pickle.dumps(worlds.data))
        .worlds(len(worlds), worlds.seed, quasi=quasi)
        .stack([j])[0],
    ):
        np.testing.assert_array_equal(other, alone, strict=True)


def test_a_world_is_the_same_in_another_process():
    there = subprocess.run(
        [sys.executable, "-c", PROCESS], capture_output=True, check=True
    ).stdout
    for kind in KINDS:
        for quasi in (False, True):
            worlds, j = worlds_of(kind, quasi)
            here = worlds[j].tobytes()
            assert there[: len(here)] == here, (kind, quasi)
            there = there[len(here) :]
    assert not there


def test_threads_do_not_matter():
    worlds, _ = worlds_of("gaussian")
    with ThreadPoolExecutor(4) as pool:
        there = list(pool.map(worlds.__getitem__, reversed(range(len(worlds)))))
    np.testing.assert_array_equal(np.array(there[::-1]), worlds.stack())


def test_world_does_not_depend_on_how_many_there_are():
    data = make("gaussian")
    np.testing.assert_array_equal(data.worlds(20, 5)[3], data.worlds(1000, 5)[3])


@given(uncertain_data(), st.integers(0, 2**63))
def test_seeds_differ_and_repeat(data, seed):
    if data.joint or data.exact:
        return
    first = data.worlds(3, seed).stack()
    np.testing.assert_array_equal(first, data.worlds(3, seed).stack())
    if (data.variance() > 0).any() and data.values_per_object() is None:
        assert not np.array_equal(first[0], first[1])
        assert not np.array_equal(first, data.worlds(3, seed + 1).stack())


@given(uncertain_data(kinds=("exact",)))
def test_certain_objects_have_one_world(data):
    worlds = data.worlds(3, 0).stack()
    np.testing.assert_array_equal(worlds, np.broadcast_to(data.mean(), worlds.shape))


@pytest.mark.parametrize("n_worlds", [16, 37, 100])
def test_quasi_worlds_share_out_each_distribution(n_worlds):
    data = ic.from_interval(np.zeros((4, 2)), np.ones((4, 2)))
    u = data.worlds(n_worlds, 3, quasi=True).stack()
    strata = np.sort(np.floor(u * n_worlds), axis=0)
    np.testing.assert_array_equal(strata[:, 1, 1], np.arange(n_worlds))
    assert (strata == strata[:, :1, :1]).all()


def test_quasi_worlds_are_random_in_order_and_within_strata():
    data = ic.from_interval(np.zeros((3, 2)), np.ones((3, 2)))
    one, two = (data.worlds(50, seed, quasi=True).stack() * 50 for seed in (0, 1))
    assert not np.array_equal(np.floor(one), np.floor(two))
    for u in (one, two):
        places = (u - np.floor(u)).reshape(50, -1)
        # Of 50 uniform numbers, the smallest is above 0.2 once in 70,000 times.
        assert (places.min(axis=0) < 0.2).all()
        assert (places.max(axis=0) > 0.8).all()
    assert not np.allclose(one - np.floor(one), two - np.floor(two))


def test_streams_are_for_one_purpose_each():
    purposes = [streams._VALUES, streams._STRATA, laws._VALUES, laws._STRATA]
    assert len({*purposes, shares._WEIGHTS}) == 5


def test_a_stack_of_many_batches():
    worlds = make("gaussian", n=100_000, d=3).worlds(60, 0)
    for j, world in enumerate(worlds.stack()):
        np.testing.assert_array_equal(world, worlds[j])


@pytest.mark.parametrize("kind", KINDS)
def test_worlds_of_some_objects_are_those_of_all(kind):
    worlds, _ = worlds_of(kind)
    some = worlds.only([3, 0]).stack()
    np.testing.assert_array_equal(some, worlds.stack()[:, [3, 0]])


def test_few_of_many_joint_draws_are_evenly_spaced():
    draws = np.arange(11.0).reshape(11, 1, 1)
    some = sequence.worlds_of(ic.from_worlds(draws), 3, 0).stack()
    np.testing.assert_array_equal(some.ravel(), [0.0, 5.0, 10.0])


def test_quasi_worlds_keep_objects_independent():
    data = ic.from_interval(np.zeros((40, 1)), np.ones((40, 1)))
    u = data.worlds(500, 0, quasi=True).stack()[..., 0]
    correlation = np.corrcoef(u.T)[np.triu_indices(40, 1)]
    assert np.abs(correlation).max() < 5 / np.sqrt(500)


def test_quasi_worlds_lower_the_variance_of_averages():
    data = make("gaussian", n=20, d=2)
    off = {
        quasi: np.mean(
            [
                (data.worlds(64, seed, quasi=quasi).stack().mean(0) - data.mean()) ** 2
                for seed in range(20)
            ]
        )
        for quasi in (False, True)
    }
    assert off[True] < off[False] / 20


def test_sequence_protocol():
    worlds = make("gaussian").worlds(10, 0)
    assert len(worlds) == 10
    assert worlds.shape == (10, 4, 2)
    assert repr(worlds) == "Worlds(10 worlds of 4 objects × 2 features, seed=0)"
    assert worlds.stack(np.array([], dtype=int)).shape == (0, 4, 2)
    for bad in (10, -11):
        with pytest.raises(IndexError, match="there are only 10 worlds"):
            worlds[bad]


def test_no_seed_is_a_fresh_seed_that_can_be_reused():
    data = make("gaussian")
    one, two = data.worlds(2), data.worlds(2)
    assert one.seed != two.seed
    np.testing.assert_array_equal(data.worlds(2, one.seed).stack(), one.stack())


def test_generators_are_seeds():
    assert as_seed(np.random.default_rng(0)) == as_seed(np.random.default_rng(0))
    assert as_seed(np.random.RandomState(0)) == as_seed(np.random.RandomState(0))
    for kind in (np.random.default_rng, np.random.RandomState):
        assert as_seed(kind(0)) != as_seed(kind(1))
    with pytest.raises(ValueError, match="random_state=-1 must not be negative"):
        as_seed(-1)


@pytest.mark.parametrize("n_worlds", [0, -3, 2.5])
def test_bad_number_of_worlds(n_worlds):
    with pytest.raises(ValueError, match=f"n_worlds={n_worlds}"):
        make("gaussian").worlds(n_worlds)


def test_more_joint_worlds_than_given_are_refused():
    with pytest.raises(ValueError, match="use at most 6"):
        make("worlds").worlds(7)


def test_stored_worlds_are_those_that_can_be_drawn():
    worlds = ic.from_worlds(np.zeros((4, 3, 2))).worlds(4, 1)
    changed(worlds, indices=np.array([3, 0]), n_strata=4)
    for wrong in ({"indices": np.arange(5)}, {"indices": -np.arange(2)}, {"seed": -1}):
        refused(worlds, **wrong)
    for n_strata in (0, 3):
        refused(worlds, n_strata=n_strata)
    refused(worlds, data="x")
    free = ic.from_gaussian([[0.0]], std=1.0).worlds(2, 0)
    changed(free, indices=np.array([10**15]), seed=0)
