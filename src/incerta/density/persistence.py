"""Choose the radius that separates clusters, by how long they persist.

As the radius grows, clusters appear, grow and join. A cluster that persists over a wide
range of radii is real; a cluster that soon joins others is an accident. HDBSCAN uses
the same idea for every radius at once (R. Campello, D. Moulavi, J. Sander, PAKDD 2013).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial import cKDTree

from incerta.data.laws import Joint, Law
from incerta.density.ordering import Ordering
from incerta.typing import Array, Indices, Mask
from incerta.worlds import Worlds

# Number of worlds to pool; more hardly change the curve.
POOLED_WORLDS = 5
# Largest relative error of a distance.
ROUNDING = 1e-12


def neighbor_distances(worlds: Worlds, min_samples: int) -> Array:
    """Pool and sort the `core_distances` of the first five worlds."""
    return np.sort(core_distances(worlds[:POOLED_WORLDS], min_samples), axis=None)


def core_distances(worlds: Iterable[Array], min_samples: int) -> Array:
    """Compute distances to the `min_samples`-th nearest object, counting itself."""
    found = [
        cKDTree(world).query(world, k=[min(min_samples, len(world))])[0]
        for world in worlds
    ]
    return np.array(found)[..., 0]


def positive_knee(worlds: Worlds, min_samples: int) -> float:
    """Find the knee of the `neighbor_distances`; above 0, as DBSCAN needs.

    Two objects at this very distance are within it, however distances are rounded.
    """
    found = knee(neighbor_distances(worlds, min_samples)) * (1.0 + ROUNDING)
    return max(found, float(np.finfo(np.float64).tiny))


def knee(distances: Array) -> float:
    """Find the distance at which a rising curve is farthest below its chord.

    >>> knee(np.array([1.0, 1.1, 1.2, 1.3, 5.0, 9.0]))
    1.3
    """
    low, high = distances[0], distances[-1]
    below = np.linspace(low, high, len(distances)) - distances
    # The last of ties: a straight line has no knee, and its end loses no object.
    return float(distances[len(below) - 1 - int(below[::-1].argmax())])


N_NEIGHBORS = 30
N_RADII = 80
# Smaller clusters are allowed, but have no influence on the radius.
LEAST_SHARE = 0.07
# Objects allowed to be far from all others; radii that reach them are ignored.
FAR_SHARE = 0.1
# Least share of the objects in a single cluster.
MOST_SHARE = 0.95
# Additional share of objects that a smaller radius may leave out.
FEW = 0.03
FEW_DRAWS = 20
FEW_WORLDS = 10


@dataclass(frozen=True, kw_only=True)
class Tree:
    """Radii at which objects become core, and at which they are joined."""

    core: Array  # (n_objects,)
    first: Indices  # (n_edges,)
    second: Indices  # (n_edges,)
    radii: Array  # (n_edges,)
    places: Array  # (n_objects, n_features), expected
    scale: float  # of all the objects

    def gap(self, clusters: Indices) -> float:
        """Find the smallest expected distance between two clusters; -1 is none."""
        least = np.inf
        for number in np.unique(clusters[clusters >= 0]):
            others = self.places[(clusters >= 0) & (clusters != number)]
            near = cKDTree(others).query(self.places[clusters == number])[0]
            least = min(least, float(np.min(near)))
        return least

    def joined_at(self, radius: float) -> Indices:
        """Number the connected pieces, by object."""
        some = self.radii <= radius
        n = len(self.core)
        edges = np.ones(some.sum()), (self.first[some], self.second[some])
        pieces = connected_components(csr_array(edges, (n, n)), directed=False)[1]
        return pieces.astype(np.intp)


def persistent_radius(tree: Tree, min_samples: int) -> float:
    """Choose a radius at which the most persistent clusters are separate.

    A radius is scored by its clusters, and a cluster by its number of objects, summed
    over the logarithms of radii. The result is half way between the radius that joins
    two of the clusters and the radius that loses more of their objects. If all objects
    are one cluster, it leaves out one in twenty.
    """
    largest = float(max(tree.core.max(), tree.radii.max(initial=0.0)))
    # Coinciding objects are core at distance 0, others never.
    some = tree.core[(tree.core > 0.0) & np.isfinite(tree.core)]
    least = np.quantile(some, 0.02) if len(some) else np.inf
    if least >= tree.radii.max(initial=0.0):
        return largest
    radii = np.geomspace(tree.radii.max(), least, N_RADII)
    size = max(2 * min_samples, int(np.ceil(LEAST_SHARE * len(tree.core))))
    clusters = nested_clusters(tree, radii, size)
    shown, worth = _worth(clusters, radii, tree.scale)
    best = shown[int((shown @ worth).argmax())]
    if best.sum() < 2:
        most = radii[(clusters >= 0).mean(axis=1) >= MOST_SHARE]
        return float(most.min(initial=radii[0]))
    same = (shown == best).all(axis=1)
    within, apart = (clusters[same] >= 0).mean(axis=1), radii[same]
    smallest = apart[within >= within[0] - FEW].min()
    largest = max(min(apart[0], tree.gap(clusters[same][0])), smallest)
    return float(np.sqrt(smallest * largest))


def nested_clusters(tree: Tree, radii: Array, least_size: int) -> Indices:
    """Find clusters at falling radii, (n_radii, n_objects); -1 for none.

    A cluster keeps its number until it falls apart into two or more.
    """
    found = np.full((len(radii), len(tree.core)), -1)
    above, n_found = np.zeros(len(tree.core), dtype=np.intp), 1
    for row, radius in zip(found, radii, strict=True):
        pieces = tree.joined_at(radius)
        inside = np.bincount(pieces)[pieces] >= least_size
        names, first, piece = np.unique(
            pieces[inside], return_index=True, return_inverse=True
        )
        origin = above[inside][first]
        alone = np.bincount(origin, minlength=n_found)[origin] == 1
        new = n_found + np.arange(len(names))
        row[inside] = np.where(alone, origin, new)[piece]
        n_found += len(names)
        above = np.where(inside, row, 0)
    return found


def _worth(clusters: Indices, radii: Array, scale: float) -> tuple[Mask, Array]:
    """Count the clusters at each radius, and score each radius."""
    n_found = clusters.max() + 2
    shares = np.array([np.bincount(row + 1, minlength=n_found) for row in clusters])
    shares = shares[:, 1:] / clusters.shape[1]
    shown = shares > 0.0
    steps = np.full(len(radii), np.log(radii[0] / radii[1]))
    if shown[0].sum() == 1:
        # With one cluster, only the smallest radius that leaves few out counts.
        few_far = np.flatnonzero(1.0 - shares.sum(axis=1) <= FAR_SHARE)
        above = np.arange(len(radii)) < few_far.max(initial=0)
        steps[above & (shown.sum(axis=1) == 1)] = 0.0
    else:
        # Pieces that are never joined persist up to the scale of the data.
        steps[0] += max(np.log(scale / radii[0]), 0.0)
    return shown, steps @ shares


def tree_of(law: Law, worlds: Worlds, min_samples: int) -> Tree:
    """Build the minimum spanning tree of the 30 nearest neighbors of each object.

    Edges have the radius at which, in every second world, both objects are core and
    within reach of each other.
    """
    near = nearest(law, N_NEIGHBORS)
    apart = typical_distances(law, near)
    core = np.median(core_distances(worlds[:FEW_WORLDS], min_samples), axis=0)
    n, k = near.shape
    # Before 1.16, trees in scipy need 32-bit indices.
    rows = np.repeat(np.arange(n, dtype=np.int32), k)
    columns = near.ravel().astype(np.int32)
    joined = np.maximum(apart.ravel(), np.maximum(core[rows], core[columns]))
    # Trees in scipy cannot have edges of length 0.
    joined = np.maximum(joined, np.finfo(float).tiny)
    graph = csr_array((joined, (rows, columns)), (n, n))
    edges = minimum_spanning_tree(graph.maximum(graph.T)).tocoo()
    return Tree(
        core=core,
        first=edges.row.astype(np.intp),
        second=edges.col.astype(np.intp),
        radii=edges.data,
        places=law.mean(),
        scale=scale_of(law),
    )


def tree_of_ordering(found: Ordering, core: Array, law: Law) -> Tree:
    """Join objects to those from which they were reached."""
    objects = np.flatnonzero(found.predecessor >= 0)
    return Tree(
        core=core,
        first=objects,
        second=found.predecessor[objects],
        radii=found.reachability[objects],
        places=law.mean(),
        scale=scale_of(law),
    )


def scale_of(law: Law) -> float:
    """Return the root mean expected squared distance of objects from their mean."""
    return float(np.sqrt((law.mean().var(axis=0) + law.variance().mean(axis=0)).sum()))


def nearest(law: Law, k: int) -> Indices:
    """Find the nearest neighbors by expected squared distance, (n_objects, k)."""
    if isinstance(law, Joint):
        draws = _some_draws(law)
        # All draws side by side: their mean square is a squared distance.
        places = draws.transpose(1, 0, 2).reshape(law.n_objects, -1)
        own = np.zeros(law.n_objects)
    else:
        places, own = law.mean(), law.variance().sum(axis=1)
    n = law.n_objects
    k = min(k, n - 1)
    # E|X - Y|² = |E X - E Y|² + var X + var Y: with its root as one more feature of the
    # others, a variance adds to the squared distance.
    others = np.column_stack([places, np.sqrt(own)])
    here = np.column_stack([places, np.zeros(n)])
    found = np.asarray(cKDTree(others).query(here, k=range(1, k + 2))[1])
    # Leave out the object itself, or the farthest if it is not among them.
    itself = found == np.arange(n)[:, None]
    itself[~itself.any(axis=1), -1] = True
    return found[~itself].reshape(n, k)


def typical_distances(law: Law, near: Indices) -> Array:
    """Compute the median distances to the other objects `near`, (n_objects, k).

    The squared distance is taken for a scaled chi-square (E. Wilson, M. Hilferty,
    1931).
    """
    if isinstance(law, Joint):
        each = [_squares(draw, near).sum(axis=2) for draw in _some_draws(law)]
        mean, variance = np.mean(each, axis=0), np.var(each, axis=0)
    else:
        gaps, own = _squares(law.mean(), near), law.variance()
        both = own[:, None] + own[near]
        mean = (gaps + both).sum(axis=2)
        variance = (2.0 * both**2 + 4.0 * both * gaps).sum(axis=2)
    ratio = np.divide(variance, mean**2, out=np.zeros_like(mean), where=mean > 0.0)
    median: Array = mean * np.maximum(1.0 - ratio / 9.0, 0.0) ** 3
    return np.sqrt(median)


def _squares(values: Array, near: Indices) -> Array:
    return np.square(values[:, None] - values[near])


def _some_draws(law: Joint) -> Array:
    some = np.linspace(0, len(law.draws) - 1, min(len(law.draws), FEW_DRAWS))
    draws: Array = law.draws[np.round(some).astype(np.intp)]
    return draws
