"""Which classes, by name, a model file may hold, and how each is stored."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple, TypeVar

from incerta.models.checks import check_shapes, wrong

State = dict[str, Any]
Class = TypeVar("Class", bound=type)


class UnstorableError(Exception):
    """An object that is of a known class, but not of the kind that can be stored."""


class Recipe(NamedTuple):
    """How objects of a class are taken apart, and put together again."""

    state: Callable[[Any], State]
    make: Callable[[State], Any]
    is_model: bool = False  # whether a file may hold it by itself
    # Bytes that `make` takes for a state, beyond those of the state and some 1000. It
    # is asked before anything is checked, and must make nothing itself.
    cost: Callable[[State], int] | None = None


_RECIPES: dict[str, Recipe] = {}
_NAMES: dict[type, str] = {}


def register(cls: type, recipe: Recipe, name: str | None = None) -> None:
    """Add a class, without its subclasses, to the list; files call it `name`."""
    name = name or cls.__name__
    _NAMES[cls] = name
    _RECIPES[name] = recipe


def stored(
    check: Callable[[Any], None] | None = None,
    *,
    by_itself: bool = False,
    **shapes: str,
) -> Callable[[Class], Class]:
    """Decorator for classes that may be in a file, or be one `by_itself`.

    Arrays have these shapes, and records pass a further check.
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
    """Name in the list of the class of an object, or None."""
    # Anyone may call a class KMeans: it is the class that counts.
    return _NAMES.get(type(thing))


def recipe_for(name: str) -> Recipe:
    """How to take apart, and how to make, objects of the class with this name."""
    if name not in _RECIPES:
        wrong(f"class {name!r} is unknown to this version")
    return _RECIPES[name]


def is_model(thing: Any) -> bool:
    """Tell whether `save` takes this."""
    name = name_of(thing)
    return name is not None and _RECIPES[name].is_model
