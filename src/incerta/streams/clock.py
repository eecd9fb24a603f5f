"""When objects come, and where a piece of a stream must be cut."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from incerta.typing import Array, Indices

# Weights grow by a factor of 2 per half-life; after so many they are brought back.
MOST_HALVINGS = 400.0


def checked_times(times: Any, n: int, last: float | None) -> Array:
    """When objects came.

    `times` (n,): what was said; None is one unit of time after the other. `n`: number
    of objects. `last`: when the last object before them came.
    """
    if times is None:
        return np.arange(n, dtype=np.float64) + (0.0 if last is None else last + 1.0)
    when = np.asarray(times, dtype=np.float64)
    if when.shape != (n,) or not np.isfinite(when).all():
        msg = f"times must be one finite number for each of the {n} objects."
        raise ValueError(msg)
    backwards = np.diff(when, prepend=-np.inf if last is None else last) < 0.0
    if backwards.any():
        i = int(backwards.argmax())
        msg = (
            f"times[{i}]={when[i]} is before the object that came before; sort the "
            "objects by time."
        )
        raise ValueError(msg)
    return when


def ticks(when: Any, first: float, every: float) -> Any:
    """Number of snapshots that are due by then."""
    return np.floor((when - first) / every)


def pieces(
    when: Array, first: float, every: float | None, half_life: float | None
) -> list[slice]:
    """Stretches without a snapshot inside, nor with weights that grow too large."""
    cuts: list[Indices] = [np.array([0, len(when)])]
    if every is not None:
        cuts.append(np.flatnonzero(np.diff(ticks(when, first, every))) + 1)
    if half_life is not None:
        spans = np.floor((when - when[0]) / (MOST_HALVINGS * half_life))
        cuts.append(np.flatnonzero(np.diff(spans)) + 1)
    edges = np.unique(np.concatenate(cuts)).tolist()
    return [slice(a, b) for a, b in pairwise(edges)]
