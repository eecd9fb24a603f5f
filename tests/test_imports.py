"""What ``import incerta`` costs and what it does not bring along."""

import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions, requires
from importlib.util import find_spec
from pathlib import Path

import pytest

import incerta.data

ROOT = Path(__file__).parent.parent
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
    assert more - sys.stdlib_module_names <= {"incerta"}


def test_reading_a_table_does_not_wait_for_what_clusters():
    code = "import incerta; incerta.read_table; import incerta.data.files.profile"
    loaded = modules_after(code)
    assert "incerta.data.files.text" in loaded
    assert not loaded & {"sklearn", "scipy.stats", "scipy.optimize"}


def names_of(requirements):
    """Distributions that some requirements need, without their extras."""
    lines = [line for line in requirements if "extra ==" not in line]
    return {re.match(r"[\w-]+", line)[0].replace("_", "-").lower() for line in lines}


def test_the_library_needs_what_it_requires_and_no_more():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    ours = names_of(project["dependencies"])
    for name in tuple(ours):
        ours |= names_of(requires(name) or ())
    others = {
        module
        for module, owners in packages_distributions().items()
        if not names_of(owners) & {*ours, "incerta"}
    }
    code = f"""
import sys
from importlib.machinery import PathFinder
class NotOthers(PathFinder):
    def find_spec(name, *more):
        return name not in {others} and PathFinder.find_spec(name, *more) or None
sys.meta_path[sys.meta_path.index(PathFinder)] = NotOthers
import incerta as ic
things = [getattr(ic, name) for name in ic.__all__]
stars, _ = ic.datasets.make_uncertain_stars(60, random_state=0)
assert len(ic.cluster(stars, k=2).labels) == 60
"""
    assert "incerta.backend.device" in modules_after(code.strip())


def test_the_program_names_the_extra_that_it_needs():
    code = """
import sys
sys.modules["typer"] = None
from incerta.cli import main
main()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == (
        "Error: The command line needs typer; install it with: "
        'pip install "incerta[cli]"\n'
    )


def test_no_module_hides_a_function():
    assert "from_frame" in incerta.data.__all__
    for name in incerta.data.__all__:
        assert find_spec(f"incerta.data.{name}") is None
