"""AutoClusterer gives right answers, and knows how sure it is."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV

import incerta as ic
from incerta.metrics import clustering_accuracy


def displaced(X, level, uneven, seed):
    rng = np.random.default_rng(seed)
    std = level * np.exp(uneven * rng.normal(size=(len(X), 1))) * np.ones(X.shape[1])
    return ic.from_gaussian(X + std * rng.normal(size=X.shape), std=std)


def four_blobs(seed, n=300):
    """BELIEF's: four centers in six features, some of them wider than others."""
    rng = np.random.default_rng(seed)
    target = rng.integers(4, size=n)
    centers, within = 2.0 * rng.normal(size=(4, 6)), rng.uniform(0.3, 1.2, size=6)
    X = centers[target] + within * rng.normal(size=(n, 6))
    return (X - X.mean(axis=0)) / X.std(axis=0), target


def agreeing(labels, others, k):
    """Objects with the same label, clusters named as they overlap most."""
    from scipy.optimize import linear_sum_assignment

    overlap = np.array(
        [[np.sum((labels == a) & (others == b)) for b in range(k)] for a in range(k)]
    )
    return linear_sum_assignment(-overlap)[1][labels] == others


@pytest.mark.slow
def test_confidence_is_how_often_exact_data_agree():
    said, true, right, peer = [], [], [], []
    for seed in range(3):
        X, target = four_blobs(seed, n=200)
        data = displaced(X, 0.7, 0.8, seed)
        exact = ic.AutoClusterer(4, random_state=0).fit(X)
        found = ic.AutoClusterer(4, random_state=0).fit(data)
        said.append(found.confidence_.mean())
        true.append(agreeing(found.labels_, exact.labels_, 4).mean())
        right.append(clustering_accuracy(target, found.labels_))
        kmeans = KMeans(4, n_init=10, random_state=0).fit(data.mean())
        peer.append(clustering_accuracy(target, kmeans.labels_))
    assert np.mean(right) > 0.78 > np.mean(peer)
    assert abs(np.mean(said) - np.mean(true)) < 0.06


def test_moons_that_errors_have_blurred():
    X, target = make_moons(300, noise=0.05, random_state=0)
    data = displaced(X, 0.15, 0.8, 0)
    found = ic.AutoClusterer(2, random_state=0).fit(data)
    kmeans = KMeans(2, n_init=10, random_state=0).fit_predict(data.mean())
    ours = clustering_accuracy(target, found.labels_)
    assert ours > clustering_accuracy(target, kmeans) + 0.03


def test_rings_that_errors_have_blurred():
    X, target = make_circles(400, factor=0.4, noise=0.05, random_state=0)
    found = ic.AutoClusterer(2, random_state=0).fit(displaced(X, 0.08, 0.0, 0))
    assert clustering_accuracy(target, found.labels_) > 0.95
    assert found.confidence_.mean() > 0.9


def test_exact_data_that_overlap_are_not_certain():
    X, target = four_blobs(1)
    found = ic.AutoClusterer(4, random_state=0).fit(X)
    assert clustering_accuracy(target, found.labels_) > 0.95
    assert set(found.views_) == {"mixture", "centers", "nearness"}
    rng = np.random.default_rng(0)
    target = rng.integers(2, size=2000)
    X = 2.4 * target[:, None] * [1.0, 0.0] + rng.normal(size=(2000, 2))
    found = ic.AutoClusterer(2, random_state=0).fit(X[:900])
    confidence, right = found.confidence_, agreeing(found.labels_, target[:900], 2)
    for low, high in ((0.5, 0.7), (0.7, 0.9), (0.9, 1.0)):
        here = (confidence > low) & (confidence <= high)
        assert abs(confidence[here].mean() - right[here].mean()) < 0.12
    new = found.predict_proba(X[900:])
    right = agreeing(new.argmax(axis=1), target[900:], 2)
    assert abs(new.max(axis=1).mean() - right.mean()) < 0.03


def test_scores_compare_numbers_of_clusters_on_new_data():
    X, _ = four_blobs(1)
    data = displaced(X, 0.3, 0.5, 0)
    scores = {
        k: ic.AutoClusterer(k, random_state=0).fit(data[:200]).score(data[200:])
        for k in (1, 2, 4)
    }
    assert scores[1] == pytest.approx(0.0)
    assert 0.0 < scores[2] <= 1.0
    assert scores[4] > 0.8
    search = GridSearchCV(
        ic.AutoClusterer(random_state=0), {"n_clusters": [4, 9]}, cv=2
    )
    assert search.fit(X).best_params_ == {"n_clusters": 4}


