"""What numpy takes for numbers though it is none: masks, dates, text and the like."""

import numpy as np
import pytest
from sklearn.utils._testing import ignore_warnings

import incerta as ic
from incerta.data.checks import as_floats, as_labels
from incerta.exceptions import DataError

MASKED = np.ma.masked_values([[1.0, 2.0], [999.0, 3.0], [4.0, 5.0]], 999.0)
PLAIN = np.array([[1.0, 2.0], [3.0, 3.0], [4.0, 5.0]])
EDGE = np.array([[0.0], [5.0]])

# Every way in, as a function of a table.
DOORS = {
    "mean": lambda x: ic.from_gaussian(x, std=1.0),
    "std": lambda x: ic.from_gaussian(PLAIN[: len(x), : x.shape[1]], std=x),
    "cov": lambda x: ic.from_gaussian([[0.0] * x.shape[1]], cov=x[: x.shape[1]]),
    "low": lambda x: ic.from_interval(x, PLAIN[: len(x), : x.shape[1]]),
    "high": lambda x: ic.from_interval(PLAIN[: len(x), : x.shape[1]], x),
    "values": lambda x: ic.from_samples(x, np.arange(len(x))),
    "weights": lambda x: ic.from_samples(np.zeros(len(x)), [0] * len(x), x[:, 0]),
    "X": lambda x: ic.from_array(x[:, :, None]),
    "worlds": lambda x: ic.from_worlds(x[:, :, None]),
    "X, any": ic.as_uncertain,
    "X[0]": lambda x: ic.as_uncertain([x, PLAIN[:1, : x.shape[1]]]),
    "X, values": lambda x: ic.UKMeans(1).fit(x[:, :, None]),
    "matrix": lambda x: ic.as_uncertain(PLAIN[:, : x.shape[1]]).affine(x),
    "offset": lambda x: ic.as_uncertain(PLAIN[:, :1]).affine([1.0], x[:1, :1].T[0]),
    "sample_weight": lambda x: ic.UKMeans(1).fit(EDGE).score(EDGE, None, x[:2, 0]),
}
NO_NUMBERS = {
    "dates": np.array([["2020-01-01", "NaT"], ["NaT", "2020-01-02"]], "M8[s]"),
    "times": np.array([[1, 2], [3, 4]], "m8[s]"),
    "complex numbers": np.array([[1 + 2j, 0], [3, 1]]),
    "text": np.array([["1", "2"], ["3", "4"]]),
    "text, bytes": np.array([[b"1", b"2"], [b"3", b"4"]]),
    "text, objects": np.array([["1", 2.0], [3, 4]], dtype=object),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_what_is_no_number_is_refused_with_a_way_out(door, kind):
    name, what = door.split(",")[0], kind.split(",")[0]
    message = rf"{name.replace('[', '.').replace(']', '.')} must hold numbers, .*{what}"
    with pytest.raises(DataError, match=f"{message}; .*"):
        DOORS[door](NO_NUMBERS[kind])


@pytest.mark.parametrize("door", DOORS)
def test_masked_values_are_missing(door):
    masked = MASKED[1:] if door in ("offset", "sample_weight") else MASKED
    with pytest.raises((DataError, ValueError), match=r"NaN|sample_weight ranges"):
        DOORS[door](masked)


@pytest.mark.parametrize("kind", NO_NUMBERS)
def test_estimators_refuse_what_is_no_number(kind):
    bad = NO_NUMBERS[kind]
    model = ic.UKMeans(1).fit([[0.0, 1.0]])
    for call in (ic.UKMeans(1).fit, model.predict):
        with pytest.raises(ValueError, match=r"must hold numbers|Complex data"):
            call(bad)


def test_estimators_take_masked_values_as_missing():
    model = ic.UKMeans(1).fit(PLAIN)
    for call in (ic.UKMeans(1).fit, model.predict):
        with pytest.raises(ValueError, match="NaN"):
            call(MASKED)
        with pytest.raises(ValueError, match="NaN"):
            call(list(MASKED))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 2))
    hidden = rng.random((20, 2)) < 0.2
    masked = np.ma.array(np.where(hidden, 999.0, X), mask=hidden)
    one, two = (
        ic.ErrorMixture(2, random_state=0).fit(table)
        for table in (masked, np.where(hidden, np.nan, X))
    )
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.predict(masked), two.labels_)


