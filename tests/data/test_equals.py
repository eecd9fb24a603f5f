import numpy as np
import pytest

import incerta as ic
from incerta.data.container import first_equals
from incerta.labels import mean_of_equals
from tests.strategies import KINDS, make


def brute_force(data):
    """The first object with the same mean and covariance."""
    both = [*zip(data.mean().tolist(), data.covariance().tolist(), strict=True)]
    return [both.index(one) for one in both]


@pytest.mark.parametrize("std", [0.0, 0.5])
def test_first_equals(std):
    rng = np.random.default_rng(0)
    data = ic.from_gaussian(rng.integers(2, size=(60, 3)).astype(float), std=std)
    np.testing.assert_array_equal(first_equals(data), brute_force(data))


def test_errors_and_their_correlations_make_a_difference():
    cov = np.array([[[1.0, 0.5], [0.5, 1.0]], [[1.0, 0.5], [0.5, 1.0]], np.eye(2)])
    assert first_equals(ic.from_gaussian(np.ones((3, 2)), cov=cov)).tolist() == [
        0,
        0,
        2,
    ]
    unlike = ic.from_gaussian(np.ones((3, 1)), std=[[1.0], [2.0], [1.0]])
    assert first_equals(unlike).tolist() == [0, 1, 0]


def test_zeros_of_both_signs_are_equal():
    data = ic.from_gaussian([[0.0], [-0.0]], std=1.0)
    assert first_equals(data).tolist() == [0, 0]


@pytest.mark.parametrize("kind", KINDS)
def test_all_kinds(kind):
    data = make(kind, n=5)
    assert first_equals(data).tolist() == [0, 1, 2, 3, 4]


def test_means_of_equals():
    first, rows = (
        np.array([0, 1, 0, 1, 0]),
        np.array([[1.0], [5.0], [2.0], [7.0], [6.0]]),
    )
    assert mean_of_equals(rows, first).ravel().tolist() == [3.0, 6.0, 3.0, 6.0, 3.0]
