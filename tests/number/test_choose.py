"""How many clusters there are, and what that is tested against."""

from dataclasses import replace

import numpy as np
import pytest

import incerta as ic
from incerta.mixture.fitting import Effort, Search, fitted
from incerta.mixture.model import Measured, measured
from incerta.number import NumberOfClusters, choose_k
from incerta.number.references import laws_of_features, structureless

SQUARE = 10.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
QUICK = Search(
    numbers=[2],
    covariances=("full",),
    seed=0,
    effort=Effort(n_init=2, tol=1e-4, max_iter=100),
)


def blobs(centers, n=200, within=0.7, error=0.7, seed=0):
    rng = np.random.default_rng(seed)
    points = centers[np.arange(n) % len(centers)]
    points = points + within * rng.standard_normal(points.shape)
    std = error * np.exp(0.8 * rng.standard_normal((n, 1))) / np.exp(0.64)
    std = std * np.ones_like(points)
    return ic.from_gaussian(points + std * rng.standard_normal(points.shape), std=std)


def without_clusters(kind, n=200, d=2, seed=0):
    rng = np.random.default_rng(seed)
    points = {
        "Gaussian": lambda: rng.standard_normal((n, d)),
        "uniform": lambda: rng.uniform(-1.7, 1.7, (n, d)),
        "skewed": lambda: rng.exponential(size=(n, d)),
        "heavy": lambda: rng.standard_t(4, size=(n, d)),
        "correlated": lambda: rng.standard_normal((n, d)) @ rng.normal(size=(d, d)),
    }[kind]()
    std = 0.3 * np.exp(0.8 * rng.standard_normal((n, 1))) * np.ones((1, d))
    return ic.from_gaussian(points + std * rng.standard_normal((n, d)), std=std)


def test_references_are_like_the_data_but_for_clusters():
    rng = np.random.default_rng(0)
    values = np.c_[rng.exponential(size=2000), rng.standard_normal(2000)]
    values[:, 1] += 0.8 * values[:, 0]
    seen = Measured(values.T.copy(), np.full((2, 2000), 0.01))
    mixture = fitted(seen, replace(QUICK, numbers=[3])).components
    laws = laws_of_features(seen, QUICK)
    one = structureless(laws, mixture, 0).drawn_like(seen, 1)
    np.testing.assert_array_equal(one.errors, seen.errors)
    np.testing.assert_allclose(one.values.mean(axis=1), values.mean(axis=0), atol=0.1)
    np.testing.assert_allclose(one.values.std(axis=1), values.std(axis=0), rtol=0.1)
    skew = [
        np.mean((v - v.mean()) ** 3) / v.std() ** 3 for v in (*one.values, *values.T)
    ]
    assert abs(skew[0] - skew[2]) < 0.6
    assert np.corrcoef(one.values)[0, 1] == pytest.approx(
        np.corrcoef(values.T)[0, 1], abs=0.15
    )


def test_references_of_correlated_errors_and_gaps():
    covariance = np.array([[0.5, 0.4], [0.4, 0.5]])
    rng = np.random.default_rng(0)
    values = rng.standard_normal((500, 2))
    data = ic.from_gaussian(values, cov=np.repeat(covariance[None], 500, axis=0))
    seen = measured(data)
    laws = laws_of_features(seen, QUICK)
    one = structureless(laws, fitted(seen, QUICK).components, 0)
    without = one.drawn_like(Measured(seen.values, np.zeros((2, 500))), 3).values
    errors = one.drawn_like(seen, 3).values - without
    np.testing.assert_allclose(np.cov(errors), covariance, atol=0.1)
    known = (rng.random((2, 500)) > 0.2).astype(float)
    gaps = Measured(seen.values * known, 0.1 * known, known)
    assert (one.drawn_like(gaps, 3).values[known == 0] == 0.0).all()


@pytest.mark.slow
@pytest.mark.parametrize(("separation", "seed"), [(4.0, 0), (4.0, 1), (10.0, 0)])
def test_clusters_are_counted(separation, seed):
    for k in (2, 4):
        n = 200 if separation == 4.0 else 100
        data = blobs(SQUARE[:k] * separation / 10, n=n, seed=seed)
        choice = choose_k(data, range(1, 7), random_state=0)
        assert choice.k == k
        assert choice.p_one <= choice.alpha
        assert len(choice.null_scores) >= 3


@pytest.mark.parametrize(
    "kind", ["Gaussian", "uniform", "skewed", "heavy", "correlated"]
)
@pytest.mark.parametrize("d", [2, pytest.param(5, marks=pytest.mark.slow)])
def test_data_without_clusters_are_one(kind, d):
    choice = choose_k(without_clusters(kind, d=d), range(1, 6), random_state=0)
    assert choice.k == 1
    assert "1 cluster was chosen from 1 to 5" in str(choice)
    assert np.isnan(choice.p_one) or choice.p_one > choice.alpha


