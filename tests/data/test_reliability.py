"""How much of what was measured is not error."""

import numpy as np
import pytest

import incerta as ic
from incerta.data.reliability import reliability, told_of, true_spread


def measured(n=4000, true=(2.0, 1.0, 0.0), level=1.0, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=(n, 3)) * true
    std = level * rng.lognormal(0.0, 0.5, size=(n, 3))
    return truth + std * rng.normal(size=(n, 3)), std


def test_shares_are_those_of_the_variances():
    values, std = measured()
    found = reliability(ic.from_gaussian(values, std=std))
    true, errors = np.array([4.0, 1.0, 0.0]), np.square(std).mean(axis=0)
    np.testing.assert_allclose(found.features, true / (true + errors), atol=0.03)
    # Objects by the features that are not all error.
    by_value = (true / (true + np.square(std)))[:, :2]
    np.testing.assert_allclose(found.objects, by_value.mean(axis=1), atol=0.03)


def test_the_spread_of_the_truth_is_found_through_unequal_errors():
    values, std = measured(n=20_000, level=2.0)
    known = np.ones(values.T.shape)
    found = true_spread(values.T, np.square(std).T, known, least=0.0)
    np.testing.assert_allclose(found.variances, [4.0, 1.0, 0.0], atol=0.15)
    np.testing.assert_allclose(found.means, 0.0, atol=0.05)


@pytest.mark.parametrize("level", [0.0, 0.3, 2.0])
def test_the_spread_is_that_of_ten_rounds(level):
    values, std = measured(n=40, true=(2.0, 1.0, 0.1), level=level)
    known = np.ones((40, 3))
    known[:9, 1] = 0.0
    values, errors = values * known, np.square(std) * known
    found = true_spread(values.T, errors.T, known.T, least=0.05)
    for j in range(3):
        x, e = values[known[:, j] > 0, j], errors[known[:, j] > 0, j]
        variance = x.var()
        for _ in range(10):
            w = 1.0 / (variance + e)
            mean = (w * x).sum() / w.sum()
            least = 0.05 * (w * (x - mean) ** 2).sum() / w.sum()
            excess = (w**2 * ((x - mean) ** 2 - e)).sum() / (w**2).sum()
            variance = max(excess, least)
        assert found.means[j] == pytest.approx(mean, rel=1e-9)
        assert found.variances[j] == pytest.approx(variance, rel=1e-9)


def test_missing_values_say_nothing():
    values, std = measured(n=500, true=(3.0, 3.0, 3.0), level=0.1)
    values[0] = np.nan
    values[1, 0] = np.nan
    found = reliability(ic.from_gaussian(values, std=std, missing="infinite"))
    assert found.objects[0] == 0.0
    assert found.objects[1] == pytest.approx(2 / 3, abs=0.02)
    assert (found.features > 0.97).all()


def test_without_errors_all_is_reliable():
    found = reliability(ic.from_gaussian([[0.0, 1.0], [2.0, 1.0]], std=0.0))
    np.testing.assert_array_equal(found.features, 1.0)
    np.testing.assert_array_equal(found.objects, 1.0)


def test_where_nothing_is_reliable():
    rng = np.random.default_rng(1)
    found = reliability(ic.from_gaussian(rng.normal(size=(300, 2)), std=3.0))
    np.testing.assert_array_equal(found.features, 0.0)
    np.testing.assert_array_equal(found.objects, 0.0)
    said = " ".join(told_of(found, ["a", "b"]))
    assert "a 0.00, b 0.00" in said
    assert "The values of these features are nearly all error: a, b." in said
    assert "300 objects were measured so badly" in said


def test_many_features_are_not_listed_one_by_one():
    rng = np.random.default_rng(0)
    data = ic.from_gaussian(rng.normal(size=(50, 9)) * 9.0, std=0.1)
    assert "reliability        from 1.00 to 1.00" in repr(data)
    assert "not error: from 1.00 to 1.00" in ic.cluster(data, 1).explain()


def test_some_of_what_is_seen_is_true_at_least():
    values, errors = np.array([[-1.0, 0.0, 1.0]]), np.full((1, 3), 9.0)
    found = true_spread(values, errors, np.ones((1, 3)), least=0.05)
    np.testing.assert_allclose(found.variances, 0.05 * 2 / 3)
