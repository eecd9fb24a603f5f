from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from scipy.stats import foldnorm
from sklearn.cluster import cluster_optics_dbscan

import incerta as ic
from incerta.density.ordering import (
    Ordering,
    clusters_at_cut,
    clusters_by_number,
    clusters_by_steepness,
    order,
)
from incerta.density.reachability import (
    expected_in_worlds,
    expected_on_grid,
    share_within,
)
from tests.strategies import uncertain_data

caps = st.sampled_from([0.7, 2.0, 5.0])
seeds = st.integers(0, 9999)


# -- straight from the definitions ---------------------------------------------------


def reach_in_world(world, m, max_eps=np.inf):
    """Core distances and reachability of one world, capped."""
    n = len(world)
    distances = cdist(world, world)
    core = np.array(
        [sorted(distances[o])[m - 1] if m <= n else np.inf for o in range(n)]
    )
    reach = np.array(
        [[max(core[o], distances[o, p]) for p in range(n)] for o in range(n)]
    )
    return np.minimum(reach, max_eps), np.minimum(core, max_eps)


def expected(worlds, m, max_eps=np.inf):
    each = [reach_in_world(world, m, max_eps) for world in worlds]
    return tuple(np.mean(part, axis=0) for part in zip(*each))


def optics(reach, core, first):
    """OPTICS on a matrix: inf where p is not reached from o."""
    n, rank = len(core), np.argsort(first)
    left, reachability, predecessor = set(range(n)), [np.inf] * n, [-1] * n
    ordering = []
    while left:
        o = min(left, key=lambda i: (reachability[i], rank[i]))
        left.remove(o)
        ordering.append(o)
        if core[o] == np.inf:
            continue
        for p in left:
            if reach[o, p] < reachability[p]:
                reachability[p], predecessor[p] = reach[o, p], o
    return ordering, reachability, predecessor


def same(found, wanted):
    for mine, theirs in zip(found, wanted):
        np.testing.assert_array_equal(mine, theirs)


def dense(reach, max_eps):
    """All entries of a sparse matrix, those not stored at the cap."""
    out = np.full(reach.shape, max_eps)
    rows = np.repeat(np.arange(len(out)), np.diff(reach.indptr))
    out[rows, reach.indices] = reach.data
    return out


def all_worlds(values):
    """Every combination of equally likely values, one per object."""
    return [np.array(world) for world in product(*values)]


# -- expected reachability -----------------------------------------------------------


@given(data=uncertain_data(), m=st.integers(1, 8))
def test_mean_over_worlds(data, m):
    worlds = data.worlds(5, 0)
    reach, core = expected_in_worlds(worlds, m, np.inf)
    wanted_reach, wanted_core = expected(worlds, m)
    np.testing.assert_allclose(reach, wanted_reach, rtol=1e-12)
    np.testing.assert_allclose(core, wanted_core, rtol=1e-12)
    if m <= len(data):
        apart = np.mean([cdist(world, world) for world in worlds], axis=0)
        assert (reach >= core[:, None]).all()
        assert (reach >= apart * (1 - 1e-12)).all()
        np.testing.assert_array_equal(np.diag(reach), core)


@given(data=uncertain_data(), m=st.integers(1, 8), max_eps=caps)
def test_with_a_cap_it_is_sparse_and_the_same(data, m, max_eps):
    worlds = data.worlds(5, 0)
    reach, core = expected_in_worlds(worlds, m, max_eps)
    wanted_reach, wanted_core = expected(worlds, m, max_eps)
    assert isinstance(reach, csr_array)
    np.testing.assert_allclose(dense(reach, max_eps), wanted_reach, rtol=1e-12)
    finite = np.isfinite(core)
    np.testing.assert_allclose(core[finite], wanted_core[finite], rtol=1e-12)
    np.testing.assert_array_equal(wanted_core[~finite], max_eps)
    # Stored is what is reached in some world.
    each = [reach_in_world(world, m) for world in worlds]
    ever = np.any([r <= max_eps for r, _ in each], axis=0)
    np.testing.assert_array_equal(dense(reach, np.inf) < np.inf, ever)
    np.testing.assert_array_equal(finite, np.diag(ever))


@given(seed=seeds, m=st.integers(1, 5))
def test_a_cap_beyond_all_distances_changes_nothing(seed, m):
    x = np.random.default_rng(seed).normal(size=(6, 3, 2))
    worlds = ic.from_array(x).worlds(7, 0)
    reach, core = expected_in_worlds(worlds, m, np.inf)
    capped, capped_core = expected_in_worlds(worlds, m, 1e12)
    np.testing.assert_allclose(capped.toarray(), reach, rtol=1e-12)
    np.testing.assert_allclose(capped_core, core, rtol=1e-12)


