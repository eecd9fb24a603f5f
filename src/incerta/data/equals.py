"""Which objects are the same in all that is known of them."""

import numpy as np

from incerta.backend.keyed import GOLDEN, mixed
from incerta.data.container import UncertainData
from incerta.data.laws import Arrays, Joint, Values
from incerta.typing import Array, Indices


def first_equals(data: UncertainData) -> Indices:
    """Position of the first object that is equal to each, which is mostly itself.

    Laws with several values, and joint draws, are not compared: they are hardly ever
    equal. Costs a pass over the data.
    """
    n, columns = len(data), _columns(data)
    if columns is None:
        return np.arange(n)
    keys = np.full(n, GOLDEN)
    for column in columns:
        # Zero has two signs, and counts as one number.
        keys = mixed(keys * GOLDEN + (column + 0.0).view(np.uint64))
    _, first, group = np.unique(keys, return_index=True, return_inverse=True)
    return first[group]


def _columns(data: UncertainData) -> list[Array] | None:
    """Numbers that describe each object, in arrays of shape (n,)."""
    law = data.law
    if isinstance(law, Values) and data.exact:
        return [*law.values.T]
    if not isinstance(law, Arrays) or isinstance(law, Joint):
        return None
    found = []
    for name, letters in law.axes.items():
        if "n" in letters:
            rows = np.moveaxis(getattr(law, name), letters.index("n"), 0)
            found += [*rows.reshape(len(data), -1).astype(float).T]
    return found
