"""Find the number of directions beyond chance, and the features that show them.

Directions shared by many features are counted by comparing leading singular values with
those under random signs. Directions in only a few of very many features are too weak
for this, but appear as pairs or groups of features correlated beyond chance. Features
unrelated to any direction are left out, so that their noise cannot hide the others.
"""

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import eigh
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import svds
from scipy.stats import t as student

from incerta import settings
from incerta.typing import Array, Indices, Mask

N_DRAWS = 7  # draws of random signs
# Clip values at this many robust deviations: one outlier must not make a correlation.
CUT = 2.5
MAD = 1.4826  # standard deviation of a Gaussian, in median absolute deviations
# Features correlated more than this differ only by rounding. In narrow tables, where
# methods use the differences between features, only these count as copies.
SAME = 0.9999
# Up to this many rows or columns, compute a full instead of a sparse decomposition.
SMALL = 500
# Maximum number of rounds that choose features by directions, and vice versa.
ROUNDS = 6
BLOCK = 512  # features whose correlations are computed at once, to fit into the cache
MOST_LINKS, SMALLEST_GROUP = 20, 4  # pairs per feature; features in a group


class Shared(NamedTuple):
    """The directions shared by features, and repeated features."""

    n_directions: int
    tells: Mask  # (d,), features that vary with a direction
    copy_of: Indices  # (d,), the feature that each one repeats, or its own number


class Leading(NamedTuple):
    """Leading singular triples of a table (d features, n objects)."""

    features: Array  # (d, k)
    values: Array  # (k,), descending
    objects: Array  # (k, n)


def shared(deviations: Array, known: Mask, most: int, seed: int) -> Shared:
    """Find the directions in which features vary together, from deviations (d, n)."""
    d, n = deviations.shape
    rng = np.random.default_rng(seed)
    table = by_object(deviations, known)
    rows = _unit_rows(table, known)
    copy_of, linked = _linked(rows, n)
    own = copy_of == np.arange(d)
    table, known, linked = table[own], known[own], linked[own]

    dense = leading(table, count(table, most, rng))
    places = dense.objects.T
    if places.shape[1]:
        rows = _unit_rows(_without(table, places), known)
        linked = _linked(rows, n, dense.features)[1]
    if linked.sum() > 1:
        residual = _without(table, places)[linked]
        more = max(1, count(residual, min(most, len(residual) - 1), rng))
        places = np.hstack([places, leading(residual, more).objects.T])
    if places.shape[1] == 0:
        return Shared(0, np.zeros(d, dtype=bool), copy_of)
    tells, places = _settled(table, places, known, most, rng)
    out = np.zeros(d, dtype=bool)
    out[np.flatnonzero(own)[tells]] = True
    return Shared(min(places.shape[1], most), out, copy_of)


def count(table: Array, most: int, rng: np.random.Generator, begin: int = 0) -> int:
    """Count the leading directions of a centered table (d, n) that are beyond chance.

    Directions are subtracted one by one. The comparison corrects for the variance lost
    with them, with the mean, and with `begin` directions subtracted before.
    """
    d, n = table.shape
    most = min(most, d - begin - 1, n - begin - 2)
    if most < 1:
        return 0
    found = leading(table, most)
    rest: Any = table.astype(np.float32)
    for k in range(most):
        lost = begin + k
        up = np.sqrt(n * d / ((n - lost - 1) * (d - lost)))
        chance = up * np.array([_by_chance(rest, rng) for _ in range(N_DRAWS)])
        if found.values[k] <= chance.mean() + settings.BEYOND_CHANCE * chance.std(
            ddof=1
        ):
            return k
        rest -= np.outer(found.features[:, k] * found.values[k], found.objects[k])
    return most


def leading(table: Any, k: int) -> Leading:
    """Return the k leading singular triples of a table."""
    d, n = table.shape
    if k == 0:
        return Leading(np.empty((d, 0)), np.empty(0), np.empty((0, n)))
    if min(d, n) > max(SMALL, 3 * k):
        found: Any = svds(table, k, tol=1e-4, v0=np.ones(min(d, n)))
        order = np.argsort(-found[1])
        return Leading(found[0][:, order], found[1][order], found[2][order])
    wide = n <= d
    squares = table.T @ table if wide else table @ table.T
    m = len(squares)
    squared, vectors = eigh(squares, subset_by_index=(m - k, m - 1))
    values: Array = np.sqrt(np.maximum(squared[::-1], 0.0))
    vectors = vectors[:, ::-1]
    other = table @ vectors if wide else table.T @ vectors
    other = other / np.maximum(values, np.finfo(float).tiny)
    return (
        Leading(other, values, vectors.T) if wide else Leading(vectors, values, other.T)
    )


