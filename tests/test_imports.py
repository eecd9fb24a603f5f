"""What ``import incerta`` costs and what it does not bring along."""

import os
import subprocess
import sys

import pytest

OPTIONAL = {
    "astropy",
    "dask",
    "duckdb",
    "h5netcdf",
    "jinja2",
    "matplotlib",
    "numba",
    "pandas",
    "plotly",
    "polars",
    "pyarrow",
    "torch",
    "uncertainties",
    "xarray",
}
MODULES = "; import sys; print(*{name.partition('.')[0] for name in sys.modules})"


def cpu_seconds(*codes):
    """CPU time of a fresh interpreter for each code: the least of several runs.

    They take turns, so that a noisy neighbour disturbs them alike.
    """

    def once(code):
        before = os.times()
        subprocess.run([sys.executable, "-c", code], check=True)
        after = os.times()
        return sum(after[2:4]) - sum(before[2:4])

    return [min(times) for times in zip(*([once(c) for c in codes] for _ in range(6)))]


def modules_after(code):
    done = subprocess.run(
        [sys.executable, "-c", code + MODULES],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def test_import_brings_no_optional_library():
    assert not modules_after("import incerta") & OPTIONAL


def test_using_the_library_brings_only_what_its_requirements_bring():
    # scikit-learn and narwhals look for pandas and pyarrow by themselves.
    theirs = modules_after("import sklearn.cluster, narwhals, scipy.stats")
    ours = modules_after("import incerta; incerta.UncertainData; incerta.datasets")
    assert not (ours - theirs) & OPTIONAL


@pytest.mark.skipif(not hasattr(os, "times"), reason="no CPU times on this system")
@pytest.mark.parametrize(
    "code", ["import incerta", "from incerta import UncertainData"]
)
def test_import_costs_no_more_than_scikit_learn(code):
    ours, theirs = cpu_seconds(code, "import sklearn.cluster")
    assert ours <= 1.2 * theirs
