"""Which objects are together: `coassociation`."""

from functools import reduce
from operator import add
from typing import Any

import numpy as np
from scipy import sparse

from incerta.backend.memory import blocks
from incerta.ensemble.consensus import consensus
from incerta.ensemble.patterns import Patterns, patterns, together
from incerta.plot.style import INK, as_labels, axes_for, mark_groups
from incerta.typing import Array, ArrayLike, Indices


def coassociation(
    labels_per_world: ArrayLike,
    labels: ArrayLike | None = None,
    ax: Any = None,
    max_size: int = 1000,
) -> Any:
    """Draw in how many worlds two objects are in the same cluster, for all pairs.

    Objects are sorted by cluster, noise last, and then by how often they are with the
    others of their cluster. Dark squares on the diagonal are stable clusters; what is
    dark off the diagonal belongs to two of them.

    Parameters
    ----------
    labels_per_world : array-like of shape (n_worlds, n_objects)
        Clusters in each world, by any numbers; -1 is noise, which is with no other
        object.
    labels : array-like of shape (n_objects,), optional
        Cluster of each object, to sort by. By default what the worlds agree on.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.
    max_size : int, default=1000
        With more objects, neighbours in this order share a row, which is their mean.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Time and memory grow with n_worlds × n_objects, and with the square of `max_size`
    or of the number of objects, whichever is less. Finding what the worlds agree on
    takes longer than the rest.

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
    image = ax.imshow(
        mean_together(found, block, size),
        cmap="Blues",
        vmin=0.0,
        vmax=1.0,
        extent=(0, n, n, 0),
        interpolation="nearest",
    )
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
    """Objects sorted by cluster, noise last, then by how often they are with it."""
    n_groups = int(labels.max(initial=-1)) + 2
    group = np.where(labels < 0, n_groups - 1, labels)
    counts = _in_clusters(found, group, n_groups).toarray()
    # A column more for -1: noise is with nobody.
    counts = np.pad(counts, ((0, 0), (0, 1)))
    company = np.zeros(len(labels))
    for clusters in found.clusters:
        company += counts[group, clusters[found.of_object]]
    return np.lexsort((-company, group))


def mean_together(found: Patterns, block: Indices, n_blocks: int) -> Array:
    """Mean, over the pairs of two blocks, of the share of worlds they are together in.

    `block` (n_objects,) is the block of each object; none is empty. An object is always
    with itself, even if it is noise. Counts the objects of each block in each cluster
    and multiplies the counts: pairs of objects are never examined.
    """
    counts = _in_clusters(found, block, n_blocks)
    table = together(counts, counts).astype(np.float64)
    alone = (found.clusters < 0).sum(axis=0)[found.of_object]
    table[np.diag_indices(n_blocks)] += np.bincount(block, alone, n_blocks)
    sizes = np.bincount(block, minlength=n_blocks)
    return table / (found.n_worlds * np.outer(sizes, sizes))


def _in_clusters(found: Patterns, group: Indices, n_groups: int) -> sparse.csr_array:
    """Number of objects of each group in each cluster of all worlds."""
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
