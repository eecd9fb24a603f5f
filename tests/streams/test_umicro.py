"""UMicro: sums that add up, drift that is followed, and earlier times."""

import pickle
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
from incerta.streams._umicro import KEPT, Snapshot, at, kept
from incerta.streams.absorbing import Room, absorb
from incerta.streams.macro import as_before
from incerta.streams.sketch import Rule, Sketch, empty, grouped, since


def literal(values, variances, weights=None):
    """Sums of one micro-cluster, from the formulas."""
    weights = np.ones(len(values)) if weights is None else weights
    mean = np.average(values, axis=0, weights=weights)
    return Sketch(
        np.array([weights.sum()]),
        np.array([weights.sum()]),
        mean[None],
        (weights[:, None] * (values - mean) ** 2).sum(axis=0)[None],
        (weights[:, None] * variances).sum(axis=0)[None],
        np.array([len(values)]),
        np.array([0.0]),
        np.array([0]),
    )


def check_equal(one, two, rtol=1e-9):
    for a, b in zip(one, two, strict=True):
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-9)


def blobs(n, seed=0, k=3, d=2, apart=8.0):
    rng = np.random.default_rng(seed)
    angles = 2.0 * np.pi * np.arange(k)[:, None] / k + np.arange(d) * np.pi / 2.0
    centers = apart * np.cos(angles)
    truth = rng.integers(k, size=n)
    std = 0.4 * rng.lognormal(0.0, 0.5, (n, d))
    values = centers[truth] + rng.normal(size=(n, d)) + std * rng.normal(size=(n, d))
    return ic.from_gaussian(values, std=std), truth


