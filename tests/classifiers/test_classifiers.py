"""Classifiers: scikit-learn's contract, ours, and their classical twins."""

import pickle

import numpy as np
import pytest
from scipy.special import logsumexp
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_score,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KernelDensity
from sklearn.svm import SVC
from sklearn.utils.estimator_checks import parametrize_with_checks

import incerta as ic
import incerta.classifiers
from incerta.distances.affinity import expected_affinity
from incerta.exceptions import DataError
from tests.strategies import KINDS, make

ALL = [
    ic.ErrorDiscriminant(),
    ic.UncertainNaiveBayes(),
    ic.SupportMeasureClassifier(),
    ic.WorldsClassifier(LogisticRegression(C=0.1), n_worlds=3),
]
by_name = pytest.mark.parametrize("model", ALL, ids=lambda m: type(m).__name__)
X, Y = load_iris(return_X_y=True)


def measured(seed=0, size=0.6):
    """Irises, measured with unequal errors."""
    rng = np.random.default_rng(seed)
    std = size * X.std(axis=0) * rng.lognormal(0.0, 0.8, X.shape)
    return ic.from_gaussian(X + std * rng.normal(size=X.shape), std=std)


def test_all_of_them_are_tested():
    assert {type(model).__name__ for model in ALL} == set(incerta.classifiers.__all__)


@parametrize_with_checks(ALL)
def test_scikit_learn_contract(estimator, check):
    check(estimator)


@by_name
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data(model, kind):
    data = make(kind, n=12, d=2, seed=5)
    classes = np.repeat(["a", "b"], 6)
    fitted = clone(model).fit(data, classes)
    found = fitted.predict_proba(data)
    assert found.shape == (12, 2)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (fitted.predict(data) == fitted.classes_[found.argmax(axis=1)]).all()


@by_name
def test_rows_in_any_order_one_by_one_or_together(model):
    data, order = measured(), np.random.default_rng(1).permutation(len(Y))
    one, two = clone(model).fit(data, Y), clone(model).fit(data[order], Y[order])
    some = data[40:60]
    together = one.predict_proba(some)
    np.testing.assert_allclose(two.predict_proba(some), together, atol=1e-9)
    alone = np.concatenate([one.predict_proba(some[[i]]) for i in range(4)])
    np.testing.assert_allclose(alone, together[:4], atol=1e-9)


@by_name
def test_selection_of_scikit_learn(model):
    data = measured()
    train, test, y_train, y_test = train_test_split(data, Y, random_state=0, stratify=Y)
    assert clone(model).fit(train, y_train).score(test, y_test) > 0.6
    assert cross_val_score(clone(model), data, Y, cv=3).mean() > 0.6


def test_parameters_are_searched():
    search = GridSearchCV(ic.SupportMeasureClassifier(), {"C": [0.01, 1.0]}, cv=3)
    assert search.fit(measured(), Y).best_params_ == {"C": 1.0}


@by_name
def test_pickled(model):
    fitted = clone(model).fit(measured(), Y)
    again = pickle.loads(pickle.dumps(fitted))
    some = measured(seed=1)
    np.testing.assert_array_equal(again.predict_proba(some), fitted.predict_proba(some))


@pytest.mark.parametrize("model", ALL[:2], ids=lambda m: type(m).__name__)
def test_saved(model, tmp_path):
    fitted = clone(model).fit(measured(), np.array(["setosa", "other", "b"])[Y])
    fitted.save(tmp_path / "model.incerta")
    again = ic.load(tmp_path / "model.incerta")
    some = measured(seed=1)
    np.testing.assert_array_equal(again.predict_proba(some), fitted.predict_proba(some))
    assert (again.predict(some) == fitted.predict(some)).all()


@by_name
def test_an_object_that_is_not_known_gets_the_shares_of_the_classes(model):
    y = np.where(np.arange(len(Y)) % 3 == 0, 0, 1)  # nothing to do with the values
    data = ic.from_gaussian(X, std=0.1)
    lost = ic.from_gaussian(X[:1], std=1e4)
    found = clone(model).fit(data, y).predict_proba(lost)
    np.testing.assert_allclose(found, [[1 / 3, 2 / 3]], atol=0.1)


