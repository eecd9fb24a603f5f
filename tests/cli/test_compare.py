"""``incerta compare``: methods side by side."""

import csv
import io
from importlib import import_module

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import incerta as ic
from incerta.api.answer import cluster
from incerta.api.check import known_classes
from incerta.cli.compare import _print_tables
from incerta.data.files.opened import OpenTable
from incerta.data.tables.spec import TableSpec
from incerta.estimators.named import CONTROLS, METHODS
from incerta.metrics import clustering_accuracy
from tests.cli.conftest import WIDE

ASKED = (*WIDE, "-k", "3", "--methods", "UKMeans,ukmedoids,FDBSCAN")


def classes_in(path, data, **columns):
    spec = TableSpec(**columns)
    return known_classes(OpenTable(path, spec), spec, "class", data).classes


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_csv_against_the_library(call, wide):
    done = call("compare", wide, *ASKED, "--truth", "class", "--format", "csv")
    rows = {row["method"]: row for row in rows_of(done.stdout)}
    assert list(rows) == ["UKMeans", "UKMedoids", "FDBSCAN", *CONTROLS]
    data = ic.read_table(wide, id="star", values=["mass", "radius"], errors="{}_error")
    truth = classes_in(wide, data, id="star")
    results = {
        name: cluster(data, "auto" if name == "FDBSCAN" else 3, name)
        for name in rows
        if name not in CONTROLS
    }
    for name, result in results.items():
        row = rows[name]
        assert int(row["clusters"]) == result.n_clusters
        assert int(row["noise"]) == (result.labels < 0).sum()
        assert float(row["confidence"]) == result.confidence.mean()
        assert float(row["seconds"]) > 0
        assert float(row["acc"]) == clustering_accuracy(truth, result.labels)
        assert float(row["nmi"]) == normalized_mutual_info_score(truth, result.labels)
        for other, second in results.items():
            found = float(row[f"ari_{other}"])
            assert found == adjusted_rand_score(result.labels, second.labels)


def test_tables_to_read(call, wide):
    done = call("compare", wide, *ASKED, "--truth", "class")
    assert max(map(len, done.stdout.splitlines())) <= 80
    for word in ("UKMeans", "FDBSCAN", "ACC", "NMI", "Agreement", "1.00"):
        assert word in done.stdout
    assert "\x1b" not in done.stdout


def test_all_methods_fit_in_80_columns(capsys):
    names = (*METHODS, *CONTROLS)
    n = len(names)
    facts = {
        "method": np.array(names),
        "clusters": np.full(n, 10),
        "noise": np.full(n, 12345),
        "confidence": np.full(n, 0.5),
        "stability": np.full(n, -0.05),
        "seconds": np.full(n, 1234.5),
        "acc": np.full(n, 0.5),
        "nmi": np.full(n, 0.5),
    }
    _print_tables(facts, np.full((n, n), 1.0))
    told = capsys.readouterr().out
    assert max(map(len, told.splitlines())) <= 80
    assert "…" not in told
    assert all(name in told for name in names)
    assert f"{n - 1} and {n}: controls, which" in " ".join(told.split())
    last = told.splitlines()[-1].split()
    assert last == [str(n), *["100"] * (n - 18)]


def test_a_method_that_is_named_twice_is_run_once(call, wide):
    done = call("compare", wide, *WIDE, "-k", "3", "--methods", "UKMeans,UKMeans")
    assert done.stdout.count("UKMeans") == 1


def test_controls_take_the_values_for_exact(call, wide):
    asked = ["compare", wide, *WIDE, "--methods", "FDBSCAN", "--format"]
    rows = {row["method"]: row for row in rows_of(call(*asked, "csv").stdout)}
    data = ic.read_table(wide, id="star", values=["mass", "radius"], errors="{}_error")
    values = ic.Standardizer().fit_transform(data).mean()
    number = int(rows["FDBSCAN"]["clusters"])  # nobody was asked for one
    for name, clusterer in (
        ("k-means on the values", KMeans(number, n_init=10, random_state=0)),
        ("HDBSCAN on the values", HDBSCAN(copy=True)),
    ):
        labels = clusterer.fit_predict(values)
        assert int(rows[name]["clusters"]) == labels.max() + 1
        assert int(rows[name]["noise"]) == (labels < 0).sum()
        assert rows[name]["confidence"] == ""
        fdbscan = cluster(data, method="FDBSCAN").labels
        assert float(rows[name]["ari_FDBSCAN"]) == pytest.approx(
            adjusted_rand_score(labels, fdbscan)
        )


def test_controls_of_few_objects_and_of_gaps(call):
    table = "x,e\n1,0.1\n2,0.1\n9,0.1\n"
    asked = ["compare", "-", "--values", "x", "--errors", "e", "-k", "2"]
    asked += ["--methods", "ErrorMixture"]
    done = call(*asked, input=table)
    assert "k-means on the values" in done.stdout
    assert "HDBSCAN on the values is left out: " in " ".join(done.stderr.split())
    holes = "x,e,y,f\n" + "".join(
        f"{i % 2 * 9},0.1,{'' if i == 3 else i % 2 * 9 + i / 20},0.1\n"
        for i in range(20)
    )
    asked = ["compare", "-", "--values", "x,y", "--errors", "e,f", "-k", "2"]
    asked += ["--methods", "ErrorMixture", "--missing", "infinite", "--format", "csv"]
    rows = rows_of(call(*asked, input=holes).stdout)
    assert [row["clusters"] for row in rows] == ["2", "2", "2"]


