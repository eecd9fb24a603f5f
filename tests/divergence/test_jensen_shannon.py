import sys
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gaussian_kde

import incerta as ic
from incerta.backend.optional import installed
from incerta.divergence import (
    SaturationWarning,
    jensen_shannon,
    jensen_shannon_per_feature,
)
from incerta.divergence.bandwidth import bandwidths, effective_number, spread_of
from incerta.divergence.cpu_kernel import log_one_plus
from incerta.divergence.jensen_shannon import _picks
from tests.divergence import oracle
from tests.extras import ENGINES
from tests.strategies import examples

pytestmark = pytest.mark.filterwarnings("ignore::incerta.divergence.SaturationWarning")


def worlds_like(seed, m, n, d, noise=0.5):
    rng = np.random.default_rng(seed)
    center = rng.normal(size=(n, d)) * rng.uniform(0.1, 30, d) + rng.normal(size=d) * 50
    return center + noise * rng.normal(size=(m, n, d)) * rng.uniform(0.1, 30, d)


@st.composite
def odd_worlds(draw):
    """Worlds with constant, duplicated and single-world-flat features."""
    m, n, d = (
        draw(st.integers(2, 4)),
        draw(st.integers(3, 40)),
        draw(st.integers(1, 30)),
    )
    worlds = worlds_like(
        draw(st.integers(0, 2**32 - 1)), m, n, d, draw(st.floats(0, 1))
    )
    if draw(st.booleans()):
        worlds[:, :, draw(st.integers(0, d - 1))] = 7.0
    if draw(st.booleans()):
        worlds[:, :, 0] = worlds[:, :, -1]
    if draw(st.booleans()):
        worlds[0, :, 0] = worlds[0, 0, 0]
    return worlds


@examples(25)
@given(worlds=odd_worlds())
def test_against_the_literal_loops(worlds):
    expected = oracle.jensen_shannon(worlds)
    for engine in ["numpy", "numba"] if installed("numba") else ["numpy"]:
        found = jensen_shannon(worlds, engine=engine)
        np.testing.assert_allclose(found, expected, atol=1e-5)
    reference = jensen_shannon(worlds, dtype="float64")
    np.testing.assert_allclose(reference, expected, atol=1e-9)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("n", "d"), [(1500, 2), (1100, 21), (700, 60)])
def test_single_precision_is_enough_over_many_blocks(engine, n, d):
    worlds = worlds_like(1, 3, n, d, noise=0.2)
    exact = jensen_shannon(worlds, dtype="float64", bandwidth="scott")
    fast = jensen_shannon(worlds, engine=engine, bandwidth="scott")
    np.testing.assert_allclose(fast, exact, atol=1e-5)


@given(odd_worlds())
def test_laws(worlds):
    J = jensen_shannon(worlds)
    np.testing.assert_array_equal(J, J.T)
    np.testing.assert_array_equal(np.diag(J), 0.0)
    assert (J >= 0).all()
    assert (np.log(2) + 1e-6 >= J).all()
    moved = worlds * 3.0 + 11.0
    np.testing.assert_allclose(jensen_shannon(moved), J, atol=1e-5)


def test_density_is_that_of_scipy():
    # With scipy's own width in one dimension the two densities are the same.
    worlds = worlds_like(0, 2, 30, 1)
    h = np.array([gaussian_kde(w.T).covariance[0] ** 0.5 for w in worlds])
    kde = [gaussian_kde(w.T) for w in worlds]
    total = 0.0
    for p, q in ((0, 1), (1, 0)):
        f, g = kde[p](worlds[p].T), kde[q](worlds[p].T)
        total += np.log(2 * f / (f + g)).mean() / 2
    found = jensen_shannon(worlds, bandwidth=h, dtype="float64")
    assert found[0, 1] == pytest.approx(total, rel=1e-9)


def test_lazy_worlds_and_their_array_agree():
    worlds = ic.from_gaussian(np.random.default_rng(0).normal(size=(40, 3)), std=0.5)
    drawn = worlds.worlds(6, 0)
    np.testing.assert_array_equal(jensen_shannon(drawn), jensen_shannon(drawn.stack()))


def test_equal_worlds_do_not_differ():
    worlds = np.repeat(worlds_like(0, 1, 20, 3), 4, axis=0)
    np.testing.assert_allclose(jensen_shannon(worlds), 0.0, atol=1e-6)
    np.testing.assert_array_equal(jensen_shannon(np.ones((3, 5, 2))), 0.0)


