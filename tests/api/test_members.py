"""`members`: groups in a field, from data to an answer."""

import numpy as np
import pandas as pd
import pytest

import incerta as ic


def field(n=400, seed=0, d=2, size=40):
    """A field, and a group of 40 around 1 that comes last."""
    rng = np.random.default_rng(seed)
    truth = np.vstack([rng.normal(size=(n, d)), rng.normal(1.0, 0.05, size=(size, d))])
    std = 0.05 * rng.uniform(0.5, 2.0, size=truth.shape)
    return ic.from_gaussian(truth + std * rng.normal(size=truth.shape), std=std)


@pytest.fixture(scope="module")
def found():
    return ic.members(field())


def test_probabilities_are_those_of_the_rule_of_bayes(found):
    # With the true laws: a group of 40 in a standard normal field.
    data = field()
    group, rest = (
        np.prod(
            np.exp(-0.5 * (data.mean() - m) ** 2 / (v + data.variance()))
            / np.sqrt(v + data.variance()),
            axis=1,
        )
        for m, v in ((1.0, 0.05**2), (0.0, 1.0))
    )
    bayes = 40 * group / (40 * group + 400 * rest)
    assert np.abs(found.probability[:, 0] - bayes).mean() < 0.02
    assert (found.labels >= 0).sum() == pytest.approx((bayes > 0.5).sum(), abs=4)


def test_what_the_group_is_like(found):
    (group,) = found.groups
    assert group.expected == pytest.approx(found.probability.sum())
    assert abs(group.expected - 40) < 3 * np.hypot(group.expected_error, 1.0)
    assert (np.abs(group.mean - 1.0) < 3 * group.mean_error).all()
    assert (np.abs(group.dispersion - 0.05) < 3 * group.dispersion_error).all()
    np.testing.assert_allclose(group.dispersion**2, np.diag(group.covariance))
    assert found.labels[-40:].mean() > -0.2


def test_standard_errors_shrink_with_the_root_of_the_number():
    few, many = (
        ic.members(field(n=10 * size, size=size)).groups[0] for size in (50, 200)
    )
    np.testing.assert_allclose(few.mean_error / many.mean_error, 2.0, rtol=0.4)


def test_expected_contamination_and_completeness(found):
    own = found.probability[:, 0]
    for threshold in (0.0, 0.3, 0.9):
        taken = own[own >= threshold]
        told = found.expected(threshold)
        assert told.n_objects == len(taken)
        assert told.contamination == pytest.approx(1 - taken.mean())
        assert told.completeness == pytest.approx(taken.sum() / own.sum())
    assert found.expected(0.5, group=0) == found.expected(0.5)
    with pytest.raises(ValueError, match="threshold=2"):
        found.expected(2)
    with pytest.raises(ValueError, match="group=1"):
        found.expected(0.5, group=1)


def test_table_begins_with_the_surest_members(found):
    columns = found.columns()
    assert list(columns) == ["id", "group", "probability"]
    assert (np.diff(columns["probability"]) <= 0).all()
    rows = columns["id"]
    np.testing.assert_array_equal(columns["probability"], found.probability[rows, 0])
    np.testing.assert_array_equal(columns["group"], found.labels[rows])


def test_table_is_of_the_library_of_the_data():
    data = field(200)
    table = pd.DataFrame(data.mean(), columns=["a", "b"])
    table["name"] = [f"star {i}" for i in range(len(data))]
    given = ic.from_frame(table, id="name", values=["a", "b"])
    again = ic.members(given).table()
    assert isinstance(again, pd.DataFrame)
    assert again["id"][0].startswith("star")


def test_empty_field_has_no_group_and_says_so():
    data = field()[:400]
    none = ic.members(data)
    assert none.n_groups == 0
    assert none.probability.shape == (400, 0)
    assert (none.labels == -1).all()
    assert "No group was found among 400 objects" in str(none)
    assert np.isnan(none.expected(0.5).contamination)
    assert list(none.columns()) == ["id", "group", "probability"]
    assert none.plot().get_xlabel() == "x0"


