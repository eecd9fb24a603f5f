"""The classes that a model file may hold, by name, and how each is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple, TypeVar

from incerta.models.checks import check_shapes, wrong

State = dict[str, Any]
Class = TypeVar("Class", bound=type)


class UnstorableError(Exception):
    """Error for an object that cannot be stored although its class is registered."""


class Recipe(NamedTuple):
    """Functions that take objects of a class apart and rebuild them."""

    state: Callable[[Any], State]
    make: Callable[[State], Any]
    is_model: bool = False  # whether it can be a model file by itself
    # Bytes that `make` takes for a state, beyond the state itself and about 1000. It is
    # called before the state is checked, and must not allocate anything itself.
    cost: Callable[[State], int] | None = None


_RECIPES: dict[str, Recipe] = {}
_NAMES: dict[type, str] = {}


def register(cls: type, recipe: Recipe, name: str | None = None) -> None:
    """Register a class, but not its subclasses, under `name` in files."""
    name = name or cls.__name__
    _NAMES[cls] = name
    _RECIPES[name] = recipe


def stored(
    check: Callable[[Any], None] | None = None,
    *,
    by_itself: bool = False,
    **shapes: str,
) -> Callable[[Class], Class]:
    """Return a decorator to register records, or models for `save` if `by_itself`.

    Arrays in a file must have these shapes, and the records must pass `check`.
    """

    def enter(cls: Class) -> Class:
        kind: Any = cls
        names = [f.name for f in fields(kind)] if is_dataclass(kind) else kind._fields
        if not set(shapes) <= set(names):
            msg = f"{kind.__name__} has no fields {set(shapes) - set(names)}"
            raise TypeError(msg)

        def made(state: State) -> Any:
            check_shapes(state, shapes, {})
            record = cls(**state)
            if check is not None:
                check(record)
            return record

        def taken_apart(record: Any) -> State:
            return {name: getattr(record, name) for name in names}

        register(cls, Recipe(taken_apart, made, by_itself))
        return cls

    return enter


def name_of(thing: Any) -> str | None:
    """Return the registered name of an object's class, or None."""
    # Look up the class, not its name: anyone may name a class KMeans.
    return _NAMES.get(type(thing))


def recipe_for(name: str) -> Recipe:
    """Return the recipe of the class registered under a name."""
    if name not in _RECIPES:
        wrong(f"class {name!r} is unknown to this version")
    return _RECIPES[name]


def is_model(thing: Any) -> bool:
    """Tell whether `save` accepts an object."""
    name = name_of(thing)
    return name is not None and _RECIPES[name].is_model
