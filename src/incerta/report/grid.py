"""Many objects as a grid of counts, on which single ones are drawn.

Points that lie upon each other hide each other: of some thousands, whole clusters may
be out of sight. Counts hide nothing.
"""

from itertools import combinations
from typing import Any

import numpy as np

from incerta.report.plain import numbers
from incerta.typing import Array, Indices

COLUMNS, ROWS = 60, 40
# On each axis at most so many objects lie below the grid, and so many above it.
MOST_BEYOND = 50


def range_of(column: Array) -> tuple[float, float]:
    """From where to where a grid counts: all values but a few that lie far out."""
    known = np.sort(column[np.isfinite(column)])
    if len(known) == 0:
        return 0.0, 1.0
    # One far object would otherwise leave a single cell for all others.
    few = min(MOST_BEYOND, len(known) // 500)
    low, high = known[few], known[-1 - few]
    room = 0.2 * (high - low)
    return float(max(known[0], low - room)), float(min(known[-1], high + room))


def beyond(values: Array, ranges: list[tuple[float, float]]) -> Indices:
    """Positions of objects that lie outside of the range of an axis."""
    low, high = np.array(ranges).T
    return np.flatnonzero(
        ((values < low[:, None]) | (values > high[:, None])).any(axis=0)
    )


def grid_of(
    values: Array, labels: Indices, ranges: list[tuple[float, float]]
) -> dict[str, Any]:
    """Count the objects of each cluster in cells, for each pair of axes ``"i,j"``.

    Of ``cells`` there are three lists: cell (column × rows + row), cluster, count;
    ``without`` says how many objects lack a value. What is out of range is not counted.
    """
    low, high = np.array(ranges).T
    width = np.where(high > low, high - low, 1.0)
    inside = (values >= low[:, None]) & (values <= high[:, None])
    shares = np.where(inside, (values - low[:, None]) / width[:, None], 0.0)
    across, up = (
        np.minimum((shares * n).astype(np.intp), n - 1) for n in (COLUMNS, ROWS)
    )
    cells, without = {}, {}
    for i, j in combinations(range(len(values)), 2):
        both = inside[i] & inside[j]
        cell = across[i, both] * ROWS + up[j, both]
        keys, counts = np.unique(
            cell * (labels.max() + 2) + labels[both] + 1, return_counts=True
        )
        cell, label = np.divmod(keys, labels.max() + 2)
        without[f"{i},{j}"] = int(np.isnan(values[[i, j]]).any(axis=0).sum())
        cells[f"{i},{j}"] = [cell.tolist(), (label - 1).tolist(), counts.tolist()]
    return {
        "columns": COLUMNS,
        "rows": ROWS,
        "ranges": numbers(np.array(ranges)),
        "cells": cells,
        "without": without,
    }
