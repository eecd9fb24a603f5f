import inspect
import os

import numpy as np
import pytest
from sklearn.cluster import KMeans

from incerta.data import from_gaussian
from incerta.datasets import (
    load_wine,
    make_uncertain,
    make_uncertain_blobs,
    make_uncertain_moons,
    make_uncertain_rings,
    make_uncertain_stars,
    make_waveform,
)
from incerta.exceptions import DataError
from incerta.metrics import clustering_accuracy

FAMILIES = ["gaussian", "uniform", "exponential", "laplace"]
X = load_wine().data


@pytest.mark.parametrize("family", FAMILIES)
def test_centered_objects_have_the_table_as_mean(family):
    data = make_uncertain(X, family, random_state=0)
    assert data.kind == family
    np.testing.assert_allclose(data.mean(), X, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("mode", ["centered", "displaced"])
def test_deviations_are_a_share_of_the_spread(family, mode):
    data = make_uncertain(X, family, scale=0.4, mode=mode, random_state=0)
    share = np.sqrt(data.variance()) / X.std(axis=0)
    assert share.min() >= 0.4 * 0.5
    assert share.max() <= 0.4 * 1.5
    assert share.mean() == pytest.approx(0.4, rel=0.02)


@pytest.mark.parametrize("family", FAMILIES)
def test_displaced_centers_are_draws_of_the_family_around_the_truth(family):
    truth = np.random.default_rng(1).normal(size=(20000, 2))
    data = make_uncertain(truth, family, mode="displaced", random_state=0)
    z = (data.mean() - truth) / np.sqrt(data.variance())
    assert z.mean() == pytest.approx(0, abs=0.02)
    assert z.var() == pytest.approx(1, abs=0.04)
    fourth = {"gaussian": 3, "uniform": 1.8, "exponential": 9, "laplace": 6}[family]
    assert (z**4).mean() == pytest.approx(fourth, rel=0.15)
    third = 2 if family == "exponential" else 0
    assert (z**3).mean() == pytest.approx(third, abs=0.15)


@pytest.mark.parametrize("family", FAMILIES)
def test_worlds_of_an_object_follow_its_law(family):
    data = make_uncertain(X[:5], family, random_state=0)
    draws = np.stack(list(data.worlds(4000, random_state=0)))
    z = (draws - X[:5]) / np.sqrt(data.variance())
    assert np.abs(z.mean(axis=0)).max() < 0.1
    assert np.abs(z.var(axis=0) - 1).max() < 0.25


def test_one_seed_has_the_same_deviations_in_both_modes():
    centered, displaced = (
        make_uncertain(X, mode=mode, random_state=3)
        for mode in ("centered", "displaced")
    )
    np.testing.assert_array_equal(centered.variance(), displaced.variance())
    assert not np.allclose(centered.mean(), displaced.mean())
    again = make_uncertain(X, mode="displaced", random_state=3)
    np.testing.assert_array_equal(again.mean(), displaced.mean())


@pytest.mark.parametrize("mode", ["centered", "displaced"])
def test_constant_features_and_scale_zero_stay_exact(mode):
    table = np.column_stack([np.full(50, 0.1), np.arange(50.0)])
    data = make_uncertain(table, mode=mode, random_state=0)
    assert (data.variance()[:, 0] == 0).all()
    assert (data.mean()[:, 0] == 0.1).all()
    assert (data.variance()[:, 1] > 0).all()
    np.testing.assert_array_equal(make_uncertain(table, scale=0).mean(), table)


def test_no_generator_takes_labels():
    for make in (make_uncertain, make_uncertain_blobs, make_waveform):
        assert not {"y", "labels", "target"} & set(inspect.signature(make).parameters)


def test_frames_keep_the_names_of_their_features():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 5.0]})
    assert make_uncertain(frame).feature_names == ("a", "b")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"family": "cauchy"}, r"family='cauchy'.*gaussian"),
        ({"mode": "moved"}, r"mode='moved'.*'displaced'"),
        ({"scale": -1}, "scale=-1 must"),
        ({"scale": np.nan}, "scale=nan must"),
    ],
)
def test_bad_parameters_are_named(options, words):
    with pytest.raises(ValueError, match=words):
        make_uncertain(X, **options)


