"""Messages name parameters as their readers write them."""

import pytest

import incerta as ic
from incerta.data.tables.spec import TableSpec, as_option
from incerta.exceptions import DataError
from incerta.wording import for_readers, given, in_python


@pytest.mark.parametrize(
    ("parameter", "keyword", "option"),
    [
        ({"missing": "impute"}, "missing='impute'", "--missing impute"),
        ({"values": ["a", "b, c"]}, "values=['a', 'b, c']", "--values 'a,\"b, c\"'"),
        ({"errors": ("{}_lo", "{}_up")}, None, "--errors '{}_lo,{}_up'"),
        ({"na": "-999"}, "na='-999'", "--na=-999"),
        ({"na": "<0.5"}, "na='<0.5'", "--na '<0.5'"),
        ({"decimal": ","}, "decimal=','", "--decimal ,"),
        ({"sheet": 2}, "sheet=2", "--sheet 2"),
        ({"joint": True}, "joint=True", "--joint"),
        ({"joint": False}, "joint=False", "--independent"),
        ({"method": "FDBSCAN"}, "method='FDBSCAN'", "--method FDBSCAN"),
    ],
)
def test_parameters_are_written_as_readers_write_them(parameter, keyword, option):
    assert keyword is None or given(**parameter) == keyword
    with for_readers(as_option):
        assert given(**parameter) == option


def test_a_name_alone():
    assert (given("sep"), in_python("a dict", "no dict")) == ("sep=", "a dict")
    with for_readers(as_option):
        assert (given("sep"), in_python("a dict", "no dict")) == ("--sep", "no dict")


def test_a_message_stays_as_it_was_made():
    with for_readers(as_option), pytest.raises(DataError) as caught:
        TableSpec(missing="guess")
    assert str(caught.value).startswith("--missing guess must be one of")
    with pytest.raises(DataError, match="missing='guess' must be one of"):
        ic.read_table("none.csv", id=None, values="x", missing="guess")
