"""Several views of the objects, and worlds of the truth."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.datasets import make_moons

import incerta as ic
from incerta.mixture.fitting import Effort
from incerta.mixture.model import errors_of_means
from incerta.views.consensus import AT_FIRST, balance, consensus, led_by, renamed
from incerta.views.judge import judged
from incerta.views.look import Work, linked, seen
from incerta.views.truths import (
    N_WAVES,
    Beliefs,
    Spreads,
    exact_look,
    kernel_means,
    own_weights,
    shares_of,
    truths_of,
    values_of,
    waves,
)


def first_space(look):
    return next(iter(look.spaces.values()))


# views ------------------------------------------------------------------------------


def test_known_labels_in_a_graph():
    graph = csr_array(np.array([[1, 0.5, 0.2, 0], [0.5, 1, 0, 0.3]] + [[0.2] * 4] * 2))
    known = np.array([0, 1, -1, 0])
    expected = graph.toarray()
    for i, j in np.ndindex(4, 4):
        if known[i] >= 0 and known[j] >= 0:
            expected[i, j] = float(known[i] == known[j])
    np.testing.assert_array_equal(linked(graph, known).toarray(), expected)
    assert linked(graph, None) is graph


def test_balance_by_hand():
    halves = np.arange(10) % 2
    assert balance(halves, 2) == pytest.approx(1.0)
    assert balance(halves, 3) == pytest.approx(np.log(2) / np.log(3))
    assert balance(np.zeros(5, dtype=int), 2) == 0.0
    assert balance(np.zeros(5, dtype=int), 1) == 1.0


def test_rare_clusters_count_in_full_and_outliers_in_part():
    def rare(n, k=2):
        return np.r_[np.zeros(n, dtype=int), np.arange(400 - n) % (k - 1) + 1]

    assert balance(rare(16), 2) == pytest.approx(1.0)
    assert balance(rare(4), 2) == pytest.approx(np.log(1.25) / np.log(2.0))
    assert balance(rare(10, 10), 10) == pytest.approx(1.0)  # a quarter of the mean
    assert balance(rare(5, 10), 10) == pytest.approx(np.log(9.5) / np.log(10.0))


def test_views_are_named_after_their_spaces():
    values = np.random.default_rng(0).normal(size=(30, 2))
    effort = Work(("diag",), 1, Effort(n_init=1, tol=1e-3, max_iter=10))
    look = exact_look(values)
    found = seen(look, 2, effort, 0)
    assert list(found.labels) == ["mixture", "centers", "nearness"]
    look = look._replace(spaces={"laws": values})
    other = seen(look, 2, effort, 0)
    assert list(other.labels) == ["mixture", "centers of laws", "nearness of laws"]
    for name in ("centers", "nearness"):
        np.testing.assert_array_equal(
            other.labels[f"{name} of laws"], found.labels[name]
        )


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
    spread = truths_of(data, 2, 0)
    assert isinstance(spread, Spreads)
    means = np.array([first_space(look) for look in spread.possible(data, 400, 0)])
    np.testing.assert_allclose(means.mean(axis=0), data.mean(), atol=0.15)
    # A single value is as far off as those of the others; many leave the mean alone.
    scatter = means.std(axis=0)
    np.testing.assert_allclose(scatter[0], 1.0, rtol=0.15)
    expected = np.sqrt(data.variance()[1] / 6)  # Rubin 1981
    np.testing.assert_allclose(scatter[1], expected, rtol=0.15)
    assert (scatter[2] < 0.08).all()
    others = [first_space(look) for look in spread.possible(data[[2, 0]], 3, 0)]
    np.testing.assert_allclose(others, means[:3][:, [2, 0]], atol=1e-12)


def test_spaces_of_objects_with_many_values():
    rng = np.random.default_rng(1)
    data = ic.from_array(rng.normal(size=(30, 9, 2)) * rng.uniform(1, 3, (30, 1, 1)))
    spread = truths_of(data, 2, 0)
    look = spread.as_given(data)
    means, both, laws = look.spaces.values()
    np.testing.assert_allclose(means, data.mean())
    np.testing.assert_allclose(both[:, 2:], np.sqrt(data.variance()))
    judged = look.judged
    np.testing.assert_allclose(judged.values, laws[:, :8].T)
    # The error of a mean of features is that of a mean of nine.
    law = values_of(data)
    features = spread.features.features(law.values)[:, :8].reshape(30, 9, 8)
    pooled = features.var(axis=1, ddof=1).mean(axis=0)
    np.testing.assert_allclose(
        judged.errors, np.repeat(pooled[:, None] / 9, 30, axis=1)
    )
    # An object looks the same without the others.
    np.testing.assert_allclose(
        next(spread.told(data[3:5], 1, 0)).values, judged.values[:, 3:5]
    )


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
        np.testing.assert_array_equal(first_space(look), world)
        assert (look.measured.errors == 0.0).all()


def mixtures_of(data, k):
    truths = truths_of(data, k, 0)
    effort = Work(("full",), 1, Effort(n_init=4, max_iter=200))
    mixture = seen(truths.as_given(data), k, effort, 0).mixture
    return truths.with_mixtures(data, mixture, 0)


def test_worlds_of_measured_values_are_as_wide_as_the_truth():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(4000, 2)) + 4.0 * rng.integers(2, size=(4000, 1))
    std = rng.lognormal(0.0, 0.5, size=(4000, 1)) * np.ones(2)
    data = ic.from_gaussian(truth + std * rng.normal(size=truth.shape), std=std)
    for truths in (truths_of(data, 2, 0), *mixtures_of(data, 2)):
        for look in truths.possible(data, 4, 0):
            found = np.cov(first_space(look).T)
            np.testing.assert_allclose(found, np.cov(truth.T), rtol=0.15)


def test_true_values_are_of_as_many_components_as_they_ask_for():
    """Two moons are more than two Gaussians; two Gaussians are two."""
    rng = np.random.default_rng(0)
    moons, _ = make_moons(300, noise=0.05, random_state=0)
    blobs = rng.normal(size=(300, 2)) + 4.0 * rng.integers(2, size=(300, 1))
    numbers = []
    for X in (moons, blobs):
        data = ic.from_gaussian(X + 0.05 * rng.normal(size=X.shape), std=0.05)
        numbers.append(mixtures_of(data, 2)[0].prior.n_components)
    assert numbers[0] > 3
    assert numbers[1] == 2


def test_half_of_the_worlds_know_half_of_the_objects():
    """Where there is nothing to find, halves do not agree on where clusters are."""
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(300, 2))
    blobs = rng.normal(size=(300, 2)) + 6.0 * rng.integers(2, size=(300, 1))
    gaps = []
    for X in (noise, blobs):
        found = mixtures_of(ic.from_gaussian(X, std=0.3), 2)
        whole, halves = found[: len(found) // 2], found[len(found) // 2 :]
        assert all(each.prior is whole[0].prior for each in whole)
        means = [np.sort(each.prior.means.sum(axis=1)) for each in (whole[0], *halves)]
        gaps.append(np.std(means, axis=0).max())
    assert gaps[0] > 3.0 * gaps[1]


# all views together -----------------------------------------------------------------


def brute_consensus(found, sharpness=30.0, stable=0.15):
    worth = {
        n: v.score * balance(found.memberships[n].argmax(axis=1), 3)
        + stable * v.stability
        for n, v in found.views.items()
    }
    weights = {
        n: np.exp(sharpness * (worth[n] - max(worth[m] for m in found.memberships)))
        for n in found.memberships
    }
    return {n: w / sum(weights.values()) for n, w in weights.items()}


@pytest.mark.parametrize("level", [0.0, 0.6])
def test_memberships_are_averaged_by_worth(level):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 2)) + 3.0 * np.eye(3, 2)[rng.integers(3, size=150)]
    data = ic.from_gaussian(X, std=level)
    found = consensus(data, truths_of(data, 3, 0), 3, 6, 0)
    weights = brute_consensus(found)
    for name, weight in weights.items():
        # Where two clusters are as probable, their numbers may differ by an object.
        assert found.views[name].weight == pytest.approx(weight, rel=0.03)
    mean = sum(found.views[n].weight * found.memberships[n] for n in weights)
    np.testing.assert_allclose(found.membership, mean)
    np.testing.assert_allclose(found.membership.sum(axis=1), 1.0)
    assert (found.per_world is None) == (level == 0.0)


def test_memberships_are_by_worlds_and_by_laws():
    """Half and half, but for the mixture, whose components are its laws."""
    rng = np.random.default_rng(0)
    data = ic.from_gaussian(rng.normal(size=(150, 2)) * [3.0, 1.0], std=0.4)
    found = consensus(data, truths_of(data, 2, 0), 2, 6, 0)
    look = truths_of(data, 2, 0).as_given(data)
    leading = max(found.views, key=lambda name: found.views[name].weight)
    assert leading != "mixture"
    shares = np.eye(2)[found.per_world].mean(axis=0)
    most = shares.argmax(axis=1)
    judgement = judged(look.judged, most, 2, 0)
    expected = (shares + led_by(judgement.membership, most)) / 2.0
    np.testing.assert_allclose(found.memberships[leading], expected)
    assert found.views[leading].score == judgement.score
    own = seen(look, 2, AT_FIRST, 0).shares
    np.testing.assert_array_equal(renamed(found.memberships["mixture"], own), own)


def test_many_unequal_errors_go_without_correlations():
    rng = np.random.default_rng(0)
    values, std = rng.normal(size=(120, 50)), rng.uniform(0.2, 0.6, size=(120, 50))
    unequal = truths_of(ic.from_gaussian(values, std=std), 3, 0)
    alike = truths_of(ic.from_gaussian(values, std=std[0]), 3, 0)
    few = truths_of(ic.from_gaussian(values[:, :8], std=std[:, :8]), 3, 0)
    kinds = [truths.prior.covariances.ndim for truths in (unequal, alike, few)]
    assert kinds == [2, 3, 3]
