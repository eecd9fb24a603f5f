"""`compare` and `check_classifier`: what Python has of the command line."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta.metrics import clustering_accuracy
from tests.extras import needs


@pytest.fixture(scope="module")
def stars():
    return ic.datasets.make_uncertain_stars(random_state=0)


def test_methods_and_controls_by_columns(stars):
    data, classes = stars
    some = [None, *classes[1:].tolist()]
    params = {"FDBSCAN": {"eps": 0.4}}
    found = ic.compare(data, 3, ("UKMeans", "FDBSCAN"), 4, params=params, truth=some)
    assert found.failed == {}
    alone = ic.cluster(data, method="FDBSCAN", params=params["FDBSCAN"], random_state=4)
    np.testing.assert_array_equal(found.answers["FDBSCAN"].labels, alone.labels)
    columns = found.columns()
    assert columns["method"][2:].tolist() == list(ic.estimators.named.CONTROLS)
    first, second = (ic.cluster(data, 3, "UKMeans", seed).labels for seed in (4, 5))
    assert columns["stability"][0] == adjusted_rand_score(first, second)
    assert columns["acc"][0] == clustering_accuracy(classes[1:], first[1:])
    assert found.agreement[0, 1] == adjusted_rand_score(first, alone.labels)
    assert np.isnan(columns["confidence"][2:]).all()


def test_a_method_that_fails_is_named():
    data = ic.from_gaussian([[0.0], [1.0], [9.0]], std=0.1)
    found = ic.compare(data, 4, ("UKMeans", "FDBSCAN"))
    assert list(found.answers) == ["FDBSCAN"]
    assert "k=4 exceeds" in str(found.failed["UKMeans"])


@needs("pandas", "io")
def test_a_frame_of_methods():
    pd = pytest.importorskip("pandas")
    data, _ = ic.datasets.make_uncertain_blobs(30, 2, 3, random_state=0)
    table = ic.compare(data, 3, ["UKMeans"]).table()
    assert isinstance(table, pd.DataFrame)
    assert table["clusters"][0] == 3


@pytest.mark.parametrize(
    ("truth", "what"),
    [([0, 1], "truth has 2 classes, and there are 300"), ([None] * 300, "no known")],
)
def test_classes_that_cannot_be_known(stars, truth, what):
    with pytest.raises(ValueError, match=what):
        ic.compare(stars[0], 3, ["UKMeans"], truth=truth)


def test_errors_that_help_and_errors_that_are_not_there(stars):
    data, classes = stars
    check = ic.check_classifier(ic.ErrorDiscriminant(), data, classes, n_folds=3)
    gain, error = check.gain()
    assert gain == pytest.approx(check.alone.brier - check.with_errors.brier)
    assert gain > 2.0 * error
    assert check.sentence().startswith("The errors help")
    exact = ic.check_classifier(ic.ErrorDiscriminant(), data.mean(), classes, 3)
    assert exact.alone is None
    assert exact.with_errors.brier == check.alone.brier
    assert "no errors that could help" in exact.sentence()


@pytest.mark.parametrize(
    ("y", "n_folds", "what"),
    [
        ([0] * 300, 5, "fewer than two classes"),
        ([0, 1], 5, r"y has the shape \(2,\)"),
        ([0, 1] * 150, 1, "n_folds=1 must be at least 2"),
    ],
)
def test_classes_that_cannot_be_checked(stars, y, n_folds, what):
    with pytest.raises(ValueError, match=what):
        ic.check_classifier(ic.ErrorDiscriminant(), stars[0], y, n_folds)
