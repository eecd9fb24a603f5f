"""Benchmarks run, so that they cannot rot; what they measure is not asserted."""

import os
import subprocess
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.runner import run_script

# A minute in all, for scripts that users never run.
pytestmark = pytest.mark.slow
BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
PEER = "pandas (engine pyarrow) + groupby mean"
SMALL = {
    "assess.py": ["--small"],
    "bench_read.py": [
        "--rows",
        "2000",
        "--tasks",
        "incerta.read_table + 10 worlds",
        PEER,
    ],
    "bench_divergence.py": ["--small"],
    "bench_consistency.py": ["--small"],
    "bench_density.py": ["--small"],
    "bench_mixture.py": ["--small"],
    "bench_dask.py": ["--small", "--methods", "UKMeans", "WorldConsensus"],
    "bench_lazy.py": ["--small", "--methods", "UKMeans"],
    "bench_kmeans.py": ["--small"],
    "bench_medoids.py": ["--small"],
    "bench_relocation.py": ["--small"],
    "bench_scale.py": ["--sizes", "60", "--methods", "RPC"],
    "bench_rep.py": ["--small"],
    "calibration.py": ["--small"],
    "projections.py": ["--small"],
    "calibration_worlds.py": ["--seeds", "1", "--objects", "60", "--worlds", "10"],
    "choose_k.py": ["--small"],
    "class_range.py": ["--small"],
    "classification.py": ["--small"],
    "partial_labels.py": ["--small"],
    "bench_stream.py": ["--objects", "2000"],
    "fingerprint.py": ["--small"],
    "hidden_shapes.py": ["--small"],
    "other_shapes.py": ["--small"],
    "eigengap.py": ["--small"],
    "sensitivity.py": ["--small", "--seeds", "1"],
    "accuracy": ["--small"],
    "counts.py": ["--small"],
    "error_designs.py": ["--small"],
    "log_errors.py": ["--small"],
    "single_cell.py": ["--small"],
    "wide.py": ["--small"],
    "wrong_errors.py": ["--small"],
    "named_methods.py": ["--seeds", "1", "--objects", "40", "--worlds", "5"],
    "radius.py": ["--seeds", "1", "--objects", "30"],
    "members.py": ["--small"],
    "load.py": ["--cases", "table-info", "--scale", "0.001"],
    "landmarks.py": ["--objects", "60", "--seeds", "1", "--landmarks", "20"],
    "rep_bound.py": ["--sets", "3", "--true", "20"],
    "gpu/bench_estimators.py": ["--small", "--device", "cpu:0"],
}


# What has workers, measures its own memory, or takes modules of its folder.
APART = ("bench_dask.py", "bench_stream.py", "load.py", "gpu/bench_estimators.py")
SCRIPTS = [*sorted(p.name for p in BENCHMARKS.glob("*.py")), "accuracy"]
if find_spec("torch"):
    SCRIPTS.append("gpu/bench_estimators.py")


@pytest.mark.parametrize("script", SCRIPTS)
def test_smallest_size(script, run):
    assert len(run(script, *SMALL[script]).splitlines()) > 1


@pytest.mark.skipif("INCERTA_DATA" not in os.environ, reason="needs INCERTA_DATA")
def test_real_errors(run):
    told = run("classification.py", "--kepler", "--objects", "60", "--folds", "2")
    assert len(told.splitlines()) > 1


@pytest.fixture
def run(capfd):
    """Run a script here, as starting takes seconds; some, apart."""

    def run(script, *arguments):
        command = [str(BENCHMARKS / script), *arguments]
        if script in APART:
            done = subprocess.run(
                [sys.executable, *command], capture_output=True, text=True
            )
            assert done.returncode == 0, done.stderr
            return done.stdout
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            run_script(*command)
        return capfd.readouterr().out

    return run


def test_wide_tables(run):
    assert len(run("bench_read.py", "--columns", "200").splitlines()) == 7


def test_pages_show_the_results(run):
    page = BENCHMARKS.parent / "docs" / "measured" / "accuracy.txt"
    assert run("accuracy", "tables") == page.read_text()