def test_a_clump_in_a_field_is_seen():
    rng = np.random.default_rng(0)
    is_clump = np.arange(800) < 200
    clump = rng.normal([0.5, 0.5, 0.0], 0.15, size=(800, 3))
    field = 1.2 * rng.standard_normal((800, 3))
    truth = np.where(is_clump[:, None], clump, field)
    std = 0.1 * rng.lognormal(0.0, 0.6, size=(800, 3))
    data = ic.from_gaussian(truth + std * rng.standard_normal((800, 3)), std=std)
    assert choose_k(data, range(1, 5), random_state=0).k == 2


def test_a_rare_clump_beside_a_cloud_is_seen():
    rng = np.random.default_rng(0)
    is_clump = np.arange(400)[:, None] < 20
    truth = np.where(is_clump, [5.0, 0.0], 0.0)
    truth = truth + np.where(is_clump, 0.4, 1.0) * rng.standard_normal((400, 2))
    data = ic.from_gaussian(truth + 0.3 * rng.standard_normal((400, 2)), std=0.3)
    assert choose_k(data, range(1, 5), random_state=0).k == 2


@pytest.mark.parametrize("meaning", ["spread", "joint", "interval", "exact"])
def test_other_meanings(meaning):
    rng = np.random.default_rng(0)
    places = SQUARE[np.arange(60) % 4] + rng.standard_normal((60, 2))
    data = {
        "spread": lambda: ic.from_array(
            places[:, None] + rng.standard_normal((60, 9, 2))
        ),
        "joint": lambda: ic.from_worlds(places + rng.standard_normal((15, 60, 2))),
        "interval": lambda: ic.from_interval(places - 0.5, places + 0.5),
        "exact": lambda: places,
    }[meaning]()
    assert choose_k(data, range(1, 6), random_state=0).k == 4


def test_one_may_be_left_out():
    data = without_clusters("Gaussian")
    choice = choose_k(data, [2, 3], random_state=0)
    assert choice.k in (2, 3)
    assert np.isnan(choice.p_one)
    assert choice.null_scores.shape == (0, 2)
    assert "larger numbers" in str(choose_k(blobs(SQUARE), [2, 3], random_state=0))


@pytest.mark.slow
def test_the_same_again_and_objects_in_any_order():
    data = blobs(SQUARE[:3] * 0.35)
    one, two = (
        choose_k(each, range(1, 5), random_state=3) for each in (data, data[::-1])
    )
    assert str(one) == str(two)
    assert repr(one) == "NumberOfClusters(k=3, ks=(1, 2, 3, 4), seed=3)"
    assert one.runner_up in (1, 2, 4)


@pytest.mark.slow  # it takes seconds to start processes
def test_any_number_of_processes():
    data = blobs(SQUARE[:2] / 2.0, n=60)
    one = choose_k(data, [1, 2, 3], random_state=0)
    two = choose_k(data, [1, 2, 3], n_jobs=2, random_state=0)
    np.testing.assert_array_equal(two.null_scores, one.null_scores)
    assert two.p_one == one.p_one


def test_many_objects():
    choice = choose_k(blobs(SQUARE, n=900), max_objects=300, random_state=0)
    assert choice.k == 4


def test_a_choice_can_be_drawn():
    pytest.importorskip("matplotlib", reason="pictures need the extra plot")
    choice = choose_k(blobs(SQUARE, n=60), range(1, 6), random_state=0)
    ax = choice.plot()
    assert ax.get_ylabel() == "gain over the smallest number"
    nothing = NumberOfClusters(
        1, (1, 2), np.array([0.9, 0.1]), np.zeros(2), np.empty((0, 2)), np.nan, 0.05, 0
    )
    assert nothing.runner_up == 2
    assert "One Gaussian explains the data best" in str(nothing)
    nothing.plot()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ks": 3}, "ks=3 must hold the numbers to try"),
        ({"ks": [0, 1]}, "must hold whole numbers of at least 1"),
        ({"ks": [1, 2.5]}, "must hold whole numbers of at least 1"),
        ({"ks": [1, 1, 2]}, "names a number twice"),
        ({"ks": [2]}, "leaves nothing to choose"),
        ({"ks": [1, 300]}, "goes up to 300 clusters, but only 200 objects"),
        ({"ks": [1, 80], "max_objects": 50}, "but only 50 objects"),
        ({"alpha": 0.0}, "alpha=0.0 must lie between 0 and 1"),
        ({"random_state": 2**64}, "random_state=18446744073709551616 must be a whole"),
        ({"n_null": 5}, "ask for at least 39"),
    ],
)
def test_bad_questions(options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        choose_k(blobs(SQUARE), **options)
