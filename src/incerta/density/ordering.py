"""OPTICS: the order in which objects are reached, and the clusters in it."""

from heapq import heappop, heappush
from typing import NamedTuple

import numpy as np
from scipy.ndimage import maximum_filter1d
from scipy.sparse import csr_array
from sklearn.cluster import cluster_optics_dbscan, cluster_optics_xi

from incerta.models.registry import stored
from incerta.typing import Array, Indices


@stored(ordering="i n", reachability="f n", predecessor="i n")
class Ordering(NamedTuple):
    """The order of the objects, and how each one was reached, by object."""

    ordering: Indices
    reachability: Array  # inf if not reached
    predecessor: Indices  # -1 if not reached


def densest_first(core: Array, places: Array) -> Indices:
    """Sort objects by core distance; ties by position, first feature first."""
    return np.lexsort([*places.T[::-1], core])


def order(
    reach: Array | csr_array, core: Array, first: Indices | None = None
) -> Ordering:
    """Order objects by reachability: OPTICS on a given matrix.

    Entries that are not stored reach nothing. OPTICS leaves open where to start, which
    decides about clusters where reaching is not mutual: here it is the `first` object
    not yet in order. The next one is that of the smallest reachability, first among
    equals.
    """
    if first is None:
        first = np.arange(len(core))
    if isinstance(reach, csr_array):
        return _order_sparse(reach, core, first)
    return _order_dense(reach, core, first)


class Extraction(NamedTuple):
    """Clusters extracted from an ordering."""

    labels: Indices  # -1 is noise; numbered in the order of the ordering
    levels: Array  # for each cluster, the radius that connects it
    cut: float | None  # the common radius of all clusters, if there is one


def clusters_at_cut(
    found: Ordering, core: Array, eps: float, min_cluster_size: int = 1
) -> Extraction:
    """Take runs of objects reached within `eps`; small ones are noise."""
    labels = cluster_optics_dbscan(
        reachability=found.reachability,
        core_distances=core,
        ordering=found.ordering,
        eps=eps,
    )
    labels = _without_small(labels, min_cluster_size)
    return Extraction(labels, np.full(labels.max() + 1, eps), float(eps))


def clusters_by_number(
    found: Ordering,
    core: Array,
    n_clusters: int,
    min_cluster_size: int,
    max_eps: float = np.inf,
) -> Extraction:
    """Cut at the radius that gives a number of clusters, or the nearest number.

    Of two equally near numbers take the larger one, and of several radii the one with
    the least noise. The cut is half way to the next radius at which anything changes.
    """
    reach, core_of = found.reachability[found.ordering], core[found.ordering]
    # Single objects become clusters at their core distance.
    radii = np.append(reach, core_of) if min_cluster_size == 1 else reach
    cuts = np.unique(radii[np.isfinite(radii)])
    if len(cuts) == 0:
        return clusters_at_cut(found, core, 0.0, min_cluster_size)
    counts, noise = _at_all_cuts(reach, core_of, cuts, min_cluster_size)
    # Smallest difference first, then more clusters, then least noise.
    best = np.lexsort([noise, -counts, np.abs(counts - n_clusters)])[0]
    until = min(cuts[best + 1] if best + 1 < len(cuts) else np.inf, max_eps)
    cut = cuts[best] if np.isinf(until) else (cuts[best] + until) / 2
    return clusters_at_cut(found, core, cut, min_cluster_size)


def clusters_by_steepness(
    found: Ordering, core: Array, xi: float, min_samples: int, min_cluster_size: int
) -> Extraction:
    """Take valleys of the reachability plot with sides at least as steep as `xi`.

    Their level is the largest reachability after the first object. A side may be flat
    for `min_samples` objects.
    """
    n = len(core)
    pause, least = max(min_samples, 2), max(min_cluster_size, 2)
    if least > n or pause > n or np.isinf(found.reachability).all():
        return Extraction(np.full(n, -1), np.empty(0), None)
    with np.errstate(divide="ignore"):  # coinciding objects have reachability 0
        labels, _ = cluster_optics_xi(
            reachability=found.reachability,
            predecessor=found.predecessor,
            ordering=found.ordering,
            min_samples=pause,
            min_cluster_size=least,
            xi=xi,
        )
    return Extraction(labels, _levels(found, labels), None)


