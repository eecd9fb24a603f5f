"""Where results go, whatever stands in the way; and what terminals are spared."""

import csv
import io
import json
import os
import sys
from dataclasses import replace

import numpy as np
import pytest

import incerta as ic
from incerta.cli.output import Target, write_table
from tests.extras import not_on_windows

COLUMNS = ["--id", "star", "--values", "mass,radius", "--errors", "{}_error", "-k", 3]
FILES = ["model.incerta", "summary.json", "table.csv"]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def ids_in(table):
    return [row["id"] for row in csv.DictReader(io.StringIO(table))]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A table whose ids and names are written for terminals and spreadsheets."""
    rng, names = np.random.default_rng(0), ["=cmd|'/C calc'!A0", "\x1b[31mred", "-1.5"]
    lines = ["star,m\x9b31mass,m\x9b31mass_error"]
    for i in range(12):
        name = names[i] if i < len(names) else f"s{i}"
        lines.append(f"{name},{i % 2 * 9 + rng.normal():.3f},0.1")
    path = tmp_path_factory.mktemp("hostile") / "stars.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_control_characters_do_not_reach_the_terminal(hostile, call, tmp_path):
    columns = ["--id", "star", "--values", "m\x9b31mass", "--errors", "{}_error"]
    wrong = ["--id", "star", "--values", "\x1bm"]
    done = [
        call("fit", hostile, *columns, "-k", 2, "-o", tmp_path / "out"),
        call("info", tmp_path / "out" / "model.incerta"),
        call("info", hostile),
        call("info", hostile, *columns),
        call("fit", hostile, *wrong, code=1),
    ]
    estimator = ic.load(tmp_path / "out" / "model.incerta").estimator
    estimator.save(tmp_path / "alone.incerta")
    done.append(call("info", tmp_path / "alone.incerta"))
    said = "".join(each.stdout + each.stderr for each in done)
    assert all(c.isprintable() or c == "\n" for c in said)


def test_json_holds_names_as_they_are(hostile, call):
    told = json.loads(call("info", hostile, "--format", "json").stdout)
    assert told["columns"][1]["name"] == "m\x9b31mass"


def test_formulas(hostile, call):
    given = ["--id", "star", "--values", "m\x9b31mass", "-k", 2, "--no-scale"]
    plain = call("fit", hostile, *given)
    assert "1 id begins like a formula" in plain.stderr
    safe = call("fit", hostile, *given, "--spreadsheet")
    assert "formula" not in safe.stderr
    ids = [
        [row["id"] for row in csv.DictReader(io.StringIO(done.stdout))]
        for done in (plain, safe)
    ]
    assert ids[0][0] == "=cmd|'/C calc'!A0"
    assert ids[1] == ["'" + ids[0][0], *ids[0][1:]]
    done = call("fit", hostile, *given, "--spreadsheet", "--format", "json", code=2)
    assert "it is for csv" in done.stderr


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_every_beginning_of_a_formula(begin):
    ids = np.array([f"{begin}x", "-12.5", "x=1"], dtype=object)
    out = io.BytesIO()
    write_table({"id": ids}, "csv", out, spreadsheet=True)
    rows = list(csv.reader(io.StringIO(out.getvalue().decode(), newline="")))
    assert rows == [["id"], [f"'{begin}x"], ["-12.5"], ["x=1"]]
    target = Target(folder=None, form="csv")
    assert "1 id" in target.unsafe(ids)[0]
    assert target.unsafe(ids[1:]) == []
    assert replace(target, spreadsheet=True).unsafe(ids) == []
    assert replace(target, form="json").unsafe(ids) == []


@pytest.mark.parametrize("option", ["-o", "--output"])
def test_no_name_is_no_folder(wide, call, option):
    assert "it is empty" in call("fit", wide, *COLUMNS, option, "", code=2).stderr


@not_on_windows("lets few make links")
def test_links_are_followed(wide, call, tmp_path):
    (tmp_path / "link").symlink_to(tmp_path / "later")
    call("fit", wide, *COLUMNS, "-q", "-o", tmp_path / "link")
    assert names(tmp_path / "later") == FILES
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "link.csv").symlink_to(tmp_path / "later.csv")
    model = tmp_path / "later" / "model.incerta"
    call("predict", model, wide, "-q", "-o", tmp_path / "link.csv")
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "later.csv").is_file()
    (tmp_path / "lost").symlink_to(tmp_path / "no" / "such.csv")
    done = call("predict", model, wide, "-o", tmp_path / "lost", code=2)
    assert "there is no folder" in done.stderr


def test_folder_in_the_place_of_a_file(wide, call, tmp_path):
    (tmp_path / "out" / "summary.json").mkdir(parents=True)
    done = call("fit", wide, *COLUMNS, "-o", tmp_path / "out", code=2)
    assert "summary.json is a folder" in " ".join(done.stderr.split())
    assert names(tmp_path / "out") == ["summary.json"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_folder_that_takes_no_files(wide, call):
    """Noticed before the fit, although permissions would allow it."""
    done = call("fit", wide, *COLUMNS, "-o", "/proc/out", code=2)
    assert "/proc is not writable: " in " ".join(done.stderr.split())


def test_ids_of_a_hundred_thousand_letters(call, tmp_path):
    names = [f"{'long' * 25_000}{i}" for i in range(12)]
    rows = [f"{name},{9 * (i % 2)}.{i},{i}" for i, name in enumerate(names)]
    path = tmp_path / "long.csv"
    path.write_text("\n".join(["id,x,y", *rows]) + "\n")
    done = call("fit", path, "--id", "id", "-k", 2, "-o", tmp_path / "out")
    assert len(done.output) < 3000
    assert (tmp_path / "out" / "summary.json").stat().st_size < 10**6
    assert ids_in((tmp_path / "out" / "table.csv").read_text()) == names


@pytest.mark.slow
@pytest.mark.parametrize("closed", [(1,), (0, 1, 2)])
def test_closed_streams(wide, run, tmp_path, closed):
    def close():
        for number in closed:
            os.close(number)

    done = run("fit", wide, *COLUMNS, "-o", tmp_path / "out", preexec_fn=close)
    assert (done.returncode, "Error" in done.stderr) == (0, False)
    assert names(tmp_path / "out") == FILES


@pytest.mark.slow
@pytest.mark.parametrize(
    ("closed", "arguments"), [(1, ["info"]), (0, ["fit", "-", "--values", "x"])]
)
def test_closed_streams_that_are_needed(run, closed, arguments):
    done = run(*arguments, preexec_fn=lambda: os.close(closed), stdin=None)
    assert done.returncode == 1
    assert done.stderr == "Error: stdin or stdout is closed; name files instead.\n"


@pytest.mark.slow
def test_letters_that_a_terminal_does_not_know(run, wide):
    ascii_only = {
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONIOENCODING": "ascii",
    }
    done = run("compare", wide, *COLUMNS, "--methods", "CKMeans", changes=ascii_only)
    assert (done.returncode, "CKMeans" in done.stdout) == (0, True)