def test_uncertain_data_are_not_made_uncertain_twice():
    with pytest.raises(DataError, match="already uncertain"):
        make_uncertain(from_gaussian(X, 1.0))


def test_gaussian_blobs():
    data, labels = make_uncertain_blobs(
        301, 4, 3, cluster_std=0.1, uncertainty=0.2, random_state=0
    )
    assert data.kind == "gaussian"
    assert data.shape == (301, 4)
    assert sorted(np.bincount(labels)) == [100, 100, 101]
    sd = np.sqrt(data.variance())
    assert 0.1 <= sd.min() < 0.12
    assert 0.28 < sd.max() <= 0.3
    found = KMeans(3, n_init=10, random_state=0).fit_predict(data.mean())
    assert clustering_accuracy(labels, found) == 1.0


def test_blobs_of_values():
    data, _ = make_uncertain_blobs(50, n_values=7, random_state=0)
    assert data.values_per_object().tolist() == [7] * 50
    data, _ = make_uncertain_blobs(400, n_values=(2, 4), random_state=0)
    assert set(data.values_per_object()) == {2, 3, 4}


def test_values_of_blobs_scatter_as_much_as_said():
    data, _ = make_uncertain_blobs(2000, n_values=50, uncertainty=0.5, random_state=0)
    sd = np.sqrt(data.variance() * 50 / 49)
    assert sd.mean() == pytest.approx(0.5, rel=0.02)
    assert sd.std() == pytest.approx(0.5 / np.sqrt(12), rel=0.1)


def test_blobs_do_not_depend_on_anything_but_the_seed():
    first, _ = make_uncertain_blobs(9, random_state=5)
    again, _ = make_uncertain_blobs(9, random_state=5)
    other, _ = make_uncertain_blobs(9, random_state=6)
    np.testing.assert_array_equal(first.mean(), again.mean())
    assert not np.allclose(first.mean(), other.mean())


@pytest.mark.parametrize(
    "options",
    [
        {"n_objects": 0},
        {"n_features": 0},
        {"n_clusters": 0},
        {"n_clusters": 301},
        {"n_values": 0},
        {"n_values": (3, 2)},
        {"cluster_std": -1.0},
        {"uncertainty": np.inf},
        {"center_box": (1.0, 0.0)},
    ],
)
def test_blobs_name_what_is_wrong(options):
    with pytest.raises(ValueError, match=next(iter(options))):
        make_uncertain_blobs(**options)


def wave(shift):
    return np.array([max(6 - abs(t - 11 - shift), 0) for t in range(1, 22)])


def test_waveform_has_the_moments_of_the_formula():
    X, y = make_waveform(60000, random_state=0)
    assert X.shape == (60000, 21)
    assert np.bincount(y) / len(y) == pytest.approx([1 / 3] * 3, abs=0.01)
    h1, h2, h3 = wave(0), wave(4), wave(-4)
    for label, (one, other) in enumerate([(h1, h2), (h1, h3), (h2, h3)]):
        mine = X[y == label]
        np.testing.assert_allclose(mine.mean(axis=0), (one + other) / 2, atol=0.06)
        np.testing.assert_allclose(
            mine.var(axis=0), 1 + (one - other) ** 2 / 12, rtol=0.05
        )


