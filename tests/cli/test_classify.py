"""``incerta classify``: from known classes to those of other objects."""

import csv
import io
import json

import numpy as np
import pytest

import incerta as ic
from incerta.api.check import Check, known_classes
from incerta.classifiers.judged import Judged
from incerta.data.files.opened import OpenTable
from incerta.data.tables.spec import TableSpec
from incerta.exceptions import IncertaWarning
from tests.cli.conftest import WIDE, wide_table

ASKED = (*WIDE, "--label", "class")
QUICK = (*ASKED, "--folds", "0")


@pytest.fixture
def new(tmp_path):
    path = tmp_path / "new.csv"
    rows = wide_table(12, seed=5).splitlines()
    path.write_text("\n".join(row.rpartition(",")[0] for row in rows) + "\n")
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def read(path):
    return ic.read_table(path, id="star", values=["mass", "radius"], errors="{}_error")


def test_the_table_is_that_of_python(call, wide, new):
    done = call("classify", wide, new, *QUICK, "--no-scale")
    rows = rows_of(done.stdout)
    known = [row["class"] for row in rows_of(wide.read_text())]
    model = ic.ErrorDiscriminant().fit(read(wide), known)
    shares = model.predict_proba(read(new))
    assert list(rows[0]) == ["id", "class", "confidence", "p_a", "p_b", "p_c"]
    assert [row["class"] for row in rows] == model.predict(read(new)).tolist()
    for j, name in enumerate("abc"):
        assert [float(row[f"p_{name}"]) for row in rows] == pytest.approx(shares[:, j])
    assert [float(r["confidence"]) for r in rows] == pytest.approx(shares.max(axis=1))
    assert "12 objects classified by ErrorDiscriminant" in done.stderr
    assert "Against" not in done.stderr


def test_columns_and_label_are_guessed(call, wide, new):
    done = call("classify", wide, new, "--folds", "0")
    assert "Guessed: --label class." in done.stderr
    assert done.stdout == call("classify", wide, new, *QUICK).stdout


def test_what_is_said_about_errors_and_known_classes(call, wide, tmp_path):
    other = tmp_path / "other.csv"
    other.write_text(wide_table(12, seed=5).replace(",b\n", ",odd\n"))
    out = tmp_path / "out"
    done = call("classify", wide, other, *ASKED, "-o", out)
    assert done.stdout == ""
    told = " ".join(done.stderr.split())
    assert "with the errors" in told
    assert "with the values alone" in told
    assert "known classes of 12 objects: accuracy 0.667" in told
    assert "not in the training data, and so missed: odd" in told
    assert max(map(len, done.stderr.splitlines())) <= 80
    facts = json.loads((out / "summary.json").read_text())
    assert facts["against_known_classes"]["true"] == ["a", "c", "odd"]
    assert np.sum(facts["against_known_classes"]["confusion"]) == 12
    assert facts["folds"]["accuracy"] == 1.0
    assert len(rows_of((out / "table.csv").read_text())) == 12


def test_errors_help_where_they_lower_the_brier_score():
    right, wrong = np.ones(4), np.zeros(4)
    good, bad = np.array([0.1, 0.2, 0.1, 0.2]), np.array([0.5, 0.6, 0.9, 0.4])
    gain, error = Check(5, Judged(right, good), Judged(wrong, bad)).gain()
    assert gain == pytest.approx((bad - good).mean())
    assert error == pytest.approx((bad - good).std() / 2)


def test_objects_without_a_class_are_said_and_left_out(call, wide, new):
    text = wide.read_text()
    first, *rows = text.splitlines()
    rows[0] = rows[0].rpartition(",")[0] + ","
    rows[1] = rows[1].rpartition(",")[0] + ",n/a"
    wide.write_text("\n".join([first, *rows]) + "\n")
    done = call("classify", wide, new, *QUICK)
    assert "2 training objects have no class and are left out" in done.stderr
    assert "(empty, n/a)" in done.stderr
    wide.write_text("\n".join([first, *rows[2:]]) + "\n")
    assert done.stdout == call("classify", wide, new, *QUICK).stdout


def test_labels_go_with_their_objects_where_rows_are_left_out(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("x,class\n1,a\n,b\n3,c\n4,\n")
    columns = TableSpec(values=("x",), missing="drop")
    table = OpenTable(path, columns)
    with pytest.warns(IncertaWarning):
        data = table.data()
    found = known_classes(table, columns, "class", data)
    assert found.classes.tolist() == ["a", "c"]
    assert found.rows.tolist() == [0, 1]


def test_rows_of_an_object_have_one_class(call, tmp_path):
    path = tmp_path / "rows.csv"
    rows = [f"s{i},{9 * (i % 2) + j},{'ab'[i % 2]}" for i in range(8) for j in (0, 1)]
    path.write_text("\n".join(["s,x,class", *rows]) + "\n")
    asked = ("--id", "s", "--values", "x", "--label", "class", "--folds", "0")
    assert len(rows_of(call("classify", path, path, *asked).stdout)) == 8
    path.write_text("\n".join(["s,x,class", *rows, "s0,1,b"]) + "\n")
    done = call("classify", path, path, *asked, code=1)
    assert "--label class has more than one class for object s0" in done.stderr


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--label", "clas"), "no column 'clas'"),
        (("--label", "mass_error", "--folds", "1"), "1 fold"),
        (("--method", "tree"), "not one of discriminant"),
        (("--param", "depth=3"), "discriminant has no parameter"),
    ],
)
def test_wrong_usage(call, wide, new, more, told):
    done = call("classify", wide, new, *WIDE, *more, code=2)
    assert told in " ".join(done.stderr.split())


def test_gaps_are_for_the_discriminant(call, wide, new):
    first, *rows = wide.read_text().splitlines()
    rows[3] = rows[3].replace(rows[3].split(",")[1], "", 1)
    wide.write_text("\n".join([first, *rows]) + "\n")
    assert len(rows_of(call("classify", wide, new, *QUICK).stdout)) == 12
    done = call("classify", wide, new, *QUICK, "--method", "bayes", code=1)
    assert "Use --method discriminant, which does, --missing impute" in done.stderr


def test_no_obvious_label(call, new):
    done = call("classify", new, new, *WIDE, code=2)
    assert "name the column of the classes" in done.stderr


def test_other_methods_by_either_name(call, wide, new):
    asked = (*ASKED, "--folds", "2", "-q")
    short = call("classify", wide, new, *asked, "--method", "bayes")
    long = call("classify", wide, new, *asked, "--method", "UncertainNaiveBayes")
    assert short.stdout == long.stdout
    assert short.stderr == ""
    near = call(
        *("classify", wide, "-", *asked, "--method", "knn", "--param", "n_neighbors=2"),
        input=new.read_text(),
    )
    assert len(rows_of(near.stdout)) == 12


def test_names_cannot_move_the_cursor(call, wide, new):
    wide.write_text(wide.read_text().replace(",a\n", ",\x1b[2Ja\n"))
    assert "\x1b" not in call("classify", wide, new, *QUICK).stderr
