"""scikit-learn's own tools for choosing parameters work with uncertain data."""

import numpy as np
import pytest
from sklearn import config_context
from sklearn.cluster import KMeans
from sklearn.compose import make_column_transformer
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_val_score,
    train_test_split,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

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
    labels = cross_val_predict(ic.published.CKMeans(3, random_state=0), DATA, cv=parts)
    assert labels.shape == TRUTH.shape


@pytest.mark.parametrize("metric", ["sqeuclidean", "euclidean"])
def test_score_is_minus_what_is_minimized(metric):
    values = ic.from_array(np.random.default_rng(0).normal(size=(30, 5, 2)))
    for data in (values, DATA.mean()):
        uk = ic.UKMeans(3, metric=metric, random_state=0).fit(data)
        assert uk.score(data) == pytest.approx(-uk.inertia_)
    medoids = ic.UKMedoids(3, metric=metric, random_state=0).fit(data)
    assert medoids.score(data) == pytest.approx(-medoids.inertia_)  # exact data
    ck = ic.published.CKMeans(3, random_state=0).fit(values)
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


SCORED = {
    "ErrorMixture": lambda: ic.ErrorMixture(3, random_state=0, n_init=2),
    "UKMeans": lambda: ic.UKMeans(3, random_state=0),
    "CKMeans": lambda: ic.published.CKMeans(3, random_state=0),
    "UKMedoids": lambda: ic.UKMedoids(3, random_state=0),
}


@pytest.mark.parametrize("name", SCORED)
def test_an_object_that_counts_twice_is_two_objects(name):
    fitted = SCORED[name]().fit(DATA)
    weights = 1.0 + np.arange(60) % 2
    twice = np.repeat(np.arange(60), weights.astype(int))
    each = np.array([fitted.score(DATA[[i]]) for i in range(60)])
    expected = each[twice].mean() if name == "ErrorMixture" else each[twice].sum()
    assert fitted.score(DATA, sample_weight=weights) == pytest.approx(expected)
    with pytest.raises(
        ValueError, match=r"sample_weight has the shape \(3,\).* 60 obj"
    ):
        fitted.score(DATA, sample_weight=np.ones(3))
    with pytest.raises(ValueError, match=r"sample_weight ranges from -1\.0 to 2\.0"):
        fitted.score(DATA, sample_weight=np.where(weights == 1, -1.0, weights))


@pytest.mark.parametrize("name", SCORED)
def test_metadata_are_routed_to_the_score(name):
    weights = np.linspace(0.5, 2.0, 60)
    parts = KFold(2, shuffle=True, random_state=0)
    with config_context(enable_metadata_routing=True):
        weighted = SCORED[name]().set_score_request(sample_weight=True)
        search = GridSearchCV(
            weighted, {"random_state": [0]}, cv=parts, error_score="raise"
        )
        search.fit(DATA, sample_weight=weights)
        by_hand = [
            weighted.fit(DATA[train]).score(DATA[test], sample_weight=weights[test])
            for train, test in parts.split(DATA)
        ]
        assert search.best_score_ == pytest.approx(np.mean(by_hand))


@pytest.mark.parametrize("name", SCORED)
def test_a_pipeline_with_metadata_routing_on(name):
    pipeline = make_pipeline(ic.Standardizer(), SCORED[name]())
    expected = cross_val_score(pipeline, DATA, cv=2).mean()
    grid = {f"{name.lower()}__random_state": [0]}
    with config_context(enable_metadata_routing=True):
        search = GridSearchCV(pipeline, grid, cv=2, error_score="raise").fit(DATA)
    assert search.best_score_ == expected


def measured(frame):
    """The objects of a plain table, with their errors."""
    return ic.from_frame(frame, id=None, values=["x", "y"], errors="{}_error")


@pytest.fixture
def table():
    pd = pytest.importorskip("pandas", reason="needs pandas")
    x, y = DATA.mean().T
    x_error, y_error = np.sqrt(DATA.variance()).T
    errors = {"x_error": x_error, "y_error": y_error}
    return pd.DataFrame({"name": [f"o{i}" for i in range(60)], "y": y, "x": x} | errors)


def test_columns_of_a_table_that_are_transformed_apart(table):
    columns = make_column_transformer(
        (StandardScaler(), ["x"]), (ic.Standardizer(), ["y"])
    )
    pipeline = make_pipeline(columns, ic.UKMeans(3, random_state=0))
    assert adjusted_rand_score(TRUTH, pipeline.fit_predict(table)) == 1.0


@pytest.mark.parametrize("last", ["UKMeans", "ErrorMixture"])
def test_errors_of_a_table_are_read_after_its_columns_are_chosen(table, last):
    kept = make_column_transformer(
        ("passthrough", ["x", "y"]),
        (FunctionTransformer(lambda errors: 2.0 * errors), ["x_error", "y_error"]),
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    pipeline = make_pipeline(
        kept, FunctionTransformer(measured), ic.Deconvolver(), SCORED[last]()
    )
    assert adjusted_rand_score(TRUTH, pipeline.fit_predict(table)) == 1.0
    objects = pipeline[:2].transform(table)
    np.testing.assert_allclose(objects.mean(), DATA.mean())
    np.testing.assert_allclose(objects.variance(), 4.0 * DATA.variance())


def test_a_column_transformer_holds_no_uncertain_data(table):
    apart = make_column_transformer((FunctionTransformer(measured), list(table)))
    with pytest.raises(ValueError, match="should be 2D"):
        apart.fit_transform(table)


@pytest.mark.parametrize("taker", [KMeans(3).fit, StandardScaler().fit, np.asarray])
def test_what_knows_no_uncertainty_says_what_to_do(taker):
    with pytest.raises(TypeError, match=r"not an array\. Take \.mean.*WorldConsensus"):
        taker(DATA)
