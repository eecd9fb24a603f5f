"""One set of names for several views and worlds."""

from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from incerta.views.consensus import (
    in_one_naming,
    led_by,
    named_after,
    renamed,
    stability,
)


def random_membership(rng, n=30, k=4):
    return rng.dirichlet(np.full(k, 0.3), size=n)


@pytest.mark.parametrize("seed", range(5))
def test_names_are_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    one, other = random_membership(rng), random_membership(rng)
    names = named_after(one, other)
    best = max(
        permutations(range(4)),
        key=lambda p: sum(one[:, a] @ other[:, p[a]] for a in range(4)),
    )
    assert tuple(names) == best
    np.testing.assert_array_equal(renamed(one, other)[:, best], one)


def test_names_that_are_known_stay():
    rng = np.random.default_rng(0)
    one = random_membership(rng)
    other = one[:, [3, 2, 1, 0]]
    assert named_after(one, other).tolist() == [3, 2, 1, 0]
    names = named_after(one, other, 2)
    assert names[:2].tolist() == [0, 1]
    assert sorted(names[2:]) == [2, 3]


def test_worlds_get_common_names():
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=90)
    worlds = []
    for _ in range(8):
        world = np.where(rng.random(90) < 0.1, rng.integers(3, size=90), truth)
        worlds.append(rng.permutation(3)[world])
    named = in_one_naming(np.array(worlds), truth, 3)
    assert ((named == truth).mean(axis=1) > 0.8).all()


def test_worlds_that_know_better_than_what_was_given():
    """Given labels cut across what worlds show: names come from the worlds."""
    truth = np.repeat([0, 1], 40)
    given = np.tile([0, 1], 40)
    worlds = np.array([truth if j % 2 else 1 - truth for j in range(9)])
    worlds[:, :3] = 0
    named = in_one_naming(worlds, given, 2)
    assert (named[:, 5:] == named[0, 5:]).all()


def test_stability():
    rng = np.random.default_rng(2)
    worlds = rng.integers(2, size=(4, 50))
    pairs = [(0, 1), (1, 2), (2, 3), (3, 0)]
    expected = np.mean([adjusted_rand_score(worlds[a], worlds[b]) for a, b in pairs])
    assert stability(worlds) == pytest.approx(expected)
    assert stability(worlds[:1]) == 1.0
    assert stability(np.array([[0, 1, 1], [1, 0, 0]])) == 1.0


def test_labels_lead():
    membership = np.array([[0.7, 0.2, 0.1], [0.5, 0.3, 0.2]])
    found = led_by(membership, np.array([0, 1]))
    np.testing.assert_allclose(found[0], membership[0])
    assert found[1, 1] == pytest.approx(found[1, 0])
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert found[1, 2] < 0.2
