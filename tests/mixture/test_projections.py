"""Measurements in projection: against loops, and against what they generalize."""

from functools import partial, reduce
from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import incerta as ic
from incerta.backend.memory import Scratch
from incerta.data.partitioned import PartitionedData
from incerta.exceptions import DataError
from incerta.mixture.expectation import (
    belief,
    filled,
    log_densities,
    one_by_one,
    sums,
    sums_of_each,
)
from incerta.mixture.maximization import Prior, climbed, moments, with_prior
from incerta.mixture.model import Components, Measured, measured
from incerta.mixture.under import EndToEnd, OneByOne, under, under_all
from tests.mixture import oracle


def covariances_of(rng, n, d):
    roots = rng.normal(size=(n, d, d))
    return roots @ np.swapaxes(roots, 1, 2)


def problem(seed, n=30, q=2, d=3, k=2, missing=0.0):
    """Measurements, components, and the same by objects for the oracle."""
    rng = np.random.default_rng(seed)
    known = rng.random((n, q)) >= missing
    R = rng.normal(size=(n, q, d)) * known[:, :, None]
    w = np.where(known, 2.0 * rng.normal(size=(n, q)), 0.0)
    S = covariances_of(rng, n, q) * (known[:, :, None] & known[:, None])
    given = Measured(
        w.T.copy(),
        np.moveaxis(S, 0, -1).copy(),
        known.T * 1.0 if missing else None,
        projection=np.moveaxis(R, 0, -1).copy(),
    )
    weights = rng.dirichlet(np.ones(k) * 5)
    V = covariances_of(rng, k, d) + np.eye(d)
    return given, Components(weights, rng.normal(size=(k, d)), V), (w, S, known, R)


@pytest.mark.parametrize(
    ("q", "d", "k", "missing"),
    [(2, 3, 2, 0.0), (1, 4, 3, 0.0), (3, 3, 1, 0.4), (4, 2, 2, 0.3)],
)
@pytest.mark.parametrize("kind", ["full", "diag", "tied"])
def test_a_round_is_that_of_the_formulas(q, d, k, missing, kind):
    given, components, (w, S, known, R) = problem(q, q=q, d=d, k=k, missing=missing)
    components = components.as_kind(kind)
    each = np.array([components.covariance_of(c) for c in range(k)])
    prior = Prior(0.3, np.linspace(1.0, 2.0, d))
    logs, weights, means, spread = oracle.em_round(
        w,
        S,
        known,
        components.weights,
        components.means,
        each,
        0.0,
        prior.variances,
        projections=R,
    )
    found = sums(given, components)
    np.testing.assert_allclose(found.log_likelihood, logs.sum(), rtol=1e-10)
    after = with_prior(moments(components, found), components, prior)
    np.testing.assert_allclose(after.weights, weights, atol=1e-10)
    np.testing.assert_allclose(after.means, means, atol=1e-10)
    counts = weights * len(w)
    squares = spread * counts[:, None, None]
    if kind == "tied":
        squares, counts = squares.sum(axis=0, keepdims=True), counts.sum(keepdims=True)
    squares = squares + prior.weight * np.diag(prior.variances)
    expected = squares / (counts + prior.weight)[:, None, None]
    if kind == "diag":
        expected = np.einsum("kii->ki", expected)
    np.testing.assert_allclose(after.covariances, expected, atol=1e-9)

    shares, centers, covariances, logs = oracle.belief_about(
        w, S, known, components.weights, components.means, each, R
    )
    told = belief(given, components)
    np.testing.assert_allclose(told.shares, shares, atol=1e-10)
    np.testing.assert_allclose(told.centers, centers, atol=1e-9)
    np.testing.assert_allclose(told.covariances, covariances, atol=1e-9)
    of_each = log_densities(given, components)
    np.testing.assert_allclose(of_each.totals, logs, atol=1e-10)
    np.testing.assert_allclose(np.exp(of_each.shares).T, shares, atol=1e-10)


