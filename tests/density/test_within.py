"""Distance probabilities: boxes, pairs of values, Gaussian and joint objects."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import cdist
from scipy.stats import norm

import incerta as ic
from incerta.data.laws import Values
from incerta.density import value_pairs
from incerta.density.value_pairs import pairs_of_values
from incerta.density.within import (
    LEAF,
    Boxes,
    pairs_within,
    plant,
    within,
    within_between,
)
from tests.density import oracle
from tests.extras import ENGINES
from tests.strategies import KINDS, make

engines = pytest.mark.parametrize("engine", ENGINES)


@st.composite
def few_objects(draw, most=5):
    """Objects of few values on a small grid, so that distances tie with eps."""
    n, d = draw(st.integers(2, most)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    counts = rng.integers(1, 4, n)
    weighted = draw(st.booleans())
    objects = []
    for count in counts:
        values = rng.integers(-2, 3, size=(count, d)).astype(float)
        weights = (
            rng.dirichlet(np.ones(count)) if weighted else np.full(count, 1 / count)
        )
        objects.append((values, weights))
    return objects


def as_data(objects):
    return ic.from_samples(
        np.concatenate([values for values, _ in objects]),
        np.repeat(np.arange(len(objects)), [len(values) for values, _ in objects]),
        np.concatenate([weights for _, weights in objects]),
    )


@engines
@given(
    objects=few_objects(), eps=st.sampled_from([0.0, 0.5, 1.0, np.sqrt(2), 2.0, 9.0])
)
def test_within_is_the_brute_force_over_all_worlds(engine, objects, eps):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(value_pairs, "engine_for", lambda _: engine)
        table = within(as_data(objects).law, eps)
    np.testing.assert_allclose(table.toarray(), oracle.within(objects, eps), atol=1e-12)
    assert (table.data > 0).all()
    assert table.has_sorted_indices


@engines
def test_shares_of_values_without_weights_are_exact(engine):
    rng = np.random.default_rng(0)
    counts = rng.integers(1, 40, 30)
    starts = np.concatenate([[0], np.cumsum(counts)])
    law = Values(rng.normal(size=(starts[-1], 7)), starts)
    i, j = np.triu_indices(30, 1)
    found = pairs_of_values(law, law, 3.5, engine=engine)(i, j)
    distances = cdist(law.values, law.values)
    blocks = [
        np.split(rows, starts[1:-1], axis=1)
        for rows in np.split(distances, starts[1:-1])
    ]
    expected = [np.mean(blocks[a][b] <= 3.5) for a, b in zip(i, j)]
    np.testing.assert_array_equal(found, expected)


def test_long_objects_are_cut_into_tiles():
    values = np.random.default_rng(0).normal(size=(6000, 2))
    law = Values(values, np.array([0, 1700, 4000, 4001, 6000]))
    i, j = np.triu_indices(4, 1)
    objects = np.split(values, law.starts[1:-1])
    expected = [(cdist(objects[a], objects[b]) <= 1.0).mean() for a, b in zip(i, j)]
    found = pairs_of_values(law, law, 1.0, engine="numpy")(i, j)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize("n", [1, 2, LEAF, LEAF + 1, 3 * LEAF, 300])
@pytest.mark.parametrize("d", [1, 3])
def test_boxes_find_every_pair_that_can_be_close(n, d):
    rng = np.random.default_rng(n)
    low = rng.normal(size=(n, d)) * 3
    boxes = Boxes(low, low + rng.exponential(0.3, size=(n, d)))
    gaps = np.maximum(boxes.low[:, None] - boxes.high, boxes.low - boxes.high[:, None])
    least = np.linalg.norm(np.maximum(gaps, 0), axis=2)
    most = np.linalg.norm(
        np.maximum(boxes.high[:, None] - boxes.low, boxes.high - boxes.low[:, None]),
        axis=2,
    )
    tree = plant(boxes)
    np.testing.assert_array_equal(np.sort(tree.order), np.arange(n))
    eps = 0.7
    found, sure = set(), set()
    for i, j, certain in pairs_within(tree, None, eps):
        assert (np.diff(i) >= 0).all()
        pairs = [frozenset(pair) for pair in zip(tree.order[i], tree.order[j])]
        found |= set(pairs)
        sure |= {pair for pair, yes in zip(pairs, certain) if yes}
    upper = np.triu(np.ones((n, n), dtype=bool), 1)
    assert found == {frozenset(p) for p in np.argwhere(upper & (least <= eps))}
    assert sure == {frozenset(p) for p in np.argwhere(upper & (most <= eps))}


@pytest.mark.parametrize(("n", "m"), [(5, 200), (200, 5), (1, 1), (90, 70)])
def test_boxes_of_two_sets(n, m):
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(n, 2)) * 4, rng.normal(size=(m, 2)) * 4
    one, two = plant(Boxes(a, a)), plant(Boxes(b, b))
    found = [(one.order[i], two.order[j]) for i, j, _ in pairs_within(one, two, 1.0)]
    pairs = {tuple(pair) for i, j in found for pair in zip(i, j)}
    assert pairs == {tuple(pair) for pair in np.argwhere(cdist(a, b) <= 1.0)}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_against_its_worlds(kind):
    data = make(kind, n=8, d=2, seed=3)
    eps = 3.0
    table = within(data.law, eps, seed=1).toarray()
    np.testing.assert_array_equal(table, table.T)
    np.testing.assert_array_equal(table.diagonal(), 1.0)
    n_worlds = 6 if data.joint else 4000
    worlds = data.worlds(n_worlds, 0)
    share = np.mean([cdist(world, world) <= eps for world in worlds], axis=0)
    slack = 4 * np.sqrt(0.25 / 4000)
    if kind in (
        "interval",
        "distributions",
        "multivariate",
        "mixed",
        "mixtures",
        "plain mixtures",
    ):
        slack += 0.05  # 64 values stand for each object
    np.testing.assert_allclose(table, share, atol=0 if data.joint else slack)


@cache
def worlds_of(kind, n, seed):
    data = make(kind, n=n, d=2, seed=seed)
    return data, data.worlds(6 if data.joint else 3000, seed + 2).stack()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("other", ["exact", "samples", "gaussian", "worlds"])
def test_two_sets_of_objects_against_their_worlds(kind, other):
    (a, of_a), (b, of_b) = worlds_of(kind, 5, 3), worlds_of(other, 7, 4)
    eps = 3.0
    table = within_between(a.law, b.law, eps, seed=1).toarray()
    # Draws of one set are shuffled against those of the other: they are independent.
    rng = np.random.default_rng(0)
    draws = [each[rng.integers(0, len(each), 3000)] for each in (of_a, of_b)]
    gaps = np.linalg.norm(draws[0][:, :, None] - draws[1][:, None], axis=3)
    share = (gaps <= eps).mean(axis=0)
    slack = 4 * np.sqrt(0.25 / 3000) + 0.05
    np.testing.assert_allclose(table, share, atol=slack)


def test_gaussian_oracle_values():
    data = ic.from_gaussian([[0.0, 0.0], [1.0, 2.0]], std=[[0.0, 1.0], [1.0, 1.0]])
    found = [within(data.law, eps).toarray()[0, 1] for eps in (1.0, 2.0, 3.0)]
    np.testing.assert_allclose(found, [0.082610, 0.335689, 0.656431], atol=1e-6)
    fast = [within(data.law, eps, fast=True).toarray()[0, 1] for eps in (1.0, 2.0, 3.0)]
    np.testing.assert_allclose(fast, [0.081457, 0.335743, 0.656557], atol=1e-6)


@given(seed=st.integers(0, 2**32 - 1))
def test_more_radius_never_less_probability(seed):
    data = make("samples", n=6, d=2, seed=seed)
    tables = [within(data.law, eps).toarray() for eps in (0.0, 0.5, 1.0, 3.0, 1e9)]
    for one, two in pairwise(tables):
        assert (one <= two).all()
    np.testing.assert_array_equal(tables[-1], 1.0)


def test_small_probabilities_can_be_left_out():
    data = make("gaussian", n=30, d=2, seed=0)
    table = within(data.law, 2.0).toarray()
    some = within(data.law, 2.0, least=0.5).toarray()
    np.testing.assert_array_equal(some, np.where(table >= 0.5, table, 0.0))


def test_far_from_the_origin_and_of_any_scale():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 5, 2))
    expected = within(ic.from_array(X).law, 1.0).toarray()
    for scale in (1e-150, 1e150):
        found = within(ic.from_array(X * scale).law, scale).toarray()
        np.testing.assert_allclose(found, expected, atol=0.05)
    moved = within(ic.from_array(X + 1e6).law, 1.0).toarray()
    np.testing.assert_allclose(moved, expected, atol=0.05)


def test_only_what_can_happen_is_stored():
    # The boxes touch, the values do not.
    data = ic.from_array([[[0.0, 0.0], [5.0, 5.0]], [[0.0, 5.0], [5.0, 0.0]]])
    np.testing.assert_array_equal(within(data.law, 1.0).toarray(), np.eye(2))
    one, other = data[:1].law, data[1:].law
    assert within_between(one, other, 1.0).nnz == 0


def test_gaussians_reach_far():
    data = ic.from_gaussian([[0.0], [8.0]], std=1.0)
    found = within(data.law, 1.0).toarray()[0, 1]
    rare = norm.cdf(-7.0 / np.sqrt(2.0)) - norm.cdf(-9.0 / np.sqrt(2.0))
    assert found == pytest.approx(rare, rel=1e-6)
