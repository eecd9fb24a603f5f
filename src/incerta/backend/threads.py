"""How many threads the libraries below numpy and scikit-learn take."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]


def threads(limit: int | None) -> AbstractContextManager[Any]:
    """Limit the threads of BLAS and OpenMP: small products lose by them."""
    return _controller().limit(limits=limit)


@cache
def _controller() -> ThreadpoolController:
    # To look for the libraries takes milliseconds. They do not change: numpy, scipy and
    # scikit-learn are loaded by the rooms that ask.
    return ThreadpoolController()
