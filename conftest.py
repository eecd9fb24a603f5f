"""What must be known before anything is imported: threads, and what to leave out."""

import gc
import os
from importlib.util import find_spec

# Tests run on all cores already. With threads besides, that wait for each other, small
# k-means take twice as long.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Triton needs a GPU.
collect_ignore_glob = ["src/incerta/divergence/triton_kernel.py"]
for library, modules in {
    "numba": ["src/incerta/*/numba_*.py"],
    "matplotlib": ["src/incerta/plot/*.py", "paper/figures.py"],
    "jinja2": ["src/incerta/report/*.py", "paper/pages.py"],
    "uncertainties": ["src/incerta/data/from_science.py"],
    "xarray": ["src/incerta/data/from_dataarray.py"],
    "dask": ["src/incerta/data/partitioned.py"],
}.items():
    if find_spec(library) is None:
        collect_ignore_glob += modules

# What is imported and collected stays until the end: nothing of it is garbage, however
# often that is looked for.
gc.disable()


def pytest_collection_finish():
    """Look for garbage among what tests make only."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_sessionfinish():
    """Let libraries count what they have let go."""
    gc.unfreeze()