def test_swapped_objects_are_not_seen():
    worlds = worlds_like(0, 1, 20, 2)
    both = np.concatenate([worlds, worlds[:, ::-1]])
    assert jensen_shannon(both)[0, 1] == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_threads_and_blocks_do_not_matter(engine, monkeypatch):
    worlds = worlds_like(0, 7, 60, 3)
    one = jensen_shannon(worlds, engine=engine)
    np.testing.assert_array_equal(one, jensen_shannon(worlds, engine=engine, n_jobs=2))
    module = sys.modules["incerta.divergence.cpu_kernel"]
    monkeypatch.setattr(module, "POINT_BYTES", 3000)
    np.testing.assert_allclose(jensen_shannon(worlds, engine=engine), one, atol=1e-6)


def test_subsample_is_within_its_stated_error():
    worlds = worlds_like(0, 12, 900, 3)
    exact = jensen_shannon(worlds)
    part, error = jensen_shannon(worlds, n_points=200, return_error=True)
    pairs = np.triu_indices(12, 1)
    z = (part - exact)[pairs] / error[pairs]
    # 66 pairs that share points: their z are correlated, so the bounds are wide.
    assert 0.5 < np.sqrt((z**2).mean()) < 1.6
    assert np.abs(z).max() < 5
    whole, none = jensen_shannon(worlds, n_points=900, return_error=True)
    np.testing.assert_array_equal(whole, exact)
    np.testing.assert_array_equal(none, 0.0)


def test_some_objects_are_within_their_stated_error():
    # Many choices of objects: how much their divergences differ is what one of them
    # says, on average.
    rng = np.random.default_rng(0)
    worlds = rng.normal(size=(4, 3000, 2))
    worlds[1] += [1.0, 0.0]
    worlds[2] *= 2.0
    found, errors = zip(
        *(
            jensen_shannon(worlds, n_objects=200, random_state=s, return_error=True)
            for s in range(20)
        ),
        strict=True,
    )
    pairs = np.triu_indices(4, 1)
    true = np.std(found, axis=0, ddof=1)[pairs]
    said = np.sqrt(np.square(errors).mean(axis=0))[pairs]
    assert 0.6 < np.median(said / true) < 1.7
    exact = jensen_shannon(worlds)
    np.testing.assert_allclose(np.mean(found, axis=0), exact, atol=0.05)


def test_all_objects_if_there_are_no_more():
    worlds = worlds_like(0, 4, 50, 2)
    found, error = jensen_shannon(worlds, n_objects=50, return_error=True)
    np.testing.assert_array_equal(found, jensen_shannon(worlds))
    np.testing.assert_array_equal(error, 0.0)
    some = jensen_shannon_per_feature(worlds, n_objects=20)
    assert (some[np.triu_indices(4, 1)] > 0).all()


def test_saturation_is_told_and_scott_is_the_way_out():
    worlds = np.random.default_rng(0).normal(size=(5, 200, 20)) * 0.5
    worlds += 2 * np.random.default_rng(1).normal(size=(200, 20))
    with pytest.warns(SaturationWarning, match="bandwidth='scott'"):
        jensen_shannon(worlds)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wide = jensen_shannon(worlds, bandwidth="scott")
        features = jensen_shannon_per_feature(worlds)
    for J in (wide, features):
        assert J[np.triu_indices(5, 1)].max() < 0.65


def test_identical_worlds_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jensen_shannon(np.repeat(worlds_like(0, 1, 20, 3), 4, axis=0))


@examples(10)
@given(odd_worlds())
def test_per_feature_is_the_mean_of_single_features(worlds):
    varying = np.ptp(worlds.reshape(-1, worlds.shape[2]), axis=0) > 0
    single = [jensen_shannon(worlds[:, :, [j]]) for j in np.flatnonzero(varying)]
    expected = np.mean(single, axis=0) if single else np.zeros((len(worlds),) * 2)
    np.testing.assert_allclose(jensen_shannon_per_feature(worlds), expected, atol=1e-6)


