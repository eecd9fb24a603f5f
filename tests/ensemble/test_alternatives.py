"""Representative clusterings against their definitions, and the bounds."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from incerta.ensemble.alternatives import (
    BOUNDS,
    alternatives,
    clopper_pearson,
    medoids,
)


def places(seed, m, decimals=8):
    """Distances of places in the plane; few decimals make some of them coincide."""
    x = np.random.default_rng(seed).normal(size=(m, 2)).round(decimals)
    return np.linalg.norm(x[:, None] - x, axis=-1)


sizes = st.integers(1, 12)
seeds = st.integers(0, 2**32 - 1)
decimals = st.sampled_from([0, 8])


@given(seeds, sizes, decimals)
def test_one_alternative_is_the_center_of_all(seed, m, decimals):
    distances = places(seed, m, decimals)
    found = alternatives(distances)
    radii = [max(row) for row in distances]
    assert found.tau[0] == min(radii) == radii[found.representatives[0]]
    assert found.global_tau[0] == found.tau[0]
    assert (found.support[0], found.n_counted) == (m, m)
    medoid = alternatives(distances, criterion="medoid")
    means = [np.mean(row) for row in distances]
    assert means[medoid.representatives[0]] == pytest.approx(min(means))
    assert medoid.tau[0] == radii[medoid.representatives[0]] >= found.tau[0]


@given(seeds, sizes, st.integers(1, 4), decimals)
def test_no_swap_makes_the_medoids_better(seed, m, k, decimals):
    distances = places(seed, m, decimals)
    found = medoids(distances, k)
    n_distinct = len(np.unique(distances == 0, axis=0))
    assert len(found) == len({tuple(distances[i]) for i in found})
    assert len(found) == min(k, n_distinct)

    def loss(chosen):
        return distances[list(chosen)].min(axis=0).sum()

    for out, new in product(range(len(found)), range(m)):
        swapped = np.where(np.arange(len(found)) == out, new, found)
        assert loss(found) <= loss(swapped) + 1e-9
    best = min(loss(chosen) for chosen in combinations(range(m), len(found)))
    assert loss(found) <= 1.5 * best + 1e-9


@given(seeds, st.integers(2, 12), st.integers(2, 4))
def test_alternatives_are_ranked_and_add_up(seed, m, k):
    distances = places(seed, m)
    found = alternatives(distances, k)
    assert len(found.representatives) == len(set(found.representatives)) == min(k, m)
    assert found.support.sum() == m
    assert (np.diff(found.support) <= 0).all()
    assert (found.tau <= found.global_tau).all()
    for i, tau, count in zip(found.representatives, found.tau, found.support):
        assert (distances[i] <= tau).sum() >= count


def test_two_groups():
    place = np.array([0.0, 0.1, 0.2, 5.0, 5.3, 5.4, 5.5])
    found = alternatives(abs(place[:, None] - place), 2)
    np.testing.assert_array_equal(found.representatives, [4, 1])
    np.testing.assert_allclose(found.tau, [0.3, 0.1])
    np.testing.assert_allclose(found.global_tau, [5.3, 5.4])
    np.testing.assert_array_equal(found.support, [4, 3])


@given(seeds, sizes, st.floats(0.0, 3.0), decimals)
def test_fullest_ball(seed, m, tau, decimals):
    distances = places(seed, m, decimals)
    found = alternatives(distances, tau=tau)
    counts = (distances <= tau + 1e-12).sum(axis=1)
    assert found.support[0] == counts.max() == counts[found.representatives[0]]
    assert found.tau[0] == tau


def test_later_balls_do_not_count_what_is_taken():
    # 1.5 is near two of the first ball; 10 is near only one, but that is left.
    places = np.array([-0.9, -0.9, 0.0, 0.0, 0.9, 0.9, 1.5, 10.0, 10.5])
    found = alternatives(np.abs(places[:, None] - places), 2, tau=1.0)
    assert found.support.tolist() == [6, 2]
    assert places[found.representatives[0]] == 0.0
    assert places[found.representatives[1]] >= 10.0


@given(seeds, sizes, st.integers(2, 4), st.floats(0.0, 1.0))
def test_later_balls_hold_most_of_the_rest(seed, m, k, tau):
    distances = places(seed, m)
    found = alternatives(distances, k, tau=tau)
    left = np.ones(m, dtype=bool)
    for count in found.support:
        balls = (distances[left][:, left] <= tau + 1e-12).sum(axis=1)
        assert count == balls.max()
        # Which of equal balls comes first may differ; all are as full.
        taken = [
            i
            for i in found.representatives
            if left[i] and (left & (distances[i] <= tau + 1e-12)).sum() == count
        ]
        left &= ~(distances[taken[0]] <= tau + 1e-12)
    assert len(found.support) == k or not left.any()


@given(seeds, st.integers(4, 40), st.sampled_from([0.25, 0.5, 0.9]))
def test_held_out_clusterings_are_only_counted(seed, m, share):
    distances = places(seed, m)
    found = alternatives(distances, holdout=share)
    n_held = min(round(share * m), m - 1)
    assert found.n_counted == n_held
    held = np.round(np.linspace(0, m - 1, n_held)).astype(int)
    assert len(set(held)) == n_held
    chosen = np.setdiff1d(np.arange(m), held)
    within = alternatives(distances[np.ix_(chosen, chosen)])
    pick = chosen[within.representatives[0]]
    assert found.representatives[0] == pick
    assert found.tau[0] == within.tau[0]
    assert found.support[0] == (distances[pick, held] <= within.tau[0]).sum()
    assert found.global_tau[0] == distances[pick].max()


def test_equal_clusterings_are_one_alternative():
    found = alternatives(np.zeros((6, 6)), 3)
    np.testing.assert_array_equal(found.representatives, [0])
    np.testing.assert_array_equal(found.support, [6])
    np.testing.assert_array_equal(found.tau, [0.0])


def test_a_single_clustering_has_nothing_to_hold_out():
    found = alternatives(np.zeros((1, 1)), 2, holdout=0.5)
    assert (found.representatives[0], found.support[0], found.n_counted) == (0, 1, 1)


@pytest.mark.parametrize(
    ("bound", "expected"),
    [
        ("wald", [0.417757, 0.734206, 1.0]),
        ("clopper-pearson", [0.413622, 0.722800, 0.970487]),
        ("wilson", [0.418848, 0.726696, 0.973657]),
    ],
)
def test_bounds_have_known_values(bound, expected):
    found = BOUNDS[bound](np.array([50, 80, 100]), 100, 0.95)
    np.testing.assert_allclose(found, expected, atol=5e-7)


@pytest.mark.parametrize("bound", BOUNDS)
@given(n=st.integers(1, 200), level=st.floats(0.5, 0.999))
def test_bounds_rise_with_support_and_with_draws(bound, n, level):
    support = np.arange(n + 1)
    found = BOUNDS[bound](support, n, level)
    assert (found >= 0.0).all()
    assert (found <= support / n + 1e-12).all()
    more = BOUNDS[bound](2 * support, 2 * n, level)
    assert (more >= found - 1e-12).all()
    if bound != "wald" or level < 0.9:
        assert (np.diff(found) >= -1e-12).all()


@given(st.integers(1, 60), st.floats(0.01, 1.0), st.floats(0.6, 0.99))
def test_the_exact_bound_is_broken_as_rarely_as_it_says(n, p, level):
    support = np.arange(n + 1)
    broken = clopper_pearson(support, n, level) > p
    assert binom.pmf(support, n, p)[broken].sum() <= 1.0 - level + 1e-9
