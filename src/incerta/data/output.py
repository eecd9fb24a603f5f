"""Transformers whose output is uncertain data, whatever container tables come in."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from incerta.data.coerce import is_plain_table

T = TypeVar("T", bound=type[Any])


def uncertain_stays(cls: T) -> T:
    """Let ``set_output`` of scikit-learn choose the container of plain tables only.

    It would put whatever a transformer returns into a frame, and uncertain data, which
    are no table, come from one step of a pipeline to be handed to the next.
    """
    for name in ("transform", "fit_transform"):
        setattr(cls, name, _uncontained(getattr(cls, name)))
    return cls


def _uncontained(method: Callable[..., Any]) -> Callable[..., Any]:
    """Choose between scikit-learn's method and ours, which it is wrapped around."""
    ours: Callable[..., Any] = getattr(method, "__wrapped__", method)

    @wraps(ours)
    def chosen(self: Any, X: Any, *args: Any, **kwargs: Any) -> Any:
        called = method if is_plain_table(X) else ours
        return called(self, X, *args, **kwargs)

    return chosen
