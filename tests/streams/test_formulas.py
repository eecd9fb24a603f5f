"""Streams in small, where all ways can be tried or all sums be written down."""

from itertools import product

import numpy as np
import pytest
from sklearn.cluster import KMeans

import incerta as ic
from incerta.divergence import jensen_shannon
from incerta.selection import representatives
from incerta.streams._umicro import Snapshot, at, kept
from incerta.streams.absorbing import (
    Absorbed,
    Room,
    Rule,
    absorb,
    checked_times,
    current_ids,
    pieces,
)
from incerta.streams.macro import macro_labels
from incerta.streams.sketch import empty
from incerta.worlds import as_worlds
from tests.streams.test_umicro import blobs, check_equal


def test_times_go_on_from_the_last_object():
    assert checked_times(None, 3, None).tolist() == [0.0, 1.0, 2.0]
    assert checked_times(None, 2, 7.5).tolist() == [8.5, 9.5]
    assert checked_times([7.5, 7.5], 2, 7.5).tolist() == [7.5, 7.5]


def test_weights_stay_finite_however_long_a_piece_is():
    times = np.arange(0.0, 30_000.0, 100.0)
    assert len(pieces(times, 0.0, None, 10.0)) > 1
    stream = ic.UMicro(1, half_life=10.0)
    stream.partial_fit(np.arange(len(times))[:, None] % 2, times=times)
    found = stream.micro_clusters_
    # What is older than 30 half-lives is forgotten.
    expected = (2.0 ** -(np.arange(3) * 10.0)).sum()
    assert found.weight.sum() == pytest.approx(expected, rel=1e-6)


def test_weights_are_those_of_the_last_object():
    stream = ic.UMicro(1, half_life=3.0)
    stream.partial_fit(np.zeros((5, 1)), times=[0.0, 1.0, 4.0, 4.0, 6.0])
    expected = (2.0 ** ((np.array([0.0, 1.0, 4.0, 4.0, 6.0]) - 6.0) / 3.0)).sum()
    assert stream.micro_clusters_.weight.sum() == pytest.approx(expected)


def test_the_state_of_a_time_is_the_last_one_until_then():
    some = [Snapshot(t, float(t), empty(1)) for t in (2, 4, 5)]
    assert [at(some, t) and at(some, t).tick for t in (1, 2, 3, 4.5, 9)] == [
        None,
        2,
        2,
        4,
        5,
    ]


def test_five_snapshots_of_each_order_stay():
    """Of order r are multiples of 2**r that are none of 2**(r + 1)."""
    some = kept([Snapshot(t, float(t), empty(1)) for t in range(1, 101)])
    expected = []
    for r in range(7):
        ticks = [t for t in range(1, 101) if t % 2**r == 0 and t % 2 ** (r + 1)]
        expected += ticks[-5:]
    assert [one.tick for one in some] == sorted(expected)


def test_k_means_of_micro_clusters_is_that_of_their_objects():
    sketch = empty(1, 3)._replace(
        mean=np.array([[0.0], [1.0], [10.0]]),
        weight=np.array([1000.0, 1000.0, 1.0]),
        id=np.arange(3),
    )
    assert macro_labels(sketch, 2, "UKMeans", 0).tolist() == [0, 1, 1]
    alike = sketch._replace(weight=np.ones(3))
    assert macro_labels(alike, 2, "UKMeans", 0).tolist() == [0, 0, 1]


def test_who_was_joined_again_and_again():
    there = empty(1, 2)._replace(id=np.array([0, 5]))
    joined = np.array([[3, 2], [2, 1], [1, 0], [7, 6]])
    done = Absorbed(Room(there, 2, 9), joined, np.empty(0, np.int64))
    found = current_ids(np.array([3, 5, 2, 7, 4, 0]), done)
    assert found.tolist() == [0, 5, 0, -1, -1, 0]


def test_sure_objects_after_unsure_ones_still_go_to_the_surest():
    data, _ = blobs(300, 2)
    e = np.r_[np.random.default_rng(0).uniform(0.1, 1.0, 200), np.ones(100)]
    how = {"n_micro_clusters": 12, "factor": 1.5, "window": 1e9}
    whole = ic.SlidingUMicro(3, **how).partial_fit(data, existence=e)
    parts = ic.SlidingUMicro(3, **how).partial_fit(data[:200], existence=e[:200])
    parts.partial_fit(data[200:])
    check_equal(parts.micro_clusters_, whole.micro_clusters_)


