"""Tests of what needs an extra or a system: skipped without it, and saying so."""

import os
from importlib.util import find_spec

import pytest


def needs(library, extra):
    """Mark for tests that need a library which an extra brings."""
    missing = find_spec(library) is None
    return pytest.mark.skipif(missing, reason=f"needs the extra {extra}")


def not_on_windows(why):
    """Mark for tests of what Windows lacks."""
    return pytest.mark.skipif(os.name == "nt", reason=f"Windows {why}")


ENGINES = ["numpy", pytest.param("numba", marks=needs("numba", "fast"))]
