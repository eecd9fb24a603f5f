"""The default path with objects that were measured in projection."""

import numpy as np
import pytest

import incerta as ic


@pytest.fixture(scope="module")
def made():
    """Three clusters in three features, of which two combinations were measured."""
    rng = np.random.default_rng(1)
    n = 300
    places = np.array([[0.0, 0.0, 0.0], [60.0, 0.0, 4.0], [0.0, 7.0, -5.0]])
    truth = rng.integers(3, size=n)
    x = places[truth] + rng.normal(size=(n, 3)) * [7.0, 0.5, 1.0]
    R = rng.normal(size=(n, 2, 3)) / [10.0, 1.0, 1.0]
    std = rng.lognormal(-1.2, 0.4, size=(n, 2))
    w = np.einsum("nqd,nd->nq", R, x) + std * rng.normal(size=(n, 2))
    data = ic.from_gaussian(w, std=std, projection=R, feature_names=["u", "v", "w"])
    return data, truth, places


@pytest.fixture(scope="module")
def result(made):
    return ic.cluster(made[0], 3)


def test_clusters_are_found_and_sure(made, result):
    _, truth, places = made
    right = ic.metrics.clustering_accuracy(truth, result.labels)
    assert right > 0.93
    assert abs(right - result.confidence.mean()) < 0.04
    assert not any("not Gaussian" in reason for reason in result.reasons)
    assert "was measured and is not error" in result.explain()
    # In the units of the features, by what is believed of the objects.
    profile = result.profile()
    far = np.abs(profile.mean[:, None] - places).max(axis=2).min(axis=1)
    assert far.max() < 10.0
    assert np.isfinite(profile.error).all()


def test_table_picture_report_and_file(result, made, tmp_path):
    data = made[0]
    columns = result.columns()
    assert np.isfinite(columns["novelty"]).all()
    assert len(result.typical()) == 3
    ax = result.plot.scatter()
    assert len(ax.collections) > 3  # points and ellipses
    result.plot.scatter(features=["u"])
    result.report(tmp_path / "report.html")
    result.save(tmp_path / "run.incerta")
    again = ic.load(tmp_path / "run.incerta")
    np.testing.assert_array_equal(again.predict(data), result.predict(data))
    np.testing.assert_array_equal(
        again.novelty_of(data[:9]), result.novelty_of(data[:9])
    )


def test_an_object_unlike_the_others(made, result):
    off = ic.from_gaussian(
        [[30.0, 0.0]],
        std=0.1,
        projection=[[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        feature_names=["u", "v", "w"],
    )
    assert result.novelty_of(off) > 3.0


def test_methods_that_know_no_errors_take_beliefs(made):
    data, truth, _ = made
    found = ic.cluster(data, 3, "UKMeans")
    assert found.deconvolver is not None
    assert ic.metrics.clustering_accuracy(truth, found.labels) > 0.8
    assert len(found.typical()) == 3


def test_labels_are_assessed(made):
    data, truth, _ = made
    swapped = truth.copy()
    swapped[:3] = (truth[:3] + 1) % 3
    found = ic.assess(data, swapped)
    assert found.score > 0.75
    assert set(found.look) & {0, 1, 2}
    assert [pair.verdict for pair in found.pairs] == ["separate"] * 3
    found.plot.map()


@pytest.mark.slow
def test_the_number_of_clusters(made):
    data = made[0]
    assert ic.choose_k(data, range(1, 6), random_state=0).k == 3
    rng = np.random.default_rng(0)
    law = data.law
    x = rng.normal(size=(len(data), 3)) * [10.0, 1.0, 1.0]
    w = np.einsum("nqd,nd->nq", law.matrix, x)
    w += np.sqrt(np.einsum("nii->ni", law.errors)) * rng.normal(size=w.shape)
    one = ic.from_gaussian(w, cov=law.errors, projection=law.matrix)
    assert ic.choose_k(one, range(1, 6), random_state=0).k == 1


def test_more_features_than_axes_are_assessed():
    rng = np.random.default_rng(2)
    n, d = 200, 14
    truth = rng.integers(2, size=n)
    x = rng.normal(size=(n, d)) + 4.0 * truth[:, None] * (np.arange(d) < 3)
    R = np.linalg.qr(rng.normal(size=(n, d, d)))[0][:, :10]
    w = np.einsum("nqd,nd->nq", R, x) + 0.3 * rng.normal(size=(n, 10))
    data = ic.from_gaussian(w, std=0.3, projection=R)
    found = ic.assess(data, truth)
    assert found.score > 0.7
