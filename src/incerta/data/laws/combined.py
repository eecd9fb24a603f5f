"""Laws made of other laws: stacked objects, and linear images."""

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from incerta.backend.keyed import Keys
from incerta.data.laws.base import Law, numbered
from incerta.models.checks import within, wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices, Mask

T = TypeVar("T", bound=np.generic)


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
        tables = [law.missing() for law in self.parts]
        if all(table is None for table in tables):
            return None
        none = [
            np.zeros((law.n_objects, law.n_features), dtype=np.bool_)
            if table is None
            else table
            for law, table in zip(self.parts, tables, strict=True)
        ]
        return self._gather(none)

    def take(self, index: Indices) -> "Stacked":
        part, row = self.part[index], self.row[index]
        parts: list[Law] = []
        new_part, new_row = np.empty_like(part), np.empty_like(row)
        for number, law in enumerate(self.parts):
            where = np.flatnonzero(part == number)
            if len(where) == 0:
                continue
            new_part[where] = len(parts)
            new_row[where] = np.arange(len(where))
            parts.append(law.take(row[where]))
        return Stacked(tuple(parts), new_part, new_row)

    def rescaled(self, scale: Array, offset: Array) -> "Stacked":
        return self._each([law.rescaled(scale, offset) for law in self.parts])

    def select(self, features: Indices) -> "Stacked":
        return self._each([law.select(features) for law in self.parts])

    def mapped(self, matrix: Array, offset: Array) -> "Stacked":
        return self._each([mapped(law, matrix, offset) for law in self.parts])

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


def mapped(law: Law, matrix: Array, offset: Array) -> Law:
    """The law of ``matrix @ value + offset``."""
    known = law.mapped(matrix, offset)
    return Mapped(law, matrix, offset) if known is None else known
