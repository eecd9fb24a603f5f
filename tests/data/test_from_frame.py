"""from_frame: every frame library, both forms, every kind of error."""

import datetime as dt
import warnings
from decimal import Decimal

import numpy as np
import pytest

import incerta as ic
from incerta.exceptions import DataError, IncertaWarning, MissingValueError


def _pandas(columns):
    return pytest.importorskip("pandas").DataFrame(columns)


def _polars(columns):
    return pytest.importorskip("polars").DataFrame(columns)


def _polars_lazy(columns):
    return _polars(columns).lazy()


def _pyarrow(columns):
    return pytest.importorskip("pyarrow").table(columns)


def _duckdb(columns):
    duckdb = pytest.importorskip("duckdb")
    table = _pyarrow(columns)
    return duckdb.from_arrow(table)


@pytest.fixture(
    params=[dict, _pandas, _polars, _polars_lazy, _pyarrow, _duckdb],
    ids=["dict", "pandas", "polars", "polars lazy", "pyarrow", "duckdb"],
)
def frame(request):
    return request.param


LONG = {
    "star": ["b", "a", "b", "a", "c"],
    "mass": [1.0, 5.0, 3.0, 7.0, 2.0],
    "size": [1, 2, 3, 4, 5],
    "odds": [1.0, 1.0, 3.0, 1.0, 2.0],
    "other": ["u", "v", "w", "x", "y"],
}
WIDE = {
    "star": ["b", "a", "c"],
    "mass": [1.0, 5.0, 2.0],
    "size": [4, 5, 6],
    "mass_error": [0.5, 1.0, 0.0],
    "size_error": [1.0, 2.0, 4.0],
}


class TestLongForm:
    def test_rows_with_the_same_id_are_values_of_one_object(self, frame):
        data = ic.from_frame(frame(LONG), id="star", values=["mass", "size"])
        assert data.ids.tolist() == ["b", "a", "c"]
        assert data.feature_names == ("mass", "size")
        np.testing.assert_allclose(data.mean(), [[2, 2], [6, 3], [2, 5]])
        assert data.values_per_object().tolist() == [2, 2, 1]

    def test_weights(self, frame):
        data = ic.from_frame(frame(LONG), id="star", values="mass", weight="odds")
        np.testing.assert_allclose(data.mean().ravel(), [2.5, 6.0, 2.0])

    def test_without_id_every_row_is_an_object(self, frame):
        data = ic.from_frame(frame(LONG), values="mass")
        assert data.exact
        assert data.ids.tolist() == [0, 1, 2, 3, 4]

    def test_ids_may_be_numbers(self, frame):
        data = ic.from_frame(
            frame({"i": [7, 3, 7], "x": [1.0, 2.0, 3.0]}), id="i", values="x"
        )
        assert data.ids.tolist() == [7, 3]

    def test_ids_may_be_dates(self, frame):
        days = [dt.date(2020, 1, 2), dt.date(2020, 1, 1)]
        data = ic.from_frame(frame({"d": days, "x": [1.0, 2.0]}), id="d", values="x")
        assert [str(day)[:10] for day in data.ids] == ["2020-01-02", "2020-01-01"]

    def test_same_as_from_samples(self, frame):
        rng = np.random.default_rng(0)
        ids = rng.integers(0, 9, 200)
        x = rng.normal(size=(200, 2))
        columns = {"id": ids, "a": x[:, 0], "b": x[:, 1]}
        ours = ic.from_frame(frame(columns), id="id", values=["a", "b"])
        theirs = ic.from_samples(x, ids, feature_names=["a", "b"])
        assert ours.ids.tolist() == theirs.ids.tolist()
        np.testing.assert_array_equal(ours.law.values, theirs.law.values)
        np.testing.assert_array_equal(ours.law.starts, theirs.law.starts)

    def test_source_is_not_shared(self):
        columns = {"x": np.array([1.0, 2.0])}
        data = ic.from_frame(columns, values="x")
        columns["x"][0] = 99.0
        assert data.mean()[0, 0] == 1.0

    def test_incomplete_rows_are_left_out_when_told(self, frame):
        columns = {"id": ["a", "a", "b"], "x": [1.0, None, 3.0]}
        with pytest.raises(MissingValueError, match=r"1 in 'x'.*first object is a"):
            ic.from_frame(frame(columns), id="id", values="x")
        with pytest.warns(IncertaWarning, match="1 of 3 rows"):
            data = ic.from_frame(frame(columns), id="id", values="x", missing="impute")
        assert data.values_per_object().tolist() == [1, 1]

    def test_an_object_without_complete_row_is_refused(self, frame):
        columns = {"id": ["a", "a", "b"], "x": [1.0, 2.0, None]}
        with pytest.raises(MissingValueError, match=r"1 object has.*first is b"):
            ic.from_frame(frame(columns), id="id", values="x", missing="impute")

    def test_single_rows_are_imputed_as_exact(self):
        columns = {"x": [1.0, None, 3.0, 2.0], "y": [1.0, 2.0, 3.0, 2.0]}
        with pytest.warns(IncertaWarning, match="1 missing value of 1 object was"):
            data = ic.from_frame(columns, values=["x", "y"], missing="impute")
        variance = data.variance()
        assert variance[1, 0] > 0
        assert np.count_nonzero(variance) == 1

    def test_a_missing_weight_is_missing(self):
        columns = {"id": [1, 1], "x": [1.0, 2.0], "w": [1.0, None]}
        with pytest.raises(MissingValueError, match="1 in 'w'"):
            ic.from_frame(columns, id="id", values="x", weight="w")


