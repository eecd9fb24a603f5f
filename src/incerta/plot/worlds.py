"""Plots of worlds: a map, `divergences`, and pairs of objects, `coassociation`."""

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh

from incerta.backend.memory import blocks
from incerta.ensemble.consensus import consensus
from incerta.ensemble.linkage import Patterns, patterns, together
from incerta.plot.style import (
    INK,
    NOISE,
    PALETTE,
    as_labels,
    axes_for,
    legend_above,
    mark_groups,
    part_of_matplotlib,
    tidy,
)
from incerta.typing import Array, ArrayLike, Indices
from incerta.wording import percent


def divergences(
    divergences: ArrayLike, representatives: ArrayLike, ax: Any = None
) -> Any:
    """Draw a map of worlds, in which similar worlds are close to each other.

    Representatives are numbered from 1 in the order of choice. A line leads from every
    other world to the most similar representative.

    Parameters
    ----------
    divergences : array-like of shape (n_worlds, n_worlds)
        Divergences of all pairs of worlds, for example by `jensen_shannon`: symmetric,
        with a zero diagonal.
    representatives : array-like of shape (n_representatives,)
        Positions of the kept worlds in the order of choice.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Notes
    -----
    The map is by classical scaling [1]_ of the square roots, as the root of the
    Jensen–Shannon divergence is a distance. The labels of the axes give their share of
    the spread. If it is small, the worlds differ in many ways, and distances on the map
    mean little. Time grows with the square of the number of worlds, at worst its cube.

    References
    ----------
    .. [1] W. S. Torgerson, "Multidimensional scaling: I. Theory and method",
       Psychometrika 17, 1952.

    Examples
    --------
    >>> import incerta as ic
    >>> from incerta.plot import divergences
    >>> data, _ = ic.datasets.make_uncertain_blobs(40, 2, 3, random_state=0)
    >>> between = ic.divergence.jensen_shannon(data.worlds(20, random_state=0))
    >>> kept = ic.selection.representatives(between, 4)
    >>> [text.get_text() for text in divergences(between, kept).texts]
    ['1', '2', '3', '4']
    """
    table = np.asarray(divergences, dtype=np.float64)
    kept = np.asarray(representatives, dtype=np.intp)
    ax = axes_for(ax)
    places, shown = classical_scaling(table)
    if len(kept):
        nearest = kept[table[:, kept].argmin(axis=1)]
        ends = np.stack([places, places[nearest]], axis=1)
        lines = part_of_matplotlib("collections").LineCollection
        thin = {"colors": NOISE, "linewidths": 0.5, "alpha": 0.5}
        ax.add_collection(lines(ends, **thin, zorder=1))
    ax.scatter(*places.T, s=18, color=NOISE, label="worlds", zorder=2)
    disc = {"s": 150, "color": PALETTE[0], "edgecolors": "white", "zorder": 3}
    ax.scatter(*places[kept].T, **disc, label="representatives, in order of choice")
    font = {"color": "white", "fontsize": "x-small", "fontweight": "bold"}
    middle = {"ha": "center", "va": "center_baseline"}
    for number, place in enumerate(places[kept], start=1):
        ax.annotate(str(number), place, **font, **middle, zorder=4)
    ax.axhline(0.0, color=INK, linewidth=0.3, zorder=0)
    ax.axvline(0.0, color=INK, linewidth=0.3, zorder=0)
    ax.set_xlabel(f"first direction ({percent(shown[0])} of the spread)")
    ax.set_ylabel(f"second direction ({percent(shown[1])} of the spread)")
    ax.set_aspect("equal", adjustable="datalim")
    legend_above(ax, 2, marker_scale=0.7)
    tidy(ax)
    return ax


def classical_scaling(squares: Array) -> tuple[Array, Array]:
    """Return points in the plane with squared distances close to those given, (n, n).

    The shares of the spread along both directions are returned too, the largest first.
    """
    n = len(squares)
    half = -0.5 * (squares + squares.T) / 2.0
    gram = half - half.mean(axis=0) - half.mean(axis=1)[:, None] + half.mean()
    values, vectors = eigh(gram, subset_by_index=(max(n - 2, 0), n - 1))
    values, vectors = np.clip(values[::-1], 0.0, None), vectors[:, ::-1]
    places = np.zeros((n, 2))
    places[:, : len(values)] = vectors * np.sqrt(values)
    # Fix the signs of eigenvectors, so that the picture is reproducible.
    far = np.abs(places).argmax(axis=0)
    places *= np.where(places[far, [0, 1]] < 0, -1.0, 1.0)
    total = np.trace(gram)
    spread = np.square(places).sum(axis=0)
    return places, spread / total if total > 0 else np.zeros(2)


