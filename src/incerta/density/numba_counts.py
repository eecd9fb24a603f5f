"""Counts of independent events, row by row: the numba version of the numpy steps.

It is imported only if the extra ``fast`` is installed, compiled once and cached.
`incerta.density.counts` explains the states.
"""

from typing import Any

import numba
import numpy as np
from numba import types
from numpy.typing import NDArray

from incerta.density.stopping import NEGLIGIBLE, STRIDE
from incerta.typing import Array

jit: Any = numba.njit

# Tables may be read-only memory maps.
_FLOATS = types.Array(types.float64, 1, "C", readonly=True)
_STARTS = types.Array(types.int64, 1, "C", readonly=True)
_FLAGS = types.Array(types.boolean, 1, "C", readonly=True)
_RESULT = types.Array(types.float64, 1, "C")


@jit(fastmath={"contract"})
def _count(missing: Array, p: float) -> None:
    """Count one event of probability `p`."""
    m = len(missing) - 1
    stays = 1.0 - p
    missing[0] += missing[1] * p
    for j in range(1, m):
        missing[j] = missing[j] * stays + missing[j + 1] * p
    missing[m] *= stays


@jit(fastmath={"contract"})
def _count_below(states: Array, k: int, p: float) -> None:
    """Count one event of probability `p` on the state in row `k`, into the next."""
    m = states.shape[1] - 1
    stays = 1.0 - p
    states[k + 1, 0] = states[k, 0] + states[k, 1] * p
    for j in range(1, m):
        states[k + 1, j] = states[k, j] * stays + states[k, j + 1] * p
    states[k + 1, m] = states[k, m] * stays


@jit(fastmath={"contract"})
def _count_in_tails(tails: Array, p: float) -> None:
    """Count one event of probability `p` in the probabilities of at least j."""
    stays = 1.0 - p
    for j in range(len(tails) - 1, 0, -1):
        tails[j] = tails[j] * stays + tails[j - 1] * p


@jit()
def _settled(missing: Array) -> bool:
    """Tell whether the remaining events can change the result only by rounding."""
    if missing[0] < 0.5:
        return False
    return missing[1:].sum() <= NEGLIGIBLE * missing[0]


@jit()
def _fold(missing: Array, chances: Array) -> bool:
    """Count the events of `chances`; stop once the result is settled."""
    for start in range(0, len(chances), STRIDE):
        for k in range(start, min(start + STRIDE, len(chances))):
            _count(missing, chances[k])
        if _settled(missing):
            return True
    return False


@jit(fastmath={"contract", "reassoc"})
def _dot(befores: Array, k: int, tails: Array) -> float:
    total = 0.0
    for j in range(len(tails)):
        total += befores[k, j] * tails[j]
    return total


@jit()
def _without_each(
    missing: Array,
    chances: Array,
    corners: Array,
    befores: Array,
    tails: Array,
    out: Array,
) -> None:
    n = len(chances)
    m = len(missing) - 1
    stride = int(np.sqrt(n)) + 1
    n_corners = 0
    for start in range(0, n, stride):
        # Assigning the row would double the time to compile, for the message of an
        # error that cannot occur.
        for j in range(m + 1):
            corners[n_corners, j] = missing[j]
        n_corners += 1
        if _fold(missing, chances[start : start + stride]):
            break
    seen = min(n, n_corners * stride)
    out[seen:] = 1.0
    missing[:] = 0.0
    missing[m] = 1.0
    _fold(missing, chances[seen:])
    total = 0.0
    for j in range(m + 1):
        total += missing[j]
        tails[m - j] = total
    for corner in range(n_corners - 1, -1, -1):
        start = corner * stride
        stop = min(start + stride, n)
        for j in range(m + 1):
            befores[0, j] = corners[corner, j]
        for k in range(start, stop - 1):
            _count_below(befores, k - start, chances[k])
        for k in range(stop - 1, start - 1, -1):
            out[k] = min(_dot(befores, k - start, tails), 1.0)
            _count_in_tails(tails, chances[k])


@jit(types.void(_FLOATS, _STARTS, types.int64, _RESULT), cache=True)
def at_least(data: Array, starts: NDArray[np.int64], m: int, out: Array) -> None:
    """Write the probabilities of at least `m` events in each row to `out`, all 0."""
    missing = np.empty(m + 1)
    for i in range(len(starts) - 1):
        if starts[i + 1] - starts[i] < m:
            continue
        missing[:] = 0.0
        missing[m] = 1.0
        settled = _fold(missing, data[starts[i] : starts[i + 1]])
        out[i] = 1.0 if settled else min(missing[0], 1.0)


@jit(types.void(_FLOATS, _STARTS, _FLAGS, types.int64, _RESULT), cache=True)
def at_least_without(
    data: Array,
    starts: NDArray[np.int64],
    wanted: NDArray[np.bool_],
    m: int,
    out: Array,
) -> None:
    """Write the probabilities of at least `m` other events to `out`, all 0."""
    longest = 0
    for i in range(len(starts) - 1):
        longest = max(longest, starts[i + 1] - starts[i])
    most = int(np.sqrt(longest)) + 1
    chosen = np.empty(longest)
    others = np.empty(longest)
    corners = np.empty((most + 1, m + 1))
    befores = np.empty((most + 1, m + 1))
    missing = np.empty(m + 1)
    tails = np.empty(m + 1)
    done = 0
    for i in range(len(starts) - 1):
        n = 0
        n_others = 0
        for entry in range(starts[i], starts[i + 1]):
            if wanted[entry]:
                chosen[n] = data[entry]
                n += 1
            else:
                others[n_others] = data[entry]
                n_others += 1
        if n and n + n_others > m:
            missing[:] = 0.0
            missing[m] = 1.0
            here = out[done : done + n]
            if _fold(missing, others[:n_others]):
                here[:] = 1.0
            else:
                _without_each(missing, chosen[:n], corners, befores, tails, here)
        done += n