GRID = {
    "id": ["a", "a", "b", "b"],
    "month": [1, 2, 2, 1],
    "x": [1.0, 2.0, 20.0, 10.0],
}


class TestJointForm:
    def test_draws_are_worlds(self, frame):
        data = ic.from_frame(
            frame(GRID), id="id", values="x", sample="month", joint=True
        )
        assert data.joint
        worlds = data.worlds(2).stack()[:, :, 0]
        np.testing.assert_array_equal(worlds, [[1.0, 10.0], [2.0, 20.0]])

    def test_joint_false_is_long_form(self):
        data = ic.from_frame(GRID, id="id", values="x", sample="month", joint=False)
        assert not data.joint
        assert data.values_per_object().tolist() == [2, 2]

    @pytest.mark.parametrize("joint", [True, False])
    def test_a_pair_given_twice(self, joint):
        twice = GRID | {"month": [1, 1, 2, 1]}
        with pytest.raises(DataError, match=r"1 row repeats.*object a with 1"):
            ic.from_frame(twice, id="id", values="x", sample="month", joint=joint)

    @pytest.mark.parametrize(
        ("month", "first"), [([1, 2, 3, 1], "b with 2"), ([1, 2, 2, 3], "b with 1")]
    )
    def test_an_absent_pair(self, month, first):
        holes = GRID | {"month": month}
        with pytest.raises(DataError, match=f"2 pairs.*absent.*{first}"):
            ic.from_frame(holes, id="id", values="x", sample="month", joint=True)

    def test_the_last_pair_absent(self):
        short = {name: column[:3] for name, column in GRID.items()}
        short["month"] = [1, 2, 1]
        with pytest.raises(DataError, match=r"1 pairs.*b with 2"):
            ic.from_frame(short, id="id", values="x", sample="month", joint=True)

    def test_incomplete_draws(self):
        gaps = GRID | {"x": [1.0, None, 20.0, 10.0]}
        said = {"id": "id", "values": "x", "sample": "month", "joint": True}
        with pytest.raises(MissingValueError, match="1 in 'x'"):
            ic.from_frame(gaps, **said)
        with pytest.warns(IncertaWarning, match="1 of 2 joint draws was filled"):
            data = ic.from_frame(gaps, **said, missing="impute")
        np.testing.assert_array_equal(data.worlds(2)[0].ravel(), [1.0, 10.0])
        assert data.worlds(2)[1][1, 0] == 20.0
        none = GRID | {"x": [1.0, None, 20.0, None]}
        with pytest.raises(MissingValueError, match=r"no object .* in two joint draws"):
            ic.from_frame(none, **said, missing="impute")


