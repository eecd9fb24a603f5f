"""Shares of pairs of values within eps, for many pairs of objects."""

from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from math import nan
from typing import Any, NamedTuple

import numpy as np

from incerta.backend.device import CPU, fetch, namespace, put, put_beside
from incerta.backend.memory import blocks
from incerta.backend.optional import engine_for
from incerta.data.laws import Joint, Values
from incerta.density.single import counts, factors, near
from incerta.typing import Array, Indices

# Pairs of values processed together: 8 MiB of distances.
TILE = 2**21

Shares = Callable[[Indices, Indices], Array]


def pairs_of_values(
    a: Values, b: Values, eps: float, *, engine: str = "auto", device: str = CPU
) -> Shares:
    """Prepare ``Σ w_s w_t 1[|x_s − y_t| ≤ eps]`` over the values of two objects.

    The function takes positions i in `a`, in rising order, and j in `b` of pairs of
    objects, and returns the share of each pair. Decisions are those of double
    precision, feature by feature, although most are made in single precision. Objects
    without weights are counted in integers, so their shares are exact.
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
        # Weights may add up to 1 plus a rounding error.
        return lambda i, j: np.minimum(sums(i, j), 1.0)
    return lambda i, j: sums(i, j) / (a.counts[i] * b.counts[j])


def shares_of_draws(law: Joint, i: Indices, j: Indices, eps: float) -> Array:
    """Return the share of joint draws in which objects i and j are within eps."""
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
    center = a.values.mean(axis=0)
    of_a, of_b = (factors(each.values, center, eps) for each in (a, b))
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
    """Yield each object of a with some of its partners in b, about a tile at a time.

    Also yield the values of both sides, and where each partner begins.
    """
    sizes = b.counts[j]
    ends = np.cumsum(sizes)
    # A run ends with the object, or when its values fill a tile.
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
    """Return the transposed values of each object, end to end."""
    n, d = law.values.shape
    # Feature k of value r of an object with c values from s on is at d s + r + c k.
    begin, counts = (np.repeat(x, law.counts) for x in (law.starts[:-1], law.counts))
    first = np.arange(n) + (d - 1) * begin
    out = np.empty(n * d)
    for k in range(d):
        out[first + counts * k] = law.values[:, k]
    return out


# Number of squared distances computed at a time.
DEVICE_BYTES = 2**28
EPS, TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)


class Filled(NamedTuple):
    """Objects with about the same number of values, on a device."""

    values: Any  # (n, size, d), NaN if an object has fewer values
    left: Any  # (n, size, d + 2)
    right: Any  # (n, size, d + 2), left @ right' are squared distances
    reach: Any  # (n,), largest distance of an object's values from the center
    weights: Any  # (n, size), 0 if an object has fewer values

    def take(self, rows: Indices) -> "Filled":
        """Return some of the objects, in this order."""
        xp, there = namespace(self.values), put_beside(rows, self.values)
        return Filled(*(xp.take(each, there, axis=0) for each in self))


class Placed(NamedTuple):
    """Objects grouped by the next power of two of their number of values."""

    powers: Indices  # (n,)
    places: Indices  # (n,), position among the objects of this power
    filled: dict[int, Filled]


class PairsOnDevice:
    """Sums over the pairs of values within eps of two objects, on a device.

    Objects are padded to one length by values that are near nothing. If rounding could
    change a decision, differences are squared and added as on the CPU.
    """

    def __init__(
        self, a: Values, b: Values, eps: float, weighted: bool, device: str
    ) -> None:
        center = a.values.mean(axis=0)
        self.a = _placed(a, center, device)
        self.b = self.a if b is a else _placed(b, center, device)
        self.limit, self.weighted = float(eps * eps), weighted

    def __call__(self, i: Indices, j: Indices) -> Array:
        """Return the sums for pairs of objects i of a and j of b."""
        out = np.empty(len(i))
        powers = np.stack([self.a.powers[i], self.b.powers[j]])
        for one, other in np.unique(powers, axis=1).T:
            x, y = self.a.filled[one], self.b.filled[other]
            pairs = np.flatnonzero((powers[0] == one) & (powers[1] == other))
            size = 8 * x.values.shape[1] * y.values.shape[1]
            for some in blocks(len(pairs), size, DEVICE_BYTES):
                here = pairs[some]
                places = self.a.places[i[here]], self.b.places[j[here]]
                out[here] = self._sums(x.take(places[0]), y.take(places[1]))
        return out

    def _sums(self, x: Filled, y: Filled) -> Array:
        xp, d = namespace(x.values), x.values.shape[2]
        squares = x.left @ xp.matrix_transpose(y.right)
        # Sums of d + 2 products here, and of d squares on the CPU, have an error of
        # less than half of this, unless they are tiny.
        band = (2 * d + 8) * EPS * xp.square(x.reach + y.reach) + TINY
        surely = squares <= (self.limit - band)[:, None, None]
        perhaps = squares <= (self.limit + band)[:, None, None]
        undecided = _counts(surely) != _counts(perhaps)
        unsure = np.flatnonzero(fetch(undecided | ~xp.isfinite(band)))
        sums = fetch(self._added(surely, x, y)).astype(np.float64)
        if len(unsure):
            x, y = x.take(unsure), y.take(unsure)
            exact = _squared_distances(x.values, y.values) <= self.limit
            sums[unsure] = fetch(self._added(exact, x, y))
        return sums

    def _added(self, close: Any, x: Filled, y: Filled) -> Any:
        if not self.weighted:
            return _counts(close)
        xp = namespace(close)
        products = x.weights[:, :, None] * y.weights[:, None, :]
        return xp.sum(xp.where(close, products, 0.0), axis=(1, 2))


def _counts(close: Any) -> Any:
    return namespace(close).count_nonzero(close, axis=(1, 2))


def _squared_distances(x: Any, y: Any) -> Any:
    """Return squared differences of all pairs, added feature by feature."""
    total: Any = 0.0
    for k in range(x.shape[2]):
        gaps = x[:, :, None, k] - y[:, None, :, k]
        total = total + gaps * gaps
    return total


def _placed(law: Values, center: Array, device: str) -> Placed:
    powers = np.ceil(np.log2(law.counts)).astype(np.intp)
    places = np.empty(law.n_objects, dtype=np.intp)
    filled = {}
    for power in np.unique(powers):
        members = np.flatnonzero(powers == power)
        places[members] = np.arange(len(members))
        filled[int(power)] = _filled(law, members, center, device)
    return Placed(powers, places, filled)


def _filled(law: Values, members: Indices, center: Array, device: str) -> Filled:
    counts = law.counts[members]
    numbers = np.arange(counts.max())
    there = numbers < counts[:, None]
    rows = np.where(there, law.starts[members][:, None] + numbers, 0)
    values = np.where(there[..., None], law.values[rows], nan)
    weights = np.where(there, law.probabilities()[rows], 0.0)
    with np.errstate(over="ignore"):
        off = values - center
        squares = np.square(off).sum(axis=2, keepdims=True)
        reach = np.sqrt(np.where(there, squares[..., 0], 0.0).max(axis=1))
        ones = np.ones_like(squares)
        left = np.concatenate([-2.0 * off, squares, ones], axis=2)
    right = np.concatenate([off, ones, squares], axis=2)
    return Filled(*(put(x, device) for x in (values, left, right, reach, weights)))
