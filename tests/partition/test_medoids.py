from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist

from incerta.partition.medoids import METHODS, _nearest, assign, seeds

methods = pytest.mark.parametrize("method", METHODS)


def loss(distances, medoids):
    return sum(min(distances[m, i] for m in medoids) for i in range(distances.shape[0]))


def exhaustive(distances, k):
    """Least loss over all sets of k medoids."""
    return min(loss(distances, ms) for ms in combinations(range(len(distances)), k))


@st.composite
def matrices(draw, most=9):
    n = draw(st.integers(1, most))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    # Whole numbers, so that ties and coinciding objects are common.
    x = rng.integers(0, draw(st.sampled_from([1, 3, 50])), size=(n, 2)).astype(float)
    distances = cdist(x, x) + draw(st.sampled_from([0.0, 1.5]))
    np.fill_diagonal(distances, 0.0)
    return distances, draw(st.integers(1, n))


@methods
@given(matrices(), st.integers(0, 99))
def test_objective_never_rises_and_is_the_loss(method, problem, seed):
    distances, k = problem
    first = seeds(distances, k, np.random.default_rng(seed))
    states = list(METHODS[method](distances, first.copy()))
    start = loss(distances, first)
    for before, after in pairwise([start, *(s.objective for s in states)]):
        assert after <= before + 1e-9
    assert [s.converged for s in states] == [False] * (len(states) - 1) + [True]
    for state in states:
        assert len(set(state.medoids.tolist())) == k
        assert state.objective == pytest.approx(loss(distances, state.medoids))


@given(matrices(), st.integers(0, 99))
def test_no_swap_is_left_that_helps(problem, seed):
    distances, k = problem
    first = seeds(distances, k, np.random.default_rng(seed))
    *_, last = METHODS["fasterpam"](distances, first)
    for slot in range(k):
        for candidate in range(len(distances)):
            swapped = last.medoids.copy()
            swapped[slot] = candidate
            assert loss(distances, swapped) >= last.objective - 1e-9


@given(matrices(), st.integers(0, 99))
def test_no_cluster_has_a_better_middle_after_alternating(problem, seed):
    distances, k = problem
    first = seeds(distances, k, np.random.default_rng(seed))
    *_, last = METHODS["alternate"](distances, first)
    labels = assign(distances, last.medoids)
    for cluster, medoid in enumerate(last.medoids):
        members = np.flatnonzero(labels == cluster)
        sums = distances[np.ix_(members, members)].sum(axis=1)
        assert distances[medoid, members].sum() <= sums.min() + 1e-9


@given(matrices(most=8))
def test_the_best_of_many_starts_is_the_optimum(problem):
    distances, k = problem
    found = min(
        list(METHODS["fasterpam"](distances, seeds(distances, k, rng)))[-1].objective
        for rng in np.random.default_rng(0).spawn(30)
    )
    assert found == pytest.approx(exhaustive(distances, k))


@given(matrices())
def test_change_of_every_swap_against_a_loop(problem):
    distances, k = problem
    medoids = seeds(distances, k, np.random.default_rng(0))
    nearest = _nearest(distances[medoids])
    before = loss(distances, medoids)
    for candidate in set(range(len(distances))) - set(medoids.tolist()):
        gap = distances[candidate] - nearest.distance
        lost = np.minimum(np.maximum(gap, 0.0), nearest.loss)
        change = np.bincount(nearest.slot, weights=lost, minlength=k)
        change += np.minimum(gap, 0.0).sum()
        for slot in range(k):
            swapped = medoids.copy()
            swapped[slot] = candidate
            expected = loss(distances, swapped) - before
            assert change[slot] == pytest.approx(expected, abs=1e-9)


@given(matrices(), st.integers(0, 99))
def test_seeds_are_distinct_objects(problem, seed):
    distances, k = problem
    found = seeds(distances, k, np.random.default_rng(seed))
    assert len(set(found.tolist())) == k
    assert set(found.tolist()) <= set(range(len(distances)))


def test_seeds_cover_far_clusters():
    x = np.repeat([[0.0], [100.0], [200.0]], 30, axis=0)
    x += np.random.default_rng(0).normal(size=x.shape)
    distances = cdist(x, x, "sqeuclidean")
    for seed in range(20):
        found = seeds(distances, 3, np.random.default_rng(seed))
        assert sorted(found // 30) == [0, 1, 2]


@methods
def test_all_objects_alike(method):
    distances = np.zeros((5, 5))
    states = METHODS[method](distances, seeds(distances, 3, np.random.default_rng(0)))
    *_, last = states
    assert last.objective == 0.0
    assert np.bincount(assign(distances, last.medoids), minlength=3).min() >= 1


def test_swaps_beat_alternation_where_two_seeds_share_a_cluster():
    x = np.concatenate([np.linspace(0, 1, 9), [50.0, 51.0], [100.0, 101.0]])[:, None]
    distances = cdist(x, x)
    first = np.array([0, 8, 9])
    *_, swapped = METHODS["fasterpam"](distances, first)
    *_, stuck = METHODS["alternate"](distances, first)
    assert swapped.objective == pytest.approx(exhaustive(distances, 3))
    assert stuck.objective > 10 * swapped.objective


def test_input_is_left_alone():
    x = np.random.default_rng(0).normal(size=(20, 2))
    distances = cdist(x, x)
    first = np.array([0, 1, 2])
    before = distances.copy()
    for method in METHODS.values():
        list(method(distances, first))
        np.testing.assert_array_equal(first, [0, 1, 2])
        np.testing.assert_array_equal(distances, before)
