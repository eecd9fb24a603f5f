"""``python -m paper``: small runs, stopped and started, and what they write."""

import csv
import os
import subprocess
import sys
from pathlib import Path

import pytest

from paper import sweeps
from paper.commands import paper
from tests.extras import needs
from tests.runner import Runner

pytestmark = [needs("matplotlib", "plot"), needs("jinja2", "report")]
ROOT = Path(__file__).parents[2]


def rows_of(path):
    return list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))


@pytest.fixture
def call():
    """Run in this process; anything unexpected comes out as a traceback."""

    def call(*arguments, code=0):
        done = Runner().invoke(paper, [str(a) for a in arguments])
        assert done.exit_code == code, done.output
        return done

    return call


@pytest.mark.slow
def test_table2(call, tmp_path):
    asked = ("table2", "--data", "wine", "--methods", "uk-means,RPC")
    asked = (*asked, "--out", tmp_path, "--jobs", "1")
    call(*asked, "--seeds", "1")
    before = (tmp_path / "cells.csv").read_text()
    done = call(*asked, "--seeds", "2")
    # What was there stays; the second seed is added.
    assert (tmp_path / "cells.csv").read_text().startswith(before)
    assert "wine" in done.stdout
    assert "0.966" in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert "table2.csv, table2.md, table2.html" in " ".join(done.stderr.split())
    rows = rows_of(tmp_path / "table2.csv")
    assert [(r["input"], r["method"], r["n_seeds"]) for r in rows[:2]] == [
        ("uncertain", "UK-means", "2"),
        ("uncertain", "RPC", "2"),
    ]
    assert rows[1]["paper_acc"] == "0.9663"
    pages = [(tmp_path / f"table2.{end}").read_bytes() for end in ("md", "html")]
    call(*asked, "--seeds", "2", "--quiet")
    again = [(tmp_path / f"table2.{end}").read_bytes() for end in ("md", "html")]
    assert pages == again
    assert b"python -m paper table2 --data wine" in pages[0]


@pytest.mark.slow
def test_figures(call, tmp_path, monkeypatch):
    monkeypatch.setattr(sweeps, "NUMBERS_KEPT", (10, 100))
    where = ("--data", "wine", "--out", tmp_path)
    call("figure2", *where, "--seeds", "1", "--jobs", "1")
    call("figure3", *where, "--methods", "CK-means", "--runs", "1")
    call("sensitivity", *where, "--methods", "CK-means", "--jobs", "1")
    for name in ("figure2", "figure3", "sensitivity"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert len((tmp_path / f"{name}.csv").read_text().splitlines()) > 1


@pytest.mark.slow
def test_claims(call, tmp_path):
    asked = ("--data", "wine", "--seeds", "1", "--noise", "0.5", "--jobs", "1")
    done = call("claims", *asked, "--out", tmp_path)
    rows = rows_of(tmp_path / "claims.csv")
    assert [row["claim"] for row in rows] == [claim.name for claim in sweeps.CLAIMS]
    assert "claims.csv, claims.png" in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--data", "beer"),
        ("--methods", "RPC,guess"),
        ("--seeds", "0"),
        ("--mode", "x"),
        ("--noise", "0.5,none"),
        ("--noise", "-1"),
        ("--jobs", "0"),
        ("--out", __file__),
    ],
)
def test_wrong_usage(call, option, value):
    done = call("sensitivity", option, value, code=2)
    assert option in done.stderr


@pytest.mark.slow
def test_missing_data_are_one_line(tmp_path):
    asked = ["table2", "--data", "nba", "--methods", "UK-means", "--jobs", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "paper", *asked, "--out", str(tmp_path / "out")],
        cwd=ROOT,
        env={**os.environ, "INCERTA_DATA": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("Error: ")
    assert len(done.stderr.splitlines()) == 1
