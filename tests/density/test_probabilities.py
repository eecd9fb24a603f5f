"""Core and reachability probabilities, expansion, and labels in worlds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

import incerta as ic
from incerta.density.in_worlds import labels_in_worlds, new_labels_in_worlds
from incerta.density.persistence import (
    core_distances,
    knee,
    neighbor_distances,
)
from incerta.density.probabilities import (
    Reach,
    grown,
    of_marginals,
    of_products,
    of_threshold,
    of_values,
    of_worlds,
)
from incerta.density.within import within
from tests.density import oracle
from tests.density.test_within import as_data, few_objects
from tests.strategies import make


def by_values(data, m, eps):
    return of_values(data.law, m, eps, n_values=32, seed=0, fast=False)


@given(objects=few_objects(most=4), m=st.integers(1, 5))
def test_exact_is_the_brute_force_over_all_worlds(objects, m):
    core, reached = oracle.exact(objects, 1.0, m)
    found = by_values(as_data(objects), m, 1.0)
    np.testing.assert_allclose(found.core, core, atol=1e-12)
    np.testing.assert_allclose(found.reached.toarray(), reached, atol=1e-12)


@given(objects=few_objects(most=5), m=st.integers(1, 6))
def test_marginal_is_the_brute_force_over_all_subsets(objects, m):
    table = oracle.within(objects, 1.5)
    core, reached = oracle.marginal(table, m)
    found = of_marginals(within(as_data(objects).law, 1.5), m)
    np.testing.assert_allclose(found.core, core, atol=1e-12)
    np.testing.assert_allclose(found.reached.toarray(), reached, atol=1e-12)


def test_why_it_matters():
    # o is at 0 or 10, p and q are at 0: both neighbors are there, or none is.
    data = ic.from_samples([[0.0], [10.0], [0.0], [0.0]], [0, 0, 1, 2])
    marginal = of_marginals(within(data.law, 1.0), 3)
    np.testing.assert_allclose(marginal.core[0], 0.25)
    np.testing.assert_allclose(marginal.reached.toarray()[0, 1], 0.25)
    exact = by_values(data, 3, 1.0)
    np.testing.assert_allclose(exact.core[0], 0.5)
    np.testing.assert_allclose(exact.reached.toarray()[0, 1], 0.5)


@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 6))
def test_identities(seed, m):
    data = make("gaussian", n=7, d=2, seed=seed)
    table = within(data.law, 3.0)
    dense = table.toarray()
    found = of_marginals(table, m)
    reached = found.reached.toarray()
    assert (reached <= np.minimum(found.core[:, None], dense) + 1e-12).all()
    # Σ_p P_reach(p|o) = E |N| 1{|N| ≥ m}
    tails = [of_marginals(table, c).core for c in range(1, 9)]
    expected = m * tails[m - 1] + sum(tails[m:8])
    np.testing.assert_allclose(reached.sum(axis=1), expected, atol=1e-9)
    products = of_products(table, m)
    np.testing.assert_array_equal(products.core, found.core)
    assert (products.reached.toarray() <= reached + 1e-12).all()
    if m == 1:
        np.testing.assert_allclose(found.core, 1.0)
    more = of_marginals(within(data.law, 4.0), m)
    assert (more.core >= found.core - 1e-9).all()
    assert (of_marginals(table, m + 1).core <= found.core + 1e-12).all()


@pytest.mark.parametrize("kind", ["samples", "weighted", "gaussian", "correlated"])
def test_worlds_agree_with_exact(kind):
    data = make(kind, n=9, d=2, seed=2)
    exact = of_values(data.law, 3, 3.0, n_values=512, seed=0, fast=False)
    worlds = of_worlds(data.worlds(2000, 0), 3, 3.0)
    slack = 4 * np.sqrt(0.25 / 2000)
    if kind in ("gaussian", "correlated"):
        slack += 4 * np.sqrt(0.25 / 512)
    np.testing.assert_allclose(worlds.core, exact.core, atol=slack)
    dense = exact.reached.toarray()
    np.testing.assert_allclose(worlds.reached.toarray(), dense, atol=slack)


def test_least_leaves_out_what_cannot_count():
    table = within(make("gaussian", n=40, d=2, seed=1).law, 2.5)
    everything = of_marginals(table, 4)
    some = of_marginals(table, 4, least=0.5)
    np.testing.assert_array_equal(some.core, everything.core)
    dense = everything.reached.toarray()
    np.testing.assert_allclose(
        some.reached.toarray()[dense >= 0.5], dense[dense >= 0.5], rtol=1e-12
    )


def test_threshold_counts_neighbors():
    table = csr_array([[1.0, 0.6, 0.5], [0.6, 1.0, 0.4], [0.5, 0.4, 1.0]])
    found = of_threshold(table, 3, 0.5)
    np.testing.assert_array_equal(found.core, [1.0, 0.0, 0.0])
    expected = [[1.0, 0.6, 0.5], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    np.testing.assert_array_equal(found.reached.toarray(), expected)


@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 9),
    below=st.sampled_from([0, 0.5]),
    alone=st.booleans(),
)
def test_expansion_against_repeated_scanning(seed, n, below, alone):
    rng = np.random.default_rng(seed)
    core = rng.random(n)
    reached = rng.random((n, n)) * (rng.random((n, n)) < 0.5)
    reach = Reach(core, csr_array(reached))
    labels, found_core = grown(reach, 0.4, 0.6, below, alone=alone)
    expected = oracle.labels(core, reached, 0.4, 0.6, below, alone)
    assert set(found_core) <= set(np.flatnonzero(core >= 0.4))
    if alone:
        np.testing.assert_array_equal(found_core, np.flatnonzero(core >= 0.4))
    # Equal as partitions; numbers are given later.
    pairs = {*zip(labels.tolist(), expected.tolist())}
    assert len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs)
    np.testing.assert_array_equal(labels < 0, expected < 0)


def test_expansion_does_not_depend_on_the_order():
    rng = np.random.default_rng(0)
    core, reached = rng.random(30), rng.random((30, 30)) * (rng.random((30, 30)) < 0.1)
    labels, _ = grown(Reach(core, csr_array(reached)), 0.3, 0.5, 0.0)
    shuffle = rng.permutation(30)
    again, _ = grown(
        Reach(core[shuffle], csr_array(reached[np.ix_(shuffle, shuffle)])),
        0.3,
        0.5,
        0.0,
    )
    np.testing.assert_array_equal(
        labels[shuffle][:, None] == labels[shuffle], again[:, None] == again
    )


def slow_labels(world, labels, levels, m):
    """Labels in a world, from the definition."""
    gaps = np.linalg.norm(world[:, None] - world, axis=2)
    out = []
    core = [q >= 0 and (gaps[i] <= levels[q]).sum() >= m for i, q in enumerate(labels)]
    for i, own in enumerate(labels):
        others = [
            (gaps[i, q], labels[q])
            for q in range(len(labels))
            if q != i and core[q] and gaps[i, q] <= levels[labels[q]]
        ]
        nearest = [
            (gaps[i, q], labels[q]) for q in range(len(labels)) if q != i and core[q]
        ]
        if own >= 0 and any(label == own for _, label in others):
            out.append(own)
        elif nearest and min(nearest)[0] <= levels[min(nearest)[1]]:
            out.append(min(nearest)[1])
        else:
            out.append(own if core[i] else -1)
    return out


# With few features trees are searched, with many the distances of all pairs.
@given(
    seed=st.integers(0, 2**32 - 1), m=st.integers(1, 4), d=st.sampled_from([1, 2, 20])
)
def test_labels_in_worlds_are_the_definition(seed, m, d):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 15))
    data = ic.from_gaussian(rng.normal(size=(n, d)) * 3, std=1.0)
    labels = rng.integers(-1, 3, n)
    levels = np.sqrt(d / 2) * np.array([2.0, 4.0, 3.0])
    worlds = data.worlds(3, 0)
    found = labels_in_worlds(worlds, labels, levels, m)
    expected = [slow_labels(world, labels, levels, m) for world in worlds]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_features", [1, 20])
def test_new_objects_in_worlds(n_features):
    others = np.zeros(n_features - 1)
    data = ic.as_uncertain([[x, *others] for x in (0, 0.1, 0.2, 9, 9.1, 9.2, 50)])
    labels = np.array([0, 0, 0, 1, 1, 1, -1])
    new = ic.as_uncertain([[x, *others] for x in (0.5, 9.9, 5, 50)])
    found = new_labels_in_worlds(
        data.worlds(1, 0), new.worlds(1, 0), labels, np.array([1.0, 1.0]), 3
    )
    np.testing.assert_array_equal(found, [[0, 1, -1, -1]])


def test_no_clusters_is_all_noise():
    worlds = ic.from_gaussian(np.zeros((4, 1)), std=1.0).worlds(2, 0)
    nothing = np.full(4, -1), np.empty(0)
    np.testing.assert_array_equal(labels_in_worlds(worlds, *nothing, 1), -1)
    np.testing.assert_array_equal(new_labels_in_worlds(worlds, worlds, *nothing, 1), -1)


def test_radius():
    rng = np.random.default_rng(0)
    blob, outliers = rng.normal(size=(200, 2)), rng.uniform(-30, 30, size=(10, 2))
    worlds = ic.as_uncertain(np.concatenate([blob, outliers])).worlds(1, 0)
    distances = neighbor_distances(worlds, 5)
    assert (np.diff(distances) >= 0).all()
    assert 0.5 < knee(distances) < 2.0
    assert knee(np.array([3.0])) == 3.0
    assert knee(np.zeros(4)) == 0.0
    assert len(neighbor_distances(worlds, 10_000)) == 210


def test_what_is_never_reached_is_noise_whatever_is_asked_for():
    # A stored zero: what is not stored is noise in any case.
    places = np.array([0, 0, 0, 1, 1]), np.array([0, 1, 2, 0, 1])
    reached = csr_array((np.array([1.0, 1.0, 0.0, 1.0, 1.0]), places), shape=(3, 3))
    labels, _ = grown(Reach(np.array([1.0, 1.0, 0.0]), reached), 0.5, 0.5, 0.0)
    assert labels.tolist() == [0, 0, -1]


def test_of_equally_probable_clusters_the_first():
    reached = csr_array([[1.0, 0.0, 0.7], [0.0, 1.0, 0.7], [0.0, 0.0, 1.0]])
    reach = Reach(np.array([1.0, 1.0, 0.0]), reached)
    labels, _ = grown(reach, 0.5, 0.9, 0.0, alone=True)
    assert labels.tolist() == [0, 1, 0]


def test_reachability_starts_only_where_an_object_can_be_core():
    table = within(make("gaussian", n=40, d=2, seed=1).law, 2.5)
    some = of_marginals(table, 6, least=0.5)
    stored = np.diff(some.reached.indptr)
    assert (some.core < 0.5).any()
    np.testing.assert_array_equal(stored[some.core < 0.5], 0)
    assert (stored[some.core >= 0.5] > 0).all()


def test_products_take_the_core_of_the_object_they_start_from():
    table = csr_array([[1.0, 0.5, 0.5], [0.5, 1.0, 0.0], [0.5, 0.0, 1.0]])
    found = of_products(table, 2)
    np.testing.assert_allclose(found.core, [0.75, 0.5, 0.5])
    expected = found.core[:, None] * table.toarray()
    np.testing.assert_allclose(found.reached.toarray(), expected)


def test_new_objects_by_the_radius_of_the_nearest_cluster():
    data = ic.as_uncertain([[x] for x in (0.0, 0.1, 50.0, 50.1)])
    new = ic.as_uncertain([[x] for x in (3.0, 47.0)])
    levels, labels = np.array([1.0, 5.0]), np.array([0, 0, 1, 1])
    worlds = data.worlds(1, 0), new.worlds(1, 0)
    found = new_labels_in_worlds(*worlds, labels, levels, 2)
    np.testing.assert_array_equal(found, [[-1, 1]])


@given(st.integers(0, 999), st.integers(1, 8))
def test_core_distances_count_the_object_itself(seed, m):
    data = make("gaussian", n=6, d=2, seed=seed)
    worlds = data.worlds(3, 0)
    found = core_distances(worlds, m)
    for world, row in zip(worlds, found, strict=True):
        gaps = np.sort(np.linalg.norm(world[:, None] - world, axis=2), axis=1)
        np.testing.assert_allclose(row, gaps[:, min(m, 6) - 1])


def test_a_straight_curve_has_its_knee_at_the_end():
    assert knee(np.array([0.0, 1.0, 2.0, 3.0])) == 3.0