def _order_dense(reach: Array, core: Array, first: Indices) -> Ordering:
    n = len(core)
    ordering, predecessor = np.empty(n, dtype=np.intp), np.full(n, -1)
    reachability = np.full(n, np.inf)
    # Waiting and open areas are kept in the order of `first`.
    waiting, is_open = reachability.copy(), np.ones(n, dtype=np.bool_)
    for place in range(n):
        at = int(waiting.argmin())
        if np.isinf(waiting[at]):
            at = int(is_open.argmax())
        o = ordering[place] = first[at]
        is_open[at], waiting[at] = False, np.inf
        if np.isfinite(core[o]):
            from_here = reach[o, first]
            better = np.flatnonzero((from_here < reachability[first]) & is_open)
            waiting[better] = reachability[first[better]] = from_here[better]
            predecessor[first[better]] = o
    return Ordering(ordering, reachability, predecessor)


def _order_sparse(reach: csr_array, core: Array, first: Indices) -> Ordering:
    n = len(core)
    ordering, predecessor = np.empty(n, dtype=np.intp), np.full(n, -1)
    reachability, is_open = np.full(n, np.inf), np.ones(n, dtype=np.bool_)
    rank = np.argsort(first)
    heap: list[tuple[float, int]] = []  # distances and ranks
    lowest = place = 0
    while place < n:
        if heap:
            distance, at = heappop(heap)
            o = first[at]
            # A nearer distance is pushed as a new entry; the old one stays.
            if not is_open[o] or distance > reachability[o]:
                continue
        else:
            while not is_open[first[lowest]]:
                lowest += 1
            o = first[lowest]
        ordering[place], place = o, place + 1
        is_open[o] = False
        if np.isinf(core[o]):
            continue
        row = slice(reach.indptr[o], reach.indptr[o + 1])
        columns, distances = reach.indices[row], reach.data[row]
        better = (distances < reachability[columns]) & is_open[columns]
        columns, distances = columns[better], distances[better]
        reachability[columns] = distances
        predecessor[columns] = o
        for entry in zip(distances.tolist(), rank[columns].tolist(), strict=True):
            heappush(heap, entry)
    return Ordering(ordering, reachability, predecessor)


def _at_all_cuts(
    reach: Array, core: Array, cuts: Array, size: int
) -> tuple[Indices, Indices]:
    """Count clusters with at least `size` objects, and other objects, for each cut.

    Clusters are runs of objects that are joined to the one before. A run of at least
    `size` objects holds one window of `size` objects more than of ``size + 1``. A
    window holds once the cut reaches its largest link.
    """
    n = len(reach)
    if size > n:
        return np.zeros(len(cuts), dtype=np.intp), np.full(len(cuts), n)
    links = reach[1:]
    # A single object is a cluster once it is core or joined.
    windows = np.minimum(core, reach) if size == 1 else _largest(links, size - 1)
    wider = _largest(links, size) if size < n else np.empty(0)
    counts = _reached(windows, cuts) - _reached(wider, cuts)
    # An object is in a cluster once any window over it is connected.
    padded = np.pad(windows, size - 1, constant_values=np.inf)
    covered = -_largest(-padded, size)
    return counts, n - _reached(covered, cuts)


def _largest(values: Array, width: int) -> Array:
    """Compute the running maximum over `width` values."""
    first = width // 2  # the filter centers its windows
    return maximum_filter1d(values, width)[first : first + len(values) - width + 1]


def _reached(values: Array, cuts: Array) -> Indices:
    return np.searchsorted(np.sort(values), cuts, side="right")


def _without_small(labels: Indices, least: int) -> Indices:
    """Turn clusters with fewer than `least` objects into noise; renumber the others."""
    sizes = np.bincount(labels[labels >= 0], minlength=labels.max() + 1)
    large = sizes >= least
    number = np.append(np.where(large, np.cumsum(large) - 1, -1), -1)
    return number[labels]


def _levels(found: Ordering, labels: Indices) -> Array:
    """Find the largest reachability in each cluster of 2 or more, after its first."""
    in_order = labels[found.ordering]
    reach = found.reachability[found.ordering]
    _, first = np.unique(in_order, return_index=True)
    reach[first] = -np.inf
    levels = np.full(labels.max() + 1, -np.inf)
    kept = in_order >= 0
    np.maximum.at(levels, in_order[kept], reach[kept])
    return levels
