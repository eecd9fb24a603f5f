"""What ``import incerta`` costs and what it does not bring along."""

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
SCIKIT_LEARN = "import sklearn.cluster"
MODULES = "; import sys; print(*{name.partition('.')[0] for name in sys.modules})"


def modules_after(code, told=MODULES):
    done = subprocess.run(
        [sys.executable, "-c", code + told],
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


@pytest.mark.parametrize(
    "code", ["import incerta", "from incerta import UncertainData"]
)
def test_import_costs_no_more_than_scikit_learn(code):
    # What takes time are other people's modules: we bring none that it does not.
    every = "; import sys; print(*sys.modules)"
    ours, theirs = modules_after(code, every), modules_after(SCIKIT_LEARN, every)
    more = {name.partition(".")[0] for name in ours - theirs}
    # Older versions of scikit-learn come without narwhals.
    assert more - sys.stdlib_module_names <= {"incerta", "lazy_loader", "narwhals"}
