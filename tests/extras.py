"""Tests of what needs an extra: skipped without it, and saying so."""

from importlib.util import find_spec

import pytest


def needs(library, extra):
    """Mark for tests that need a library which an extra brings."""
    missing = find_spec(library) is None
    return pytest.mark.skipif(missing, reason=f"needs the extra {extra}")


ENGINES = ["numpy", pytest.param("numba", marks=needs("numba", "fast"))]
