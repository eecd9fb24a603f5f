"""``incerta compare``: methods side by side."""

import csv
import io
from importlib import import_module

import numpy as np
import pytest

import incerta as ic
from incerta.api.answer import cluster
from incerta.cli.columns import Columns, classes_of
from incerta.cli.compare import _print_tables
from incerta.cli.options import METHODS
from incerta.metrics import ari, clustering_accuracy, nmi
from tests.cli.conftest import WIDE

ASKED = (*WIDE, "-k", "3", "--methods", "UKMeans,ukmedoids,FDBSCAN")


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_against_the_library(call, wide):
    done = call("compare", wide, *ASKED, "--truth", "class", "--format", "csv")
    rows = {row["method"]: row for row in rows_of(done.stdout)}
    assert list(rows) == ["UKMeans", "UKMedoids", "FDBSCAN"]
    data = ic.read(wide, id="star", values=["mass", "radius"], errors="{}_error")
    truth = classes_of(wide, Columns(id="star"), "class")
    results = {
        name: cluster(data, "auto" if name == "FDBSCAN" else 3, name) for name in rows
    }
    for name, result in results.items():
        row = rows[name]
        assert int(row["clusters"]) == result.n_clusters
        assert int(row["noise"]) == (result.labels < 0).sum()
        assert float(row["confidence"]) == result.confidence.mean()
        assert float(row["seconds"]) > 0
        assert float(row["acc"]) == clustering_accuracy(truth, result.labels)
        assert float(row["nmi"]) == nmi(truth, result.labels)
        for other, second in results.items():
            found = float(row[f"ari_{other}"])
            assert found == ari(result.labels, second.labels)


def test_tables_to_read(call, wide):
    done = call("compare", wide, *ASKED, "--truth", "class")
    assert max(map(len, done.stdout.splitlines())) <= 80
    for word in ("UKMeans", "FDBSCAN", "ACC", "NMI", "Agreement", "1.00"):
        assert word in done.stdout
    assert "\x1b" not in done.stdout


def test_all_methods_fit_in_80_columns(capsys):
    n = len(METHODS)
    facts = {
        "method": np.array(METHODS),
        "clusters": np.full(n, 10),
        "noise": np.full(n, 12345),
        "confidence": np.full(n, 0.5),
        "seconds": np.full(n, 1234.5),
        "acc": np.full(n, 0.5),
        "nmi": np.full(n, 0.5),
    }
    _print_tables(facts, np.full((n, n), -0.05))
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= 80
    assert "…" not in told
    assert all(name in told for name in METHODS)


def test_one_method_has_nothing_to_agree_with(call, wide):
    done = call("compare", wide, *WIDE, "-k", "3", "--methods", "UKMeans,UKMeans")
    assert "Agreement" not in done.stdout
    assert done.stdout.count("UKMeans") == 1


def test_k_is_chosen_once(call, wide, monkeypatch):
    home = import_module("incerta.api.answer")
    asked = []
    truly = home.choose_k

    def fewer(data, ks, **options):
        asked.append(ks)
        return truly(data, range(1, 5), **options)

    monkeypatch.setattr(home, "choose_k", fewer)
    methods = ["--methods", "UKMeans,MMVar,FDBSCAN", "--format", "csv"]
    rows = rows_of(call("compare", wide, *WIDE, *methods).stdout)
    assert asked == [range(1, 9)]
    assert [row["clusters"] for row in rows[:2]] == ["3", "3"]


def test_the_others_are_shown_where_one_fails(call, wide):
    some = wide.read_text().splitlines()[:4]
    asked = [*WIDE, "--methods", "UKMeans,FDBSCAN", "-k", "4", "--format", "csv"]
    done = call("compare", "-", *asked, input="\n".join(some), code=1)
    assert [row["method"] for row in rows_of(done.stdout)] == ["FDBSCAN"]
    assert done.stderr.startswith("Error: UKMeans: n_clusters=4")


def test_a_list_of_classes_per_object(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,x,class\nb,1,u\na,2,v\nb,3,u\na,4,v\nc,5,u\n")
    assert classes_of(path, Columns(id="id"), "class").tolist() == ["u", "v", "u"]
    assert classes_of(path, Columns(), "class").tolist() == list("uvuvu")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_classes_are_numbers_or_text(tmp_path, ending):
    pd = pytest.importorskip("pandas", reason="the table is made with pandas")
    table = pd.DataFrame({"id": [7, 8, 7], "x": [1.0, 2.0, 3.0], "class": [3, 4, 3]})
    path = tmp_path / f"table{ending}"
    if ending == ".csv":
        table.to_csv(path, index=False)
    else:
        pytest.importorskip("pyarrow", reason="parquet needs pyarrow")
        table.to_parquet(path)
    found = classes_of(path, Columns(id="id"), "class")
    assert np.unique(found, return_inverse=True)[1].tolist() == [0, 1]


def test_classes_must_be_one_per_object(call, wide):
    table = wide.read_text() + "s000,1.0,0.5,1.0,0.5,z\n"
    asked = ["--id", "star", "--values", "mass", "-k", "2", "--methods", "UKMeans"]
    done = call("compare", "-", *asked, "--truth", "class", input=table, code=1)
    assert "truth='class' has more than one class for object s000" in done.stderr
    done = call("compare", "-", *asked, "--truth", "kind", input=table, code=1)
    assert done.stderr.startswith("Error: truth: there is no column 'kind'")


def test_a_method_finds_what_it_finds_alone(call, wide):
    asked = [*WIDE, "-k", "auto"]
    compared = call("compare", wide, *asked, "--methods", "FOPTICS", "--format", "csv")
    (row,) = rows_of(compared.stdout)
    alone = rows_of(call("fit", wide, *asked, "--method", "FOPTICS").stdout)
    clusters = {one["cluster"] for one in alone} - {"-1"}
    assert row["clusters"] == str(len(clusters))
    assert row["noise"] == str(sum(one["cluster"] == "-1" for one in alone))