def test_masked_values_may_be_infinitely_uncertain():
    data = ic.from_gaussian(MASKED, std=1.0, missing="infinite")
    np.testing.assert_array_equal(data.law.missing(), np.ma.getmaskarray(MASKED))


@pytest.mark.parametrize("x", [MASKED, list(MASKED), [list(row) for row in MASKED]])
@ignore_warnings()  # numpy's, about a masked cell of a list
def test_masks_in_lists(x):
    np.testing.assert_array_equal(as_floats(x, "x"), MASKED.filled(np.nan))


def test_a_mask_that_hides_nothing():
    np.testing.assert_array_equal(as_floats(np.ma.array([1, 2]), "x"), [1.0, 2.0])


def test_masks_of_astropy():
    Masked = pytest.importorskip("astropy.utils.masked").Masked
    found = as_floats(Masked([1.0, 999.0], mask=[False, True]), "x")
    np.testing.assert_array_equal(found, [1.0, np.nan])


def test_masked_parameters_of_distributions():
    stats = pytest.importorskip("scipy.stats")
    with pytest.raises(DataError, match="no finite mean"):
        ic.from_distributions(stats.norm(MASKED, 1.0))


def test_missing_cells_of_frames():
    pd = pytest.importorskip("pandas")
    column = pd.array([1, None, 3], dtype="Int64")
    for table in (pd.DataFrame({"a": column}), np.array([[1], [pd.NA], [3]], object)):
        np.testing.assert_array_equal(as_floats(table, "x").ravel(), [1.0, np.nan, 3.0])
        with pytest.raises(ValueError, match="NaN"):
            ic.UKMeans(1).fit(table)


@pytest.mark.parametrize(
    ("cells", "message"),
    [(["1", "2"], "'a' holds text, though"), (["2020", "NaT"], "'a' must hold numb")],
)
def test_frames_with_other_columns(cells, message):
    pd = pytest.importorskip("pandas")
    column = pd.to_datetime(cells) if "NaT" in cells else cells
    frame = pd.DataFrame({"a": column, "b": [1.0, 2.0]})
    for call in (ic.as_uncertain, ic.UKMeans(1).fit):
        with pytest.raises(DataError, match=message):
            call(frame)


def test_frames_with_two_columns_of_one_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(PLAIN, columns=["a", "a"])
    for call in (ic.as_uncertain, ic.UKMeans(1).fit):
        with pytest.raises(DataError, match="columns must have different names"):
            call(frame)


def test_numbers_of_other_kinds_are_taken():
    from decimal import Decimal
    from fractions import Fraction

    cells = [[Decimal("0.5"), Fraction(1, 2)], [np.float32(2), True]]
    np.testing.assert_array_equal(as_floats(cells, "x"), [[0.5, 0.5], [2.0, 1.0]])


@pytest.mark.parametrize(
    "ids",
    [
        np.ma.masked_values([1, 999, 2], 999),
        np.array(["2020", "NaT", "2021"], "M8[D]"),
        np.array([1.0, np.nan, 2.0]),
    ],
)
def test_ids_are_not_missing(ids):
    with pytest.raises(DataError, match=r"ids has .* at position 1|ids.1. is m"):
        as_labels(ids, "ids")


def test_maps_need_numbers():
    data = ic.as_uncertain(PLAIN)
    for bad in ([np.nan, 1.0], [[np.inf, 1.0]]):
        with pytest.raises(DataError, match="matrix has 1 value that is NaN, masked"):
            data.affine(bad)
    with pytest.raises(DataError, match="offset has 1 value"):
        data.affine([1.0, 1.0], [0.0, np.nan])
    with pytest.raises(DataError, match=r"offset has shape \(3,\); it must be one"):
        data.affine([1.0, 1.0], [0.0, 1.0, 2.0])


def test_features_have_names_of_their_own():
    data = ic.from_gaussian(PLAIN, std=1.0, feature_names=["a", "b"])
    for twice in (["a", "a"], [0, 0]):
        with pytest.raises(DataError, match="two features have the name 'a'; give"):
            data.select(twice)
    table = {"m": [1.0, 2.0], "log10(m)": [1.0, 2.0]}
    with pytest.raises(DataError, match="the logarithm of 'm' would be named"):
        ic.from_frame(table, values=["m", "log10(m)"], log="m")
