"""Pairs of values within eps on a device: products for many pairs of objects at once.

Objects are filled up to one length by values that are near to nothing. Where rounding
could turn a decision, differences are squared and added feature by feature, as on the
CPU: decisions are the same.
"""

from math import nan
from typing import Any, NamedTuple

import numpy as np

from incerta.backend.device import fetch, namespace, put, put_beside
from incerta.backend.memory import blocks
from incerta.data.laws import Values
from incerta.typing import Array, Indices

# Squared distances of pairs of values at a time.
DEVICE_BYTES = 2**28
EPS, TINY = float(np.finfo(np.float64).eps), float(np.finfo(np.float64).tiny)


class Filled(NamedTuple):
    """Objects of about the same number of values, on a device."""

    values: Any  # (n, size, d), not numbers where an object has fewer values
    left: Any  # (n, size, d + 2)
    right: Any  # (n, size, d + 2), left @ right' are squared distances
    reach: Any  # (n,), how far the values of an object are from the centre
    weights: Any  # (n, size), 0 where an object has fewer values

    def take(self, rows: Indices) -> "Filled":
        """Some of the objects, in this order."""
        xp, there = namespace(self.values), put_beside(rows, self.values)
        return Filled(*(xp.take(each, there, axis=0) for each in self))


class Placed(NamedTuple):
    """Objects by the power of two that their number of values is below."""

    powers: Indices  # (n,)
    places: Indices  # (n,), among the objects of this power
    filled: dict[int, Filled]


class PairsOnDevice:
    """Sums over the pairs of values within eps of two objects, for many such pairs.

    `a`, `b`: the objects. `eps`: the distance. `weighted`: whether probabilities are
    added up instead of pairs counted. `device`: a device of torch.
    """

    def __init__(
        self, a: Values, b: Values, eps: float, weighted: bool, device: str
    ) -> None:
        centre = a.values.mean(axis=0)
        self.a = _placed(a, centre, device)
        self.b = self.a if b is a else _placed(b, centre, device)
        self.limit, self.weighted = float(eps * eps), weighted

    def __call__(self, i: Indices, j: Indices) -> Array:
        """Sums of pairs of objects i of a and j of b."""
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
        # Sums of d + 2 products here and of d squares on the CPU, of numbers that were
        # rounded, are off by less than half of this, if they are not tiny.
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
    """Squared differences of all pairs, added feature by feature."""
    total: Any = 0.0
    for k in range(x.shape[2]):
        gaps = x[:, :, None, k] - y[:, None, :, k]
        total = total + gaps * gaps
    return total


def _placed(law: Values, centre: Array, device: str) -> Placed:
    powers = np.ceil(np.log2(law.counts)).astype(np.intp)
    places = np.empty(law.n_objects, dtype=np.intp)
    filled = {}
    for power in np.unique(powers):
        members = np.flatnonzero(powers == power)
        places[members] = np.arange(len(members))
        filled[int(power)] = _filled(law, members, centre, device)
    return Placed(powers, places, filled)


def _filled(law: Values, members: Indices, centre: Array, device: str) -> Filled:
    counts = law.counts[members]
    numbers = np.arange(counts.max())
    there = numbers < counts[:, None]
    rows = np.where(there, law.starts[members][:, None] + numbers, 0)
    values = np.where(there[..., None], law.values[rows], nan)
    weights = np.where(there, law.probabilities()[rows], 0.0)
    with np.errstate(over="ignore"):
        off = values - centre
        squares = np.square(off).sum(axis=2, keepdims=True)
        reach = np.sqrt(np.where(there, squares[..., 0], 0.0).max(axis=1))
        ones = np.ones_like(squares)
        left = np.concatenate([-2.0 * off, squares, ones], axis=2)
    right = np.concatenate([off, ones, squares], axis=2)
    return Filled(*(put(x, device) for x in (values, left, right, reach, weights)))
