"""Settings before any import: threads, and files to leave out."""

import gc
import os
from importlib.util import find_spec

# Tests already use all cores. With additional threads, which wait for each other, small
# k-means takes twice as long.
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

# Imported and collected objects live until the end, so the garbage collector need not
# look at them.
gc.disable()


def pytest_collection_finish():
    """Restrict garbage collection to objects made by tests."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_sessionfinish():
    """Undo this at the end, when libraries check their memory."""
    gc.unfreeze()