def same_sums(one, other, **tolerance):
    for name, value in vars(one).items():
        np.testing.assert_allclose(value, vars(other)[name], **tolerance)


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_one_component_after_the_other(kind):
    given, components, _ = problem(3, n=50, missing=0.2)
    components = components.as_kind(kind)
    together = under_all(given, components, Scratch())
    assert isinstance(together, EndToEnd)
    apart = OneByOne([under(given, components, c) for c in range(2)])
    np.testing.assert_allclose(together.logs(), apart.logs(), atol=1e-12)
    shares = np.random.default_rng(0).random((2, 50))
    for one, other in zip(
        together.pulls_and_gains(shares), apart.pulls_and_gains(shares), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-10)


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_blocks_do_not_matter(kind):
    given, components, _ = problem(3, n=20_000, missing=0.2)
    components = components.as_kind(kind)
    parts = [
        sums(given.part(slice(i, i + 500)), components) for i in range(0, 20_000, 500)
    ]
    together = reduce(type(parts[0]).plus, parts)
    same_sums(sums(given, components), together, rtol=1e-9, atol=1e-9)


def test_the_unit_matrix_changes_nothing():
    given, components, _ = problem(1, q=3, d=3)
    n = given.n_objects
    unit = np.repeat(np.eye(3)[:, :, None], n, axis=2)
    plain = given._replace(projection=None)
    through = given._replace(projection=unit)
    same_sums(sums(plain, components), sums(through, components), atol=1e-10)
    for one, other in zip(
        belief(plain, components), belief(through, components), strict=True
    ):
        np.testing.assert_allclose(one, other, atol=1e-10)
    noisy = components._replace(
        weights=0.9 * components.weights, ranges=np.array([10.0, 3.0, 5.0])
    )
    one, other = log_densities(plain, noisy), log_densities(through, noisy)
    np.testing.assert_allclose(one.shares, other.shares, atol=1e-10)


def test_rows_that_are_left_out_are_gaps():
    rng = np.random.default_rng(2)
    n, d = 60, 4
    w, S = rng.normal(size=(n, d)), covariances_of(rng, n, d)
    kept = np.array([rng.permutation(d)[:2] for _ in range(n)])
    rows = np.arange(n)[:, None]
    known = np.zeros((n, d), dtype=bool)
    known[rows, kept] = True
    components = Components(
        np.array([0.4, 0.6]), rng.normal(size=(2, d)), covariances_of(rng, 2, d)
    )
    both = known[:, :, None] & known[:, None]
    gaps = Measured(
        np.where(known, w, 0.0).T,
        np.moveaxis(np.where(both, S, 0.0), 0, -1),
        known.T * 1.0,
    )
    through = Measured(
        w[rows, kept].T.copy(),
        np.moveaxis(S[rows[:, :, None], kept[:, :, None], kept[:, None]], 0, -1).copy(),
        projection=np.moveaxis(np.eye(d)[kept], 0, -1).copy(),
    )
    same_sums(sums(gaps, components), sums(through, components), atol=1e-10)
    noisy = components._replace(
        weights=0.8 * components.weights, ranges=np.array([9.0, 3.0, 5.0, 4.0])
    )
    one, other = log_densities(gaps, noisy), log_densities(through, noisy)
    np.testing.assert_allclose(one.shares, other.shares, atol=1e-10)
    np.testing.assert_allclose(one.totals, other.totals, atol=1e-10)

    # At the door they become gaps, bit for bit.
    std = 0.1 + rng.random((n, d))
    holes = np.where(known, w, np.nan)
    plain = ic.from_gaussian(holes, std=std, missing="infinite")
    seen = ic.from_gaussian(
        w[rows, kept], std=std[rows, kept], projection=np.eye(d)[kept]
    )
    np.testing.assert_array_equal(seen.mean(), plain.mean())
    np.testing.assert_array_equal(seen.variance(), plain.variance())
    full = ic.from_gaussian(w, std=std)
    unit = ic.from_gaussian(w, std=std, projection=np.eye(d))
    fits = [ic.ErrorMixture(2, random_state=0).fit(data) for data in (full, unit)]
    np.testing.assert_array_equal(fits[0].means_, fits[1].means_)
    holes[0, kept[0, 0]] = np.nan
    lost = ic.from_gaussian(holes, cov=S, missing="infinite")
    w[0, kept[0, 0]] = np.nan
    cov = S[rows[:, :, None], kept[:, :, None], kept[:, None]]
    again = ic.from_gaussian(
        w[rows, kept], cov=cov, projection=np.eye(d)[kept], missing="infinite"
    )
    np.testing.assert_array_equal(again.mean(), lost.mean())
    np.testing.assert_allclose(again.covariance(), lost.covariance(), atol=1e-12)


