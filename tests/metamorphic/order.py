"""Laws about which objects there are, in which order, and what they are called."""

from dataclasses import replace

import numpy as np

from tests.metamorphic.law import Changed, Law
from tests.metamorphic.subjects import N_NEW, N_OBJECTS, Task, task, told, usual


def other_rows(some):
    order, new_order = _orders()
    moved = Task(some.data[order], some.new[new_order], some.y[order])
    return Changed(moved, np.argsort(order), np.argsort(new_order))


def other_names(some):
    """Ids whose order is another one, too."""
    order, new_order = _orders()
    return Changed(
        Task(_renamed(some.data, order), _renamed(some.new, new_order), some.y)
    )


def _orders():
    rng = np.random.default_rng(1)
    return rng.permutation(N_OBJECTS), rng.permutation(N_NEW)


def _renamed(data, order):
    return replace(data, ids=np.array([f"object {i:03}" for i in order]))


def alone(name, kind):
    """New objects together, against one by one, and some in another order."""
    model, new = usual(name, kind)[0], task(kind).new
    labels, shares = told(model, new)
    batches = [[i] for i in range(3)] + [[7, 2, 5, 3]]
    return max(_batch_apart(model, new, labels, shares, batch) for batch in batches)


def _batch_apart(model, new, labels, shares, batch):
    some, their_shares = told(model, new[batch])
    if (some != labels[batch]).any():
        return np.inf
    if shares is None:
        return 0.0
    return float(np.abs(their_shares - shares[batch]).max(initial=0.0))


LAWS = (
    Law(
        "rows",
        "The objects come in other rows, with their ids.",
        ("errors", "values", "draws"),
        other_rows,
        exact=True,
    ),
    Law(
        "alone",
        "New objects come one by one, or some of them in another order.",
        ("errors", "values", "draws"),
        compared=alone,
    ),
    Law(
        "ids",
        "The objects get other ids, in another order; all their worlds are given.",
        ("draws", "points"),
        other_names,
    ),
    Law(
        "ids, drawn",
        "The same, where worlds are drawn.",
        ("errors",),
        other_names,
    ),
)
