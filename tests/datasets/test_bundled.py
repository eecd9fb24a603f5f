import numpy as np
import pytest

from incerta.datasets import load_weather, load_wine
from incerta.datasets.bundled import distances, filled
from paper.datasets.tables import Table


def test_wine_is_the_recorded_table():
    wine = load_wine()
    table = Table(wine.data, wine.target)
    assert table.class_counts() == (59, 71, 48)
    recorded = "fc8fe26e7b2e69be91ead6df1983371202e0f888d37a4aaf0e6b62b80bfab2f2"
    assert table.fingerprint(6) == recorded
    assert len(wine.feature_names) == 13
    assert wine.target_names == ("class_0", "class_1", "class_2")


def test_weather_as_independent_values():
    weather = load_weather()
    data = weather.data
    assert data.shape == (150, 2)
    assert not data.joint
    counts = data.values_per_object()
    assert (counts.sum(), counts.min(), counts.max()) == (17766, 114, 120)
    assert np.bincount(weather.target).tolist() == [82, 51, 17]
    assert data.feature_names == weather.feature_names
    assert data.ids[0] == "AKRON WASHIN"
    for column in weather.objects.values():
        assert column.shape == (150,)
    np.testing.assert_array_equal(weather.objects["months_missing"], 120 - counts)


def test_cold_summers_are_high_up():
    weather = load_weather()
    cold = weather.target == weather.target_names.index("cold summer")
    assert set(weather.objects["koppen"][cold]) == {"Dfc"}
    assert weather.objects["elevation"][cold].min() > 2400


def test_weather_as_joint_worlds():
    joint, single = load_weather(joint=True), load_weather()
    assert joint.data.joint
    assert joint.data.ids.tolist() == single.data.ids.tolist()
    draws = joint.data.law.draws
    assert draws.shape == (120, 150, 2)
    assert (draws[..., 1] >= 0).all()
    # Where nothing is missing both views have the same values.
    whole = joint.objects["months_missing"] == 0
    assert whole.sum() > 50
    np.testing.assert_allclose(
        joint.data.mean()[whole], single.data.mean()[whole], rtol=1e-12
    )
    # World 0 is a January, world 6 a July, for every station.
    assert (draws[0, :, 0] < draws[6, :, 0]).all()


def test_the_sheet_of_gaps_is_filled_by_the_stated_rule():
    rng = np.random.default_rng(0)
    truth = np.empty((36, 8, 2))
    truth[..., 0] = rng.normal(size=(36, 1)) + np.arange(8)
    truth[..., 1] = rng.uniform(1, 2, size=(36, 1)) * np.arange(1, 9)
    cube = truth.copy()
    cube[17, 3] = np.nan
    place = np.arange(8.0)
    whole = filled(cube, distances(place, np.zeros(8)))
    seen = ~np.isnan(cube)
    np.testing.assert_array_equal(whole[seen], cube[seen])
    # Written out: month 17 is a June; its Junes are 5, 17 and 29.
    junes, near = [5, 29], [2, 4, 1, 5, 0]
    usual = truth[[5, 17, 29]].mean(axis=0)
    own = truth[junes, 3].mean(axis=0)
    anomaly = np.mean([truth[17, s, 0] - usual[s, 0] for s in near])
    ratio = sum(truth[17, s, 1] for s in near) / sum(usual[s, 1] for s in near)
    np.testing.assert_allclose(whole[17, 3], [own[0] + anomaly, own[1] * ratio])


def test_left_out_months_are_filled_better_than_by_the_normals():
    weather = load_weather(joint=True)
    truth = weather.data.law.draws
    apart = distances(weather.objects["lon"], weather.objects["lat"])
    rng = np.random.default_rng(0)
    month, station = rng.integers(120, size=300), rng.integers(150, size=300)
    cube = truth.copy()
    cube[month, station] = np.nan
    normals = np.tile(np.nanmean(cube.reshape(10, 12, 150, 2), axis=0), (10, 1, 1))

    def error(guess):
        wrong = guess[month, station] - truth[month, station]
        return np.sqrt((wrong**2).mean(axis=0))

    assert error(filled(cube, apart)) == pytest.approx([0.66, 18], rel=0.25)
    assert (error(filled(cube, apart)) < 0.8 * error(normals)).all()


def test_distances_are_great_circles():
    apart = distances(np.array([0.0, 90.0, 0.0]), np.array([0.0, 0.0, 90.0]))
    np.testing.assert_allclose(apart, (1 - np.eye(3)) * np.pi / 2, atol=1e-12)