class TestWideForm:
    @pytest.mark.parametrize(
        "errors",
        [
            "{}_error",
            ["mass_error", "size_error"],
            {"mass": "mass_error", "size": "size_error"},
        ],
        ids=["template", "list", "dict"],
    )
    def test_values_with_errors(self, frame, errors):
        data = ic.from_frame(
            frame(WIDE), id="star", values=["mass", "size"], errors=errors
        )
        assert data.kind == "gaussian"
        assert data.ids.tolist() == ["b", "a", "c"]
        np.testing.assert_allclose(data.mean(), [[1, 4], [5, 5], [2, 6]])
        np.testing.assert_allclose(data.variance(), [[0.25, 1], [1, 4], [0, 16]])

    @pytest.mark.parametrize(
        ("kind", "error", "std"),
        [
            ("sd", 0.5, 0.5),
            ("se", 0.5, 0.5),
            ("var", 0.25, 0.5),
            ("ivar", 4.0, 0.5),
            ("2sigma", 1.0, 0.5),
            ("moe90", 0.5 * 1.6448536269514722, 0.5),
        ],
    )
    def test_kinds(self, frame, kind, error, std):
        table = frame({"x": [1.0, 2.0], "e": [error, error]})
        data = ic.from_frame(table, values="x", errors="e", kind=kind)
        np.testing.assert_allclose(np.sqrt(data.variance()), std)

    def test_ci95_around_the_value(self, frame):
        half = 1.959963984540054
        table = frame({"x": [1.0], "x_lo": [1.0 - half], "x_hi": [1.0 + 3 * half]})
        data = ic.from_frame(table, values="x", errors=("{}_lo", "{}_hi"), kind="ci95")
        np.testing.assert_allclose(data.mean(), 1.0)
        np.testing.assert_allclose(data.variance(), 4.0)

    def test_ci95_without_value_takes_the_middle(self, frame):
        table = frame({"lo": [1.0], "hi": [3.0]})
        data = ic.from_frame(table, values="x", errors=("lo", "hi"), kind="ci95")
        np.testing.assert_allclose(data.mean(), 2.0)

    def test_interval(self, frame):
        table = frame({"lo": [0.0, 1.0], "hi": [12.0, 1.0]})
        data = ic.from_frame(
            table, values=["x"], errors={"x": ("lo", "hi")}, kind="interval"
        )
        assert data.kind == "uniform"
        np.testing.assert_allclose(data.variance().ravel(), [12.0, 0.0])
        assert data.worlds(50, 0).stack()[:, 0].min() >= 0.0

    def test_missing_values_are_an_error(self, frame):
        table = frame(
            {
                "id": ["a", "b", "c"],
                "x": [1.0, None, 2.0],
                "x_error": [0.1, 0.1, None],
            }
        )
        with pytest.raises(
            MissingValueError,
            match=r"1 in 'x', 1 in 'x_error'; the first object is b.*missing='impute'",
        ):
            ic.from_frame(
                table, id="id", values="x", errors="{}_error", missing="error"
            )

    def test_imputing(self, frame):
        rng = np.random.default_rng(0)
        x = rng.normal(size=40)
        y = 2 * x + rng.normal(size=40) * 0.1
        table = frame(
            {
                "x": x.tolist(),
                "y": [None, *y[1:].tolist()],
                "x_e": [0.5] + [0.01] * 39,
                "y_e": [0.01] * 40,
            }
        )
        with pytest.warns(IncertaWarning, match="1 missing value of 1 object was"):
            data = ic.from_frame(
                table, values=["x", "y"], errors="{}_e", missing="impute"
            )
        mean, cov = data.mean(), data.covariance()
        assert mean[0, 0] == x[0]
        np.testing.assert_allclose(mean[0, 1], 2 * x[0], atol=0.1)
        # The slope carries the error of x over to y.
        np.testing.assert_allclose(cov[0], [[0.25, 0.5], [0.5, 1.01]], rtol=0.05)
        np.testing.assert_allclose(mean[1:, 1], y[1:])
        np.testing.assert_allclose(data.variance()[1:], 1e-4)
        assert data.worlds(3, 0)[0].shape == (40, 2)

    def test_missing_error_is_the_usual_one(self):
        table = {"x": [1.0, 2.0, 3.0], "e": [3.0, None, 4.0]}
        with pytest.warns(IncertaWarning, match="1 missing error of 1 object was"):
            data = ic.from_frame(table, values="x", errors="e", missing="impute")
        np.testing.assert_allclose(data.variance()[1], 12.5)

    def test_no_error_known_at_all(self):
        table = {"x": [1.0, 2.0], "e": [None, None]}
        with pytest.raises(MissingValueError, match="no error is known in 'e'"):
            ic.from_frame(table, values="x", errors="e", missing="impute")

    def test_no_value_known_at_all(self):
        table = {"x": [None, None, 1.0], "e": [1.0, 1.0, 1.0]}
        with pytest.raises(MissingValueError, match="column 'x' has 1 known value;"):
            ic.from_frame(table, values="x", errors="e", missing="impute")

    def test_ivar_of_zero_is_no_information(self):
        table = {"x": [1.0, -999.0, 3.0], "iv": [4.0, 0.0, 1.0]}
        with pytest.raises(MissingValueError, match="ivar of 0 counts as missing"):
            ic.from_frame(table, values="x", errors="iv", kind="ivar", missing="error")
        with pytest.warns(IncertaWarning, match="no known value at all"):
            data = ic.from_frame(
                table, values="x", errors="iv", kind="ivar", missing="impute"
            )
        assert 1.0 < data.mean()[1, 0] < 3.0

    def test_incomplete_interval_becomes_gaussian(self):
        table = {
            "x_l": [0.0, 1.0, 2.0, 3.0],
            "x_h": [1.0, 2.0, None, 4.0],
            "y_l": [0.0, 1.0, 2.0, 3.0],
            "y_h": [6.0, 1.0, 8.0, 4.0],
        }
        with pytest.warns(IncertaWarning, match="1 missing value "):
            data = ic.from_frame(
                table,
                values=["x", "y"],
                errors=("{}_l", "{}_h"),
                kind="interval",
                missing="impute",
            )
        np.testing.assert_allclose(data.variance()[[0, 2], 1], 3.0)
        assert "uniform" in data.kind
        assert "gaussian" in data.kind


