"""`scipy.stats` distributions as laws, stored by names and parameters."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy import stats
from scipy.special import ndtri

from incerta.data.checks import as_covariances, as_feature_names, as_floats, as_ids
from incerta.data.container import UncertainData
from incerta.data.laws import Gaussian, Law, Stacked, Values, still_used
from incerta.data.meaning import as_meaning
from incerta.exceptions import DataError
from incerta.models.checks import check_shapes, whole, within, wrong
from incerta.models.registry import Recipe, State, UnstorableError, register, stored
from incerta.typing import Array, ArrayLike, Indices

# laws of distributions ---------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class FrozenGroup:
    """Classic distributions of one name, with one vectorized ``ppf``."""

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
    """New-style distributions of one class, with one vectorized ``icdf``."""

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
    """Distributions evaluated one by one, with many worlds per call."""

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


CellGroup: TypeAlias = FrozenGroup | ObjectGroup | SingleGroup  # univariate ones


def _check_cells(law: "Cells") -> None:
    whole(law.width, 1, "width")
    if not law.groups or len(law.group) % law.width:
        wrong("width does not fit the cells")
    within(law.group, len(law.groups), "group")
    within(law.member, np.array([g.size for g in law.groups])[law.group], "member")


@stored(_check_cells, group="i c", member="i c")
@dataclass(frozen=True, eq=False)
class Cells(Law):
    """Independent features with separate distributions.

    Cell ``feature + width * object`` is member ``member[cell]`` of group
    ``group[cell]``.
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
    if len(law.members) != len(law.center) or kinds != {"multivariate_t_frozen"}:
        wrong("there is not one distribution per object")


@stored(_check_opaque, center="f n d", cov="f n d d")
@dataclass(frozen=True, eq=False)
class Opaque(Law):
    """Multivariate distributions that only provide draws (``rvs``).

    The uniform number of an object seeds a generator for its draw.
    """

    members: tuple[Any, ...]
    center: Array
    cov: Array

    kind = "distributions"
    n_uniforms = 1

    @property
    def n_objects(self) -> int:
        return len(self.members)

    @property
    def n_features(self) -> int:
        return self.center.shape[1]

    def at(self, u: Array) -> Array:
        out = np.empty((*u.shape[:2], self.n_features))
        for i, member in enumerate(self.members):
            for world in range(len(u)):
                out[world, i] = member.rvs(random_state=_generator_at(u[world, i, 0]))
        return out

    def mean(self) -> Array:
        return self.center.copy()

    def variance(self) -> Array:
        return np.einsum("nii->ni", self.cov).copy()

    def covariance(self) -> Array:
        return self.cov.copy()

    def take(self, index: Indices) -> "Opaque":
        members = tuple(self.members[i] for i in index)
        return Opaque(members, self.center[index], self.cov[index])

    def select(self, features: Indices) -> Law:
        return self.mapped(np.eye(self.n_features)[features], np.zeros(len(features)))


def _generator_at(u: float) -> np.random.Generator:
    """Make a generator with a stream determined by one uniform number."""
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
    # The uniform number picks a kernel. Its position within the share of that kernel is
    # uniform, too, and places the value inside the kernel.
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


# from rows of distributions -----------------------------------------------------------


def from_distributions(
    rows: Iterable[Any],
    *,
    ids: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    meaning: str = "belief",
) -> UncertainData:
    """Make data from scipy.stats distributions, one per object or per cell.

    Parameters
    ----------
    rows : sequence
        One entry per object: a multivariate frozen distribution, a `gaussian_kde`, or a
        univariate distribution for each feature (a single one if there is only one
        feature). Classic frozen distributions and the new distribution objects of
        `scipy.stats` may be mixed. A univariate distribution with array parameters is a
        row of features. A single distribution with parameters of shape (n_objects,
        n_features) gives all rows.
    ids, feature_names : array-like, optional
        Names of the objects, 0, 1, ... by default, and of the features, x0, x1, ....
    meaning : {"error", "belief", "spread"}, default="belief"
        What the uncertainty means; see `UncertainData`.

    Notes
    -----
    Values are made by inversion (``ppf``, ``icdf``), once for all cells of the same
    named distribution. Multivariate distributions other than the normal are drawn with
    ``rvs``, object by object, which is slow beyond a few thousand of them. Mean and
    variance must be finite.

    Examples
    --------
    >>> import incerta as ic
    >>> from scipy import stats
    >>> data = ic.from_distributions([
    ...     [stats.norm(0, 1), stats.gamma(2)],
    ...     [stats.norm(5, 2), stats.expon()],
    ... ])
    >>> data.mean()
    array([[0., 2.],
           [5., 1.]])
    """
    if _is_univariate(rows):
        law = _sheet(rows)
    elif hasattr(rows, "rvs") or hasattr(rows, "resample"):
        law = _stacked([rows])
    else:
        law = _stacked(list(rows))
    _refuse_infinite_moments(law)
    return UncertainData(
        law,
        as_ids(ids, law.n_objects),
        as_feature_names(feature_names, law.n_features),
        meaning=as_meaning(meaning),
    )


