import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats
from scipy.spatial.distance import cdist

import incerta as ic
from incerta.data.laws import Independent, Values
from incerta.distances.affinity import with_closed_form
from incerta.distances.expected import expected_distance_matrix, expected_distances
from tests.strategies import KINDS, make, uncertain_data

METRICS = ("sqeuclidean", "euclidean")
VALUES = ("exact", "samples", "weighted", "array")
both = pytest.mark.parametrize("metric", METRICS)


def over_all_pairs(a, b, metric):
    """The expectation as its definition has it: every value against every other."""
    out = np.zeros((a.n_objects, b.n_objects))
    for i in range(a.n_objects):
        for j in range(b.n_objects):
            for p in range(a.starts[i], a.starts[i + 1]):
                for q in range(b.starts[j], b.starts[j + 1]):
                    square = ((a.values[p] - b.values[q]) ** 2).sum()
                    weight_a = a.weights[p] if a.weights is not None else 1
                    weight_b = b.weights[q] if b.weights is not None else 1
                    term = square if metric == "sqeuclidean" else np.sqrt(square)
                    out[i, j] += weight_a * weight_b * term
            if a.weights is None:
                out[i, j] /= a.counts[i]
            if b.weights is None:
                out[i, j] /= b.counts[j]
    return out


@both
@given(data=uncertain_data(kinds=VALUES))
def test_values_against_brute_force(metric, data):
    found = expected_distance_matrix(data.law, metric, 0)
    expected = over_all_pairs(data.law, data.law, metric)
    np.fill_diagonal(expected, 0.0)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@both
@given(kinds=st.tuples(*[st.sampled_from(VALUES)] * 2), seed=st.integers(0, 99))
def test_two_sets_against_brute_force(metric, kinds, seed):
    a, b = make(kinds[0], 5, 2, seed).law, make(kinds[1], 3, 2, seed + 1).law
    found = expected_distances(a, b, metric, 0)
    np.testing.assert_allclose(found, over_all_pairs(a, b, metric), rtol=1e-9)


@pytest.mark.parametrize("weighted", [False, True])
def test_objects_may_be_cut_by_tiles(weighted):
    rng = np.random.default_rng(8)
    starts = np.array([0, 900, 901, 1024, 2048, 2049, 4000])
    values, weights = rng.normal(size=(4000, 2)), rng.uniform(0.5, 1.5, 4000)
    weights = weights if weighted else np.ones(4000)
    weights /= np.repeat(np.add.reduceat(weights, starts[:-1]), np.diff(starts))
    law = Values(values, starts, weights if weighted else None)
    far = weights[:, None] * cdist(values, values) * weights
    whole = np.add.reduceat(np.add.reduceat(far, starts[:-1], 0), starts[:-1], 1)
    cross = expected_distances(law, law, "euclidean", 0)
    np.testing.assert_allclose(cross, whole, rtol=1e-9)
    np.fill_diagonal(whole, 0.0)
    found = expected_distance_matrix(law, "euclidean", 0)
    np.testing.assert_allclose(found, whole, rtol=1e-9)


SEVEN_INTERVALS = ic.from_interval(
    low := np.array([[1.0367, 2.4648, 0.9913, -3.9095, 2.7161, 1.3391, -1.6109]]).T,
    low + np.array([[0.8775, 1.1442, 0.1524, 1.5317, 1.1225, 0.7265, 1.5980]]).T,
)


@both
@given(data=uncertain_data())
@example(data=SEVEN_INTERVALS)  # once below the distance of the means
def test_laws_of_a_distance(metric, data):
    found = expected_distance_matrix(data.law, metric, 0)
    np.testing.assert_array_equal(found.diagonal(), 0.0)
    np.testing.assert_allclose(found, found.T, rtol=1e-9, atol=1e-12)
    assert (found >= 0).all()
    if metric == "euclidean" and (
        data.joint or with_closed_form(data.law, 0) is data.law
    ):
        # Jensen: between the distance of the means and the root of the mean square.
        mean = data.mean()
        low = np.linalg.norm(mean[:, None] - mean, axis=2)
        high = np.sqrt(expected_distance_matrix(data.law, "sqeuclidean", 0))
        assert (found >= low * (1 - 1e-5) - 1e-12).all()
        assert (found <= high * (1 + 1e-5) + 1e-12).all()


@given(data=uncertain_data(kinds=("gaussian", "interval", "correlated", "samples")))
def test_it_moves_and_scales_with_the_data(data):
    found = expected_distance_matrix(data.law, "euclidean", 0)
    moved = data.affine(np.full(data.n_features, 40.0), 7.0)
    np.testing.assert_allclose(
        expected_distance_matrix(moved.law, "euclidean", 0), 40.0 * found, rtol=1e-5
    )


WITHOUT_FORMULA = (
    "distributions",
    "multivariate",
    "mixed",
    "mixtures",
    "plain mixtures",
)


@both
@pytest.mark.parametrize("kind", KINDS)
def test_against_many_worlds(metric, kind):
    data = make(kind, n=5, d=2, seed=3)
    found = expected_distance_matrix(data.law, metric, 0)
    worlds = data.worlds(6 if data.joint else 5000, 0).stack()
    gaps = np.linalg.norm(worlds[:, :, None] - worlds[:, None], axis=3)
    terms = gaps if metric == "euclidean" else gaps**2
    error = terms.std(axis=0) / np.sqrt(len(worlds))
    # 64 values stand for laws without closed form.
    drawn = metric == "euclidean" and kind in WITHOUT_FORMULA
    slack = terms.std(axis=0) / np.sqrt(64) if drawn else 1e-9
    if data.joint:  # the draws are all there is
        error = 0.0
    assert (np.abs(found - terms.mean(axis=0)) <= 5 * error + slack).all()


