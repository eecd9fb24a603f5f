import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta.datasets import load_weather, make_uncertain_blobs
from incerta.metrics import clustering_accuracy
from incerta.spectral import gaussian_affinity


def test_affinity_is_the_mean_over_worlds():
    data, _ = make_uncertain_blobs(12, 2, 3, random_state=0)
    found = ic.ExpectedSpectral(3, gamma=0.5 / 4.0**2, random_state=0).fit(data)
    mean = np.mean([gaussian_affinity(w, width=4.0) for w in data.worlds(4000, 0)], 0)
    np.testing.assert_allclose(found.affinity_, mean, atol=0.01)
    np.testing.assert_array_equal(np.diag(found.affinity_), 1.0)


def test_joint_affinity_is_the_mean_of_the_draws():
    draws = np.random.default_rng(0).normal(size=(7, 10, 2))
    found = ic.ExpectedSpectral(2, gamma=0.5, random_state=0).fit(ic.from_worlds(draws))
    mean = np.mean([gaussian_affinity(w, width=1.0) for w in draws], axis=0)
    np.testing.assert_allclose(found.affinity_, mean)


def test_without_uncertainty_it_is_rpc():
    X = make_uncertain_blobs(60, 2, 3, random_state=1)[0].mean()
    one = ic.ExpectedSpectral(3, random_state=0).fit(X)
    two = ic.RPC(3, random_state=0).fit(X)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.confidence_, 1.0)


@pytest.mark.parametrize("n_values", [None, 8, (2, 20)])
def test_blobs(n_values):
    data, labels = make_uncertain_blobs(
        90, 2, 3, n_values=n_values, center_box=(-30, 30), random_state=3
    )
    found = ic.ExpectedSpectral(3, random_state=0).fit(data)
    assert clustering_accuracy(labels, found.labels_) > 0.9
    assert adjusted_rand_score(found.predict(data), found.labels_) > 0.95
    assert (found.membership_.argmax(axis=1) == found.labels_).mean() > 0.95
    assert (found.predict_proba(data) == found.membership_).all()


def test_new_objects_of_another_kind():
    data, _ = make_uncertain_blobs(60, 2, 3, random_state=3)
    found = ic.ExpectedSpectral(3, random_state=0).fit(data)
    exact = found.predict(data.mean())
    assert adjusted_rand_score(exact, found.labels_) > 0.9


def test_width_scale():
    data, _ = make_uncertain_blobs(40, 2, 3, random_state=3)
    one = ic.ExpectedSpectral(3, random_state=0).fit(data)
    half = ic.ExpectedSpectral(3, width_scale=0.5, random_state=0).fit(data)
    assert half.width_ == pytest.approx(one.width_ / 2)


@pytest.mark.slow
def test_weather_joint_and_not():
    for joint in (True, False):
        stations = load_weather(joint=joint).data
        data = ic.Standardizer("means").fit_transform(stations)
        found = ic.ExpectedSpectral(3, n_worlds=10, random_state=0).fit(data)
        assert np.bincount(found.labels_).min() > 5


@pytest.mark.parametrize("normalize_rows", [False, True])
@pytest.mark.parametrize("n_values", [None, 8, (2, 20)])
def test_some_stand_for_many(n_values, normalize_rows, monkeypatch, tmp_path):
    data, labels = make_uncertain_blobs(
        300, 2, 3, n_values=n_values, center_box=(-30, 30), random_state=3
    )
    how = {"normalize_rows": normalize_rows, "n_worlds": 12, "random_state": 0}
    dense = ic.ExpectedSpectral(3, **how).fit(data)
    monkeypatch.setattr("incerta.estimators._expected.MOST_OBJECTS", 100)
    monkeypatch.setattr("incerta.estimators._expected.N_LANDMARKS", 60)
    found = ic.ExpectedSpectral(3, **how).fit(data)
    assert clustering_accuracy(labels, found.labels_) > 0.9
    assert (found.labels_ == dense.labels_).mean() > 0.97
    assert found.embedding_.shape == (300, 3)
    np.testing.assert_allclose(found.membership_.sum(axis=1), 1.0)
    assert np.abs(found.membership_ - dense.membership_).mean() < 0.05
    assert (found.predict(data) == found.labels_).mean() > 0.95
    order = np.random.default_rng(0).permutation(300)
    moved = ic.ExpectedSpectral(3, **how).fit(data[order])
    np.testing.assert_array_equal(moved.labels_, found.labels_[order])
    found.save(tmp_path / "model.incerta")
    again = ic.load(tmp_path / "model.incerta")
    np.testing.assert_array_equal(again.predict_proba(data), found.predict_proba(data))


def test_joint_objects_are_all_compared(monkeypatch):
    monkeypatch.setattr("incerta.estimators._expected.MOST_OBJECTS", 10)
    monkeypatch.setattr("incerta.estimators._expected.N_LANDMARKS", 5)
    draws = np.random.default_rng(0).normal(size=(4, 12, 2))
    found = ic.ExpectedSpectral(2, random_state=0).fit(ic.from_worlds(draws))
    assert found.affinity_.shape == (12, 12)
    monkeypatch.setattr("incerta.estimators._expected.MOST_JOINT", 11)
    with pytest.raises(ValueError, match=r"12 joint objects are too many .* use RPC"):
        ic.ExpectedSpectral(2).fit(ic.from_worlds(draws))
