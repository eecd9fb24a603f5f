"""ErrorMixture finds clusters through errors, and knows how sure it is."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

import incerta as ic
from incerta.metrics import clustering_accuracy
from incerta.mixture import pieces


def blobs(seed, n=400, level=0.7):
    """Four blobs in six features; values displaced by very unequal errors."""
    rng = np.random.default_rng(seed)
    centers, target = 2.0 * rng.normal(size=(4, 6)), rng.integers(4, size=n)
    X = centers[target] + rng.normal(size=(n, 6)) * rng.uniform(0.3, 1.2, size=6)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    std = level * np.exp(0.8 * rng.normal(size=(n, 1)) + 0.27 * rng.normal(size=(n, 6)))
    return target, X + std * rng.normal(size=X.shape), std


def test_it_is_better_than_k_means_and_knows_it():
    found, peer, sure = [], [], []
    for seed in range(4):
        target, values, std = blobs(seed)
        data = ic.from_gaussian(values, std=std)
        mixture = ic.ErrorMixture(4, random_state=0).fit(data)
        found.append(clustering_accuracy(target, mixture.labels_))
        sure.append(mixture.confidence_.mean())
        kmeans = KMeans(4, n_init=10, random_state=0).fit(values)
        peer.append(clustering_accuracy(target, kmeans.labels_))
    assert np.mean(found) > np.mean(peer) + 0.05
    assert abs(np.mean(found) - np.mean(sure)) < 0.05


def test_replicates_with_a_feature_of_noise():
    rng = np.random.default_rng(0)
    target = np.repeat([0, 1, 2], 100)
    truth = np.stack([8.0 * target, np.zeros(300)], axis=1)
    values = truth[:, None] + rng.normal(size=(300, 40, 2))
    data = ic.from_array(values, meaning="error")
    mixture = ic.ErrorMixture(random_state=0).fit(data)
    assert mixture.n_clusters_ == 3
    assert clustering_accuracy(target, mixture.labels_) == 1.0
    assert mixture.confidence_.mean() > 0.99
    belief = ic.Deconvolver().fit_transform(data)
    uk = ic.UKMeans(3, random_state=0).fit(belief)
    assert clustering_accuracy(target, uk.labels_) == 1.0
    assert uk.confidence_.mean() > 0.99


def test_a_clump_in_a_field_with_correlated_errors():
    rng = np.random.default_rng(0)
    clump = rng.normal([2.0, -1.0, 3.0], 0.15, size=(500, 3))
    field = rng.normal(0.0, 3.0, size=(1500, 3))
    truth = np.concatenate([clump, field])
    roots = 0.2 * rng.normal(size=(2000, 3, 3)) * rng.lognormal(0, 0.5, (2000, 1, 1))
    values = truth + np.einsum("nij,nj->ni", roots, rng.normal(size=(2000, 3)))
    cov = roots @ np.swapaxes(roots, 1, 2)
    data = ic.from_gaussian(values, cov=cov)
    is_clump = np.arange(2000) < 500
    labels = ic.ErrorMixture(2, random_state=0).fit(data).labels_
    said = labels == labels[0]
    assert 2 * (said & is_clump).sum() / (said.sum() + 500) > 0.97


def test_noise_between_clusters():
    rng = np.random.default_rng(0)
    clusters = [rng.normal(at, 0.3, size=(150, 2)) for at in (-5.0, 5.0)]
    truth = np.concatenate([*clusters, rng.uniform(-10.0, 10.0, size=(60, 2))])
    data = ic.from_gaussian(truth + 0.2 * rng.normal(size=truth.shape), std=0.2)
    mixture = ic.ErrorMixture(2, noise=True, random_state=0).fit(data)
    is_noise = np.arange(360) >= 300
    assert ((mixture.labels_ == -1) == is_noise).mean() > 0.97
    assert mixture.weights_.sum() == pytest.approx(300 / 360, abs=0.03)
    far = ic.from_gaussian([[-5.0, -5.0], [0.0, 9.0]], std=0.1)
    assert mixture.predict(far)[1] == -1


def test_missing_values_as_they_are():
    target, values, std = blobs(1, level=0.2)
    rng = np.random.default_rng(0)
    values[rng.random(values.shape) < 0.15] = np.nan
    data = ic.from_gaussian(values, std=std, missing="infinite")
    mixture = ic.ErrorMixture(4, covariance_type="tied", random_state=0).fit(data)
    assert clustering_accuracy(target, mixture.labels_) > 0.75
    np.testing.assert_array_equal(mixture.predict(data), mixture.labels_)
    assert np.isfinite(mixture.score_samples(data)).all()


def test_a_cluster_of_another_shape_is_one():
    # Heavy tails take two Gaussians, one around the other.
    rng = np.random.default_rng(0)
    truth = np.concatenate([rng.standard_t(4, size=(300, 2)) + at for at in (0, 15)])
    data = ic.from_gaussian(truth + 0.3 * rng.normal(size=truth.shape), std=0.3)
    mixture = ic.ErrorMixture(random_state=0).fit(data)
    assert len(mixture.weights_) > mixture.n_clusters_ == 2
    assert mixture.clusters_.max() + 1 == mixture.n_clusters_
    assert clustering_accuracy(np.repeat([0, 1], 300), mixture.labels_) > 0.98
    np.testing.assert_array_equal(mixture.predict(data), mixture.labels_)


def test_without_structure_there_is_one_cluster():
    rng = np.random.default_rng(0)
    std = rng.uniform(size=(300, 3))
    data = ic.from_gaussian(rng.normal(size=(300, 3)) * 2.0, std=std)
    mixture = ic.ErrorMixture(random_state=0).fit(data)
    assert mixture.n_clusters_ == 1


def test_what_it_draws_is_like_the_truth():
    rng = np.random.default_rng(0)
    truth = rng.multivariate_normal([1.0, 2.0], [[2.0, 1.0], [1.0, 1.0]], size=2000)
    data = ic.from_gaussian(truth + rng.normal(size=truth.shape), std=1.0)
    mixture = ic.ErrorMixture(1, random_state=0).fit(data)
    drawn = mixture.sample(20_000, random_state=0)
    np.testing.assert_allclose(drawn.mean(axis=0), mixture.means_[0], atol=0.05)
    np.testing.assert_allclose(np.cov(drawn.T), mixture.covariances_[0], atol=0.08)
    np.testing.assert_allclose(mixture.covariances_[0], np.cov(truth.T), atol=0.25)
    np.testing.assert_array_equal(mixture.sample(3, 1), mixture.sample(3, 1))


def test_cluster_takes_its_number():
    target, values, std = blobs(3, level=0.2)
    data = ic.from_gaussian(values, std=std)
    result = ic.cluster(data, 4, "ErrorMixture")
    assert result.n_clusters == 4
    assert clustering_accuracy(target, result.labels) > 0.9
    assert ic.cluster(data, method="errormixture").n_clusters >= 2
    with pytest.raises(ValueError, match="n_components=5 exceeds the number of"):
        ic.ErrorMixture(5).fit(data[:4])


@pytest.mark.slow
@pytest.mark.parametrize("really", [0.0, 2.0])
def test_replicates_with_more_noise_than_features(really):
    # 3 to 6 replicates, good or bad; 4 features that matter and 6 that do not: objects
    # differ in these by errors only, or really.
    found, peer = [], []
    centers = np.zeros((3, 10))
    centers[:, :4] = np.array([[1, 1, 0, 0], [0, -1, 1, 0], [0, 0, -1, -1]]) * 1.7
    for seed in range(5):
        rng = np.random.default_rng(seed)
        target = rng.integers(3, size=240)
        within = np.r_[np.full(4, 0.5), np.full(6, really)]
        truth = centers[target] + within * rng.normal(size=(240, 10))
        objects = np.repeat(np.arange(240), rng.integers(3, 7, size=240))
        std = rng.lognormal(0.0, 1.0, size=(240, 1)) * np.r_[np.ones(4), np.full(6, 3)]
        values = truth[objects] + std[objects] * rng.normal(size=(len(objects), 10))
        data = ic.from_samples(values, objects=objects, meaning="error")
        mixture = ic.ErrorMixture(3, random_state=0).fit(data)
        found.append(clustering_accuracy(target, mixture.labels_))
        kmeans = KMeans(3, n_init=10, random_state=0).fit(data.mean())
        peer.append(clustering_accuracy(target, kmeans.labels_))
    assert np.mean(found) > 0.9
    assert np.mean(peer) < 0.8


def test_starts_that_are_all_alike_lead_astray():
    # Badly measured objects are taken for a cluster in the middle, from which EM does
    # not come away.
    for seed in range(3):
        rng = np.random.default_rng(seed)
        target = rng.integers(3, size=200)
        truth = np.stack([3.0 * target, rng.normal(size=200), np.zeros(200)], axis=1)
        truth[:, :2] += 0.3 * rng.normal(size=(200, 2))
        std = 0.5 * rng.lognormal(0.0, 1.0, size=(200, 1)) * np.ones(3)
        data = ic.from_gaussian(truth + std * rng.normal(size=(200, 3)), std=std)
        mixture = ic.ErrorMixture(3, random_state=0).fit(data)
        assert clustering_accuracy(target, mixture.labels_) > 0.85


def test_covariances_as_the_data_ask_for():
    rng = np.random.default_rng(0)
    target = rng.integers(2, size=200)
    plain = rng.normal(size=(200, 6)) + 4.0 * target[:, None]
    mixture = ic.ErrorMixture(2, random_state=0).fit(ic.from_gaussian(plain, std=0.1))
    assert mixture.covariance_type_ == "diag"
    mixed = rng.normal(size=(200, 6)) @ rng.normal(size=(6, 6)) + 9.0 * target[:, None]
    data = ic.from_gaussian(mixed, std=0.1)
    mixture = ic.ErrorMixture(2, random_state=0).fit(data)
    assert mixture.covariance_type_ == "full"
    both = [
        ic.ErrorMixture(2, covariance_type=c, random_state=0).fit(data).bic_
        for c in ("full", "diag")
    ]
    assert mixture.bic_ == min(both) == both[0]


def test_a_small_clump_in_noise():
    rng = np.random.default_rng(53)
    is_clump = np.arange(2000) < 60
    clump = rng.normal([1.0, 1.0, 0.5], 0.1, size=(2000, 3))
    truth = np.where(is_clump[:, None], clump, rng.uniform(-5, 5, size=(2000, 3)))
    std = 0.2 * rng.lognormal(0.0, 0.5, size=(2000, 3))
    data = ic.from_gaussian(truth + std * rng.normal(size=(2000, 3)), std=std)
    said = ic.ErrorMixture(1, noise=True, random_state=0).fit(data).labels_ == 0
    assert 2 * (said & is_clump).sum() / (said.sum() + 60) > 0.9


@pytest.mark.parametrize("covariance", ["full", "diag", "tied"])
@pytest.mark.parametrize("noise", [False, True])
def test_pieces(covariance, noise, tmp_path):
    target, values, std = blobs(5, n=4000)
    data = ic.from_gaussian(values, std=std)
    how = {"covariance_type": covariance, "noise": noise, "random_state": 0}
    together = ic.ErrorMixture(4, **how).fit(data)
    stream = ic.ErrorMixture(4, **how)
    first = clustering_accuracy(target, stream.partial_fit(data[:400]).predict(data))
    for number, start in enumerate(range(400, 4000, 400)):
        if number == 4:  # a model from a file goes on
            stream.save(tmp_path / "model")
            stream = ic.load(tmp_path / "model")
        stream.partial_fit(data[start : start + 400])
    assert stream.score(data) > together.score(data) - 0.05
    assert clustering_accuracy(target, stream.predict(data)) > first - 0.01
    last = data[3600:]
    np.testing.assert_array_equal(stream.predict(last), stream.labels_)
    np.testing.assert_allclose(stream.predict_proba(last), stream.membership_)
    assert stream.confidence_.shape == (400,)
    assert not hasattr(stream, "bic_")
    assert not hasattr(stream.fit(last), "_running")


def test_the_order_within_a_piece_does_not_matter():
    _, values, std = blobs(6, n=300)
    data, order = ic.from_gaussian(values, std=std), np.random.default_rng(0)
    mixtures = [ic.ErrorMixture(3, random_state=0) for _ in range(2)]
    rows = order.permutation(100)
    for piece in (data[:100], data[100:200], data[200:]):
        mixtures[0].partial_fit(piece)
        mixtures[1].partial_fit(piece[rows])
    np.testing.assert_array_equal(mixtures[0].means_, mixtures[1].means_)
    np.testing.assert_array_equal(mixtures[0].labels_[rows], mixtures[1].labels_)


@pytest.mark.slow
def test_large_data_are_chosen_for_by_a_part(monkeypatch):
    _, values, std = blobs(7, n=900, level=0.3)
    data = ic.from_gaussian(values, std=std)
    whole = ic.ErrorMixture(random_state=0).fit(data)
    monkeypatch.setattr(pieces, "MANY_OBJECTS", 300)
    part = ic.ErrorMixture(random_state=0).fit(data)
    assert whole.n_clusters_ == part.n_clusters_ == 4
    assert clustering_accuracy(whole.labels_, part.labels_) > 0.98
    assert part.score(data) == pytest.approx(whole.score(data), abs=1e-2)


def test_nan_in_a_plain_table_is_missing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3)) + 6.0 * np.repeat([0, 1], 50)[:, None]
    X[rng.random(X.shape) < 0.2] = np.nan
    X = X[~np.isnan(X).all(axis=1)]
    mixture = ic.ErrorMixture(2, random_state=0).fit(X)
    kept = ic.from_gaussian(X, std=0.0, missing="infinite")
    np.testing.assert_array_equal(mixture.labels_, mixture.predict(kept))
    np.testing.assert_array_equal(mixture.labels_, mixture.predict(X))
    with pytest.raises(ValueError, match="NaN"):
        ic.UKMeans(2).fit(X)
    with pytest.raises(ValueError, match="infinity"):
        mixture.fit(np.full((3, 1), np.inf))
