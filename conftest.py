"""Modules that cannot be imported without an optional library."""

from importlib.util import find_spec

# Triton needs a GPU.
collect_ignore = ["src/incerta/divergence/triton_kernel.py"]
if find_spec("numba") is None:
    collect_ignore += [
        "src/incerta/density/numba_counts.py",
        "src/incerta/density/numba_within.py",
        "src/incerta/divergence/numba_kernel.py",
    ]
