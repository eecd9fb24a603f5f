"""Expected core and reachability distances of uncertain objects.

In one world the core distance of an object is that to its `min_samples`-th nearest
object, itself included, and p is reached from o at ``max(core(o), |o − p|)``. Both are
random here, and their expectations are computed, capped at `max_eps`.
"""

from itertools import count
from typing import TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from incerta.backend.memory import blocks
from incerta.backend.progress import followed, track
from incerta.data.laws import Law
from incerta.density.counts import at_least, at_least_without
from incerta.density.within import within
from incerta.typing import Array, Indices
from incerta.worlds import Worlds

Matrix: TypeAlias = "Array | csr_array"
Pairs: TypeAlias = tuple[Indices, Indices, Array]

# Rows of distances that are processed while in cache.
TILE_BYTES = 4 * 2**20
# With more features than this, a tree prunes nothing.
TREE_FEATURES = 15
# Sample that determines the grid of radii: objects, partners of each, and draws.
GRID_OBJECTS, GRID_PARTNERS, GRID_DRAWS = 1000, 16, 4
# The grid ends where every pair is reached up to this probability.
MISSING = 1e-6
# Steps beyond the largest distance drawn, each twice the last, to cover any tail.
MOST_STEPS = 48


def expected_in_worlds(
    worlds: Worlds, min_samples: int, max_eps: float
) -> tuple[Matrix, Array]:
    """Average the reachability of all pairs and core distances over worlds.

    Row o, column p: p reached from o. With a finite `max_eps` the matrix is sparse and
    holds pairs that are within it in some world, with o core; all others are at
    `max_eps`. The core distance is inf where an object is core in no world.
    """
    n = worlds.shape[1]
    if min_samples > n:
        return _nothing(n, max_eps)
    if np.isinf(max_eps):
        return _of_all_pairs(worlds, min_samples)
    return _of_near_pairs(worlds, min_samples, max_eps)


def expected_on_grid(
    law: Law,
    min_samples: int,
    max_eps: float,
    n_radii: int,
    seed: int,
    fast: bool = False,
) -> tuple[Matrix, Array]:
    """Compute expected reachability of all pairs, as if distances were independent.

    ``E reach = ∫ 1 − P(reach <= r) dr`` by the trapezoid rule, with the probabilities
    of FDBSCAN. A third of the radii each are quantiles of core distances, quantiles of
    all distances, and evenly spaced; more are added beyond them until no tail is left.
    The result is off by up to half the gap between two radii.
    """
    n = law.n_objects
    if min_samples > n:
        return _nothing(n, max_eps)
    radii = _radii(law, min_samples, max_eps, n_radii, seed)
    steps = track(len(radii), "reachability")
    reached: Matrix = np.zeros((n, n)) if np.isinf(max_eps) else csr_array((n, n))
    core, ever = np.zeros(n), np.zeros(n, dtype=np.bool_)
    last = here = 0.0
    for k in count(1):
        table = within(law, here, seed=seed, fast=fast)
        is_core = at_least(table, min_samples)
        # P(reach) = p · P(o is core without counting p).
        table.data *= at_least_without(table, min_samples - 1)
        complete = table.nnz == n * n and float(table.data.min()) >= 1.0 - MISSING
        done = k > 1 and complete  # the first radius alone has no width
        following = here if done else _following(radii, k, here, max_eps)
        weight = (following - last) / 2
        reached = _added(reached, table, weight)
        core += weight * is_core
        ever |= is_core > 0
        next(steps, None)
        if following == here:
            break
        last, here = here, following
    core = np.where(ever, np.maximum(here - core, 0.0), np.inf)
    # Only core objects reach others; rounding must not change that.
    if isinstance(reached, csr_array):
        rows = np.repeat(np.arange(n), np.diff(reached.indptr))
        reached.data = np.maximum(here - reached.data, core[rows])
        return reached, core
    np.subtract(here, reached, out=reached)
    return np.maximum(reached, core[:, None], out=reached), core


def share_within(world: Array, eps: float) -> float:
    """Estimate the share of all pairs of a world that are within `eps`."""
    some = world[_evenly(len(world), GRID_OBJECTS)]
    pieces = blocks(len(some), 8 * len(world))
    near = sum(int((cdist(some[rows], world) <= eps).sum()) for rows in pieces)
    return near / (len(some) * len(world))


def _nothing(n: int, max_eps: float) -> tuple[Matrix, Array]:
    """Return infinite distances: no object is core, so none reaches another."""
    reach = np.full((n, n), np.inf) if np.isinf(max_eps) else csr_array((n, n))
    return reach, np.full(n, np.inf)


def _of_all_pairs(worlds: Worlds, m: int) -> tuple[Array, Array]:
    n_worlds, n, d = worlds.shape
    reach, core = np.zeros((n, n)), np.zeros(n)
    for world in followed(worlds, "reachability"):
        mth = _mth_nearest(_tree(world), world, m) if d <= TREE_FEATURES else None
        for rows in blocks(n, 8 * n, TILE_BYTES):
            distances = cdist(world[rows], world)
            # Taken from the distances themselves: rounding in another sum would break
            # the ties with core distances.
            if mth is None:
                radius = np.partition(distances, m - 1, axis=1)[:, m - 1, None]
            else:
                radius = np.take_along_axis(distances, mth[rows, None], axis=1)
            core[rows] += radius[:, 0]
            reach[rows] += np.maximum(distances, radius, out=distances)
    reach /= n_worlds
    return reach, core / n_worlds


