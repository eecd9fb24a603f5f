"""Distribution of the number of independent events that happen.

The events of a row are the stored entries of a sparse table, each with its
probability; their count is Poisson-binomial. All states are sums of products of
positive numbers: nothing cancels, so the smallest probabilities keep all their digits.
"""

from collections.abc import Iterator
from math import isqrt

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from incerta.backend.memory import BLOCK_BYTES
from incerta.backend.optional import engine_for
from incerta.density.stopping import NEGLIGIBLE, STRIDE
from incerta.typing import Array, Indices

# Size of the state of a block of rows: it should fit in the second-level cache.
STATE = 2**14


def at_least(table: csr_array, m: int, *, engine: str = "auto") -> Array:
    """Return the probability of at least `m` independent events in each row.

    It is exactly 0 for rows with fewer than `m` entries. A row ends once `m` events are
    certain up to rounding: long rows of likely events take a few times `m` entries.
    """
    starts = table.indptr.astype(np.int64, copy=False)
    if m <= 0:
        return np.ones(len(starts) - 1)
    out = np.zeros(len(starts) - 1)
    lengths = np.diff(starts)
    if lengths.max(initial=0) < m:
        return out
    if engine_for(engine) == "numba":
        from incerta.density import numba_counts

        numba_counts.at_least(_floats(table), starts, m, out)
        return out
    for rows in _alike(lengths, m, m):
        missing = _nothing_yet(m, len(rows))
        _fold(missing, _side_by_side(table.data, starts, rows)[0])
        out[rows] = np.where(_settled(missing), 1.0, np.minimum(missing[0], 1.0))
    return out


def at_least_without(
    table: csr_array,
    m: int,
    wanted: NDArray[np.bool_] | None = None,
    *,
    engine: str = "auto",
) -> Array:
    """Return the probability of at least `m` other events in the row of each entry.

    Entries are those `wanted`, by default all, in the order of ``table.data``. It takes
    at most ``4 m`` operations per wanted entry, and ``m`` per other entry.
    """
    starts = table.indptr.astype(np.int64, copy=False)
    if wanted is None:
        wanted = np.ones(starts[-1], dtype=bool)
    out = np.zeros(np.count_nonzero(wanted))
    if m <= 0:
        out[:] = 1.0
        return out
    lengths = np.diff(starts)
    if lengths.max(initial=0) <= m:
        return out
    if engine_for(engine) == "numba":
        from incerta.density import numba_counts

        numba_counts.at_least_without(_floats(table), starts, wanted, m, out)
        return out
    n_wanted = np.diff(np.append(0, np.cumsum(wanted))[starts])
    first = np.cumsum(n_wanted) - n_wanted
    for rows in _alike(np.where(n_wanted, lengths, 0), m, m + 1):
        chances, entries = _side_by_side(table.data, starts, rows)
        chosen = (entries >= 0) & wanted[entries]
        before = _nothing_yet(m, len(rows))
        _fold(before, _on_top(chances, ~chosen & (entries >= 0)))
        answers = _without_each(before, _on_top(chances, chosen))
        slots = np.arange(len(answers))[:, None]
        there = slots < n_wanted[rows]
        out[(first[rows] + slots)[there]] = answers[there]
    return out


def _floats(table: csr_array) -> Array:
    return np.ascontiguousarray(table.data, dtype=np.float64)


def _alike(lengths: Indices, m: int, least: int) -> Iterator[Indices]:
    """Group rows with at least `least` entries into blocks of similar length."""
    order = np.argsort(-lengths, kind="stable")
    order = order[: np.count_nonzero(lengths >= least)]
    start = 0
    while start < len(order):
        longest = int(lengths[order[start]])
        numbers = 8 * longest + 2 * (isqrt(longest) + 1) * (m + 1)
        n_rows = max(1, min(STATE // (m + 1), BLOCK_BYTES // (8 * numbers)))
        yield order[start : start + n_rows]
        start += n_rows


def _side_by_side(
    data: Array, starts: NDArray[np.int64], rows: Indices
) -> tuple[Array, Indices]:
    """Put the entries of `rows` into columns, padded with events of probability 0."""
    lengths = starts[rows + 1] - starts[rows]
    steps = np.arange(lengths.max())[:, None]
    entries = np.where(steps < lengths, starts[rows] + steps, -1)
    return np.where(entries >= 0, data[entries], 0.0), entries


def _on_top(chances: Array, chosen: NDArray[np.bool_]) -> Array:
    """Keep the `chosen` entries of each column, without gaps between them."""
    steps, columns = np.nonzero(chosen)
    slots = np.cumsum(chosen, axis=0)
    out = np.zeros((int(slots[-1].max()), chances.shape[1]))
    out[slots[steps, columns] - 1, columns] = chances[steps, columns]
    return out


def _nothing_yet(m: int, n_rows: int) -> Array:
    """Return ``missing[j]``, the probability that j events are needed, at the start."""
    missing = np.zeros((m + 1, n_rows))
    missing[m] = 1.0
    return missing


def _fold(missing: Array, chances: Array) -> bool:
    """Count the events of `chances` row by row; stop once the result is settled."""
    flow = np.empty_like(missing[1:])
    for start in range(0, len(chances), STRIDE):
        part = chances[start : start + STRIDE]
        # Not missing - flow, which loses digits for p near 1.
        for p, stays in zip(part, 1.0 - part, strict=True):
            np.multiply(missing[1:], p, out=flow)
            missing[1:] *= stays
            missing[:-1] += flow
        if _settled(missing).all():
            return True
    return False


def _settled(missing: Array) -> NDArray[np.bool_]:
    return missing[1:].sum(axis=0) <= NEGLIGIBLE * missing[0]


def _without_each(before: Array, chances: Array) -> Array:
    """Compute the probability of enough events, leaving out each of `chances` in turn.

    P(A + B ≥ m) = Σ_c P(A = c) P(B ≥ m − c), with A the events before the one left
    out, on top of those in `before`, and B those after it. To divide its factor out of
    the count of all would cancel. States before are stored at every √n-th event only.
    """
    n = len(chances)
    m = len(before) - 1
    out = np.ones_like(chances)
    stride = isqrt(n) + 1
    state = before.copy()
    corners = []
    for start in range(0, n, stride):
        corners.append(state.copy())
        if _fold(state, chances[start : start + stride]):
            break  # All later entries have enough events without their own.
    seen = len(corners) * stride
    after = _nothing_yet(m, chances.shape[1])
    _fold(after, chances[seen:])
    # tails[j]: P(B ≥ j), a sum over the number that B leaves missing of m.
    tails = np.cumsum(after, axis=0)[::-1].copy()
    flow = np.empty_like(tails[1:])
    befores = np.empty((stride, *before.shape))
    while corners:
        befores[0] = corners.pop()
        start = len(corners) * stride
        part = chances[start : start + stride]
        stays = 1.0 - part
        for k in range(1, len(part)):
            np.multiply(befores[k - 1, 1:], part[k - 1], out=flow)
            befores[k, 0] = befores[k - 1, 0]
            np.multiply(befores[k - 1, 1:], stays[k - 1], out=befores[k, 1:])
            befores[k, :-1] += flow
        for k in range(len(part) - 1, -1, -1):
            np.einsum("jr,jr->r", befores[k], tails, out=out[start + k])
            np.multiply(tails[:-1], part[k], out=flow)
            tails[1:] *= stays[k]
            tails[1:] += flow
    return np.minimum(out, 1.0, out=out)
