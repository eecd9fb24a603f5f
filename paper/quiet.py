"""Warnings that thousands of fits would repeat."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning

from incerta.exceptions import IncertaWarning


@contextmanager
def quietly() -> Iterator[None]:
    """Fit without warnings.

    All noise, saturated divergences, fewer clusters than asked for: scores and counts
    say so. Fits that need more sweeps than they have are taken as they are.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncertaWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
