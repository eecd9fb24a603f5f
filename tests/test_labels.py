"""Labels and memberships against plain loops."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from incerta.labels import (
    confidence_of,
    in_order_of_appearance,
    label_sets,
    likeliest,
    most_probable,
    second_best,
    shares,
    with_empty_last,
)

some_labels = hnp.arrays(np.intp, st.integers(1, 12), elements=st.integers(-1, 4))


@st.composite
def memberships(draw):
    """Labels of worlds as shares, so that equal ones are common; noise is the rest."""
    n, k = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    worlds = draw(hnp.arrays(np.intp, (4, n), elements=st.integers(-1, k - 1)))
    labels = draw(hnp.arrays(np.intp, n, elements=st.integers(-1, k - 1)))
    return shares(worlds, k), labels


def with_noise(membership):
    """Each row by the names of its columns; -1 is noise."""
    k = membership.shape[1]
    return [
        {**dict(enumerate(row)), -1: 1.0 - sum(row[:k])} for row in membership.tolist()
    ]


@given(some_labels)
def test_clusters_are_numbered_as_they_appear(labels):
    found, order = in_order_of_appearance(labels)
    seen = []
    for old, new in zip(labels.tolist(), found.tolist(), strict=True):
        if old >= 0 and old not in seen:
            seen.append(old)
        assert new == (seen.index(old) if old >= 0 else -1)
    assert order.tolist() == seen
    every = with_empty_last(order, 6)
    assert every[: len(order)].tolist() == seen
    assert sorted(every.tolist()) == list(range(6))


@given(hnp.arrays(np.intp, (5, 7), elements=st.integers(-1, 3)))
def test_shares_count_all_worlds(worlds):
    found = shares(worlds, 4)
    for i in range(7):
        for c in range(4):
            assert found[i, c] == pytest.approx((worlds[:, i] == c).mean())


@given(memberships())
def test_the_most_probable(given):
    membership, labels = given
    best, sure = likeliest(membership), confidence_of(labels, membership)
    kept, second = most_probable(labels, membership), second_best(labels, membership)
    for i, chances in enumerate(with_noise(membership)):
        own, most = labels[i], max(chances.values())
        assert chances[best[i]] == pytest.approx(most)
        assert sure[i] == pytest.approx(chances[own])
        # Its own label is kept where no other is more probable.
        alike = chances[own] > most - 1e-9
        assert kept[i] == (own if alike else best[i])
        others = {c: p for c, p in chances.items() if c != own and c >= 0 and p > 1e-9}
        rest = chances[-1] if own != -1 else 0.0
        if others and max(others.values()) > rest - 1e-9:
            assert chances[second[i]] == pytest.approx(max(others.values()))
        else:
            assert second[i] == -1


def test_rounding_is_no_reason_to_leave():
    membership = np.array([[0.5 + 1e-15, 0.5 - 1e-15], [0.6, 0.4]])
    assert most_probable(np.array([1, 1]), membership).tolist() == [1, 0]


def test_what_is_impossible_is_not_second():
    membership = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.7, 0.0, 0.3]])
    assert second_best(np.array([0, -1, 0]), membership).tolist() == [-1, -1, 2]


@given(memberships(), st.sampled_from([0.25, 0.5, 0.6, 0.75, 0.9, 1.0]))
def test_sets_of_labels_hold_what_is_asked_for(given, coverage):
    membership, _ = given
    labels = likeliest(membership)
    for i, found in enumerate(label_sets(labels, membership, coverage)):
        chances = with_noise(membership)[i]
        assert found[0] == labels[i]
        assert len(set(found)) == len(found)
        held = [chances[c] for c in found]
        assert sum(held) >= coverage - 1e-9
        assert sum(held[:-1]) < coverage - 1e-9  # no smaller set does
        assert all(a >= b - 1e-9 for a, b in pairwise(held))


def test_rounding_adds_nothing_to_a_set():
    membership = np.array([[0.7, 0.1 + 0.1, 0.1]])
    short = 0.9 + 1e-12
    assert label_sets(np.array([0]), membership, short) == [(0, 1)]
