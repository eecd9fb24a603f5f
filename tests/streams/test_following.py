"""Which cluster is which: matching against all permutations, names that last."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.streams.following import Follower, heavy, matched
from incerta.streams.macro import macro_labels, number_of_clusters
from incerta.streams.sketch import empty, grouped


def squared(a, b, s, t):
    """Squared distance of two centers, feature by feature."""
    return np.mean(
        [(x - y) ** 2 / ((u**2 + v**2) / 2) for x, y, u, v in zip(a, b, s, t)]
    )


def cost(pairs, old, new, s, t, gate):
    """What pairs cost: their distances, and the gate for all others."""
    n_alone = max(len(old), len(new)) - len(pairs)
    apart = [squared(old[i], new[j], s[i], t[j]) for i, j in pairs]
    return sum(apart) + n_alone * gate**2


def all_pairings(n_old, n_new):
    """Every way to pair some of the one with some of the other."""
    n = max(n_old, n_new)
    for order in permutations(range(n)):
        pairs = [(i, j) for i, j in enumerate(order) if i < n_old and j < n_new]
        for chosen in range(2 ** len(pairs)):
            yield [p for b, p in enumerate(pairs) if chosen >> b & 1]


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4), st.integers(1, 2))
def test_matching_is_the_best_of_all(seed, n_old, n_new, d):
    rng = np.random.default_rng(seed)
    old, new = rng.normal(size=(n_old, d)), rng.normal(size=(n_new, d))
    s, t = rng.uniform(0.3, 2, size=(n_old, d)), rng.uniform(0.3, 2, size=(n_new, d))
    gate = rng.uniform(0.1, 3.0)
    found = matched(old, new, s, t, gate)
    pairs = [(int(i), j) for j, i in enumerate(found) if i >= 0]
    assert len({i for i, _ in pairs}) == len(pairs)
    best = min(cost(p, old, new, s, t, gate) for p in all_pairings(n_old, n_new))
    assert cost(pairs, old, new, s, t, gate) == pytest.approx(best)
    assert all(squared(old[i], new[j], s[i], t[j]) < gate**2 for i, j in pairs)


def parts_at(centers, weight=100.0, scatter=1.0):
    """Clusters of known moments."""
    centers = np.asarray(centers, dtype=float)
    out = empty(centers.shape[1], len(centers))
    return out._replace(
        weight=np.full(len(centers), weight),
        mean=centers,
        scatter=np.full(centers.shape, weight * scatter),
        number=np.full(len(centers), int(weight)),
    )


def kinds(events):
    return [(e.kind, e.cluster.number) for e in events]


def test_names_last_whatever_the_order():
    follower = Follower()
    first = kinds(follower.look(parts_at([[0, 0], [9, 0], [0, 9]]), 100))
    assert first == [("new", 0), ("new", 1), ("new", 2)]
    assert follower.look(parts_at([[0, 9.1], [0.1, 0], [9, 0]]), 200) == []
    assert [one.center.tolist() for one in follower.clusters] == [
        [0.1, 0],
        [9, 0],
        [0, 9.1],
    ]
    assert {one.since for one in follower.clusters} == {100}


def test_new_moved_and_gone():
    follower = Follower()
    follower.look(parts_at([[0], [20]]), 100)
    events = follower.look(parts_at([[1.5], [50]]), 200)
    assert kinds(events) == [("new", 2), ("moved", 0), ("gone", 1)]
    moved = events[1]
    assert moved.before.center.tolist() == [0.0]
    # A spread of 1 and 100 objects: each center is uncertain by 0.1.
    assert moved.ratio == pytest.approx(1.5 / np.hypot(0.1, 0.1), rel=1e-3)
    # What comes back later is another one, as far as anybody can know.
    assert kinds(follower.look(parts_at([[1.5], [20]]), 300)) == [
        ("new", 3),
        ("gone", 2),
    ]


def test_slow_drift_is_told_once_it_has_added_up():
    follower = Follower()
    told = []
    for step in range(11):
        told.append(len(follower.look(parts_at([[0.1 * step]], weight=1e4), step)))
    assert told[0] == 1
    assert told[1:3] == [0, 0]
    assert sum(told[1:]) == 3


def test_equal_values_have_a_spread():
    follower = Follower()
    parts = parts_at([[1.0], [2.0]], scatter=0.0)
    follower.look(parts, 10)
    assert follower.look(parts, 20) == []
    alone = parts_at([[5.0]], scatter=0.0)
    assert kinds(Follower().look(alone, 1)) == [("new", 0)]


def test_no_cluster_at_all():
    follower = Follower()
    follower.look(parts_at([[0.0]]), 1)
    assert kinds(follower.look(empty(1), 2)) == [("gone", 0)]


def test_light_and_past_micro_clusters_are_left_out():
    sketch = parts_at([[0.0], [1.0], [2.0]])._replace(
        weight=np.array([500.0, 1.0, 499.0]), last=np.array([10.0, 99.0, 98.0])
    )
    assert heavy(sketch).mean.ravel().tolist() == [0.0, 2.0]
    assert heavy(sketch, since=50.0).mean.ravel().tolist() == [2.0]
    assert heavy(sketch, since=200.0).n == 2


def stationary(seed, k, n=6000, every=500):
    """Events of a stream in which nothing happens, after the first look."""
    rng = np.random.default_rng(seed)
    stream, follower, told = ic.UMicro(k, half_life=2000.0), Follower(), []
    for _ in range(n // every):
        centers = 8.0 * rng.integers(k, size=(every, 1)) * np.array([1.0, 0.5])
        values = centers + rng.normal(size=(every, 2))
        stream.partial_fit(ic.from_gaussian(values, std=0.3))
        sketch = heavy(stream.micro_clusters_, stream.time_ - 2000.0)
        labels = macro_labels(sketch, k, "UKMeans", 0)
        told.append(kinds(follower.look(grouped(sketch, labels, k), stream.n_seen_)))
    return told[1:]


@pytest.mark.parametrize("k", [1, 3])
def test_nothing_is_told_where_nothing_happens(k):
    assert sum(map(len, stationary(0, k))) == 0


@pytest.mark.parametrize("k", [1, 2, 4])
def test_number_of_round_and_long_clusters(k):
    rng = np.random.default_rng(k)
    centers = 8.0 * rng.integers(k, size=(1000, 1)) * np.array([1.0, 0.5])
    long = np.linalg.cholesky([[1.0, 0.8], [0.8, 1.0]])
    values = centers + rng.normal(size=(1000, 2)) @ long.T
    sketch = heavy(ic.UMicro().fit(values).micro_clusters_)
    assert number_of_clusters(sketch, 0) == k


def test_number_of_a_single_value():
    assert number_of_clusters(ic.UMicro().fit(np.ones((5, 2))).micro_clusters_, 0) == 1
