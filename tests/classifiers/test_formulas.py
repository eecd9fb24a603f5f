"""Classifiers of measured values, by the letter of their formulas."""

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import incerta as ic
from incerta.classifiers.judged import in_folds
from incerta.data.reliability import true_spread
from incerta.distances.affinity import expected_affinity

Y = np.repeat(["a", "b", "b"], 12)


def measured(n=36, seed=0):
    """Two features with unequal errors, of two classes."""
    rng = np.random.default_rng(seed)
    std = rng.uniform(0.2, 1.5, size=(n, 2))
    truth = rng.normal(size=(n, 2)) + np.where(np.arange(n) < 12, 0.0, 1.5)[:, None]
    return ic.from_gaussian(truth + std * rng.normal(size=(n, 2)), std=std)


@pytest.mark.parametrize("density", ["kernel", "gaussian"])
@pytest.mark.parametrize("meaning", ["error", "belief"])
def test_naive_bayes(density, meaning):
    data, new = measured().with_meaning(meaning), measured(5, seed=1)
    new = new.with_meaning(meaning)
    w, v = data.mean(), data.variance()
    expected = np.empty((len(new), 2))
    for c, name in enumerate("ab"):
        own = name == Y
        likelihood = np.full(len(new), own.mean())
        for j in range(2):
            x, e = w[own, j], v[own, j]
            center, between, extra = x.mean(), x.var(), e.mean()
            if meaning == "error":
                found = true_spread(x[None], e[None], np.ones((1, len(x))), 0.05)
                center, between, extra = found.means[0], found.variances[0], 0.0
                kept = between / (between + e)
                x, e = center + kept * (x - center), kept * e
            if density == "gaussian":
                x, e = np.array([center]), np.array([between + extra])
            else:
                e = e + (1.06 * len(x) ** -0.2) ** 2 * between
            total = np.sqrt(e + new.variance()[:, j, None])
            each = norm.pdf(new.mean()[:, j, None], x, total)
            likelihood *= each.mean(axis=1)
        expected[:, c] = likelihood
    expected /= expected.sum(axis=1, keepdims=True)
    model = ic.UncertainNaiveBayes(density=density, smoothing=0.0).fit(data, Y)
    np.testing.assert_allclose(model.predict_proba(new), expected, rtol=1e-6)


def test_priors_are_shares():
    model = ic.ErrorDiscriminant(priors=[3, 1]).fit(measured(), Y)
    np.testing.assert_allclose(model.priors_, [0.75, 0.25])
    assert model.weights_.sum() == pytest.approx(1.0)


def test_distances_of_laws():
    """The second level: a Gaussian of the MMD, as wide as its median."""
    data, new = (measured(n, n).with_meaning("belief") for n in (36, 4))
    model = ic.SupportMeasureClassifier(level=2, gamma=0.5 / 0.8**2).fit(data, Y)

    def kernel(a, b):
        return expected_affinity(a.law, b.law, 0.5 / 0.8**2)

    def squared_mmd(a, b):
        sizes = kernel(a, a).diagonal()[:, None] + kernel(b, b).diagonal()
        return sizes - 2.0 * kernel(a, b)

    known = squared_mmd(data, data)[np.triu_indices(36, 1)]
    width = np.sqrt(np.median(known))
    assert model.gamma_of_level_2_ == pytest.approx(0.5 / width**2)
    expected = np.exp(-0.5 * squared_mmd(new, data) / width**2)
    np.testing.assert_allclose(model._kernel(new), expected, rtol=1e-6)


def test_votes_are_taken_among_true_values():
    """Worlds around measured values would be wider than what was measured."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(800, 1))
    data = ic.from_gaussian(truth + 2.0 * rng.normal(size=(800, 1)), std=2.0)
    model = ic.WorldsClassifier(GaussianNB(), n_worlds=5).fit(data, truth.ravel() > 0)
    spread = np.concatenate(list(model._worlds)).var()
    assert spread == pytest.approx(1.0, abs=0.3)  # not 5, or 9
    kernel = ic.SupportMeasureClassifier().fit(data[:40], truth.ravel()[:40] > 0)
    assert kernel._law.variance().max() < 1.5


def test_a_classifier_without_a_seed_is_given_one():
    tree = DecisionTreeClassifier(splitter="random")
    found = [
        ic.WorldsClassifier(tree, n_worlds=3, random_state=seed)
        .fit(measured(), Y)
        .predict_proba(measured(30, seed=2))
        for seed in (1, 1, 2)
    ]
    np.testing.assert_array_equal(found[0], found[1])
    assert (found[0] != found[2]).any()
    own = ic.WorldsClassifier(DecisionTreeClassifier(random_state=7), n_worlds=2)
    assert own.fit(measured(), Y).estimators_[0].random_state == 7


def test_a_class_that_a_fold_lacks_does_not_move_the_others():
    y = np.array(["a"] * 10 + ["b"] + ["c"] * 10)
    X = np.r_[np.zeros(10), 5.0, np.ones(10)][:, None]
    found = in_folds(LogisticRegression(C=1e3), X, y, 5, 0)
    assert (found[:10].argmax(axis=1) == 0).all()
    assert (found[11:].argmax(axis=1) == 2).all()
    assert found[10, 1] == 0.0
