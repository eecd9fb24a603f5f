"""What parameters may be. scikit-learn's private names are imported here only."""

from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    Options,
    StrOptions,
)

__all__ = [
    "NOT_NEGATIVE",
    "SEED",
    "WHOLE",
    "HasMethods",
    "Interval",
    "Options",
    "StrOptions",
]

WHOLE: list[Any] = [Interval(Integral, 1, None, closed="left")]
NOT_NEGATIVE: list[Any] = [Interval(Real, 0, None, closed="left")]
SEED: list[Any] = ["random_state", np.random.Generator]
# Where and how, not what: model files do not hold them.
OF_THIS_MACHINE = {"checkpoint", "device"}