@pytest.fixture(scope="module")
def heavy_and_light():
    """A stream with micro-clusters of very unequal weights."""
    rng = np.random.default_rng(23)
    values = np.concatenate([rng.normal(0, 1, (400, 2)), rng.normal(3, 2, (30, 2))])
    data = ic.from_gaussian(rng.permutation(values), std=0.5)
    how = {"n_micro_clusters": 9, "n_worlds": 8, "n_representatives": 3}
    stream = ic.StreamRPC(2, **how).fit(data)
    weights = stream.micro_clusters_.weight
    assert weights.max() > 10 * weights.min()
    return stream, weights


def test_no_other_cut_of_the_embedding_is_better(heavy_and_light):
    stream, weights = heavy_and_light
    rows = stream.embedding_

    def misfit(labels):
        parts = [np.flatnonzero(labels == c) for c in range(2)]
        if not all(len(part) for part in parts):
            return np.inf
        return sum(
            weights[part]
            @ np.square(
                rows[part] - np.average(rows[part], axis=0, weights=weights[part])
            ).sum(axis=1)
            for part in parts
        )

    every = (np.array([0, *rest]) for rest in product([0, 1], repeat=len(rows) - 1))
    best = min(map(misfit, every))
    assert misfit(stream.macro_labels_) <= best * (1 + 1e-9)
    unweighted = KMeans(2, n_init=10, random_state=0).fit_predict(rows)
    assert misfit(unweighted) > 2.0 * best


def test_worlds_are_compared_by_weight(heavy_and_light):
    stream, weights = heavy_and_light
    worlds = as_worlds(np.moveaxis(stream._centers, 1, 0))
    relative = weights / weights.mean()
    table = jensen_shannon(worlds, weights=relative)
    expected = representatives(table, 3)
    np.testing.assert_array_equal(stream.representatives_, expected)
    others = [
        representatives(jensen_shannon(worlds, weights=w), 3).tolist()
        for w in (None, relative[::-1].copy())
    ]
    assert any(other != expected.tolist() for other in others)


@pytest.mark.parametrize("engine", ["numpy", "numba"])
@pytest.mark.parametrize("fills", [False, True])
@pytest.mark.parametrize("existence", [None, np.linspace(0.1, 1.0, 40)])
def test_a_single_micro_cluster_takes_all(engine, fills, existence):
    if engine == "numba":
        pytest.importorskip("numba", reason="needs the extra fast")
    data, _ = blobs(40)
    given = data.mean(), data.variance(), np.zeros(40), np.arange(40.0)
    rule = Rule(1.0, 0.0, fills)
    done = absorb(Room(empty(2, 1), 0, 0), *given, rule, engine, existence)
    assert (done.room.n, done.room.next_id, len(done.joined)) == (1, 1, 0)
    weights = np.ones(40) if existence is None else existence
    mean = weights @ data.mean() / weights.sum()
    np.testing.assert_array_equal(done.room.sketch.number, [40])
    np.testing.assert_allclose(done.room.sketch.weight, [weights.sum()])
    np.testing.assert_allclose(done.room.sketch.mean, [mean])
    np.testing.assert_allclose(
        done.room.sketch.scatter, [weights @ (data.mean() - mean) ** 2]
    )


def test_what_came_before_is_taken_off_as_it_is_by_now():
    """Of one micro-cluster that got objects before and after."""
    values = np.random.default_rng(0).normal(size=(200, 1))
    stream = ic.UMicro(1, n_micro_clusters=1, half_life=50.0, snapshot_every=25.0)
    late = stream.fit(values).between(100.0).micro_clusters_
    weights = 2.0 ** ((np.arange(100) - 99.0) / 50.0)
    np.testing.assert_allclose(late.weight, [weights.sum()])
    np.testing.assert_allclose(late.mean, [weights @ values[100:] / weights.sum()])


def test_pieces_that_number_their_objects_from_0_are_drawn_as_one():
    values = np.random.default_rng(0).normal(size=(30, 2))
    how = {"n_worlds": 6, "n_representatives": 2, "n_micro_clusters": 30}
    whole = ic.StreamRPC(2, **how).fit(ic.from_gaussian(values, std=0.5))
    parts = ic.StreamRPC(2, **how)
    for some in (values[:12], values[12:]):
        parts.partial_fit(ic.from_gaussian(some, std=0.5))
    np.testing.assert_allclose(parts._centers, whole._centers)
