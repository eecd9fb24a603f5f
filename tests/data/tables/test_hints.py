"""Columns that look like errors of others."""

import warnings

import pytest

import incerta as ic
from incerta.data.tables.hints import errors_among
from incerta.exceptions import IncertaWarning


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("mass", "mass_err"),
        ("mass", "mass_error"),
        ("Mass", "mass_ERR"),
        ("koi_period", "koi_period_err1"),
        ("pmRA", "e_pmRA"),
        ("flux", "flux.std"),
        ("flux", "sigma_flux"),
        ("income", "income_moe"),
        ("teff", "teffErr"),
    ],
)
def test_names_of_errors(value, error):
    assert errors_among(["other", value, error]) == {error: value}


@pytest.mark.parametrize(
    "names",
    [
        ["mass", "radius"],
        ["mass_error", "radius"],  # of what?
        ["t", "terror"],
        ["e", "e_mass"],
        ["err"],
        ["mass", "massed"],
        ["u", "g", "u_g"],  # a colour
    ],
)
def test_names_of_something_else(names):
    assert errors_among(names) == {}


def test_no_call_is_offered_that_would_fail():
    pd = pytest.importorskip("pandas", reason="needs the extra frames")
    two = pd.DataFrame({"p": [1.0, 2.0], "p_err1": 0.1, "p_err2": -0.2})
    with pytest.warns(IncertaWarning, match="with one error for each"):
        ic.as_uncertain(two)
    some = pd.DataFrame({"p": [1.0, 2.0], "p_err": 0.1, "q": 3.0})
    with pytest.warns(IncertaWarning, match="exact needs a column of zeros"):
        ic.as_uncertain(some)


def test_a_plain_table_with_errors_gets_a_hint():
    pd = pytest.importorskip("pandas", reason="needs the extra frames")
    table = pd.DataFrame({"a": [0.0, 1.0, 9.0], "a_err": 0.1, "b": 1.0, "b_err": 0.2})
    with pytest.warns(IncertaWarning, match=r"'a_err' \(and 1 more\) looks like") as w:
        plain = ic.as_uncertain(table)
    assert plain.n_features == 4
    said = str(w[0].message)
    command = said[said.index("from_frame") : said.rindex(".")]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = eval(f"ic.{command}", {"ic": ic, "table": table})
    assert data.feature_names == ("a", "b")
    assert data.variance()[0, 1] == pytest.approx(0.04)