def test_best_possible_classifier_of_waveform():
    # The law of each class is known: a Gaussian around a place on a segment.
    X, y = make_waveform(20_000, random_state=1)
    t = np.arange(1, 22)
    h1, h2, h3 = (np.maximum(6 - np.abs(t - peak), 0) for peak in (11, 15, 7))
    u = (np.arange(100) + 0.5)[:, None] / 100
    likelihood = []
    for one, other in ((h1, h2), (h1, h3), (h2, h3)):
        places = u * one + (1 - u) * other
        logs = X @ places.T - np.square(places).sum(axis=1) / 2
        likelihood.append(np.logaddexp.reduce(logs, axis=1))
    assert (np.argmax(likelihood, axis=0) == y).mean() == pytest.approx(0.867, abs=0.01)


def test_waveform_is_as_hard_for_k_means_as_the_published_file():
    X, y = make_waveform(5000, random_state=0)
    found = KMeans(3, n_init=5, random_state=0).fit_predict(X)
    assert clustering_accuracy(y, found) == pytest.approx(0.502, abs=0.03)


@pytest.mark.skipif("INCERTA_DATA" not in os.environ, reason="needs INCERTA_DATA")
def test_waveform_resembles_the_published_file():
    from paper.datasets import fetch_waveform

    published = fetch_waveform()
    X, y = make_waveform(5000, random_state=0)
    # The file counts its classes the other way round.
    for label in range(3):
        there = published.data[published.target == 2 - label]
        np.testing.assert_allclose(
            X[y == label].mean(axis=0), there.mean(axis=0), atol=0.2
        )


def test_waveform_of_no_object():
    with pytest.raises(ValueError, match="n_objects=0"):
        make_waveform(0)


# shapes -----------------------------------------------------------------------------


def test_moons_and_rings_are_arcs():
    data, moon = make_uncertain_moons(900, uncertainty=0.0, random_state=0)
    centers = np.array([[0.0, 0.0], [1.0, 0.5]])[moon]
    x, y = (data.mean() - centers).T
    np.testing.assert_allclose(np.hypot(x, y), 1.0)
    assert np.bincount(moon).tolist() == [450, 450]
    assert (np.where(moon == 0, y, -y) >= 0.0).all()
    data, ring = make_uncertain_rings(900, uncertainty=0.0, random_state=0)
    x, y = data.mean().T
    np.testing.assert_allclose(np.hypot(x, y), np.array([0.5, 1.25])[ring])
    assert np.bincount(ring).tolist() == [300, 600]
    for mark in (0, 1):
        quarters = np.bincount(2 * (x[ring == mark] > 0) + (y[ring == mark] > 0))
        np.testing.assert_allclose(quarters / quarters.sum(), 0.25, atol=0.07)


@pytest.mark.parametrize("make", [make_uncertain_moons, make_uncertain_rings])
def test_errors_of_shapes(make):
    true, labels = make(3000, uncertainty=0.0, random_state=0)
    data, same = make(3000, uncertainty=0.2, random_state=0)
    np.testing.assert_array_equal(same, labels)
    std = np.sqrt(data.variance())
    np.testing.assert_array_equal(std[:, 0], std[:, 1])
    assert 0.05 <= std.min() < 0.055
    assert 0.345 < std.max() <= 0.35
    off = (data.mean() - true.mean()) / std
    np.testing.assert_allclose([off.mean(), off.std()], [0.0, 1.0], atol=0.03)


def test_stars_move_in_three_groups():
    data, labels = make_uncertain_stars(30_000, random_state=0)
    std = np.sqrt(data.variance())
    np.testing.assert_allclose(std[:, 0] / std[:, 1], 2.5 / 1.5)
    logs = np.log(std[:, 0] / 2.5)
    np.testing.assert_allclose([logs.mean(), logs.std()], [0.0, 1.0], atol=0.02)
    off = data.mean() - np.array([[-5.0, -5.0], [6.0, -3.0], [0.0, 7.5]])[labels]
    off /= np.sqrt(1.75**2 + std**2)
    np.testing.assert_allclose([off.mean(), off.std()], [0.0, 1.0], atol=0.02)
    assert np.abs(np.bincount(labels) - 10_000).max() < 400
