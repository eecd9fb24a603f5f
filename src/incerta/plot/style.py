"""The looks of clusters in all plots and in the report.

Clusters differ in color and, for gray prints, in marker or hatch. The palette has only
colors that readers with any color vision can distinguish on white paper. Further
clusters repeat the colors with another marker and hatch.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from incerta.backend.optional import require
from incerta.typing import Array, ArrayLike, Indices

# The palette of Okabe and Ito without black, and without yellow, too pale on white.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00")
NOISE = "#999999"
INK = "#333333"  # lines and marks outside the clusters
PALE = "#DDDDDD"  # bands and bars behind the data
# One more than the colors, so that the pairs repeat only after 42 clusters.
MARKERS = ("o", "s", "D", "^", "v", "P", "p")
HATCHES = ("", "///", "..", "\\\\\\", "xxx", "---", "oo")
NOISE_MARKER = "X"
# Largest number of clusters named in legends and ticks.
MOST_NAMED = 20


def axes_for(ax: Any, size: tuple[float, float] = (6.4, 4.8)) -> Any:
    """Return the given Axes, or those of a new figure outside pyplot."""
    return new_figure(size).subplots() if ax is None else ax


def new_figure(size: tuple[float, float]) -> Any:
    """Return a figure outside pyplot."""
    figure = require("matplotlib.figure", "plot", "a plot")
    return figure.Figure(figsize=size, layout="constrained")


def part_of_matplotlib(name: str) -> Any:
    """Import a module of matplotlib, only when a plot is drawn."""
    return require(f"matplotlib.{name}", "plot", "a plot")


def as_labels(labels: ArrayLike, n_objects: int) -> Indices:
    """Return labels as whole numbers; raise if there is not one per object."""
    given = np.asarray(labels)
    if given.shape != (n_objects,):
        msg = (
            f"labels has shape {given.shape}, but there are {n_objects} objects; give "
            "one label per object."
        )
        raise ValueError(msg)
    return np.maximum(given.astype(np.intp), -1)


def clusters_in(labels: Indices) -> Indices:
    """Return the clusters that occur, rising, with noise (-1) last."""
    clusters = np.unique(labels)
    return np.concatenate([clusters[clusters >= 0], clusters[clusters < 0]])


def color_of(cluster: int) -> str:
    """Return the color of a cluster as a hex string."""
    return NOISE if cluster < 0 else PALETTE[cluster % len(PALETTE)]


def marker_of(cluster: int) -> str:
    """Return the marker of a cluster."""
    return NOISE_MARKER if cluster < 0 else MARKERS[cluster % len(MARKERS)]


def name_of(cluster: int) -> str:
    """Return the name of a cluster in legends."""
    return "noise" if cluster < 0 else f"cluster {cluster}"


def rgba_of(labels: Indices, opacity: Array | float) -> Array:
    """Return the color and opacity of each object, shape (n_objects, 4)."""
    palette: Array = part_of_matplotlib("colors").to_rgba_array([*PALETTE, NOISE])
    rgba = palette[np.where(labels < 0, len(PALETTE), labels % len(PALETTE))]
    rgba[:, 3] = opacity
    return rgba


def fill_of(cluster: int) -> dict[str, Any]:
    """Return the keywords for an area of a cluster: color and a fine white hatch."""
    return {
        "facecolor": color_of(cluster),
        "hatch": "" if cluster < 0 else HATCHES[cluster % len(HATCHES)],
        "edgecolor": (1.0, 1.0, 1.0, 0.6),  # of the hatch; there is no outline
        "linewidth": 0.0,
    }


def tidy(ax: Any) -> None:
    """Remove the lines of the frame without a scale."""
    ax.spines[["top", "right"]].set_visible(False)


def legend_beside(ax: Any, handles: Sequence[Any], title: str | None = None) -> None:
    """Add a legend to the right of the Axes, where it covers nothing."""
    if handles:
        place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1), "borderaxespad": 0}
        titled = {"title": title, "title_fontsize": "small", "alignment": "left"}
        drawn = ax.legend(
            handles=handles, frameon=False, fontsize="small", **place, **titled
        )
        for text in drawn.get_texts():  # names with a dollar are not formulas
            text.set_parse_math(False)


def legend_above(ax: Any, ncols: int, marker_scale: float | None = None) -> None:
    """Add a legend above the Axes, in one row."""
    place = {"loc": "lower left", "bbox_to_anchor": (0.0, 1.0), "borderaxespad": 0.2}
    row = {"ncols": ncols, "markerscale": marker_scale}
    ax.legend(frameon=False, fontsize="small", **place, **row)


def markers_in_legend(labels: Indices, name: Callable[[int], str]) -> list[Any]:
    """Return legend entries with the marker and the number of objects per cluster."""
    line = partial(part_of_matplotlib("lines").Line2D, [], [], linestyle="")
    return _entries(
        labels, lambda c: line(marker=marker_of(c), color=color_of(c)), name=name
    )


def areas_in_legend(labels: Indices, also: Indices | None = None) -> list[Any]:
    """Return the same with hatches; clusters in `also` are named even if empty."""
    patch = part_of_matplotlib("patches").Patch
    return _entries(labels, lambda cluster: patch(**fill_of(cluster)), also)


def _entries(
    labels: Indices,
    make: Callable[[int], Any],
    also: Indices | None = None,
    name: Callable[[int], str] = name_of,
) -> list[Any]:
    clusters = clusters_in(labels if also is None else np.concatenate([labels, also]))
    sizes = np.bincount(labels + 1, minlength=clusters.max(initial=-1) + 2)
    entries = []
    for cluster in clusters[:MOST_NAMED].tolist():
        entries.append(make(cluster))
        entries[-1].set_label(f"{name(cluster)} ({sizes[cluster + 1]})")
    if len(clusters) > MOST_NAMED:
        more = f"and {len(clusters) - MOST_NAMED} more"
        line = part_of_matplotlib("lines").Line2D
        entries.append(line([], [], linestyle="", label=more))
    return entries


def mark_groups(axis: Any, labels: Indices) -> list[int]:
    """Name runs of objects sorted by cluster on an axis; return their borders."""
    starts = np.flatnonzero(np.diff(labels, prepend=labels[0] - 1))
    ends = np.append(starts[1:], len(labels))
    # Names of narrow runs would overlap.
    wide = (ends - starts) * 25 >= len(labels)
    names = np.where(labels[starts] < 0, "noise", labels[starts].astype(str))
    axis.set_ticks(((starts + ends) / 2)[wide], names[wide])
    axis.set_tick_params(length=0)
    return [int(start) for start in starts[1:]]
