"""Standard errors of groups, beside derivatives by differences."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from incerta.groups.errors import errors_of
from incerta.mixture.model import Components, Measured


def law():
    return Components(
        np.array([0.2, 0.8]),
        np.array([[1.0, -0.5], [0.0, 0.0]]),
        np.array([[[0.04, 0.01], [0.01, 0.09]], [[2.0, 0.3], [0.3, 1.0]]]),
    )


def objects(kind, n=150):
    rng = np.random.default_rng(0)
    mixture = law()
    part = np.arange(n) < n // 5
    values = rng.normal(size=(n, 2))
    values[part] = rng.multivariate_normal(
        mixture.means[0], mixture.covariances[0], part.sum()
    )
    std = rng.uniform(0.05, 0.2, size=(n, 2))
    values += std * rng.normal(size=(n, 2))
    errors = np.square(std).T
    if kind == "correlated":
        turn = 0.5 + 0.5 * np.eye(2)
        errors = np.moveaxis(turn * std[:, :, None] * std[:, None], 0, -1)
    known = None
    if kind == "missing":
        known = np.ones((2, n))
        known[1, ::7] = 0.0
        errors = errors * known
        return Measured(values.T * known, errors, known)
    return Measured(np.ascontiguousarray(values.T), errors, known)


def log_likelihood(some, place):
    """By the mean, the covariance and the log odds of the share of the group."""
    mean, (a, b, c), odds = place[:2], place[2:5], place[5]
    share, total = 1.0 / (1.0 + np.exp(-odds)), 0.0
    other = law()
    for i in range(some.n_objects):
        seen = np.array([0, 1])
        if some.known is not None:
            seen = np.flatnonzero(some.known[:, i])
        errors = some.errors[..., i]
        errors = np.diag(errors) if errors.ndim == 1 else errors
        rows = np.ix_(seen, seen)
        densities = [
            multivariate_normal.pdf(some.values[seen, i], m[seen], (v + errors)[rows])
            for m, v in (
                (mean, np.array([[a, b], [b, c]])),
                (other.means[1], other.covariances[1]),
            )
        ]
        total += np.log(share * densities[0] + (1.0 - share) * densities[1])
    return total


@pytest.mark.parametrize("kind", ["independent", "correlated", "missing"])
def test_information_is_the_second_derivative(kind):
    some, mixture = objects(kind), law()
    # The law is not where the likelihood is highest: derivatives are the same formula.
    place = np.array([1.0, -0.5, 0.04, 0.01, 0.09, np.log(0.2 / 0.8)])
    step = 1e-3 * np.array([1.0, 1.0, 0.3, 0.3, 0.3, 1.0])
    hessian = np.empty((6, 6))
    for i in range(6):
        for j in range(6):
            total = 0.0
            for si in (1, -1):
                for sj in (1, -1):
                    moved = place.copy()
                    moved[i] += si * step[i]
                    moved[j] += sj * step[j]
                    total += si * sj * log_likelihood(some, moved)
            hessian[i, j] = -total / (4 * step[i] * step[j])
    expected = np.linalg.inv(hessian)
    found = errors_of(some, mixture, 0)
    np.testing.assert_allclose(found.mean, expected[:2, :2], rtol=2e-3, atol=1e-7)
    entries = {(0, 0): 2, (0, 1): 3, (1, 0): 3, (1, 1): 4}
    for (a, b), i in entries.items():
        for (c, d), j in entries.items():
            assert found.covariance[a, b, c, d] == pytest.approx(
                expected[i, j], rel=5e-3, abs=1e-9
            )


def test_many_objects_without_a_field():
    # Of n exact values the mean has the variance V / n, and V has 2 V² / n.
    rng = np.random.default_rng(0)
    values = rng.normal(size=(1, 5000))
    spread = values.var()
    alone = Components(
        np.array([1.0 - 1e-12, 1e-12]),
        np.array([[values.mean()], [50.0]]),
        np.array([[[spread]], [[1.0]]]),
    )
    found = errors_of(Measured(values, np.zeros((1, 5000))), alone, 0)
    # The share says nothing any more, and information on it is none.
    np.testing.assert_allclose(found.mean, spread / 5000, rtol=1e-6)
    np.testing.assert_allclose(found.covariance, 2 * spread**2 / 5000, rtol=1e-6)
