"""Constraints on parameters. Only this module imports scikit-learn's private names."""

from dataclasses import MISSING, dataclass, field, fields
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

import numpy as np
from sklearn.utils._param_validation import HasMethods, Interval, Options, StrOptions

__all__ = [
    "AUTO",
    "NOT_NEGATIVE",
    "POSITIVE",
    "PROBABILITY",
    "SEED",
    "WHOLE",
    "HasMethods",
    "Interval",
    "Options",
    "StrOptions",
    "choice",
    "parameter",
    "with_parameters",
]

T = TypeVar("T")
WHOLE: list[Any] = [Interval(Integral, 1, None, closed="left")]
POSITIVE: list[Any] = [Interval(Real, 0, None, closed="neither")]
NOT_NEGATIVE: list[Any] = [Interval(Real, 0, None, closed="left")]
PROBABILITY: list[Any] = [Interval(Real, 0, 1, closed="right")]
AUTO = StrOptions({"auto"})
SEED: list[Any] = ["random_state", np.random.Generator]
# These say where to compute, not what; model files leave them out.
OF_THIS_MACHINE = {"checkpoint", "device"}


def parameter(allowed: list[Any] | str, *, default: Any = MISSING) -> Any:
    """Declare an estimator's parameter: its scikit-learn constraints and default."""
    return field(default=default, metadata={"allowed": allowed})


def choice(*others: str, default: str) -> Any:
    """Declare a parameter that takes one of several words."""
    return parameter([StrOptions({default, *others})], default=default)


@dataclass_transform(eq_default=False, field_specifiers=(parameter, choice))
def with_parameters(cls: type[T]) -> type[T]:
    """Create the ``__init__`` and the checks of an estimator from its fields."""
    made: Any = dataclass(eq=False, repr=False)(cls)
    allowed = {each.name: each.metadata["allowed"] for each in fields(made)}
    made._parameter_constraints = allowed
    return cls