def independent(family, loc, scale):
    return Independent(family, np.array([loc]), np.array([scale]))


@pytest.mark.parametrize(
    ("mean", "std", "expected"),
    [
        ([1.0, 2.0], [0.5, 1.0], 2.346707),
        ([0.0, 0.0], [1.0, 1.0], np.sqrt(np.pi / 2)),
        ([1.0], [1.0], 1.166631),
        ([3.0], [0.0], 3.0),
    ],
)
def test_recorded_values(mean, std, expected):
    x = independent("gaussian", mean, std)
    origin = independent("gaussian", [0.0] * len(mean), [0.0] * len(mean))
    found = expected_distances(x, origin, "euclidean", 0)[0, 0]
    assert found == pytest.approx(expected, rel=1e-6)


@given(
    gap=st.floats(-9, 9), s=st.floats(0.01, 5), t=st.sampled_from([0.0, 0.02, 1.0, 4.0])
)
def test_gaussians_against_the_folded_normal(gap, s, t):
    a, b = independent("gaussian", [gap], [s]), independent("gaussian", [0.0], [t])
    width = np.hypot(s, t)
    expected = stats.foldnorm(abs(gap) / width, scale=width).mean()
    found = expected_distances(a, b, "euclidean", 0)[0, 0]
    assert found == pytest.approx(expected, rel=1e-5)


NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(40)


def between(breaks):
    """Nodes and weights of an integral that is smooth between given places."""
    low, high = np.array(breaks[:-1]), np.array(breaks[1:])
    half = (high - low)[:, None] / 2
    return (low[:, None] + half * (NODES + 1)).ravel(), (half * NODE_WEIGHTS).ravel()


SCALES = st.floats(0.01, 5) | st.sampled_from([1e-9, 1e-6, 1e-4])


@pytest.mark.parametrize("family", ["uniform", "exponential"])
@given(gap=st.floats(-9, 9), s=SCALES, t=SCALES)
@example(gap=-2.0, s=5.0, t=1e-13)
@example(gap=1e-3, s=3e-14, t=2.0)
def test_other_families_against_quadrature(family, gap, s, t):
    a, b = independent(family, [gap], [s]), independent(family, [0.0], [t])
    found = expected_distances(a, b, "euclidean", 0)[0, 0]
    # E|X − Y| = ∫ F (1 − G) + G (1 − F)
    frozen = {"uniform": stats.uniform, "exponential": stats.expon}[family]
    F, G = frozen(gap, s).cdf, frozen(0.0, t).cdf
    steps = np.array([0.0, 1.0, 3.0, 9.0, 40.0])
    x, w = between(np.sort([*(gap + s * steps), *(t * steps)]))
    expected = w @ (F(x) * (1 - G(x)) + G(x) * (1 - F(x)))
    assert found == pytest.approx(expected, rel=1e-6)
    assert found >= abs(a.mean() - b.mean())[0, 0] * (1 - 1e-12)


def test_mirrored_intervals():
    data = ic.from_interval([[0.0, 0.0], [2.0, 1.0]], [[1.0, 3.0], [5.0, 2.0]])
    for features in ([0], [0, 1]):
        one = data.select(features)
        there = one.affine(np.full(len(features), -1.0), 0.0)
        np.testing.assert_allclose(
            expected_distance_matrix(there.law, "euclidean", 0),
            expected_distance_matrix(one.law, "euclidean", 0),
        )


def of_the_difference(gap, s, t):
    """Nodes and weights of X − Y, uniform with lower bounds `gap` and 0."""
    corners = [gap - t, gap, gap + s - t, gap + s]
    x, w = between(np.sort([*corners, *([0.0] * (gap - t < 0 < gap + s))]))
    overlap = np.minimum(x + t, gap + s) - np.maximum(x, gap)
    return x, w * np.clip(overlap, 0.0, None) / (s * t)


@given(
    gap=st.tuples(*[st.floats(-5, 5)] * 2),
    s=st.tuples(*[st.floats(0.01, 5)] * 2),
    t=st.tuples(*[st.floats(0.01, 5)] * 2),
)
def test_boxes_against_quadrature(gap, s, t):
    a, b = independent("uniform", gap, s), independent("uniform", [0.0, 0.0], t)
    found = expected_distances(a, b, "euclidean", 0)[0, 0]
    (x, v), (y, w) = (of_the_difference(*one) for one in zip(gap, s, t))
    expected = v @ np.hypot(x[:, None], y) @ w
    assert found == pytest.approx(expected, rel=1e-5)


def test_one_grid_for_near_and_far():
    mean = np.array([[0.0], [1e-3], [1.0], [1e5]])
    found = expected_distance_matrix(
        ic.from_gaussian(mean, std=1e-5).law, "euclidean", 0
    )
    np.testing.assert_allclose(found, np.abs(mean - mean.T), rtol=1e-4)


@both
@pytest.mark.parametrize("make_data", [ic.as_uncertain, ic.from_gaussian])
def test_identical_objects_are_at_no_distance(metric, make_data):
    std = {"std": 0.0} if make_data is ic.from_gaussian else {}
    law = make_data(np.full((3, 2), 7.0), **std).law
    np.testing.assert_array_equal(expected_distance_matrix(law, metric, 0), 0.0)


def test_memory_does_not_grow_with_the_number_of_values():
    import tracemalloc

    rng = np.random.default_rng(0)
    law = Values(rng.normal(size=(9000, 2)), np.arange(0, 9001, 300))
    tracemalloc.start()
    expected_distance_matrix(law, "euclidean", 0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40e6 < 8 * 9000**2
