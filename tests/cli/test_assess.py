"""``incerta assess``: labels of a table, and what is said of them."""

import csv
import io
import json

import numpy as np
import pytest

import incerta as ic
from tests.cli.conftest import WIDE, wide_table

ASKED = (*WIDE, "--labels", "class")


@pytest.fixture
def stars(tmp_path):
    """Three clusters of 60; of the last one half has a label of its own."""
    lines = wide_table(180).splitlines()
    path = tmp_path / "stars.csv"
    rows = [
        row[:-1] + "d" if row.endswith("c") and i % 2 else row
        for i, row in enumerate(lines[1:])
    ]
    path.write_text("\n".join([lines[0], *rows]) + "\n")
    return path


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def relabeled(path, **words):
    """Write a table again, with other words for some labels."""
    rows = [line.rpartition(",") for line in path.read_text().splitlines()]
    lines = [f"{begin},{words.get(label, label)}" for begin, _, label in rows]
    path.write_text("\n".join(lines) + "\n")


def test_the_table_is_that_of_python(call, stars):
    done = call("assess", stars, *ASKED)
    rows = rows_of(done.stdout)
    data = ic.read_table(stars, id="star", values=["mass", "radius"], errors="{}_error")
    labels = [row["class"] for row in rows_of(stars.read_text())]
    found = ic.assess(data, labels)
    assert list(rows[0]) == list(found.columns())
    assert [row["label"] for row in rows] == labels
    right = [float(row["right"]) for row in rows]
    np.testing.assert_allclose(right, found.right)
    assert [row["label_set"].split("|") for row in rows] == [*map(list, found.sets())]


def test_what_is_said_fits_the_terminal(call, stars):
    relabeled(stars, a="a very long label: longer than the table has room for")
    told = call("assess", stars, *ASKED).stderr
    assert max(map(len, told.splitlines())) <= 80
    assert "The values explain" in told
    assert "No label can be shown to hide two" in told
    *_, head, first, _, _, last = told.splitlines()
    assert head.split() == ["label", "objects", "sure", "wrong", "nearest"]
    assert first.split()[:5] == ["a", "very", "long…", "60", "0.99"]
    assert last.endswith("too few to tell from c")
    assert call("assess", stars, *ASKED, "-q").stderr == ""


def test_a_folder_has_table_model_and_summary(call, stars, tmp_path):
    folder = tmp_path / "out"
    done = call("assess", stars, *ASKED, "--seed", "3", "-o", folder)
    assert done.stdout == ""
    files = ["assessment.incerta", "summary.json", "table.csv"]
    assert sorted(path.name for path in folder.iterdir()) == files
    facts = json.loads((folder / "summary.json").read_text())
    found = ic.load(folder / "assessment.incerta")
    assert facts["seed"] == found.seed == 3
    assert facts["labels"] == "class"
    assert facts["score"] == found.score
    assert [row["label"] for row in facts["clusters"]] == ["a", "b", "c", "d"]
    # 30 objects of c are too few to tell, which JSON cannot say as NaN.
    verdicts = {(p["one"], p["other"]): p["verdict"] for p in facts["pairs"]}
    assert verdicts["a", "b"] == "separate"
    assert verdicts["c", "d"] == "too few to tell"
    assert {p["depth"] for p in facts["pairs"] if "c" in (p["one"], p["other"])} == {
        None
    }
    done = call("predict", folder / "assessment.incerta", stars, code=2)
    assert "does not predict" in " ".join(done.stderr.split())


@pytest.mark.skipif(
    not hasattr(ic.Assessment, "report"), reason="needs the page of an assessment"
)
def test_a_page_is_written(call, stars, tmp_path):
    call("assess", stars, *ASKED, "-o", tmp_path / "out", "--report")
    assert "<html" in (tmp_path / "out" / "report.html").read_text("utf-8")


def test_labels_are_guessed_and_exact_values_are_taken(call, stars):
    relabeled(stars, a="0", b="1", c="2", d="3")
    rows = [line.split(",") for line in stars.read_text().splitlines()]
    plain = [",".join((row[0], row[1], row[3], row[5])) for row in rows]
    plain[0] = plain[0].replace("class", "leiden")
    stars.write_text("\n".join(plain) + "\n")
    done = call("assess", stars)
    assert "Guessed: --labels leiden." in done.stderr
    assert "--values mass,radius" in " ".join(done.stderr.split())
    assert len(rows_of(done.stdout)) == 180


def test_whole_numbers_are_in_their_order_and_minus_one_is_noise(call, stars, tmp_path):
    relabeled(stars, a="2", b="10", c="-1", d="")
    done = call("assess", stars, *ASKED, "-o", tmp_path / "out")
    assert "30 objects have no label (empty)." in done.stderr
    facts = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert [row["label"] for row in facts["clusters"]] == [2, 10]
    rows = rows_of((tmp_path / "out" / "table.csv").read_text())
    assert {row["label"] for row in rows} == {"2", "10", "-1", ""}
    unlabeled = [row for row in rows if not row["label"]]
    assert {row["right"] for row in unlabeled} == {""}
    assert {row["likeliest"] for row in unlabeled} == {"-1"}
    # The same with words: -1 is noise there, too.
    relabeled(stars, **{"2": "two"})
    done = call("assess", stars, *ASKED, "-o", tmp_path / "out")
    facts = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert [row["label"] for row in facts["clusters"]] == ["10", "two"]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--labels", "clas"), "there is no column 'clas'"),
        (("--labels", "mass"), "'mass' is an id, a value or an error"),
        (("--labels", "mass_error"), "'mass_error' is an id, a value or an error"),
        (("--labels", "star"), "'star' is an id, a value or an error"),
        (("--labels", "class", "--report"), "give -o DIR"),
    ],
)
def test_wrong_usage(call, stars, more, told):
    done = call("assess", stars, *WIDE, *more, code=2)
    assert told in " ".join(done.stderr.split())


def test_a_column_without_labels(call, stars):
    relabeled(stars, a="", b="", c="", d="")
    done = call("assess", stars, *ASKED, code=2)
    assert "no object has a label in 'class'" in " ".join(done.stderr.split())


def test_an_object_has_one_label(call, tmp_path):
    path = tmp_path / "rows.csv"
    rng = np.random.default_rng(0)
    rows = [
        f"s{i},{9 * (i % 2) + rng.normal():.3f},{'ab'[i % 2] if j else ''}"
        for i in range(120)
        for j in (0, 1, 2)
    ]
    asked = ("--id", "s", "--values", "x", "--meaning", "error", "--labels", "kind")
    path.write_text("\n".join(["s,x,kind", *rows]) + "\n")
    table = rows_of(call("assess", path, *asked).stdout)
    assert [row["label"] for row in table[:3]] == ["a", "b", "a"]
    path.write_text("\n".join(["s,x,kind", *rows, "s0,1,b"]) + "\n")
    done = call("assess", path, *asked, code=1)
    told = " ".join(done.stderr.split())
    assert "--labels kind has more than one class for object s0" in told


def test_labels_cannot_move_the_cursor_or_run(call, stars):
    relabeled(stars, a="\x1b[2Ja", b="=cmd|'/C calc'!A0")
    done = call("assess", stars, *ASKED)
    assert all(c.isprintable() or c == "\n" for c in done.stderr)
    assert "1 label begins like a formula" in " ".join(done.stderr.split())
    safe = call("assess", stars, *ASKED, "--spreadsheet")
    assert "formula" not in safe.stderr
    cells = [cell for row in rows_of(safe.stdout) for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith("=")]