def test_a_number_of_groups_is_taken_and_doubted():
    two = ic.members(field(), 2)
    assert two.n_groups == 2
    assert two.groups[0].gain > two.needed > two.groups[1].gain
    assert "Group 1 could be chance" in str(two)
    assert {"p_0", "p_1"} < set(two.columns())


def test_fewer_groups_than_wanted_are_warned_of():
    data = ic.from_gaussian(np.random.default_rng(0).normal(size=(20, 2)), std=0.1)
    with pytest.warns(ic.exceptions.IncertaWarning, match="n_groups=3: only"):
        assert ic.members(data, 3).n_groups < 3


def test_gaps_are_no_obstacle():
    data = field()
    values = data.mean()
    values[np.random.default_rng(0).random(values.shape) < 0.1] = np.nan
    gaps = ic.from_gaussian(values, std=np.sqrt(data.variance()), missing="infinite")
    found = ic.members(gaps)
    assert found.n_groups == 1
    np.testing.assert_allclose(found.groups[0].mean, 1.0, atol=0.05)


def in_projection(n=1500, size=60, seed=1):
    """Motions across the line of sight alone; the group comes last."""
    rng = np.random.default_rng(seed)
    group = rng.normal([20.0, -10.0, 5.0], 1.5, size=(size, 3))
    truth = np.vstack([rng.normal(0.0, 30.0, size=(n, 3)), group])
    sight = rng.normal(size=truth.shape)
    through = np.linalg.svd(sight[:, None])[2][:, 1:]
    std = rng.uniform(0.3, 2.0, size=(n + size, 2))
    seen = np.einsum("nqd,nd->nq", through, truth) + std * rng.normal(size=std.shape)
    return ic.from_gaussian(seen, std=std, projection=through)


def test_members_by_what_was_measured_in_projection():
    data = in_projection()
    found = ic.members(data)
    (group,) = found.groups
    assert (np.abs(group.mean - [20.0, -10.0, 5.0]) < 3.0 * group.mean_error).all()
    assert (np.abs(group.dispersion - 1.5) < 3.0 * group.dispersion_error).all()
    # Both measurements of a field star are by chance those of the group, now and then.
    assert (found.labels[-60:] == 0).mean() > 0.8
    assert (found.labels[:-60] == 0).mean() < 0.02
    np.testing.assert_allclose(found.probability_of(data), found.probability)
    found.plot()
    assert ic.members(data[:1500]).n_groups == 0


@pytest.mark.parametrize("options", [{"sky": ("x0", "x1")}, {"field": "uniform"}])
def test_projections_have_no_borders_and_no_sphere(options):
    with pytest.raises(ic.exceptions.DataError, match="in projection"):
        ic.members(in_projection(50, 10), **options)


def test_scale_and_place_of_features_do_not_matter(found):
    other = ic.members(field().affine([1000.0, 1e-3], [5e4, -7.0]))
    np.testing.assert_allclose(other.probability, found.probability, atol=1e-6)
    np.testing.assert_allclose(
        other.groups[0].mean_error,
        found.groups[0].mean_error * [1000.0, 1e-3],
        rtol=1e-4,
    )


def test_order_of_objects_does_not_matter(found):
    data = field()
    order = np.random.default_rng(1).permutation(len(data))
    other = ic.members(data[order])
    np.testing.assert_allclose(other.probability, found.probability[order], atol=1e-3)


def sky_at(ra, dec, n=300, seed=0):
    """A field of 2 degrees with a group of 40 half a degree north of its middle."""
    rng = np.random.default_rng(seed)
    y = np.append(rng.normal(0, 1, n), 0.5 + 0.04 * rng.normal(size=40))
    x = np.append(rng.normal(0, 1, n), 0.04 * rng.normal(size=40))
    speed = np.append(rng.normal(0, 5, n), 3 + 0.2 * rng.normal(size=40))
    lat = dec + y
    lon = (ra + x / np.cos(np.radians(lat))) % 360.0
    std = np.column_stack(
        [0.02 / np.cos(np.radians(lat)), np.full(n + 40, 0.02), np.full(n + 40, 0.2)]
    )
    places = np.column_stack([lon, lat, speed])
    return ic.from_gaussian(places, std=std, feature_names=["ra", "dec", "speed"])