def test_stability_is_agreement_with_another_seed(call, wide):
    methods = ["--methods", "UKMeans,kmeans", "--param", "n_worlds=3"]
    asked = [*WIDE, "-k", "5", *methods, "--seed", "4"]
    rows = rows_of(call("compare", wide, *asked, "--format", "csv").stdout)
    data = ic.read_table(wide, id="star", values=["mass", "radius"], errors="{}_error")
    for row in rows[:2]:
        one, two = (
            cluster(data, 5, row["method"], seed, params={"n_worlds": 3}).labels
            for seed in (4, 5)
        )
        assert float(row["stability"]) == adjusted_rand_score(one, two)
    assert "run again with another seed" in call("compare", wide, *asked).stdout


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
    assert asked == [range(1, 31)]
    assert [row["clusters"] for row in rows[:2]] == ["3", "3"]


def test_the_others_are_shown_where_one_fails(call, wide):
    some = wide.read_text().splitlines()[:4]
    asked = [*WIDE, "--methods", "UKMeans,FDBSCAN", "-k", "4", "--format", "csv"]
    done = call("compare", "-", *asked, input="\n".join(some), code=1)
    assert [row["method"] for row in rows_of(done.stdout)] == ["FDBSCAN"]
    assert "k-means on the values is left out: n_samples=3" in done.stderr
    assert done.stderr.startswith("Error: UKMeans: k=4 exceeds")


def test_a_list_of_classes_per_object(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("id,x,class\nb,1,u\na,2,v\nb,3,u\na,4,v\nc,5,u\n")
    data = ic.read_table(path, id="id", values="x")
    assert classes_in(path, data, id="id").tolist() == ["u", "v", "u"]
    assert classes_in(path, ic.read_table(path, values="x")).tolist() == list("uvuvu")


@pytest.mark.parametrize("id", [[], ["--id", "id"]])
def test_classes_of_the_objects_that_are_left(call, id):
    rows = [f"s{i},{i % 3 * 9 + i / 50},{'uvw'[i % 3]}" for i in range(30)]
    rows[4], rows[7], rows[9] = "s4,,v", "s7,,", "s9,0.2,"
    table = "\n".join(["id,x,class", *rows])
    asked = [*id, "--values", "x", "-k", "3", "--methods", "UKMeans", "--format", "csv"]
    asked += ["--missing", "drop", "--truth", "class"]
    done = call("compare", "-", *asked, input=table)
    assert next(row["acc"] for row in rows_of(done.stdout)) == "1.0"
    assert "1 object has no class and is left out of ACC" in " ".join(
        done.stderr.split()
    )


def test_classes_of_observations_that_are_left(call, tmp_path):
    h5py = pytest.importorskip("h5py", reason="needs the extra io")
    from tests.data.files.test_h5ad import put_frame

    path, number = tmp_path / "cells.h5ad", np.arange(30)
    values = (number % 3 * 9 + number / 50)[:, None]
    values[4] = np.nan
    with h5py.File(path, "w") as file:
        names, classes = [f"cell{i}" for i in number], ["uvw"[i % 3] for i in number]
        put_frame(file, "obs", names, **{"class": classes})
        put_frame(file, "var", ["gene"])
        file["X"] = values
    asked = ["--values", "gene", "-k", "3", "--methods", "UKMeans", "--format", "csv"]
    done = call("compare", path, *asked, "--missing", "drop", "--truth", "class")
    assert next(row["acc"] for row in rows_of(done.stdout)) == "1.0"


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
    found = classes_in(path, ic.read_table(path, id="id", values="x"), id="id")
    assert found.tolist() == ["3", "4"]


def test_classes_must_be_one_per_object(call, wide):
    table = wide.read_text() + "s000,1.0,0.5,1.0,0.5,z\n"
    asked = ["--id", "star", "--values", "mass", "-k", "2", "--methods", "UKMeans"]
    done = call("compare", "-", *asked, "--truth", "class", input=table, code=1)
    assert "--truth class has more than one class for object s000" in done.stderr
    done = call("compare", "-", *asked, "--truth", "kind", input=table, code=2)
    assert "there is no column 'kind'" in done.stderr


def test_a_method_finds_what_it_finds_alone(call, wide):
    asked = [*WIDE, "-k", "auto"]
    compared = call("compare", wide, *asked, "--methods", "FOPTICS", "--format", "csv")
    row = rows_of(compared.stdout)[0]
    alone = rows_of(call("fit", wide, *asked, "--method", "FOPTICS").stdout)
    clusters = {one["cluster"] for one in alone} - {"-1"}
    assert row["clusters"] == str(len(clusters))
    assert row["noise"] == str(sum(one["cluster"] == "-1" for one in alone))
