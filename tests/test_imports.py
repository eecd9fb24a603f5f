"""What ``import incerta`` costs and what it does not bring along."""

import subprocess
import sys
from functools import cache
from importlib.util import find_spec

import pytest

import incerta.data

OPTIONAL = {
    "astropy",
    "dask",
    "duckdb",
    "h5netcdf",
    "jinja2",
    "matplotlib",
    "numba",
    "pandas",
    "polars",
    "pyarrow",
    "torch",
    "uncertainties",
    "xarray",
}
# The other two are imported by newer versions of scikit-learn, too.
THEIRS = "import sklearn.cluster, narwhals, scipy.stats"
MODULES = "; import sys; print(*sys.modules)"


@cache
def modules_after(code):
    done = subprocess.run(
        [sys.executable, "-c", code + MODULES],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.split())


def packages(modules):
    return {name.partition(".")[0] for name in modules}


def test_import_brings_no_optional_library():
    assert not packages(modules_after("import incerta")) & OPTIONAL


def test_using_the_library_brings_only_what_its_requirements_bring():
    # scikit-learn and narwhals look for pandas and pyarrow by themselves.
    theirs = modules_after(THEIRS)
    ours = modules_after("import incerta; incerta.UncertainData; incerta.datasets")
    assert not (packages(ours) - packages(theirs)) & OPTIONAL


@pytest.mark.parametrize(
    "code", ["import incerta", "from incerta import UncertainData"]
)
def test_import_costs_no_more_than_scikit_learn(code):
    # What takes time are other people's modules: we bring none that it does not.
    more = packages(modules_after(code) - modules_after(THEIRS))
    assert more - sys.stdlib_module_names <= {"incerta", "lazy_loader"}


def test_reading_a_table_does_not_wait_for_what_clusters():
    code = "import incerta; incerta.read_table; import incerta.data.files.profile"
    loaded = modules_after(code)
    assert "incerta.data.files.text" in loaded
    assert not loaded & {"sklearn", "scipy.stats", "scipy.optimize"}


def test_no_module_hides_a_function():
    assert "from_frame" in incerta.data.__all__
    for name in incerta.data.__all__:
        assert find_spec(f"incerta.data.{name}") is None
