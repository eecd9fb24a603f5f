"""Which world of new objects goes with which world of a fit."""

import numpy as np
import pytest

import incerta as ic
from incerta.worlds.sequence import paired
from tests.strategies import make

N_WORLDS = 6


def joint(n_draws, seed=0):
    return ic.from_worlds(np.random.default_rng(seed).normal(size=(n_draws, 4, 2)))


@pytest.mark.parametrize("kind", ["gaussian", "interval"])
def test_new_objects_do_not_move_along_with_those_of_the_fit(kind):
    # The same objects, by the same ids: with one seed they would be drawn alike.
    fitted = make(kind, seed=1).worlds(N_WORLDS, 7)
    positions, same, new = paired(fitted, fitted.data, 99)
    np.testing.assert_array_equal(positions, np.arange(N_WORLDS))
    np.testing.assert_array_equal(same.stack(), fitted.stack())
    assert len(new) == N_WORLDS
    for one, other in zip(fitted, new, strict=True):
        assert not np.array_equal(one, other)


@pytest.mark.parametrize("n_draws", [4, 10])
def test_draws_of_one_ensemble_belong_together(n_draws):
    fitted = joint(10).worlds(10, 0).at([9, 2, 5])
    data = joint(n_draws, seed=1)
    new = paired(fitted, data, 99).new
    np.testing.assert_array_equal(
        new.stack(), data.law.draws[np.array([9, 2, 5]) % n_draws]
    )


def test_exact_objects_go_with_every_world():
    exact, uncertain = make("exact"), make("gaussian", seed=1)
    fitted = exact.worlds(1, 3)
    positions, same, new = paired(fitted, uncertain, N_WORLDS)
    np.testing.assert_array_equal(positions, np.zeros(N_WORLDS))
    np.testing.assert_array_equal(same.stack(), [exact.mean()] * N_WORLDS)
    assert len(new) == N_WORLDS
    assert len(np.unique(new.stack()[:, 0, 0])) == N_WORLDS
    _, same, new = paired(uncertain.worlds(N_WORLDS, 3), exact, 99)
    np.testing.assert_array_equal(new.stack(), [exact.mean()] * N_WORLDS)
    assert len(same) == N_WORLDS
