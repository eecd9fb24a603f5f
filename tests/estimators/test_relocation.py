from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta.datasets import make_uncertain_blobs
from incerta.published import UCPC, MMVar
from tests.strategies import KINDS, make, uncertain_data

both = pytest.mark.parametrize("Estimator", [MMVar, UCPC])


def toy():
    return ic.from_gaussian([[0.0], [2.0], [10.0]], std=np.sqrt([[1.0], [3.0], [4.0]]))


@pytest.mark.parametrize(
    ("Estimator", "together", "apart"),
    [(MMVar, 64 / 3, [3, 4]), (UCPC, 200 / 3, [8, 8])],
)
def test_toy_table(Estimator, together, apart):
    one = Estimator(1).fit(toy())
    assert one.inertia_ == pytest.approx(together, rel=1e-14)
    two = Estimator(2, random_state=0).fit(toy())
    np.testing.assert_array_equal(two.labels_, [0, 0, 1])
    np.testing.assert_array_equal(two.cluster_sizes_, [2, 1])
    np.testing.assert_allclose(two.cluster_centers_, [[1.0], [10.0]])
    assert two.inertia_ == pytest.approx(sum(apart), rel=1e-14)
    three = Estimator(3, random_state=0).fit(toy())
    np.testing.assert_array_equal(three.labels_, [0, 1, 2])
    assert three.inertia_ == pytest.approx(8.0 if Estimator is MMVar else 16.0)


def test_variances_of_the_toy():
    mixture = MMVar(2, random_state=0).fit(toy())
    np.testing.assert_allclose(mixture.cluster_variances_, [[3.0], [4.0]])
    centroid = UCPC(2, random_state=0).fit(toy())
    np.testing.assert_allclose(centroid.cluster_variances_, [[1.0], [4.0]])


def single_moves(X, labels, k):
    """k-means inertia of every partition that one move away."""
    sizes = np.bincount(labels)
    for i in range(len(X)):
        for target in range(k):
            if target != labels[i] and sizes[labels[i]] > 1:
                moved = labels.copy()
                moved[i] = target
                yield inertia(X, moved)


def inertia(X, labels):
    groups = [X[labels == c] for c in np.unique(labels)]
    return sum(np.square(g - g.mean(axis=0)).sum() for g in groups)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.sampled_from([0.0, 0.7]))
def test_equal_uncertainty_is_hartigan(seed, k, std):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(15, 2))
    fitted = UCPC(k, n_init=1, random_state=seed).fit(ic.from_gaussian(X, std=std))
    found = inertia(X, fitted.labels_)
    # Every object adds its variance, every cluster its mean variance.
    constant = (15 + k) * 2 * std**2
    assert fitted.inertia_ == pytest.approx(found + constant)
    assert min(single_moves(X, fitted.labels_, k)) >= found * (1 - 1e-9)
    # A minimum of Hartigan is one of Lloyd: k-means does not leave it.
    lloyd = KMeans(k, init=fitted.cluster_centers_, n_init=1).fit(X)
    np.testing.assert_array_equal(lloyd.labels_, fitted.labels_)


def test_plain_array_is_an_object_without_uncertainty():
    X = make("exact", n=40).mean()
    fitted = UCPC(random_state=0).fit(X)
    np.testing.assert_array_equal(fitted.cluster_variances_, 0.0)
    np.testing.assert_array_equal(fitted.predict(X), fitted.labels_)
    np.testing.assert_array_equal(fitted.confidence_, 1.0)


@both
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data(Estimator, kind):
    data = make(kind, n=9, d=2, seed=5)
    fitted = Estimator(2, n_worlds=12, random_state=0).fit(data)
    assert fitted.labels_[data.ids.argmin()] == 0
    np.testing.assert_array_equal(np.bincount(fitted.labels_), fitted.cluster_sizes_)
    np.testing.assert_allclose(fitted.membership_.sum(axis=1), 1.0)
    np.testing.assert_allclose(fitted.predict_proba(data), fitted.membership_)
    assert fitted.predict(make(kind, n=4, d=2, seed=6)).shape == (4,)


@both
@given(data=uncertain_data(), seed=st.integers(0, 99), more=st.data())
def test_attributes_say_the_same(Estimator, data, seed, more):
    k = more.draw(st.integers(1, len(data)))
    init = more.draw(st.sampled_from(["random", "k-means++"]))
    fitted = Estimator(k, init=init, n_init=2, n_worlds=3, random_state=seed).fit(data)
    assert fitted.cluster_sizes_.min() >= 1
    assert fitted.n_iter_ == len(fitted.objective_)
    assert fitted.inertia_ == fitted.objective_[-1]
    assert all(after <= before for before, after in pairwise(fitted.objective_))
    means, variances = data.mean(), data.variance()
    total = 0.0
    for c in range(k):
        mine = fitted.labels_ == c
        middle = means[mine].mean(axis=0)
        np.testing.assert_allclose(fitted.cluster_centers_[c], middle, atol=1e-12)
        mixture = (variances[mine] + (means[mine] - middle) ** 2).mean(axis=0)
        centroid = variances[mine].sum(axis=0) / mine.sum() ** 2
        expected = mixture if Estimator is MMVar else centroid
        np.testing.assert_allclose(
            fitted.cluster_variances_[c], expected, rtol=1e-9, atol=1e-12
        )
        total += mixture.sum()
        if Estimator is UCPC:
            total += (mine.sum() - 1) * mixture.sum() + mine.sum() * centroid.sum()
    assert fitted.inertia_ == pytest.approx(total)


