"""``incerta predict``: new objects, with the columns and the scale of the fit."""

import csv
import io

import numpy as np
import pytest

import incerta as ic
from incerta.api.answer import cluster
from tests.cli.conftest import QUICK, WIDE, wide_table


@pytest.fixture
def fitted(call, wide, tmp_path):
    call("fit", wide, *QUICK, "-o", tmp_path / "out")
    return tmp_path / "out" / "model.incerta"


@pytest.fixture
def new(tmp_path):
    path = tmp_path / "new.csv"
    path.write_text(wide_table(12, seed=5))
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_table_of_new_objects(call, fitted, wide, new):
    done = call("predict", fitted, new)
    rows = rows_of(done.stdout)
    asked = {"id": "star", "values": ["mass", "radius"], "errors": "{}_error"}
    model = cluster(ic.read_table(wide, **asked), k=3, method="UKMeans")
    data = ic.read_table(new, **asked)
    shares = model.predict_proba(data)
    assert list(rows[0]) == [
        "id",
        "cluster",
        "confidence",
        "p_0",
        "p_1",
        "p_2",
        "p_noise",
        "novelty",
    ]
    assert [row["id"] for row in rows] == data.ids.tolist()
    labels = [int(row["cluster"]) for row in rows]
    assert labels == model.predict(data).tolist()
    for c in range(3):
        assert [float(row[f"p_{c}"]) for row in rows] == shares[:, c].tolist()
    own = shares[np.arange(12), labels]
    assert [float(row["confidence"]) for row in rows] == own.tolist()
    assert "12 objects" in done.stderr


def test_nothing_is_said_to_be_certain_of_one_cluster(call, wide, new, tmp_path):
    asked = [*WIDE, "-k", "1", "--method", "UKMeans", "-o", tmp_path / "out"]
    assert "30 objects in 1 cluster by" in call("fit", wide, *asked).stderr
    done = call("predict", tmp_path / "out" / "model.incerta", new)
    assert {row["confidence"] for row in rows_of(done.stdout)} == {""}
    assert "12 objects, confidence not applicable." in done.stderr
    alone = "\n".join(new.read_text().splitlines()[:2])
    done = call("predict", tmp_path / "out" / "model.incerta", "-", input=alone)
    assert "1 object, confidence" in done.stderr


def test_columns_may_be_named_anew(call, fitted, new, tmp_path):
    other = tmp_path / "other.csv"
    header, _, rest = new.read_text().partition("\n")
    renamed = header.replace("star", "name").replace("_error", "_sd")
    other.write_text(f"{renamed}\n{rest}")
    done = call("predict", fitted, other, "--id", "name", "--errors", "{}_sd")
    assert done.stdout == call("predict", fitted, new).stdout


def test_to_a_file_and_from_stdin(call, fitted, new, tmp_path):
    on_stdout = call("predict", fitted, "-", "-o", "-", "-q", input=new.read_text())
    assert on_stdout.stderr == ""
    target = tmp_path / "clusters.csv"
    target.write_text("old")
    done = call("predict", fitted, new, "-o", target)
    assert done.stdout == ""
    assert target.read_text() == on_stdout.stdout
    assert str(target.name) in "".join(done.stderr.split())


def test_format_by_name(call, fitted, new, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="parquet needs pyarrow")
    target = tmp_path / "clusters.parquet"
    call("predict", fitted, new, "-o", target)
    assert pq.read_table(target).num_rows == 12
    call("predict", fitted, new, "-o", target, "--format", "csv")
    assert len(rows_of(target.read_text())) == 12


def test_where_nothing_can_be_written(call, fitted, new, tmp_path):
    assert "folder" in call("predict", fitted, new, "-o", tmp_path, code=2).stderr
    gone = tmp_path / "gone" / "clusters.csv"
    assert "no folder" in call("predict", fitted, new, "-o", gone, code=2).stderr


def test_a_model_made_in_python(call, wide, new, tmp_path):
    data = ic.read_table(wide, id="star", values=["mass", "radius"], errors="{}_error")
    path = tmp_path / "python.incerta"
    cluster(data, k=3, method="UKMeans").save(path)
    from_python = call("predict", path, new, *WIDE).stdout
    call("fit", wide, *QUICK, "-o", tmp_path / "out")
    assert (
        from_python == call("predict", tmp_path / "out" / "model.incerta", new).stdout
    )
    # It knows the features, but neither id nor errors.
    assert [row["id"] for row in rows_of(call("predict", path, new).stdout)][:2] == [
        "0",
        "1",
    ]


def test_a_bare_estimator(call, wide, new, tmp_path):
    from incerta.models.files import save

    data = ic.read_table(wide, id="star", values=["mass", "radius"], errors="{}_error")
    path = tmp_path / "bare.incerta"
    save(ic.FDBSCAN(eps=3.0, random_state=0).fit(data), path)
    rows = rows_of(call("predict", path, new, *WIDE).stdout)
    for row in rows:
        name = "p_noise" if row["cluster"] == "-1" else f"p_{row['cluster']}"
        assert row["confidence"] == row[name]


def test_a_foreign_file_is_no_model(call, wide):
    done = call("predict", wide, wide, code=1)
    assert done.stderr.count("\n") == 1
    assert "not a model file" in done.stderr


def test_other_features_are_refused(call, fitted, new):
    done = call("predict", fitted, new, "--values", "radius,mass", code=1)
    assert "was fitted with" in done.stderr
