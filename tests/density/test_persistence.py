"""Clusters that last, and the radius that tells them apart."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta.density.persistence import (
    Tree,
    nearest,
    nested_clusters,
    persistent_radius,
    tree_of,
    typical_distances,
)
from incerta.metrics import clustering_accuracy


def some_data(seed, kind):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    place, size = rng.normal(size=(n, 2)), rng.uniform(0.1, 2.0, (n, 1)) * np.ones(2)
    draws = place + size * rng.normal(size=(15, n, 2))
    return {
        "samples": lambda: ic.from_array(draws.transpose(1, 0, 2)),
        "gaussian": lambda: ic.from_gaussian(place, std=size),
        "exact": lambda: ic.as_uncertain(place),
        "joint": lambda: ic.from_worlds(draws),
    }[kind]()


@given(
    st.integers(0, 10**6),
    st.sampled_from(["samples", "gaussian", "exact", "joint"]),
    st.integers(1, 30),
)
def test_nearest_by_definition(seed, kind, k):
    data = some_data(seed, kind)
    mean, own = data.mean(), data.variance().sum(axis=1)
    squares = np.square(mean[:, None] - mean).sum(axis=2) + own[:, None] + own
    if kind == "joint":
        draws = data.law.draws
        squares = np.square(draws[:, :, None] - draws[:, None]).sum(axis=3).mean(axis=0)
    np.fill_diagonal(squares, np.inf)
    found = nearest(data.law, k)
    k = min(k, len(data) - 1)
    assert found.shape == (len(data), k)
    np.testing.assert_allclose(
        np.sort(np.take_along_axis(squares, found, axis=1), axis=1),
        np.sort(squares, axis=1)[:, :k],
    )


@pytest.mark.parametrize("kind", ["gaussian", "joint"])
def test_typical_distances_are_medians(kind):
    rng = np.random.default_rng(0)
    place, size = rng.normal(size=(9, 3)), rng.uniform(0.1, 2.0, (9, 3))
    data = ic.from_gaussian(place, std=size)
    worlds = np.array(list(data.worlds(4000, 0)))
    if kind == "joint":
        data = ic.from_worlds(worlds[:20])
        worlds = worlds[:20]
    near = nearest(data.law, 4)
    apart = np.linalg.norm(worlds[:, :, None] - worlds[:, near], axis=3)
    found = typical_distances(data.law, near)
    tolerance = 0.3 if kind == "joint" else 0.04  # 20 draws
    np.testing.assert_allclose(found, np.median(apart, axis=0), rtol=tolerance)


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_of_exact_data_pieces_are_those_of_dbscan(seed, m):
    data = some_data(seed, "exact")
    m = min(m, len(data))
    tree = tree_of(data.law, data.worlds(1, 0), m)
    for radius in np.quantile(tree.radii, [0.3, 0.6, 0.9]) * 1.0001:
        pieces = tree.joined_at(radius)
        found = DBSCAN(eps=radius, min_samples=m).fit(data.mean())
        core = found.core_sample_indices_
        np.testing.assert_array_equal(np.flatnonzero(tree.core <= radius), core)
        assert adjusted_rand_score(found.labels_[core], pieces[core]) == 1.0


def test_joined_objects_are_both_core():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        data = ic.as_uncertain(rng.normal(size=(120, 2)))
        # So many that an object may be far from core, and not know the other.
        tree = tree_of(data.law, data.worlds(1, 0), 60)
        both = np.maximum(tree.core[tree.first], tree.core[tree.second])
        assert (tree.radii >= both).all()


@given(st.integers(0, 10**6))
def test_clusters_keep_their_number_until_they_fall_apart(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 40))
    ends = np.arange(1, n), rng.integers(0, np.arange(1, n))
    tree = Tree(
        core=np.zeros(n),
        first=ends[0],
        second=ends[1],
        radii=rng.uniform(0.1, 1.0, n - 1),
        places=np.zeros((n, 1)),
        scale=1.0,
    )
    radii = np.linspace(1.0, 0.1, 12)
    found = nested_clusters(tree, radii, 3)
    for above, below in pairwise(found):
        for number in np.unique(above[above >= 0]):
            inside = np.unique(below[(above == number) & (below >= 0)])
            # One cluster of what was one is the same; several are all new.
            assert list(inside) in ([], [number]) or number not in inside
    for row, radius in zip(found, radii, strict=True):
        pieces = tree.joined_at(radius)
        kept = np.bincount(pieces)[pieces] >= 3
        np.testing.assert_array_equal(row >= 0, kept)
        assert adjusted_rand_score(pieces[kept], row[kept]) == 1.0


# what comes of it -------------------------------------------------------------------


@pytest.mark.parametrize("method", ["FDBSCAN", "PDBSCAN"])
@pytest.mark.parametrize("shape", ["moons", "rings"])
def test_bent_clusters_are_found_without_a_radius(method, shape):
    make = getattr(ic.datasets, f"make_uncertain_{shape}")
    for seed in range(2):
        data, truth = make(300, uncertainty=0.05, random_state=seed)
        result = ic.cluster(data, method=method, random_state=seed)
        assert clustering_accuracy(truth, result.labels) > 0.95


def test_one_cut_of_an_ordering():
    data, truth = ic.datasets.make_uncertain_moons(
        400, uncertainty=0.05, random_state=1
    )
    found = ic.FOPTICS(n_worlds=10, random_state=0).fit(data)
    assert clustering_accuracy(truth, found.labels_) > 0.95


@pytest.mark.parametrize("law", ["normal", "random", "exponential"])
def test_data_without_structure_are_one_cluster(law):
    rng = np.random.default_rng(5)
    values = getattr(rng, law)(size=(300, 2))
    data = ic.from_gaussian(values + 0.1 * rng.normal(size=values.shape), std=0.1)
    result = ic.cluster(data, method="FDBSCAN")
    sizes = np.bincount(result.labels[result.labels >= 0])
    assert sizes.max() > 0.9 * len(data)


def test_rounded_values_coincide():
    rng = np.random.default_rng(0)
    values = np.repeat([[0.0, 0.0], [12.0, 0.0], [0.0, 12.0]], 80, axis=0)
    values = np.round(values + rng.normal(size=values.shape))
    found = ic.FDBSCAN(random_state=0).fit(values)
    assert clustering_accuracy(np.repeat([0, 1, 2], 80), found.labels_) > 0.95


def test_a_radius_for_what_has_none():
    alone = ic.from_gaussian([[0.0, 0.0]], std=1.0)
    for data in (alone, ic.as_uncertain(np.zeros((20, 2)))):
        tree = tree_of(data.law, data.worlds(3, 0), 5)
        assert persistent_radius(tree, 5) >= 0.0
    far = np.repeat([[0.0], [1000.0]], 30, axis=0)
    far = far + np.random.default_rng(0).normal(size=far.shape)
    tree = tree_of(ic.as_uncertain(far).law, ic.as_uncertain(far).worlds(1, 0), 5)
    assert 0.3 < persistent_radius(tree, 5) < 500.0  # pieces that are never joined
