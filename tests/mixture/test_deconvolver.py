"""From errors to beliefs: calibrated, and nothing done to what is exact."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
from tests.strategies import examples, make

ALPHA = 1e-4


@parametrize_with_checks([ic.Deconvolver(), ic.Standardizer()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def measured(truth, seed, correlated=False):
    """Values displaced by unequal errors, and data that know how large these are."""
    rng = np.random.default_rng([seed, 7])
    n, d = truth.shape
    roots = 0.6 * rng.normal(size=(n, d, d)) * rng.lognormal(0.0, 0.6, size=(n, 1, 1))
    if not correlated:
        roots = roots * np.eye(d)
    values = truth + np.einsum("nij,nj->ni", roots, rng.normal(size=(n, d)))
    return values, roots @ np.swapaxes(roots, 1, 2)


def one_gaussian(rng):
    return rng.multivariate_normal([1.0, -2.0], [[2.0, 1.2], [1.2, 1.5]], size=150)


def two_gaussians(rng):
    where = rng.random(150) < 0.4
    return np.where(where[:, None], [4.0, 0.0], [-4.0, 1.0]) + rng.normal(size=(150, 2))


@pytest.mark.parametrize("correlated", [False, True])
@pytest.mark.parametrize("gaps", [0.0, 0.2])
@pytest.mark.parametrize(
    ("make_truth", "prior"), [(one_gaussian, "gaussian"), (two_gaussians, 2)]
)
def test_the_truth_is_a_draw_of_its_belief(make_truth, prior, gaps, correlated):
    # Ranks of the truth among 19 draws, of one object in each of many sets: uniform
    # if beliefs are right; a right program fails once in 10,000 seeds.
    ranks = []
    for seed in range(40):
        rng = np.random.default_rng([seed, 3])
        truth = make_truth(rng)
        values, cov = measured(truth, seed, correlated)
        if gaps:
            values[rng.random(values.shape) < gaps] = np.nan
        data = ic.from_gaussian(values, cov=cov, missing="infinite")
        belief = ic.Deconvolver(prior, n_init=1).fit_transform(data)
        drawn = belief.worlds(19, seed).stack()[:, :8]
        ranks.append((drawn < truth[:8]).sum(axis=0).ravel())
    counts = np.bincount(np.concatenate(ranks), minlength=20)
    assert stats.chisquare(counts).pvalue > ALPHA


def test_worlds_have_the_covariance_of_the_truth():
    rng = np.random.default_rng(0)
    truth = rng.multivariate_normal([0, 0], [[2.0, 1.2], [1.2, 1.5]], size=4000)
    values, cov = measured(truth, 0)
    data = ic.from_gaussian(values, cov=cov)
    belief = ic.Deconvolver().fit_transform(data)
    found = np.cov(belief.worlds(1, 0)[0].T)
    np.testing.assert_allclose(found, np.cov(truth.T), atol=0.15)
    # Worlds drawn around the values have the errors twice.
    assert np.cov(data.worlds(1, 0)[0].T)[0, 0] > 1.5 * found[0, 0]


@examples(6)
@given(st.integers(0, 999), st.sampled_from(["gaussian", 2]))
def test_exact_data_come_back_bit_for_bit(seed, prior):
    X = np.random.default_rng(seed).normal(size=(12, 2))
    for data in (ic.as_uncertain(X), ic.from_gaussian(X, std=0.0)):
        belief = ic.Deconvolver(prior).fit_transform(data)
        np.testing.assert_array_equal(belief.mean(), X)
        assert (belief.variance() == 0.0).all()
        np.testing.assert_array_equal(belief.worlds(2, 0)[1], X)


def test_other_meanings_come_back_as_they_are():
    for kind in ("samples", "interval", "worlds", "distributions"):
        data = make(kind, n=6)
        assert ic.Deconvolver().fit_transform(data) is data


def test_a_bad_measurement_goes_to_the_others():
    rng = np.random.default_rng(0)
    values = rng.normal(10.0, 2.0, size=(200, 1))
    values[0] = 1000.0
    std = np.full((200, 1), 0.1)
    std[0] = 1e6
    belief = ic.Deconvolver().fit_transform(ic.from_gaussian(values, std=std))
    assert belief.mean()[0] == pytest.approx(values[1:].mean(), abs=0.1)
    assert belief.variance()[0] == pytest.approx(values[1:].var(), rel=0.1)
    np.testing.assert_allclose(belief.mean()[1:], values[1:], atol=0.1)


def test_new_objects_and_order():
    truth = one_gaussian(np.random.default_rng(0))
    values, cov = measured(truth, 0)
    data = ic.from_gaussian(values, cov=cov, ids=np.arange(150)[::-1])
    deconvolver = ic.Deconvolver().fit(data)
    belief = deconvolver.transform(data)
    order = np.random.default_rng(1).permutation(150)
    again = ic.Deconvolver().fit(data[order])
    np.testing.assert_array_equal(again.means_, deconvolver.means_)
    np.testing.assert_allclose(
        deconvolver.transform(data[order[:7]]).mean(), belief.mean()[order[:7]]
    )


def test_reliability_tells_noise_from_features():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(800, 3)) * [3.0, 1.0, 0.0]
    data = ic.from_gaussian(truth + rng.normal(size=(800, 3)), std=1.0)
    found = ic.Deconvolver().fit(data).reliability_
    np.testing.assert_allclose(found, [0.9, 0.5, 0.05], atol=0.07)


def test_missing_values_are_refused_where_they_cannot_be_used():
    values = np.array([[1.0, np.nan], [2.0, 1.0], [4.0, 3.0], [5.0, 2.5]])
    data = ic.from_gaussian(values, std=0.1, missing="infinite")
    assert "1 of 8 values" in repr(data)
    for refusing in (lambda: ic.UKMeans(2).fit(data), lambda: data.worlds(3, 0)):
        with pytest.raises(ValueError, match="1 value is missing, the first of obj"):
            refusing()
    assert ic.Standardizer().fit_transform(data).meaning == "error"
    belief = ic.Deconvolver().fit_transform(data)
    assert np.isfinite(belief.worlds(3, 0).stack()).all()
    np.testing.assert_allclose(belief.mean()[0, 0], 1.0, atol=0.1)
    with pytest.raises(ValueError, match="missing='drop' must be"):
        ic.from_gaussian(values, std=0.1, missing="drop")


def test_an_array_gives_an_array_or_is_refused():
    values = np.array([[1.0, np.nan], [2.0, 1.0], [4.0, 3.0], [5.0, 2.5]])
    with pytest.raises(ValueError, match=r"ic\.from_gaussian\(X, std="):
        ic.Deconvolver().fit(values)
    data = ic.from_gaussian(values, std=0.0, missing="infinite")
    found = ic.Deconvolver().fit(data)
    with pytest.raises(ValueError, match="if they are exact"):
        found.transform(values)
    assert np.isfinite(found.transform(data).mean()).all()
    assert isinstance(found.transform(values[1:]), np.ndarray)


def test_tables_may_keep_what_is_missing():
    table = {"id": list("abcd"), "x": [1.0, np.nan, 3.0, 9.0], "e": [0.1] * 4}
    wide = ic.from_frame(table, id="id", values="x", errors=["e"], missing="infinite")
    long = ic.from_frame(table, id="id", values="x", missing="infinite")
    for data in (wide, long):
        assert data.meaning == "error"
        np.testing.assert_array_equal(data.law.missing().ravel(), [0, 1, 0, 0])


def test_files(tmp_path):
    data = make("gaussian", n=20)
    deconvolver = ic.Deconvolver(2).fit(data)
    ic.save(deconvolver, tmp_path / "model.incerta")
    again = ic.load(tmp_path / "model.incerta")
    one, two = (each.transform(data).worlds(2, 0)[0] for each in (deconvolver, again))
    np.testing.assert_array_equal(two, one)


@pytest.mark.parametrize("covariance", ["full", "diag", "tied"])
def test_kinds_of_covariances(covariance):
    truth = two_gaussians(np.random.default_rng(0))
    values, cov = measured(truth, 0)
    std = np.sqrt(np.einsum("nii->ni", cov))
    data = ic.from_gaussian(values, std=std)
    belief = ic.Deconvolver("mixture", covariance_type=covariance).fit_transform(data)
    off = [np.abs(each.mean() - truth).mean() for each in (data, belief)]
    assert off[1] < 0.9 * off[0]
