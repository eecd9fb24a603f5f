import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.manifold import spectral_embedding
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

import incerta as ic
from incerta.backend.progress import reporting_to
from incerta.datasets import load_weather, make_uncertain_blobs
from incerta.divergence import jensen_shannon
from incerta.metrics import clustering_accuracy
from incerta.selection import representatives
from incerta.spectral import (
    consistency,
    gaussian_affinity,
    leading_eigenvectors,
    normalized_laplacian,
)


@pytest.fixture(scope="module")
def blobs():
    return make_uncertain_blobs(90, 2, 3, center_box=(-30, 30), random_state=3)


@pytest.fixture(scope="module")
def fitted(blobs):
    return ic.RPC(3, n_worlds=25, n_representatives=8, random_state=0).fit(blobs[0])


def projector(U):
    Q = np.linalg.qr(U)[0]
    return Q @ Q.T


@pytest.mark.parametrize("seed", range(5))
def test_without_uncertainty_it_is_spectral_clustering(seed):
    X = make_uncertain_blobs(60, 3, 3, center_box=(-20, 20), random_state=seed)[
        0
    ].mean()
    rpc = ic.RPC(3, random_state=0).fit(X)
    W = gaussian_affinity(X)
    twin = SpectralClustering(
        3, affinity="precomputed", assign_labels="kmeans", random_state=0
    ).fit(W)
    assert adjusted_rand_score(twin.labels_, rpc.labels_) == 1.0
    own = leading_eigenvectors(normalized_laplacian(W), 3)[1]
    np.testing.assert_allclose(projector(rpc.embedding_), own @ own.T, atol=1e-7)


@pytest.mark.parametrize("seed", range(5))
def test_embedding_subspace_is_that_of_scikit_learn(seed):
    X = make_uncertain_blobs(60, 3, 3, cluster_std=3.0, random_state=seed)[0].mean()
    # scikit-learn leaves the diagonal of an affinity out; here it has none.
    W = gaussian_affinity(X) - np.eye(60)
    theirs = spectral_embedding(
        W, n_components=3, drop_first=False, norm_laplacian=True, random_state=0
    )
    # It divides the eigenvectors by the root of the degree: undo that.
    theirs = theirs * np.sqrt(W.sum(axis=1))[:, None]
    ours = consistency([normalized_laplacian(W)], 3).common
    np.testing.assert_allclose(projector(theirs), ours @ ours.T, atol=1e-6)


def test_the_steps_by_hand_give_the_fit(blobs, fitted):
    data, _ = blobs
    worlds = data.worlds(25, 0)
    J = jensen_shannon(worlds)
    np.testing.assert_array_equal(fitted.divergences_, J)
    chosen, loss = representatives(J, 8, return_loss=True)
    np.testing.assert_array_equal(fitted.representatives_, chosen)
    np.testing.assert_array_equal(fitted.loss_, loss)
    assert fitted.n_iter_ == len(fitted.objective_)
    assert (np.diff(fitted.objective_) >= -1e-9).all()


def test_membership_is_the_share_of_all_worlds(blobs, fitted):
    # With every world kept, none are left out of the picture.
    data, _ = blobs
    every = ic.RPC(3, n_worlds=25, n_representatives=25, random_state=0).fit(data)
    for c in range(3):
        np.testing.assert_allclose(
            every.membership_[:, c], (every.labels_per_world_ == c).mean(axis=0)
        )
    # The few that are kept have a common embedding that is nearly the same.
    np.testing.assert_allclose(fitted.membership_, every.membership_, atol=0.1)
    counts = 25 * fitted.membership_
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)


def test_prediction_of_the_fitted_objects(blobs, fitted):
    data, labels = blobs
    assert (fitted.predict(data) == fitted.labels_).mean() > 0.97
    assert clustering_accuracy(labels, fitted.labels_) > 0.9


@pytest.mark.parametrize("gamma", ["median", "self-tuning", 0.06])
@pytest.mark.parametrize("n_neighbors", [None, 10])
@pytest.mark.parametrize("normalize_rows", [False, True])
def test_prediction_of_new_objects(gamma, n_neighbors, normalize_rows):
    data, labels = make_uncertain_blobs(200, 2, 3, center_box=(-30, 30), random_state=3)
    known, new = np.arange(200) < 120, np.arange(200) >= 120
    rpc = ic.RPC(
        3,
        n_worlds=10,
        n_representatives=5,
        gamma=gamma,
        n_neighbors=n_neighbors,
        normalize_rows=normalize_rows,
        random_state=0,
    ).fit(data[known])
    whole = np.empty(200, dtype=int)
    whole[known], whole[new] = rpc.labels_, rpc.predict(data[new])
    assert clustering_accuracy(labels, whole) > 0.9
    agree = rpc.predict_proba(data[new]).argmax(axis=1) == rpc.predict(data[new])
    assert agree.mean() > 0.95


@pytest.mark.parametrize(
    "divergence",
    [
        "per-feature",
        "energy",
        "clustering",
        partial(jensen_shannon, bandwidth="scott"),
    ],
)
def test_other_divergences(blobs, divergence):
    data, labels = blobs
    rpc = ic.RPC(3, 12, 5, divergence=divergence, random_state=0).fit(data)
    assert rpc.divergences_.shape == (12, 12)
    assert clustering_accuracy(labels, rpc.labels_) > 0.9


@pytest.mark.parametrize("selection", ["central", "random"])
def test_other_selections(blobs, selection):
    rpc = ic.RPC(3, 12, 5, selection=selection, random_state=0).fit(blobs[0])
    assert len(set(rpc.representatives_)) == 5
    assert (rpc.divergences_ is None) == (selection == "random")


