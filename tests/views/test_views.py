"""Several views, what they agree on, and worlds of the truth."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array, issparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

import incerta as ic
from incerta.metrics import clustering_accuracy
from incerta.mixture.measured import errors_of_means
from incerta.spectral import affinity
from incerta.spectral.affinity import gaussian_affinity, neighbour_graphs
from incerta.views.fusion import agreement, fused, shared_information
from incerta.views.kernel_means import N_WAVES, kernel_means, waves
from incerta.views.look import Neighbours
from incerta.views.truths import (
    Beliefs,
    Spreads,
    own_weights,
    scatter_of,
    shares_of,
    values_of,
)

# fusion -----------------------------------------------------------------------------


def shared(labels):
    return np.array(
        [[normalized_mutual_info_score(a, b) for a in labels] for b in labels]
    )


def by_hand(labels, k, seed):
    """The mean projection of all views, its leading eigenvectors, cut by k-means."""
    n = labels.shape[1]
    mean = np.zeros((n, n))
    for row, weight in zip(labels, agreement(shared(labels)), strict=True):
        member = np.eye(k)[row]
        counts = np.maximum(member.sum(axis=0), 1)
        mean += weight * (member / counts) @ member.T
    vectors = np.linalg.eigh(mean)[1][:, -k:]
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = vectors / np.where(lengths > 1e-9, lengths, 1.0)
    return KMeans(k, n_init=10, random_state=seed).fit_predict(rows)


@pytest.mark.parametrize("seed", range(5))
def test_fusion_is_the_mean_projection_cut(seed):
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=90)
    labels = np.array([truth, truth, truth])
    for row in labels:
        wrong = rng.random(90) < 0.2
        row[wrong] = rng.integers(3, size=wrong.sum())
    fusion = fused(labels, np.ones(3), 3, 0)
    found = fusion.labels_of(labels)
    assert adjusted_rand_score(found, by_hand(labels, 3, 0)) > 0.95
    worst = max(clustering_accuracy(truth, row) for row in labels)
    assert clustering_accuracy(truth, found) >= worst - 0.02
    # The order of the objects does not matter, and others are treated alike.
    order = rng.permutation(90)
    np.testing.assert_array_equal(fusion.labels_of(labels[:, order]), found[order])


def test_views_that_agree_are_the_result():
    labels = np.array([[0, 0, 1, 1, 2, 2], [2, 2, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0]])
    found = fused(labels[:2], np.ones(2), 3, 0).labels_of(labels[:2])
    assert adjusted_rand_score(found, labels[0]) == 1.0
    alone = fused(labels[2:], np.ones(1), 3, 0)
    assert alone.labels_of(labels[2:]).max() == 1  # only two
    weights = agreement(shared(labels))
    assert weights[2] < weights[0] == pytest.approx(weights[1])
    np.testing.assert_allclose(agreement(np.ones((1, 1))), 1.0)


@given(st.integers(0, 10**6))
def test_information_is_scikit_learns(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(rng.integers(1, 5), size=(2, 30))
    met = np.zeros((4, 4))
    np.add.at(met, (a, b), 1)
    expected = normalized_mutual_info_score(a, b)
    assert shared_information(met) == pytest.approx(expected, abs=1e-9)


def test_views_without_anything_in_common_are_not_mixed():
    rng = np.random.default_rng(3)
    truth = rng.integers(2, size=400)
    near = np.where(rng.random(400) < 0.1, 1 - truth, truth)
    labels = np.array(
        [rng.integers(2, size=400), truth, near, rng.integers(2, size=400)]
    )
    found = fused(labels, np.ones(4), 2, 0).labels_of(labels)
    assert clustering_accuracy(truth, found) > 0.85


# views ------------------------------------------------------------------------------


@given(
    st.integers(0, 1000),
    st.integers(2, 30),
    st.integers(1, 12),
    st.sampled_from([0, 99]),
)
def test_one_search_gives_the_same_graph(seed, n, k, few):
    values = np.random.default_rng(seed).normal(size=(n, 2))
    expected = gaussian_affinity(values, width="self-tuning", n_neighbors=k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(affinity, "FEW_ROWS", few)
        graphs = neighbour_graphs(values, k)
    assert [issparse(graph) for graph in graphs] == [n > few] * 2
    counted, weighted = (csr_array(graph) for graph in graphs)
    np.testing.assert_allclose(weighted.toarray(), expected.toarray(), atol=1e-12)
    near = np.argsort(np.square(values[:, None] - values).sum(axis=2), axis=1)
    one_way = np.zeros((n, n))
    np.put_along_axis(one_way, near[:, 1 : k + 1], 1.0, axis=1)
    counts = 0.5 * (one_way + one_way.T) + np.eye(n)
    np.testing.assert_allclose(counted.toarray(), counts, atol=1e-12)


def test_neighbours_vote():
    labels = np.array([[0, 0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 0]])
    known = Neighbours(np.arange(7.0)[:, None], labels)
    found = known.labels_of(np.array([[0.1], [5.9]]))
    np.testing.assert_array_equal(found, [[0, 1], [1, 1]])


def test_distances_of_kernel_means_are_those_of_laws():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(12, 40, 2)) + 2.0 * rng.normal(size=(12, 1, 2))
    law = values_of(ic.from_array(values))
    shares = shares_of(law, own_weights(law))
    means = kernel_means(law.values, shares, 0)
    width = 1.0 / means.frequencies.std()
    points = shares @ means.features(law.values)

    def product(a, b):
        apart = np.square(a[:, None] - b).sum(axis=2)
        return np.exp(-apart / (2 * width**2)).mean()

    for i, j in ((0, 1), (2, 7), (5, 11)):
        a, b = values[i], values[j]
        exact = product(a, a) + product(b, b) - 2 * product(a, b)
        assert np.square(points[i] - points[j]).sum() == pytest.approx(exact, abs=0.15)
    assert waves(law.values[:3], means.frequencies).shape == (3, 2 * N_WAVES)


# worlds -----------------------------------------------------------------------------


def test_values_are_weighted_anew():
    rng = np.random.default_rng(0)
    values = [rng.normal(size=(r, 2)) for r in (1, 5, 400)]
    objects = np.repeat([0, 1, 2], [1, 5, 400])
    data = ic.from_samples(np.concatenate(values), objects)
    law = values_of(data)
    found = kernel_means(law.values, shares_of(law, own_weights(law)), 0)
    spread = Spreads(found, scatter_of(law))
    means = np.array([look.places for look in spread.possible(data, 400, 0)])
    np.testing.assert_allclose(means.mean(axis=0), data.mean(), atol=0.15)
    # A single value is as far off as those of the others; many leave the mean alone.
    scatter = means.std(axis=0)
    np.testing.assert_allclose(scatter[0], 1.0, rtol=0.15)
    expected = np.sqrt(data.variance()[1] / 6)  # Rubin 1981
    np.testing.assert_allclose(scatter[1], expected, rtol=0.15)
    assert (scatter[2] < 0.08).all()
    others = [look.places for look in spread.possible(data[[2, 0]], 3, 0)]
    np.testing.assert_allclose(others, means[:3][:, [2, 0]], atol=1e-12)


def test_errors_of_means_are_correlated_where_features_are_few():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 12, 11)) + rng.normal(size=(40, 12, 1))
    assert errors_of_means(ic.from_array(values[:, :, :10])).shape == (10, 10, 40)
    found = errors_of_means(ic.from_array(values))
    assert found.shape == (11, 40)
    np.testing.assert_allclose(found.mean(), 2.0 / 12, rtol=0.1)


def test_errors_of_weighted_values():
    data = ic.from_samples([[0.0], [2.0], [5.0]], list("aab"), [3, 1, 1])
    found = errors_of_means(data)
    np.testing.assert_allclose(found, [[0.75 * (0.75**2 + 0.25**2), 0.0]])


def test_beliefs_are_drawn_from_as_they_are():
    data = ic.from_interval([[0.0], [5.0]], [[1.0], [9.0]])
    for look, world in zip(
        Beliefs().possible(data, 5, 3), data.worlds(5, 3), strict=True
    ):
        np.testing.assert_array_equal(look.places, world)
        assert (look.measured.errors == 0.0).all()


def test_worlds_of_measured_values_are_as_wide_as_the_truth():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(4000, 2)) + 4.0 * rng.integers(2, size=(4000, 1))
    std = rng.lognormal(0.0, 0.5, size=(4000, 1)) * np.ones(2)
    data = ic.from_gaussian(truth + std * rng.normal(size=truth.shape), std=std)
    model = ic.ViewConsensus(2, n_worlds=2, random_state=0).fit(data[:1500])
    for look in model._model.truths.possible(data, 4, 0):
        np.testing.assert_allclose(np.cov(look.places.T), np.cov(truth.T), rtol=0.15)


def test_true_values_are_of_as_many_components_as_they_ask_for():
    """Two moons are more than two Gaussians; two Gaussians are two, or one."""
    rng = np.random.default_rng(0)
    moons, _ = make_moons(300, noise=0.05, random_state=0)
    blobs = rng.normal(size=(300, 2)) + 4.0 * rng.integers(2, size=(300, 1))
    numbers = []
    for X in (moons, blobs):
        data = ic.from_gaussian(X + 0.05 * rng.normal(size=X.shape), std=0.05)
        model = ic.ViewConsensus(2, n_worlds=2, random_state=0).fit(data)
        priors = model._model.truths.priors
        numbers.append([prior.n_components for prior in priors])
    assert len(numbers[0]) == 1
    assert numbers[0][0] > 3
    assert numbers[1] == [1, 2]
