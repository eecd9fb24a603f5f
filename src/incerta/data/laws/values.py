"""Objects given by a list of possible values, of any length."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incerta.backend.memory import BLOCK_BYTES
from incerta.data.laws.base import Boxes, Law
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices


def _check(law: "Values") -> None:
    starts = law.starts
    if len(starts) < 2 or starts[0] != 0 or starts[-1] != len(law.values):
        wrong("starts does not fit the values")
    if (np.diff(starts) < 1).any():
        wrong("starts does not rise")


@stored(_check, values="f v d", starts="i s", weights="f v")
@dataclass(frozen=True, eq=False)
class Values(Law):
    """Discrete laws: all objects' values end to end, nothing padded.

    Attributes
    ----------
    values : ndarray of shape (n_values, n_features)
        Values of object i are ``values[starts[i]:starts[i + 1]]``.
    starts : ndarray of shape (n_objects + 1,)
        Where each object begins; the last entry is the number of values.
    weights : ndarray of shape (n_values,) or None
        Probabilities, summing to one per object; None means equally likely.
    """

    values: Array
    starts: Indices
    weights: Array | None = None

    n_uniforms = 1

    @property
    def kind(self) -> str:
        if len(self.values) == self.n_objects:
            return "exact"
        return "samples" if self.weights is None else "weighted samples"

    @property
    def n_objects(self) -> int:
        return len(self.starts) - 1

    @property
    def n_features(self) -> int:
        return self.values.shape[1]

    @cached_property
    def counts(self) -> Indices:
        """Number of values of each object."""
        return np.diff(self.starts)

    def at(self, u: Array) -> Array:
        # Inversion of a step function: which of the object's values is at u?
        v = u[..., 0]
        if self.weights is None:
            rows = (v * self.counts).astype(np.intp) + self.starts[:-1]
        else:
            here = v + np.arange(self.n_objects)
            rows = np.searchsorted(self._cumulative, here, side="right")
        # u just below 1 may round up into the next object.
        np.clip(rows, self.starts[:-1], self.starts[1:] - 1, out=rows)
        return self.values[rows]

    @cached_property
    def _cumulative(self) -> Array:
        """Cumulative weights laid end to end: object i fills (i, i + 1]."""
        assert self.weights is not None
        total = np.cumsum(self.weights)
        before = np.concatenate([[0.0], total[self.starts[1:-1] - 1]])
        steps = np.arange(self.n_objects) - before
        cumulative = total + np.repeat(steps, self.counts)
        cumulative[self.starts[1:] - 1] = np.arange(1, self.n_objects + 1)
        return cumulative

    def mean(self) -> Array:
        if self.kind == "exact":
            return self.values.copy()
        mean = np.empty((self.n_objects, self.n_features))
        for objects, rows in self._blocks():
            mean[objects] = self._expect(self.values[rows], objects, rows)
        return mean

    def variance(self) -> Array:
        if self.kind == "exact":
            return np.zeros_like(self.values)
        variance = np.empty((self.n_objects, self.n_features))
        for objects, rows in self._blocks():
            centred = self._centred(objects, rows)
            variance[objects] = self._expect(centred**2, objects, rows)
        return variance

    def covariance(self) -> Array:
        d = self.n_features
        cov = np.empty((self.n_objects, d, d))
        for objects, rows in self._blocks(width=d * d):
            centred = self._centred(objects, rows)
            products = centred[:, :, None] * centred[:, None, :]
            cov[objects] = self._expect(
                products.reshape(-1, d * d), objects, rows
            ).reshape(-1, d, d)
        return cov

    def values_per_object(self) -> Indices:
        return self.counts

    def boxes(self) -> Boxes:
        starts = self.starts[:-1]
        return Boxes(
            np.minimum.reduceat(self.values, starts, axis=0),
            np.maximum.reduceat(self.values, starts, axis=0),
        )

    def take(self, index: Indices) -> "Values":
        counts = self.counts[index]
        starts = np.concatenate([[0], np.cumsum(counts)])
        rows = np.arange(starts[-1]) + np.repeat(
            self.starts[:-1][index] - starts[:-1], counts
        )
        weights = None if self.weights is None else self.weights[rows]
        return Values(self.values[rows], starts, weights)

    def rescaled(self, scale: Array, offset: Array) -> "Values":
        return Values(self.values * scale + offset, self.starts, self.weights)

    def select(self, features: Indices) -> "Values":
        return Values(self.values[:, features], self.starts, self.weights)

    def mapped(self, matrix: Array, offset: Array) -> "Values":
        return Values(self.values @ matrix.T + offset, self.starts, self.weights)

    def joined(self, other: Law) -> "Values | None":
        if not isinstance(other, Values):
            return None
        weights = None
        if self.weights is not None or other.weights is not None:
            weights = np.concatenate([self.probabilities(), other.probabilities()])
        return Values(
            np.concatenate([self.values, other.values]),
            np.concatenate([self.starts[:-1], other.starts + self.starts[-1]]),
            weights,
        )

    def probabilities(self) -> Array:
        """Probability of each value, shape (n_values,)."""
        if self.weights is not None:
            return self.weights
        return np.repeat(1.0 / self.counts, self.counts)

    def _expect(self, terms: Array, objects: slice, rows: slice) -> Array:
        """Average `terms`, one row per value, over each object of a block."""
        if self.weights is not None:
            terms = terms * self.weights[rows, None]
        starts = self.starts[objects] - rows.start
        sums: Array = np.add.reduceat(terms, starts, axis=0)
        return sums if self.weights is not None else sums / self.counts[objects, None]

    def _centred(self, objects: slice, rows: slice) -> Array:
        # The mean goes first: E x² − (E x)² loses all digits far from the origin.
        values = self.values[rows]
        mean = self._expect(values, objects, rows)
        return values - np.repeat(mean, self.counts[objects], axis=0)

    def _blocks(self, width: int | None = None) -> Iterator[tuple[slice, slice]]:
        """Cut the objects into runs whose temporaries stay small."""
        rows_per_block = max(1, BLOCK_BYTES // (8 * (width or self.n_features)))
        first = 0
        while first < self.n_objects:
            goal = self.starts[first] + rows_per_block
            last = int(np.searchsorted(self.starts, goal, side="right")) - 1
            last = min(max(last, first + 1), self.n_objects)
            yield (
                slice(first, last),
                slice(int(self.starts[first]), int(self.starts[last])),
            )
            first = last
