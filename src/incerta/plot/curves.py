"""Plots of curves: `objective`, `choice` and `reliability`."""

from typing import Any

import numpy as np

from incerta.plot.style import (
    INK,
    PALE,
    PALETTE,
    axes_for,
    legend_above,
    part_of_matplotlib,
    tidy,
)
from incerta.typing import Array, ArrayLike, Indices

# Half width of the band around the diagonal in which a confidence counts as accurate.
BAND = 0.05


def objective(history: ArrayLike, ax: Any = None) -> Any:
    """Draw the objective after each round of an iterative method.

    Parameters
    ----------
    history : array-like of shape (n_rounds,)
        Values such as ``objective_`` of an estimator.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Examples
    --------
    >>> from incerta.plot import objective
    >>> objective([9.0, 4.0, 3.5]).get_xlabel()
    'round'
    """
    values = np.asarray(history, dtype=np.float64).reshape(-1)
    ax = axes_for(ax, (6.0, 3.6))
    rounds = np.arange(1, len(values) + 1)
    # Single rounds are marked as long as there is room.
    marker = "o" if len(values) <= 50 else None
    ax.plot(rounds, values, marker=marker, markersize=4, color=PALETTE[0])
    ax.set(xlabel="round", ylabel="objective", xlim=(0.5, max(len(values), 1) + 0.5))
    locator = part_of_matplotlib("ticker").MaxNLocator
    ax.xaxis.set_major_locator(locator(integer=True, min_n_ticks=1))
    ax.ticklabel_format(axis="y", useOffset=False)
    tidy(ax)
    return ax


def choice(
    ks: ArrayLike, scores: ArrayLike, band: ArrayLike, k: int, ax: Any = None
) -> Any:
    """Draw the gain of each number of clusters, and the chosen number.

    Parameters
    ----------
    ks : array-like of shape (n_ks,)
        Numbers of clusters, rising.
    scores : array-like of shape (n_ks,)
        Gain over the smallest number; NaN where unknown.
    band : array-like of shape (2, n_ks)
        Range of 90% of the references with one cluster; NaN where unknown.
    k : int
        The chosen number.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Examples
    --------
    >>> from incerta.plot import choice
    >>> ax = choice([1, 2, 3], [0.0, 0.9, 0.8], [[0, 0.1, 0.1], [0, 0.2, 0.3]], k=2)
    >>> ax.get_xlabel()
    'number of clusters'
    """
    numbers = np.asarray(ks)
    low, high = np.asarray(band, dtype=np.float64)
    ax = axes_for(ax, (6.0, 3.8))
    if not np.isnan(low).all():
        label = "references with one cluster, 90%"
        ax.fill_between(numbers, low, high, color=PALE, label=label)
    ax.plot(numbers, scores, "o-", color=PALETTE[0], label="data")
    ax.axvline(k, color=INK, linestyle=":", label=f"chosen: {k}")
    ax.set(xlabel="number of clusters", ylabel="gain over the smallest number")
    if len(numbers) <= 20:
        ax.set_xticks(numbers)
    legend_above(ax, 3)
    tidy(ax)
    return ax


def reliability(
    confidence: ArrayLike, correct: ArrayLike, n_bins: int = 10, ax: Any = None
) -> Any:
    """Draw the accuracy of labels by their confidence.

    Objects are binned by confidence. A point shows the mean confidence of a bin and its
    share of correct labels. Gray bars, with their scale on the right, show the number
    of objects in the bin. The band is 0.05 around the diagonal.

    Parameters
    ----------
    confidence : array-like of shape (n_objects,)
        Between 0 and 1. Objects with NaN are left out.
    correct : array-like of shape (n_objects,)
        Whether the label is correct.
    n_bins : int, default=10
        Number of equal bins between 0 and 1.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Examples
    --------
    >>> from incerta.plot import reliability
    >>> ax = reliability([0.55, 0.95, 0.97], [False, True, True])
    >>> ax.get_xlabel()
    'confidence'
    """
    sure = np.asarray(confidence, dtype=np.float64)
    given = ~np.isnan(sure)
    sure, right = sure[given], np.asarray(correct, dtype=np.float64)[given]
    ax = axes_for(ax, (5.6, 4.6))
    counts, mean_sure, share_right = in_bins(sure, right, n_bins)
    used = np.flatnonzero(counts)
    edges = np.linspace(0.0, 1.0, n_bins + 1)
    start = edges[used[0]] if len(used) else 0.0

    bars = ax.twinx()
    bars.bar(edges[:-1], counts, width=0.9 / n_bins, align="edge", color=PALE, zorder=0)
    # Bars stay in the lower part, which the curve rarely reaches.
    most = max(int(counts.max()), 1)
    locator = part_of_matplotlib("ticker").MaxNLocator(4, integer=True)
    ticks = locator.tick_values(0, most)
    bars.set(ylim=(0, 3.0 * most), yticks=ticks[ticks <= most])
    bars.set_ylabel("objects", loc="bottom")
    bars.spines[["top", "right"]].set_visible(False)
    ax.set_zorder(bars.get_zorder() + 1)
    ax.patch.set_visible(False)

    ends = np.array([0.0, 1.0])
    gray = {"color": INK, "alpha": 0.15}
    ax.fill_between(ends, ends - BAND, ends + BAND, label=f"within {BAND}", **gray)
    ax.plot(ends, ends, color=INK, linewidth=0.8, label="ideal")
    ax.plot(mean_sure[used], share_right[used], "o-", color=PALETTE[0], label="found")
    ax.set(xlim=(start, 1.0), ylim=(0.0, 1.02))
    ax.set(xlabel="confidence", ylabel="share that is right")
    legend_above(ax, 3)
    tidy(ax)
    return ax


def in_bins(
    confidence: Array, correct: Array, n_bins: int
) -> tuple[Indices, Array, Array]:
    """Return the number of objects, mean confidence and accuracy of each bin.

    A bin includes its lower edge, and the last one also 1. Empty bins are NaN.
    """
    # Rounding must not move shares of worlds such as 0.7 below the edge of their bin.
    place = np.floor(confidence * n_bins + 1e-9).astype(np.intp)
    place = np.clip(place, 0, n_bins - 1)
    counts = np.bincount(place, minlength=n_bins)
    divisor = np.where(counts > 0, counts, np.nan)
    mean = np.bincount(place, confidence, n_bins) / divisor
    return counts, mean, np.bincount(place, correct, n_bins) / divisor
