"""Laws: the distributions of the values of all objects.

A law describes all objects at once, with array operations. It turns uniform numbers
into values. The caller, who supplies the uniform numbers, controls seeds, order and
stratification.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from incerta.backend.keyed import (
    Keys,
    keys_of,
    keys_of_texts,
    mixed,
    stratified_uniforms,
    stream_keys,
)
from incerta.backend.memory import BLOCK_BYTES
from incerta.models.checks import within, wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices, Mask

T = TypeVar("T", bound=np.generic)
Some = TypeVar("Some", bound="Takes")

# Standard deviations beyond which a Gaussian is cut off: 3e-12 of it.
REACH = 7.0


class Boxes(NamedTuple):
    """Bounds of objects, each of shape (n_objects, n_features)."""

    low: Array
    high: Array


class Law(ABC):
    """Distributions of `n_objects` objects with `n_features` features."""

    # Number of joint draws; None if objects are independent.
    n_draws: int | None = None
    # Whether features are independent, each with a uniform number by its own key.
    independent_features = False

    @property
    @abstractmethod
    def kind(self) -> str:
        """Kind of the law in a word or two: "gaussian", "samples", ..."""

    @property
    @abstractmethod
    def n_objects(self) -> int: ...

    @property
    @abstractmethod
    def n_features(self) -> int: ...

    @property
    def n_uniforms(self) -> int:
        """Number of uniform numbers for one value of one object."""
        return self.n_features

    def keys(self, objects: Keys, features: Keys) -> Keys:
        """Return keys (n_objects, n_uniforms) of the uniform numbers of objects."""
        of_each = features if self.independent_features else numbered(self.n_uniforms)
        return objects[:, None] + of_each

    @abstractmethod
    def at(self, u: Array) -> Array:
        """Turn uniforms u, 0 < u < 1, into values; see `n_uniforms` and `n_features`.

        The first axes of input and output are worlds and objects.
        """

    @abstractmethod
    def mean(self) -> Array:
        """Return the expected value of each object, (n_objects, n_features)."""

    @abstractmethod
    def variance(self) -> Array:
        """Return the variance per object and feature, (n_objects, n_features)."""

    def covariance(self) -> Array:
        """Return the covariance of each object; diagonal unless overridden."""
        return diagonal(self.variance())

    def missing(self) -> Mask | None:
        """Return a mask of missing values, (n_objects, n_features), or None."""
        return None

    def values_per_object(self) -> Indices | None:
        """Return the number of values of each object; None for a formula."""
        return None

    def boxes(self) -> Boxes:
        """Return a box around (nearly) all values of each object."""
        mean, reach = self.mean(), REACH * np.sqrt(self.variance())
        return Boxes(mean - reach, mean + reach)

    @abstractmethod
    def take(self, index: Indices) -> Self:
        """Return the law of the objects at these positions, in this order."""

    def rescaled(self, scale: Array, offset: Array) -> "Law":
        """Return the law of ``value * scale + offset``, feature by feature."""
        return self.mapped(np.diag(scale), offset)

    @abstractmethod
    def select(self, features: Indices) -> "Law":
        """Return the law of these features, in this order."""

    def mapped(self, matrix: Array, offset: Array) -> "Law":
        """Return the law of ``matrix @ value + offset``."""
        return Mapped(self, matrix, offset)

    def meant(self, meaning: str) -> "Law":
        """Return the law of the same objects with this meaning of the uncertainty."""
        return self

    def joined(self, other: "Law") -> "Law | None":
        """Return one law of the same kind for both sets of objects, if possible."""
        return None


@dataclass(frozen=True, eq=False)
class Arrays(Law):
    """Laws that consist of arrays, which are cut and joined along their axes."""

    # A letter for each axis: n for objects, d for features. The first array has both.
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
    """Return where values are NaN; None if nowhere."""
    gaps: Mask = np.isnan(values)
    return gaps if gaps.any() else None


def numbered(n: int) -> Keys:
    """Return keys of features without names: x0, x1, ..."""
    return keys_of_texts(tuple(f"x{j}" for j in range(n)))


def diagonal(variance: Array) -> Array:
    """Return covariance matrices of independent features, (n, d, d)."""
    n, d = variance.shape
    cov = np.zeros((n, d, d))
    cov[:, range(d), range(d)] = variance
    return cov


class Takes(Protocol):
    """Objects with members, of which some can be kept."""

    def take(self, index: Indices) -> Self: ...


def still_used(
    parts: Sequence[Some], part: Indices, row: Indices
) -> tuple[tuple[Some, ...], Indices, Indices]:
    """Return parts with the remaining members, and the numbers `row` of `part`."""
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
    """Objects of different kinds: object i is ``row[i]`` of ``parts[part[i]]``."""

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
        # Columns that a part does not need are ignored.
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
    """Return the law of the objects of several laws, one after the other."""
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
        # Mapped features have no names.
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


class Family(NamedTuple):
    """A standard distribution: location 0, scale 1."""

    quantile: Callable[[Array], Array]
    mean: float
    variance: float


def _laplace_quantile(u: Array) -> Array:
    tail = np.minimum(u, 1.0 - u)
    return np.copysign(np.log(2.0 * tail), u - 0.5)


FAMILIES = {
    "gaussian": Family(ndtri, 0.0, 1.0),
    "uniform": Family(lambda u: u, 0.5, 1 / 12),
    "exponential": Family(lambda u: -np.log1p(-u), 1.0, 1.0),
    "laplace": Family(_laplace_quantile, 0.0, 2.0),
}


def _check_family(law: "Independent") -> None:
    if law.family not in FAMILIES:
        wrong(f"family {law.family!r} is unknown")


@stored(_check_family, loc="f n d", scale="f n d")
@dataclass(frozen=True, eq=False)
class Independent(Arrays):
    """Independent features of one location-scale family: ``loc + scale * Q(u)``.

    For the uniform family `loc` is the lower bound and `scale` the width. A
    negative scale mirrors the distribution. A missing value has the location NaN and
    an infinite scale.
    """

    family: str
    loc: Array
    scale: Array

    axes = {"loc": "nd", "scale": "nd"}
    independent_features = True

    @property
    def kind(self) -> str:
        return self.family

    def at(self, u: Array) -> Array:
        return self.loc + self.scale * FAMILIES[self.family].quantile(u)

    def mean(self) -> Array:
        standard = FAMILIES[self.family].mean
        if standard == 0.0:  # the scale of a missing value is infinite
            return self.loc.copy()
        return self.loc + self.scale * standard

    def variance(self) -> Array:
        return self.scale**2 * FAMILIES[self.family].variance

    def missing(self) -> Mask | None:
        return nan_or_none(self.loc)

    def rescaled(self, scale: Array, offset: Array) -> "Independent":
        return Independent(self.family, self.loc * scale + offset, self.scale * scale)

    def mapped(self, matrix: Array, offset: Array) -> Law:
        if self.family != "gaussian":
            return super().mapped(matrix, offset)
        # The same as Gaussian.mapped, without a matrix of d × d numbers for each
        # object.
        factor = matrix * np.abs(self.scale)[:, None]
        return Gaussian(self.loc @ matrix.T + offset, factor)


@stored(center="f n d", factor="f n d u")
@dataclass(frozen=True, eq=False)
class Gaussian(Arrays):
    """Gaussians with correlated features: ``center + factor @ z``.

    Symmetric roots of covariances exist for singular matrices, too, and change
    continuously, unlike Cholesky's. A missing value has the center NaN and factors 0.
    """

    center: Array
    factor: Array

    axes = {"center": "nd", "factor": "ndu"}
    kind = "correlated gaussian"

    @classmethod
    def with_covariance(cls, mean: Array, cov: Array) -> "Gaussian":
        """Factor positive semi-definite covariances."""
        # Use correlations: beside much larger variances, small ones would be lost.
        scale = np.sqrt(np.clip(np.einsum("nii->ni", cov), 0.0, None))
        by = np.where(scale > 0.0, scale, 1.0)
        eigenvalues, vectors = np.linalg.eigh(cov / by[:, :, None] / by[:, None])
        roots = np.sqrt(np.clip(eigenvalues, 0.0, None))
        factor = (vectors * roots[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        return cls(mean, scale[:, :, None] * factor)

    @property
    def n_uniforms(self) -> int:
        return self.factor.shape[2]

    def at(self, u: Array) -> Array:
        return self.center + (self.factor @ ndtri(u)[..., None])[..., 0]

    def mean(self) -> Array:
        return self.center.copy()

    def variance(self) -> Array:
        squares = np.einsum("nij,nij->ni", self.factor, self.factor)
        return np.where(np.isnan(self.center), np.inf, squares)

    def covariance(self) -> Array:
        return self.factor @ np.swapaxes(self.factor, 1, 2)

    def missing(self) -> Mask | None:
        return nan_or_none(self.center)

    def rescaled(self, scale: Array, offset: Array) -> "Gaussian":
        return Gaussian(self.center * scale + offset, self.factor * scale[:, None])

    def mapped(self, matrix: Array, offset: Array) -> "Gaussian":
        return Gaussian(self.center @ matrix.T + offset, matrix @ self.factor)


def _check_widths(law: "SplitNormal") -> None:
    if (law.below < 0).any() or (law.above < 0).any():
        wrong("widths are negative")


@stored(_check_widths, mode="f n d", below="f n d", above="f n d")
@dataclass(frozen=True, eq=False)
class SplitNormal(Arrays):
    """Independent features, each with two halves of different Gaussians.

    The density has its peak at `mode` and falls as a Gaussian of width `below` to the
    left and `above` to the right, without a jump: the left half has the share
    ``below / (below + above)``. A missing value has the mode NaN and infinite widths.
    """

    mode: Array
    below: Array
    above: Array

    axes = {"mode": "nd", "below": "nd", "above": "nd"}
    independent_features = True
    kind = "split normal"

    def at(self, u: Array) -> Array:
        total = self.below + self.above
        left = u * total <= self.below
        width = np.where(left, self.below, self.above)
        # The remaining tail, as a share of the Gaussian with this width.
        share = np.where(left, u, 1.0 - u) * (total / 2)
        tail = np.divide(share, width, out=np.full(u.shape, 0.5), where=width > 0)
        return self.mode + np.where(left, width, -width) * ndtri(np.minimum(tail, 0.5))

    def mean(self) -> Array:
        with np.errstate(invalid="ignore"):  # of missing values
            return self.mode + np.sqrt(2 / np.pi) * (self.above - self.below)

    def variance(self) -> Array:
        with np.errstate(invalid="ignore"):
            off = (1 - 2 / np.pi) * (self.above - self.below) ** 2
            return np.where(np.isnan(self.mode), np.inf, off + self.below * self.above)

    def missing(self) -> Mask | None:
        return nan_or_none(self.mode)

    def boxes(self) -> Boxes:
        # Each half reaches as far as its own Gaussian.
        return Boxes(self.mode - REACH * self.below, self.mode + REACH * self.above)

    def rescaled(self, scale: Array, offset: Array) -> "SplitNormal":
        size = np.abs(scale)
        below = np.where(scale < 0, self.above, self.below) * size
        above = np.where(scale < 0, self.below, self.above) * size
        return SplitNormal(self.mode * scale + offset, below, above)


def _check_shares(law: "Mixtures") -> None:
    sums = law.shares.sum(axis=1)
    if (law.shares < 0).any() or not np.allclose(sums, 1.0):
        wrong("shares do not add up to 1")
    factors = law.factors
    if factors.ndim not in (3, 4) or factors.shape[:3] != law.centers.shape:
        wrong("factors do not fit the centers")


@stored(_check_shares, shares="f n k", centers="f n k d")
@dataclass(frozen=True, eq=False)
class Mixtures(Arrays):
    """Mixtures of Gaussians: component c with probability ``shares[i, c]``.

    Its values are then ``centers[i, c] + factors[i, c] @ z``; or, where features are
    independent, the factors are deviations, and ``factors[i, c] * z``.
    """

    shares: Array
    centers: Array
    factors: Array  # (n, k, d, u), or (n, k, d)

    axes = {"centers": "nkd", "shares": "nk", "factors": "nkdu"}
    kind = "gaussian mixture"

    @property
    def n_uniforms(self) -> int:
        return 1 + self.factors.shape[-1]

    def at(self, u: Array) -> Array:
        edges = np.cumsum(self.shares, axis=1)[:, :-1]
        objects = np.arange(self.n_objects)
        out = np.empty((*u.shape[:2], self.n_features))
        for values, numbers in zip(out, u, strict=True):
            picked = (numbers[:, :1] >= edges).sum(axis=1)
            normals, factors = ndtri(numbers[:, 1:]), self.factors[objects, picked]
            if factors.ndim == 2:
                moved = factors * normals
            else:
                moved = (factors @ normals[..., None])[..., 0]
            values[...] = self.centers[objects, picked] + moved
        return out

    def mean(self) -> Array:
        return np.einsum("nk,nkd->nd", self.shares, self.centers)

    def variance(self) -> Array:
        within = np.square(self.factors)
        if within.ndim == 4:
            within = np.einsum("nkij,nkij->nki", self.factors, self.factors)
        apart = (self.centers - self.mean()[:, None]) ** 2
        return np.einsum("nk,nki->ni", self.shares, within + apart)

    def covariance(self) -> Array:
        apart = self.centers - self.mean()[:, None]
        cov = np.einsum("nk,nki,nkj->nij", self.shares, apart, apart)
        if self.factors.ndim == 3:
            own = np.einsum("nk,nki->ni", self.shares, np.square(self.factors))
            return cov + diagonal(own)
        for c in range(self.shares.shape[1]):
            own = self.factors[:, c]
            cov += self.shares[:, c, None, None] * (own @ np.swapaxes(own, 1, 2))
        return cov

    def rescaled(self, scale: Array, offset: Array) -> "Mixtures":
        by = scale if self.factors.ndim == 3 else scale[:, None]
        factors = self.factors * by
        return Mixtures(self.shares, self.centers * scale + offset, factors)

    def mapped(self, matrix: Array, offset: Array) -> "Mixtures":
        centers = self.centers @ matrix.T + offset
        if self.factors.ndim == 3:
            return Mixtures(self.shares, centers, matrix * self.factors[:, :, None])
        return Mixtures(self.shares, centers, matrix @ self.factors)


N_VALUES = 64  # draws that represent a law without a formula
# Number of the stream for these draws; worlds have lower numbers.
_VALUES, _STRATA = 2, 3


def _check_starts(law: "Values") -> None:
    starts = law.starts
    if len(starts) < 2 or starts[0] != 0 or starts[-1] != len(law.values):
        wrong("starts does not fit the values")
    if (np.diff(starts) < 1).any():
        wrong("starts does not rise")


@stored(_check_starts, values="f v d", starts="i s", weights="f v")
@dataclass(frozen=True, eq=False)
class Values(Law):
    """Discrete laws: object i has the values ``starts[i]:starts[i + 1]``."""

    values: Array  # (n_values, n_features)
    starts: Indices  # (n_objects + 1,)
    weights: Array | None = None  # (n_values,), summing to 1 per object; None: equal

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
        # Invert a step function: find the object's value at u.
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
        """Return cumulative weights end to end: object i fills (i, i + 1]."""
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
            centered = self._centered(objects, rows)
            variance[objects] = self._expect(centered**2, objects, rows)
        return variance

    def covariance(self) -> Array:
        d = self.n_features
        cov = np.empty((self.n_objects, d, d))
        for objects, rows in self._blocks(width=d * d):
            centered = self._centered(objects, rows)
            products = centered[:, :, None] * centered[:, None, :]
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

    def _centered(self, objects: slice, rows: slice) -> Array:
        # Subtract the mean first: E x² − (E x)² loses all digits far from the origin.
        values = self.values[rows]
        mean = self._expect(values, objects, rows)
        return values - np.repeat(mean, self.counts[objects], axis=0)

    def _blocks(self, width: int | None = None) -> Iterator[tuple[slice, slice]]:
        """Cut the objects into runs with small temporary arrays."""
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
    """Equally likely joint draws, picked by one uniform per world for all objects."""

    draws: Array  # (n_draws, n_objects, n_features)

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
        centered = self.draws - self.draws.mean(axis=0)
        return np.einsum("mni,mnj->nij", centered, centered) / len(self.draws)

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
    """Return objects given by values: their own, or `n_values` stratified draws.

    `keys` are those of `Law.keys`; by default objects and features are numbered.
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
    """Return points as objects without spread, of the same kind as a law."""
    if isinstance(law, Independent):
        return Independent(law.family, points, np.zeros_like(points))
    if isinstance(law, Gaussian):
        return Gaussian(points, np.zeros((*points.shape, law.n_uniforms)))
    return Values(points, np.arange(len(points) + 1))
