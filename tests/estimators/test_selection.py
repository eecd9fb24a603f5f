"""scikit-learn's own tools for choosing parameters work with uncertain data."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline

import incerta as ic
from incerta.datasets import make_uncertain_blobs
from tests.strategies import KINDS, make

DATA, TRUTH = make_uncertain_blobs(60, 2, 3, random_state=0)


@pytest.mark.parametrize("kind", KINDS)
def test_train_test_split(kind):
    data = make(kind, n=12, d=2)
    ids = np.arange(12)
    one, other, rows, _ = train_test_split(data, ids, random_state=0)
    assert len(one) + len(other) == 12
    np.testing.assert_array_equal(one.mean(), data.mean()[rows])
    np.testing.assert_array_equal(one.ids, data.ids[rows])


def test_what_else_may_stand_behind_a_key():
    np.testing.assert_array_equal(DATA[[3, 1], ...].ids, DATA[[3, 1]].ids)
    with pytest.raises(IndexError):
        DATA[[3, 1], 0]


def test_split_with_equal_shares():
    _, _, train, test = train_test_split(DATA, TRUTH, stratify=TRUTH, random_state=0)
    np.testing.assert_array_equal(np.bincount(train), [15, 15, 15])
    np.testing.assert_array_equal(np.bincount(test), [5, 5, 5])


def test_the_likeliest_number_of_components():
    search = GridSearchCV(
        ic.ErrorMixture(random_state=0, n_init=2), {"n_components": [1, 3]}, cv=3
    )
    assert search.fit(DATA).best_params_ == {"n_components": 3}
    np.testing.assert_array_equal(
        search.predict(DATA), search.best_estimator_.predict(DATA)
    )


def test_a_pipeline_by_known_classes():
    pipeline = make_pipeline(ic.Standardizer(), ic.UKMeans(random_state=0))
    search = GridSearchCV(
        pipeline, {"ukmeans__n_clusters": [2, 3]}, cv=3, scoring="adjusted_rand_score"
    )
    assert search.fit(DATA, TRUTH).best_params_ == {"ukmeans__n_clusters": 3}


def test_cross_validation():
    mixture = ic.ErrorMixture(3, random_state=0, n_init=2)
    parts = KFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(mixture, DATA, cv=parts)
    for (train, test), score in zip(parts.split(DATA), scores):
        assert score == mixture.fit(DATA[train]).score(DATA[test])
    labels = cross_val_predict(ic.CKMeans(3, random_state=0), DATA, cv=parts)
    assert labels.shape == TRUTH.shape


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean"])
def test_score_is_minus_what_is_minimised(metric):
    values = ic.from_array(np.random.default_rng(0).normal(size=(30, 5, 2)))
    for data in (values, DATA.mean()):
        uk = ic.UKMeans(3, metric=metric, random_state=0).fit(data)
        assert uk.score(data) == pytest.approx(-uk.inertia_)
    medoids = ic.UKMedoids(3, metric=metric, random_state=0).fit(data)
    assert medoids.score(data) == pytest.approx(-medoids.inertia_)  # exact data
    ck = ic.CKMeans(3, random_state=0).fit(values)
    assert ck.score(values) == pytest.approx(-ck.inertia_)
    assert ck.score(values[:10]) > ck.score(values)


@pytest.mark.parametrize("transformer", [ic.Standardizer(), ic.Deconvolver()])
def test_set_output_leaves_uncertain_data_alone(transformer):
    pd = pytest.importorskip("pandas", reason="needs the extra frames")
    transformer.set_output(transform="pandas")
    both = transformer.fit_transform(DATA), transformer.transform(DATA)
    assert all(isinstance(each, ic.UncertainData) for each in both)
    pipeline = make_pipeline(transformer, ic.UKMeans(3, random_state=0))
    found = pipeline.set_output(transform="pandas").fit_predict(DATA)
    assert adjusted_rand_score(TRUTH, found) == 1.0
    if isinstance(transformer, ic.Standardizer):
        table = pd.DataFrame(DATA.mean(), columns=["a", "b"])
        assert list(transformer.fit_transform(table).columns) == ["a", "b"]