@by_name
def test_classes_must_be_given(model):
    with pytest.raises(ValueError, match="requires y"):
        clone(model).fit(X, None)


@by_name
def test_other_features_are_refused(model):
    fitted = clone(model).fit(measured(), Y)
    with pytest.raises(DataError, match="2 features"):
        fitted.predict(ic.from_gaussian(X[:, :2], std=0.1))


class TestTwins:
    """Without uncertainty they are what they are named after."""

    def test_quadratic_discriminant_analysis(self):
        ours = ic.ErrorDiscriminant(covariance_type="full", prior_weight=0.0).fit(X, Y)
        twin = QuadraticDiscriminantAnalysis().fit(X, Y)
        # Older ones of scikit-learn divide by n - 1, and n is 50.
        ratio = X[:50].var(axis=0).sum() / twin.scalings_[0].sum()
        assert ratio == pytest.approx(1.0) or ratio == pytest.approx(49 / 50)
        twin.scalings_ = [ratio * each for each in twin.scalings_]
        np.testing.assert_allclose(
            ours.predict_proba(X), twin.predict_proba(X), atol=1e-8
        )

    def test_gaussian_naive_bayes(self):
        ours = ic.UncertainNaiveBayes(density="gaussian").fit(X, Y)
        twin = GaussianNB().fit(X, Y)
        np.testing.assert_allclose(
            ours.predict_proba(X), twin.predict_proba(X), atol=1e-10
        )

    def test_naive_bayes_by_kernels(self):
        ours = ic.UncertainNaiveBayes(smoothing=0.0).fit(X, Y).predict_proba(X)
        logs = np.zeros((len(X), 3))
        for c in range(3):
            of_class = X[c == Y]
            for j in range(X.shape[1]):
                width = 1.06 * of_class[:, j].std() * len(of_class) ** -0.2
                density = KernelDensity(bandwidth=width).fit(of_class[:, [j]])
                logs[:, c] += density.score_samples(X[:, [j]])
        twin = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        np.testing.assert_allclose(ours, twin, atol=1e-8)

    def test_support_vector_machine(self):
        ours = ic.SupportMeasureClassifier(C=2.0, gamma=0.5 / 0.7**2).fit(X, Y)
        machine = SVC(C=2.0, gamma=0.5 / 0.7**2)
        np.testing.assert_allclose(
            ours.decision_function(X), machine.fit(X, Y).decision_function(X), atol=1e-6
        )
        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        twin = CalibratedClassifierCV(machine, ensemble=False, cv=folds).fit(X, Y)
        np.testing.assert_allclose(
            ours.predict_proba(X), twin.predict_proba(X), atol=1e-4
        )

    def test_any_classifier(self):
        twin = LogisticRegression(max_iter=500)
        ours = ic.WorldsClassifier(twin).fit(X, Y)
        assert len(ours.estimators_) == 1
        np.testing.assert_array_equal(
            ours.predict_proba(X), twin.fit(X, Y).predict_proba(X)
        )


