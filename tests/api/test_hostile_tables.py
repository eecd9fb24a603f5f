"""Small tables with something extreme in them: no warning comes from inside."""

import contextlib
import warnings

import numpy as np
import pytest

import incerta as ic
from incerta.exceptions import DataError, IncertaWarning

RNG = np.random.default_rng(0)
HALF = 20
LABELS = np.repeat([0, 1], HALF)
MEAN = RNG.normal(size=(2 * HALF, 2)) + 6.0 * LABELS[:, None]
STD = RNG.uniform(0.1, 0.5, size=MEAN.shape)


def changed(table, where, value):
    table = table.copy()
    table[where] = value
    return table


def far_samples():
    """A value of one object is far away, and many objects have one value only."""
    objects = np.concatenate([np.arange(2 * HALF), [0], np.arange(HALF)])
    return ic.from_samples(np.vstack([MEAN, 1e9 * MEAN[:1], MEAN[:HALF]]), objects)


STIFF = np.einsum("ni,nj->nij", STD, STD) + np.diag([1e-14, 1e8])
TABLES = {
    "an outlier": ic.from_gaussian(changed(MEAN, (3, 0), 1e9), std=STD),
    "two exact outliers": ic.as_uncertain(changed(MEAN, 3, [1e9, -1e9])),
    "one large error": ic.from_gaussian(MEAN, std=changed(STD, (3, 0), 1e9)),
    "large errors": ic.from_gaussian(MEAN, std=1e9 * STD),
    "tiny errors": ic.from_gaussian(MEAN, std=1e-150 * STD),
    "some errors": ic.from_gaussian(MEAN, std=changed(STD, np.s_[::2], 0.0)),
    "stiff errors": ic.from_gaussian(MEAN, cov=STIFF),
    "a constant": ic.from_gaussian(changed(MEAN, np.s_[:, 1], 3.0), std=STD),
    "all equal": ic.from_gaussian(np.ones_like(MEAN), std=STD),
    "all equal and exact": ic.as_uncertain(np.ones_like(MEAN)),
    "few distinct": ic.as_uncertain(np.repeat(MEAN[[0, 20, 21]], [20, 10, 10], axis=0)),
    "far origin": ic.from_gaussian(MEAN + 1e12, std=STD),
    "other scales": ic.from_gaussian(MEAN * [1e60, 1e-60], std=STD * [1e60, 1e-60]),
    "heavy tails": ic.as_uncertain(RNG.standard_cauchy(size=MEAN.shape) ** 5),
    "a far value": far_samples(),
    "joint": ic.from_worlds(MEAN * 10.0 ** np.arange(-8, 9)[:, None, None]),
}
CALLS = {
    "cluster": lambda data: ic.cluster(data, k=2).novelty,
    "choose_k": lambda data: ic.choose_k(data, range(1, 3), n_null=9, alpha=0.2),
    "ErrorMixture": ic.ErrorMixture(2, random_state=0).fit,
    "UKMeans": ic.UKMeans(2, random_state=0).fit,
    "RPC": ic.RPC(2, n_worlds=5, n_representatives=2, random_state=0).fit,
    "FDBSCAN": ic.FDBSCAN(random_state=0).fit,
    "members": lambda data: ic.members(data).explain(),
    "assess": lambda data: ic.assess(data, LABELS).explain(),
}


SLOW = ("cluster", "choose_k")
MOST_EXTREME = ("an outlier", "large errors", "a far value")


@pytest.mark.parametrize(
    ("call", "table"),
    [(c, t) for c in CALLS for t in (MOST_EXTREME if c in SLOW else TABLES)],
)
def test_only_our_own_warnings_and_refusals(call, table):
    refused = DataError if call == "members" else ()  # what does not vary
    with warnings.catch_warnings(), contextlib.suppress(refused):
        warnings.simplefilter("ignore", IncertaWarning)
        CALLS[call](TABLES[table])
