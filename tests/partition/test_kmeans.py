"""k-means of uncertain objects: objectives, bounds, ties and empty clusters."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn.cluster import KMeans

import incerta as ic
from incerta.datasets import make_uncertain_blobs
from incerta.partition.kmeans import (
    PRUNING,
    TIE,
    Shifts,
    assign,
    expected_distances,
    geometric_median,
    within_minmax,
    within_voronoi,
)
from tests.strategies import make, uncertain_data

VALUES = ("exact", "samples", "weighted", "array")


def expected_distance(law, i, center):
    """E|X_i - c|, value by value."""
    rows = range(law.starts[i], law.starts[i + 1])
    weight = [1 / len(rows) if law.weights is None else law.weights[r] for r in rows]
    return sum(
        w * np.linalg.norm(law.values[r] - center)
        for w, r in zip(weight, rows, strict=True)
    )


@pytest.mark.parametrize(
    "how",
    [
        {"metric": "sqeuclidean"},
        {"metric": "euclidean", "center": "geometric-median"},
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_objective_never_rises(how, seed):
    data, _ = make_uncertain_blobs(
        60, 2, 4, n_values=(1, 9), cluster_std=4.0, uncertainty=3.0, random_state=seed
    )
    fitted = ic.UKMeans(4, init="random", n_init=1, random_state=seed, **how).fit(data)
    steps = np.diff(fitted.objective_)
    assert (steps <= 1e-6 * fitted.objective_[0]).all()
    assert fitted.objective_[-1] == pytest.approx(fitted.inertia_, rel=1e-6)
    evaluations = fitted.n_evaluations_
    assert len(fitted.objective_) == fitted.n_iter_
    assert fitted.n_evaluations_ == evaluations


# expected Euclidean distances ---------------------------------------------------------


@given(uncertain_data(kinds=VALUES), st.integers(0, 99))
def test_expected_distances_against_a_loop(data, seed):
    center = np.random.default_rng(seed).normal(size=data.n_features)
    found = expected_distances(data.law, np.arange(len(data)), center)
    expected = [expected_distance(data.law, i, center) for i in range(len(data))]
    np.testing.assert_allclose(found, expected)


def first_of_the_best(law, centers):
    """Nearest center of each object; of several, to twelve digits, the first."""
    D = np.array(
        [[expected_distance(law, i, c) for c in centers] for i in range(law.n_objects)]
    )
    return (D.min(axis=1, keepdims=True) * (1 + TIE) >= D).argmax(axis=1)


@given(uncertain_data(kinds=VALUES), st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_bounds_never_lose_the_best_center(data, seed, k):
    rng = np.random.default_rng(seed)
    law, boxes = data.law, data.law.boxes()
    centers = rng.normal(scale=3.0, size=(k, data.n_features))
    best = first_of_the_best(law, centers)
    minmax, voronoi = within_minmax(boxes, centers), within_voronoi(boxes, centers)
    for inside in (minmax, voronoi):
        assert inside[np.arange(len(data)), best].all()
    # Bisectors decide whatever boxes decide.
    assert (voronoi <= minmax).all()
    for rules in ((), *((r,) for r in PRUNING), PRUNING):
        shifts = Shifts(len(data), k)
        places = centers.copy()
        for _ in range(4):
            labels, n_evaluations = assign(law, boxes, places, rules, shifts)
            np.testing.assert_array_equal(labels, first_of_the_best(law, places))
            assert n_evaluations <= len(data) * k
            places = places + rng.normal(scale=0.1, size=places.shape)


@pytest.mark.parametrize("rules", [(), *((r,) for r in PRUNING), PRUNING])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e7])
@given(inner=st.lists(st.integers(-99, 99), min_size=2, max_size=5, unique=True))
@example(inner=[30, -70, 10])
def test_ties_go_to_the_first(rules, size, inner):
    # Any place between the middle values of the first object is as good as any other;
    # the second object has a best one.
    values = [[-100.0], [100.0], [-500.0], [600.0], [inner[-1]]]
    law = ic.from_samples(size * np.array(values), [0, 0, 0, 0, 1]).law
    centers = size * np.array([[900.0], *([c] for c in inner)])
    shifts = Shifts(2, len(centers))
    for move in (0.0, 0.1):
        places = centers + size * move
        labels, _ = assign(law, law.boxes(), places, rules, shifts)
        np.testing.assert_array_equal(labels, [1, len(inner)])


@pytest.mark.parametrize("center", ["mean", "geometric-median"])
@pytest.mark.parametrize("pruning", ["all", *PRUNING])
def test_pruned_runs_give_the_labels_of_the_full_run(pruning, center):
    for seed in range(8):
        data, _ = make_uncertain_blobs(
            50, 2, 4, n_values=(1, 12), cluster_std=3.0, random_state=seed
        )
        how = {
            "metric": "euclidean",
            "center": center,
            "n_init": 2,
            "random_state": seed,
        }
        full = ic.UKMeans(4, pruning=None, **how).fit(data)
        fast = ic.UKMeans(4, pruning=pruning, **how).fit(data)
        np.testing.assert_array_equal(fast.labels_, full.labels_)
        assert fast.inertia_ == pytest.approx(full.inertia_)
        assert fast.n_evaluations_ <= full.n_evaluations_
        assert full.share_saved_ <= 1 / 4  # single candidates of one cluster aside
        assert 0.0 <= fast.share_saved_ <= 1.0


def test_separated_clusters_need_hardly_any_distance():
    data, labels = make_uncertain_blobs(
        300, 2, 5, n_values=20, center_box=(-200, 200), random_state=2
    )
    fitted = ic.UKMeans(5, metric="euclidean", random_state=0).fit(data)
    assert fitted.share_saved_ > 0.95
    assert ic.metrics.clustering_accuracy(labels, fitted.labels_) > 0.95


def test_certain_objects_are_assigned_as_by_k_means():
    X = make_uncertain_blobs(60, 2, 3, random_state=0)[0].mean()
    centers = X[[0, 20, 40]]
    law = ic.as_uncertain(X).law
    labels, _ = assign(law, law.boxes(), centers, PRUNING, Shifts(60, 3))
    np.testing.assert_array_equal(
        labels, KMeans(3, init=centers, n_init=1, max_iter=1).fit(centers).predict(X)
    )


def test_geometric_median_is_the_best_point():
    law = make("weighted", n=6, d=2, seed=3).law
    place = geometric_median(law, law.mean().mean(axis=0), n_rounds=500)

    def total(p):
        return sum(expected_distance(law, i, p) for i in range(6))

    for step in np.eye(2) * 1e-3:
        assert total(place) <= total(place + step) + 1e-9
        assert total(place) <= total(place - step) + 1e-9


@pytest.mark.parametrize("pruning", [None, "all"])
def test_no_cluster_stays_empty(pruning):
    data = make("samples", n=12, d=2, seed=4)
    start = np.array([[0.0, 0.0], [500.0, 0.0], [0.0, 900.0]])
    for metric in ("euclidean", "sqeuclidean"):
        how = {"metric": metric, "init": start, "pruning": pruning}
        assert ic.UKMeans(3, **how).fit(data).cluster_sizes_.min() >= 1