def _is_univariate(item: Any) -> bool:
    if hasattr(item, "resample"):
        return int(item.d) == 1
    return any(hasattr(item, inverse) for inverse in ("ppf", "icdf"))


def _sheet(table: Any) -> Law:
    """Return the law of one distribution whose parameters are tables."""
    shape = np.shape(table.mean())
    if len(shape) == 0:
        return _cells([[table]])
    if len(shape) != 2:
        msg = (
            f"rows is one distribution of shape {shape}; give a list with one entry "
            "per object, or parameters of shape (n_objects, n_features)."
        )
        raise DataError(msg)
    n, d = shape
    groups = _group_of(table, shape)
    if groups is None:
        msg = (
            f"rows is one {type(table).__name__} of shape {shape} with unknown "
            "parameters; give a list with one distribution per object and feature."
        )
        raise DataError(msg)
    return Cells((groups[1],), np.zeros(n * d, np.intp), np.arange(n * d), d)


def _stacked(rows: list[Any]) -> Law:
    """Sort rows by kind of distribution, with a law for each kind."""
    if not rows:
        msg = "rows is empty; there is nothing to cluster."
        raise DataError(msg)
    sorts: dict[str, list[int]] = defaultdict(list)
    for i, row in enumerate(rows):
        sorts[_sort_of(row, i)].append(i)
    makers = {
        "cells": lambda part: _cells([_as_cells(row) for row in part]),
        "normal": _normals,
        "kernels": _kernels,
        "opaque": _opaque,
    }
    laws = [makers[sort]([rows[i] for i in which]) for sort, which in sorts.items()]
    widths = {law.n_features for law in laws}
    if len(widths) > 1:
        msg = f"rows have {sorted(widths)} features; every object needs the same ones."
        raise DataError(msg)
    if len(laws) == 1:
        return laws[0]
    return Stacked(tuple(laws), *_placed([*sorts.values()], len(rows)))


def _placed(members: list[list[int]], n: int) -> tuple[Indices, Indices]:
    """Return the part of each of `n` members, and the number within the part."""
    part, place = np.empty(n, np.intp), np.empty(n, np.intp)
    for number, which in enumerate(members):
        part[which], place[which] = number, np.arange(len(which))
    return part, place


def _sort_of(row: Any, i: int) -> str:
    if _is_univariate(row):
        return "cells"
    if hasattr(row, "resample"):
        return "kernels"
    if hasattr(row, "rvs"):
        kind = type(row).__name__
        return "normal" if kind == "multivariate_normal_frozen" else "opaque"
    if isinstance(row, (list, tuple, np.ndarray)) and len(row):
        for cell in row:
            if not (_is_univariate(cell) or hasattr(cell, "rvs")):
                msg = (
                    f"rows[{i}] holds {cell!r}, which is not a univariate distribution."
                )
                raise DataError(msg)
        return "cells"
    msg = (
        f"rows[{i}] is {row!r}; it must be a scipy.stats distribution or a list with "
        "one per feature. Plain values go through from_samples or from_gaussian."
    )
    raise DataError(msg)


def _as_cells(row: Any) -> list[Any]:
    if isinstance(row, (list, tuple, np.ndarray)):
        return list(row)
    if hasattr(row, "resample") or np.shape(row.mean()) == ():
        return [row]
    shape = np.shape(row.mean())
    parts = _group_of(row, shape)
    if parts is None or len(shape) != 1:
        msg = (
            f"a row is one {type(row).__name__} of shape {shape}; give a list with one "
            "distribution per feature."
        )
        raise DataError(msg)
    return [_Cell(*parts, i) for i in range(shape[0])]


class _Cell(NamedTuple):
    """One feature of a distribution with array parameters."""

    key: Any
    group: CellGroup
    member: int