BAD = {
    "unknown column": (
        {"values": ["mas"]},
        "values: there is no column 'mas'; did you mean 'mass'",
    ),
    "unknown id": ({"id": "sta", "values": "mass"}, "id: there is no column 'sta'"),
    "unknown error column": (
        {"values": "mass", "errors": "{}_err"},
        "errors: there is no column 'mass_err'; did you mean 'mass_error'",
    ),
    "no values": ({"values": []}, r"values=\[\] must be"),
    "values twice": ({"values": ["mass", "mass"]}, "'mass' twice"),
    "id among values": ({"id": "mass", "values": "mass"}, "id='mass' is among"),
    "unknown kind": (
        {"values": "mass", "errors": "{}_error", "kind": "sdd"},
        "no kind of error 'sdd'; did you mean 'sd'",
    ),
    "kind without errors": (
        {"values": "mass", "kind": "var"},
        "kind='var' says what the error columns hold, but errors is None",
    ),
    "bounds without errors": (
        {"values": "mass", "kind": "interval"},
        "kind='interval' needs the columns of the bounds",
    ),
    "no template": (
        {"values": ["mass", "size"], "errors": "mass_error"},
        "errors='mass_error' must contain {}",
    ),
    "no template in pair": (
        {"values": ["mass", "size"], "errors": ("{}_l", "h"), "kind": "ci95"},
        "errors='h' must contain {}",
    ),
    "pair for one": (
        {"values": "mass", "errors": "{}_error", "kind": "ci95"},
        "kind='ci95' has two columns per value",
    ),
    "list too short": (
        {"values": ["mass", "size"], "errors": ["mass_error"]},
        "must name one column for each",
    ),
    "dict without value": (
        {"values": ["mass", "size"], "errors": {"mass": "mass_error"}},
        "errors has no entry for 'size'",
    ),
    "dict with another value": (
        {"values": ["mass"], "errors": {"mas": "mass_error"}},
        "errors: there is no value column 'mas'",
    ),
    "dict without pair": (
        {"values": ["mass"], "errors": {"mass": "mass_error"}, "kind": "interval"},
        r"must be a pair of columns \(low, high\)",
    ),
    "weight in wide form": (
        {"values": "mass", "errors": "{}_error", "weight": "size"},
        "weight='size' cannot be used together with errors",
    ),
    "joint in wide form": (
        {"values": "mass", "errors": "{}_error", "joint": True},
        "joint=True cannot be used together with errors",
    ),
    "weight without id": ({"values": "mass", "weight": "size"}, "without id"),
    "sample without joint": (
        {"id": "star", "values": "mass", "sample": "size"},
        "sample='size' was given without joint",
    ),
    "joint without sample": (
        {"id": "star", "values": "mass", "joint": True},
        "joint=True needs sample=",
    ),
    "joint with weight": (
        {
            "id": "star",
            "values": "mass",
            "sample": "size",
            "joint": True,
            "weight": "mass_error",
        },
        "joint draws are equally likely",
    ),
    "missing": ({"values": "mass", "missing": "mean"}, "missing='mean' must be"),
    "text": ({"values": "star"}, "column 'star' must hold numbers; row 1 .* is 'b'"),
}


