"""What every law can do, and laws made of other laws: stacked, or mapped."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from incerta.backend.keyed import Keys, keys_of_texts
from incerta.models.checks import within, wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices, Mask

T = TypeVar("T", bound=np.generic)
Some = TypeVar("Some", bound="Takes")

# Standard deviations of a Gaussian beyond which 3e-12 of it lie, taken to be nothing.
REACH = 7.0


class Boxes(NamedTuple):
    """Bounds of objects, each of shape (n_objects, n_features)."""

    low: Array
    high: Array


class Law(ABC):
    """Distributions of `n_objects` objects with `n_features` features."""

    # How many draws of all objects together there are; None if they are independent.
    n_draws: int | None = None
    # Whether the features of an object are independent of each other, each with one
    # uniform number.
    independent_features = False

    @property
    @abstractmethod
    def kind(self) -> str:
        """A word or two for people: "gaussian", "samples", ..."""

    @property
    @abstractmethod
    def n_objects(self) -> int: ...

    @property
    @abstractmethod
    def n_features(self) -> int: ...

    @property
    def n_uniforms(self) -> int:
        """How many uniform numbers one value of one object is made from."""
        return self.n_features

    def keys(self, objects: Keys, features: Keys) -> Keys:
        """Keys (n_objects, n_uniforms) of the uniform numbers of objects.

        Independent features have the numbers that belong to their own keys.
        """
        of_each = features if self.independent_features else numbered(self.n_uniforms)
        return objects[:, None] + of_each

    @abstractmethod
    def at(self, u: Array) -> Array:
        """Turn uniforms, strictly between 0 and 1, into values.

        From shape (n_worlds, n_objects, n_uniforms) to (n_worlds, n_objects,
        n_features).
        """

    @abstractmethod
    def mean(self) -> Array:
        """Expected value of each object, shape (n_objects, n_features)."""

    @abstractmethod
    def variance(self) -> Array:
        """Variance per object and feature, shape (n_objects, n_features)."""

    def covariance(self) -> Array:
        """Covariance of each object; diagonal unless a law knows better."""
        return diagonal(self.variance())

    def missing(self) -> Mask | None:
        """Which values are missing, shape (n_objects, n_features); None if none are."""
        return None

    def values_per_object(self) -> Indices | None:
        """Number of values of each object; None if they are given by a formula."""
        return None

    def boxes(self) -> Boxes:
        """Box around (nearly) all values that each object can take."""
        mean, reach = self.mean(), REACH * np.sqrt(self.variance())
        return Boxes(mean - reach, mean + reach)

    @abstractmethod
    def take(self, index: Indices) -> Self:
        """Keep the objects at these positions, in this order."""

    def rescaled(self, scale: Array, offset: Array) -> "Law":
        """Return the law of ``value * scale + offset``, feature by feature."""
        return self.mapped(np.diag(scale), offset)

    @abstractmethod
    def select(self, features: Indices) -> "Law":
        """Keep these features, in this order."""

    def mapped(self, matrix: Array, offset: Array) -> "Law":
        """Return the law of ``matrix @ value + offset``."""
        return Mapped(self, matrix, offset)

    def joined(self, other: "Law") -> "Law | None":
        """One law of the same kind for both sets of objects, if there is one."""
        return None


@dataclass(frozen=True, eq=False)
class Arrays(Law):
    """Laws that are a few arrays, which are cut and joined along their axes.

    `axes` has a letter for each axis of an array: n for objects, d for features. The
    first array has both.
    """

    axes: ClassVar[dict[str, str]]

    @property
    def n_objects(self) -> int:
        return self._length("n")

    @property
    def n_features(self) -> int:
        return self._length("d")

    def _length(self, letter: str) -> int:
        name, letters = next(iter(self.axes.items()))
        return int(getattr(self, name).shape[letters.index(letter)])

    def _along(self, letter: str, index: Indices) -> Self:
        changed = {}
        for name, letters in self.axes.items():
            if letter in letters:
                before = (slice(None),) * letters.index(letter)
                changed[name] = getattr(self, name)[(*before, index)]
        return replace(self, **changed)

    def take(self, index: Indices) -> Self:
        return self._along("n", index)

    def select(self, features: Indices) -> Self:
        return self._along("d", features)

    def joined(self, other: Law) -> Self | None:
        if not isinstance(other, type(self)):
            return None
        together: dict[str, Any] = {}
        for name in [field.name for field in fields(self)]:
            pair = getattr(self, name), getattr(other, name)
            if name not in self.axes:
                if pair[0] != pair[1]:
                    return None
                continue
            axis = self.axes[name].index("n")
            lengths = {(*p.shape[:axis], *p.shape[axis + 1 :]) for p in pair}
            if len(lengths) > 1:
                return None
            together[name] = np.concatenate(pair, axis=axis)
        return replace(self, **together)


def nan_or_none(values: Array) -> Mask | None:
    """Where values are NaN; None if nowhere."""
    gaps: Mask = np.isnan(values)
    return gaps if gaps.any() else None


def numbered(n: int) -> Keys:
    """Keys of features without names: x0, x1, ..."""
    return keys_of_texts(tuple(f"x{j}" for j in range(n)))


def diagonal(variance: Array) -> Array:
    """Covariance matrices of independent features, shape (n, d, d)."""
    n, d = variance.shape
    cov = np.zeros((n, d, d))
    cov[:, range(d), range(d)] = variance
    return cov


class Takes(Protocol):
    """What has members, of which it can keep some."""

    def take(self, index: Indices) -> Self: ...


def still_used(
    parts: Sequence[Some], part: Indices, row: Indices
) -> tuple[tuple[Some, ...], Indices, Indices]:
    """Parts with the members that are left, and their numbers: `row` of `part`."""
    kept: list[Some] = []
    new_part, new_row = np.empty_like(part), np.empty_like(row)
    for number, each in enumerate(parts):
        where = np.flatnonzero(part == number)
        if len(where):
            new_part[where], new_row[where] = len(kept), np.arange(len(where))
            kept.append(each.take(row[where]))
    return tuple(kept), new_part, new_row


def _check_stacked(law: "Stacked") -> None:
    if not law.parts or not all(isinstance(part, Law) for part in law.parts):
        wrong("parts are not laws")
    if len({part.n_features for part in law.parts}) > 1:
        wrong("parts have different features")
    within(law.part, len(law.parts), "part")
    within(law.row, np.array([p.n_objects for p in law.parts])[law.part], "row")


@stored(_check_stacked, part="i n", row="i n")
@dataclass(frozen=True, eq=False)
class Stacked(Law):
    """Objects of different kinds side by side.

    Object i is object ``row[i]`` of ``parts[part[i]]``.
    """

    parts: tuple[Law, ...]
    part: Indices
    row: Indices

    @property
    def kind(self) -> str:
        return " + ".join(sorted({law.kind for law in self.parts}))

    @property
    def n_objects(self) -> int:
        return len(self.part)

    @property
    def n_features(self) -> int:
        return self.parts[0].n_features

    @property
    def independent_features(self) -> bool:  # type: ignore[override]
        return all(law.independent_features for law in self.parts)

    @property
    def n_uniforms(self) -> int:
        return max(law.n_uniforms for law in self.parts)

    def keys(self, objects: Keys, features: Keys) -> Keys:
        # Columns that a part has no use for are not looked at.
        out = np.zeros((self.n_objects, self.n_uniforms), dtype=np.uint64)
        for number, law in enumerate(self.parts):
            where = np.flatnonzero(self.part == number)
            mine = np.zeros(law.n_objects, dtype=np.uint64)
            mine[self.row[where]] = objects[where]
            out[where, : law.n_uniforms] = law.keys(mine, features)[self.row[where]]
        return out

    def at(self, u: Array) -> Array:
        out = np.empty((*u.shape[:2], self.n_features))
        for number, law in enumerate(self.parts):
            where = np.flatnonzero(self.part == number)
            mine = np.empty((len(u), law.n_objects, law.n_uniforms))
            mine[:, self.row[where]] = u[:, where, : law.n_uniforms]
            out[:, where] = law.at(mine)[:, self.row[where]]
        return out

    def mean(self) -> Array:
        return self._gather([law.mean() for law in self.parts])

    def variance(self) -> Array:
        return self._gather([law.variance() for law in self.parts])

    def covariance(self) -> Array:
        return self._gather([law.covariance() for law in self.parts])

    def _gather(self, tables: list[NDArray[T]]) -> NDArray[T]:
        offsets = np.cumsum([0] + [len(table) for table in tables])
        return np.concatenate(tables)[offsets[self.part] + self.row]

    def missing(self) -> Mask | None:
        gaps = [law.missing() for law in self.parts]
        if all(gap is None for gap in gaps):
            return None
        none = [np.zeros((p.n_objects, p.n_features), np.bool_) for p in self.parts]
        pairs = zip(gaps, none, strict=True)
        return self._gather([some if gap is None else gap for gap, some in pairs])

    def take(self, index: Indices) -> "Stacked":
        return Stacked(*still_used(self.parts, self.part[index], self.row[index]))

    def rescaled(self, scale: Array, offset: Array) -> "Stacked":
        return self._each([law.rescaled(scale, offset) for law in self.parts])

    def select(self, features: Indices) -> "Stacked":
        return self._each([law.select(features) for law in self.parts])

    def mapped(self, matrix: Array, offset: Array) -> "Stacked":
        return self._each([law.mapped(matrix, offset) for law in self.parts])

    def _each(self, parts: list[Law]) -> "Stacked":
        return Stacked(tuple(parts), self.part, self.row)


def stack(laws: list[Law]) -> Law:
    """Put the objects of several laws one after the other."""
    merged = [laws[0]]
    for law in laws[1:]:
        joined = merged[-1].joined(law)
        if joined is None:
            merged.append(law)
        else:
            merged[-1] = joined
    if len(merged) == 1:
        return merged[0]
    sizes = [law.n_objects for law in merged]
    part = np.repeat(np.arange(len(merged)), sizes)
    row = np.concatenate([np.arange(size) for size in sizes])
    return Stacked(tuple(merged), part, row)


def _check_mapped(law: "Mapped") -> None:
    if not isinstance(law.source, Law) or law.matrix.shape[1] != law.source.n_features:
        wrong("matrix does not fit what it maps")


@stored(_check_mapped, matrix="f m d", offset="f m")
@dataclass(frozen=True, eq=False)
class Mapped(Law):
    """The linear image ``matrix @ value + offset`` of another law."""

    source: Law
    matrix: Array
    offset: Array

    @property
    def kind(self) -> str:
        return f"linear map of {self.source.kind}"

    @property
    def n_objects(self) -> int:
        return self.source.n_objects

    @property
    def n_features(self) -> int:
        return len(self.matrix)

    @property
    def n_uniforms(self) -> int:
        return self.source.n_uniforms

    def keys(self, objects: Keys, features: Keys) -> Keys:
        # The features that were mapped have lost their names.
        return self.source.keys(objects, numbered(self.source.n_features))

    def at(self, u: Array) -> Array:
        return self.source.at(u) @ self.matrix.T + self.offset

    def mean(self) -> Array:
        return self.source.mean() @ self.matrix.T + self.offset

    def variance(self) -> Array:
        return np.einsum("nii->ni", self.covariance()).copy()

    def covariance(self) -> Array:
        return self.matrix @ self.source.covariance() @ self.matrix.T

    def missing(self) -> Mask | None:
        gaps = self.source.missing()
        return None if gaps is None else gaps @ (self.matrix != 0.0).T

    def take(self, index: Indices) -> "Mapped":
        return Mapped(self.source.take(index), self.matrix, self.offset)

    def rescaled(self, scale: Array, offset: Array) -> "Mapped":
        return Mapped(
            self.source, scale[:, None] * self.matrix, scale * self.offset + offset
        )

    def select(self, features: Indices) -> "Mapped":
        return Mapped(self.source, self.matrix[features], self.offset[features])

    def mapped(self, matrix: Array, offset: Array) -> "Mapped":
        return Mapped(self.source, matrix @ self.matrix, matrix @ self.offset + offset)
