"""Which pairs of objects can be close: boxes around their values, in a tree.

The tree is complete and lies in arrays, level by level, so that a whole level of pairs
of nodes is tested in one operation. Pairs of boxes further apart than eps are dropped
with everything below them.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from incerta.backend.memory import blocks
from incerta.backend.progress import followed
from incerta.data.laws import Boxes
from incerta.typing import Array, Indices, Mask

LEAF = 16
# What is computed together, in the second-level cache.
CACHE = 2**18


class Tree(NamedTuple):
    """Objects sorted so that neighbours in space are neighbours in the order.

    `levels` go from one box around everything down to one box per leaf; node i of a
    level has the nodes 2 i and 2 i + 1 of the next one below it.
    """

    order: Indices  # position of each object of the tree among those it was made of
    starts: Indices  # where each leaf begins in the order, and the end
    boxes: Boxes  # of the objects, in the order of the tree
    levels: list[Boxes]


def plant(boxes: Boxes) -> Tree:
    """Sort objects into a tree of boxes.

    `boxes`: bounds of at least one object.

    One sort of all objects per level: n log² n.
    """
    n = len(boxes.low)
    depth = max(0, int(np.ceil(np.log2(n / LEAF))))
    centres = boxes.low / 2 + boxes.high / 2  # halved first: the sum may overflow
    order = np.arange(n)
    for level in range(depth):
        # Node i holds the objects from n i / 2^level on; the halves of its halves are
        # the nodes of the next level.
        starts = n * np.arange(2**level) // 2**level
        node = np.repeat(np.arange(2**level), np.diff(starts, append=n))
        here = centres[order]
        spread = np.maximum.reduceat(here, starts) - np.minimum.reduceat(here, starts)
        widest = spread.argmax(axis=1)
        order = order[np.lexsort((here[np.arange(n), widest[node]], node))]
    starts = n * np.arange(2**depth + 1) // 2**depth
    sorted_boxes = Boxes(boxes.low[order], boxes.high[order])
    level_boxes = Boxes(
        np.minimum.reduceat(sorted_boxes.low, starts[:-1]),
        np.maximum.reduceat(sorted_boxes.high, starts[:-1]),
    )
    levels = [level_boxes]
    while len(levels[0].low) > 1:
        below = levels[0]
        levels.insert(
            0,
            Boxes(
                np.minimum(below.low[::2], below.low[1::2]),
                np.maximum(below.high[::2], below.high[1::2]),
            ),
        )
    return Tree(order, starts, sorted_boxes, levels)


def pairs_within(
    a: Tree, b: Tree | None, eps: float
) -> Iterator[tuple[Indices, Indices, Mask]]:
    """Pairs of objects whose boxes come within `eps` of each other.

    `a`, `b`: pairs have an object of each; where `b` is None, two objects of `a`, the
    earlier one first. `eps`: the distance.

    Yields `rows`, `columns` (n_pairs,): positions in the order of the trees; rows do
    not fall within a block. `certain` (n_pairs,): true where no two points of the boxes
    are further apart than `eps`.
    """
    other = a if b is None else b
    left, right = _leaves_within(a, other, eps, within_one=b is None)
    in_order = np.lexsort((right, left))
    left, right = left[in_order], right[in_order]
    rows_of, columns_of = _members(a), _members(other)
    most = rows_of.shape[1] * columns_of.shape[1]
    size = 8 * 6 * most * a.boxes.low.shape[1]
    for some in followed(blocks(len(left), size), "pairs"):
        rows = np.broadcast_to(
            rows_of[left[some], :, None], (*left[some].shape, *_shape(a, other))
        )
        columns = np.broadcast_to(columns_of[right[some], None, :], rows.shape)
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
    """Least and largest distance of points in boxes i of `a` and j of `b`."""
    nearest, farthest = np.zeros((2, len(i)))
    for part in blocks(len(i), 8 * 6, CACHE):
        for low_a, high_a, low_b, high_b in zip(*(x.T for x in (*a, *b)), strict=True):
            below = low_a[i[part]] - high_b[j[part]]
            above = low_b[j[part]] - high_a[i[part]]
            nearest[part] += np.square(np.maximum(np.maximum(below, above), 0.0))
            farthest[part] += np.square(np.minimum(below, above))
    # Distances are rounded towards keeping a pair open: what is decided here is not
    # looked at again.
    slack = 1e-12
    return np.sqrt(nearest) * (1 - slack), np.sqrt(farthest) * (1 + slack)


def _members(tree: Tree) -> Indices:
    """Positions of the objects of each leaf, −1 where a leaf has one less."""
    sizes = np.diff(tree.starts)
    place = np.arange(sizes.max())
    return np.where(place < sizes[:, None], tree.starts[:-1, None] + place, -1)


def _shape(a: Tree, b: Tree) -> tuple[int, int]:
    return int(np.diff(a.starts).max()), int(np.diff(b.starts).max())
