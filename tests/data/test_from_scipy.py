import pickle

import numpy as np
import pytest
from scipy import stats

import incerta as ic
from incerta.exceptions import DataError


def test_one_call_serves_all_cells_of_a_name():
    rows = [[stats.norm(i, 1 + i), stats.gamma(2 + i)] for i in range(50)]
    assert len(ic.from_distributions(rows).law.groups) == 2


def test_table_of_parameters_equals_list_of_rows():
    loc, scale = np.arange(6.0).reshape(3, 2), np.ones((3, 2)) / 2
    table = ic.from_distributions(stats.norm(loc, scale))
    new = ic.from_distributions(stats.Normal(mu=loc, sigma=scale))
    rows = ic.from_distributions([stats.norm(m, s) for m, s in zip(loc, scale)])
    cells = ic.from_distributions([[stats.norm(a, 0.5) for a in m] for m in loc])
    for other in (new, rows, cells):
        np.testing.assert_allclose(other.mean(), table.mean())
        np.testing.assert_allclose(other.variance(), table.variance())
        np.testing.assert_allclose(
            other.worlds(3, 1).stack(), table.worlds(3, 1).stack(), rtol=1e-12
        )


def test_gaussian_twins_draw_the_same_worlds():
    ours = ic.from_gaussian([[1.0, 2.0]], std=[[0.5, 3.0]])
    theirs = ic.from_distributions([[stats.norm(1.0, 0.5), stats.norm(2.0, 3.0)]])
    np.testing.assert_allclose(
        ours.worlds(9, 4).stack(), theirs.worlds(9, 4).stack(), rtol=1e-12
    )


def test_discrete_distributions():
    data = ic.from_distributions([[stats.poisson(3.0)], [stats.binom(10, 0.2)]])
    np.testing.assert_allclose(data.mean().ravel(), [3.0, 2.0])
    worlds = data.worlds(200, 0).stack()
    np.testing.assert_array_equal(worlds, np.round(worlds))


def test_mixed_rows_keep_their_order():
    rows = [
        [stats.norm(0, 1), stats.norm(1, 1)],
        stats.multivariate_normal([2, 3], np.eye(2)),
        stats.dirichlet([3, 1]),
        [stats.norm(6, 1), stats.norm(7, 1)],
    ]
    data = ic.from_distributions(rows, ids=list("abcd"))
    np.testing.assert_allclose(data.mean(), [[0, 1], [2, 3], [0.75, 0.25], [6, 7]])
    part = data[[i == "b" or i == "d" for i in data.ids]]
    np.testing.assert_allclose(part.mean(), [[2, 3], [6, 7]])


def test_pickle_of_scipy_objects():
    data = ic.from_distributions([[stats.gamma(2.0), stats.Normal()]])
    back = pickle.loads(pickle.dumps(data))
    np.testing.assert_array_equal(back.worlds(2, 0)[1], data.worlds(2, 0)[1])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([[stats.norm()], [1.5]], r"rows\[1\] holds 1.5, which is not a univariate"),
        ([3.0], r"rows\[0\] is 3.0; it must be a scipy.stats distribution"),
        (
            [[stats.norm()], [stats.norm()] * 2],
            r"rows\[1\] has 2 features, rows\[0\] has 1",
        ),
        (
            [[stats.norm()], stats.multivariate_normal([0, 0])],
            r"rows have \[1, 2\] features",
        ),
        ([stats.cauchy()], "object 0, feature 0 has no finite mean"),
        ([stats.multivariate_t([0, 0], df=2)], "no finite mean and variance"),
        ([stats.matrix_normal()], "does not tell its mean and covariance"),
        (stats.norm([1.0, 2.0]), r"one distribution of shape \(2,\); give a list"),
    ],
)
def test_bad_rows(rows, message):
    with pytest.raises(DataError, match=message):
        ic.from_distributions(rows)


def test_thousands_of_cells_are_quick_to_draw():
    # A Python call per cell and world would make some ten million of them here.
    rows = [stats.norm(np.arange(10.0), 1.0) for _ in range(1000)]
    data = ic.from_distributions(rows)
    assert len(data.law.groups) == 1
    assert data.worlds(1000, 0)[999].shape == (1000, 10)
