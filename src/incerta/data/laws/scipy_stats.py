"""Objects given by `scipy.stats` distributions."""

from dataclasses import dataclass
from typing import Any, Protocol, Self

import numpy as np
from scipy.special import ndtri

from incerta.data.laws.base import Law, still_used
from incerta.data.laws.values import Values
from incerta.models.checks import whole, within, wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices


class CellGroup(Protocol):
    """Univariate distributions of one kind, `size` of them."""

    @property
    def size(self) -> int: ...

    def quantile(self, u: Array) -> Array: ...

    def moments(self) -> tuple[Array, Array]: ...

    def take(self, index: Indices) -> Self: ...


@dataclass(frozen=True, eq=False)
class FrozenGroup:
    """Classic distributions of one name: one vectorised ``ppf`` serves them all."""

    generator: Any
    parameters: tuple[Array, ...]  # shapes, loc, scale; each (size,)

    @property
    def size(self) -> int:
        return len(self.parameters[-1])

    def quantile(self, u: Array) -> Array:
        values: Array = self.generator.ppf(u, *self.parameters)
        return values

    def moments(self) -> tuple[Array, Array]:
        mean, variance = self.generator.stats(*self.parameters, moments="mv")
        ones = np.ones(self.size)
        return mean * ones, variance * ones

    def take(self, index: Indices) -> "FrozenGroup":
        return FrozenGroup(self.generator, tuple(p[index] for p in self.parameters))


@dataclass(frozen=True, eq=False)
class ObjectGroup:
    """New-style distributions of one class: one vectorised ``icdf``."""

    cls: Any
    parameters: dict[str, Array]
    size: int

    def quantile(self, u: Array) -> Array:
        return np.asarray(self.cls(**self.parameters).icdf(u), dtype=np.float64)

    def moments(self) -> tuple[Array, Array]:
        ones = np.ones(self.size)
        together = self.cls(**self.parameters)
        return together.mean() * ones, together.variance() * ones

    def take(self, index: Indices) -> "ObjectGroup":
        parameters = {name: p[index] for name, p in self.parameters.items()}
        return ObjectGroup(self.cls, parameters, len(index))


@dataclass(frozen=True, eq=False)
class SingleGroup:
    """Distributions that share nothing: evaluated one by one, many worlds per call."""

    members: tuple[Any, ...]

    @property
    def size(self) -> int:
        return len(self.members)

    def quantile(self, u: Array) -> Array:
        columns = [_quantile_of(m, u[:, i]) for i, m in enumerate(self.members)]
        return np.stack(columns, axis=1)

    def moments(self) -> tuple[Array, Array]:
        both = [_moments_of(member) for member in self.members]
        mean, variance = np.array(both, dtype=np.float64).T
        return mean, variance

    def take(self, index: Indices) -> "SingleGroup":
        return SingleGroup(tuple(self.members[i] for i in index))


def _check_cells(law: "Cells") -> None:
    whole(law.width, 1, "width")
    if not law.groups or len(law.group) % law.width:
        wrong("width does not fit the cells")
    within(law.group, len(law.groups), "group")
    within(law.member, np.array([g.size for g in law.groups])[law.group], "member")


@stored(_check_cells, group="i c", member="i c")
@dataclass(frozen=True, eq=False)
class Cells(Law):
    """Independent features, each with a distribution of its own.

    Cell ``feature + width * object`` belongs to group ``group[cell]``, where
    it has number ``member[cell]``.
    """

    groups: tuple[CellGroup, ...]
    group: Indices
    member: Indices
    width: int

    kind = "distributions"
    independent_features = True

    @property
    def n_objects(self) -> int:
        return len(self.group) // self.width

    @property
    def n_features(self) -> int:
        return self.width

    def at(self, u: Array) -> Array:
        flat = u.reshape(len(u), -1)
        out = np.empty_like(flat)
        for number, cells in enumerate(self.groups):
            where = np.flatnonzero(self.group == number)
            mine = np.empty((len(u), cells.size))
            mine[:, self.member[where]] = flat[:, where]
            out[:, where] = cells.quantile(mine)[:, self.member[where]]
        return out.reshape(u.shape)

    def _moments(self) -> tuple[Array, Array]:
        table = np.empty((2, len(self.group)))
        for number, cells in enumerate(self.groups):
            where = np.flatnonzero(self.group == number)
            table[:, where] = np.stack(cells.moments())[:, self.member[where]]
        mean, variance = table.reshape(2, self.n_objects, self.n_features)
        return mean, variance

    def mean(self) -> Array:
        return self._moments()[0]

    def variance(self) -> Array:
        return self._moments()[1]

    def take(self, index: Indices) -> "Cells":
        return self._subset(self._cells()[index])

    def select(self, features: Indices) -> "Cells":
        return self._subset(self._cells()[:, features])

    def _cells(self) -> Indices:
        return np.arange(len(self.group)).reshape(-1, self.n_features)

    def _subset(self, cells: Indices) -> "Cells":
        flat = cells.ravel()
        kept = still_used(self.groups, self.group[flat], self.member[flat])
        return Cells(*kept, cells.shape[1])


