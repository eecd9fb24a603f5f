"""How sure the labels are: `membership`."""

from typing import Any

import numpy as np

from incerta.plot.style import (
    INK,
    areas_in_legend,
    as_labels,
    axes_for,
    fill_steps,
    legend_beside,
    mark_groups,
    tidy,
)
from incerta.typing import Array, ArrayLike, Indices

# More objects share a bar: a picture has no more columns.
MOST_BARS = 2000
# Up to as many objects there is room for gaps between the bars.
MOST_APART = 80


def membership(membership: ArrayLike, labels: ArrayLike, ax: Any = None) -> Any:
    """Draw a bar per object: how likely it is in each cluster.

    Objects are sorted by cluster, noise last, and then by confidence. The share of the
    object's own cluster is at the bottom of each bar, so the lowest part is the
    confidence. Grey is noise.

    Parameters
    ----------
    membership : array-like of shape (n_objects, n_clusters)
        Probability of each cluster; the rest, up to 1, is noise.
    labels : array-like of shape (n_objects,)
        Cluster of each object; -1 is noise.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    With more than 2000 objects, neighbours in this order share a bar, which is their
    mean.

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
            fill_steps(ax, edges, low, low + bars[:, column], cluster)
    if n <= MOST_APART:
        ax.vlines(np.arange(1, n), 0.0, 1.0, color="white", linewidth=1.0)
    for border in mark_groups(ax.xaxis, ids[order]):
        ax.axvline(border, color=INK, linewidth=1.0)
    # All that the legend has to explain: also clusters that are nobody's own.
    drawn = np.flatnonzero(bars.any(axis=0))
    legend_beside(ax, areas_in_legend(ids, np.where(drawn < n_clusters, drawn, -1)))
    ax.set(
        xlim=(0, n),
        ylim=(0, 1),
        xlabel="objects, by cluster, the most certain first",
        ylabel="membership",
    )
    tidy(ax)
    return ax


def sorted_bars(
    membership: Array, labels: Indices, most: int
) -> tuple[Indices, Array, Indices]:
    """Objects in the order they are drawn, and what is drawn in at most `most` bars.

    The order is by cluster, noise last, then by falling confidence. Each bar has the
    shares (n_clusters + 1, those of noise last) of one object, or the mean of some.
    `own` is the column that a bar stands on: the label of its first object.
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
    """Where each part of each bar begins if the object's own cluster is the lowest."""
    bottoms = np.cumsum(bars, axis=1) - bars
    rows = np.arange(len(bars))
    before = np.arange(bars.shape[1]) < own[:, None]
    bottoms += before * bars[rows, own][:, None]
    bottoms[rows, own] = 0.0
    return bottoms
