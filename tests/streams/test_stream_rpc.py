"""StreamRPC: with a micro-cluster for every object it is RPC."""

import pickle
from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
from incerta.exceptions import DataError
from incerta.streams._stream_rpc import relative

FEW = {"n_worlds": 12, "n_representatives": 4}


def places(n, seed, d=2):
    rng = np.random.default_rng(seed)
    return rng, 7.0 * rng.integers(2, size=(n, 1)) + rng.normal(size=(n, d))


def gaussian(n, seed):
    rng, x = places(n, seed)
    return ic.from_gaussian(x, std=rng.uniform(0.1, 2.0, x.shape))


def interval(n, seed):
    rng, x = places(n, seed, 3)
    return ic.from_interval(x - rng.random(x.shape), x + 2.0)


def samples(n, seed):
    rng, x = places(n, seed)
    rows = np.sort(np.r_[np.arange(n), rng.integers(n, size=3 * n)])
    return ic.from_samples(x[rows] + rng.normal(size=(4 * n, 2)), rows)


def joint(n, seed):
    rng, x = places(n, seed)
    return ic.from_worlds(x + rng.normal(size=(9, n, 2)))


def exact(n, seed):
    return ic.data.as_uncertain(places(n, seed)[1])


def named(n, seed):
    data = gaussian(n, seed)
    return ic.from_gaussian(
        data.mean(), std=1.0, ids=[f"object {i:03}" for i in range(n)]
    )


