"""Objects in the order they are reached: `reachability`."""

from typing import Any

import numpy as np

from incerta.plot.style import (
    INK,
    areas_in_legend,
    as_labels,
    axes_for,
    clusters_in,
    fill_steps,
    legend_beside,
    tidy,
)
from incerta.typing import Array, ArrayLike, Indices

# More objects share a bar: a picture has no more columns.
MOST_BARS = 2000


def reachability(
    reachability: ArrayLike,
    ordering: ArrayLike,
    labels: ArrayLike,
    cut: float | None = None,
    ax: Any = None,
) -> Any:
    """Draw the reachability of the objects in the order they were visited.

    Valleys are clusters, the deeper the denser. Objects that no other reaches are drawn
    as bars up to the upper edge. Grey is noise.

    Parameters
    ----------
    reachability : array-like of shape (n_objects,)
        Reachability of each object, such as ``reachability_``; inf or NaN if no other
        reaches it.
    ordering : array-like of shape (n_objects,)
        Objects in the order they were visited, such as ``ordering_``.
    labels : array-like of shape (n_objects,)
        Cluster of each object; -1 is noise.
    cut : float, optional
        Radius at which the clusters were cut, such as ``eps_``.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    With more than 2000 objects, neighbours in this order share a bar: the highest of
    them, so that no border between two valleys is lost.

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
        fill_steps(ax, edges, floor, np.where(owners == cluster, drawn, 0.0), cluster)
    handles = areas_in_legend(ids)
    if cut is not None:
        line = ax.axhline(
            cut, color=INK, linestyle="--", linewidth=1.0, label=f"cut at {cut:.3g}"
        )
        handles.append(line)
    legend_beside(ax, handles)
    ax.set(
        xlim=(0, len(order)),
        ylim=(0, top),
        xlabel="objects, in the order they are reached",
        ylabel="expected reachability",
    )
    tidy(ax)
    return ax


def highest_bars(heights: Array, labels: Indices, most: int) -> tuple[Array, Indices]:
    """A limited number of bars: the highest of some neighbours, with its label.

    What no other reaches (inf or NaN) is the highest of all.
    """
    heights = np.where(np.isnan(heights), np.inf, heights)
    n = len(heights)
    n_bars = min(n, most)
    block = np.arange(n) * n_bars // n
    last = np.append(np.flatnonzero(np.diff(block)), n - 1)
    highest = np.lexsort((heights, block))[last]
    return heights[highest], labels[highest]