def _group_of(item: Any, shape: tuple[int, ...]) -> tuple[Any, CellGroup] | None:
    """Return the cells of one distribution as a group, with a key for equal groups."""
    # Without scipy's private record of the parameters, it forms a group by itself.
    size = int(np.prod(shape))

    def flat(parameter: Any) -> Array:
        table = as_floats(parameter, "rows")
        return np.broadcast_to(table, shape or (1,)).ravel()

    if hasattr(item, "dist") and hasattr(item.dist, "_parse_args"):
        shapes, loc, scale = item.dist._parse_args(*item.args, **item.kwds)
        # A discrete distribution has no scale.
        rest = (loc,) if not hasattr(item.dist, "pdf") else (loc, scale)
        parameters = tuple(flat(p) for p in (*shapes, *rest))
        return (item.dist.name, len(shapes)), FrozenGroup(item.dist, parameters)
    plain = type(item).__module__ == "scipy.stats._new_distributions"
    named = getattr(item, "_original_parameters", None) if plain else None
    if named:
        group = ObjectGroup(type(item), {k: flat(v) for k, v in named.items()}, size)
        return (type(item), *sorted(named)), group
    return None


def _cells(rows: list[list[Any]]) -> Law:
    """Group the cells of all rows by their keys."""
    width = len(rows[0])
    for i, row in enumerate(rows):
        if len(row) != width:
            msg = f"rows[{i}] has {len(row)} features, rows[0] has {width}."
            raise DataError(msg)
    alike: dict[Any, list[tuple[int, _Cell]]] = defaultdict(list)
    singles: list[tuple[int, Any]] = []
    for place, cell in enumerate(cell for row in rows for cell in row):
        if isinstance(cell, _Cell):
            alike[cell.key].append((place, cell))
        elif hasattr(cell, "resample") or not (parts := _group_of(cell, ())):
            singles.append((place, cell))
        else:
            alike[parts[0]].append((place, _Cell(*parts, 0)))
    together = [(each, _merged([cell for _, cell in each])) for each in alike.values()]
    if singles:
        together.append((singles, SingleGroup(tuple(cell for _, cell in singles))))
    places = [[place for place, _ in entries] for entries, _ in together]
    groups = tuple(cells for _, cells in together)
    return Cells(groups, *_placed(places, len(rows) * width), width)


def _merged(cells: list[_Cell]) -> CellGroup:
    first = cells[0].group
    if isinstance(first, ObjectGroup):
        named = {
            name: np.array([c.group.parameters[name][c.member] for c in cells])  # type: ignore[union-attr, call-overload]
            for name in first.parameters
        }
        return ObjectGroup(first.cls, named, len(cells))
    assert isinstance(first, FrozenGroup)
    columns = np.array([[p[c.member] for p in c.group.parameters] for c in cells])  # type: ignore[union-attr]
    return FrozenGroup(first.generator, tuple(columns.T.copy()))


def _normals(rows: list[Any]) -> Law:
    mean = np.array([np.atleast_1d(row.mean) for row in rows], dtype=np.float64)
    cov = [np.atleast_2d(row.cov) for row in rows]
    return Gaussian.with_covariance(mean, as_covariances(cov, mean.shape))


def _kernels(rows: list[Any]) -> Law:
    starts: Indices = np.concatenate([[0], np.cumsum([row.n for row in rows])])
    points = np.concatenate([row.dataset.T for row in rows]).astype(np.float64)
    weights = np.concatenate([row.weights for row in rows])
    cov = np.array([row.covariance for row in rows], dtype=np.float64)
    kernel = Gaussian.with_covariance(np.zeros(cov.shape[:2]), cov)
    return Kernels(Values(points, starts, weights), kernel.factor)


def _opaque(rows: list[Any]) -> Law:
    moments = [_multivariate_moments(row, i) for i, row in enumerate(rows)]
    mean = np.array([m for m, _ in moments], dtype=np.float64)
    cov = np.array([c for _, c in moments], dtype=np.float64)
    return Opaque(tuple(rows), mean, cov)


def _multivariate_moments(row: Any, i: int) -> tuple[Any, Any]:
    if type(row).__name__ == "multivariate_t_frozen":
        if row.df <= 2:
            return row.loc, np.full_like(row.shape, np.inf)
        return row.loc, row.shape * row.df / (row.df - 2)
    try:
        mean = row.mean() if callable(row.mean) else row.mean
        cov = row.cov() if callable(row.cov) else row.cov
    except AttributeError as error:
        msg = (
            f"{type(row).__name__} (multivariate distribution {i}) does not tell its "
            "mean and covariance; pass draws of it through from_samples."
        )
        raise DataError(msg) from error
    return mean, cov


def _refuse_infinite_moments(law: Law) -> None:
    bad = ~(np.isfinite(law.mean()) & np.isfinite(law.variance()))
    if bad.any():
        i, j = np.argwhere(bad)[0]
        msg = (
            f"the distribution of object {i}, feature {j} has no finite mean and "
            "variance; truncate it, or pass draws of it through from_samples."
        )
        raise DataError(msg)