@parametrize_with_checks([ic.StreamRPC()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


class TestEqualsRPC:
    @pytest.mark.parametrize("law", [gaussian, interval, samples, joint, exact, named])
    @pytest.mark.parametrize("seed", [0, 1])
    def test_with_a_micro_cluster_for_every_object(self, law, seed):
        data, k = law(30, seed), 2 + seed
        expected = ic.RPC(k, **FEW, random_state=seed).fit(data)
        how = {**FEW, "random_state": seed}
        whole = ic.StreamRPC(k, **how, n_micro_clusters=40).fit(data)
        by_pieces = ic.StreamRPC(k, **how, n_micro_clusters=30)
        for start, stop in pairwise([0, 1, 12, 30]):
            by_pieces.partial_fit(data[start:stop])
        np.testing.assert_array_equal(whole.labels_, expected.labels_)
        new = law(20, seed + 10)
        for stream in (whole, by_pieces):
            np.testing.assert_array_equal(stream.macro_labels_, expected.labels_)
            np.testing.assert_allclose(
                stream.embedding_, expected.embedding_, rtol=0.0, atol=1e-8
            )
            np.testing.assert_array_equal(
                stream.representatives_, expected.representatives_
            )
            np.testing.assert_array_equal(stream.predict(new), expected.predict(new))
            np.testing.assert_array_equal(
                stream.predict_proba(new), expected.predict_proba(new)
            )

    @pytest.mark.parametrize(
        "options",
        [
            {"selection": "central", "divergence": "per-feature"},
            {"selection": "random", "gamma": "self-tuning"},
            {"gamma": 0.02, "width_scale": 0.8},
        ],
    )
    def test_with_other_choices(self, options):
        data = gaussian(40, 5)
        expected = ic.RPC(2, **FEW, **options, random_state=1).fit(data)
        found = ic.StreamRPC(2, **FEW, **options, random_state=1).fit(data)
        np.testing.assert_array_equal(found.labels_, expected.labels_)
        np.testing.assert_allclose(found.embedding_, expected.embedding_, atol=1e-8)

    def test_of_so_many_that_some_are_compared(self):
        data = gaussian(1100, 0)
        few = {"n_worlds": 4, "n_representatives": 2, "random_state": 0}
        expected = ic.RPC(2, **few).fit(data)
        found = ic.StreamRPC(2, **few, n_micro_clusters=1100).fit(data)
        np.testing.assert_array_equal(found.representatives_, expected.representatives_)
        np.testing.assert_array_equal(found.labels_, expected.labels_)

    def test_where_exact_ones_come_first(self):
        _, x = places(40, 3)
        std = np.where(np.arange(40)[:, None] < 15, 0.0, 1.0)
        data = ic.from_gaussian(x, std=std)
        stream = ic.StreamRPC(2, **FEW, random_state=4).partial_fit(x[:15])
        stream.partial_fit(data[15:])
        expected = ic.RPC(2, **FEW, random_state=4).fit(data)
        np.testing.assert_array_equal(stream.macro_labels_, expected.labels_)


class TestManyObjects:
    def test_centers_are_means_of_the_values_of_the_objects(self):
        """Every world by itself, from the objects that each micro-cluster took."""
        data = gaussian(300, 0)
        stream = ic.StreamRPC(2, **FEW, n_micro_clusters=15, half_life=200.0)
        members = {}
        for i in range(300):
            stream.partial_fit(data[i : i + 1])
            ids = stream.micro_clusters_.id.tolist()
            total = stream.micro_clusters_
            members[i] = int(stream._into[0])
            assert members[i] in ids
        weights = 2.0 ** ((np.arange(300) - 299) / 200.0)
        worlds = data.worlds(FEW["n_worlds"], 0).stack()
        # Means of all objects survive whatever was joined to whatever.
        expected = np.average(worlds, axis=1, weights=weights)
        found = np.einsum("q,qwd->wd", total.weight, stream._centers)
        np.testing.assert_allclose(found / total.weight.sum(), expected)
        alone = [
            (c, id)
            for c, id in enumerate(total.id.tolist())
            if total.number[c] == list(members.values()).count(id)
        ]
        assert alone  # some were never joined to others
        for c, id in alone:
            own = np.array([i for i in range(300) if members[i] == id])
            mean = np.average(worlds[:, own], axis=1, weights=weights[own])
            np.testing.assert_allclose(stream._centers[c], mean)

    def test_pieces_do_not_matter(self):
        data = gaussian(400, 1)
        whole = ic.StreamRPC(2, **FEW, n_micro_clusters=20, half_life=50.0).fit(data)
        parts = ic.StreamRPC(2, **FEW, n_micro_clusters=20, half_life=50.0)
        for start in range(0, 400, 130):
            parts.partial_fit(data[start : start + 130])
        np.testing.assert_allclose(parts._centers, whole._centers)
        np.testing.assert_array_equal(parts.macro_labels_, whole.macro_labels_)
        np.testing.assert_array_equal(parts.labels_, whole.labels_[390:])

    def test_moons(self):
        data, truth = ic.datasets.make_uncertain_moons(600, random_state=0)
        how = {"n_micro_clusters": 50, "width_scale": 0.1}
        stream = ic.StreamRPC(2, 20, **how).fit(data)
        assert adjusted_rand_score(truth, stream.predict(data)) > 0.9
        assert adjusted_rand_score(truth, stream.labels_) > 0.9
        assert adjusted_rand_score(truth, ic.UMicro(2).fit_predict(data)) < 0.5

    def test_drift_is_followed(self):
        rng = np.random.default_rng(0)
        n = 3000
        truth = rng.integers(2, size=n)
        angle = np.pi / 2 * np.arange(n) / n
        side = np.where(truth == 0, 5.0, -5.0)[:, None]
        values = side * np.c_[np.cos(angle), np.sin(angle)] + rng.normal(size=(n, 2))
        data = ic.from_gaussian(values, std=0.3)
        stream = ic.StreamRPC(2, **FEW, n_micro_clusters=40, half_life=150.0).fit(data)
        late = slice(n - 300, n)
        assert adjusted_rand_score(truth[late], stream.predict(data[late])) > 0.9

    def test_objects_that_are_forgotten_have_no_cluster(self):
        stream = ic.StreamRPC(1, half_life=1.0)
        stream.partial_fit([[0.0], [5.0]], times=[0.0, 1e6])
        np.testing.assert_array_equal(stream.labels_, [-1, 0])

    def test_saved_and_pickled(self, tmp_path):
        data = gaussian(200, 0)
        stream = ic.StreamRPC(2, **FEW, n_micro_clusters=20, half_life=100.0)
        stream.partial_fit(data[:120]).save(tmp_path / "stream.incerta")
        expected = ic.StreamRPC(**stream.get_params()).fit(data)
        for again in (
            ic.load(tmp_path / "stream.incerta"),
            pickle.loads(pickle.dumps(stream)),
        ):
            np.testing.assert_array_equal(again.labels_, stream.labels_)
            again.partial_fit(data[120:])
            np.testing.assert_array_equal(again.macro_labels_, expected.macro_labels_)

    def test_as_river_does(self):
        stream = ic.StreamRPC(2, **FEW)
        for value in (0.0, 9.0, 0.2, 9.3, 0.1):
            stream.learn_one({"x": value, "y": (value, 0.1)})
        assert {stream.predict_one({"x": v, "y": v}) for v in (0.3, 8.0)} == {0, 1}
        assert stream.macro_clusters(5).tolist() == [0, 1, 2, 3, 4]


class TestDoor:
    def test_more_representatives_than_worlds(self):
        stream = ic.StreamRPC(n_worlds=5, n_representatives=9)
        with pytest.raises(ValueError, match=r"n_representatives=9 .* n_worlds=5"):
            stream.partial_fit([[0.0]])
        assert stream.set_params(n_representatives=3).partial_fit([[0.0]]).n_seen_ == 1

    def test_draws_of_another_number(self):
        stream = ic.StreamRPC(2, **FEW).partial_fit(joint(5, 0))
        with pytest.raises(DataError, match="12 worlds, but earlier objects have 9"):
            stream.partial_fit(gaussian(5, 0))
        assert stream.n_seen_ == 5

    def test_no_clusters(self):
        with pytest.raises(ValueError, match="n_clusters=0"):
            ic.StreamRPC().fit([[0.0], [1.0]]).macro_clusters(0)

    def test_weights_that_are_alike_are_none(self):
        assert relative(np.full(3, 0.25)) is None
        np.testing.assert_allclose(relative(np.array([1.0, 3.0])), [0.5, 1.5])
