"""Probabilities that two uncertain objects are within eps of each other."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, singledispatch
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from incerta.backend.device import CPU
from incerta.backend.keyed import Keys
from incerta.backend.memory import blocks
from incerta.backend.progress import followed
from incerta.data.laws import (
    Boxes,
    Gaussian,
    Independent,
    Joint,
    Law,
    Values,
    as_values,
    points_like,
)
from incerta.density.quadratic import correlated_within, gaussian_within
from incerta.density.value_pairs import pairs_of_values, shares_of_draws
from incerta.typing import Array, Indices, Mask

LEAF = 16
# Size of a block of pairs, for the second-level cache.
CACHE = 2**18


@dataclass(frozen=True, kw_only=True)
class Tree:
    """Objects sorted so that neighbors in space are neighbors in the order.

    Node i of a level has the nodes 2 i and 2 i + 1 of the next one below it.
    """

    order: Indices  # position of each object of the tree in its input
    starts: Indices  # start of each leaf in the order, and the end
    boxes: Boxes  # boxes of the objects, in the order of the tree
    levels: list[Boxes]


def plant(boxes: Boxes) -> Tree:
    """Sort objects into a tree of boxes: one sort of all objects per level."""
    n = len(boxes.low)
    depth = max(0, int(np.ceil(np.log2(n / LEAF))))
    centers = boxes.low / 2 + boxes.high / 2  # halved first: the sum may overflow
    order = np.arange(n)
    for level in range(depth):
        # Node i holds the objects from n i / 2^level on; the halves of its halves are
        # the nodes of the next level.
        starts = n * np.arange(2**level) // 2**level
        node = np.repeat(np.arange(2**level), np.diff(starts, append=n))
        here = centers[order]
        spread = np.maximum.reduceat(here, starts) - np.minimum.reduceat(here, starts)
        widest = spread.argmax(axis=1)
        order = order[np.lexsort((here[np.arange(n), widest[node]], node))]
    starts = n * np.arange(2**depth + 1) // 2**depth
    sorted_boxes = Boxes(boxes.low[order], boxes.high[order])
    low = np.minimum.reduceat(sorted_boxes.low, starts[:-1])
    high = np.maximum.reduceat(sorted_boxes.high, starts[:-1])
    levels = [Boxes(low, high)]
    while len(low) > 1:
        low = np.minimum(low[::2], low[1::2])
        high = np.maximum(high[::2], high[1::2])
        levels.insert(0, Boxes(low, high))
    return Tree(order=order, starts=starts, boxes=sorted_boxes, levels=levels)


def pairs_within(
    a: Tree, b: Tree | None, eps: float
) -> Iterator[tuple[Indices, Indices, Mask]]:
    """Yield pairs of objects whose boxes come within `eps` of each other.

    If b is None, pairs are of two objects of a, the earlier one first. Positions are in
    the order of the trees, with rising rows in a block. Also yield whether pairs are
    certain: no two points of their boxes are farther apart than `eps`.
    """
    other = a if b is None else b
    left, right = _leaves_within(a, other, eps, within_one=b is None)
    in_order = np.lexsort((right, left))
    left, right = left[in_order], right[in_order]
    rows_of, columns_of = _members(a), _members(other)
    most = rows_of.shape[1] * columns_of.shape[1]
    size = 8 * 6 * most * a.boxes.low.shape[1]
    for some in followed(blocks(len(left), size), "pairs"):
        rows, columns = np.broadcast_arrays(
            rows_of[left[some], :, None], columns_of[right[some], None, :]
        )
        real = (rows >= 0) & (columns >= 0)
        if b is None:
            real &= rows < columns
        i, j = rows[real], columns[real]
        nearest, farthest = _gaps(a.boxes, i, other.boxes, j)
        close = nearest <= eps
        i, j = i[close], j[close]
        by_row = np.argsort(i, kind="stable")
        yield i[by_row], j[by_row], (farthest[close] <= eps)[by_row]


def _leaves_within(
    a: Tree, b: Tree, eps: float, *, within_one: bool
) -> tuple[Indices, Indices]:
    left = right = np.zeros(1, dtype=np.intp)
    level_a = level_b = 0
    while True:
        nearest, _ = _gaps(a.levels[level_a], left, b.levels[level_b], right)
        left, right = left[nearest <= eps], right[nearest <= eps]
        split_a, split_b = level_a + 1 < len(a.levels), level_b + 1 < len(b.levels)
        if not split_a and not split_b:
            return left, right
        if split_a:
            left, right = np.repeat(2 * left, 2), np.repeat(right, 2)
            left[1::2] += 1
            level_a += 1
        if split_b:
            left, right = np.repeat(left, 2), np.repeat(2 * right, 2)
            right[1::2] += 1
            level_b += 1
        if within_one:
            left, right = left[left <= right], right[left <= right]


def _gaps(a: Boxes, i: Indices, b: Boxes, j: Indices) -> tuple[Array, Array]:
    """Return least and largest distance of points in boxes i of `a` and j of `b`."""
    nearest, farthest = np.zeros((2, len(i)))
    for part in blocks(len(i), 8 * 6, CACHE):
        for low_a, high_a, low_b, high_b in zip(*(x.T for x in (*a, *b)), strict=True):
            below = low_a[i[part]] - high_b[j[part]]
            above = low_b[j[part]] - high_a[i[part]]
            nearest[part] += np.square(np.maximum(np.maximum(below, above), 0.0))
            farthest[part] += np.square(np.minimum(below, above))
    # Distances are rounded so that pairs stay undecided: decisions here are final.
    slack = 1e-12
    return np.sqrt(nearest) * (1 - slack), np.sqrt(farthest) * (1 + slack)


def _members(tree: Tree) -> Indices:
    """Return positions of the objects of each leaf, −1 if a leaf has one less."""
    sizes = np.diff(tree.starts)
    place = np.arange(sizes.max())
    return np.where(place < sizes[:, None], tree.starts[:-1, None] + place, -1)


def within(
    law: Law,
    eps: float,
    *,
    seed: int = 0,
    fast: bool = False,
    least: float = 0.0,
    device: str = CPU,
) -> csr_array:
    """Return ``P(|X_i − X_j| ≤ eps)`` of all pairs of objects that can be that close.

    The matrix is symmetric, with 1 on the diagonal. Probabilities below `least` are
    left out, and missing entries are 0. It is exact for values and joint draws.
    Gaussian objects are cut off 7 standard deviations from their mean, and other laws
    are replaced by 64 stratified values each. Pairs that are decided by their boxes are
    not computed.
    """
    half = _collect(known(law, seed), None, eps, fast, least, device)
    return csr_array(half + half.T)


def within_between(
    a: Law, b: Law, eps: float, *, seed: int = 0, fast: bool = False, device: str = CPU
) -> csr_array:
    """Return ``P(|X_i − Y_j| ≤ eps)`` of independent objects of two laws.

    It is computed as in `within` if both laws have the same kind or one is exact.
    Otherwise objects not given by values are replaced by 64 stratified values each.
    """
    a, b = alike(a, b, seed)
    return _collect(a, b, eps, fast, 0.0, device)


def known(law: Law, seed: int, keys: Keys | None = None) -> Law:
    """Return the law if it has distance probabilities, or else `as_values` of it."""
    gaussian = isinstance(law, Independent) and law.family == "gaussian"
    if gaussian or isinstance(law, (Values, Gaussian, Joint)):
        return law
    return as_values(law, seed, keys)


def alike(a: Law, b: Law, seed: int) -> tuple[Law, Law]:
    """Return two laws of independent objects as laws of one kind."""
    # Joint draws of one law are independent of the other law: use them as values.
    a, b = (
        known(each, seed) if each.n_draws is None else as_values(each, seed)
        for each in (a, b)
    )
    if type(a) is not type(b):
        a, b = (
            one if one.kind != "exact" else points_like(other, one.mean())
            for one, other in ((a, b), (b, a))
        )
    if type(a) is not type(b):
        a, b = as_values(a, seed), as_values(b, seed)
    return a, b


def _collect(
    a: Law, b: Law | None, eps: float, fast: bool, least: float, device: str
) -> csr_array:
    """Return probabilities of near pairs, by their positions in the data."""
    tree = plant(a.boxes())
    of_b = None if b is None else plant(b.boxes())
    law = a.take(tree.order)
    other = law if b is None or of_b is None else b.take(of_b.order)
    shares_of = _shares_of(law, other, eps, fast, device)
    # Positions of fewer than 2^31 objects take half the memory.
    order_a = tree.order.astype(np.int32)
    order_b = order_a if of_b is None else of_b.order.astype(np.int32)
    rows, columns, shares = [order_a[:0]], [order_b[:0]], [np.empty(0)]
    if b is None:  # half of the diagonal; the transpose adds the other half
        rows, columns = [order_a], [order_a]
        shares = [np.full(len(order_a), 0.5)]
    for i, j, certain in pairs_within(tree, of_b, eps):
        found = np.ones(len(i))
        found[~certain] = shares_of(i[~certain], j[~certain])
        kept = (found > 0.0) & (found >= least)
        rows.append(order_a[i[kept]])
        columns.append(order_b[j[kept]])
        shares.append(found[kept])
    places = np.concatenate(rows), np.concatenate(columns)
    shape = len(order_a), len(order_b)
    return csr_array(coo_array((np.concatenate(shares), places), shape=shape))


@singledispatch
def _shares_of(
    a: Law, b: Law, eps: float, fast: bool, device: str
) -> Callable[[Indices, Indices], Array]:
    """Return a function for the probabilities of pairs of objects of two laws."""
    return _of_gaussians(gaussian_within, a.variance(), a, b.variance(), b, eps, fast)


@_shares_of.register
def _(a: Gaussian, b: Law, eps: float, fast: bool, device: str) -> Any:
    spreads = a.covariance(), a, b.covariance(), b
    return _of_gaussians(correlated_within, *spreads, eps, fast)


@_shares_of.register
def _(a: Joint, b: Law, eps: float, fast: bool, device: str) -> Any:
    return partial(shares_of_draws, a, eps=eps)


@_shares_of.register
def _(a: Values, b: Values, eps: float, fast: bool, device: str) -> Any:
    return pairs_of_values(a, b, eps, device=device)


def _of_gaussians(
    probability: Callable[..., Array],
    spread_a: Array,
    a: Law,
    spread_b: Array,
    b: Law,
    eps: float,
    fast: bool,
) -> Callable[[Indices, Indices], Array]:
    mean_a, mean_b, width = a.mean(), b.mean(), spread_a[0].size

    def shares(i: Indices, j: Indices) -> Array:
        out = np.empty(len(i))
        for some in blocks(len(i), 8 * 3 * width):
            gap = mean_a[i[some]] - mean_b[j[some]]
            spread = spread_a[i[some]] + spread_b[j[some]]
            out[some] = probability(gap, spread, eps, fast=fast)
        return out

    return shares
