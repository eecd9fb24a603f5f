"""Objects where they lie: `scatter`, and the features to look at."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy import sparse

from incerta.data.container import UncertainData
from incerta.mixture.deconvolver import located
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

# Of more objects only the means are drawn: ellipses would hide each other.
MOST_ELLIPSES = 5000
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0
# Correlations within clusters are shrunk by this, so that a copy of a feature adds
# nothing to it.
SHRINKAGE = 0.99


def scatter(
    data: UncertainData,
    labels: ArrayLike,
    confidence: ArrayLike | None = None,
    features: Sequence[str] | Sequence[int] | None = None,
    ax: Any = None,
    *,
    names: Sequence[str] | None = None,
    ringed: ArrayLike = (),
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
        Between 0, palest, and 1. All are opaque by default.
    features : sequence of one or two features, optional
        Names or positions. By default, if there are more than two, the pair in which
        the clusters lie furthest apart relative to their width and to the error bars.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.
    names : sequence of str, optional
        What clusters 0, 1, ... are called, and at the end what noise is.
    ringed : array-like of int, optional
        Positions of objects to draw a ring around.

    Notes
    -----
    Above 5000 objects only the means are drawn. Objects that were measured in
    projection are where `Deconvolver` believes them to be. For a picture along
    principal components, map the data first: ``data.affine(pca.components_)``.

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
    title = None
    if features is None and data.n_features > 2:
        features = separating_features(data.mean(), data.variance(), ids).tolist()
        title = f"the first 2 of {data.n_features} features"
        if len(np.unique(ids[ids >= 0])) > 1:
            best = "that separate the clusters best"
            title = f"the 2 of {data.n_features} features {best}"
    shown = data if features is None else data.select(features)
    if shown.n_features > 2:
        msg = f"features={features!r} must name one or two features."
        raise ValueError(msg)
    called = name_of if names is None else names.__getitem__
    rings = np.asarray(ringed, dtype=np.intp)
    looks = ["paler: less sure"] * (confidence is not None)
    looks += ["ringed: look first"] * (len(rings) > 0)
    paler = "\n".join(looks) or None
    if shown.n_features == 1:
        places = _strip(ax, shown, ids, opacity, called)
        title = paler
    else:
        places = _plane(ax, shown, ids, opacity)
        legend_beside(ax, markers_in_legend(ids, called), paler)
    if len(rings):
        places = places[rings]
        ring = {"facecolors": "none", "edgecolors": INK, "linewidths": 1.2}
        ax.scatter(*places.T, s=70, zorder=3, **ring)
    if title is not None:
        ax.set_title(title, loc="left", fontsize="small")
    tidy(ax)
    return ax


def _plane(ax: Any, data: UncertainData, labels: Indices, opacity: Array) -> Array:
    """Draw objects by two features; return their places."""
    mean = data.mean()
    if len(data) <= MOST_ELLIPSES and not data.exact:
        covariance = data.covariance()
        _ellipses(ax, mean, covariance, labels, opacity)
        # Ellipses are in the frame, but a huge one shall not make all others small.
        sd = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        sd = np.minimum(sd, 1.5 * np.median(sd, axis=0))
        ax.update_datalim([(mean - sd).min(axis=0), (mean + sd).max(axis=0)])
    _points(ax, mean, labels, opacity)
    ax.autoscale_view()
    ax.set(xlabel=data.feature_names[0], ylabel=data.feature_names[1])
    return mean


def _ellipses(
    ax: Any, mean: Array, covariance: Array, labels: Indices, opacity: Array
) -> None:
    # What was not measured at all has no ellipse.
    some = np.isfinite(mean).all(axis=1) & np.isfinite(covariance).all(axis=(1, 2))
    mean, covariance = mean[some], covariance[some]
    labels, opacity = labels[some], opacity[some]
    lengths, widths, angles = ellipse_axes(covariance)
    # Large ones behind small ones; those without any extent are points already.
    order = np.argsort(-lengths * widths, kind="stable")
    order = order[lengths[order] > 0]
    # The more of them lie upon each other, the fainter; points stay as they are.
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
    # Dark, to be seen on the ellipses; objects that are not sure look hollow.
    outline = rgba_of(labels, 0.4 + 0.6 * opacity) * [0.6, 0.6, 0.6, 1.0]
    # Noise first: it lies behind the clusters.
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
) -> Array:
    """Draw objects by one feature, a strip per cluster; return their places."""
    mean = data.mean()[:, 0]
    clusters = clusters_in(labels)
    row = np.empty(len(labels))
    for place, cluster in enumerate(clusters):
        row[labels == cluster] = -place
    # Neighbors in value get places far apart, whatever their number.
    rank = np.empty(len(mean))
    rank[np.argsort(mean, kind="stable")] = np.arange(len(mean))
    height = row + 0.7 * ((rank * GOLDEN) % 1.0 - 0.5)
    if len(data) <= MOST_ELLIPSES and not data.exact:
        sd = np.sqrt(data.variance()[:, 0])
        ends = np.stack([mean - sd, height, mean + sd, height], axis=1)
        bars = part_of_matplotlib("collections").LineCollection
        colors = rgba_of(labels, 0.5 * opacity)
        ax.add_collection(bars(ends.reshape(-1, 2, 2), colors=colors, linewidths=1))
    places = np.stack([mean, height], axis=1)
    _points(ax, places, labels, opacity)
    ax.autoscale_view()
    named = clusters[:MOST_NAMED].tolist()
    ax.set_yticks(
        -np.arange(len(named)), [name(cluster) for cluster in named], parse_math=False
    )
    ax.tick_params(axis="y", length=0)
    ax.set(xlabel=data.feature_names[0], ylabel="objects, by cluster")
    return places


def ellipse_axes(covariance: Array) -> tuple[Array, Array, Array]:
    """Full axes, and degrees from the first feature to the longer one, of covariances.

    Ellipses are of one standard deviation: axes are twice the roots of eigenvalues.
    """
    a, b, c = covariance[:, 0, 0], covariance[:, 0, 1], covariance[:, 1, 1]
    largest = (a + c) / 2.0 + np.hypot((a - c) / 2.0, b)
    # By the determinant: a difference would lose the smaller one of two features
    # whose units differ by many powers of ten.
    smallest = np.clip(a * c - b**2, 0.0, None) / np.where(largest > 0, largest, 1.0)
    angles = np.degrees(np.arctan2(2.0 * b, a - c) / 2.0)
    return 2.0 * np.sqrt(largest), 2.0 * np.sqrt(smallest), angles


def separating_features(means: Array, variances: Array, labels: Indices) -> Indices:
    """The two features, the better first, in which clusters lie furthest apart.

    The criterion is the trace of W⁻¹B for each pair, where B is the covariance of the
    means between clusters, and W that within clusters with the objects' own variances
    added. Noise is left out. With fewer than two clusters they are 0 and 1.
    """
    kept = labels >= 0
    clusters, codes = np.unique(labels[kept], return_inverse=True)
    if len(clusters) < 2:
        return np.arange(2)
    n = len(codes)
    centered = means[kept] - means[kept].mean(axis=0)
    spread = np.sqrt(np.square(centered).mean(axis=0) + variances[kept].mean(axis=0))
    centered /= np.where(spread > 0, spread, 1.0)
    members = sparse.csr_array((np.ones(n), (codes, np.arange(n))))
    sums = members @ centered
    between = (sums / np.bincount(codes)[:, None]).T @ sums / n
    within = centered.T @ centered / n - between
    # A spread of 1 is the total; the floor is for clusters without any width.
    width = np.sqrt(np.clip(1.0 - np.diag(between), 1e-9, None))
    between /= width * width[:, None]
    correlation = SHRINKAGE * within / (width * width[:, None])
    alone = np.diag(between)
    score = alone + alone[:, None] - 2.0 * correlation * between
    score /= 1.0 - correlation**2
    score[np.tril_indices(len(score))] = -np.inf
    pair = np.array(np.unravel_index(score.argmax(), score.shape))
    return pair[np.argsort(-alone[pair], kind="stable")]
