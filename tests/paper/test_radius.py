"""The knee of expected distances, as in the paper's tables."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from paper.radius import expected_neighbor_distances


@given(
    seed=st.integers(0, 2**32 - 1),
    m=st.integers(1, 12),
    kind=st.sampled_from(["samples", "gaussian", "exact", "joint"]),
)
def test_expected_neighbors_are_the_definition(seed, m, kind):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 9))
    place, size = rng.normal(size=(n, 2)), rng.uniform(0.1, 3, (n, 1))
    draws = place + size * rng.normal(size=(4, n, 2))
    data = {
        "samples": lambda: ic.from_array(draws.transpose(1, 0, 2)),
        "gaussian": lambda: ic.from_gaussian(place, std=np.repeat(size, 2, axis=1)),
        "exact": lambda: ic.as_uncertain(place),
        "joint": lambda: ic.from_worlds(draws),
    }[kind]()
    mean, total = data.mean(), data.variance().sum(axis=1)
    squares = np.square(mean[:, None] - mean).sum(axis=2) + total[:, None] + total
    if kind == "joint":
        squares = np.square(draws[:, :, None] - draws[:, None]).sum(axis=3).mean(axis=0)
    np.fill_diagonal(squares, 0.0)
    nth = np.sort(squares, axis=1)[:, min(m, n) - 1]
    found = expected_neighbor_distances(data.law, m)
    np.testing.assert_allclose(found, np.sort(np.sqrt(nth)), atol=1e-12)
