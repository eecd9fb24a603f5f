"""Classifiers by name, and how they are judged, against plain loops."""

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import incerta as ic
from incerta import classifiers
from incerta.classifiers.judged import in_folds, judged
from incerta.classifiers.named import CLASSIFIERS, METHODS, made


def test_every_classifier_has_a_name():
    assert {each.own for each in CLASSIFIERS.values()} == set(classifiers.__all__)


@pytest.mark.parametrize("name", METHODS)
def test_made_by_name(name):
    assert type(made(name, {}, 3)).__name__ == CLASSIFIERS[name].own


def test_parameters_of_both():
    model = made("forest", {"n_worlds": 4, "max_depth": 2}, 7)
    assert (model.n_worlds, model.classifier.max_depth, model.random_state) == (4, 2, 7)
    with pytest.raises(ValueError, match=r"no parameter 'n_world'.*mean 'n_worlds'"):
        made("forest", {"n_world": 4}, 0)
    with pytest.raises(ValueError, match="random_state"):
        made("discriminant", {"random_state": 4}, 0)


def test_judged_against_loops():
    rng = np.random.default_rng(0)
    classes = np.array(["a", "b", "c"])
    probable = rng.dirichlet(np.ones(3), size=50)
    truth = rng.choice(classes, size=50)
    found = judged(probable, classes, truth)
    brier = [
        sum((p - (c == t)) ** 2 for p, c in zip(row, classes))
        for row, t in zip(probable, truth)
    ]
    assert found.squares == pytest.approx(brier)
    most = classes[probable.argmax(axis=1)]
    assert found.accuracy == pytest.approx(accuracy_score(truth, most))


def test_a_class_that_was_not_learned_is_missed():
    found = judged(np.array([[1.0, 0.0]]), np.array(["a", "b"]), np.array(["z"]))
    assert (found.accuracy, found.brier) == (0.0, 2.0)


def test_folds_are_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    y = rng.choice(["u", "v"], size=60)
    X = rng.normal(size=(60, 2)) + (y == "v")[:, None]
    ours = in_folds(LogisticRegression(), X, y, 5, 3)
    folds = StratifiedKFold(5, shuffle=True, random_state=3)
    theirs = cross_val_predict(
        LogisticRegression(), X, y, cv=folds, method="predict_proba"
    )
    assert ours == pytest.approx(theirs)


def test_rare_classes_do_not_end_it():
    y = np.array(["a"] * 9 + ["b"])
    found = in_folds(DummyClassifier(), np.zeros((10, 1)), y, 5, 0)
    assert found.sum(axis=1) == pytest.approx(1.0)
    assert found[9, 1] == 0.0  # nobody could learn it
    data = ic.from_gaussian(np.arange(10.0)[:, None], std=0.1)
    some = in_folds(made("discriminant", {}, 0), data, y, 20, 0)
    assert some.sum(axis=1) == pytest.approx(1.0)
