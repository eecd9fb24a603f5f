"""Laws: how the values of all objects are distributed.

A law describes all objects at once. Everything it does is an array operation, and it
draws by one rule: uniform numbers in, values out. Whoever supplies the uniform numbers
controls seeds, order and stratification.
"""

from incerta.data.laws.base import Boxes, Law, Mapped, Stacked, stack
from incerta.data.laws.families import (
    FAMILIES,
    Gaussian,
    Independent,
    Mixtures,
    SplitNormal,
)
from incerta.data.laws.scipy_stats import Cells, Kernels, Opaque
from incerta.data.laws.values import Joint, Values, as_values, points_like

__all__ = [
    "FAMILIES",
    "Boxes",
    "Cells",
    "Gaussian",
    "Independent",
    "Joint",
    "Kernels",
    "Law",
    "Mapped",
    "Mixtures",
    "Opaque",
    "SplitNormal",
    "Stacked",
    "Values",
    "as_values",
    "points_like",
    "stack",
]