@pytest.mark.parametrize(("ra", "dec"), [(0.0, 0.0), (180.0, 0.0), (359.5, 60.0)])
def test_places_on_a_sphere(ra, dec):
    found = ic.members(sky_at(ra, dec), sky=("ra", "dec"))
    (group,) = found.groups
    assert group.expected == pytest.approx(40, abs=4)
    off = (group.mean[0] - ra + 180.0) % 360.0 - 180.0
    assert abs(off * np.cos(np.radians(dec))) < 0.03
    assert 0.0 <= group.mean[0] < 360.0
    assert group.mean[1] == pytest.approx(dec + 0.5, abs=0.03)
    # Degrees of arc, whatever the latitude.
    np.testing.assert_allclose(group.dispersion[:2], 0.04, rtol=0.5)
    np.testing.assert_allclose(group.mean_error[:2], 0.007, rtol=0.4)


def test_a_sphere_is_the_same_after_a_turn():
    one, other = (
        ic.members(sky_at(ra, 40.0), sky=("ra", "dec")) for ra in (0.0, 123.0)
    )
    np.testing.assert_allclose(one.probability, other.probability, atol=1e-6)


def test_probability_of_others(found):
    np.testing.assert_allclose(found.probability_of(field()), found.probability)
    there = ic.from_gaussian([[1.0, 1.0], [-2.0, 2.0]], std=0.05)
    near, far = found.probability_of(there)[:, 0]
    assert near > 0.9 > 0.01 > far
    on_sky = ic.members(sky_at(10.0, 40.0), sky=("ra", "dec"))
    again = on_sky.probability_of(sky_at(10.0, 40.0))
    np.testing.assert_allclose(again, on_sky.probability)
    with pytest.raises(ic.exceptions.DataError, match="found in 2: x0, x1"):
        found.probability_of([[1.0, 2.0, 3.0]])


def test_saved_and_read_again(tmp_path):
    found = ic.members(sky_at(10.0, 40.0), sky=("ra", "dec"))
    found.save(tmp_path / "members.incerta")
    again = ic.load(tmp_path / "members.incerta")
    np.testing.assert_array_equal(again.probability, found.probability)
    assert str(again) == str(found)
    assert again.summary() == found.summary()
    np.testing.assert_array_equal(
        again.probability_of(found.data), found.probability_of(found.data)
    )


def test_picture_shows_the_features_in_which_the_group_is_narrow():
    data = field(d=3)
    wide = data.affine([1.0, 1.0, 1.0])
    found = ic.members(wide)
    ax = found.plot()
    gray, members = ax.collections[0], ax.collections[-1]
    shown = (found.probability[:, 0] >= 0.05).sum()
    assert len(members.get_offsets()) == shown
    assert len(gray.get_offsets()) == len(data) - shown
    assert found.plot(["x2", "x0"]).get_xlabel() == "x2"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_groups": 0}, "n_groups=0 must be a whole number"),
        ({"n_groups": "two"}, "n_groups='two'"),
        ({"field": "flat"}, "field='flat' is not one of mixture, uniform"),
        ({"level": 0.0}, r"level=0\.0 must lie between 0 and 1"),
        ({"sky": ("x0",)}, "must name two features"),
        ({"sky": ("x0", "y")}, "no feature"),
    ],
)
def test_what_cannot_be_asked(options, message):
    with pytest.raises(ValueError, match=message):
        ic.members(field(50), **options)


def test_data_that_cannot_be():
    with pytest.raises(ic.exceptions.DataError, match="at most 20"):
        ic.members(np.zeros((30, 21)))
    with pytest.raises(ic.exceptions.DataError, match="'x1' is the same"):
        ic.members(np.column_stack([np.arange(30.0), np.ones(30)]))
    with pytest.raises(ic.exceptions.DataError, match="latitude, from −90 to 90"):
        ic.members(sky_at(0.0, 0.0), sky=("dec", "ra"))
    with pytest.raises(ic.exceptions.DataError, match="no objects"):
        ic.members(field()[:0])
