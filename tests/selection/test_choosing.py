import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from incerta.selection import representatives


def distances(seed, m):
    place = np.random.default_rng(seed).normal(size=(m, 2))
    return np.linalg.norm(place[:, None] - place, axis=2)


def loss(D, chosen):
    """Eq. 1: every world not chosen, to its nearest chosen one."""
    rest = set(range(len(D))) - set(chosen)
    return sum(min(D[r, c] for c in chosen) for r in rest)


def greedy(D, n):
    """Eq. 7, by trying every candidate."""
    chosen = []
    for _ in range(n):
        rest = [c for c in range(len(D)) if c not in chosen]
        chosen.append(min(rest, key=lambda c: (round(loss(D, [*chosen, c]), 9), c)))
    return chosen


@given(st.integers(0, 2**32 - 1), st.integers(1, 9), st.data())
def test_greedy_against_trying_all(seed, m, pick):
    n = pick.draw(st.integers(1, m))
    D = distances(seed, m)
    chosen, losses = representatives(D, n, return_loss=True)
    assert chosen.tolist() == greedy(D, n)
    for k in range(1, n + 1):
        assert losses[k - 1] == pytest.approx(loss(D, chosen[:k]), abs=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(2, 8), st.sampled_from([0, 1, 2]))
def test_loss_never_rises(seed, m, which):
    method = ("greedy", "central", "random")[which]
    losses = representatives(distances(seed, m), m, method, return_loss=True)[1]
    assert (np.diff(losses) <= 1e-12).all()
    assert losses[-1] == 0.0


@given(st.integers(0, 2**32 - 1))
def test_greedy_keeps_its_guarantee(seed):
    # Facility location: at least 1 - 1/e of the best reduction after the first pick.
    D = distances(seed, 8)
    first = loss(D, representatives(D, 1))
    best = min(loss(D, c) for c in itertools.combinations(range(8), 3))
    found = loss(D, representatives(D, 3))
    assert first - found >= (1 - 1 / np.e) * (first - best) - 1e-9 or found == best


def test_greedy_picks_the_outlier_second():
    D = np.ones((20, 20))
    D[0] = D[:, 0] = 1.1
    np.fill_diagonal(D, 0.0)
    assert representatives(D, 4).tolist() == [1, 0, 2, 3]
    assert representatives(D, 4, "central").tolist() == [1, 2, 3, 4]


def test_ties_go_to_the_lowest_index():
    assert representatives(np.zeros((5, 5)), 3).tolist() == [0, 1, 2]


def test_equal_sums_are_equal_in_any_order_of_addition():
    # Rows of a Latin square: 0.1 + 0.2 + 0.3 is not 0.3 + 0.2 + 0.1 in floats.
    a, b, c = 0.1, 0.2, 0.3
    D = np.array([[0, a, b, c], [a, 0, c, b], [b, c, 0, a], [c, b, a, 0]])
    assert D.sum(axis=1).argmin() != 0
    assert representatives(D, 1).tolist() == [0]
    assert representatives(D, 4, "central").tolist() == [0, 1, 2, 3]


def test_random_is_seeded_and_without_repetition():
    D = distances(0, 30)
    one = representatives(D, 10, "random", random_state=1)
    assert len(set(one.tolist())) == 10
    np.testing.assert_array_equal(one, representatives(D, 10, "random", random_state=1))
    assert set(one) != set(representatives(D, 10, "random", random_state=2))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((3, 3)), 4), "n=4 must be between 1 and the number of worlds, 3"),
        ((np.zeros((3, 3)), 0), "n=0"),
        ((np.zeros((3, 3)), 1.5), "n=1.5"),
        ((np.zeros((3, 2)), 1), r"shape \(3, 2\)"),
        ((np.full((2, 2), np.nan), 1), "finite"),
        ((-np.ones((2, 2)), 1), "not negative"),
        ((np.zeros((3, 3)), 1, "best"), "method='best' must be one of"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        representatives(*arguments)