def test_threads_do_not_matter(blobs):
    data, _ = blobs
    results = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            rpc = ic.RPC(3, 20, 6, n_jobs=n_threads, random_state=0).fit(data)
        results.append(rpc)
    one, two = results
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.membership_, two.membership_)
    np.testing.assert_array_equal(one.representatives_, two.representatives_)


def test_order_of_objects_does_not_matter():
    # Joint draws travel with their objects; independent ones are drawn anew.
    data, _ = make_uncertain_blobs(60, 2, 3, random_state=1)
    joint = data.worlds(15, 0).stack()
    order = np.random.default_rng(0).permutation(60)
    one = ic.RPC(3, 15, 5, random_state=0).fit(ic.from_worlds(joint))
    two = ic.RPC(3, 15, 5, random_state=0).fit(ic.from_worlds(joint[:, order]))
    assert adjusted_rand_score(one.labels_[order], two.labels_) == 1.0
    np.testing.assert_allclose(one.confidence_[order], two.confidence_)


def test_joint_data_use_all_draws_or_an_even_part():
    joint = make_uncertain_blobs(30, 2, 3, random_state=1)[0].worlds(40, 0).stack()
    data = ic.from_worlds(joint)
    assert ic.RPC(3, random_state=0).fit(data).divergences_.shape == (40, 40)
    few = ic.RPC(3, 5, 5, random_state=0).fit(data)
    assert few._model.worlds.indices.max() == 39
    all_kept = ic.RPC(3, n_representatives=50, random_state=0).fit(data)
    assert len(all_kept.representatives_) == 40


@pytest.mark.slow
def test_weather_needs_joint_worlds():
    found = {}
    for joint in (True, False):
        stations = load_weather(joint=joint)
        data = ic.Standardizer("means").fit_transform(stations.data)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rpc = ic.RPC(3, n_worlds=120, random_state=0).fit(data)
        found[joint] = clustering_accuracy(stations.target, rpc.labels_)
    assert found[True] > 0.62
    assert found[False] < 0.60


def test_number_of_clusters_by_itself(blobs):
    assert ic.RPC("auto", 10, 5, random_state=0).fit(blobs[0]).n_clusters_ == 3


def test_progress_goes_to_the_hook(blobs):
    seen = []
    with reporting_to(lambda name, done, total: seen.append((name, done, total))):
        ic.RPC(3, 6, 3, random_state=0).fit(blobs[0])
    assert {name for name, _, _ in seen} == {"divergence", "embedding", "consistency"}
    assert ("divergence", 6, 6) in seen
    seen.clear()
    ic.RPC(3, 6, 3, random_state=0).fit(blobs[0])
    assert not seen


def test_more_representatives_than_worlds(blobs):
    with pytest.raises(ValueError, match=r"n_representatives=10 .* n_worlds=5; lower"):
        ic.RPC(3, n_worlds=5).fit(blobs[0])


@pytest.fixture
def few_are_many(monkeypatch):
    monkeypatch.setattr("incerta.estimators._rpc.DENSE_OBJECTS", 100)
    monkeypatch.setattr("incerta.estimators._rpc.N_LANDMARKS", 60)


@pytest.mark.parametrize("gamma", ["median", "self-tuning"])
@pytest.mark.parametrize("normalize_rows", [False, True])
def test_landmarks_stand_for_many(few_are_many, gamma, normalize_rows):
    data, labels = make_uncertain_blobs(400, 2, 3, center_box=(-30, 30), random_state=3)
    how = {"gamma": gamma, "normalize_rows": normalize_rows, "random_state": 0}
    rpc = ic.RPC(3, 12, 4, **how).fit(data)
    dense = ic.RPC(3, 12, 4, n_neighbors=None, **how).fit(data)
    assert rpc._model.common_target.shape == (60, 3)
    assert rpc.embedding_.shape == (400, 3)
    assert rpc.labels_per_world_.shape == (4, 400)
    assert clustering_accuracy(labels, rpc.labels_) > 0.95
    assert (rpc.labels_ == dense.labels_).mean() > 0.98
    np.testing.assert_allclose(rpc.membership_.sum(axis=1), 1.0)
    assert np.abs(rpc.membership_ - dense.membership_).mean() < 0.05
    assert (rpc.predict(data) == rpc.labels_).mean() > 0.95
    # The objects that stand for all are chosen by their ids.
    order = np.random.default_rng(0).permutation(400)
    moved = ic.RPC(3, 12, 4, **how).fit(data[order])
    np.testing.assert_array_equal(moved.labels_, rpc.labels_[order])
    np.testing.assert_array_equal(moved.membership_, rpc.membership_[order])


def test_landmarks_come_back_from_a_file(few_are_many, tmp_path):
    data, _ = make_uncertain_blobs(150, 2, 3, random_state=3)
    rpc = ic.RPC(3, 12, 4, random_state=0).fit(data)
    rpc.save(tmp_path / "model.incerta")
    again = ic.load(tmp_path / "model.incerta")
    np.testing.assert_array_equal(again.membership_, rpc.membership_)
    np.testing.assert_array_equal(again.predict_proba(data), rpc.predict_proba(data))


@pytest.mark.slow
def test_many_objects_through_the_graph():
    data, labels = make_uncertain_blobs(
        4000, 2, 3, center_box=(-30, 30), random_state=3
    )
    how = {"selection": "random", "n_neighbors": 15, "random_state": 0}
    rpc = ic.RPC(3, 4, 3, **how).fit(data)
    assert clustering_accuracy(labels, rpc.labels_) > 0.9
    assert (rpc.predict(data[:500]) == rpc.labels_[:500]).mean() > 0.9