@pytest.mark.parametrize("max_eps", [np.inf, 4.0])
def test_many_features_and_many_blocks(max_eps):
    x = np.random.default_rng(0).normal(size=(800, 16))
    worlds = ic.from_gaussian(x, std=0.5).worlds(2, 0)
    reach, core = expected_in_worlds(worlds, 4, max_eps)
    wanted_reach, wanted_core = expected(worlds, 4, max_eps)
    full = reach if np.isinf(max_eps) else dense(reach, max_eps)
    np.testing.assert_allclose(full, wanted_reach)
    np.testing.assert_allclose(np.minimum(core, max_eps), wanted_core)


@pytest.mark.parametrize("max_eps", [np.inf, 5.0])
def test_far_from_the_origin(max_eps):
    x = np.array([[0.0], [1.0], [3.0], [4.5]])
    reach, core = expected_in_worlds(ic.as_uncertain(x + 2.0**40).worlds(1), 2, max_eps)
    np.testing.assert_array_equal(core, [1.0, 1.0, 1.5, 1.5])
    if max_eps == 5.0:
        reach = reach.toarray()
    np.testing.assert_array_equal(reach[0], [1.0, 1.0, 3.0, 4.5])


@pytest.mark.parametrize("seed", range(3))
def test_worlds_against_all_combinations(seed):
    values = np.random.default_rng(seed).normal(size=(4, 3, 2))
    data = ic.from_array(values)
    each = [reach_in_world(world, 3)[0] for world in all_worlds(values)]
    reach, _ = expected_in_worlds(data.worlds(2000, seed), 3, np.inf)
    error = np.std(each, axis=0) / np.sqrt(2000)
    assert (np.abs(reach - np.mean(each, axis=0)) <= 4 * error + 1e-12).all()


@pytest.mark.parametrize("max_eps", [np.inf, 1.5])
@pytest.mark.parametrize(("seed", "m"), [(0, 1), (1, 2), (2, 3)])
def test_grid_against_all_combinations(seed, m, max_eps):
    # Distances from a certain object are independent of each other.
    values = np.random.default_rng(seed).normal(size=(5, 3, 2))
    values[0] = values[0, 0]
    wanted_reach, wanted_core = expected(all_worlds(values), m, max_eps)
    law = ic.from_array(values).law
    reach, core = expected_on_grid(law, m, max_eps, 300, seed)
    full = reach if np.isinf(max_eps) else dense(reach, max_eps)
    np.testing.assert_allclose(full[0], wanted_reach[0], atol=0.05)
    assert min(core[0], max_eps) == pytest.approx(wanted_core[0], abs=0.05)
    assert (full >= np.minimum(core, max_eps)[:, None]).all()


def test_grid_against_a_closed_form():
    mean, std = np.array([[0.0], [1.0], [-2.0]]), np.array([[0.0], [0.7], [0.3]])
    law = ic.from_gaussian(mean, std=std).law
    # With 1 object needed, that is o itself, reach is the distance: a folded normal.
    reach, core = expected_on_grid(law, 1, np.inf, 300, 0)
    np.testing.assert_allclose(core, 0.0, atol=1e-12)
    for p in (1, 2):
        law_of_distance = foldnorm(abs(mean[p, 0]) / std[p, 0], scale=std[p, 0])
        assert reach[0, p] == pytest.approx(law_of_distance.mean(), abs=2e-3)


def test_grid_and_worlds_agree_where_distances_are_independent():
    mean = np.array([[0.0], [1.0], [-2.0], [2.5], [0.4]])
    std = np.array([[0.0], [0.7], [0.3], [1.0], [0.2]])
    data = ic.from_gaussian(mean, std=std)
    for max_eps in (np.inf, 2.0):
        drawn, drawn_core = expected_in_worlds(data.worlds(1000, 0), 3, max_eps)
        reach, core = expected_on_grid(data.law, 3, max_eps, 200, 0)
        if max_eps == 2.0:
            drawn, reach = dense(drawn, 2.0), dense(reach, 2.0)
        np.testing.assert_allclose(reach[0], drawn[0], atol=0.05)
        assert core[0] == pytest.approx(drawn_core[0], abs=0.05)


@given(data=uncertain_data(["exact", "samples", "array", "worlds"]))
def test_grid_is_bounded(data):
    reach, core = expected_on_grid(data.law, 2, np.inf, 12, 0)
    assert np.isfinite(reach).all()
    assert (core >= 0).all()
    assert (reach >= core[:, None]).all()


