"""The order of objects: by their ids, so that fits do not depend on that of the rows.

Rounding of sums, breaking of ties and handing out of random numbers follow the rows.
"""

import numpy as np

from incerta.data.container import UncertainData
from incerta.typing import Ids, Indices


def order_of(ids: Ids) -> Indices | None:
    """Positions of the ids from the first to the last; None if they are in order."""
    # Ids that are neither numbers nor texts may have no order.
    names = ids.astype(str) if ids.dtype == object else ids
    if (names[1:] > names[:-1]).all():
        return None
    return np.argsort(names, kind="stable")


def sorted_by_id(data: UncertainData) -> UncertainData:
    """The objects in the order of their ids; the same data if they are."""
    order = order_of(data.ids)
    return data if order is None else data[order]


def at_their_rows(order: Indices) -> Indices:
    """Where each row went: the inverse of an order."""
    rows = np.empty_like(order)
    rows[order] = np.arange(len(order))
    return rows