@pytest.mark.parametrize(("said", "message"), BAD.values(), ids=BAD)
def test_what_does_not_fit(frame, said, message):
    with pytest.raises(DataError, match=message):
        ic.from_frame(frame(WIDE), **said)


@pytest.mark.parametrize(
    ("columns", "said", "message"),
    [
        (
            {"e": [0.1, -2.0]},
            {},
            r"column 'e', row 2 .*, object b: -2.0 is negative",
        ),
        ({"e": [0.1, -2.0]}, {"kind": "ivar"}, r"object b: -2.0 is negative; 0 means"),
        (
            {"x": [1.0, np.inf]},
            {},
            "column 'x', row 2 .*, object b: inf is infinite",
        ),
        (
            {"e": [1.0, np.inf]},
            {},
            "column 'e', row 2 .*, object b: inf is infinite",
        ),
        (
            {"l": [0.0, 5.0], "h": [3.0, 4.0]},
            {"errors": ("l", "h"), "kind": "interval"},
            "column 'l', row 2 .counted from 1., object b: 5.0 is above the 4.0 in 'h'",
        ),
        (
            {"l": [0.0, 0.1], "h": [3.0, 0.2]},
            {"errors": ("l", "h"), "kind": "ci95"},
            "column 'x', row 2 .*, object b: 2.0 lies outside the bounds",
        ),
        ({"id": ["a", "a"]}, {}, "object a has 2 rows. errors= means one row"),
        ({"id": ["a", None]}, {}, "id='id' is missing in 1 row, the first is row 2"),
        (
            {"w": [1.0, -1.0]},
            {"errors": None, "weight": "w"},
            "column 'w', row 2 .*, object b: -1.0 is negative",
        ),
    ],
)
def test_cells_that_cannot_be(frame, columns, said, message):
    table = {"id": ["a", "b"], "x": [1.0, 2.0], "e": [0.1, 0.2]} | columns
    with pytest.raises(DataError, match=message):
        ic.from_frame(
            frame(table), **({"id": "id", "values": "x", "errors": "e"} | said)
        )


def test_empty_table(frame):
    empty = {"id": np.array([], str), "x": np.array([], float)}
    with pytest.raises(DataError, match="no rows"):
        ic.from_frame(frame(empty), id="id", values="x")