def by_object(deviations: Array, known: Mask) -> Array:
    """Shrink objects that would dominate because their errors are underestimated."""
    usual = np.square(deviations).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    return deviations / np.sqrt(np.maximum(usual, 1.0))


def _settled(
    table: Array, places: Array, known: Mask, most: int, rng: np.random.Generator
) -> tuple[Mask, Array]:
    """Choose informative features and their directions in turns, until they settle.

    Start from `places` (n, q). If more than half of the features are informative, use
    all of them.
    """
    d, n = table.shape
    tells = np.zeros(d, dtype=bool)
    totals = np.maximum(np.square(table).sum(axis=1), np.finfo(float).tiny)
    for _ in range(ROUNDS):
        before = tells
        for _ in range(ROUNDS):
            base = np.linalg.qr(places)[0]
            explained = n * np.square(table @ base).sum(axis=1) / totals
            # Expected of q directions by chance, plus the largest of d squared normals.
            now = explained > base.shape[1] + 2.0 * np.log(d)
            if now.sum() < 2 or (now == tells).all():
                break
            tells = now
            if 2 * tells.sum() > d:
                return np.ones(d, dtype=bool), places
            some = table[tells]
            q = max(1, count(some, min(most, len(some) - 1), rng))
            places = leading(some, q).objects.T
        if (tells == before).all() or places.shape[1] >= most:
            break
        rest = _without(table, places)
        more = _linked_to(_unit_rows(rest, known), tells, n)
        if more.sum() < 2:
            break
        places = np.hstack([places, leading(rest[more], 1).objects.T])
    return (tells if tells.sum() > 1 else np.ones(d, dtype=bool)), places


def _without(table: Array, places: Array) -> Array:
    """Subtract the part of a table that directions (n, q) explain."""
    base = np.linalg.qr(places)[0]
    return table - (table @ base) @ base.T


def _by_chance(table: Array, rng: np.random.Generator) -> float:
    """Return the leading singular value of a table with random signs."""
    bits = rng.integers(2, size=table.shape, dtype=np.int8)
    signed = table * (2 * bits - 1)
    d, n = signed.shape
    if min(d, n) > SMALL // 2:
        kept = svds(
            signed, 1, tol=1e-3, v0=np.ones(min(d, n)), return_singular_vectors=False
        )
        return float(kept[0])
    squares = signed.T @ signed if n <= d else signed @ signed.T
    last = len(squares) - 1
    top = eigh(squares, eigvals_only=True, subset_by_index=(last, last))
    return float(np.sqrt(max(top[0], 0.0)))


def repeated(deviations: Array, known: Mask, beyond: float = SAME) -> Indices:
    """Return the feature (d,) that each one repeats up to rounding, or its own number.

    Lower the correlation `beyond` to find near copies, too.
    """
    cut, whole = (_unit_rows(deviations, known, reach) for reach in (CUT, np.inf))
    alike = np.minimum(np.abs(cut @ cut.T), np.abs(whole @ whole.T)) > beyond
    return (alike | np.eye(len(alike), dtype=bool)).argmax(axis=1)


def _unit_rows(table: Array, known: Mask, reach: float = CUT) -> Array:
    """Clip outliers and scale rows so that their products are correlations."""
    n_known = np.maximum(known.sum(axis=1, keepdims=True), 1)
    cut = (table - _medians(table, known)) * known
    usual = _medians(np.abs(cut), known)
    most = reach * np.where(usual > 0.0, MAD * usual, np.inf)
    cut = np.clip(cut, -most, most)
    cut = (cut - cut.sum(axis=1, keepdims=True) / n_known) * known
    lengths = np.sqrt(np.square(cut).sum(axis=1, keepdims=True))
    return (cut / np.where(lengths > 0.0, lengths, 1.0)).astype(np.float32)


