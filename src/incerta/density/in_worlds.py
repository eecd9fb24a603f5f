"""Assign objects to known clusters, world by world.

In a world, a cluster consists of its objects that are core there, with enough objects
near them. An object joins the cluster next to it.
"""

from dataclasses import dataclass

import numpy as np
from joblib import effective_n_jobs
from scipy.spatial import cKDTree
from scipy.spatial.distance import cdist

from incerta.backend.memory import blocks
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.density.reachability import TILE_BYTES, TREE_FEATURES
from incerta.labels import shares
from incerta.models.checks import whole, within
from incerta.models.registry import stored
from incerta.typing import Array, Indices
from incerta.worlds import Worlds
from incerta.worlds.sequence import check_worlds, paired

# Fewest objects for a parallel search; below this, starting threads takes longer.
MANY_OBJECTS = 2000


def _check(clusters: "DenseClusters") -> None:
    check_worlds(clusters.worlds, clusters.labels)
    whole(clusters.min_samples, 1, "min_samples")
    within(clusters.labels + 1, len(clusters.levels) + 1, "labels")


@stored(_check, labels="i n", levels="f l")
@dataclass(frozen=True, kw_only=True)
class DenseClusters:
    """Clusters, each with its radius, and the worlds for their confidence."""

    worlds: Worlds
    labels: Indices  # (n_objects,), −1 for noise
    levels: Array  # (n_clusters,), radius at which each cluster was found
    min_samples: int

    def labels_per_world(self) -> Indices:
        """Give the labels of the objects in each world."""
        return labels_in_worlds(self.worlds, self.labels, self.levels, self.min_samples)

    def proba(self, data: UncertainData, n_worlds: int) -> Array:
        """Give the share of worlds in which new objects fall into each cluster."""
        _, worlds, new = paired(self.worlds, data, n_worlds)
        found = new_labels_in_worlds(
            worlds, new, self.labels, self.levels, self.min_samples
        )
        return shares(found, len(self.levels))


def labels_in_worlds(
    worlds: Worlds, labels: Indices, levels: Array, min_samples: int
) -> Indices:
    """Find the cluster of each object in each world, (n_worlds, n_objects).

    It is the object's own cluster if another core object of that cluster lies within
    the radius; otherwise the cluster of the nearest core object within its radius;
    otherwise its own cluster if the object is core; otherwise -1, noise.
    """
    found = np.full((len(worlds), len(labels)), -1, dtype=np.intp)
    if len(levels) == 0:
        return found
    for row, world in zip(found, followed(worlds, "worlds"), strict=True):
        core = _core(world, labels, levels, min_samples)
        row[core] = labels[core]
        if len(core):
            gaps, places = _two_nearest(world, core)
            # A core object must not count as its own neighbor.
            gaps[core[places] == np.arange(len(labels))[:, None]] = np.inf
            which = gaps.argmin(axis=1)[:, None]
            gap = np.take_along_axis(gaps, which, axis=1)[:, 0]
            nearest = labels[core[np.take_along_axis(places, which, axis=1)[:, 0]]]
            row[:] = np.where(gap <= levels[nearest], nearest, row)
            stray = np.flatnonzero((row != labels) & (labels >= 0) & (row >= 0))
            row[stray] = _own_first(world, stray, core, labels, levels, row)
    return found


def new_labels_in_worlds(
    worlds: Worlds, new_worlds: Worlds, labels: Indices, levels: Array, min_samples: int
) -> Indices:
    """Find the cluster of the nearest core object within that cluster's radius.

    New objects do not count as neighbors of any object; −1 is noise.
    """
    found = np.full(new_worlds.shape[:2], -1, dtype=np.intp)
    if len(levels) == 0:
        return found
    for row, world, new in zip(found, worlds, new_worlds, strict=True):
        core = _core(world, labels, levels, min_samples)
        if len(core):
            gaps, places = _two_nearest(world, core, new)
            nearest = labels[core[places[:, 0]]]
            row[:] = np.where(gaps[:, 0] <= levels[nearest], nearest, -1)
    return found


def _core(world: Array, labels: Indices, levels: Array, min_samples: int) -> Indices:
    """Find core objects: those with enough objects within their cluster's radius."""
    members = np.flatnonzero(labels >= 0)
    # Rounding must not decide about objects exactly at the radius.
    radii = np.nextafter(levels[labels[members]], np.inf)
    if world.shape[1] <= TREE_FEATURES:
        # As in scikit-learn: one thread unless joblib is configured for more.
        workers = effective_n_jobs(None) if len(members) > MANY_OBJECTS else 1
        near = cKDTree(world).query_ball_point(
            world[members], radii, return_length=True, workers=workers
        )
    else:
        near = np.empty(len(members), dtype=np.intp)
        for some in blocks(len(members), 8 * len(world), TILE_BYTES):
            gaps = cdist(world[members[some]], world)
            near[some] = np.count_nonzero(gaps <= radii[some, None], axis=1)
    return members[near >= min_samples]


def _own_first(
    world: Array,
    stray: Indices,
    core: Indices,
    labels: Indices,
    levels: Array,
    row: Indices,
) -> Indices:
    """Move stray objects to their own cluster if they are within its radius as well."""
    out = row[stray].copy()
    for cluster in np.unique(labels[stray]):
        here = np.flatnonzero(labels[stray] == cluster)
        own = core[labels[core] == cluster]
        if len(own) == 0:
            continue
        gaps, places = _two_nearest(world, own, world[stray[here]])
        another = own[places] != stray[here, None]
        within = (another & (gaps <= levels[cluster])).any(axis=1)
        out[here[within]] = cluster
    return out


def _two_nearest(
    world: Array, core: Indices, points: Array | None = None
) -> tuple[Array, Indices]:
    """Find distances and positions of the two nearest core objects, or the only one."""
    n_nearest = min(2, len(core))
    points = world if points is None else points
    if world.shape[1] <= TREE_FEATURES:
        found = cKDTree(world[core]).query(points, k=range(1, n_nearest + 1))
        return np.asarray(found[0]), np.asarray(found[1])
    places = np.empty((len(points), n_nearest), dtype=np.intp)
    gaps = np.empty((len(points), n_nearest))
    for some in blocks(len(points), 8 * len(core), TILE_BYTES):
        every = cdist(points[some], world[core])
        first = every.argmin(axis=1)[:, None]
        places[some, :1] = first
        gaps[some, :1] = np.take_along_axis(every, first, axis=1)
        if n_nearest == 2:
            np.put_along_axis(every, first, np.inf, axis=1)
            second = every.argmin(axis=1)[:, None]
            places[some, 1:] = second
            gaps[some, 1:] = np.take_along_axis(every, second, axis=1)
    return gaps, places