def _of_near_pairs(worlds: Worlds, m: int, max_eps: float) -> tuple[csr_array, Array]:
    n_worlds, n, d = worlds.shape
    find = _near_by_tree if d <= TREE_FEATURES else _near_by_rows
    # Real parts add up distances, imaginary ones count the worlds behind them, which
    # also keeps entries whose distance is 0.
    total = csr_array((n, n), dtype=np.complex128)
    core, n_core = np.zeros(n), np.zeros(n, dtype=np.intp)
    for world in followed(worlds, "reachability"):
        radius, (o, p, distances) = find(world, m, max_eps)
        is_core = np.isfinite(radius)
        kept = is_core[o]
        o, p, reach = o[kept], p[kept], np.maximum(distances, radius[o])[kept]
        total = total + csr_array((reach + 1j, (o, p)), shape=(n, n))
        core += np.where(is_core, radius, max_eps)
        n_core += is_core
    capped = 1.0 - total.data.imag / n_worlds
    means = total.data.real / n_worlds + capped * max_eps
    expected = csr_array((means, total.indices, total.indptr), shape=(n, n))
    return expected, np.where(n_core > 0, core / n_worlds, np.inf)


def _near_by_tree(world: Array, m: int, max_eps: float) -> tuple[Array, Pairs]:
    """Find core distances, inf beyond `max_eps`, and all ordered pairs within it."""
    n = len(world)
    tree = _tree(world)
    first, second = tree.query_pairs(max_eps, output_type="ndarray").T
    mth = _mth_nearest(tree, world, m, max_eps)
    radius, found = np.full(n, np.inf), np.flatnonzero(mth < n)
    # A single formula for all distances keeps equal ones equal.
    radius[found] = _distances(world, found, mth[found], max_eps)
    apart = _distances(world, first, second, max_eps)
    self = np.arange(n)
    o, p = np.concatenate([first, second, self]), np.concatenate([second, first, self])
    return radius, (o, p, np.concatenate([apart, apart, np.zeros(n)]))


def _near_by_rows(world: Array, m: int, max_eps: float) -> tuple[Array, Pairs]:
    """Do the same as `_near_by_tree` from the distances of all pairs."""
    n = len(world)
    radius, pieces = np.empty(n), []
    for rows in blocks(n, 8 * n, TILE_BYTES):
        distances = cdist(world[rows], world)
        radius[rows] = np.partition(distances, m - 1, axis=1)[:, m - 1]
        o, p = np.nonzero(distances <= max_eps)
        pieces.append((o + rows.start, p, distances[o, p]))
    o, p, apart = (np.concatenate(part) for part in zip(*pieces, strict=True))
    return np.where(radius <= max_eps, radius, np.inf), (o, p, apart)


def _distances(world: Array, first: Indices, second: Indices, cap: float) -> Array:
    out = np.empty(len(first))
    for some in blocks(len(first), 3 * 8 * world.shape[1], TILE_BYTES):
        gaps = world[first[some]] - world[second[some]]
        out[some] = np.sqrt(np.einsum("ij,ij->i", gaps, gaps))
    return np.minimum(out, cap)


def _tree(world: Array) -> KDTree:
    # Balanced trees are slow to build where objects coincide.
    return KDTree(world, balanced_tree=False, compact_nodes=False)


def _mth_nearest(
    tree: KDTree, points: Array, m: int, within_eps: float = np.inf
) -> Indices:
    """Return the `m`-th nearest object of each point; the number of objects if none."""
    bound = np.nextafter(within_eps, np.inf)  # the bound itself is left out
    return np.asarray(tree.query(points, k=[m], distance_upper_bound=bound)[1])[:, 0]


def _evenly(n: int, most: int) -> Indices:
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))


def _radii(law: Law, m: int, max_eps: float, n_radii: int, seed: int) -> Array:
    """Return radii from 0 to `max_eps`, or to the largest distance drawn if less."""
    rng = np.random.default_rng([seed, 5])
    some = _evenly(law.n_objects, GRID_OBJECTS)
    core, apart = [], []
    for _ in range(GRID_DRAWS):
        u = np.clip(rng.random((1, law.n_objects, law.n_uniforms)), 1e-12, None)
        world = law.at(u)[0]
        others = rng.integers(law.n_objects, size=(GRID_PARTNERS, len(some)))
        mth = _mth_nearest(_tree(world), world[some], m)
        core.append(np.linalg.norm(world[some] - world[mth], axis=-1))
        apart.append(np.linalg.norm(world[some] - world[others], axis=-1).ravel())
    largest = float(max(np.max(core), np.max(apart)))
    kept = [each[each < max_eps] for each in map(np.concatenate, (core, apart))]
    end = min(max_eps, largest) if largest > 0 else min(max_eps, 1.0)
    shares = np.linspace(0.0, 1.0, max(n_radii // 3, 2))
    inner = [np.quantile(each, shares) for each in kept if len(each)]
    return np.unique(np.concatenate([end * shares, *inner]))


def _following(radii: Array, k: int, here: float, max_eps: float) -> float:
    """Return radius number `k`; beyond the last one steps double, up to `max_eps`."""
    if k < len(radii):
        return float(radii[k])
    beyond = k - len(radii)
    if beyond >= MOST_STEPS:
        return here
    step = float(radii[-1] - radii[-2]) * 2.0**beyond
    return min(here + max(step, 0.01 * here), max_eps)


def _added(total: Matrix, table: csr_array, weight: float) -> Matrix:
    if isinstance(total, csr_array):
        return total + weight * table
    for rows in blocks(len(total), 8 * len(total)):
        total[rows] += weight * table[rows].toarray()
    return total