# how distributions are stored ---------------------------------------------------------


# The class of Normal and others, which is not public in scipy.
_NEW_STYLE: Any = stats.Normal.__base__
NAMELESS = "it is not a distribution with a name in scipy.stats"


def _frozen_state(group: FrozenGroup) -> State:
    given = group.generator
    named: Any = getattr(stats, given.name, None)
    alike = type(named) is type(given)
    if not alike or (named.a, named.b) != (given.a, given.b):
        raise UnstorableError(NAMELESS)
    return {"name": given.name, "parameters": group.parameters}


def _made_frozen(state: State) -> FrozenGroup:
    generator: Any = getattr(stats, state["name"], None)
    continuous = isinstance(generator, stats.rv_continuous)
    if not continuous and not isinstance(generator, stats.rv_discrete):
        wrong(f"{state['name']!r} is not a distribution of scipy.stats")
    parameters = state["parameters"]
    _check_columns(parameters, generator.numargs + 1 + continuous)
    return FrozenGroup(generator, parameters)


def _object_state(group: ObjectGroup) -> State:
    name = group.cls.__name__
    if getattr(stats, name, None) is not group.cls:
        raise UnstorableError(NAMELESS)
    return {"name": name, "parameters": group.parameters, "size": group.size}


def _made_object(state: State) -> ObjectGroup:
    cls, parameters = getattr(stats, state["name"], None), state["parameters"]
    if not isinstance(cls, type) or not issubclass(cls, _NEW_STYLE):
        wrong(f"{state['name']!r} is not a distribution of scipy.stats")
    _check_columns(tuple(parameters.values()), len(parameters))
    group = ObjectGroup(cls, parameters, state["size"])
    if {len(column) for column in parameters.values()} != {group.size}:
        wrong("a distribution has more parameters than cells")
    group.moments()  # fails if the names of parameters are wrong
    return group


def _check_columns(columns: Any, number: int) -> None:
    if not isinstance(columns, tuple) or len(columns) != number:
        wrong("a distribution has a wrong number of parameters")
    named = {str(i): column for i, column in enumerate(columns)}
    check_shapes(named, dict.fromkeys(named, "f c"), {})


def _made_singles(state: State) -> SingleGroup:
    members = state["members"]
    if not all(isinstance(member, stats.gaussian_kde) for member in members):
        wrong("a cell is not a distribution")
    return SingleGroup(members)


def _made_kernel(state: State) -> Any:
    shapes = {"dataset": "f d n", "weights": "f n", "covariance": "f d d"}
    _check_all(state, shapes)
    kde: Any = stats.gaussian_kde(state["dataset"], state["factor"], state["weights"])
    # Both are rounded again: the last bit of a draw may differ.
    kde._weights, kde.covariance = state["weights"], state["covariance"]
    return kde


def _made_t(state: State) -> Any:
    # Store all of it: scipy would create missing parts, of any size.
    _check_all(state, {"loc": "f d", "shape": "f d d"})
    loc, shape, df = state["loc"], state["shape"], state["df"]
    return stats.multivariate_t(loc, shape, df, allow_singular=True)


def _check_all(state: State, shapes: dict[str, str]) -> None:
    for name in shapes:
        if state[name] is None:
            wrong(f"a distribution has no {name}")
    check_shapes(state, shapes, {})


register(FrozenGroup, Recipe(_frozen_state, _made_frozen))
register(
    ObjectGroup,
    Recipe(
        _object_state,
        _made_object,
        # Its moments are computed once for all cells.
        cost=lambda state: 256 * sum(p.size for p in state["parameters"].values()),
    ),
)
register(SingleGroup, Recipe(lambda group: {"members": group.members}, _made_singles))
register(
    stats.gaussian_kde,
    Recipe(
        lambda kde: {
            "dataset": kde.dataset,
            "factor": float(kde.factor),
            "weights": kde.weights,
            "covariance": kde.covariance,
        },
        _made_kernel,
        # Bytes: two copies each of the covariance and its root, and the values.
        cost=lambda state: int(
            2**11
            + 32 * (state["dataset"].size + state["weights"].size)
            + 64 * state["covariance"].size
        ),
    ),
)
register(
    type(stats.multivariate_t()),
    Recipe(
        lambda member: {name: getattr(member, name) for name in ("loc", "shape", "df")},
        _made_t,
        cost=lambda state: int(2**13 + 64 * state["shape"].size),
    ),
    "multivariate_t",
)
