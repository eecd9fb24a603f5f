"""SlidingUMicro: what left the window never was; what is unsure counts for less."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
from incerta.streams.absorbing import (
    Room,
    Rule,
    absorb,
    made_room,
    of_objects,
    together,
)
from incerta.streams.sketch import empty
from tests.streams.test_umicro import blobs, check_equal


@parametrize_with_checks([ic.SlidingUMicro()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def totals(sketch, offset):
    """Sums over all micro-clusters: of e, e², e x, e (x - mean)² + …, e ψ², and 1."""
    w = sketch.weight[:, None]
    gap = sketch.mean - offset
    squares = sketch.scatter + w * gap**2
    sums = w, sketch.squares[:, None], w * gap, squares, sketch.error
    return [each.sum(axis=0) for each in sums] + [sketch.number.sum()]


class TestWindow:
    @given(
        st.integers(0, 2**32 - 1),
        st.integers(1, 5),
        st.sampled_from([3, 8, 40]),
        st.sampled_from([0.0, 1e6]),
    )
    @settings(max_examples=25)
    def test_is_what_the_blocks_in_it_are_from_scratch(self, seed, n_blocks, q, offset):
        rng = np.random.default_rng(seed)
        n, d = int(rng.integers(1, 80)), 2
        x = offset + 5.0 * rng.integers(3, size=(n, 1)) + rng.normal(size=(n, d))
        std, e = rng.uniform(0.0, 0.5, (n, d)), rng.uniform(0.2, 1.0, n)
        when = np.cumsum(rng.exponential(1.0, n))
        stream = ic.SlidingUMicro(
            window=3.0 * n_blocks, n_blocks=n_blocks, n_micro_clusters=q
        )
        data = ic.from_gaussian(x, std=std)
        cuts = np.unique(np.r_[0, rng.integers(n + 1, size=4), n])
        for a, b in pairwise(cuts.tolist()):
            stream.partial_fit(data[a:b], times=when[a:b], existence=e[a:b])
        block = np.floor((when - when[0]) / 3.0)
        there = block > block[-1] - n_blocks
        found = stream.micro_clusters_
        ones = np.zeros(there.sum(), dtype=int)
        literal = of_objects(x[there], std[there] ** 2, e[there], when[there], ones)
        for a, b in zip(totals(found, offset), totals(literal, offset), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-7)
        # Block by block, and then micro-cluster by micro-cluster.
        for number, sketch in stream._blocks:
            own = block == number
            parts = x[own], std[own] ** 2, e[own], when[own], np.zeros(own.sum(), int)
            for a, b in zip(
                totals(sketch, offset), totals(of_objects(*parts), offset), strict=True
            ):
                np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-7)
        again = together([sketch for _, sketch in stream._blocks])
        check_equal(found.only(np.argsort(found.id)), again, rtol=1e-7)

    @given(st.integers(0, 2**32 - 1))
    @settings(max_examples=10)
    def test_long_enough_and_all_sure_is_umicro(self, seed):
        data, _ = blobs(150, seed)
        plain = ic.UMicro(n_micro_clusters=12, factor=1.0).fit(data)
        long = ic.SlidingUMicro(n_micro_clusters=12, factor=1.0, window=1e9).fit(data)
        check_equal(long.micro_clusters_, plain.micro_clusters_)
        np.testing.assert_array_equal(long.labels_, plain.labels_)

    def test_what_left_leaves_no_trace(self):
        """Far and large values come and go; what stays is as exact as if alone."""
        data, _ = blobs(300)
        far = ic.from_gaussian(1e9 + data.mean(), std=1.0)
        stream = ic.SlidingUMicro(window=300.0, n_micro_clusters=10).partial_fit(far)
        stream.partial_fit(data)
        assert stream.micro_clusters_.number.sum() == 300
        late = stream.micro_clusters_
        total = np.einsum("q,qd->d", late.weight, late.mean)
        np.testing.assert_allclose(total, data.mean().sum(axis=0))
        assert late.scatter.max() < 1e5

    def test_after_a_long_time_nothing_is_left(self):
        stream = ic.SlidingUMicro(1, window=10.0)
        stream.partial_fit([[0.0], [0.1]], times=[0.0, 1.0])
        stream.partial_fit([[5.0]], times=[1e6])
        np.testing.assert_array_equal(stream.micro_clusters_.mean, [[5.0]])

    def test_drift_is_followed(self):
        rng = np.random.default_rng(0)
        n = 3000
        truth = rng.integers(2, size=n)
        angle = np.pi * np.arange(n) / n
        side = np.where(truth == 0, 5.0, -5.0)[:, None]
        values = side * np.c_[np.cos(angle), np.sin(angle)] + rng.normal(size=(n, 2))
        data = ic.from_gaussian(values, std=0.3)
        stream = ic.SlidingUMicro(2, window=300.0).fit(data)
        late = slice(n - 300, n)
        assert adjusted_rand_score(truth[late], stream.predict(data[late])) > 0.9


class TestExistence:
    @pytest.mark.parametrize("engine", ["numpy", "numba"])
    def test_the_surest_of_those_in_reach(self, engine):
        """Against the rule by the objects themselves."""
        if engine == "numba":
            pytest.importorskip("numba", reason="needs the extra fast")
        further = 0
        for seed in range(60):
            rng = np.random.default_rng(seed)
            ids = np.repeat(np.arange(4), 5)
            x = rng.normal(size=(20, 2)) + 2.0 * rng.normal(size=(4, 2))[ids]
            v, e = rng.random((20, 2)), rng.uniform(0.1, 1.0, 4)[ids]
            sketch = together([of_objects(x, v, e, np.zeros(20), ids)])
            value, error, own = rng.normal(size=(1, 2)), rng.random((1, 2)), 0.6
            apart = sketch.squared_distances(value, error)[0]
            reach = 1.3**2 * sketch.squared_radius()
            expected = 4
            if apart.min() <= reach[apart.argmin()]:
                doubts = [
                    np.average(
                        1.0 - np.r_[e[ids == c], own], weights=np.r_[e[ids == c], own]
                    )
                    for c in range(4)
                ]
                expected = np.where(apart <= reach, doubts, np.inf).argmin()
                further += expected != apart.argmin()
            room = made_room(sketch, 9, 4)
            how = value, error, np.zeros(1), np.zeros(1), Rule(1.3, 0.0), engine
            assert absorb(room, *how, np.array([own])).into[0] == expected
        assert further > 5  # it was not always the nearest

    @pytest.mark.parametrize("e", [1.0, 0.7])
    def test_where_all_are_as_sure_the_nearest_is_taken(self, e):
        data, _ = blobs(200, 3)
        given = data.mean(), data.variance(), np.zeros(200), np.arange(200.0)
        plain = absorb(Room(empty(2, 12), 0, 0), *given, Rule(1.5, 0.0))
        there = np.full(200, e)
        unsure = absorb(
            Room(empty(2, 12), 0, 0), *given, Rule(1.5, 0.0), existence=there
        )
        np.testing.assert_array_equal(unsure.into, plain.into)
        np.testing.assert_allclose(
            unsure.room.sketch.weight, e * plain.room.sketch.weight
        )

    def test_engines_agree(self):
        pytest.importorskip("numba", reason="needs the extra fast")
        data, _ = blobs(300, 1)
        e = np.random.default_rng(0).uniform(0.1, 1.0, 300)
        given = data.mean(), data.variance(), np.arange(300.0), np.arange(300.0)
        one, two = (
            absorb(Room(empty(2, 12), 0, 0), *given, Rule(1.5, 0.01), engine, e)
            for engine in ("numpy", "numba")
        )
        np.testing.assert_array_equal(one.into, two.into)
        check_equal(one.room.sketch, two.room.sketch)

    @pytest.mark.parametrize(
        ("existence", "message"),
        [
            ([0.5], "one number for each of the 2"),
            ([0.5, 1.2], r"existence\[1\]=1.2"),
            ([0.0, 1.0], r"existence\[0\]=0.0 must be above 0 and at most 1"),
            ([0.5, np.nan], r"existence\[1\]=nan"),
        ],
    )
    def test_that_cannot_be(self, existence, message):
        stream = ic.SlidingUMicro()
        with pytest.raises(ValueError, match=message):
            stream.partial_fit([[0.0], [1.0]], existence=existence)
        assert stream.partial_fit([[0.0]]).n_seen_ == 1

    def test_as_river_does(self):
        stream = ic.SlidingUMicro(2)
        for value in (0.0, 9.0, 0.2, 9.3, 0.1):
            stream.learn_one({"x": value}, existence=0.5)
        assert {stream.predict_one({"x": v}) for v in (0.3, 8.0)} == {0, 1}
        assert stream.micro_clusters_.weight.sum() == 2.5


def test_saved_and_pickled(tmp_path):
    data, _ = blobs(400)
    e = np.random.default_rng(0).uniform(0.5, 1.0, 400)
    stream = ic.SlidingUMicro(3, window=150.0)
    stream.partial_fit(data[:230], existence=e[:230])
    stream.save(tmp_path / "stream.incerta")
    expected = ic.SlidingUMicro(3, window=150.0).partial_fit(data, existence=e)
    for again in (
        ic.load(tmp_path / "stream.incerta"),
        pickle.loads(pickle.dumps(stream)),
    ):
        again.partial_fit(data[230:], existence=e[230:])
        check_equal(again.micro_clusters_, expected.micro_clusters_)
