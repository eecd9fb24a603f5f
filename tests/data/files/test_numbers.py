"""Numbers as people write them, against what they mean."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.data.files.numbers import Rules, numbers_in
from incerta.data.files.oddities import times_as_mark
from incerta.exceptions import DataError, IncertaWarning


def read(cells, na=(), decimal=None):
    """One column of a file with semicolons."""
    rules = Rules(
        decimal=decimal,
        separator=";",
        na=tuple(na),
        where=lambda row: f"line {row + 2}",
    )
    return numbers_in({"x": cells}, rules)["x"]


@given(
    st.integers(0, 10**6),
    st.integers(1, 4),
    st.integers(1, 99),
    st.integers(-9, 9),
    st.sampled_from(".,"),
)
def test_errors_in_parentheses(digits, n_decimals, last, power, mark):
    """12.3(4) is 12.3 ± 0.4: in units of the last digit, and of a power after it."""
    whole, fraction = divmod(digits, 10**n_decimals)
    text = f"{whole}{mark}{fraction:0{n_decimals}}({last})e{power}"
    found = read([text], decimal=mark)
    unit = 10.0 ** (power - n_decimals)
    np.testing.assert_allclose(
        [*found.values, *found.errors], [digits * unit, last * unit]
    )


@pytest.mark.parametrize(
    ("cell", "value", "error"),
    [
        ("12(4)", 12.0, 4.0),
        ("12.3(0.5)", 12.3, 0.5),
        ("150.4 ± 2.0", 150.4, 2.0),
        ("150.4 +/- 2.0", 150.4, 2.0),
        ("−1.5(2)", -1.5, 0.2),
        ("-9.71 (0.21)", -9.71, 0.21),
        ("9,71 (0,21)", 9.71, 0.21),
        (r"$5000 \pm 50$", 5000.0, 50.0),
        (r"4.5\pm0.1", 4.5, 0.1),
    ],
)
def test_other_errors(cell, value, error):
    found = read([cell])
    np.testing.assert_allclose([found.values[0], found.errors[0]], [value, error])


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ("1.234,5", 1234.5),
        ("1,234.5", 1234.5),
        ("1.234.567", 1234567.0),
        ("1'234,5", 1234.5),
        ("2,5", 2.5),
    ],
)
def test_the_last_of_two_marks_is_the_decimal_one(cell, value):
    assert read([cell]).values.tolist() == [value]


@pytest.mark.parametrize(
    ("cell", "value"), [("±0.5", 0.5), ("± 0,5", 0.5), ("+/-12", 12.0), ("+-1e3", 1e3)]
)
def test_errors_of_values_elsewhere(cell, value):
    found = read([cell])
    assert (found.values.tolist(), found.errors) == ([value], None)


@pytest.mark.parametrize("cell", ["±", "±x", "±1 ± 2", "±1(2)", "±±1"])
def test_other_cells_with_a_sign_are_no_numbers(cell):
    with pytest.raises(DataError, match="must hold numbers"):
        read([cell])


@pytest.mark.parametrize(
    ("cell", "way_out"),
    [
        (
            "12 (40.5)",
            "in parentheses is an error, write it as in 12 ± 4",
        ),
        ("12 (4)", "If the number in parentheses is an error"),
        ("9.8+0.1-0.3", "columns of their own, with kind='plusminus'"),
        ("9.8 +0.1/-0.3", "columns of their own, with kind='plusminus'"),
        ("$9.8^{+0.1}_{-0.3}$", "columns of their own, with kind='plusminus'"),
        ("1+2", "Write a plain number"),
    ],
)
def test_other_ways_to_write_errors_are_not_guessed(cell, way_out):
    with pytest.raises(DataError, match=way_out):
        read([cell])


def test_one_unit_for_all_of_a_column():
    with pytest.warns(IncertaWarning, match="the unit 'cm' was removed"):
        assert read(["12 cm", "", "3 cm"]).unit == "cm"
    for other in ("3 mm", "3"):
        with pytest.raises(DataError, match=r"'12 cm' \(line 2\) and '3.*' \(line 3\)"):
            read(["12 cm", other])


def test_numbers_that_stand_for_missing_values_however_they_are_written():
    cells = ["1.5", "-999", "-999.0", "−999", "-9.99e2", "x"]
    found = read(cells, na=("-999", "x")).values
    np.testing.assert_array_equal(found, [1.5, *[np.nan] * 5])


@pytest.mark.parametrize(
    ("others", "times"),
    [([0.0, 1.0, 2.0], 2), ([0.0, 50.0, 98.0], 0), ([0.0, 50.0], 0), ([0.0], 0)],
)
def test_a_mark_is_farther_off_than_the_others_are_apart(others, times):
    column = np.array([*others, 99.0, 99.0])
    assert times_as_mark(column, 99.0) == times
    assert times_as_mark(column[:-1], 99.0) == 0  # once is no habit


def test_lines_above_a_title(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\nMeasured in May\nid,x\na,1\nb,2\n")
    with pytest.warns(IncertaWarning, match="found in line 3"):
        data = ic.read_table(path, id="id", values="x")
    assert data.ids.tolist() == ["a", "b"]
    assert data.mean().ravel().tolist() == [1.0, 2.0]


def test_plain_numbers_say_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read(["1", "2.5", "", "n/a", "1e3"])
    np.testing.assert_array_equal(found.values, [1.0, 2.5, np.nan, np.nan, 1000.0])
    assert found.errors is None
