"""UMicro in pipelines of river, if that is there."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

import incerta as ic

pytest.importorskip("river", reason="needs river, which no extra brings")

from river import base, compose, evaluate, metrics, preprocessing, stream


@pytest.fixture
def blobs():
    """Objects as river has them, with their groups."""
    rng = np.random.default_rng(0)
    groups = rng.integers(2, size=100)
    places = np.array([[0.0, 100.0], [9.0, 900.0]])[groups]
    X = places + rng.normal(size=(100, 2)) * [1.0, 100.0]
    names = ["near", "far"]
    return [(dict(zip(names, x, strict=True)), int(y)) for x, y in zip(X, groups)]


@pytest.fixture
def known():
    """Let river's own checks know that this is a clusterer, as the docs tell."""
    base.Clusterer.register(ic.UMicro)


def test_behind_a_scaler(blobs):
    model = preprocessing.StandardScaler() | ic.UMicro(2)
    for x, _ in blobs:
        model.learn_one(x)
    found = [model.predict_one(x) for x, _ in blobs]
    assert {type(label) for label in found} == {int}
    assert adjusted_rand_score([y for _, y in blobs], found) > 0.95
    assert "UMicro" in model.debug_one(blobs[0][0])


def test_errors_go_through(blobs):
    def with_errors(x):
        return {"near": (x["near"], 0.5), "far": (x["far"] / 100.0, 0.2)}

    model = compose.Pipeline(with_errors, ic.UMicro(2))
    for x, _ in blobs:
        model.learn_one(x)
    found = model["UMicro"]
    per_object = found.micro_clusters_.error / found.micro_clusters_.weight[:, None]
    np.testing.assert_allclose(per_object, np.tile([0.25, 0.04], (len(per_object), 1)))


def test_clones(blobs):
    model = preprocessing.StandardScaler() | ic.UMicro(2)
    for x, _ in blobs:
        model.learn_one(x)
    fresh = model.clone({"UMicro": {"n_clusters": 3}})["UMicro"]
    assert fresh.n_clusters == 3
    assert not hasattr(fresh, "n_seen_")
    same = model.clone(include_attributes=True)
    assert same["UMicro"].n_seen_ == len(blobs)
    same.learn_one(blobs[0][0])
    assert model["UMicro"].n_seen_ == len(blobs)
    assert model._get_params()["UMicro"]["n_clusters"] == 2


@pytest.mark.usefixtures("known")
def test_asked_before_taught(blobs):
    found = evaluate.progressive_val_score(blobs, ic.UMicro(2), metrics.AdjustedRand())
    assert found.get() > 0.9


@pytest.mark.usefixtures("known")
def test_is_a_clusterer():
    assert isinstance(ic.UMicro(), base.Clusterer)
    assert isinstance(preprocessing.StandardScaler() | ic.UMicro(), base.Clusterer)


def test_rows_of_an_array(blobs):
    X = np.array([list(x.values()) for x, _ in blobs])
    model = ic.UMicro(2)
    for x, _ in stream.iter_array(X, feature_names=["near", "far"]):
        model.learn_one(x)
    whole = ic.UMicro(2).fit(X)
    np.testing.assert_allclose(model.micro_clusters_.mean, whole.micro_clusters_.mean)
