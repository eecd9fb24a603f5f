"""Which objects a page holds, and where they lie in its picture."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from incerta.plot.objects import separating_features
from incerta.report.plain import distinct, name, numbers, significant, text
from incerta.typing import Array, Indices
from incerta.wording import SURE

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering
    from incerta.data.container import UncertainData

MOST_ROWS = 5000
LEAST_CERTAIN_ROWS = 1000
# So many objects are drawn one by one; more are counted in a grid, on which the least
# certain ones are drawn.
MOST_POINTS = 3000
MOST_UNSURE = 1000
# The least certain ones of those that are drawn have ellipses.
MOST_ELLIPSES = 1000
MOST_FEATURES = 50
# Covariances of all pairs of these are in the page.
MOST_AXES = 6
# Of the grid. Points that lie upon each other hide each other; counts hide nothing.
COLUMNS, ROWS = 60, 40
# On each axis at most so many objects lie below the grid, and so many above it.
MOST_BEYOND = 50


def shown_objects(confidence: Array, most: int, least_certain: int) -> Indices:
    """Positions of all objects, or the least certain and some of the rest, evenly."""
    n = len(confidence)
    if n <= most:
        return np.arange(n)
    order = np.argsort(confidence, kind="stable")
    rest = np.sort(order[least_certain:])
    even = np.linspace(0, len(rest) - 1, most - least_certain)
    return np.sort(np.concatenate([order[:least_certain], rest[even.astype(np.intp)]]))


def separation(means: Array, labels: Indices) -> Array:
    """Share of each feature's spread that lies between clusters, from 0 to 1.

    Noise is not counted; it is 0 for a feature without spread.
    """
    inside = labels >= 0
    codes, values = labels[inside], means[inside]
    if len(codes) == 0:
        return np.zeros(means.shape[1])
    # Centred, as squares of large numbers would swallow small differences.
    values = values - values.mean(axis=0)
    sizes = np.bincount(codes)
    sums = np.stack([np.bincount(codes, weights=column) for column in values.T], axis=1)
    between = (np.square(sums) / np.maximum(sizes, 1)[:, None]).sum(axis=0)
    total = np.square(values).sum(axis=0)
    ratio = np.divide(between, total, out=np.zeros(len(total)), where=total > 0)
    return np.nan_to_num(ratio)


def features_shown(result: Clustering) -> Indices:
    """Features that the page has in its tables, rising.

    All of them, or those in which the clusters differ most.
    """
    d = result.data.n_features
    if d <= MOST_FEATURES:
        return np.arange(d)
    apart = separation(np.nan_to_num(result.data.mean()), result.labels)
    return np.sort(np.argsort(-apart, kind="stable")[:MOST_FEATURES])


def picture(result: Clustering) -> dict[str, Any]:
    """What the scatter plot needs: means, and covariances for the ellipses.

    ``axes`` are what can be drawn; the last is the confidence or, if there is none, the
    place of the object in the data. ``first`` are the two to begin with, and
    covariances are those of the last ``n_ellipses`` objects, per pair of features
    ``"i,j"``, i ≤ j. The least certain objects come last, so that they lie on top.

    Up to 3000 objects are all there. Of more, all are counted in the grid but for a few
    that lie far out; these are there, and at most 1000 whose label is not sure. Of more
    than six features, the six that separate the clusters best.
    """
    labels, confidence = result.labels, result.confidence
    known = result.no_confidence is None
    data = result.shown
    means = data.mean()
    offered, first = _axes(data, means, labels)
    last = confidence if known else np.arange(1.0, len(labels) + 1)
    values = np.vstack([means[:, offered].T, last])
    rows, grid = np.arange(len(labels)), None
    if len(labels) > MOST_POINTS:
        ranges = [range_of(column) for column in values]
        grid = grid_of(values, labels, ranges)
        rows = np.union1d(beyond(values, ranges), _unsure(confidence))
    rows = rows[_drawing_order(labels, confidence)[rows].argsort()]
    n_ellipses = 0 if data.exact else min(len(rows), MOST_ELLIPSES)
    covariances = {}
    if n_ellipses:
        outlined = data[rows[-n_ellipses:]].select(offered.tolist()).covariance()
        covariances = {
            f"{i},{j}": numbers(significant(outlined[:, i, j]))
            for i in range(len(offered))
            for j in range(i, len(offered))
        }
    codes, sizes = np.unique(labels, return_counts=True)
    return {
        "axes": [
            *(text(data.feature_names[i]) for i in offered),
            "confidence" if known else "place in the data",
        ],
        "first": first,
        "values": [numbers(distinct(column[rows])) for column in values],
        "covariances": covariances,
        "position": rows.tolist(),
        "id": [name(one) for one in result.ids[rows].tolist()],
        "cluster": labels[rows].tolist(),
        "confidence": numbers(confidence[rows]),
        "n_objects": len(labels),
        "n_ellipses": n_ellipses,
        "sizes": {
            str(code): int(size) for code, size in zip(codes, sizes, strict=True)
        },
        "threshold": SURE,
        "grid": grid,
    }


def two_features(data: UncertainData, labels: Indices) -> Indices:
    """The two features, or the only one, in which clusters lie apart."""
    if data.n_features <= 2:
        return np.arange(data.n_features)
    return separating_features(data.mean(), data.variance(), labels)


def _axes(
    data: UncertainData, means: Array, labels: Indices
) -> tuple[Indices, list[int]]:
    """The features that can be drawn, rising, and the two axes to begin with."""
    pair = two_features(data, labels)
    best = np.argsort(-separation(means, labels), kind="stable")
    best = np.concatenate([pair, best[~np.isin(best, pair)]])
    offered = np.sort(best[:MOST_AXES])
    # A single feature is drawn against what comes after it.
    first = np.searchsorted(offered, pair).tolist() if len(pair) > 1 else [0, 1]
    return offered, first


def _unsure(confidence: Array) -> Indices:
    """The objects whose labels are not sure, or the least certain of them."""
    least = np.argsort(confidence, kind="stable")[:MOST_UNSURE]
    return least[confidence[least] < SURE]


def _drawing_order(labels: Indices, confidence: Array) -> Indices:
    """Rank of each object: the least certain last and, among equals, small clusters."""
    sizes = np.bincount(labels + 1)[labels + 1]
    order = np.lexsort((-sizes, -np.nan_to_num(confidence, nan=1.0)))
    rank = np.empty(len(order), dtype=np.intp)
    rank[order] = np.arange(len(order))
    return rank


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
