"""Laws: how the values of all objects are distributed.

A law describes all objects at once. Everything it does is an array operation, and it
draws by one rule: uniform numbers in, values out. Whoever supplies the uniform numbers
controls seeds, order and stratification.
"""

from incerta.data.laws.as_values import as_values, points_like
from incerta.data.laws.base import Boxes, Law
from incerta.data.laws.combined import Mapped, Stacked
from incerta.data.laws.families import FAMILIES, Gaussian, Independent
from incerta.data.laws.joint import Joint
from incerta.data.laws.mixtures import Mixtures
from incerta.data.laws.scipy_stats import Cells, Kernels, Opaque
from incerta.data.laws.split import SplitNormal
from incerta.data.laws.values import Values

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
]
