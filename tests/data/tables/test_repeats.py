"""Repeated measurements side by side."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.exceptions import DataError, IncertaWarning, MissingValueError

WIDE = {
    "id": ["a", "b", "c"],
    "h_1": [1.0, 5.0, 9.0],
    "h_2": [1.2, 5.4, 9.1],
    "h_3": [1.1, np.nan, 9.4],
    "g_1": [0.0, 2.0, 4.0],
    "g_2": [0.3, 2.2, 4.1],
}
SAID = {"id": "id", "values": ["h", "g"], "replicates": "{}_*"}


def as_long(wide, endings, names):
    """The same table with a row per repeat, those without any value left out."""
    long = {"id": [], **{name: [] for name in names}}
    for i, id in enumerate(wide["id"]):
        for end in endings:
            row = [wide.get(f"{name}_{end}", {i: np.nan})[i] for name in names]
            if not np.isnan(row).all():
                long["id"].append(id)
                for name, value in zip(names, row, strict=True):
                    long[name].append(value)
    return long


def same(one, other):
    assert one.ids.tolist() == other.ids.tolist()
    assert one.feature_names == other.feature_names
    assert one.meaning == other.meaning
    np.testing.assert_array_equal(one.mean(), other.mean())
    np.testing.assert_array_equal(one.variance(), other.variance())
    for a, b in zip(one.worlds(3, random_state=0), other.worlds(3, random_state=0)):
        np.testing.assert_array_equal(a, b)


@st.composite
def wide_tables(draw):
    n, names = draw(st.integers(2, 6)), ["h", "g_x", "k"][: draw(st.integers(1, 3))]
    n_repeats = [draw(st.integers(2, 5)) for _ in names]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    wide = {"id": [f"o{i}" for i in range(n)]}
    columns = [(name, r + 1) for name, n in zip(names, n_repeats) for r in range(n)]
    for name, r in draw(st.permutations(columns)):
        column = rng.normal(size=n)
        if r > 2:  # so that every object keeps two values
            column[rng.random(n) < 0.3] = np.nan
        wide[f"{name}_{r}"] = column
    return wide, names


@given(wide_tables())
def test_the_long_form_of_the_table_is_the_same(drawn):
    wide, names = drawn
    endings = dict.fromkeys(
        c.rsplit("_", 1)[1]
        for n in names
        for c in wide
        if c != "id" and c.startswith(f"{n}_")
    )
    long = as_long(wide, endings, names)
    same(
        ic.from_frame(wide, id="id", values=names, replicates="{}_*"),
        ic.from_frame(long, id="id", values=names, meaning="error"),
    )


def test_values_of_a_distribution():
    wide = {name: column for name, column in WIDE.items() if name != "h_3"}
    long = as_long(wide, "12", "hg")
    data = ic.from_frame(wide, meaning="spread", **SAID)
    same(data, ic.from_frame(long, id="id", values=["h", "g"]))
    assert data.meaning == "spread"


def test_gaps_of_a_distribution_follow_the_rule():
    said = {"id": "id", "values": "h", "replicates": "{}_*", "meaning": "spread"}
    data = ic.from_frame(WIDE, **said)  # an absent repeat is no gap
    assert data.mean()[1, 0] == pytest.approx(5.2)
    wide = WIDE | {"g_3": [1.0, 2.0, 3.0]}
    both = said | {"values": ["h", "g"]}
    with pytest.raises(MissingValueError, match="1 in 'h'; the first object is b"):
        ic.from_frame(wide, **both)
    with pytest.warns(IncertaWarning, match="1 of 9 rows has missing values"):
        ic.from_frame(wide, **both, missing="impute")


def test_without_ids_rows_are_objects():
    data = ic.from_frame(WIDE, values=["h", "g"], replicates="{}_*")
    assert data.ids.tolist() == [0, 1, 2]
    assert data.meaning == "error"


@pytest.mark.parametrize("pattern", ["x{}.*", "x*.{}", "xh.*"])
def test_patterns(pattern):
    names = [pattern.replace("{}", "h").replace("*", end) for end in ("1", "b2")]
    table = {names[0]: [1.0, 2.0], names[1]: [1.1, 2.2], "xh.": [0.0, 0.0]}
    data = ic.from_frame(table, values="h", replicates=pattern)
    np.testing.assert_allclose(data.mean().ravel(), [1.05, 2.1])


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"errors": "{}_e"}, "errors='{}_e' cannot be used together with replicates="),
        ({"weight": "w"}, "weight='w' cannot be used"),
        ({"sample": "s", "joint": True}, "sample='s' cannot be used"),
        ({"joint": False}, "joint=False cannot be used"),
        ({"batch": "b"}, "batch='b' cannot be used"),
        ({"kind": "se"}, "kind='se' says what the error columns hold"),
        ({"replicates": "{}_1"}, "replicates='{}_1' must contain {}, .* single *"),
        ({"replicates": "h_*"}, "replicates='h_.' must contain {}"),
        ({"replicates": True}, "replicates=True must contain"),
        ({"replicates": "{}.*"}, r"no column 'h\.\*'. There are: 'h_1', 'h_2'"),
        ({"values": ["h", "weight"]}, r"no column 'weight_\*'. There are: 'h_1'"),
        ({"meaning": "spread"}, "'h' has 1, 2, 3; 'g' has 1, 2. Name fewer"),
    ],
)
def test_what_cannot_be_said(said, message):
    with pytest.raises(DataError, match=message.replace("{}", r"\{\}")):
        ic.from_frame(WIDE, **(SAID | said))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": ["a", "b", "b"]}, "object b has 2 rows. replicates= means one row"),
        ({"h_mean": [0.0] * 3}, "takes 'h_mean' for a repeat like 'h_1'"),
        (
            {"g_1": [0, np.nan, 1], "g_2": [0, np.nan, 1]},
            "object b has no value of 'g'; leave it out",
        ),
        ({"h_1": [np.inf, 1.0, 2.0]}, "column 'h_1', row 1 .* object a: inf is"),
    ],
)
def test_tables_that_cannot_be(columns, message):
    with pytest.raises(DataError, match=message):
        ic.from_frame(WIDE | columns, **SAID)


def test_a_near_column_is_named():
    said = {"values": "height", "replicates": "{}_*"}
    with pytest.raises(DataError, match=r"'height_\*'; did you mean 'height\."):
        ic.from_frame({"height.1": [1.0], "height.2": [2.0]}, **said)


def test_an_object_without_values():
    wide = {name: [*column[:2], np.nan] for name, column in WIDE.items()}
    with pytest.raises(MissingValueError, match="object c has no value in any column"):
        ic.from_frame(wide | {"id": WIDE["id"]}, **SAID)
