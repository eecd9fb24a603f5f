"""What can be said about a table: one record for Python, the command line and files."""

import inspect
from dataclasses import fields

import pytest
import typer

import incerta as ic
from incerta.cli.options import takes_columns
from incerta.data.tables.spec import LISTS, OPTIONS, TableSpec
from incerta.exceptions import DataError
from tests.runner import Runner

EVERYTHING = TableSpec(
    id="star",
    values=("mass", "radius, in km"),
    errors=("{}_low", "{}_high"),
    kind="ci95",
    missing="drop",
    meaning="belief",
    sep="tab",
    decimal=",",
    encoding="latin-1",
    na=("-999", "none"),
    corr="{}_{}_corr",
    log=("mass",),
    sheet="2",
)
IN_ROWS = TableSpec(id="cell", values=("x",), sample="member", joint=False, weight="w")
SIDE_BY_SIDE = TableSpec(values=("h",), replicates="{}_*")
GENES = TableSpec(values=("Xist",), layers=("a", "b"))


def from_command(words):
    """The spec that a command makes of its options."""
    taken = []

    @takes_columns
    def command(*, columns):
        taken.append(columns)

    app = typer.Typer()
    app.command()(command)
    done = Runner().invoke(app, words)
    assert done.exit_code == 0, done.output
    return taken[0]


def test_every_field_is_a_parameter_of_read():
    known = inspect.signature(ic.read_table).parameters
    assert {field.name for field in fields(TableSpec)} == set(known) - {
        "path",
        "max_bytes",
        "lazy",
    }


@pytest.mark.parametrize("spec", [EVERYTHING, IN_ROWS, SIDE_BY_SIDE, GENES])
def test_options_say_all_of_it(spec):
    assert from_command(spec.to_options()) == spec


@pytest.mark.parametrize("spec", [EVERYTHING, IN_ROWS, SIDE_BY_SIDE, GENES])
def test_python_says_all_of_it(spec):

    class Library:
        @staticmethod
        def read_table(path, **given):
            assert path == "a b.csv"
            return TableSpec.of(**given)

    assert eval(spec.to_python("a b.csv"), {"ic": Library}) == spec


def test_lists_on_the_command_line_may_be_repeated_or_separated_by_commas():
    words = ["--values", "a,b", "--values", '"c,d"', "--na=-1", "--na", "x,y"]
    spec = from_command(words)
    assert spec.values == ("a", "b", "c,d")
    assert spec.na == ("-1", "x", "y")


def test_help_has_words_for_every_field():
    assert all(option.help.endswith(".") for option in OPTIONS.values())
    assert {"values", "errors", "na", "log", "layers"} == LISTS


def test_what_was_not_said_is_taken_from_the_other():
    assert TableSpec(values=("m",)).completed_by(IN_ROWS) == TableSpec(
        id="cell", values=("m",), sample="member", joint=False, weight="w"
    )


def test_two_ways_to_be_uncertain_are_not_mixed():
    spec = TableSpec(errors=("{}_e",)).completed_by(IN_ROWS)
    assert spec == TableSpec(id="cell", values=("x",), errors=("{}_e",))


def test_how_a_file_is_written_says_nothing_about_another():
    spec = TableSpec().completed_by(EVERYTHING)
    assert (spec.sep, spec.decimal, spec.encoding, spec.sheet) == (None,) * 4
    assert spec.na == EVERYTHING.na


def test_python_may_say_one_word_for_a_list():
    spec = TableSpec.of(values="m", errors="{}_e", na=-999, log=True)
    assert spec == TableSpec(
        values=("m",), errors=("{}_e",), na=("-999",), log=("all",)
    )
    assert TableSpec.of(values="Xist", layers="a, b").layers == ("a", "b")


@pytest.mark.parametrize(
    ("said", "columns"),
    [
        ({"errors": ("{}_e",)}, (("m_e",), ("r_e",))),
        ({"errors": ("a", "b")}, (("a",), ("b",))),
        ({"errors": {"r": "b", "m": "a"}}, (("a",), ("b",))),
        (
            {"errors": ("{}_l", "{}_h"), "kind": "ci68"},
            (("m_l", "m_h"), ("r_l", "r_h")),
        ),
        ({}, None),
    ],
)
def test_error_columns_of_each_value(said, columns):
    assert TableSpec(values=("m", "r"), **said).error_columns == columns


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        ({"errors": ("{}_e",)}, "infinite"),
        ({"errors": ("{}_e",), "meaning": "belief"}, "error"),
        ({"errors": ("{}_l", "{}_h"), "kind": "interval"}, "error"),
        ({"errors": ("{}_e",), "missing": "drop"}, "drop"),
        ({}, "error"),
    ],
)
def test_rule_for_missing_values_depends_on_the_form(said, rule):
    assert TableSpec(values=("m",), **said).missing_rule == rule


@pytest.mark.parametrize("given", [{"replicates": "{}_*"}, {"layers": ("a",)}])
def test_replicates_are_measurements_unless_said_otherwise(given):
    assert TableSpec(values=("m",), **given).stated_meaning == "error"
    spread = TableSpec(values=("m",), meaning="spread", **given)
    assert spread.stated_meaning == "spread"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"sep": ";;"}, "sep=';;' must be a single character"),
        ({"decimal": ";"}, "decimal=';' must be"),
        ({"encoding": "morse"}, "encoding='morse' is unknown"),
        ({"missing": "guess"}, "missing='guess' must be one of error, drop"),
        ({"meaning": "doubt"}, "meaning='doubt' is not known"),
        ({"kind": "sdd"}, "did you mean 'sd'"),
        ({"sample": "s"}, "Set joint=True if"),
        ({"values": ("m", "m")}, "'m' twice"),
        ({"values": ("m",), "layers": ("a",), "errors": ("e",)}, "cannot be used"),
    ],
)
def test_what_cannot_be_is_refused_where_it_is_said(given, why):
    with pytest.raises(DataError, match=why):
        TableSpec(**given)


def test_refuses_what_does_not_fit_the_file():
    with pytest.raises(DataError, match=r"na=\['-9'\] is about text tables"):
        TableSpec(na=("-9",)).refuse(("sep", "na"), "is about text tables.")
    TableSpec(na=("-9",)).refuse(("sep", "decimal"), "is about text tables.")
