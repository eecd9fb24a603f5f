"""What parameters may be. scikit-learn's private names are imported here only."""

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
# Where and how, not what: model files do not hold them.
OF_THIS_MACHINE = {"checkpoint", "device"}


def parameter(allowed: list[Any] | str, *, default: Any = MISSING) -> Any:
    """A parameter of an estimator: what scikit-learn shall check, and its default."""
    return field(default=default, metadata={"allowed": allowed})


def choice(*others: str, default: str) -> Any:
    """A parameter that is one word or one of some others."""
    return parameter([StrOptions({default, *others})], default=default)


@dataclass_transform(eq_default=False, field_specifiers=(parameter, choice))
def with_parameters(cls: type[T]) -> type[T]:
    """Give an estimator its ``__init__`` and its checks, from its fields."""
    made: Any = dataclass(eq=False, repr=False)(cls)
    allowed = {each.name: each.metadata["allowed"] for each in fields(made)}
    made._parameter_constraints = allowed
    return cls
