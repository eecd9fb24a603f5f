"""scikit-learn's own contract, and ours, for every estimator."""

import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
import incerta.cluster
from tests.strategies import KINDS, make

NAMES = incerta.cluster.__all__
ESTIMATORS = [getattr(ic, name)(random_state=0) for name in NAMES]
by_name = pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def small(estimator):
    """Fewer worlds and clusters, so that tiny data do."""
    few = {"n_worlds": 12, "n_representatives": 6, "n_clusters": 2}
    known = estimator.get_params()
    return clone(estimator).set_params(**{k: v for k, v in few.items() if k in known})


@by_name
@pytest.mark.filterwarnings("ignore::incerta.exceptions.IncertaWarning")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data(estimator, kind):
    data = make(kind, n=9, d=2, seed=5)
    fitted = small(estimator).fit(data)
    assert fitted.labels_.shape == (9,)
    assert set(fitted.labels_) <= {0, 1}
    assert fitted.membership_.shape == (9, 2)
    np.testing.assert_allclose(fitted.membership_.sum(axis=1), 1.0)
    np.testing.assert_array_equal(
        fitted.confidence_, fitted.membership_[np.arange(9), fitted.labels_]
    )
    assert fitted.labels_[0] == 0  # numbered in order of appearance
    new = make(kind, n=4, d=2, seed=6)
    assert fitted.predict(new).shape == (4,)
    np.testing.assert_allclose(fitted.predict_proba(new).sum(axis=1), 1.0)


@by_name
def test_same_seed_same_everything(estimator):
    data = make("samples", n=20, d=2)
    one, two = (small(estimator).fit(data) for _ in range(2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.membership_, two.membership_)
    back = pickle.loads(pickle.dumps(one))
    np.testing.assert_array_equal(back.predict_proba(data), one.predict_proba(data))


@by_name
def test_no_seed_can_be_repeated(estimator):
    data = make("gaussian", n=20, d=2)
    one = small(estimator).set_params(random_state=None).fit(data)
    two = small(estimator).set_params(random_state=one.seed_).fit(data)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.membership_, two.membership_)


@by_name
def test_separated_clusters_are_found_and_sure(estimator):
    X = np.repeat([[0.0, 0.0], [30.0, 0.0]], 15, axis=0)
    X = X + np.random.default_rng(0).normal(size=X.shape)
    data = ic.from_gaussian(X, std=0.3)
    fitted = small(estimator).fit(data)
    np.testing.assert_array_equal(fitted.labels_, np.repeat([0, 1], 15))
    np.testing.assert_array_equal(fitted.confidence_, 1.0)
    new = ic.from_gaussian([[29.0, 1.0], [1.0, -1.0], [500.0, 0.0]], std=0.1)
    np.testing.assert_array_equal(fitted.predict(new), [1, 0, 1])
    np.testing.assert_array_equal(fitted.predict_proba(new).argmax(axis=1), [1, 0, 1])


@by_name
def test_an_object_between_two_clusters_is_unsure(estimator):
    X = np.repeat([[0.0], [10.0]], 20, axis=0)
    X = X + np.random.default_rng(0).normal(size=X.shape) * 0.5
    X = np.concatenate([X, [[5.0]]])
    std = np.full_like(X, 0.2)
    std[-1] = 3.0
    fitted = small(estimator).set_params(n_worlds=60).fit(ic.from_gaussian(X, std=std))
    assert fitted.confidence_[:-1].min() == 1.0
    assert fitted.confidence_[-1] < 1.0


@by_name
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("k", [1, 2, 5])
def test_identical_objects_are_no_error(estimator, k):
    data = ic.from_gaussian(np.ones((5, 2)), std=0.0)
    fitted = small(estimator).set_params(n_clusters=k).fit(data)
    assert fitted.labels_.max() < k
    assert np.isfinite(fitted.membership_).all()


@by_name
def test_as_many_clusters_as_objects(estimator):
    data = ic.from_gaussian([[0.0], [10.0], [20.0]], std=0.01)
    fitted = small(estimator).set_params(n_clusters=3).fit(data)
    np.testing.assert_array_equal(fitted.labels_, [0, 1, 2])


@by_name
@pytest.mark.filterwarnings("ignore::incerta.divergence.SaturationWarning")
def test_one_object_in_one_cluster(estimator):
    fitted = small(estimator).set_params(n_clusters=1)
    fitted.fit(ic.from_gaussian([[3.0, 4.0]], std=1.0))
    np.testing.assert_array_equal(fitted.labels_, [0])
    np.testing.assert_array_equal(fitted.confidence_, [1.0])


@by_name
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 9}, "n_clusters=9 clusters cannot be made of 4 objects"),
        ({"n_clusters": 0}, "'n_clusters' parameter .* Got 0 instead"),
        ({"n_worlds": 0}, "'n_worlds' parameter .* Got 0 instead"),
        ({"width": -1.0}, "'width' parameter .* Got -1.0 instead"),
        ({"width": "mean"}, "'width' parameter"),
        ({"n_init": 0}, "'n_init' parameter"),
    ],
)
def test_bad_parameters(estimator, parameters, message):
    if not set(parameters) <= set(estimator.get_params()):
        pytest.skip("the estimator has no such parameter")
    with pytest.raises(ValueError, match=message):
        clone(estimator).set_params(**parameters).fit(make("gaussian", n=4))


@by_name
def test_other_features_are_refused(estimator):
    fitted = small(estimator).fit(make("gaussian", n=6, d=2))
    with pytest.raises(ValueError, match="3 features"):
        fitted.predict(make("gaussian", n=2, d=3))