def test_large_factors_do_not_overflow():
    ratio = np.array([[0.0, 1e-30, 1.0]])
    for factor in (-2000.0, 0.0, 2000.0):
        found = log_one_plus(ratio, np.array([[factor]]))
        with np.errstate(divide="ignore"):
            expected = np.logaddexp(0.0, np.log(ratio) + factor)
        np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bandwidth": "silver"}, "bandwidth='silver' must be"),
        ({"bandwidth": [[1.0, 2.0]] * 2}, r"one width per feature, \(2,\)"),
        ({"bandwidth": [1.0, 2.0, 3.0]}, "3 features"),
        ({"bandwidth": [1.0, -1.0]}, "positive and finite"),
        ({"n_points": 1}, "n_points=1 must be at least 2"),
        ({"n_objects": 9}, "n_objects=9 must be at least 20"),
        ({"dtype": "float16"}, "dtype='float16'"),
        ({"engine": "cuda"}, "engine='cuda'"),
        ({"device": "cuda", "dtype": "float64"}, "device='cuda' needs dtype"),
        ({"device": "cuda", "engine": "numba"}, "supports neither engine nor n_jobs"),
        ({"device": "cuda", "n_jobs": 2}, "n_jobs=2"),
    ],
)
def test_bad_parameters(arguments, message):
    worlds = np.random.default_rng(0).normal(size=(3, 5, 2))
    with pytest.raises((ValueError, IndexError), match=message):
        jensen_shannon(worlds, **arguments)


def test_data_instead_of_worlds():
    with pytest.raises(ValueError, match="draw worlds first"):
        jensen_shannon(ic.from_gaussian([[0.0]], std=1.0))


def test_memory_stays_bounded():
    import tracemalloc

    worlds = ic.from_gaussian(np.zeros((60_000, 2)), std=1.0).worlds(2, 0)
    tracemalloc.start()
    jensen_shannon(worlds, n_points=50)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * 2**20


class TestWeights:
    @pytest.mark.parametrize("engine", ENGINES)
    @pytest.mark.parametrize("d", [1, 4, 20])
    def test_are_objects_at_the_same_place(self, engine, d):
        worlds = worlds_like(0, 4, 15, d)
        weights = np.random.default_rng(0).integers(1, 5, 15)
        how = {"bandwidth": np.full(d, 0.9 * d), "engine": engine}
        found = jensen_shannon(worlds, weights=weights.astype(float), **how)
        many = np.repeat(np.arange(15), weights)
        expected = jensen_shannon(worlds[:, many], **how)
        np.testing.assert_allclose(found, expected, atol=1e-6)

    @pytest.mark.parametrize("compare", [jensen_shannon, jensen_shannon_per_feature])
    def test_of_one_change_nothing(self, compare):
        worlds = worlds_like(0, 5, 30, 3)
        found = compare(worlds, weights=np.ones(30))
        np.testing.assert_allclose(found, compare(worlds), atol=1e-7)

    def test_widths_are_those_of_scipy(self):
        rng = np.random.default_rng(0)
        world, weights = rng.normal(size=(1, 40, 1)), rng.random(40)
        kernel = gaussian_kde(world[0, :, 0], weights=weights)
        spread = spread_of(world, weights)
        widths = bandwidths("scott", spread, effective_number(40, weights))
        assert widths[0, 0] ** 2 == pytest.approx(kernel.covariance[0, 0])

    @pytest.mark.parametrize(
        ("how", "message"),
        [
            ({"weights": np.ones(4)}, "each of the 30"),
            ({"weights": np.zeros(30)}, "positive"),
            ({"weights": np.ones(30), "n_points": 5}, "n_points=5"),
            ({"weights": np.ones(30), "n_objects": 20}, "n_objects=20"),
        ],
    )
    def test_that_cannot_be(self, how, message):
        with pytest.raises(ValueError, match=message):
            jensen_shannon(worlds_like(0, 2, 30, 1), **how)


def test_stated_errors_are_those_of_many_choices():
    worlds = worlds_like(0, 6, 200, 2)
    exact, pairs = jensen_shannon(worlds), np.triu_indices(6, 1)
    z = []
    for seed in range(40):
        how = {"n_points": 100, "random_state": seed, "return_error": True}
        part, error = jensen_shannon(worlds, **how)
        z.append((part - exact)[pairs] / error[pairs])
    # 600 of them: twice the variance, or half of it, is out of the question.
    assert 0.8 < np.mean(np.square(z)) < 1.25
    assert np.std(z, axis=0).min() > 0.5  # each seed chooses others


def test_values_are_chosen_once():
    worlds = ic.from_worlds(np.zeros((30, 9, 1))).worlds(30, 0)
    for picked in _picks(8, worlds, 0):
        assert len(set(picked.tolist())) == 8


def test_widths_belong_to_their_features():
    worlds = worlds_like(0, 3, 30, 3)
    worlds[:, :, 1] = 7.0  # constant: left out with its width
    widths = np.array([0.5, 1.0, 9.0])
    found = jensen_shannon(worlds, bandwidth=widths)
    some = jensen_shannon(worlds[:, :, [0, 2]], bandwidth=widths[[0, 2]])
    np.testing.assert_array_equal(found, some)
