"""k-means from many starts against scikit-learn's."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import ks_2samp
from sklearn.cluster import KMeans, kmeans_plusplus
from sklearn.datasets import load_iris, load_wine

from incerta.lloyd import lloyd, nearest_centers, spread_seeds


def cost(values, centers, weights=None):
    far = np.square(values[:, None] - centers).sum(axis=2).min(axis=1)
    return np.average(far, weights=weights)


@pytest.mark.parametrize("offset", [0.0, 1e5])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_as_good_as_scikit_learn(load, weighted, offset):
    values = load().data + offset
    weights = np.random.default_rng(0).uniform(0.1, 3.0, len(values))
    weights = weights if weighted else None
    for k in (1, 3, 8):
        found = lloyd(values, k, 20, np.random.default_rng(0), weights)
        peer = KMeans(k, n_init=20, random_state=0).fit(values, sample_weight=weights)
        least = cost(values, peer.cluster_centers_, weights)
        assert cost(values, found.centers, weights) <= least * 1.01
        far = np.square(values[:, None] - found.centers).sum(axis=2)
        np.testing.assert_array_equal(found.labels, far.argmin(axis=1))


@pytest.mark.parametrize("good_is_given", [True, False])
def test_given_centers_are_one_more_start(monkeypatch, good_is_given):
    values = 1000.0 + np.array([[0.0], [1.0], [20.0], [21.0], [40.0], [41.0]])
    good = 1000.0 + np.array([[0.5], [20.5], [40.5]])
    stuck = 1000.0 + np.array([[0.0], [1.0], [30.5]])
    given, drawn = (good, stuck) if good_is_given else (stuck, good)
    seeds = (drawn - values.mean())[None]
    monkeypatch.setattr("incerta.lloyd.spread_seeds", lambda *_: seeds)
    np.testing.assert_array_equal(lloyd(values, 3, 1, None).centers, drawn)
    np.testing.assert_array_equal(lloyd(values, 3, 1, None, also=given).centers, good)


@given(
    n=st.integers(2, 30),
    d=st.integers(1, 4),
    share=st.floats(0.0, 1.0),
    distinct=st.integers(1, 30),
    seed=st.integers(0, 999),
)
def test_centers_are_at_rest(n, d, share, distinct, seed):
    rng = np.random.default_rng(seed)
    k = 1 + int(share * (n - 1))
    values = rng.normal(size=(distinct, d))[rng.integers(distinct, size=n)]
    centers, labels = lloyd(values, k, 3, rng)
    assert labels.shape == (n,)
    assert labels.max() < k
    assert np.isfinite(centers).all()
    # A center is the mean of its values, up to a last step that is too small to count.
    for c in np.unique(labels):
        off = np.square(values[labels == c].mean(axis=0) - centers[c]).sum()
        assert off <= 1e-4 * values.var(axis=0).mean() + 1e-12
    if k >= len(np.unique(values, axis=0)) and k == n:
        assert cost(values, centers) < 1e-12


@given(st.integers(1, 30), st.integers(1, 5), st.integers(1, 4), st.integers(0, 999))
def test_nearest_of_the_centers(n, k, d, seed):
    rng = np.random.default_rng(seed)
    places, centers = rng.normal(size=(n, d)), 2.0 * rng.normal(size=(k, d))
    far = np.square(places[:, None] - centers).sum(axis=2)
    np.testing.assert_array_equal(nearest_centers(places, centers), far.argmin(axis=1))


def test_the_best_start_is_taken():
    values = np.random.default_rng(0).normal(size=(60, 2))
    many = lloyd(values, 7, 30, np.random.default_rng(1)).centers
    ones = [lloyd(values, 7, 1, np.random.default_rng(s)).centers for s in range(30)]
    costs = [cost(values, each) for each in ones]
    assert np.ptp(costs) > 0.01
    assert cost(values, many) < np.quantile(costs, 0.2)


def test_seeds_have_the_law_of_scikit_learn():
    values = load_wine().data
    values = (values - values.mean(axis=0)) / values.std(axis=0)
    alike = np.full(len(values), 1.0 / len(values))
    ours = spread_seeds(values, alike, 4, 400, np.random.default_rng(0))
    peer = [kmeans_plusplus(values, 4, random_state=s)[0] for s in range(400)]
    assert (np.unique(ours[0], axis=0).shape) == (4, 13)
    drawn = [cost(values, each) for each in ours], [cost(values, each) for each in peer]
    assert ks_2samp(*drawn).pvalue > 0.001


def test_what_weighs_nothing_is_no_seed():
    values = np.array([[0.0], [1.0], [50.0], [100.0]])
    weights = np.array([0.5, 0.5, 0.0, 0.0])
    seeds = spread_seeds(values - 1.0, weights, 2, 50, np.random.default_rng(0))
    assert set(seeds.ravel()) == {-1.0, 0.0}


def test_what_does_not_come_to_rest_counts_too(monkeypatch):
    monkeypatch.setattr("incerta.lloyd.MOST_ROUNDS", 2)
    values = np.random.default_rng(0).normal(size=(400, 2))
    seeds = spread_seeds(values, np.full(400, 1 / 400), 9, 1, np.random.default_rng(1))
    found = lloyd(values, 9, 1, np.random.default_rng(1))
    assert cost(values, found.centers) < 0.95 * cost(values, seeds[0])


def test_far_from_the_origin():
    values = np.repeat([[0.0], [1.0], [2.0]], 20, axis=0) + 1e9
    found = lloyd(values, 3, 5, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(found.centers.ravel()) - 1e9, [0.0, 1.0, 2.0])