@pytest.mark.parametrize("max_eps", [np.inf, 1.0])
def test_more_neighbors_than_objects(max_eps):
    data = ic.from_gaussian([[0.0], [0.1]], std=0.1)
    for reach, core in (
        expected_in_worlds(data.worlds(3), 3, max_eps),
        expected_on_grid(data.law, 3, max_eps, 10, 0),
    ):
        assert np.isinf(core).all()
        same(order(reach, core), ([0, 1], [np.inf, np.inf], [-1, -1]))


@pytest.mark.parametrize("max_eps", [np.inf, 1.0])
def test_objects_that_coincide(max_eps):
    data = ic.as_uncertain(np.ones((4, 2)))
    for reach, core in (
        expected_in_worlds(data.worlds(1), 3, max_eps),
        expected_on_grid(data.law, 3, max_eps, 10, 0),
    ):
        np.testing.assert_array_equal(core, 0.0)
        same(order(reach, core), ([0, 1, 2, 3], [np.inf, 0, 0, 0], [-1, 0, 0, 0]))


def test_share_of_pairs_within():
    x = np.random.default_rng(0).normal(size=(50, 2))
    assert share_within(x, 1.0) == pytest.approx((cdist(x, x) <= 1.0).mean())


# -- the order -----------------------------------------------------------------------


@given(seed=seeds, n=st.integers(1, 12), ties=st.booleans())
def test_order_of_a_dense_matrix(seed, n, ties):
    rng = np.random.default_rng(seed)
    reach = rng.integers(1, 4, (n, n)) * 1.0 if ties else rng.uniform(1, 2, (n, n))
    core = np.where(rng.random(n) < 0.2, np.inf, 0.5)
    first = rng.permutation(n)
    same(order(reach, core, first), optics(reach, core, first))
    same(order(reach, core), optics(reach, core, np.arange(n)))


@given(seed=seeds, n=st.integers(1, 12), ties=st.booleans())
def test_order_of_a_sparse_matrix(seed, n, ties):
    rng = np.random.default_rng(seed)
    reach = rng.integers(1, 4, (n, n)) * 1.0 if ties else rng.uniform(1, 2, (n, n))
    stored = rng.random((n, n)) < 0.4
    core = np.where(rng.random(n) < 0.2, np.inf, 0.5)
    first = rng.permutation(n)
    found = order(csr_array(np.where(stored, reach, 0.0)), core, first)
    same(found, optics(np.where(stored, reach, np.inf), core, first))


def test_objects_that_are_never_reached_start_anew():
    reach = csr_array(([0.5], ([2], [0])), shape=(3, 3))
    found = order(reach, np.array([np.inf, np.inf, 0.1]))
    same(found, ([0, 1, 2], [np.inf] * 3, [-1] * 3))


# -- clusters ------------------------------------------------------------------------


def ordered(x, m, max_eps=np.inf):
    reach, core = expected_in_worlds(ic.as_uncertain(x).worlds(1), m, max_eps)
    return order(reach, core), core


def points(seed, n, digits):
    return np.random.default_rng(seed).normal(size=(n, 2)).round(digits)


def best_by_hand(found, core, k, size):
    """Number of clusters and of noise objects at the best of all cuts."""
    every = np.append(found.reachability, core)
    options = []
    for cut in every[np.isfinite(every)]:
        labels = cluster_optics_dbscan(
            reachability=found.reachability,
            core_distances=core,
            ordering=found.ordering,
            eps=cut,
        )
        sizes = np.bincount(labels[labels >= 0])
        large = sizes[sizes >= size]
        options.append((abs(len(large) - k), -len(large), len(core) - large.sum()))
    _, number, noise = min(options)
    return -number, noise


@given(
    seed=seeds,
    n=st.integers(3, 20),
    m=st.integers(1, 3),
    k=st.integers(1, 5),
    size=st.integers(1, 6),
    digits=st.sampled_from([0, 9]),
    max_eps=st.sampled_from([np.inf, 0.8]),
)
def test_number_of_clusters(seed, n, m, k, size, digits, max_eps):
    found, core = ordered(points(seed, n, digits), m, max_eps)
    labels, levels, cut = clusters_by_number(found, core, k, size, max_eps)
    if np.isinf(found.reachability).all() and (size > 1 or np.isinf(core).all()):
        assert (labels == -1).all()
        return
    number, noise = best_by_hand(found, core, k, size)
    assert (len(levels), (labels == -1).sum()) == (number, noise)
    assert labels.max() + 1 == number
    np.testing.assert_array_equal(levels, cut)
    assert cut <= max_eps
    same(clusters_at_cut(found, core, cut, size), (labels, levels, cut))


