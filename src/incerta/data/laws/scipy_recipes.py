"""How distributions of scipy are stored: by their names and parameters."""

from typing import Any

from scipy import stats

from incerta.data.laws.scipy_stats import FrozenGroup, ObjectGroup, SingleGroup
from incerta.models.checks import check_shapes
from incerta.models.registry import Recipe, State, UnstorableError, register


def _frozen_state(group: FrozenGroup) -> State:
    given = group.generator
    named: Any = getattr(stats, given.name, None)
    alike = type(named) is type(given)
    if not alike or (named.a, named.b) != (given.a, given.b):
        msg = "it is not a distribution with a name in scipy.stats"
        raise UnstorableError(msg)
    return {"name": given.name, "parameters": group.parameters}


def _made_frozen(state: State) -> FrozenGroup:
    generator: Any = getattr(stats, state["name"], None)
    continuous = isinstance(generator, stats.rv_continuous)
    if not continuous and not isinstance(generator, stats.rv_discrete):
        msg = f"{state['name']!r} is not a distribution of scipy.stats"
        raise ValueError(msg)
    parameters = state["parameters"]
    _check_columns(parameters, generator.numargs + 1 + continuous)
    return FrozenGroup(generator, parameters)


# Of Normal and its like; scipy does not name it in public.
_NEW_STYLE: Any = stats.Normal.__base__


def _object_state(group: ObjectGroup) -> State:
    name = group.cls.__name__
    if getattr(stats, name, None) is not group.cls:
        msg = "it is not a distribution with a name in scipy.stats"
        raise UnstorableError(msg)
    return {"name": name, "parameters": group.parameters, "size": group.size}


def _object_cost(state: State) -> int:
    # Its moments are computed once, of all cells together.
    return 256 * sum(column.size for column in state["parameters"].values())


def _made_object(state: State) -> ObjectGroup:
    cls, parameters = getattr(stats, state["name"], None), state["parameters"]
    if not isinstance(cls, type) or not issubclass(cls, _NEW_STYLE):
        msg = f"{state['name']!r} is not a distribution of scipy.stats"
        raise ValueError(msg)
    _check_columns(tuple(parameters.values()), len(parameters))
    group = ObjectGroup(cls, parameters, state["size"])
    if {len(column) for column in parameters.values()} != {group.size}:
        msg = "a distribution has more parameters than cells"
        raise ValueError(msg)
    group.moments()  # the names of its parameters are right, or this fails
    return group


def _check_columns(columns: Any, number: int) -> None:
    if not isinstance(columns, tuple) or len(columns) != number:
        msg = "a distribution has a wrong number of parameters"
        raise ValueError(msg)
    named = {str(i): column for i, column in enumerate(columns)}
    check_shapes(named, dict.fromkeys(named, "f c"), {})


def _made_singles(state: State) -> SingleGroup:
    members = state["members"]
    if not all(isinstance(member, stats.gaussian_kde) for member in members):
        msg = "a cell is not a distribution"
        raise ValueError(msg)
    return SingleGroup(members)


def _kernel_state(kde: Any) -> State:
    return {
        "dataset": kde.dataset,
        "factor": float(kde.factor),
        "weights": kde.weights,
        "covariance": kde.covariance,
    }


def _kernel_cost(state: State) -> int:
    # Covariance and its root come in two kinds each, after a copy of the values.
    values = state["dataset"].size + state["weights"].size
    return int(2**11 + 32 * values + 64 * state["covariance"].size)


def _made_kernel(state: State) -> Any:
    shapes = {"dataset": "f d n", "weights": "f n", "covariance": "f d d"}
    _check_all(state, shapes)
    kde: Any = stats.gaussian_kde(state["dataset"], state["factor"], state["weights"])
    # It rounds both anew: a last bit may differ, and with it a draw.
    kde._weights, kde.covariance = state["weights"], state["covariance"]
    return kde


def _t_state(member: Any) -> State:
    return {"loc": member.loc, "shape": member.shape, "df": member.df}


def _t_cost(state: State) -> int:
    return int(2**13 + 64 * state["shape"].size)


def _made_t(state: State) -> Any:
    # All of it: what is left out would be made up by scipy, of any size.
    _check_all(state, {"loc": "f d", "shape": "f d d"})
    loc, shape, df = state["loc"], state["shape"], state["df"]
    return stats.multivariate_t(loc, shape, df, allow_singular=True)


def _check_all(state: State, shapes: dict[str, str]) -> None:
    for name in shapes:
        if state[name] is None:
            msg = f"a distribution has no {name}"
            raise ValueError(msg)
    check_shapes(state, shapes, {})


register(FrozenGroup, Recipe(_frozen_state, _made_frozen))
register(ObjectGroup, Recipe(_object_state, _made_object, cost=_object_cost))
register(SingleGroup, Recipe(lambda group: {"members": group.members}, _made_singles))
register(stats.gaussian_kde, Recipe(_kernel_state, _made_kernel, cost=_kernel_cost))
register(
    type(stats.multivariate_t([0.0])),
    Recipe(_t_state, _made_t, cost=_t_cost),
    "multivariate_t",
)