def test_new_objects_pay_for_an_uncertain_centroid():
    data = ic.from_gaussian([[0.0], [10.0]], std=[[0.0], [4.0]])
    # The second centroid costs 16: the border |x|² = |x - 10|² + 16 is at 5.8.
    fitted = UCPC(2, random_state=0).fit(data)
    np.testing.assert_array_equal(fitted.predict([[5.7], [5.9]]), [0, 1])
    np.testing.assert_array_equal(fitted.predict_proba([[5.7]]), [[1.0, 0.0]])
    mixture = MMVar(2, random_state=0).fit(data)
    np.testing.assert_array_equal(mixture.predict([[4.9], [5.1]]), [0, 1])


def test_very_uncertain_objects_prefer_large_clusters():
    # Between a crowd and a few, somewhat nearer to the few.
    X = np.concatenate([np.zeros(50), np.full(2, 4.0), [2.3]])[:, None]
    certain = ic.from_gaussian(X, std=0.1)
    uncertain = ic.from_gaussian(X, std=np.append(np.full(52, 0.1), 6.0)[:, None])
    few, crowd = (UCPC(2, random_state=0).fit(d) for d in (certain, uncertain))
    assert few.labels_[-1] == 1
    assert crowd.labels_[-1] == 0


def test_degenerate_result_of_mmvar_is_reported():
    data, _ = make_uncertain_blobs(200, 2, 3, cluster_std=8.0, random_state=0)
    fitted = MMVar(3, random_state=0).fit(data)
    assert fitted.cluster_sizes_.max() > 180  # all but a few objects
    assert UCPC(3, random_state=0).fit(data).cluster_sizes_.min() > 20
    for said in ("degenerate", "Look at", "`cluster_sizes_`"):
        assert said in MMVar.__doc__


@both
@pytest.mark.parametrize("init", ["random", "k-means++"])
def test_separated_clusters_are_found(Estimator, init):
    truth = np.repeat([0, 1, 2], 20)
    X = 20.0 * truth[:, None] + np.random.default_rng(0).normal(size=(60, 2))
    fitted = Estimator(init=init, random_state=0).fit(ic.from_gaussian(X, std=0.3))
    np.testing.assert_array_equal(fitted.labels_, truth)
    np.testing.assert_array_equal(fitted.confidence_, 1.0)
    assert fitted.n_iter_ > 0


@both
def test_huge_offset(Estimator):
    X = np.random.default_rng(0).integers(-64, 64, size=(60, 2)) / 8.0
    std = np.random.default_rng(1).uniform(size=(60, 2))
    here = Estimator(random_state=0).fit(ic.from_gaussian(X, std=std))
    there = Estimator(random_state=0).fit(ic.from_gaussian(X + 1e8, std=std))
    np.testing.assert_array_equal(there.labels_, here.labels_)
    assert there.inertia_ == pytest.approx(here.inertia_, rel=1e-6)
    centers = there.cluster_centers_ - 1e8
    np.testing.assert_allclose(centers, here.cluster_centers_, atol=1e-6)


@both
def test_data_are_not_changed(Estimator):
    X = np.arange(12.0).reshape(6, 2)
    data = ic.as_uncertain(X.copy())
    Estimator(2, random_state=0).fit(data)
    np.testing.assert_array_equal(data.mean(), X)


@both
def test_no_seed_can_be_repeated(Estimator):
    data = make("gaussian", n=30)
    one = Estimator(init="random", n_init=1).fit(data)
    two = Estimator(init="random", n_init=1, random_state=one.seed_).fit(data)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.membership_, two.membership_)


def test_more_starts_are_no_worse():
    data = make("gaussian", n=80, d=3)
    few, many = (
        UCPC(6, init="random", n_init=n, random_state=0).fit(data) for n in (1, 8)
    )
    assert many.inertia_ <= few.inertia_


@both
def test_too_few_sweeps(Estimator):
    data = make("gaussian", n=50)
    estimator = Estimator(init="random", n_init=1, max_iter=1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="max_iter=1 sweeps .* raise max_iter"):
        estimator.fit(data)
    assert estimator.n_iter_ == 1


@both
@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_clusters": 9}, "n_clusters=9 exceeds the number of objects, n_samples=4"),
        ({"init": "best"}, "'init' parameter"),
        ({"n_init": 0}, "'n_init' parameter"),
        ({"max_iter": 0}, "'max_iter' parameter"),
        ({"n_worlds": 0}, "'n_worlds' parameter"),
    ],
)
def test_bad_parameters(Estimator, parameters, message):
    with pytest.raises(ValueError, match=message):
        Estimator().set_params(**parameters).fit(make("gaussian", n=4))


def test_agreement_with_the_truth():
    data, truth = make_uncertain_blobs(300, 4, 4, random_state=0)
    labels = UCPC(4, random_state=0).fit_predict(data)
    assert adjusted_rand_score(truth, labels) > 0.9