def _check_kernels(law: "Kernels") -> None:
    points = law.points
    if not isinstance(points, Values):
        wrong("points are not given by values")
    if law.factor.shape[:2] != (points.n_objects, points.n_features):
        wrong("factor does not fit the points")


@stored(_check_kernels, factor="f n d u")
@dataclass(frozen=True, eq=False)
class Kernels(Law):
    """Kernel density estimates: a value of `points`, then Gaussian noise."""

    points: Values
    factor: Array  # (n_objects, n_features, n_features), roots of the kernels

    kind = "kernel densities"

    @property
    def n_objects(self) -> int:
        return self.points.n_objects

    @property
    def n_features(self) -> int:
        return self.points.n_features

    @property
    def n_uniforms(self) -> int:
        return 1 + self.factor.shape[2]

    def at(self, u: Array) -> Array:
        noise = (self.factor @ ndtri(u[..., 1:, None]))[..., 0]
        return self.points.at(u[..., :1]) + noise

    def mean(self) -> Array:
        return self.points.mean()

    def variance(self) -> Array:
        return self.points.variance() + (self.factor**2).sum(axis=2)

    def covariance(self) -> Array:
        kernel = self.factor @ np.swapaxes(self.factor, 1, 2)
        return self.points.covariance() + kernel

    def take(self, index: Indices) -> "Kernels":
        return Kernels(self.points.take(index), self.factor[index])

    def rescaled(self, scale: Array, offset: Array) -> "Kernels":
        return Kernels(
            self.points.rescaled(scale, offset), self.factor * scale[:, None]
        )

    def select(self, features: Indices) -> "Kernels":
        return Kernels(self.points.select(features), self.factor[:, features])

    def mapped(self, matrix: Array, offset: Array) -> "Kernels":
        return Kernels(self.points.mapped(matrix, offset), matrix @ self.factor)


def _check_opaque(law: "Opaque") -> None:
    kinds = {type(member).__name__ for member in law.members}
    if len(law.members) != len(law.centre) or kinds != {"multivariate_t_frozen"}:
        wrong("there is not one distribution per object")


@stored(_check_opaque, centre="f n d", cov="f n d d")
@dataclass(frozen=True, eq=False)
class Opaque(Law):
    """Multivariate distributions that can only be asked for draws (``rvs``).

    The uniform number of an object seeds a generator for its draw.
    """

    members: tuple[Any, ...]
    centre: Array
    cov: Array

    kind = "distributions"
    n_uniforms = 1

    @property
    def n_objects(self) -> int:
        return len(self.members)

    @property
    def n_features(self) -> int:
        return self.centre.shape[1]

    def at(self, u: Array) -> Array:
        out = np.empty((*u.shape[:2], self.n_features))
        for i, member in enumerate(self.members):
            for world in range(len(u)):
                out[world, i] = member.rvs(random_state=_generator_at(u[world, i, 0]))
        return out

    def mean(self) -> Array:
        return self.centre.copy()

    def variance(self) -> Array:
        return np.einsum("nii->ni", self.cov).copy()

    def covariance(self) -> Array:
        return self.cov.copy()

    def take(self, index: Indices) -> "Opaque":
        members = tuple(self.members[i] for i in index)
        return Opaque(members, self.centre[index], self.cov[index])

    def select(self, features: Indices) -> Law:
        return self.mapped(np.eye(self.n_features)[features], np.zeros(len(features)))


def _generator_at(u: float) -> np.random.Generator:
    """Make a generator whose stream is fixed by one uniform number."""
    return np.random.Generator(np.random.Philox(key=int(u * 2**54)))


def _quantile_of(member: Any, u: Array) -> Array:
    if hasattr(member, "resample"):
        return _kernel_quantile(member, u)
    for inverse in ("icdf", "ppf"):
        if hasattr(member, inverse):
            return np.asarray(getattr(member, inverse)(u), dtype=np.float64)
    draws = [member.rvs(random_state=_generator_at(x)) for x in u]
    return np.asarray(draws, dtype=np.float64).reshape(len(u))


def _kernel_quantile(kde: Any, u: Array) -> Array:
    # The uniform picks a kernel; what is left of it within that kernel's share
    # is uniform again and places the value inside the kernel.
    edges = np.concatenate([[0.0], np.cumsum(kde.weights)])
    edges[-1] = 1.0
    pick = np.clip(np.searchsorted(edges, u, side="right") - 1, 0, kde.n - 1)
    rest = (u - edges[pick]) / (edges[pick + 1] - edges[pick])
    rest = np.clip(rest, 2.0**-54, 1.0 - 2.0**-53)
    values: Array = kde.dataset[0, pick] + np.sqrt(kde.covariance[0, 0]) * ndtri(rest)
    return values


def _moments_of(member: Any) -> tuple[float, float]:
    if hasattr(member, "resample"):
        points: Array = member.dataset[0]
        mean = float(member.weights @ points)
        spread = float(member.weights @ (points - mean) ** 2)
        return mean, spread + float(member.covariance[0, 0])
    variance = getattr(member, "variance", None) or member.var
    return float(member.mean()), float(variance())
