import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import incerta as ic
from incerta.data.laws import Values
from incerta.partition.shares import nearest_centers, nearest_shares
from tests.strategies import uncertain_data


@given(
    uncertain_data(kinds=("exact", "samples", "weighted", "array")), st.integers(0, 99)
)
def test_values_against_a_loop(data, seed):
    rng = np.random.default_rng(seed)
    centers, offsets = rng.normal(size=(3, data.n_features)), rng.uniform(0, 2, 3)
    found = nearest_shares(data, centers, offsets, 1, 0)
    law = data.law
    for i in range(len(data)):
        expected = np.zeros(3)
        for row in range(law.starts[i], law.starts[i + 1]):
            cost = [((law.values[row] - c) ** 2).sum() for c in centers] + offsets
            weight = 1 / law.counts[i] if law.weights is None else law.weights[row]
            expected[np.argmin(cost)] += weight
        np.testing.assert_allclose(found[i], expected, atol=1e-12)


def test_gaussians_against_the_normal_distribution():
    data = ic.from_gaussian([[0.0], [1.0], [2.5]], std=[[1.0], [0.5], [2.0]])
    found = nearest_shares(data, np.array([[0.0], [4.0]]), np.zeros(2), 20_000, 0)
    expected = stats.norm.cdf(2.0, [0.0, 1.0, 2.5], [1.0, 0.5, 2.0])
    np.testing.assert_allclose(found[:, 0], expected, atol=0.02)


@given(uncertain_data())
def test_rows_sum_to_one(data):
    centers = np.random.default_rng(0).normal(size=(4, data.n_features))
    found = nearest_shares(data, centers, np.zeros(4), 7, 0)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found >= 0).all()


def test_ties_go_to_the_lowest():
    centers = np.array([[5.0], [1.0], [1.0]])
    assert nearest_centers(np.zeros((1, 1)), centers, np.zeros(3))[0] == 1


def test_offsets_move_the_border():
    values, centers = np.array([[0.9]]), np.array([[0.0], [2.0]])
    assert nearest_centers(values, centers, np.zeros(2))[0] == 0
    assert nearest_centers(values, centers, np.array([1.0, 0.0]))[0] == 1


def test_far_from_the_origin():
    values = np.array([[1e9 + 0.2], [1e9 + 0.9]])
    centers = np.array([[1e9], [1e9 + 1]])
    np.testing.assert_array_equal(nearest_centers(values, centers, np.zeros(2)), [0, 1])


@given(data=uncertain_data(), n_worlds=st.integers(1, 6), seed=st.integers(0, 99))
def test_several_sets_of_centers(data, n_worlds, seed):
    rng = np.random.default_rng(seed)
    sets, offsets = rng.normal(size=(2, 3, data.n_features)), rng.uniform(0, 2, 3)
    found = nearest_shares(data, sets, offsets, n_worlds, 0)
    if isinstance(data.law, Values):  # values have all sets
        each = [nearest_shares(data, own, offsets, 1, 0) for own in sets]
    else:  # one world after the other has the next set
        worlds = data.worlds(data.n_draws or n_worlds, 0)
        nearest = [
            nearest_centers(world, sets[j % 2], offsets)
            for j, world in enumerate(worlds)
        ]
        each = [np.eye(3)[row] for row in nearest]
    np.testing.assert_allclose(found, np.mean(each, axis=0))
