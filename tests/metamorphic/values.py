"""Laws about the values and draws that objects are given by."""

from dataclasses import replace

import numpy as np

import incerta as ic
from incerta.data.laws import Joint
from tests.metamorphic.law import Law, of_each
from tests.metamorphic.subjects import N_DRAWS


def values_elsewhere(data):
    """The rows of a long table in another order; the ids appear as before."""
    law = data.law
    order = np.random.default_rng(2).permutation(len(law.values))
    firsts = law.starts[:-1]
    order = np.concatenate([firsts, order[~np.isin(order, firsts)]])
    ids = np.repeat(data.ids, law.counts)
    return ic.from_samples(law.values[order], ids[order])


def each_twice(data):
    ids = np.repeat(data.ids, 2 * data.law.counts)
    return ic.from_samples(np.repeat(data.law.values, 2, axis=0), ids)


def draws_elsewhere(data):
    order = np.random.default_rng(3).permutation(N_DRAWS)
    return replace(data, law=Joint(data.law.draws[order]))


LAWS = (
    Law(
        "values",
        "The values of each object come in another order (from_samples).",
        ("values",),
        of_each(values_elsewhere),
        exact=True,
    ),
    Law(
        "twice",
        "Each value of each object is there twice.",
        ("values",),
        of_each(each_twice),
    ),
    Law(
        "draws",
        "Joint draws come in another order.",
        ("draws",),
        of_each(draws_elsewhere),
    ),
)