@parametrize_with_checks([ic.UMicro()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


class TestSketch:
    @given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.integers(1, 9))
    def test_sums_add_up(self, seed, n, m):
        rng = np.random.default_rng(seed)
        x, v = 100.0 + rng.normal(size=(n + m, 3)), rng.random((n + m, 3))
        parts = literal(x[:n], v[:n]), literal(x[n:], v[n:])
        both = Sketch(*(np.concatenate(pair) for pair in zip(*parts, strict=True)))
        check_equal(grouped(both, np.zeros(2, dtype=int), 1), literal(x, v))

    def test_what_came_since(self):
        rng = np.random.default_rng(0)
        x, v = 50.0 + rng.normal(size=(12, 2)), rng.random((12, 2))
        new = since(literal(x, v), literal(x[:5], v[:5]), {})
        check_equal(new, literal(x[5:], v[5:]))

    def test_nothing_came_since(self):
        some = literal(np.ones((3, 1)), np.ones((3, 1)))
        assert since(some, some, {}).n == 0

    def test_radius_and_distance_are_expectations(self):
        rng = np.random.default_rng(0)
        x, v = rng.normal(size=(6, 2)), rng.random((6, 2))
        found = literal(x, v)
        drawn = x + np.sqrt(v) * rng.normal(size=(200_000, 6, 2))
        center = x.mean(axis=0) + np.sqrt(v.sum(axis=0)) / 6 * rng.normal(
            size=(200_000, 1, 2)
        )
        # The mean over objects of E |X - C|², X and C independent.
        expected = ((drawn - center) ** 2).sum(axis=2).mean()
        np.testing.assert_allclose(found.squared_radius(), expected, rtol=0.02)
        apart = found.squared_distances(x, v)[:, 0]
        np.testing.assert_allclose(apart.mean(), expected, rtol=0.02)


class TestAbsorbing:
    @pytest.mark.parametrize("rate", [0.0, 0.01])
    def test_engines_agree(self, rate):
        pytest.importorskip("numba", reason="needs the extra fast")
        data, _ = blobs(400)
        when = np.arange(400.0)
        found = [
            absorb(
                Room(empty(2, 12), 0, 0),
                data.mean(),
                data.variance(),
                when,
                when,
                Rule(1.0, rate),
                engine,
            )
            for engine in ("numpy", "numba")
        ]
        (one, joined, into), (two, same, places) = found
        np.testing.assert_array_equal(into, places)
        np.testing.assert_array_equal(joined, same)
        assert one.n == two.n == 12
        assert one.next_id == two.next_id > 12  # some made place for others
        assert len(joined) > 0
        check_equal(one.sketch, two.sketch)

    def test_sums_are_those_of_the_objects(self):
        data, _ = blobs(300)
        stream = ic.UMicro(n_micro_clusters=20, factor=0.5).fit(data)
        found = stream.micro_clusters_
        assert found.number.sum() == 300
        total = np.einsum("q,qd->d", found.weight, found.mean)
        np.testing.assert_allclose(total, data.mean().sum(axis=0))
        np.testing.assert_allclose(found.error.sum(axis=0), data.variance().sum(axis=0))

    def test_weights_halve(self):
        stream = ic.UMicro(half_life=10.0)
        stream.partial_fit([[0.0], [0.0]], times=[0.0, 0.0])
        stream.partial_fit([[100.0]], times=[10.0])
        np.testing.assert_allclose(np.sort(stream.micro_clusters_.weight), [1.0, 1.0])

    def test_after_a_long_time_all_is_forgotten(self):
        stream = ic.UMicro(half_life=1.0)
        stream.partial_fit([[0.0], [0.0]], times=[0.0, 0.0])
        stream.partial_fit([[5.0]], times=[1e6])
        np.testing.assert_array_equal(stream.micro_clusters_.mean, [[5.0]])


class TestStream:
    def test_blobs_are_found_piece_by_piece(self):
        data, truth = blobs(3000)
        stream = ic.UMicro(3)
        for start in range(0, 3000, 500):
            stream.partial_fit(data[start : start + 500])
        assert adjusted_rand_score(truth, stream.predict(data)) > 0.95
        whole = ic.UMicro(3).fit(data)
        check_equal(stream.micro_clusters_, whole.micro_clusters_)
        assert stream.n_seen_ == 3000
        np.testing.assert_array_equal(stream.labels_, stream.predict(data[2500:]))

    def test_order_hardly_matters(self):
        data, _ = blobs(4000, k=4, d=4)
        other = np.random.default_rng(1).permutation(4000)
        one = ic.UMicro(4).fit(data).predict(data)
        two = ic.UMicro(4).fit(data[other]).predict(data)
        assert adjusted_rand_score(one, two) > 0.95

    def test_drift_is_followed(self):
        """Two groups change places slowly; what was first said of them is wrong."""
        rng = np.random.default_rng(0)
        n = 20_000
        truth = rng.integers(2, size=n)
        angle = np.pi * np.arange(n) / n
        side = np.where(truth == 0, 1.0, -1.0)
        centers = 5.0 * side[:, None] * np.c_[np.cos(angle), np.sin(angle)]
        data = ic.from_gaussian(centers + rng.normal(size=(n, 2)), std=0.3)
        stream = ic.UMicro(2, half_life=500.0).fit(data[: n // 2])
        fixed = ic.UKMeans(2, random_state=0).fit(data[: n // 10])
        late = slice(n // 2 - 1000, n // 2)
        assert adjusted_rand_score(truth[late], stream.predict(data[late])) > 0.9
        assert adjusted_rand_score(truth[late], fixed.predict(data[late])) < 0.6

    def test_clusters_keep_their_numbers(self, tmp_path):
        """Three groups go round in a circle, and each to where another one was."""
        rng = np.random.default_rng(0)
        n, step = 3000, 100
        truth = rng.integers(3, size=n)
        angle = 2.0 * np.pi * (truth + 2.0 * np.arange(n) / n) / 3.0
        centers = 6.0 * np.c_[np.cos(angle), np.sin(angle)]
        data = ic.from_gaussian(centers + rng.normal(size=(n, 2)), std=0.3)
        stream, found = ic.UMicro(3, half_life=300.0), []
        for start in range(0, n, step):
            found.append(stream.partial_fit(data[start : start + step]).labels_)
            if start == n // 2:
                stream.save(tmp_path / "stream.incerta")
                stream = ic.load(tmp_path / "stream.incerta")
        assert adjusted_rand_score(truth, np.concatenate(found)) > 0.95

    @pytest.mark.parametrize("method", ["UKMeans", "ErrorMixture", "AutoClusterer"])
    def test_methods(self, method):
        data, truth = blobs(1500)
        found = ic.UMicro(3, method=method).fit_predict(data)
        assert adjusted_rand_score(truth, found) > 0.9

    def test_another_number_of_clusters(self):
        data, _ = blobs(1500)
        stream = ic.UMicro(2).fit(data)
        assert set(stream.macro_labels_) == {0, 1}
        assert set(stream.macro_clusters(3)) == {0, 1, 2}

    @pytest.mark.parametrize(
        ("asked", "message"),
        [((0,), "n_clusters=0"), ((2, "kmeans"), "must be one of")],
    )
    def test_clusters_that_cannot_be(self, asked, message):
        with pytest.raises(ValueError, match=message):
            ic.UMicro().fit([[0.0], [1.0]]).macro_clusters(*asked)

    def test_saved_and_pickled(self, tmp_path):
        data, _ = blobs(500)
        stream = ic.UMicro(3, half_life=300.0, snapshot_every=100.0).fit(data[:300])
        stream.save(tmp_path / "stream.incerta")
        more = data[300:]
        for again in (
            ic.load(tmp_path / "stream.incerta"),
            pickle.loads(pickle.dumps(stream)),
        ):
            again.partial_fit(more)
            expected = clone(stream).fit(data)
            check_equal(again.micro_clusters_, expected.micro_clusters_)
            assert [s.tick for s in again.snapshots_] == [1, 2, 3, 4]

    @given(st.integers(0, 2**32 - 1), st.integers(1, 4))
    def test_numbers_as_before_share_most_weight(self, seed, k):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(k, 9))
        labels = np.r_[np.arange(k), rng.integers(k, size=n - k)]
        before = {id: int(rng.integers(k + 1)) for id in range(0, n, 2)}
        sketch = empty(1, n)._replace(weight=rng.random(n), id=np.arange(n))
        found = as_before(labels, sketch, before)

        def shared(numbers):
            same = [before.get(i) == number for i, number in enumerate(numbers)]
            return sketch.weight[same].sum()

        others = [np.array(p)[labels] for p in permutations(range(k))]
        assert any((found == other).all() for other in others)
        assert shared(found) == pytest.approx(max(map(shared, others)))

    def test_as_river_does(self):
        stream = ic.UMicro(2)
        for value in (0.0, 9.0, 0.2, 9.3, 0.1):
            stream.learn_one({"x": value, "y": (value, 0.1)})
        one, two = (stream.predict_one({"x": v, "y": v}) for v in (0.3, 8.0))
        assert {one, two} == {0, 1}
        assert stream.feature_names_in_.tolist() == ["x", "y"]

    @pytest.mark.parametrize("names", ["ab", ("x0", "x1"), (0, 1)])
    def test_names_come_in_any_order(self, names):
        one, two = names
        stream = ic.UMicro(2).learn_one({one: 0.0, two: 9.0})
        stream.learn_one({two: 9.0, one: 0.0}).learn_one({one: 9.0, two: 0.0})
        there = np.sort(stream.micro_clusters_.mean, axis=0)
        np.testing.assert_array_equal(there, [[0.0, 0.0], [9.0, 9.0]])
        other = stream.predict_one({one: 8.0, two: 1.0})
        assert stream.predict_one({two: 8.0, one: 1.0}) != other

    def test_before_the_first_object(self):
        assert ic.UMicro(2).predict_one({"x": 1.0}) == 0

    @pytest.mark.parametrize(
        ("x", "message"),
        [({}, "has no features"), ({"x": 1.0}, "1 features"), ({"x": 1, "z": 2}, "z")],
    )
    def test_one_that_cannot_be(self, x, message):
        with pytest.raises(ic.exceptions.DataError, match=message):
            ic.UMicro(2).learn_one({"x": 1.0, "y": 2.0}).learn_one(x)

    @pytest.mark.parametrize(
        ("times", "message"),
        [([1.0], "one finite number"), ([2.0, 1.0], r"times\[1\]=1.0 is before")],
    )
    def test_times_that_cannot_be(self, times, message):
        with pytest.raises(ValueError, match=message):
            ic.UMicro().partial_fit([[0.0], [1.0]], times=times)


class TestTime:
    def test_yesterday(self):
        rng = np.random.default_rng(0)
        first, then = rng.normal(0.0, 1.0, (640, 1)), rng.normal(50.0, 1.0, (640, 1))
        data = ic.from_gaussian(np.concatenate([first, then]), std=0.2)
        stream = ic.UMicro(1, snapshot_every=64.0).fit(data)
        late = stream.between(640.0)
        assert late.n_seen_ == 640
        assert (late.micro_clusters_.mean > 40).all()
        early = stream.between(0.0, 640.0)
        assert early.n_seen_ == 640
        assert (early.micro_clusters_.mean < 10).all()

    def test_of_micro_clusters_that_were_joined(self):
        data, _ = blobs(600)
        stream = ic.UMicro(3, n_micro_clusters=10, factor=0.3, snapshot_every=50.0)
        stream.fit(data)
        assert stream._became
        late, early = stream.between(300.0), stream.between(100.0, 300.0)
        assert late.n_seen_ == 300
        assert early.n_seen_ == 200
        total = np.einsum(
            "q,qd->d", late.micro_clusters_.weight, late.micro_clusters_.mean
        )
        np.testing.assert_allclose(total, data[300:].mean().sum(axis=0))

    def test_with_decay(self):
        data = ic.from_gaussian(np.repeat([0.0, 50.0], 100)[:, None], std=0.2)
        stream = ic.UMicro(1, half_life=50.0, snapshot_every=25.0).fit(data)
        late = stream.between(100.0)
        expected = (2.0 ** (-np.arange(100) / 50.0)).sum()
        np.testing.assert_allclose(late.micro_clusters_.weight.sum(), expected)

    def test_until_after_the_last_is_until_now(self):
        stream = ic.UMicro(1, snapshot_every=1.0).fit(np.arange(20.0)[:, None])
        assert stream.between(15.0, 99.0).n_seen_ == stream.between(15.0).n_seen_ == 5
        assert stream.between(-3.0, 99.0).n_seen_ == 20

    @pytest.mark.parametrize(
        ("start", "end", "message"),
        [
            (0.0, 5.0, "end=5.0 is too long ago: .* is of 64.0"),
            (390.0, 380.0, "must be after start=390.0"),
            (398.1, 398.5, "pass a longer interval"),
        ],
    )
    def test_of_what_nothing_is_known(self, start, end, message):
        stream = ic.UMicro(1, snapshot_every=1.0).fit(np.arange(400.0)[:, None])
        with pytest.raises(ValueError, match=message):
            stream.between(start, end)

    def test_before_there_is_a_snapshot(self):
        stream = ic.UMicro(1, snapshot_every=9.0).fit([[0.0], [1.0]])
        with pytest.raises(ValueError, match="yet to come"):
            stream.between(0.0, 0.5)

    def test_without_snapshots(self):
        with pytest.raises(ValueError, match="set snapshot_every"):
            ic.UMicro().fit([[0.0], [1.0]]).between(0.0)

    def test_few_snapshots_are_kept_and_late_ones_lie_closest(self):
        some = []
        for tick in range(1, 2001):
            some = kept([*some, Snapshot(tick, float(tick), empty(1))])
        assert len(some) <= KEPT * 12
        for ago in (1, 3, 10, 100, 1000):
            found = at(some, 2000.0 - ago)
            assert found is not None
            assert 2000.0 - ago - found.time <= max(ago / 2, 1)
