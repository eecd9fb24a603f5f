"""Plain tables with columns that look like errors of others, at every door."""

import numpy as np
import pytest

import incerta as ic
from incerta.data.tables.names import error_names, refuse_errors
from incerta.exceptions import DataError

PAIRS = [
    ("mass", "mass_err"),
    ("mass", "mass_error"),
    ("Mass", "mass_ERR"),
    ("koi_period", "koi_period_err1"),
    ("pmRA", "e_pmRA"),
    ("flux", "flux.std"),
    ("flux", "sigma_flux"),
    ("income", "income_moe"),
    ("teff", "teffErr"),
    ("flux", "fluxerr"),
    ("mass [kg]", "mass_sd [kg]"),
    ("T_K", "T_unc"),
    ("masse", "masse_écart-type"),
    ("x", "dx"),
    ("B19013_001E", "B19013_001M"),
    ("age", "age 2σ"),
    ("conc", "conc_rsd"),
    ("h_mean", "h_sd"),
]


def door_of_cluster(table):
    ic.cluster(table, 2, "UKMeans")


def door_of_estimators(table):
    ic.UKMeans(2).fit(table)


def door_of_transformers(table):
    ic.Standardizer().fit_transform(table)


@pytest.mark.parametrize(
    "door", [ic.as_uncertain, door_of_cluster, door_of_estimators, door_of_transformers]
)
@pytest.mark.parametrize(("value", "error"), PAIRS)
def test_errors_are_no_features_at_any_door(door, value, error):
    pd = pytest.importorskip("pandas", reason="needs the extra frames")
    # More than a few columns would each ask for several pairs of letters.
    table = pd.DataFrame({value: [0.0, 1.0, 9.0, 9.5], error: [0.1, 0.2, 0.1, 0.2]})
    with pytest.raises(DataError, match="looks like the error of") as refusal:
        door(table)
    told = str(refusal.value)
    assert repr(error) in told
    data = called(told, "Name the columns: ", table)
    assert data.feature_names == (value,)
    assert data.variance().min() > 0 or value == "conc"
    features = called(told, "name all columns as values: ", table)
    assert features.feature_names == (value, error)
    assert features.exact


def called(told, before, table):
    """What a call does that a message names."""
    begin = told.index(before) + len(before)
    end = told.index(").", begin) + 1
    return eval(f"ic.{told[begin:end]}", {"ic": ic, "table": table})


@pytest.mark.parametrize(
    "names",
    [
        ["mass", "radius"],
        ["mass_error", "radius"],  # of what?
        ["t", "terror"],
        ["e", "e_mass"],
        ["err"],
        ["mass", "massed"],
        ["u", "g", "u_g"],  # a color
    ],
)
def test_names_of_something_else(names):
    assert error_names(names) == []
    refuse_errors(names, np.ones((3, len(names))))


def test_numbers_that_cannot_be_errors_are_features():
    refuse_errors(["x", "x_err"], np.array([[1.0, 0.1], [2.0, -0.1]]))
    with pytest.raises(DataError, match="kind='interval'"):
        refuse_errors(["x_low", "x_high"], np.array([[1.0, 2.0], [2.0, 3.0]]))
    refuse_errors(["x_low", "x_high"], np.array([[3.0, 2.0], [4.0, 3.0]]))


def test_no_call_is_offered_that_would_fail():
    pd = pytest.importorskip("pandas", reason="needs the extra frames")
    two = pd.DataFrame({"p": [1.0, 2.0], "p_err1": 0.1, "p_err2": -0.2})
    with pytest.raises(DataError, match="kind='plusminus'") as refusal:
        ic.as_uncertain(two)
    data = called(str(refusal.value), "Name the columns: ", two)
    assert data.variance()[0, 0] > 0
    mixed = pd.DataFrame({"p": [1.0, 2.0], "p_err": 0.1, "q": 3.0, "q_var": 0.1})
    with pytest.raises(DataError, match="with one error for each"):
        ic.as_uncertain(mixed)
    some = pd.DataFrame({"p": [1.0, 2.0], "p_err": 0.1, "q": 3.0})
    with pytest.raises(DataError, match="exact needs a column of zeros"):
        ic.as_uncertain(some)


def test_a_frame_like_that_of_the_fit_is_taken():
    pd = pytest.importorskip("pandas", reason="needs the extra frames")
    table = pd.DataFrame({"a": [0.0, 1.0, 9.0], "a_err": 0.1})
    data = ic.from_frame(table, values=["a", "a_err"])
    assert len(ic.UKMeans(2).fit(data).predict(table)) == 3


@pytest.mark.parametrize("door", [ic.cluster, ic.UKMeans(2).fit, ic.data.as_uncertain])
def test_a_column_of_names_is_part_of_the_call(door):
    pd = pytest.importorskip("pandas", reason="needs pandas")
    stars = pd.DataFrame({"star": ["a", "b", "c"], "mass": [1.0, 2.0, 9.0]})
    with pytest.raises(DataError) as refusal:
        door(stars)
    call = "from_frame(table, id='star', values=['mass'])"
    assert f"If it names the objects, say so: {call}." in str(refusal.value)
    with pytest.raises(DataError) as refusal:
        door(stars.assign(mass_err=0.1))
    call = "from_frame(table, id='star', values=['mass'], errors='{}_err')"
    assert call in str(refusal.value)
    with pytest.raises(DataError) as refusal:
        door(stars.assign(star="a"))
    call = "from_frame(table, values=['mass'])"
    assert f"To leave it out, name the others: {call}." in str(refusal.value)
