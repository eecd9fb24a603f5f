"""The search for the best mixture: what is given up early, and what must not be."""

import numpy as np
import pytest

from incerta.mixture import fitting
from incerta.mixture.expectation import sums
from incerta.mixture.fitting import HOPELESS, Search, candidates, fitted
from incerta.mixture.model import Components, Measured

KINDS = ("diag", "full")


def how(numbers, **others):
    return Search(**{"numbers": numbers, "covariances": KINDS, "seed": 0} | others)


def measured(truth, rng):
    """Values with unequal errors."""
    errors = (0.4 * rng.lognormal(0.0, 0.6, size=truth.shape)) ** 2
    values = truth + np.sqrt(errors) * rng.standard_normal(truth.shape)
    return Measured(values.T.copy(), errors.T.copy())


def apart(seed, n=300, d=5, k=4, correlation=0.0):
    """Clusters at some distance, in which neighboring features go together."""
    rng = np.random.default_rng(seed)
    root = np.eye(d) + correlation * np.eye(d, k=-1)
    truth = 2.5 * rng.standard_normal((k, d))[rng.integers(k, size=n)]
    return measured(truth + rng.standard_normal((n, d)) @ root.T, rng)


def crossing(seed, long=3.0):
    """Two pairs of clusters with a common center, which lie crosswise."""
    rng = np.random.default_rng(seed)
    which = np.arange(600) % 4
    along, across = rng.standard_normal((2, 600)) * [[long], [1.0]]
    turn = np.where(which % 2, 1.0, -1.0)
    truth = np.column_stack([along + across, turn * (along - across)]) / np.sqrt(2)
    truth[:, 0] += 8.0 * (which // 2)
    return measured(truth, rng)


@pytest.fixture
def complete(monkeypatch):
    """Search to the end, whatever is found on the way."""

    def complete(some, how):
        with monkeypatch.context() as patch:
            patch.setattr(fitting, "HOPELESS", {})
            return fitted(some, how)

    return complete


@pytest.mark.parametrize("seed", range(3))
def test_clusters_that_cross_are_found(seed, complete):
    # Those without correlations are halves of crosses: there is none to be seen.
    some = crossing(seed)
    found = fitted(some, how([4]))
    assert found.covariance == "full"
    assert found.bic == complete(some, how([4])).bic


@pytest.mark.parametrize("criterion", ["bic", "aic"])
@pytest.mark.parametrize("correlation", [0.0, 0.2, 0.4, 0.6, 1.0])
def test_the_best_is_that_of_a_complete_search(correlation, criterion, complete):
    some, given = apart(0, correlation=correlation), how([4], criterion=criterion)
    found, best = fitted(some, given), complete(some, given)
    assert found.covariance == best.covariance
    np.testing.assert_array_equal(found.components.means, best.components.means)


@pytest.mark.parametrize(("correlation", "kinds"), [(0.0, ["diag"]), (1.0, [*KINDS])])
def test_correlations_that_are_not_there_are_not_followed(correlation, kinds):
    some = apart(0, correlation=correlation)
    assert [found.covariance for found in candidates(some, how([4]))] == kinds


def test_they_end_with_what_they_are_compared_with():
    found = list(candidates(apart(0, k=3), how(range(1, 12))))
    diag, full = (
        [each.components.n_components for each in found if each.covariance == kind]
        for kind in KINDS
    )
    assert full == [1, 2]  # where a component has several clusters
    assert diag == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("criterion", ["bic", "aic"])
@pytest.mark.parametrize("n", [200, 1500])
def test_bars(n, criterion):
    some = apart(1, n=n, d=3, k=2)
    simple = Components(np.array([0.4, 0.6]), np.eye(2, 3), np.ones((2, 3)))
    trial = fitting._trial(some, "full", how([2]))
    n_few = min(n, 1000)
    assert trial.few.n_objects == n_few
    full = simple.as_kind("full")
    without = sums(trial.few, full).log_likelihood
    without += trial.prior.log_density(full.covariances)
    price = np.log(n) if criterion == "bic" else 2.0
    bars = fitting.bars_above(trial, simple, n, criterion)
    assert bars.lowest(min(HOPELESS) - 1) == -np.inf
    for n_rounds, share in HOPELESS.items():
        # Six covariances; what is more than chance will be more with all objects.
        gain = 2.0 * (n_few * bars.lowest(n_rounds) - without) / 6
        np.testing.assert_allclose(1 + (gain - 1) * n / n_few, share * price)