def test_mixed_ids():
    with pytest.raises(DataError, match="mixes numbers and text"):
        ic.from_frame({"id": [1, "1"], "x": [1.0, 2.0]}, id="id", values="x")
    mixed = _pandas({"id": [1, "1"], "x": [1.0, 2.0]})
    with pytest.raises(DataError, match="mixes numbers and text"):
        ic.from_frame(mixed, id="id", values="x")


def test_not_a_frame():
    with pytest.raises(DataError, match="df is a ndarray; from_frame takes frames"):
        ic.from_frame(np.ones((2, 2)), values="x")


def test_columns_of_different_length():
    with pytest.raises(DataError, match="equally long"):
        ic.from_frame({"x": [1.0], "y": [1.0, 2.0]}, values=["x", "y"])
    with pytest.raises(DataError, match=r"1 dimension, it has shape \(1, 2\)"):
        ic.from_frame({"x": [[1.0, 2.0]]}, values="x")


class TestUnusualTables:
    def test_pandas_index(self):
        table = _pandas(WIDE).set_index("star")
        with pytest.raises(DataError, match=r"is the index.*reset_index"):
            ic.from_frame(table, id="star", values="mass")

    def test_pandas_names_that_are_numbers_or_repeated(self):
        pd = pytest.importorskip("pandas")
        with pytest.raises(DataError, match="named by text, not 0; rename them"):
            ic.from_frame(pd.DataFrame(np.eye(2)), values="0")
        twice = pd.DataFrame(np.eye(2), columns=["x", "x"])
        with pytest.raises(DataError, match=r"columns must have different names.*'x'"):
            ic.from_frame(twice, values="x")

    def test_pandas_nullable(self):
        pd = pytest.importorskip("pandas")
        table = pd.DataFrame(
            {
                "id": pd.array(["a", "b", "a"], dtype="category"),
                "x": pd.array([1.5, 2.5, None], dtype="Float64"),
                "n": pd.array([1, 2, 3], dtype="Int64"),
            }
        )
        data = ic.from_frame(table, id="id", values="n")
        np.testing.assert_allclose(data.mean().ravel(), [2.0, 2.0])
        with pytest.raises(MissingValueError, match="1 in 'x'; the first object is a"):
            ic.from_frame(table, id="id", values="x")

    def test_pandas_unused_categories(self):
        pd = pytest.importorskip("pandas")
        ids = pd.Categorical(["z", "a"], categories=["a", "q", "z"])
        table = pd.DataFrame({"id": ids, "x": [1.0, 2.0]})
        assert ic.from_frame(table, id="id", values="x").ids.tolist() == ["z", "a"]

    def test_polars_null_ids(self):
        table = _polars({"id": ["a", None, "b"], "x": [1.0, 2.0, 3.0]})
        with pytest.raises(MissingValueError, match="id='id' is missing in 1 row"):
            ic.from_frame(table, id="id", values="x")

    @pytest.mark.parametrize("kind", ["Categorical", "Enum"])
    def test_polars_categories(self, kind):
        pl = pytest.importorskip("polars")
        dtype = pl.Enum(["a", "q", "z"]) if kind == "Enum" else pl.Categorical
        ids = pl.Series("id", ["z", "a", "z"], dtype=dtype)
        table = pl.DataFrame({"id": ids, "x": [1.0, 2.0, 3.0]})
        assert ic.from_frame(table, id="id", values="x").ids.tolist() == ["z", "a"]

    def test_arrow_dictionary(self):
        pa = pytest.importorskip("pyarrow")
        chunks = [
            pa.DictionaryArray.from_arrays([1, 0], ["a", "z", "unused"]),
            pa.DictionaryArray.from_arrays([0, 1], ["b", "z"]),
        ]
        table = pa.table({"id": pa.chunked_array(chunks), "x": [1.0, 2.0, 3.0, 5.0]})
        data = ic.from_frame(table, id="id", values="x")
        assert data.ids.tolist() == ["z", "a", "b"]
        np.testing.assert_allclose(data.mean().ravel(), [3.0, 2.0, 3.0])

    def test_arrow_dictionary_that_repeats_itself(self):
        pa = pytest.importorskip("pyarrow")
        ids = pa.DictionaryArray.from_arrays([0, 1, 2], ["a", "a", "b"])
        others = pa.DictionaryArray.from_arrays([1, 0], ["c", "a"])
        for chunks, expected in (([ids], ["a", "b"]), ([ids, others], ["a", "b", "c"])):
            column = pa.chunked_array(chunks)
            table = pa.table({"id": column, "x": np.arange(float(len(column)))})
            data = ic.from_frame(table, id="id", values="x")
            assert data.ids.tolist() == expected

    def test_arrow_string_view(self):
        pa = pytest.importorskip("pyarrow")
        ids = pa.array(["b", "a", "b"], pa.string_view())
        table = pa.table({"id": ids, "x": [1.0, 3.0, 5.0]})
        assert ic.from_frame(table, id="id", values="x").ids.tolist() == ["b", "a"]

    def test_duckdb_decimals(self):
        duckdb = pytest.importorskip("duckdb")
        query = "select * from (values (1, 1.25::decimal(9, 2)), (2, 2.5)) t(id, x)"
        data = ic.from_frame(duckdb.sql(query), id="id", values="x")
        np.testing.assert_allclose(data.mean().ravel(), [1.25, 2.5])

    def test_objects_that_are_numbers(self):
        data = ic.from_frame({"x": [Decimal("1.5"), 2, True]}, values="x")
        np.testing.assert_allclose(data.mean().ravel(), [1.5, 2.0, 1.0])

    def test_text_that_reads_as_numbers(self, frame):
        with pytest.raises(DataError, match="holds text, though all of it reads"):
            ic.from_frame(frame({"x": ["1.5", "2.5"]}), values="x")

    def test_the_cell_that_is_no_number_is_named(self, frame):
        with pytest.raises(DataError, match=r"row 2 \(counted from 1\) is 'n/a'"):
            ic.from_frame(frame({"x": ["1.5", "n/a"]}), values="x")

    def test_dates_are_no_numbers(self, frame):
        table = frame({"x": np.array(["2020-01-01"], "datetime64[us]")})
        with pytest.raises(DataError, match="column 'x' must hold numbers; it holds"):
            ic.from_frame(table, values="x")


