"""``--param``: parameters of methods on the command line."""

import math
import shlex

import numpy as np
import pytest
import typer

import incerta as ic
from incerta.api.answer import cluster
from incerta.cli.options import for_each, parsed
from incerta.models.files import load
from tests.cli.conftest import WIDE
from tests.cli.test_compare import rows_of


def test_values():
    said = ["a=3", "b=-0.5", "c=True", "d=none", "e=full", "f=1e-3", "g=inf", "h="]
    found = parsed(said)
    expected = [3, -0.5, True, None, "full", 0.001, math.inf, ""]
    assert list(found.values()) == expected
    assert [type(v) for v in found.values()] == [type(v) for v in expected]
    assert parsed(["x = a=b "]) == {"x": "a=b"}
    assert parsed(None) == {}


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (["eps"], "'eps' is not NAME=VALUE"),
        (["=3"], "'=3' is not NAME=VALUE"),
        (["eps=1", "eps=2"], "'eps' is given twice"),
    ],
)
def test_what_is_no_parameter(said, why):
    with pytest.raises(typer.BadParameter, match=why):
        parsed(said)


def test_each_method_has_its_own():
    said = {"n_worlds": 7, "RPC.n_worlds": 9, "dbscan.eps": 0.2, "n_init": 4}
    assert for_each(said, ["RPC", "dbscan", "UKMeans"]) == {
        "RPC": {"n_worlds": 9, "n_init": 4},
        "dbscan": {"n_worlds": 7, "eps": 0.2},
        "UKMeans": {"n_worlds": 7, "n_init": 4},
    }


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("eps", "no method has a parameter 'eps'"),
        ("n_wrlds", "Did you mean 'n_worlds'"),
        ("dbscan.eps", "'dbscan' is not among the methods: RPC, UKMeans"),
        ("rpc.eps", "RPC has no parameter 'eps'"),
        ("nobody.eps", "'nobody' is not among the methods"),
    ],
)
def test_what_nobody_has(name, why):
    with pytest.raises(typer.BadParameter, match=why):
        for_each({name: 1}, ["RPC", "UKMeans"])


def test_fit_and_its_command(call, wide, tmp_path):
    out = tmp_path / "out"
    said = ["--method", "dbscan", "--param", "eps=0.7", "--param", "n_worlds=6"]
    call("fit", wide, *WIDE, *said, "-o", out)
    result = load(out / "model.incerta")
    assert (result.estimator.clusterer.eps, result.estimator.n_worlds) == (0.7, 6)
    data = ic.read_table(wide, id="star", values=["mass", "radius"], errors="{}_error")
    same = cluster(data, method="dbscan", params={"eps": 0.7, "n_worlds": 6})
    np.testing.assert_array_equal(result.membership, same.membership)
    words = shlex.split(result.command)
    assert words[words.index("--param") :][:4] == said[2:]
    before = (out / "table.csv").read_bytes()
    (out / "table.csv").unlink()
    call(*words[1:])
    assert (out / "table.csv").read_bytes() == before


def test_wrong_ones_are_refused_before_the_file_is_read(call):
    asked = ["none.csv", "--values", "a", "--method", "dbscan", "--param"]
    told = " ".join(call("fit", *asked, "epss=2", code=2).stderr.split())
    assert "dbscan has no parameter 'epss'. Did you mean 'eps'?" in told
    asked = ["none.csv", "--values", "a", "--param", "UKMeans.n_intt=2"]
    told = " ".join(call("compare", *asked, code=2).stderr.split())
    assert "UKMeans has no parameter 'n_intt'. Did you mean 'n_init'?" in told


def test_a_bad_value_is_one_line(call, wide):
    said = ["--method", "dbscan", "--param", "eps=-1", "--param", "n_worlds=2"]
    told = call("fit", wide, *WIDE, *said, code=1).stderr
    assert told.startswith("Error: ")
    assert told.count("\n") == 1
    assert "'eps' parameter of DBSCAN" in told


def test_compare(call, wide):
    said = ["--methods", "kmeans,dbscan", "--param", "n_worlds=4"]
    said += ["--param", "dbscan.eps=0.01", "-k", "3", "--format", "csv"]
    rows = {
        row["method"]: row
        for row in rows_of(call("compare", wide, *WIDE, *said).stdout)
    }
    assert rows["kmeans"]["clusters"] == "3"
    assert rows["dbscan"]["noise"] == "30"
