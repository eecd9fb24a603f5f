import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
from tests.strategies import uncertain_data


@parametrize_with_checks([ic.Standardizer(), ic.Standardizer(spread="means")])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def test_equals_standard_scaler_without_uncertainty():
    X = np.random.default_rng(0).normal(3, [1, 50, 1e-3], size=(40, 3))
    ours = ic.Standardizer().fit(X)
    np.testing.assert_allclose(ours.transform(X), StandardScaler().fit_transform(X))


@given(uncertain_data(), st.sampled_from(["means", "total"]))
def test_means_variances_and_worlds_move_together(data, spread):
    scaler = ic.Standardizer(spread=spread).fit(data)
    scaled = scaler.transform(data)
    c, s = scaler.center_, scaler.scale_
    close = {"rtol": 1e-7, "atol": 1e-9}
    np.testing.assert_allclose(scaled.mean(), (data.mean() - c) / s, **close)
    np.testing.assert_allclose(scaled.variance(), data.variance() / s**2, **close)
    np.testing.assert_allclose(
        scaled.covariance(), data.covariance() / np.outer(s, s), **close
    )
    np.testing.assert_allclose(
        scaled.worlds(2, 0)[1], (data.worlds(2, 0)[1] - c) / s, **close
    )


@given(uncertain_data(), st.sampled_from(["means", "total"]))
def test_inverse_undoes(data, spread):
    scaler = ic.Standardizer(spread=spread).fit(data)
    back = scaler.inverse_transform(scaler.transform(data))
    size = 1 + np.abs(data.mean()).max()
    np.testing.assert_allclose(back.mean(), data.mean(), atol=1e-9 * size)
    np.testing.assert_allclose(
        back.worlds(1, 3)[0], data.worlds(1, 3)[0], rtol=1e-7, atol=1e-9 * size
    )


def test_spread_decides_what_becomes_one():
    data = ic.from_interval([[0.0], [4.0]], [[2.0], [12.0]])
    by_means = ic.Standardizer(spread="means").fit_transform(data)
    total = ic.Standardizer().fit_transform(data)
    assert by_means.mean().std() == pytest.approx(1.0)
    assert total.mean().var() + total.variance().mean() == pytest.approx(1.0)


def test_interval_bounds_are_mapped():
    data = ic.from_interval([[0.0], [10.0]], [[2.0], [14.0]])
    scaler = ic.Standardizer().fit(data)
    low = (np.array([[0.0], [10.0]]) - scaler.center_) / scaler.scale_
    scaled = scaler.transform(data)
    assert scaled.kind == "uniform"
    assert (scaled.worlds(50, 0).stack() >= low).all()


def test_constant_feature_is_left_alone():
    data = ic.from_gaussian([[5.0, 1.0], [5.0, 3.0]], std=[[0.5, 1.0]])
    scaled = ic.Standardizer("means").fit_transform(data)
    np.testing.assert_allclose(scaled.variance()[:, 0], 0.25)


def test_a_feature_that_is_constant_but_for_rounding_is_left_alone():
    X = np.full((7, 1), 0.1) * 3.0
    X[::2] = 0.3
    assert np.ptp(X) > 0.0
    np.testing.assert_array_equal(ic.Standardizer("means").fit(X).scale_, 1.0)


def test_unknown_spread_is_refused():
    with pytest.raises(ValueError, match=r"spread='iqr' must be 'means' or 'total'"):
        ic.Standardizer(spread="iqr").fit([[0.0], [1.0]])


def test_other_features_than_fitted_are_refused():
    names = ["mass", "radius"]
    scaler = ic.Standardizer().fit(
        ic.from_gaussian([[0.0, 1.0], [1.0, 0.0]], std=1.0, feature_names=names)
    )
    with pytest.raises(ValueError, match="1 features, but Standardizer is expecting 2"):
        scaler.transform(ic.from_gaussian([[0.0]], std=1.0))
    other = ic.from_gaussian([[0.0, 1.0]], std=1.0, feature_names=["radius", "mass"])
    with pytest.raises(ValueError, match="was fitted with"):
        scaler.transform(other)
    assert scaler.feature_names_in_.tolist() == names
