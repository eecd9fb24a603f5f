"""Laws about features: their order, their units, their origin, and idle ones."""

from dataclasses import replace

import numpy as np

import incerta as ic
from incerta.data.laws import Joint
from tests.metamorphic.law import Law, of_each
from tests.metamorphic.subjects import (
    Task,
    answer,
    apart,
    fitted,
    task,
)

ONE = np.array([1.0, 1024.0, 1.0])
SHIFT = np.array([512.0, -1024.0, 256.0])


def with_constant(data):
    """One feature more, in which all objects are alike and known."""
    names, n = (*data.feature_names, "constant"), len(data)
    if isinstance(data.law, Joint):
        idle = np.full((data.n_draws, n, 1), 5.0)
        law = Joint(np.concatenate([data.law.draws, idle], axis=2))
        return replace(data, law=law, feature_names=names)
    return ic.from_gaussian(
        np.column_stack([data.mean(), np.full(n, 5.0)]),
        std=np.column_stack([np.sqrt(data.variance()), np.zeros(n)]),
        ids=data.ids,
        feature_names=names,
    )


def standardized(name, kind):
    """One feature in other units, after `Standardizer`."""
    answers = [_after_scaling(name, task(kind), unit) for unit in (np.ones(3), ONE)]
    return apart(*answers)


def _after_scaling(name, some, unit):
    scaler = ic.Standardizer().fit(some.data.affine(unit))
    scaled = Task(
        scaler.transform(some.data.affine(unit)),
        scaler.transform(some.new.affine(unit)),
        some.y,
    )
    return answer(name, fitted(name, scaled), scaled)


LAWS = (
    Law(
        "features",
        "The features come in another order, with their names.",
        ("errors", "draws"),
        of_each(lambda data: data.select([2, 0, 1])),
    ),
    Law(
        "constant",
        "There is one feature more, in which all objects are alike.",
        ("errors", "draws"),
        of_each(with_constant),
    ),
    Law(
        "×2",
        "All features are in units half as large.",
        ("errors", "draws"),
        of_each(lambda data: data.affine(np.full(3, 2.0))),
        exact=True,
    ),
    Law(
        "×1000",
        "All features are in units a thousand times smaller.",
        ("errors", "draws"),
        of_each(lambda data: data.affine(np.full(3, 1000.0))),
    ),
    Law(
        "one ×1024",
        "One feature is in units 1024 times smaller.",
        ("errors",),
        of_each(lambda data: data.affine(ONE)),
    ),
    Law(
        "the same, scaled",
        "The same, and the data go through Standardizer.",
        ("errors",),
        compared=standardized,
    ),
    Law(
        "shift",
        "The origin lies elsewhere.",
        ("errors", "values"),
        of_each(lambda data: data.affine(np.ones(3), SHIFT)),
    ),
)
