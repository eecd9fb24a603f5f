"""Plots of adjacent bars: `membership` and `reachability`."""

from typing import Any

import numpy as np

from incerta.plot.style import (
    INK,
    areas_in_legend,
    as_labels,
    axes_for,
    clusters_in,
    fill_of,
    legend_beside,
    mark_groups,
    tidy,
)
from incerta.typing import Array, ArrayLike, Indices

# With more objects than this, neighbors share a bar.
MOST_BARS = 2000
# Up to this number of objects there is room for gaps between bars.
MOST_APART = 80


def membership(membership: ArrayLike, labels: ArrayLike, ax: Any = None) -> Any:
    """Draw the probabilities of the clusters, with a bar per object.

    Objects are sorted by cluster, noise last, and then by confidence. The lowest part
    of each bar is the cluster of the object, so its height is the confidence. Gray is
    noise.

    Parameters
    ----------
    membership : array-like of shape (n_objects, n_clusters)
        Probability of each cluster. The remainder to 1 is that of noise.
    labels : array-like of shape (n_objects,)
        Cluster of each object; -1 is noise.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Notes
    -----
    With more than 2000 objects, neighbors in this order share a bar of their mean.

    Examples
    --------
    >>> from incerta.plot import membership
    >>> ax = membership([[0.9, 0.1], [0.3, 0.7], [0.2, 0.1]], [0, 1, -1])
    >>> ax.get_ylabel()
    'membership'
    """
    shares = np.nan_to_num(np.asarray(membership, dtype=np.float64))
    ids = as_labels(labels, len(shares))
    ax = axes_for(ax, (8.0, 3.6))
    order, bars, own = sorted_bars(shares, ids, MOST_BARS)
    bottoms = stacked_on_own(bars, own)
    n, n_clusters = shares.shape
    edges = np.linspace(0.0, n, len(bars) + 1)
    for column, cluster in enumerate([*range(n_clusters), -1]):
        if bars[:, column].any():
            low = bottoms[:, column]
            _fill_steps(ax, edges, low, low + bars[:, column], cluster)
    if n <= MOST_APART:
        ax.vlines(np.arange(1, n), 0.0, 1.0, color="white", linewidth=1.0)
    for border in mark_groups(ax.xaxis, ids[order]):
        ax.axvline(border, color=INK, linewidth=1.0)
    # The legend also explains clusters that are not the label of any object.
    drawn = np.flatnonzero(bars.any(axis=0))
    legend_beside(ax, areas_in_legend(ids, np.where(drawn < n_clusters, drawn, -1)))
    ax.set(xlim=(0, n), ylim=(0, 1), ylabel="membership")
    ax.set_xlabel("objects, by cluster, the most certain first")
    tidy(ax)
    return ax


def sorted_bars(
    membership: Array, labels: Indices, most: int
) -> tuple[Indices, Array, Indices]:
    """Return the order of objects, at most `most` bars, and the lowest part of each.

    The order is by cluster, noise last, then by falling confidence. A bar has the mean
    shares (n_clusters + 1, noise last) of its objects; the label of the first object is
    the lowest part.
    """
    n, n_clusters = membership.shape
    noise = np.clip(1.0 - membership.sum(axis=1, keepdims=True), 0.0, 1.0)
    shares = np.hstack([membership, noise])
    columns = np.where(labels < 0, n_clusters, labels)
    order = np.lexsort((-shares[np.arange(n), columns], columns))
    n_bars = min(n, most)
    starts = -(-np.arange(n_bars) * n // n_bars)
    sizes = np.diff(starts, append=n)
    bars = np.add.reduceat(shares[order], starts) / sizes[:, None]
    return order, bars, columns[order][starts]


def stacked_on_own(bars: Array, own: Indices) -> Array:
    """Return the bottom of each part of each bar, with part `own` the lowest."""
    bottoms = np.cumsum(bars, axis=1) - bars
    rows = np.arange(len(bars))
    before = np.arange(bars.shape[1]) < own[:, None]
    bottoms += before * bars[rows, own][:, None]
    bottoms[rows, own] = 0.0
    return bottoms


def reachability(
    reachability: ArrayLike,
    ordering: ArrayLike,
    labels: ArrayLike,
    cut: float | None = None,
    ax: Any = None,
) -> Any:
    """Draw the reachability of the objects in the order of visits.

    Valleys are clusters, and deeper ones are denser. Objects that no other object
    reaches have bars up to the upper edge. Gray is noise.

    Parameters
    ----------
    reachability : array-like of shape (n_objects,)
        Reachability of each object, such as ``reachability_``; inf or NaN if no other
        object reaches it.
    ordering : array-like of shape (n_objects,)
        Objects in the order of visits, such as ``ordering_``.
    labels : array-like of shape (n_objects,)
        Cluster of each object; -1 is noise.
    cut : float, optional
        Radius of the cut into clusters, such as ``eps_``.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Notes
    -----
    With more than 2000 objects, neighbors in this order share a bar of the highest
    value, so that no border between two valleys is lost.

    Examples
    --------
    >>> import incerta as ic
    >>> from incerta.plot import reachability
    >>> data, _ = ic.datasets.make_uncertain_moons(60, random_state=0)
    >>> found = ic.FOPTICS(5, n_clusters=2, random_state=0).fit(data)
    >>> ax = reachability(
    ...     found.reachability_, found.ordering_, found.labels_, found.eps_
    ... )
    >>> ax.get_ylabel()
    'expected reachability'
    """
    order = np.asarray(ordering, dtype=np.intp)
    heights = np.asarray(reachability, dtype=np.float64)[order]
    ids = as_labels(labels, len(order))[order]
    ax = axes_for(ax, (8.0, 3.6))
    bars, owners = highest_bars(heights, ids, MOST_BARS)
    finite = bars[np.isfinite(bars)]
    levels = [*finite, *([] if cut is None else [cut])]
    top = 1.1 * max(levels, default=0.0) or 1.0
    edges = np.linspace(0.0, len(order), len(bars) + 1)
    drawn = np.minimum(bars, top)
    floor = np.zeros_like(drawn)
    for cluster in clusters_in(owners).tolist():
        _fill_steps(ax, edges, floor, np.where(owners == cluster, drawn, 0.0), cluster)
    handles = areas_in_legend(ids)
    if cut is not None:
        dashed = {"color": INK, "linestyle": "--", "linewidth": 1.0}
        handles.append(ax.axhline(cut, label=f"cut at {cut:.3g}", **dashed))
    legend_beside(ax, handles)
    ax.set(xlim=(0, len(order)), ylim=(0, top), ylabel="expected reachability")
    ax.set_xlabel("objects, in the order they are reached")
    tidy(ax)
    return ax


def highest_bars(heights: Array, labels: Indices, most: int) -> tuple[Array, Indices]:
    """Return at most `most` bars: the highest of some neighbors, with its label.

    Objects without reachability (inf or NaN) are the highest.
    """
    heights = np.where(np.isnan(heights), np.inf, heights)
    n = len(heights)
    n_bars = min(n, most)
    block = np.arange(n) * n_bars // n
    last = np.append(np.flatnonzero(np.diff(block)), n - 1)
    highest = np.lexsort((heights, block))[last]
    return heights[highest], labels[highest]


def _fill_steps(ax: Any, edges: Array, low: Array, high: Array, cluster: int) -> None:
    """Fill adjacent bars as one area: bar i is from ``low[i]`` to ``high[i]``."""
    ax.fill_between(
        edges,
        np.append(low, low[-1]),
        np.append(high, high[-1]),
        step="post",
        **fill_of(cluster),
    )
