"""Standard errors of groups, beside derivatives by differences."""

import numpy as np
import pytest

from incerta.groups.errors import errors_of, information
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


def log_densities(some, mean, covariance):
    """Log density of each object, without those of its values that are missing."""
    gaps = some.values - mean[:, None]
    totals = covariance[:, :, None] + (
        some.errors if some.errors.ndim == 3 else some.errors * np.eye(2)[:, :, None]
    )
    (a, b), (_, c) = totals
    determinant = a * c - b**2
    squares = (c * gaps[0] ** 2 - 2 * b * gaps[0] * gaps[1] + a * gaps[1] ** 2) / (
        determinant
    )
    out = -0.5 * (squares + np.log(determinant)) - np.log(2 * np.pi)
    if some.known is None:
        return out
    one = -0.5 * (gaps[0] ** 2 / a + np.log(2 * np.pi * a))
    return np.where(some.known[1] > 0, out, one)


def log_likelihood(some, place):
    """By the mean, the covariance and the log odds of the share of the group."""
    mean, (a, b, c), odds = place[:2], place[2:5], place[5]
    share, other = 1.0 / (1.0 + np.exp(-odds)), law()
    own = log_densities(some, mean, np.array([[a, b], [b, c]]))
    rest = log_densities(some, other.means[1], other.covariances[1])
    return np.log(share * np.exp(own) + (1.0 - share) * np.exp(rest)).sum()


@pytest.mark.parametrize("kind", ["independent", "correlated", "missing"])
def test_information_is_the_second_derivative(kind):
    some = objects(kind)
    place = np.array([1.0, -0.5, 0.04, 0.01, 0.09, np.log(0.2 / 0.8)])
    steps = np.diag(1e-3 * np.array([1.0, 1.0, 0.3, 0.3, 0.3, 1.0]))
    hessian = np.empty((6, 6))
    for i, one in enumerate(steps):
        for j, other in enumerate(steps):
            corners = [
                s * t * log_likelihood(some, place + s * one + t * other)
                for s in (1, -1)
                for t in (1, -1)
            ]
            hessian[i, j] = sum(corners) / (4 * one[i] * other[j])
    found = information(some, law(), 0)[0]
    np.testing.assert_allclose(found, -hessian, rtol=1e-3, atol=1e-3)


def test_errors_are_the_inverse_of_the_information():
    some = objects("correlated", 1500)
    inverse = np.linalg.inv(information(some, law(), 0)[0])
    found = errors_of(some, law(), 0)
    np.testing.assert_allclose(found.mean, inverse[:2, :2])
    entries = {(0, 0): 2, (0, 1): 3, (1, 0): 3, (1, 1): 4}
    for (a, b), i in entries.items():
        for (c, d), j in entries.items():
            assert found.covariance[a, b, c, d] == pytest.approx(inverse[i, j])


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
