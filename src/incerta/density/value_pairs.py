"""Share of the pairs of values of two objects that are within eps, for many pairs."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise

import numpy as np

from incerta.backend.device import CPU
from incerta.backend.engine import engine_for
from incerta.backend.memory import blocks
from incerta.data.laws import Joint, Values
from incerta.density.device_pairs import PairsOnDevice
from incerta.density.single import counts, factors, near
from incerta.typing import Array, Indices

# Pairs of values that are looked at together: 8 MiB of distances.
TILE = 2**21

Shares = Callable[[Indices, Indices], Array]


def pairs_of_values(
    a: Values, b: Values, eps: float, *, engine: str = "auto", device: str = CPU
) -> Shares:
    """Prepare ``Σ w_s w_t 1[|x_s − y_t| ≤ eps]`` over the values of two objects.

    `a`, `b`: objects given by values. `eps`: the distance; a pair of values at exactly
    this distance counts. `engine`: what counts objects without weights; "auto" is numba
    if the extra ``fast`` is installed. The results are the same. `device`: where values
    are compared; the engine is for the CPU.

    The function takes the positions i in `a`, in rising order, and j in `b` of pairs of
    objects, and gives the share of each pair.

    Every pair of values is decided as by differences that are squared and added in
    double precision, feature by feature, though most of them in single precision; see
    `near`. Objects without weights are counted in whole numbers, so their shares are
    exact.
    """
    if a.kind == "exact" and b.kind == "exact":
        return partial(_of_points, a.values, b.values, eps)
    sums: Shares
    if device != CPU:
        sums = PairsOnDevice(a, b, eps, _weighted(a, b), device)
    elif engine_for(engine) == "numba" and not _weighted(a, b):
        sums = _by_numba(a, b, eps)
    else:
        sums = _by_numpy(a, b, eps)
    if _weighted(a, b):
        # Weights may add up to one and an ulp.
        return lambda i, j: np.minimum(sums(i, j), 1.0)
    return lambda i, j: sums(i, j) / (a.counts[i] * b.counts[j])


def shares_of_draws(law: Joint, i: Indices, j: Indices, eps: float) -> Array:
    """Share of the joint draws in which objects i and j are within eps."""
    out = np.empty(len(i))
    m, _, d = law.draws.shape
    for some in blocks(len(i), 8 * 3 * m * d):
        gaps = law.draws[:, i[some]] - law.draws[:, j[some]]
        out[some] = (np.square(gaps).sum(axis=2) <= eps * eps).mean(axis=0)
    return out


def _of_points(x: Array, y: Array, eps: float, i: Indices, j: Indices) -> Array:
    out = np.empty(len(i))
    for some in blocks(len(i), 8 * 3 * x.shape[1]):
        gaps = x[i[some]] - y[j[some]]
        out[some] = np.square(gaps).sum(axis=1) <= eps * eps
    return out


def _by_numba(a: Values, b: Values, eps: float) -> Shares:
    from incerta.density.numba_single import counts_within

    starts_a, starts_b = (x.starts.astype(np.int64, copy=False) for x in (a, b))
    values, columns = np.ascontiguousarray(a.values), _feature_by_feature(b)

    def sums(i: Indices, j: Indices) -> Array:
        out = np.empty(len(i))
        pairs = i.astype(np.int64, copy=False), j.astype(np.int64, copy=False)
        counts_within(values, starts_a, columns, starts_b, *pairs, eps, out)
        return out

    return sums


def _by_numpy(a: Values, b: Values, eps: float) -> Shares:
    centre = a.values.mean(axis=0)
    of_a, of_b = (factors(each.values, centre, eps) for each in (a, b))
    weighted = _weighted(a, b)
    weights_a, weights_b = np.ones(len(a.values)), np.ones(len(b.values))
    if weighted:
        weights_a, weights_b = a.probabilities(), b.probabilities()

    def sums(i: Indices, j: Indices) -> Array:
        out = np.empty(len(i))
        for pairs, own, rows, starts in _runs(a, i, b, j):
            here = of_a.only(own), of_b.only(rows)
            close = near(a.values[own], b.values[rows], eps, *here)
            each = weights_a[own] @ close if weighted else counts(close)
            out[pairs] = np.add.reduceat(each * weights_b[rows], starts)
        return out

    return sums


def _runs(
    a: Values, i: Indices, b: Values, j: Indices
) -> Iterator[tuple[slice, slice, slice | Indices, Indices]]:
    """Each object of a with some of its partners in b, about a tile at a time.

    Yields the pairs, where the values of the object and of its partners are, and
    where each partner begins among the latter.
    """
    sizes = b.counts[j]
    ends = np.cumsum(sizes)
    # A run ends with the object, or when its values fill another tile.
    firsts = np.flatnonzero(np.diff(i, prepend=-1))
    begun = np.repeat(ends[firsts] - sizes[firsts], np.diff(firsts, append=len(i)))
    filled = (ends - begun - 1) * a.counts[i] // TILE
    cuts = (np.diff(i, prepend=-1) != 0) | (np.diff(filled, prepend=-1) != 0)
    bounds = np.append(np.flatnonzero(cuts), len(i))
    for first, last in pairwise(bounds.tolist()):
        starts = ends[first:last] - sizes[first:last]
        partners = j[first:last]
        rows: slice | Indices
        if (np.diff(partners) == 1).all():
            rows = slice(int(b.starts[partners[0]]), int(b.starts[partners[-1] + 1]))
        else:
            rows = np.arange(starts[0], ends[last - 1])
            rows += np.repeat(b.starts[partners] - starts, sizes[first:last])
        own = slice(int(a.starts[i[first]]), int(a.starts[i[first] + 1]))
        yield slice(first, last), own, rows, starts - starts[0]


def _weighted(a: Values, b: Values) -> bool:
    return a.weights is not None or b.weights is not None


def _feature_by_feature(law: Values) -> Array:
    """Values of each object transposed, all objects end to end."""
    n, d = law.values.shape
    # Value r of an object with c values from s on goes to d s + r + c k, feature k.
    begin, counts = (np.repeat(x, law.counts) for x in (law.starts[:-1], law.counts))
    first = np.arange(n) + (d - 1) * begin
    out = np.empty(n * d)
    for k in range(d):
        out[first + counts * k] = law.values[:, k]
    return out
