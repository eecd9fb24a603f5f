"""Folds over partitions: summarize each partition, then merge the summaries.

Summaries are merged in any order and grouping, and the result must not depend on it.
Sums of floats depend on the order; the exact sums of this module do not.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from incerta.backend.memory import blocks, physical_bytes
from incerta.backend.optional import require
from incerta.typing import Array, Indices

T = TypeVar("T")

# In each of the two parts of a number in an exact sum. The sum of as many of them as a
# block holds fits into 64 bits.
BITS = 39
# With smaller exponents, a scale would overflow. Numbers below 2**-980 count as 0.
_SMALLEST = -900
_TRIES = 4
_FAN_IN = 8


@dataclass(frozen=True)
class Recipe:
    """A partition made on demand, by a function that can be sent to a worker."""

    make: Callable[[], Any]

    def then(self, function: Callable[..., Any], *given: Any) -> Recipe:
        """Return the recipe for ``function(partition, *given)``."""
        return Recipe(partial(_then, self.make, function, given))


class Parts:
    """Partitions to fold over: values, recipes, or delayed values of dask.

    Recipes are run one after the other, or by the workers of dask if there is a client.
    With `hold`, delayed values are computed once, unless they are lost with a worker.
    Without workers, at most about a quarter of the memory holds finished recipes.
    """

    def __init__(self, recipes: Sequence[Any], *, hold: bool = False) -> None:
        self._recipes = _for_workers(recipes)
        self._hold = hold
        self._parts = self._made()

    def __len__(self) -> int:
        return len(self._recipes)

    def fold(
        self,
        summarize: Callable[..., T],
        merge: Callable[[T, T], T],
        *given: Any,
    ) -> T:
        """Merge ``summarize(part, *given)`` of all parts; use top-level functions."""
        for left in reversed(range(_TRIES)):
            try:
                return _fold(self._parts, summarize, merge, given)
            except _losses():
                if not left:
                    raise
            # This is outside `except` because the traceback keeps the old parts alive.
            # Until they are released, the scheduler keeps reporting them as lost.
            self._parts = ()
            self._parts = self._made()
        raise AssertionError

    def _made(self) -> tuple[Any, ...]:
        if not self._hold:
            return self._recipes
        if _lazy(self._recipes):
            return require("dask", "dask", "partitioned data").persist(*self._recipes)
        left, kept = physical_bytes() // 4, []
        for recipe in self._recipes:
            kept.append(_value(recipe) if left > 0 else recipe)
            arrays = kept[-1] if isinstance(kept[-1], tuple) else ()  # a summary
            left -= sum(getattr(array, "nbytes", 0) for array in arrays)
        return tuple(kept)


def mapped(parts: Sequence[Any], function: Callable[..., T], *given: Any) -> list[Any]:
    """Apply `function` to each partition; recipes and delayed values stay lazy."""
    if not _lazy(parts):
        return [
            part.then(function, *given)
            if isinstance(part, Recipe)
            else function(part, *given)
            for part in parts
        ]
    delayed = require("dask", "dask", "partitioned data").delayed
    task = delayed(function)
    shared = [delayed(thing, traverse=False) for thing in given]
    return [task(part, *shared) for part in parts]


def _fold(
    parts: Sequence[Any],
    summarize: Callable[..., T],
    merge: Callable[[T, T], T],
    given: Sequence[Any],
) -> T:
    if not _lazy(parts):
        return reduce(merge, (summarize(_value(part), *given) for part in parts))
    summaries = mapped(parts, summarize, *given)
    dask = require("dask", "dask", "partitioned data")
    task = dask.delayed(_merged)
    # Merge in a tree, so that no worker has to hold the summaries of all partitions.
    while len(summaries) > 1:
        groups = range(0, len(summaries), _FAN_IN)
        summaries = [task(merge, *summaries[i : i + _FAN_IN]) for i in groups]
    return dask.compute(summaries[0])[0]


def _merged(merge: Callable[[T, T], T], *summaries: T) -> T:
    return reduce(merge, summaries)


def _lazy(parts: Sequence[Any]) -> bool:
    return hasattr(parts[0], "__dask_graph__")


def _then(
    make: Callable[[], Any], function: Callable[..., T], given: Sequence[Any]
) -> T:
    return function(make(), *given)


def _value(part: Any) -> Any:
    return part.make() if isinstance(part, Recipe) else part


def _for_workers(parts: Sequence[Any]) -> tuple[Any, ...]:
    """Turn recipes into delayed values if there are workers to run them."""
    if not (isinstance(parts[0], Recipe) and _has_client()):
        return tuple(parts)
    delayed = require("dask", "dask", "partitioned data").delayed
    return tuple(delayed(part.make)() for part in parts)


def _has_client() -> bool:
    if "distributed" not in sys.modules:
        return False
    from distributed import default_client

    try:
        default_client()
    except ValueError:
        return False
    return True


def _losses() -> tuple[type[BaseException], ...]:
    """Return the errors that report a lost worker rather than a fault in the work."""
    if "distributed" not in sys.modules:
        return ()
    from concurrent.futures import CancelledError

    from distributed import KilledWorker
    from distributed.comm.core import CommClosedError

    return (KilledWorker, CancelledError, CommClosedError)


# exact sums -------------------------------------------------------------------------


def exponents(peak: Array) -> NDArray[np.int64]:
    """Return exponents e such that magnitudes up to `peak` are below ``2**e``."""
    return np.maximum(np.frexp(peak)[1], _SMALLEST).astype(np.int64)


def exact_sums(
    rows: Array, groups: Indices, n_groups: int, exponent: NDArray[np.int64]
) -> NDArray[np.object_]:
    """Sum rows by group, as Python integers in units of ``2**(exponent - 78)``.

    Floats more than 2**25 times smaller than the largest are rounded to these units.
    Any order and grouping give the same sum. `exponent` (n_columns,) must be the same
    for all partitions.
    """
    total = np.zeros((n_groups, rows.shape[1]), dtype=object)
    scale = np.ldexp(1.0, BITS - exponent)
    for part in blocks(len(rows), 8 * rows.shape[1]):
        n = part.stop - part.start
        chosen = csr_array(
            (np.ones(n, np.int64), groups[part], np.arange(n + 1)), (n, n_groups)
        ).T
        high, low = _halves(rows[part] * scale)
        total += (chosen @ high).astype(object) << BITS
        total += (chosen @ low).astype(object)
    return total


def rounded(sums: Any, exponent: Any, divisor: int = 1) -> Any:
    """Divide exact sums by `divisor` and round to the nearest floats."""
    # Python divides integers with a single rounding.
    quotient = np.asarray(np.asarray(sums, dtype=object) / divisor, dtype=np.float64)
    return np.ldexp(quotient, exponent - 2 * BITS)


def sums_of_runs(column: Array, starts: Indices) -> Array:
    """Sum nonempty runs bounded by `starts`; the order within a run is irrelevant."""
    counts = np.diff(starts)
    exponent = exponents(np.maximum.reduceat(np.abs(column), starts[:-1]))
    # Long runs get fewer bits per number, so that their sums fit into 64 bits.
    bits = np.minimum(BITS, 62 - np.frexp(counts.astype(np.float64))[1])
    scale = np.ldexp(1.0, bits - exponent)
    high, low = _halves(column * np.repeat(scale, counts))
    whole = np.add.reduceat(high, starts[:-1]).astype(np.float64)
    rest = np.ldexp(np.add.reduceat(low, starts[:-1]).astype(np.float64), -BITS)
    return np.ldexp(whole + rest, exponent - bits)


def _halves(scaled: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Split numbers into integers and remainders in units of ``2**-BITS``."""
    high = np.rint(scaled)
    low = np.rint((scaled - high) * 2.0**BITS)
    return high.astype(np.int64), low.astype(np.int64)
