"""Damaged files: those that once made trouble, and a short run over new ones."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.children import run

FOLDER = Path(__file__).parent / "fuzz"
NEEDS = ("pyarrow", "astropy")


@pytest.fixture
def every_reader():
    for library in NEEDS:
        pytest.importorskip(library, reason="damages files of all formats")
    if sys.platform != "linux":
        pytest.skip("memory is limited, and measured, as on Linux")


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory as on Linux")
def test_children_that_die_are_told():
    found = run("trouble", 0, range(12), n_children=1, memory=2**28, seconds=0.2)
    told = {outcome.kind: outcome for outcome in found if outcome.number < 6}
    words = {kind: outcome.word for kind, outcome in told.items()}
    assert words == {
        "good": "same",
        "dies": "died",
        "waits": "slow",
        "hungry": "memory",
        "fails": "error",
        "differs": "differs",
    }
    fine = [kind for kind, one in told.items() if not one.is_finding]
    assert fine == ["good"]
    assert told["dies"].detail == "SIGSEGV"
    assert "KeyError: 'file' (trouble.py" in told["fails"].detail


@pytest.mark.slow
def test_what_once_made_trouble(every_reader):
    """In a process of its own, which must not die, with little memory."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz", "tables", "--replay"],
        cwd=FOLDER.parents[1],
        capture_output=True,
        text=True,
        timeout=300,
    )
    n_files = len(list((FOLDER / "corpus" / "tables").iterdir()))
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert len(done.stdout.splitlines()) == n_files


@pytest.mark.slow
def test_new_damage(every_reader):
    outcomes = list(run("tables", 2, range(500), n_children=2))
    assert len(outcomes) == 500
    assert [outcome for outcome in outcomes if outcome.is_finding] == []