def test_the_cut_is_half_way():
    x = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]])
    found, core = ordered(x, 2)
    labels, _, cut = clusters_by_number(found, core, 2, 2)
    np.testing.assert_array_equal(labels, [0, 0, 0, 1, 1, 1])
    assert cut == 4.5  # links are 1 inside clusters, and 8 between them
    assert clusters_by_number(found, core, 1, 2).cut == 8.0  # nothing changes beyond
    found, core = ordered(x, 2, max_eps=3.0)
    assert clusters_by_number(found, core, 2, 2, 3.0).cut == 2.0


def test_more_rather_than_fewer():
    # Two clusters, or four: never three.
    x = np.array([0.0, 1.0, 5.0, 6.0, 50.0, 51.0, 55.0, 56.0])[:, None]
    found, core = ordered(x, 2)
    labels = clusters_by_number(found, core, 3, 2).labels
    np.testing.assert_array_equal(labels, [0, 0, 1, 1, 2, 2, 3, 3])


def test_least_noise():
    # Two clusters at 1 already, but at 2 the object at 4 is with them.
    x = np.array([0.0, 1.0, 2.0, 4.0, 50.0, 51.0, 52.0])[:, None]
    found, core = ordered(x, 2)
    labels = clusters_by_number(found, core, 2, 3).labels
    np.testing.assert_array_equal(labels, [0, 0, 0, 0, 1, 1, 1])


@given(seed=seeds, eps=st.floats(0.0, 2.0), m=st.integers(1, 4))
def test_a_cut_is_scikit_learns(seed, eps, m):
    found, core = ordered(points(seed, 15, 9), m)
    wanted = cluster_optics_dbscan(
        reachability=found.reachability,
        core_distances=core,
        ordering=found.ordering,
        eps=eps,
    )
    labels, levels, cut = clusters_at_cut(found, core, eps)
    np.testing.assert_array_equal(labels, wanted)
    np.testing.assert_array_equal(levels, np.full(wanted.max() + 1, eps))
    assert cut == eps


def test_small_clusters_at_a_cut_are_noise():
    found, core = ordered(np.array([[0.0], [1.0], [9.0], [10.0], [11.0]]), 2)
    labels, levels, _ = clusters_at_cut(found, core, 2.0, min_cluster_size=3)
    np.testing.assert_array_equal(labels, [-1, -1, 0, 0, 0])
    np.testing.assert_array_equal(levels, [2.0])


@given(seed=seeds, m=st.integers(2, 4))
def test_levels_of_steep_clusters(seed, m):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(24, 2)) + 8.0 * rng.integers(3, size=(24, 1))
    found, core = ordered(x, m)
    labels, levels, cut = clusters_by_steepness(found, core, 0.05, m, m)
    assert cut is None
    assert len(levels) == labels.max() + 1
    for c, level in enumerate(levels):
        members = [o for o in found.ordering if labels[o] == c]
        assert level == max(found.reachability[o] for o in members[1:])


def test_nothing_is_steep_where_nothing_is_reached():
    alone = Ordering(np.arange(3), np.full(3, np.inf), np.full(3, -1))
    labels, levels, _ = clusters_by_steepness(alone, np.full(3, np.inf), 0.05, 2, 2)
    np.testing.assert_array_equal(labels, -1)
    assert len(levels) == 0


def test_steep_clusters_of_objects_that_coincide():
    x = np.repeat([[0.0], [5.0]], 6, axis=0)
    found, core = ordered(x, 3)
    labels, levels, _ = clusters_by_steepness(found, core, 0.05, 3, 3)
    np.testing.assert_array_equal(labels, np.repeat([0, 1], 6))
    np.testing.assert_array_equal(levels, 0.0)


def test_a_neighbor_at_the_very_cap_counts():
    for d in (1, 20):  # by a tree, and by all pairs
        world = np.zeros((3, d))
        world[:, 0] = [0.0, 2.0, 4.5]
        worlds = ic.as_uncertain(world).worlds(1, 0)
        reach, core = expected_in_worlds(worlds, 2, 2.0)
        np.testing.assert_array_equal(core, [2.0, 2.0, np.inf])
        np.testing.assert_array_equal(dense(reach, np.inf)[0], [2.0, 2.0, np.inf])


def test_an_object_in_order_keeps_what_it_was_reached_at():
    # Object 0 is near the last, 2, which comes after it.
    reach = np.array([[9.0, 1.0, 5.0], [9.0, 9.0, 4.0], [0.5, 9.0, 9.0]])
    found = order(reach, np.zeros(3))
    assert found.ordering.tolist() == [0, 1, 2]
    assert found.reachability.tolist() == [np.inf, 1.0, 4.0]
    assert found.predecessor.tolist() == [-1, 0, 1]