def coassociation(
    labels_per_world: ArrayLike,
    labels: ArrayLike | None = None,
    ax: Any = None,
    max_size: int = 1000,
) -> Any:
    """Draw the share of worlds in which two objects share a cluster, for all pairs.

    Objects are sorted by cluster, noise last, and then by their mean share with their
    cluster. Dark squares on the diagonal are stable clusters; dark areas off the
    diagonal are objects between two clusters.

    Parameters
    ----------
    labels_per_world : array-like of shape (n_worlds, n_objects)
        Clusters in each world, with any numbering. An object with -1, noise, shares a
        cluster with no other object.
    labels : array-like of shape (n_objects,), optional
        Cluster of each object, for sorting. By default the consensus of the worlds.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.
    max_size : int, default=1000
        With more objects, neighbors in this order share a row of their mean.

    Notes
    -----
    Time and memory grow with n_worlds × n_objects, and with the square of `max_size`
    or of the number of objects, whichever is less. The consensus takes longer than the
    rest.

    Examples
    --------
    >>> from incerta.plot import coassociation
    >>> ax = coassociation([[0, 0, 1, 1], [0, 2, 1, 1]], labels=[0, 0, 1, 1])
    >>> ax.images[0].get_array()[0].tolist()
    [1.0, 0.5, 0.0, 0.0]
    """
    worlds = np.asarray(labels_per_world, dtype=np.intp)
    n = worlds.shape[1]
    ids = consensus(worlds) if labels is None else as_labels(labels, n)
    ax = axes_for(ax, (6.0, 4.8))
    found = patterns(worlds, "separate")
    order = by_cluster_and_company(found, ids)
    size = min(n, max_size)
    block = np.empty(n, dtype=np.intp)
    block[order] = np.arange(n) * size // n
    shown = {"cmap": "Blues", "vmin": 0.0, "vmax": 1.0, "interpolation": "nearest"}
    image = ax.imshow(mean_together(found, block, size), extent=(0, n, n, 0), **shown)
    borders = mark_groups(ax.xaxis, ids[order])
    mark_groups(ax.yaxis, ids[order])
    for border in borders:
        ax.axhline(border, color=INK, linewidth=0.6)
        ax.axvline(border, color=INK, linewidth=0.6)
    bar = ax.figure.colorbar(image, ax=ax)
    bar.set_label("share of the worlds in the same cluster")
    ax.set(xlabel="objects, by cluster", ylabel="objects, by cluster")
    return ax


def by_cluster_and_company(found: Patterns, labels: Indices) -> Indices:
    """Sort objects by cluster, noise last, then by their share of worlds with it."""
    n_groups = int(labels.max(initial=-1)) + 2
    group = np.where(labels < 0, n_groups - 1, labels)
    counts = _in_clusters(found, group, n_groups).toarray()
    # The extra column is for noise, -1, which shares a cluster with no object.
    counts = np.pad(counts, ((0, 0), (0, 1)))
    company = np.zeros(len(labels))
    for clusters in found.clusters:
        company += counts[group, clusters[found.of_object]]
    return np.lexsort((-company, group))


def mean_together(found: Patterns, block: Indices, n_blocks: int) -> Array:
    """Return the mean share of worlds together, over the pairs of each two blocks.

    An object is always together with itself, even if it is noise. The result follows
    from the counts of each block in each cluster, without a loop over pairs of objects.
    """
    counts = _in_clusters(found, block, n_blocks)
    table = together(counts, counts).astype(np.float64)
    alone = (found.clusters < 0).sum(axis=0)[found.of_object]
    table[np.diag_indices(n_blocks)] += np.bincount(block, alone, n_blocks)
    sizes = np.bincount(block, minlength=n_blocks)
    return table / (found.n_worlds * np.outer(sizes, sizes))


def _in_clusters(found: Patterns, group: Indices, n_groups: int) -> sparse.csr_array:
    """Count the objects of each group in each cluster of all worlds."""
    n_patterns = len(found.sizes)
    members = sparse.csc_array(
        (np.ones(len(group), np.float32), (group, found.of_object)),
        shape=(n_groups, n_patterns),
    )
    parts = (
        members[:, part].tocsr() @ found.one_hot(part)
        for part in blocks(n_patterns, 16 * found.n_worlds)
    )
    return reduce(add, parts)
