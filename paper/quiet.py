"""Suppression of warnings that thousands of fits would repeat."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.exceptions import ConvergenceWarning

from incerta.exceptions import IncertaWarning


@contextmanager
def quietly() -> Iterator[None]:
    """Fit without warnings.

    Scores and counts show noise, saturated divergences and missing clusters. Fits that
    reach the limit of sweeps are used as they are.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", IncertaWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield
