"""Objects at their means, with their uncertainty: `scatter`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from incerta.data.container import UncertainData
from incerta.mixture.deconvolver import located
from incerta.plot.frame import limits, one_hot, separating_features
from incerta.plot.style import (
    INK,
    MOST_NAMED,
    as_labels,
    axes_for,
    clusters_in,
    legend_beside,
    marker_of,
    markers_in_legend,
    name_of,
    part_of_matplotlib,
    rgba_of,
    tidy,
)
from incerta.typing import Array, ArrayLike, Indices
from incerta.wording import counted, verb

# With more objects, only the means are drawn: ellipses would hide each other.
MOST_ELLIPSES = 5000
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
# Axis, side and marker of matplotlib for the arrows at the four borders.
ARROWS = ((0, -1, 4), (0, 1, 5), (1, -1, 7), (1, 1, 6))
MARGIN = 0.05  # share of an axis left free on either side


def scatter(
    data: UncertainData,
    labels: ArrayLike,
    confidence: ArrayLike | None = None,
    features: Sequence[str] | Sequence[int] | None = None,
    ax: Any = None,
    *,
    names: Sequence[str] | None = None,
    ringed: ArrayLike = (),
    membership: ArrayLike | None = None,
) -> Any:
    """Draw the objects: means as points, uncertainty as ellipses.

    Color and marker show the cluster, opacity shows the confidence. An ellipse is one
    standard deviation of the object's own covariance. One feature is drawn as a strip
    per cluster, with error bars of one standard deviation.

    Parameters
    ----------
    data : UncertainData
        The objects.
    labels : array-like of shape (n_objects,)
        Cluster of each object; -1 is noise.
    confidence : array-like of shape (n_objects,), optional
        From 0, the palest, to 1. By default all objects are equally opaque.
    features : sequence of one or two features, optional
        Names or positions. With more than two features, the default is the pair in
        which the clusters lie furthest apart relative to their width and to the errors.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.
    names : sequence of str, optional
        Names of the clusters 0, 1, ... and, at the end, of noise.
    ringed : array-like of int, optional
        Positions of objects to draw a ring around.
    membership : array-like of shape (n_objects, n_clusters), optional
        Probability of each cluster: the weight of an object in the choice of the
        features. By default every object belongs entirely to its cluster.

    Notes
    -----
    With more than 5000 objects, only the means are drawn. A few objects that lie far
    out do not stretch the axes: arrows at the border point to them, and the title
    counts them. Objects measured in projection are drawn at their means as estimated
    by `Deconvolver`. For a picture along principal components, map the data first:
    ``data.affine(pca.components_)``.

    Examples
    --------
    >>> import incerta as ic
    >>> from incerta.plot import scatter
    >>> data, labels = ic.datasets.make_uncertain_blobs(60, 4, 3, random_state=0)
    >>> ax = scatter(data, labels, features=["x0", "x2"])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'x2')
    >>> ax.figure.savefig("objects.png")  # doctest: +SKIP
    """
    ids, data = as_labels(labels, len(data)), located(data)
    opacity = np.full(len(data), 0.9)
    if confidence is not None:
        sure = np.nan_to_num(np.asarray(confidence, dtype=np.float64))
        opacity = 0.15 + 0.85 * np.clip(sure, 0.0, 1.0)
    ax = axes_for(ax)
    title = []
    if features is None and data.n_features > 2:
        shares = one_hot(ids) if membership is None else np.asarray(membership)
        best = separating_features(data.mean(), data.variance(), shares)
        features = best[:2].tolist()
        title = [f"the first 2 of {data.n_features} features"]
        if len(np.unique(ids[ids >= 0])) > 1:
            quality = "that separate the clusters best"
            title = [f"the 2 of {data.n_features} features {quality}"]
    shown = data if features is None else data.select(features)
    if shown.n_features > 2:
        msg = f"features={features!r} must name one or two features."
        raise ValueError(msg)
    called = name_of if names is None else names.__getitem__
    rings = np.asarray(ringed, dtype=np.intp)
    looks = ["paler: less sure"] * (confidence is not None)
    looks += ["ringed: look first"] * (len(rings) > 0)
    if shown.n_features == 1:
        title = looks
        places, ends = _strip(ax, shown, ids, opacity, called)
    else:
        places, ends = _plane(ax, shown, ids, opacity)
        legend_beside(ax, markers_in_legend(ids, called), "\n".join(looks) or None)
    places, n_far = _into_frame(ax, places, ends, ids)
    if n_far:
        lie = verb(n_far, "lies", "lie")
        title = [*title, f"{counted(n_far, 'object')} {lie} outside: see the arrows"]
    if len(rings):
        ring = {"facecolors": "none", "edgecolors": INK, "linewidths": 1.2}
        ax.scatter(*places[rings].T, s=70, zorder=3, **ring)
    if title:
        ax.set_title("\n".join(title), loc="left", fontsize="small")
    tidy(ax)
    return ax


def _into_frame(
    ax: Any, places: Array, ends: Array, labels: Indices
) -> tuple[Array, int]:
    """Set the limits of both axes, and draw an arrow for each object beyond them.

    Return the places within the limits, and the number of objects beyond.
    """
    low, high = ends
    room = np.where(high > low, high - low, np.abs(low) + (low == 0)) * MARGIN
    low, high = low - room, high + room
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]))
    inside = np.clip(places, low, high)
    side = np.nan_to_num(np.sign(places - inside))
    for axis, direction, marker in ARROWS:
        far = side[:, axis] == direction
        if far.any():
            color = rgba_of(labels[far], 1.0)
            arrow = {"marker": marker, "s": 50, "clip_on": False, "zorder": 3}
            ax.scatter(*inside[far].T, c=color, **arrow)
    return inside, int(side.any(axis=1).sum())


def _plane(
    ax: Any, data: UncertainData, labels: Indices, opacity: Array
) -> tuple[Array, Array]:
    """Draw objects by two features; return their places and the ends of the axes."""
    mean = data.mean()
    bars: Array | float = 0.0
    if len(data) <= MOST_ELLIPSES and not data.exact:
        covariance = data.covariance()
        _ellipses(ax, mean, covariance, labels, opacity)
        bars = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    _points(ax, mean, labels, opacity)
    ax.set(xlabel=data.feature_names[0], ylabel=data.feature_names[1])
    return mean, limits(mean, bars)


def _ellipses(
    ax: Any, mean: Array, covariance: Array, labels: Indices, opacity: Array
) -> None:
    # Objects that were not measured at all have no ellipse.
    some = np.isfinite(mean).all(axis=1) & np.isfinite(covariance).all(axis=(1, 2))
    mean, covariance = mean[some], covariance[some]
    labels, opacity = labels[some], opacity[some]
    lengths, widths, angles = ellipse_axes(covariance)
    # Large ellipses lie behind small ones; those without extent are left out.
    order = np.argsort(-lengths * widths, kind="stable")
    order = order[lengths[order] > 0]
    # Ellipses are fainter the more they overlap; points are not.
    room = float(np.prod(np.ptp(mean, axis=0))) or np.inf
    layers = max(1.0, float(np.pi / 4.0 * lengths @ widths) / room)
    inside = np.clip(0.3 / layers**1.3, 0.002, 0.25)
    outline = np.clip(1.5 / layers, 0.15, 0.5)
    sizes = lengths[order], widths[order], angles[order]
    place = {"units": "xy", "offsets": mean[order], "offset_transform": ax.transData}
    ellipses = part_of_matplotlib("collections").EllipseCollection(
        *sizes,
        **place,
        facecolors=rgba_of(labels, inside * opacity)[order],
        edgecolors=rgba_of(labels, outline * opacity)[order],
        linewidths=0.6,
    )
    ax.add_collection(ellipses, autolim=False)


def _points(ax: Any, places: Array, labels: Indices, opacity: Array) -> None:
    n = len(places)
    size = np.clip(300.0 / np.sqrt(n), 1.0, 36.0)
    inside = rgba_of(labels, opacity)
    # Outlines are dark, to stand out on ellipses; uncertain objects look hollow.
    outline = rgba_of(labels, 0.4 + 0.6 * opacity) * [0.6, 0.6, 0.6, 1.0]
    # Noise comes first, behind the clusters.
    for cluster in clusters_in(labels)[::-1].tolist():
        mine = labels == cluster
        ax.scatter(
            *places[mine].T,
            s=size,
            c=inside[mine],
            marker=marker_of(cluster),
            edgecolors=outline[mine] if n <= MOST_ELLIPSES else "none",
            linewidths=0.6,
            rasterized=n > MOST_ELLIPSES,
            zorder=2,
        )


def _strip(
    ax: Any,
    data: UncertainData,
    labels: Indices,
    opacity: Array,
    name: Callable[[int], str],
) -> tuple[Array, Array]:
    """Draw objects by one feature, a strip per cluster; return places and limits."""
    mean = data.mean()[:, 0]
    clusters = clusters_in(labels)
    row = np.empty(len(labels))
    for place, cluster in enumerate(clusters):
        row[labels == cluster] = -place
    # Golden-ratio heights separate neighbors in value, whatever their number.
    rank = np.empty(len(mean))
    rank[np.argsort(mean, kind="stable")] = np.arange(len(mean))
    height = row + 0.7 * ((rank * GOLDEN) % 1.0 - 0.5)
    sd = np.zeros(len(mean))
    if len(data) <= MOST_ELLIPSES and not data.exact:
        sd = np.sqrt(data.variance()[:, 0])
        ends = np.stack([mean - sd, height, mean + sd, height], axis=1)
        bars = part_of_matplotlib("collections").LineCollection
        colors = rgba_of(labels, 0.5 * opacity)
        ax.add_collection(bars(ends.reshape(-1, 2, 2), colors=colors, linewidths=1))
    places = np.stack([mean, height], axis=1)
    _points(ax, places, labels, opacity)
    named = clusters[:MOST_NAMED].tolist()
    ax.set_yticks(
        -np.arange(len(named)), [name(cluster) for cluster in named], parse_math=False
    )
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel=data.feature_names[0], ylabel="objects, by cluster")
    height_of_all = [0.5 - len(clusters), 0.5]
    return places, np.column_stack([limits(mean[:, None], sd[:, None]), height_of_all])


def ellipse_axes(covariance: Array) -> tuple[Array, Array, Array]:
    """Return the full axes of covariance ellipses, and the angles of the longer ones.

    Axes are two standard deviations long; angles are degrees from the first feature.
    """
    a, b, c = covariance[:, 0, 0], covariance[:, 0, 1], covariance[:, 1, 1]
    largest = (a + c) / 2.0 + np.hypot((a - c) / 2.0, b)
    # The determinant keeps the digits of the smaller one of two features whose units
    # differ by many powers of ten; a difference would lose them.
    smallest = np.clip(a * c - b**2, 0.0, None) / np.where(largest > 0, largest, 1.0)
    angles = np.degrees(np.arctan2(2.0 * b, a - c) / 2.0)
    return 2.0 * np.sqrt(largest), 2.0 * np.sqrt(smallest), angles
