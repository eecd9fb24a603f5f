import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans, MiniBatchKMeans

import incerta as ic
from incerta.data.container import sorted_by_id
from incerta.datasets import make_uncertain_blobs
from incerta.labels import in_order_of_appearance
from tests.strategies import make, uncertain_data

VALUES = ("exact", "samples", "weighted", "array")


# squared distances ------------------------------------------------------------------


@pytest.mark.parametrize("estimator", [ic.UKMeans, ic.published.CKMeans])
@given(data=uncertain_data(), seed=st.integers(0, 99), algorithm=st.integers(0, 1))
def test_squared_is_k_means_on_the_means(estimator, data, seed, algorithm):
    data = sorted_by_id(data)
    means = data.mean()
    k = min(2, len(np.unique(means, axis=0)))
    start = means[np.random.default_rng(seed).permutation(len(means))[:k]]
    how = {"init": start, "n_init": 1, "algorithm": ("lloyd", "elkan")[algorithm]}
    ours = estimator(k, **how, random_state=0).fit(data)
    theirs = KMeans(k, **how).fit(means)
    labels, order = in_order_of_appearance(theirs.labels_)
    np.testing.assert_array_equal(ours.labels_, labels)
    np.testing.assert_array_equal(
        ours.cluster_centers_[: len(order)], theirs.cluster_centers_[order]
    )
    # CK-means' inertia identity: k-means on the means, plus all variances.
    total = theirs.inertia_ + data.variance().sum()
    assert ours.inertia_ == pytest.approx(total, rel=1e-9, abs=1e-9)


@given(uncertain_data(kinds=VALUES))
def test_objective_is_the_sum_over_all_values(data):
    fitted = ic.UKMeans(2, random_state=0, n_init=1).fit(data)
    law, total = data.law, 0.0
    for i, label in enumerate(fitted.labels_):
        rows = slice(law.starts[i], law.starts[i + 1])
        squares = ((law.values[rows] - fitted.cluster_centers_[label]) ** 2).sum(axis=1)
        total += np.average(
            squares, weights=None if law.weights is None else law.weights[rows]
        )
    assert fitted.inertia_ == pytest.approx(total, rel=1e-9, abs=1e-9)


def test_toy_of_the_specification():
    data = ic.from_gaussian([[0.0], [2.0], [10.0]], std=np.sqrt([[1.0], [3.0], [4.0]]))
    both = ic.UKMeans(2, random_state=0).fit(data)
    np.testing.assert_array_equal(both.labels_, [0, 0, 1])
    assert both.inertia_ == pytest.approx(6.0 + 4.0)
    assert ic.UKMeans(1, random_state=0).fit(data).inertia_ == pytest.approx(64.0)


def test_noise_without_mean_changes_no_label():
    data, _ = make_uncertain_blobs(80, 2, 3, random_state=0)
    wider = ic.from_gaussian(data.mean(), std=5 * np.sqrt(data.variance()))
    one, two = (ic.UKMeans(3, random_state=0).fit(d) for d in (data, wider))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    assert two.confidence_.mean() < one.confidence_.mean()


def test_given_start_is_checked():
    with pytest.raises(ValueError, match=r"init has shape \(3, 1\).*\(2, 2\)"):
        ic.UKMeans(2, init=np.zeros((3, 1))).fit(make("gaussian"))


def test_pieces():
    data, labels = make_uncertain_blobs(600, 2, 3, center_box=(-30, 30), random_state=1)
    uk = ic.UKMeans(3, random_state=0)
    twin = MiniBatchKMeans(3, n_init=1, random_state=0)
    for part in np.split(np.arange(600), 6):
        uk.partial_fit(data[part])
        twin.partial_fit(data[part].mean())
    np.testing.assert_allclose(uk.cluster_centers_, twin.cluster_centers_)
    found = uk.predict(data)
    assert ic.metrics.clustering_accuracy(labels, found) > 0.95
    assert uk.labels_.shape == (100,)
    np.testing.assert_allclose(uk.membership_.sum(axis=1), 1.0)
    assert not hasattr(ic.UKMeans(2, metric="euclidean"), "partial_fit")
    with pytest.raises(AttributeError, match="has no attribute 'partial_fit'"):
        ic.UKMeans(3, metric="euclidean").partial_fit(data)


def test_center_needs_the_metric():
    with pytest.raises(ValueError, match="center='geometric-median' needs"):
        ic.UKMeans(2, center="geometric-median").fit(make("gaussian"))