def test_the_view_that_sees_the_clusters_carries_the_answer():
    """A rare clump, which only the mixture finds; moons, which only the graph does."""
    rng = np.random.default_rng(0)
    rare = rng.random(400) < 0.05
    X = rng.normal(size=(400, 2)) * np.where(rare, 0.5, 1.0)[:, None]
    X[rare, 0] += 4.5
    found = ic.AutoClusterer(2, random_state=0).fit(displaced(X, 0.2, 0.8, 0))
    assert clustering_accuracy(rare, found.labels_) > 0.97
    kmeans = KMeans(2, n_init=10, random_state=0).fit_predict(X)
    assert clustering_accuracy(rare, kmeans) < 0.9
    assert sum(view.weight for view in found.views_.values()) == pytest.approx(1.0)
    moons, target = make_moons(400, noise=0.05, random_state=0)
    found = ic.AutoClusterer(2, random_state=0).fit(displaced(moons, 0.05, 0.5, 0))
    assert clustering_accuracy(target, found.labels_) > 0.97
    graph = found.views_["nearness"]
    assert graph.weight > 0.75
    assert graph.agreement > 0.85
    assert all(
        graph.score > view.score + 0.02
        for name, view in found.views_.items()
        if name != "nearness"
    )


def test_all_draws_of_an_ensemble_are_worlds():
    rng = np.random.default_rng(0)
    draws = np.repeat([0.0, 6.0], 20)[:, None] + rng.normal(size=(21, 40, 2))
    ensemble, mixed = ic.from_worlds(draws), ic.from_array(draws.transpose(1, 0, 2))
    mixed = mixed.with_meaning("belief")
    for data, asked, n_worlds in (
        (ensemble, None, 21),
        (ensemble, 5, 5),
        (ic.from_worlds(np.concatenate([draws] * 2)), None, 40),
        (mixed, None, 16),
    ):
        found = ic.AutoClusterer(2, n_worlds=asked, random_state=0).fit(data)
        assert len(found.labels_per_world_) == n_worlds


def test_a_view_that_leaves_a_cluster_over_does_not_decide():
    """Two pairs of clusters, of which the graph finds only three."""
    rng = np.random.default_rng([10, *b"nested", *b"large uneven"])
    target = rng.integers(4, size=400)
    centers = np.array([[0.0, 0.0], [3.0, 0.0], [14.0, 0.0], [14.0, 3.0]])
    X = centers[target] + 0.7 * rng.normal(size=(400, 2))
    factors = 0.8 * rng.normal(size=(400, 1))
    std = 0.7 * np.exp(factors + 0.27 * rng.normal(size=X.shape))
    data = ic.from_gaussian(X + std * rng.normal(size=X.shape), std=std)
    data = ic.Standardizer().fit_transform(data)
    views = ic.AutoClusterer(4, random_state=0).fit(data).views_
    assert views["nearness"].score > views["mixture"].score + 0.02
    assert views["mixture"].weight > views["nearness"].weight


def test_errors_of_size_zero_are_none():
    X, _ = four_blobs(1, n=100)
    exact = ic.cluster(X, 4)
    found = ic.cluster(ic.from_gaussian(X, std=0.0), 4)
    np.testing.assert_array_equal(found.labels, exact.labels)
    np.testing.assert_allclose(found.confidence, exact.confidence, atol=1e-9)
    assert found.confidence.min() < 1.0


def test_objects_that_differ_in_spread_only():
    rng = np.random.default_rng(0)
    target = np.arange(120) % 2
    values = np.array([0.5, 2.0])[target][:, None, None] * rng.normal(size=(120, 30, 2))
    data = ic.from_array(values)
    found = ic.AutoClusterer(2, random_state=0).fit(data)
    assert clustering_accuracy(target, found.labels_) > 0.95
    assert found.views_["centers of laws"].score > 0.9
    assert found.views_["centers of means"].weight < 0.1
    kmeans = KMeans(2, n_init=10, random_state=0).fit(data.mean())
    assert clustering_accuracy(target, kmeans.labels_) < 0.8


def test_missing_values():
    X, target = four_blobs(3, n=150)
    gaps = np.random.default_rng(0).random(X.shape) < 0.15
    table = np.where(gaps, np.nan, X)
    for data in (
        table,
        ic.from_gaussian(table, std=0.2, missing="infinite"),
    ):
        found = ic.AutoClusterer(4, n_worlds=8, random_state=0).fit(data)
        assert clustering_accuracy(target, found.labels_) > 0.8
        assert 0.5 < found.confidence_.mean() < 1.0
        assert (found.predict(data) == found.labels_).mean() > 0.9


