"""Objects given by values: lists of any length, joint draws, draws of any law."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from incerta.backend.keyed import (
    Keys,
    keys_of,
    mixed,
    stratified_uniforms,
    stream_keys,
)
from incerta.backend.memory import BLOCK_BYTES
from incerta.data.laws.base import Arrays, Boxes, Law, numbered
from incerta.data.laws.families import Gaussian, Independent
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices

# Draws that stand for a law where no formula is known.
N_VALUES = 64
# What streams are for; worlds have the numbers below.
_VALUES, _STRATA = 2, 3


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


def _check_draws(law: "Joint") -> None:
    if not len(law.draws):
        wrong("there are no draws")


@stored(_check_draws, draws="f w n d")
@dataclass(frozen=True, eq=False)
class Joint(Arrays):
    """Joint draws, shape (n_draws, n_objects, n_features), equally likely.

    Its worlds are the draws themselves; `at` never mixes objects of different
    draws, so it takes one uniform per world, the same for every object.
    """

    draws: Array

    axes = {"draws": "wnd"}
    kind = "joint worlds"
    n_uniforms = 1

    @property
    def n_draws(self) -> int:  # type: ignore[override]
        return len(self.draws)

    def at(self, u: Array) -> Array:
        return self.draws[(u[:, 0, 0] * len(self.draws)).astype(np.intp)]

    def mean(self) -> Array:
        return self.draws.mean(axis=0)

    def variance(self) -> Array:
        return self.draws.var(axis=0)

    def covariance(self) -> Array:
        centred = self.draws - self.draws.mean(axis=0)
        return np.einsum("mni,mnj->nij", centred, centred) / len(self.draws)

    def values_per_object(self) -> Indices:
        return np.full(self.n_objects, len(self.draws))

    def boxes(self) -> Boxes:
        return Boxes(self.draws.min(axis=0), self.draws.max(axis=0))

    def rescaled(self, scale: Array, offset: Array) -> "Joint":
        return Joint(self.draws * scale + offset)

    def mapped(self, matrix: Array, offset: Array) -> "Joint":
        return Joint(self.draws @ matrix.T + offset)


def as_values(
    law: Law, seed: int, keys: Keys | None = None, n_values: int = N_VALUES
) -> Values:
    """Objects given by values: their own, or `n_values` stratified draws of each.

    `keys` (n_objects, n_uniforms): keys of the uniform numbers, see `Law.keys`; objects
    and features are counted by default.
    """
    if isinstance(law, Values):
        return law
    if isinstance(law, Joint):
        return _end_to_end(law.draws)
    if keys is None:
        objects = keys_of(np.arange(law.n_objects))
        keys = law.keys(objects, numbered(law.n_features))
    numbers = np.arange(n_values)
    streams = stream_keys(seed, _VALUES, numbers)
    orders = mixed(keys + stream_keys(seed, _STRATA, numbers[:1]))
    return _end_to_end(
        law.at(stratified_uniforms(streams, keys, orders, numbers, n_values))
    )


def _end_to_end(draws: Array) -> Values:
    m, n, d = draws.shape
    return Values(np.swapaxes(draws, 0, 1).reshape(n * m, d), np.arange(n + 1) * m)


def points_like(law: Law, points: Array) -> Law:
    """Points, as objects without spread of the same kind as those of a law."""
    if isinstance(law, Independent):
        return Independent(law.family, points, np.zeros_like(points))
    if isinstance(law, Gaussian):
        return Gaussian(points, np.zeros((*points.shape, law.n_uniforms)))
    return Values(points, np.arange(len(points) + 1))