@pytest.mark.parametrize("other", ["STAR a", "Star  a", "Star a ", "Ｓtar a"])
def test_ids_that_look_alike_are_told(other):
    table = {"id": ["Star a", "Star b", other], "x": [1.0, 2.0, 3.0]}
    with pytest.warns(IncertaWarning, match="and are taken for two objects") as warned:
        data = ic.from_frame(table, id="id", values="x")
    assert repr(other) in str(warned[0].message)
    assert len(data) == 3


def test_a_feature_that_is_missing_everywhere_is_named():
    table = {"a": [1.0, 2.0, 9.0], "b": [float("nan")] * 3}
    data = ic.from_frame(table, values=["a", "b"], missing="infinite")
    with pytest.raises(MissingValueError, match="feature 'b' is missing in every"):
        ic.cluster(data)


@pytest.mark.parametrize("frame", [_pandas, _polars])
def test_a_feature_with_gaps_is_named_where_a_frame_is_all_that_is_given(frame):
    table = frame({"a": np.arange(3.0), "b": np.full(3, np.nan)})
    with pytest.raises(DataError, match="column 'b' has 3 values that are NaN"):
        ic.cluster(table)


@pytest.mark.parametrize(("last", "n_told"), [("Mittelwert", 1), ("e", 0)])
def test_a_row_of_totals_in_a_frame_is_told(frame, last, n_told):
    table = frame({"id": np.array(["a", "b", "c", "d", last]), "x": np.arange(5.0)})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        ic.from_frame(table, id="id", values="x")
    assert [repr(last) in str(each.message) for each in caught] == [True] * n_told


def test_the_call_without_a_column_of_words_is_named():
    table = _pandas({"country": ["a", "a", "b"], "x": [1.0, 2.0, 3.0]})
    way_out = r"To leave it out, name the others: from_frame\(table, values=\['x'\]\)"
    with pytest.raises(DataError, match=way_out):
        ic.cluster(table)