def three_gaussians(seed, n=2000):
    """Two dimensions; half of the objects are seen along a random line only."""
    rng = np.random.default_rng(seed)
    means = np.array([[0.0, 0.0], [5.0, 1.0], [1.0, 5.0]])
    V = np.array([[[1.0, 0.5], [0.5, 1.0]], [[0.4, 0.0], [0.0, 1.5]], np.eye(2) * 0.5])
    which = rng.choice(3, p=[0.5, 0.3, 0.2], size=n)
    x = means[which] + np.einsum(
        "nij,nj->ni", np.linalg.cholesky(V)[which], rng.normal(size=(n, 2))
    )
    angle = rng.uniform(0.0, np.pi, size=n)
    R = np.stack(
        [np.cos(angle), np.sin(angle), -np.sin(angle), np.cos(angle)], axis=1
    ).reshape(n, 2, 2)
    std = rng.lognormal(-1.0, 0.6, size=(n, 2))
    w = np.einsum("nqd,nd->nq", R, x) + std * rng.normal(size=(n, 2))
    w[: n // 2, 1] = np.nan
    data = ic.from_gaussian(w, std=std, projection=R, missing="infinite")
    return data, means, V, which


def test_means_are_recovered_and_the_likelihood_never_falls():
    data, truth, _, _ = three_gaussians(0)
    mixture = ic.ErrorMixture(3, covariance_type="full", random_state=0).fit(data)
    # What the objects say about the means, if it is known of which they are.
    some, components = measured(data), mixture._components()
    shares = np.exp(log_densities(some, components).shares)
    order = [int(np.square(truth - m).sum(axis=1).argmin()) for m in mixture.means_]
    assert sorted(order) == [0, 1, 2]
    off = []
    for c, true in enumerate(order):
        precision = under(some, components, c).precision
        told = np.einsum("idn,ien,n->de", precision, precision, shares[c])
        off.append(
            (mixture.means_[c] - truth[true]) / np.sqrt(np.diag(np.linalg.inv(told)))
        )
    assert np.abs(off).max() < 2.0
    gains = [after - before for before, after in pairwise(mixture.objective_)]
    assert min(gains) > -1e-10
    given, start, _ = problem(7, n=80, missing=0.3)
    prior = Prior(0.1, np.ones(3))
    states = climbed(partial(sums_of_each, given), [start], prior, -np.inf, 40)[0]
    values = [state.objective for state in states[1:]]
    assert all(after >= before - 1e-10 for before, after in pairwise(values))


def test_scores_and_new_objects():
    data, _, _, which = three_gaussians(1, n=600)
    mixture = ic.ErrorMixture(3, random_state=0).fit(data)
    np.testing.assert_array_equal(mixture.predict(data), mixture.labels_)
    assert ic.metrics.clustering_accuracy(which, mixture.labels_) > 0.85
    law, i = data.law, 500
    R, S = law.matrix[i], law.errors[i]
    density = sum(
        share * multivariate_normal.pdf(law.center[i], R @ m, R @ V @ R.T + S)
        for share, m, V in zip(
            mixture.weights_, mixture.means_, mixture.covariances_, strict=True
        )
    )
    logs = mixture.score_samples(data)
    assert logs[i] == pytest.approx(np.log(density), rel=1e-10)
    assert mixture.score(data) == pytest.approx(logs.mean())
    size = {"full": 17, "diag": 14}[mixture.covariance_type_]
    bic = size * np.log(600) - 2.0 * logs.sum()
    assert mixture.bic_ == pytest.approx(bic, rel=1e-9)


def test_pieces_partitions_and_known_labels():
    data, truth, _, which = three_gaussians(2, n=300)
    parts = PartitionedData((data[:100], None, data[100:]), data.feature_names)
    one = ic.ErrorMixture(3, random_state=0).fit(data)
    several = ic.ErrorMixture(3, random_state=0).fit(parts)
    np.testing.assert_allclose(several.means_, one.means_, atol=1e-6)
    known = np.where(np.arange(300) < 60, which, -1)
    named = ic.ErrorMixture(3, random_state=0).fit(data, known)
    np.testing.assert_allclose(named.means_, truth, atol=0.5)
    online = ic.ErrorMixture(3, random_state=0).partial_fit(data[:150])
    online.partial_fit(data[150:])
    assert len(online.labels_) == 150


def test_noise_far_from_clusters():
    rng = np.random.default_rng(0)
    clusters = [rng.normal(at, 0.3, size=(150, 2)) for at in (-5.0, 5.0)]
    x = np.concatenate([*clusters, rng.uniform(-10.0, 10.0, size=(60, 2))])
    R = np.linalg.qr(rng.normal(size=(360, 2, 2)))[0]
    w = np.einsum("nqd,nd->nq", R, x) + 0.2 * rng.normal(size=(360, 2))
    data = ic.from_gaussian(w, std=0.2, projection=R)
    mixture = ic.ErrorMixture(2, noise=True, random_state=0).fit(data)
    is_noise = np.arange(360) >= 300
    assert ((mixture.labels_ == -1) == is_noise).mean() > 0.95


# the law of other features -----------------------------------------------------------


def conditioned(mixture, w, S, R, others):
    """By the textbook, object by object: mean and covariance of other features."""
    means, covariances = [], []
    for i in range(len(w)):
        shares, centers, own = [], [], []
        for share, m, V in zip(
            mixture.weights_, mixture.means_, mixture.covariances_, strict=True
        ):
            T = R[i] @ V @ R[i].T + S[i]
            gain = V @ R[i].T @ np.linalg.inv(T)
            shares.append(share * multivariate_normal.pdf(w[i], R[i] @ m, T))
            centers.append((m + gain @ (w[i] - R[i] @ m))[others])
            own.append((V - gain @ R[i] @ V)[np.ix_(others, others)])
        shares = np.array(shares) / np.sum(shares)
        mean = shares @ np.array(centers)
        apart = np.array(centers) - mean
        means.append(mean)
        covariances.append(
            np.einsum("k,kij->ij", shares, np.array(own))
            + np.einsum("k,ki,kj->ij", shares, apart, apart)
        )
    return np.array(means), np.array(covariances)


def test_condition_is_that_of_the_textbook():
    rng = np.random.default_rng(0)
    V = covariances_of(rng, 2, 4)
    which = rng.integers(2, size=400)
    x = 4.0 * np.outer(which, [1, 0, 1, -1]) + np.einsum(
        "nij,nj->ni", np.linalg.cholesky(V)[which], rng.normal(size=(400, 4))
    )
    names = ["a", "b", "c", "d"]
    data = ic.from_gaussian(x, std=0.2, feature_names=names)
    mixture = ic.ErrorMixture(2, covariance_type="full", noise=True, random_state=0)
    mixture.fit(data)
    mixture.weights_ = mixture.weights_ / mixture.weights_.sum()
    n = 6
    cov = covariances_of(rng, n, 2)
    # In another order than in the fit.
    new = ic.from_gaussian(
        x[:n, [3, 1]], cov=cov, feature_names=["d", "b"], ids=[*names, "e", "f"]
    )
    found = mixture.condition(new)
    assert found.feature_names == ("a", "c")
    assert found.meaning == "belief"
    np.testing.assert_array_equal(found.ids, new.ids)
    R = np.broadcast_to(np.eye(4)[[3, 1]], (n, 2, 4))
    means, covariances = conditioned(mixture, x[:n, [3, 1]], cov, R, [0, 2])
    np.testing.assert_allclose(found.mean(), means, atol=1e-8)
    np.testing.assert_allclose(found.covariance(), covariances, atol=1e-8)

    R = rng.normal(size=(n, 1, 2))
    w = rng.normal(size=(n, 1))
    seen = ic.from_gaussian(w, std=0.3, projection=R, feature_names=["d", "b"])
    found = mixture.condition(seen)
    wide = np.zeros((n, 1, 4))
    wide[:, :, [3, 1]] = R
    S = np.full((n, 1, 1), 0.09)
    means, covariances = conditioned(mixture, w, S, wide, [0, 2])
    np.testing.assert_allclose(found.mean(), means, atol=1e-8)
    np.testing.assert_allclose(found.covariance(), covariances, atol=1e-8)

    # Gaps say nothing.
    gaps = ic.from_gaussian(
        [[np.nan, 1.0]], std=0.5, feature_names=["d", "b"], missing="infinite"
    )
    alone = ic.from_gaussian([[1.0]], std=0.5, feature_names=["b"])
    np.testing.assert_allclose(
        mixture.condition(gaps).mean(),
        mixture.condition(alone).select(["a", "c"]).mean(),
    )

    for features, said in (
        (["a", "z"], "not of the fit: 'z'"),
        (names, "all of the fit"),
    ):
        some = ic.from_gaussian(
            np.ones((1, len(features))), std=1.0, feature_names=features
        )
        with pytest.raises(DataError, match=said):
            mixture.condition(some)


def test_condition_without_correlations():
    data, _ = ic.datasets.make_uncertain_blobs(90, 3, 2, random_state=0)
    mixture = ic.ErrorMixture(2, covariance_type="diag", random_state=0).fit(data)
    found = mixture.condition(data.select(["x0"]))
    assert found.law.factors.ndim == 3  # no matrices
    means, covariances = conditioned(
        mixture,
        data.mean()[:, :1],
        data.variance()[:, :1, None],
        np.broadcast_to(np.eye(3)[:1], (90, 1, 3)),
        [1, 2],
    )
    np.testing.assert_allclose(found.mean(), means, atol=1e-8)
    np.testing.assert_allclose(found.covariance(), covariances, atol=1e-8)


# features out of measurements in projection ------------------------------------------


def test_beliefs_of_a_deconvolver():
    data, _, _, _ = three_gaussians(3, n=300)
    model_ = ic.Deconvolver().fit(data)
    found = model_.transform(data)
    m, V = model_.means_[0], model_.covariances_[0]
    law, i = data.law, 10  # of which one combination was measured
    R, S = law.matrix[i, :1], law.errors[i, :1, :1]
    gain = V @ R.T @ np.linalg.inv(R @ V @ R.T + S)
    np.testing.assert_allclose(found.mean()[i], m + gain @ (law.center[i, :1] - R @ m))
    np.testing.assert_allclose(found.covariance()[i], V - gain @ R @ V, atol=1e-9)
    assert found.meaning == "belief"
    assert found.law.missing() is None


def test_what_is_left_open_is_filled():
    given, components, (w, S, _, R) = problem(4, q=2, d=3, k=1)
    found = filled(given, components)
    m, V = components.means[0], components.covariances[0]
    i = 5
    gain = V @ R[i].T @ np.linalg.inv(R[i] @ V @ R[i].T)
    np.testing.assert_allclose(
        found.values[:, i], m + gain @ (w[i] - R[i] @ m), atol=1e-3
    )
    expected = V - gain @ R[i] @ V + gain @ S[i] @ gain.T
    np.testing.assert_allclose(found.errors[..., i], expected, atol=1e-3)
    # What was measured is as it was.
    np.testing.assert_allclose(R[i] @ found.values[:, i], w[i], atol=1e-3)


def test_features_one_by_one():
    rng = np.random.default_rng(5)
    n, d = 20, 3
    w, S = rng.normal(size=(n, d)), 0.1 + rng.random((n, d))
    truth = Components(
        np.ones(1), np.array([[1.0, 0.0, -1.0]]), np.diag([1.0, 2.0, 3.0])[None]
    )
    unit = np.repeat(np.eye(d)[:2, :, None], n, axis=2)
    errors = np.moveaxis(np.eye(2) * S[:, :2, None], 0, -1)
    found = one_by_one(Measured(w[:, :2].T, errors, projection=unit), truth)
    np.testing.assert_allclose(found.values[:2], w[:, :2].T, atol=1e-8)
    np.testing.assert_allclose(found.errors[:2], S[:, :2].T, atol=1e-8)
    np.testing.assert_array_equal(found.known[2], 0.0)
