"""Type aliases used throughout the library."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]
Ids: TypeAlias = NDArray[Any]
Seed: TypeAlias = "int | np.random.RandomState | np.random.Generator | None"

__all__ = ["Array", "ArrayLike", "Ids", "Indices", "Mask", "Seed"]