def _medians(table: Array, known: Mask) -> Array:
    """Return the median of the known values of each row, (d, 1)."""
    if known.all():
        return np.median(table, axis=1, keepdims=True)
    n_known = known.sum(axis=1, keepdims=True)
    ordered = np.sort(np.where(known, table, np.inf), axis=1)
    middle = np.maximum((n_known - 1) // 2, 0), n_known // 2
    low, high = (
        np.take_along_axis(ordered, np.minimum(m, table.shape[1] - 1), axis=1)
        for m in middle
    )
    return np.where(n_known > 0, 0.5 * (low + high), 0.0)


def beyond_chance(n_pairs: float, n_objects: int, expected: float) -> float:
    """Return the correlation that `expected` of `n_pairs` independent pairs exceed."""
    freedom = n_objects - 2
    if freedom < 1 or n_pairs <= expected:
        return 1.0
    quantile = student.isf(expected / (2.0 * n_pairs), freedom)
    return float(quantile / np.sqrt(freedom + quantile**2))


def _linked(
    rows: Array, n_objects: int, lost: Array | None = None
) -> tuple[Indices, Mask]:
    """Return the feature (d,) that each one repeats, and a mask of correlated ones.

    `rows` (d, n) have unit length. Subtracting orthonormal directions `lost` (d, q)
    gives residuals the covariance ``I - lost lost'``; twice these correlations are
    deducted, as features differ. Correlated features form a pair very unlikely by
    chance, or a group of at least four connected by weaker pairs.
    """
    d = len(rows)
    n_pairs = 0.5 * d * (d - 1)
    level = settings.CORRELATED_BY_CHANCE
    surely = beyond_chance(n_pairs, n_objects, level)
    # Four features (16 trees) are connected by chance in a share `level` of tables.
    perhaps = beyond_chance(n_pairs, n_objects, (3 / 16 * level * d**2) ** (1 / 3))
    copy_of, linked = np.arange(d), np.zeros(d, dtype=bool)
    links: list[tuple[Indices, Indices]] = []
    n_links = 0
    if lost is not None:
        kept = 1.0 - np.square(lost).sum(axis=1, keepdims=True)
        lost = (lost / np.sqrt(np.maximum(kept, 1e-6))).astype(np.float32)
    for later in range(0, d, BLOCK):
        after = slice(later, later + BLOCK)
        for earlier in range(0, later + 1, BLOCK):
            before = slice(earlier, earlier + BLOCK)
            found = np.abs(rows[before] @ rows[after].T)
            if earlier == later:
                found = np.triu(found, 1)
            if found.max() <= perhaps:
                continue  # the usual case in a wide table
            if found.max() > settings.COPY:
                same = found > settings.COPY
                for i in np.flatnonzero(same.any(axis=1)):
                    if copy_of[earlier + i] == earlier + i:  # no copies of copies
                        which = later + np.flatnonzero(same[i])
                        which = which[copy_of[which] == which]
                        copy_of[which] = earlier + i
                found[same] = 0.0
            if lost is not None:
                found -= 2.0 * np.abs(lost[before] @ lost[after].T)
            certain = found > surely
            linked[before] |= certain.any(axis=1)
            linked[after] |= certain.any(axis=0)
            if n_links <= MOST_LINKS * d:  # with more, most features are linked
                one, other = np.divmod(np.flatnonzero(found > perhaps), found.shape[1])
                links.append((earlier + one, later + other))
                n_links += len(one)
    if 0 < n_links <= MOST_LINKS * d:
        one, other = (np.concatenate(side) for side in zip(*links, strict=True))
        graph = csr_array((np.ones(n_links), (one, other)), shape=(d, d))
        group = connected_components(graph, directed=False)[1]
        linked |= (np.bincount(group) >= SMALLEST_GROUP)[group]
    return copy_of, linked


def _linked_to(rows: Array, some: Mask, n_objects: int) -> Mask:
    """Find features correlated across the border of a set; inside it all are."""
    inside, outside = np.flatnonzero(some), np.flatnonzero(~some)
    n_pairs = len(inside) * len(outside)
    least = beyond_chance(n_pairs, n_objects, settings.CORRELATED_BY_CHANCE)
    linked = np.zeros(len(rows), dtype=bool)
    for begin in range(0, len(outside), BLOCK):
        part = outside[begin : begin + BLOCK]
        found = np.abs(rows[inside] @ rows[part].T) > least
        linked[inside] |= found.any(axis=1)
        linked[part] |= found.any(axis=0)
    return linked
