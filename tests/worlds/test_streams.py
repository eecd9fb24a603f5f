"""Random numbers are functions of (seed, world, object, feature), and look random.

Seeds are fixed. Under a right generator a fresh seed would fail some assertion of this
file with a probability of about 1e-4.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import incerta as ic
from incerta.backend.keyed import keys_of, stream_keys, uniforms
from incerta.data.laws import numbered
from tests.strategies import KINDS, make

ALPHA = 1e-6
Z = stats.norm.isf(ALPHA / 2)
N_WORLDS, N_OBJECTS, N_FEATURES = 40, 5000, 8
IDS = {
    "numbers": np.arange(N_OBJECTS),
    "even numbers": np.arange(N_OBJECTS) * 2**40,
    "texts": np.array([f"NGC {i:05d}" for i in range(N_OBJECTS)]),
    "floats": np.arange(N_OBJECTS) / 8,
}


@pytest.fixture(scope="module", params=IDS)
def u(request):
    """Numbers of consecutive worlds, objects and features."""
    keys = keys_of(IDS[request.param])[:, None] + numbered(N_FEATURES)
    return uniforms(stream_keys(0, 0, np.arange(N_WORLDS)), keys)


# looking random ---------------------------------------------------------------------


def test_they_are_uniform(u):
    assert u.min() > 0.0
    assert u.max() < 1.0
    assert stats.kstest(u[::5].ravel(), "uniform").pvalue > ALPHA
    for power in (1, 2, 3, 4):
        off = np.mean(u**power) - 1 / (power + 1)
        error = np.sqrt(1 / (2 * power + 1) - 1 / (power + 1) ** 2)
        assert abs(off) < Z * error / np.sqrt(u.size)


def test_all_their_bits_are(u):
    words = (u * 2**52).astype(np.uint64).ravel()
    for shift in range(0, 52, 4):
        bits = (words >> np.uint64(shift)) & np.uint64(15)
        counts = np.bincount(bits.astype(np.intp), minlength=16)
        assert stats.chisquare(counts).pvalue > ALPHA


@pytest.mark.parametrize("axis", [0, 1, 2], ids=["worlds", "objects", "features"])
def test_neighbors_are_independent(u, axis):
    for lag in (1, 2, 3, 4, 7):
        ahead = np.take(u, range(lag, u.shape[axis]), axis=axis).ravel()
        here = np.take(u, range(u.shape[axis] - lag), axis=axis).ravel()
        cells = (here * 32).astype(np.intp) * 32 + (ahead * 32).astype(np.intp)
        assert stats.chisquare(np.bincount(cells, minlength=1024)).pvalue > ALPHA
        for one, two in ((here, ahead), ((here - 0.5) ** 2, (ahead - 0.5) ** 2)):
            assert abs(np.corrcoef(one, two)[0, 1]) < Z / np.sqrt(len(one))


def test_sums_over_worlds_objects_and_features_spread_as_they_should(u):
    for axis in range(3):
        sums = (u - 0.5).sum(axis=axis).ravel() / np.sqrt(u.shape[axis] / 12)
        # The variance of a squared standard sum is 2 − 1.2 / its number of terms.
        error = np.sqrt((2 - 1.2 / u.shape[axis]) / len(sums))
        assert abs(np.mean(sums**2) - 1.0) < Z * error


def test_seeds_and_purposes_have_nothing_in_common():
    keys = keys_of(np.arange(20_000))
    numbers = np.arange(5)
    found = [
        uniforms(stream_keys(seed, purpose, numbers), keys).ravel()
        for seed, purpose in [(0, 0), (1, 0), (2**32, 0), (2**70, 0), (0, 1), (1, 1)]
    ]
    correlations = np.corrcoef(found)[np.triu_indices(len(found), 1)]
    assert np.abs(correlations).max() < Z / np.sqrt(len(found[0]))


# worlds -----------------------------------------------------------------------------


@pytest.mark.parametrize("quasi", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_any_block_of_a_world_can_be_drawn_alone(kind, quasi):
    data = replace(make(kind, n=9, d=3, seed=1), ids=np.array(list("ihgfedcba")))
    worlds = data.worlds(6, 11, quasi=quasi)
    order = np.random.default_rng(0).permutation(9)
    parts = [worlds.only(order[:2]), worlds.only(order[2:3]), worlds.only(order[3:])]
    together = np.concatenate([part.stack() for part in parts], axis=1)
    np.testing.assert_array_equal(together, worlds.stack()[:, order])
    joined = ic.concat([part.data for part in parts]).worlds(6, 11, quasi=quasi)
    np.testing.assert_array_equal(joined.stack(), together)


def test_other_features_leave_draws_alone():
    rng = np.random.default_rng(0)
    mean, std = rng.normal(size=(2, 5, 3)) ** 2
    names = ["mass", "light", "age"]
    data = ic.from_gaussian(mean, std=std, feature_names=names)
    drawn = data.worlds(4, 0).stack()
    some = data.select(["age", "mass"]).worlds(4, 0).stack()
    np.testing.assert_array_equal(some, drawn[..., [2, 0]])
    wider = ic.from_gaussian(
        np.c_[mean[:, 0], mean],
        std=np.c_[std[:, 0], std],
        feature_names=["new", *names],
    )
    np.testing.assert_array_equal(wider.worlds(4, 0).stack()[..., 1:], drawn)


def test_features_of_different_names_are_drawn_apart():
    data = ic.from_gaussian(np.zeros((3, 2)), std=1.0)
    x0, x1 = np.moveaxis(data.worlds(500, 0).stack(), 2, 0)
    assert abs(np.corrcoef(x0.ravel(), x1.ravel())[0, 1]) < Z / np.sqrt(1500)


def test_worlds_of_each_kind_of_part_are_those_of_the_part():
    parts = [
        replace(make(kind, 3, 2, seed=i), ids=np.arange(3) + 10 * i, meaning="belief")
        for i, kind in enumerate(("samples", "interval", "correlated", "multivariate"))
    ]
    together = ic.concat(parts[::-1])
    for part in parts:
        where = np.isin(together.ids, part.ids)
        np.testing.assert_array_equal(
            together.worlds(5, 3).stack()[:, where], part.worlds(5, 3).stack()
        )