def test_many_objects_are_put_into_the_clusters_of_a_part():
    X, target = four_blobs(2, n=1100)
    data = displaced(X, 0.3, 0.5, 0)
    whole = ic.AutoClusterer(4, n_worlds=4, random_state=0).fit(data[:1000])
    part = ic.AutoClusterer(4, n_worlds=4, random_state=0).fit(data)
    assert hasattr(whole, "labels_per_world_")
    assert not hasattr(part, "labels_per_world_")
    assert agreeing(part.labels_[:1000], whole.labels_, 4).mean() > 0.95
    assert clustering_accuracy(target, part.labels_) > 0.9
    # Each of them alone.
    few = part.predict_proba(data[:9])
    np.testing.assert_allclose(few, part.membership_[:9], atol=1e-12)


@pytest.mark.parametrize("kind", ["error", "spread", "belief", "joint"])
def test_a_model_from_a_file_predicts_the_same(kind, tmp_path):
    rng = np.random.default_rng(0)
    places = 6.0 * np.repeat([0, 1], 30)[:, None] + rng.normal(size=(60, 2))
    data = {
        "error": lambda: ic.from_gaussian(places, std=0.5),
        "spread": lambda: ic.from_array(places[:, None] + rng.normal(size=(60, 7, 2))),
        "belief": lambda: ic.from_interval(places - 1, places + 1),
        "joint": lambda: ic.from_worlds(places + rng.normal(size=(12, 60, 2))),
    }[kind]()
    found = ic.AutoClusterer(2, n_worlds=6, random_state=0).fit(data)
    found.save(tmp_path / "model")
    again = ic.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_proba(data), found.predict_proba(data))
    assert again.views_ == found.views_


def test_a_file_whose_parts_do_not_fit_is_refused(tmp_path):
    found = ic.AutoClusterer(2, n_worlds=3, random_state=0)
    found.fit(displaced(np.repeat([[0.0], [9.0]], 10, axis=0), 0.5, 0.0, 0))
    whole = found._model
    wrong_names = whole.laws._replace(clusters=np.array([0, 7]))
    for bad in (
        whole.laws,
        whole._replace(truths=whole.laws),
        whole._replace(laws=whole.truths),
        whole._replace(laws=wrong_names),
    ):
        found._model = bad
        found.save(tmp_path / "model")
        with pytest.raises(ValueError, match="model"):
            ic.load(tmp_path / "model")


def test_what_one_view_finds_again_and_again_is_the_result():
    """Means say nothing here; how features go together says all."""
    rng = np.random.default_rng(0)
    truth = np.arange(80) % 2
    around = rng.normal(size=(80, 40, 2))
    around[:, :, 1] *= 0.6
    around[:, :, 1] += 0.8 * (2 * truth - 1)[:, None] * around[:, :, 0]
    data = ic.from_array(0.5 * rng.normal(size=(80, 1, 2)) + around)
    model = ic.AutoClusterer(2, random_state=0).fit(data)
    assert ic.metrics.clustering_accuracy(truth, model.labels_) > 0.9
    assert model.views_["centers of means"].agreement < 0.1


def test_more_features_than_objects_need_no_matrices(monkeypatch):
    # Covariances of all features would take d³ operations for each object.
    def refuse(column, roots):
        msg = f"{roots.shape[0]} features"
        raise AssertionError(msg)

    monkeypatch.setattr("incerta.mixture.factors.roots_of_columns", refuse)
    monkeypatch.setattr("incerta.mixture.under.roots_of_columns", refuse)
    rng = np.random.default_rng(0)
    kinds, std = np.arange(30) % 3, rng.lognormal(size=(30, 40))
    values = 4.0 * rng.normal(size=(3, 40))[kinds] + std * rng.normal(size=(30, 40))
    found = ic.AutoClusterer(3, random_state=0).fit(ic.from_gaussian(values, std=std))
    assert clustering_accuracy(kinds, found.labels_) == 1.0


@pytest.mark.parametrize("seed", [0, 4])
def test_few_objects_fit_too_well_unless_clusters_have_one_shape(seed):
    rng = np.random.default_rng(seed)
    classes = np.repeat(np.arange(4), 12)
    values = 2.1 * rng.normal(size=(4, 6))[classes] + rng.normal(size=(48, 6))
    values[:, 0] += 3.0 * rng.normal(size=48)
    values = values @ rng.normal(size=(6, 6))

    def score(one_shape):
        model = ic.AutoClusterer(4, views=["mixture"], n_worlds=4, random_state=0)
        labels = model.set_params(one_shape=one_shape).fit(values).labels_
        return adjusted_rand_score(classes, labels)

    assert score(True) > 0.9
    assert score(False) < 0.7
