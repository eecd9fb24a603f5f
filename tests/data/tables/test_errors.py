"""What error columns can hold, each kind against its definition."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import incerta as ic
from incerta.exceptions import DataError, IncertaWarning, MissingValueError
from tests.strategies import examples

# From a value and its standard deviation to what a column of the kind would hold.
COLUMNS = {
    "sd": lambda v, s: [s],
    "se": lambda v, s: [s],
    "var": lambda v, s: [s**2],
    "ivar": lambda v, s: [s**-2],
    "2sigma": lambda v, s: [2 * s],
    "3sigma": lambda v, s: [3 * s],
    "moe90": lambda v, s: [1.644854 * s],
    "moe95": lambda v, s: [1.959964 * s],
    "rel%": lambda v, s: [100 * s / abs(v)],
    "ci68": lambda v, s: [norm.ppf(0.16, v, s), norm.ppf(0.84, v, s)],
    "ci95": lambda v, s: [norm.ppf(0.025, v, s), norm.ppf(0.975, v, s)],
    "plusminus": lambda v, s: [s, -s],
}


def read(columns, **said):
    said = {"values": ["x"], "id": "id"} | said
    n = len(columns["x"])
    return ic.from_frame({"id": list("abcdefghij")[:n], **columns}, **said)


@pytest.mark.parametrize("kind", COLUMNS)
@examples(10)
@given(
    value=st.floats(0.5, 100.0), sd=st.floats(0.01, 10.0), sign=st.sampled_from([-1, 1])
)
def test_every_kind_gives_the_standard_deviation(kind, value, sd, sign):
    value = sign * value
    names = ["e1", "e2"][: len(COLUMNS[kind](value, sd))]
    held = dict(zip(names, ([cell] for cell in COLUMNS[kind](value, sd)), strict=True))
    data = read({"x": [value], **held}, errors=names, kind=kind)
    assert data.kind == "gaussian"
    assert data.meaning == "error"
    np.testing.assert_allclose(data.mean(), value)
    np.testing.assert_allclose(np.sqrt(data.variance()), sd, rtol=1e-6)


def test_all_kinds_are_tested():
    from incerta.data.tables.spec import KINDS

    assert {*COLUMNS, "interval", "counts"} == set(KINDS)


class TestPlusMinus:
    pair = {"errors": ("{}_err1", "{}_err2"), "kind": "plusminus"}

    def test_moments(self):
        columns = {"x": [5.0, 7.0], "x_err1": [2.0, 1.0], "x_err2": [-0.5, -1.0]}
        data = read(columns, **self.pair)
        assert (data.kind, data.meaning) == ("split normal", "error")
        off = 2.0 - 0.5
        mean = [5.0 + np.sqrt(2 / np.pi) * off, 7.0]
        var = [(1 - 2 / np.pi) * off**2 + 2.0 * 0.5, 1.0]
        np.testing.assert_allclose(data.mean().ravel(), mean)
        np.testing.assert_allclose(data.variance().ravel(), var)

    def test_signs_of_lower_errors_do_not_matter(self):
        columns = {"x": [5.0, 7.0], "x_err1": [2.0, 1.0], "x_err2": [-0.5, -1.0]}
        plain = {**columns, "x_err2": [0.5, 1.0]}
        one, two = read(columns, **self.pair), read(plain, **self.pair)
        assert one.worlds(5, 0).stack().tolist() == two.worlds(5, 0).stack().tolist()

    def test_equal_errors_are_gaussian(self):
        columns = {"x": [5.0, 7.0, 9.0], "x_err1": [0.5, 1.0, 0.0]}
        data = read({**columns, "x_err2": [-0.5, -1.0, 0.0]}, **self.pair)
        same = read(columns, errors="x_err1")
        assert data.kind == "gaussian"
        assert data.worlds(5, 0).stack().tolist() == same.worlds(5, 0).stack().tolist()

    @pytest.mark.parametrize(
        ("upper", "lower", "message"),
        [
            ([1.0, -1.0], [-1.0, -1.0], "'x_err1', row 2 .*, object b: -1.0 is neg"),
            ([1.0, 1.0], [-1.0, 0.5], "'x_err2', row 2 .*, object b: 0.5 has another"),
            ([1.0, 1.0], [1.0, -0.5], "'x_err2', row 2 .*, object b: -0.5 has another"),
        ],
    )
    def test_wrong_signs(self, upper, lower, message):
        with pytest.raises(DataError, match=message):
            read({"x": [1.0, 2.0], "x_err1": upper, "x_err2": lower}, **self.pair)

    def test_one_side_missing_is_the_usual_one(self):
        columns = {"x": [1.0, 2.0, 3.0], "x_err1": [3.0, None, 4.0]}
        columns["x_err2"] = [-1.0, -1.0, -1.0]
        with pytest.warns(IncertaWarning, match="1 missing error of 1 object"):
            data = read(columns, **self.pair)
        np.testing.assert_allclose(data.law.above[1], np.sqrt(12.5))
        np.testing.assert_allclose(data.law.below[1], 1.0)

    def test_missing_values(self):
        columns = {"x": [1.0, None, 3.0, 4.0], "x_err1": [3.0, 1.0, 4.0, 1.0]}
        columns["x_err2"] = [-1.0, -1.0, -1.0, -1.0]
        with pytest.warns(IncertaWarning, match="1 value of 1 object is missing"):
            data = read(columns, **self.pair)
        assert data.law.missing().ravel().tolist() == [False, True, False, False]
        with pytest.warns(IncertaWarning, match="imputed"):
            data = read(columns, **self.pair, missing="impute")
        assert data.kind == "correlated gaussian + split normal"

    def test_model_files(self, tmp_path):
        columns = {"x": [5.0, 7.0], "x_err1": [2.0, 1.0], "x_err2": [-0.5, -1.0]}
        data = read(columns, **self.pair, meaning="belief")
        ic.cluster(data, 1, method="UKMeans").save(tmp_path / "m.incerta")
        again = ic.load(tmp_path / "m.incerta").data
        assert again.worlds(3, 1).stack().tolist() == data.worlds(3, 1).stack().tolist()


class TestPairs:
    columns = {"x": [1.0], "y": [2.0]}
    columns |= {f"{name}_{end}": [1.0] for name in "xy" for end in ("lo", "hi")}

    @pytest.mark.parametrize("values", [["x"], ["x", "y"]])
    def test_pair_for_a_kind_with_one_column(self, values):
        message = "kind='sd' takes one; the kinds that take pairs are ci68, ci95, int"
        with pytest.raises(DataError, match=message):
            read(self.columns, values=values, errors=("{}_lo", "{}_hi"))

    def test_no_pair_for_a_kind_with_two(self):
        with pytest.raises(
            DataError, match=r"errors=\('{}_err1', '{}_err2'\).*\(upper, l"
        ):
            read(self.columns, errors="{}_lo", kind="plusminus")
        with pytest.raises(DataError, match="kind='plusminus' needs the columns of th"):
            read(self.columns, kind="plusminus")
        with pytest.raises(DataError, match=r"a pair of columns \(upper, lower\)"):
            read(self.columns, errors={"x": "x_lo"}, kind="plusminus")


class TestLogarithms:
    @pytest.mark.parametrize("kind", ["sd", "var", "rel%", "moe95"])
    def test_first_order(self, kind):
        value, sd = np.array([1.0, 20.0, 300.0]), np.array([0.1, 0.0, 20.0])
        held = [COLUMNS[kind](v, s)[0] for v, s in zip(value, sd, strict=True)]
        data = read({"x": value, "e": held}, errors="e", kind=kind, log="x")
        assert data.feature_names == ("log10(x)",)
        np.testing.assert_allclose(data.mean().ravel(), np.log10(value))
        # The slope of the logarithm, by a small step.
        slope = (np.log10(value + 1e-6) - np.log10(value - 1e-6)) / 2e-6
        found = np.sqrt(data.variance().ravel())
        np.testing.assert_allclose(found, sd * slope, rtol=1e-5)

    def test_small_errors_agree_with_draws(self):
        rng = np.random.default_rng(0)
        data = read({"x": [7.0], "e": [0.2]}, errors="e", log=["x"])
        draws = np.log10(7.0 + 0.2 * rng.normal(size=100_000))
        np.testing.assert_allclose(data.mean()[0, 0], draws.mean(), atol=1e-3)
        np.testing.assert_allclose(
            np.sqrt(data.variance()[0, 0]), draws.std(), rtol=0.01
        )

    @pytest.mark.parametrize("kind", ["interval", "ci68", "ci95"])
    def test_bounds_are_transformed(self, kind):
        columns = {"x": [10.0], "lo": [1.0], "hi": [1000.0]}
        data = read(columns, errors=("lo", "hi"), kind=kind, log=True)
        same = read(
            {"x": [1.0], "lo": [0.0], "hi": [3.0]}, errors=("lo", "hi"), kind=kind
        )
        np.testing.assert_allclose(data.mean(), same.mean())
        np.testing.assert_allclose(data.variance(), same.variance())

    def test_plusminus_is_transformed(self):
        columns = {"x": [10.0], "u": [90.0], "l": [-9.0]}
        data = read(columns, errors=("u", "l"), kind="plusminus", log="all")
        # Both ends are a power of ten away: the same upwards and downwards.
        np.testing.assert_allclose(data.mean(), 1.0)
        np.testing.assert_allclose(np.sqrt(data.variance()), 1.0)

    def test_only_the_named_values(self):
        columns = {"x": [10.0], "y": [10.0], "x_e": [1.0], "y_e": [1.0]}
        data = read(columns, values=["x", "y"], errors="{}_e", log="y")
        assert data.feature_names == ("x", "log10(y)")
        assert data.mean().tolist() == [[10.0, 1.0]]

    def test_a_column_called_all(self):
        columns = {"all": [10.0], "x": [10.0]}
        data = read(columns, values=["x", "all"], log="all")
        assert data.feature_names == ("x", "log10(all)")

    def test_long_form(self):
        table = {"id": ["a", "a", "b"], "x": [1.0, 100.0, 1000.0]}
        data = ic.from_frame(table, id="id", values="x", log="x")
        assert data.mean().ravel().tolist() == [1.0, 3.0]
        assert data.feature_names == ("log10(x)",)
        replicates = ic.from_frame(table, id="id", values="x", log="x", meaning="error")
        assert replicates.mean().ravel().tolist() == [1.0, 3.0]

    def test_joint_draws(self):
        table = {
            "id": ["a", "b"] * 2,
            "x": [1.0, 10.0, 100.0, 1000.0],
            "m": [0, 0, 1, 1],
        }
        data = ic.from_frame(
            table, id="id", values="x", log="x", sample="m", joint=True
        )
        assert sorted(map(tuple, data.worlds(2, 0).stack()[..., 0])) == [(0, 1), (2, 3)]

    @pytest.mark.parametrize(
        ("columns", "said", "message"),
        [
            ({"x": [1.0, 0.0]}, {}, "'x', row 2 .*, object b: 0.0 has no logarithm"),
            (
                {"x": [1.0, 0.0], "e": [1.0, 1.0]},
                {"errors": "e"},
                "object b: 0.0 has no",
            ),
            (
                {"x": [1.0, -1.0], "e": [1.0, 1.0]},
                {"errors": "e", "missing": "infinite"},
                "object b: -1.0 has no logarithm",
            ),
            (
                {"x": [1.0, 1.0], "l": [0.5, 0.0], "h": [2.0, 2.0]},
                {"errors": ("l", "h"), "kind": "interval"},
                "'l', row 2 .*, object b: 0.0 has no logarithm",
            ),
            (
                {"x": [1.0, 1.0], "u": [1.0, 1.0], "l": [-0.5, -1.5]},
                {"errors": ("u", "l"), "kind": "plusminus"},
                r"'x', row 2 .*, object b: -0.5 \(less 'l'\) has no logarithm",
            ),
            ({"x": [1.0, 1.0]}, {"log": "y"}, "log: there is no value column 'y'"),
        ],
    )
    def test_no_logarithm(self, columns, said, message):
        with pytest.raises(DataError, match=message):
            read(columns, **({"log": "x"} | said))


class TestMissing:
    columns = {"x": [1.0, None, 3.0, 4.0], "e": [0.1, 0.1, 0.1, None]}

    def test_default_is_infinite_with_errors(self):
        with pytest.warns(IncertaWarning) as told:
            data = read(self.columns, errors="e")
        assert any(
            "1 value of 1 object is missing (1 in 'x'; the first object is b)"
            in str(one.message)
            for one in told
        )
        assert data.variance()[1, 0] == np.inf

    def test_infinite_when_asked_for_says_nothing(self):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            read({"x": [1.0, None], "e": [1.0, 1.0]}, errors="e", missing="infinite")

    def test_default_is_an_error_elsewhere(self):
        for said in ({}, {"errors": "e", "meaning": "belief"}):
            with pytest.raises(MissingValueError, match=r"missing='drop'.*'impute'"):
                read(self.columns, **said)
        pair = {"lo": [1.0, None], "hi": [2.0, 3.0], "x": [0, 0]}
        with pytest.raises(MissingValueError, match="missing values: 1 in"):
            read(pair, errors=("lo", "hi"), kind="interval")
        with pytest.raises(MissingValueError, match=r"bound has none.*missing='drop'"):
            read(pair, errors=("lo", "hi"), kind="interval", missing="infinite")

    def test_drop(self):
        with pytest.warns(
            IncertaWarning, match="2 of 4 objects .*, the first is object b"
        ):
            data = read(self.columns, errors="e", missing="drop")
        assert data.ids.tolist() == ["a", "c"]
        assert data.mean().ravel().tolist() == [1.0, 3.0]
        with pytest.warns(
            IncertaWarning, match="1 of 4 objects has a missing value and was left"
        ):
            data = read(self.columns, missing="drop")
        assert data.ids.tolist() == ["a", "c", "d"]

    def test_drop_keeps_numbers_of_rows(self):
        with pytest.warns(IncertaWarning, match="left out"):
            data = read(self.columns, errors="e", id=None, missing="drop")
        assert data.ids.tolist() == [0, 2]

    def test_drop_in_long_form(self):
        table = {"id": list("babcb"), "x": [1.0, 2.0, None, None, 5.0], "w": [1] * 5}
        told = "2 of 5 rows .*, the first of object b; 1 object has no other"
        for said in ({}, {"weight": "w"}, {"meaning": "error"}):
            with pytest.warns(IncertaWarning, match=told):
                data = ic.from_frame(table, id="id", values="x", missing="drop", **said)
            assert data.ids.tolist() == ["b", "a"]
            assert data.mean().ravel().tolist() == [3.0, 2.0]

    def test_drop_with_batches(self):
        rng = np.random.default_rng(0)
        x = rng.normal(size=20)
        columns = {"id": list("abcde") * 4, "x": x, "p": list("uv") * 10}
        gaps = np.zeros(20, dtype=bool)
        gaps[[3, 7]] = True
        holes = {**columns, "x": np.where(gaps, np.nan, x)}
        fewer = {name: np.asarray(column)[~gaps] for name, column in columns.items()}
        said = {"id": "id", "values": "x", "batch": "p", "meaning": "error"}
        with pytest.warns(IncertaWarning, match="offsets|2 of 20 rows"):
            one = ic.from_frame(holes, **said, missing="drop")
        with pytest.warns(IncertaWarning, match="offsets"):
            two = ic.from_frame(fewer, **said)
        order = [one.ids.tolist().index(id) for id in two.ids]
        np.testing.assert_allclose(one.mean()[order], two.mean())

    def test_drop_everything(self):
        columns = {"x": [None, None], "e": [1.0, 1.0]}
        with pytest.raises(MissingValueError, match="leaves nothing"):
            read(columns, errors="e", missing="drop")

    def test_methods_take_gaps_or_name_the_way_out(self):
        rng = np.random.default_rng(0)
        x = np.concatenate([rng.normal(size=20), rng.normal(size=20) + 9.0])
        y = x.copy()
        y[[3, 30]] = np.nan
        columns = {"x": x, "y": y, "x_e": [0.1] * 40, "y_e": [0.1] * 40}
        said = {"values": ["x", "y"], "errors": "{}_e"}
        with pytest.warns(IncertaWarning, match="2 values of 2 objects are missing"):
            data = ic.from_frame(columns, **said)
        for said in ({"params": {"n_worlds": 3}}, {"method": "UKMeans"}):
            labels = ic.cluster(data, 2, **said).labels
            assert labels.tolist() == [0] * 20 + [1] * 20
        with pytest.raises(
            MissingValueError, match="missing='impute' or missing='drop'"
        ):
            ic.UKMeans(n_clusters=2).fit(data)