class TestErrorDiscriminant:
    def test_the_error_of_a_new_object_blurs_the_classes(self):
        data = measured()
        fitted = ic.ErrorDiscriminant(covariance_type="full").fit(data, Y)
        new = measured(seed=3)
        mean, variance = new.mean(), new.variance()
        logs = np.empty((len(Y), 3))
        for c in range(3):
            for i in range(len(Y)):
                total = fitted.covariances_[c] + np.diag(variance[i])
                gap = mean[i] - fitted.means_[c]
                logs[i, c] = -0.5 * (
                    gap @ np.linalg.solve(total, gap) + np.linalg.slogdet(total)[1]
                )
        expected = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
        np.testing.assert_allclose(fitted.predict_proba(new), expected, atol=1e-9)

    def test_errors_are_taken_off(self):
        rng = np.random.default_rng(0)
        truth, std = rng.normal(0.0, 1.0, (4000, 1)), 2.0
        data = ic.from_gaussian(truth + std * rng.normal(size=truth.shape), std=std)
        found = ic.ErrorDiscriminant().fit(data, np.zeros(4000)).covariances_
        np.testing.assert_allclose(found, [[[1.0]]], atol=0.2)

    def test_priors(self):
        data = measured()
        fitted = ic.ErrorDiscriminant(priors=[1.0, 1.0, 2.0]).fit(data, Y)
        plain = ic.ErrorDiscriminant().fit(data, Y).predict_proba(data)
        expected = plain * [1, 1, 2] / (plain * [1, 1, 2]).sum(axis=1, keepdims=True)
        np.testing.assert_allclose(fitted.predict_proba(data), expected, atol=1e-9)

    @pytest.mark.parametrize("priors", [[1.0], [1.0, -1.0, 1.0], [0.0, 0.0, 0.0]])
    def test_impossible_priors(self, priors):
        with pytest.raises(ValueError, match="priors="):
            ic.ErrorDiscriminant(priors=priors).fit(X, Y)

    def test_missing_values(self):
        holes = X.copy()
        holes[::4, 1] = np.nan
        fitted = ic.ErrorDiscriminant().fit(holes, Y)
        assert fitted.score(holes, Y) > 0.9

    def test_several_components(self):
        rng = np.random.default_rng(0)
        ends = np.concatenate([rng.normal(-4, 1, (60, 1)), rng.normal(4, 1, (60, 1))])
        both = np.concatenate([ends, rng.normal(0, 1, (60, 1))])
        y = np.repeat([0, 1], [120, 60])
        assert ic.ErrorDiscriminant("auto").fit(both, y).score(both, y) > 0.95


class TestSupportMeasure:
    def test_the_kernel_is_an_expectation(self):
        data = ic.from_gaussian([[0.0, 1.0], [2.0, 0.0]], std=[[0.5, 1.0], [1.0, 0.2]])
        rng = np.random.default_rng(0)
        drawn = data.mean() + np.sqrt(data.variance()) * rng.normal(
            size=(2, 40000, 2, 2)
        )
        apart = ((drawn[0][:, :, None] - drawn[1][:, None]) ** 2).sum(axis=-1)
        expected = np.exp(-0.3 * apart).mean(axis=0)
        found = expected_affinity(data.law, data.law, 0.3)
        np.testing.assert_allclose(found, expected, atol=0.01)

    @pytest.mark.parametrize("level", [1, 2])
    def test_kernels_have_no_negative_eigenvalues(self, level):
        model = ic.SupportMeasureClassifier(level=level)
        data = measured().with_meaning("belief")
        model.fit(data, Y)
        assert np.linalg.eigvalsh(model._kernel(data)).min() > -1e-10

    def test_shapes_are_told_apart(self):
        rng = np.random.default_rng(0)
        one = rng.normal(size=(60, 40, 1))
        two = rng.choice([-1.0, 1.0], size=(60, 40, 1))
        data = ic.from_array(np.concatenate([one, two]))
        y = np.repeat([0, 1], 60)
        model = ic.SupportMeasureClassifier(level=2, gamma=0.5 / 0.3**2)
        assert cross_val_score(model, data, y, cv=3).mean() > 0.9

    def test_a_class_with_one_object(self):
        model = ic.SupportMeasureClassifier().fit([[0.0], [0.1], [5.0]], [0, 0, 1])
        assert set(model.predict_proba([[0.0]]).ravel()) == {0.0, 1.0}


def test_votes_without_probabilities():
    model = ic.WorldsClassifier(SVC(), n_worlds=4).fit(measured(), Y)
    found = model.predict_proba(measured(seed=1))
    assert set(np.unique(found)) <= {0.0, 0.25, 0.5, 0.75, 1.0}


def test_draws_of_one_ensemble_belong_together():
    rng = np.random.default_rng(0)
    shift = 10.0 * rng.normal(size=(15, 1, 1))  # of all objects of a draw
    values = np.r_[np.zeros(30), np.ones(30)][:, None]
    data = ic.from_worlds(values + shift + 0.1 * rng.normal(size=(15, 60, 1)))
    y = np.repeat([0, 1], 30)
    model = ic.WorldsClassifier(LogisticRegression(), n_worlds=15)
    some = np.arange(60) % 2 == 0
    assert model.fit(data[some], y[some]).score(data[~some], y[~some]) == 1.0
