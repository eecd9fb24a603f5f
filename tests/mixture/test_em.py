"""Extreme deconvolution against loops, scikit-learn and formulas."""

import pickle
from functools import partial, reduce
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.mixture import GaussianMixture

import incerta as ic
from incerta.backend.memory import Scratch
from incerta.mixture import expectation
from incerta.mixture.expectation import belief, log_densities, sums, sums_of_each
from incerta.mixture.factors import inverse_roots, log_products
from incerta.mixture.fitting import Effort, Search, fitted, some_of
from incerta.mixture.maximization import Prior, climbed, moments, prior_for, with_prior
from incerta.mixture.model import Components, Measured, same_for_all
from incerta.mixture.model import measured as measured_of
from incerta.mixture.under import OneByOne, under, under_all
from tests.mixture import oracle
from tests.strategies import examples


def parts_of(record):
    """What a record of sums, or a tuple, consists of."""
    return record if isinstance(record, tuple) else tuple(vars(record).values())


def problem(seed, n=30, d=3, k=2, correlated=False, missing=0.0, scale=1.0):
    """Measured values, and components to begin with."""
    rng = np.random.default_rng(seed)
    places = 3.0 * rng.normal(size=(k, d))
    truth = places[rng.integers(k, size=n)] + rng.normal(size=(n, d))
    roots = rng.normal(size=(n, d, d)) * rng.lognormal(-1.0, 0.8, size=(n, 1, 1))
    S = roots @ np.swapaxes(roots, 1, 2)
    if not correlated:
        S = S * np.eye(d)
    known = rng.random((n, d)) >= missing
    w = np.where(known, truth + rng.normal(size=(n, d)), 0.0) * scale
    S = np.where(known[:, :, None] & known[:, None], S, 0.0) * scale**2
    errors = np.moveaxis(S, 0, -1) if correlated else np.einsum("nii->in", S)
    given = Measured(w.T.copy(), errors.copy(), known.T * 1.0 if missing else None)
    V = rng.normal(size=(k, d, d))
    V = (V @ np.swapaxes(V, 1, 2) + np.eye(d)) * scale**2
    weights = rng.dirichlet(np.ones(k) * 5)
    return given, Components(weights, rng.normal(size=(k, d)) * scale, V), (w, S, known)


def rounds(measured, start, prior, n):
    """States after each of n rounds."""
    return climbed(partial(sums_of_each, measured), [start], prior, -np.inf, n)[0]


shapes = st.fixed_dictionaries(
    {
        "n": st.integers(1, 20),
        "d": st.integers(1, 5),
        "k": st.integers(1, 4),
        "correlated": st.booleans(),
        "missing": st.sampled_from([0.0, 0.3, 0.9]),
    }
)


@examples(100)
@given(st.integers(0, 999), shapes, st.floats(0.0, 5.0))
def test_a_round_is_that_of_the_paper(seed, shape, weight):
    measured, start, (w, S, known) = problem(seed, **shape)
    prior = Prior(weight, np.arange(1.0, shape["d"] + 1.0))
    logs, weights, means, covariances = oracle.em_round(w, S, known, *start[:3], *prior)
    found = sums(measured, start)
    assert found.log_likelihood == pytest.approx(logs.sum(), rel=1e-9)
    after = with_prior(moments(start, found), start, prior)
    np.testing.assert_allclose(after.weights, weights, atol=1e-10)
    np.testing.assert_allclose(after.means, means, rtol=1e-7, atol=1e-8)
    np.testing.assert_allclose(after.covariances, covariances, rtol=1e-7, atol=1e-8)


@examples(60)
@given(st.integers(0, 999), shapes)
def test_beliefs_are_those_of_the_paper(seed, shape):
    measured, components, (w, S, known) = problem(seed, **shape)
    q, b, B, logs = oracle.belief_about(w, S, known, *components[:3])
    found = belief(measured, components)
    np.testing.assert_allclose(found.shares, q, atol=1e-9)
    np.testing.assert_allclose(found.centers, b, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(found.covariances, B, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(
        log_densities(measured, components).totals, logs, atol=1e-9
    )


@examples(40)
@given(st.integers(0, 999), shapes)
def test_variances_are_covariances_without_correlation(seed, shape):
    measured, start, _ = problem(seed, **shape)
    variances = np.einsum("kii->ki", start.covariances)
    by_feature = start._replace(covariances=variances)
    full = start._replace(covariances=variances[:, :, None] * np.eye(shape["d"]))
    one, two = sums(measured, by_feature), sums(measured, full)
    assert one.log_likelihood == pytest.approx(two.log_likelihood, rel=1e-9)
    np.testing.assert_allclose(one.pulls, two.pulls, atol=1e-8)
    np.testing.assert_allclose(one.gains, np.einsum("kii->ki", two.gains), atol=1e-8)


@examples(40)
@given(
    st.integers(0, 999),
    shapes,
    st.sampled_from(["full", "tied", "diag"]),
    st.floats(0.01, 3.0),
    st.booleans(),
)
def test_the_objective_never_falls(seed, shape, kind, weight, noise):
    measured, start, _ = problem(seed, **shape)
    if kind == "tied":
        start = start._replace(covariances=start.covariances[:1])
    if kind == "diag":
        start = start._replace(covariances=np.einsum("kii->ki", start.covariances))
    if noise:
        ranges = np.full(shape["d"], 20.0)
        start = start._replace(weights=start.weights * 0.9, ranges=ranges)
    prior = prior_for(measured, weight)
    objective = [state.objective for state in rounds(measured, start, prior, 30)]
    for before, after in pairwise(objective):
        assert after >= before - 1e-9 * abs(before)


@pytest.mark.slow
def test_the_objective_never_falls_with_many_objects():
    measured, start, _ = problem(0, n=300_000, d=3, k=3)
    prior = prior_for(measured, 0.1)
    states = rounds(measured, start, prior, 10)
    for before, after in pairwise(state.objective for state in states):
        assert after >= before - 1e-12 * abs(before)


@examples(60)
@given(st.integers(0, 999), shapes, st.sampled_from(["full", "diag", "tied"]))
def test_all_components_at_once_is_one_after_the_other(seed, shape, kind):
    measured, start, _ = problem(seed, **shape)
    start = start.as_kind(kind)
    at_once = under_all(measured, start, Scratch())
    one_by_one = OneByOne([under(measured, start, c) for c in range(shape["k"])])
    slack = {"rtol": 1e-11, "atol": 1e-12}
    np.testing.assert_allclose(at_once.logs(), one_by_one.logs(), **slack)
    shares = np.random.default_rng(seed).random((shape["k"], shape["n"]))
    pairs = zip(
        at_once.pulls_and_gains(shares),
        one_by_one.pulls_and_gains(shares),
        strict=True,
    )
    for found, expected in pairs:
        np.testing.assert_allclose(found, expected, **slack)


@examples(60)
@given(
    st.integers(0, 999),
    shapes,
    st.sampled_from(["full", "diag", "tied"]),
    st.booleans(),
    st.integers(1, 5),
    st.sampled_from([0, 4000, 2**22]),
)
def test_several_mixtures_at_once_are_one_after_the_other(
    seed, shape, kind, noise, n_mixtures, few
):
    measured, first, _ = problem(seed, **shape)
    ranges = np.full(shape["d"], 20.0) if noise else None
    rng = np.random.default_rng(seed)
    several = [
        first._replace(
            weights=first.weights * (0.9 - 0.1 * number * noise),
            means=first.means + rng.normal(size=first.means.shape),
            covariances=first.covariances * (1.0 + number),
            ranges=ranges,
        ).as_kind(kind)
        for number in range(n_mixtures)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expectation, "BLOCK_BYTES", few)
        together = sums_of_each(measured, several)
    for found, components in zip(together, several, strict=True):
        for one, other in zip(
            parts_of(found), parts_of(sums(measured, components)), strict=True
        ):
            np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)


@examples(20)
@given(st.integers(0, 999), shapes, st.sampled_from(["full", "diag", "tied"]))
def test_ways_do_not_depend_on_each_other(seed, shape, kind):
    measured, first, _ = problem(seed, **shape)
    prior = prior_for(measured, 0.1)
    starts = [
        first._replace(means=first.means + shift).as_kind(kind)
        for shift in (-1.0, 0.0, 2.0)
    ]
    # One mixture at a time: the last digits differ otherwise, and ways part.
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expectation, "BLOCK_BYTES", 0)
        trying = partial(sums_of_each, measured)
        together = climbed(trying, starts, prior, 1e-3, 15)
        alone = [climbed(trying, [start], prior, 1e-3, 15)[0] for start in starts]
    assert [len(way) for way in together] == [len(way) for way in alone]
    for one, other in zip(together, alone, strict=True):
        assert one[-1].objective == other[-1].objective


def test_blocks_do_not_matter():
    measured, start, _ = problem(0, n=30_000, correlated=True, missing=0.2)
    parts = [
        sums(measured.part(slice(i, i + 500)), start) for i in range(0, 30_000, 500)
    ]
    together = reduce(type(parts[0]).plus, parts)
    for one, two in zip(
        parts_of(sums(measured, start)), parts_of(together), strict=True
    ):
        np.testing.assert_allclose(two, one, rtol=1e-10)


def test_without_errors_it_is_a_gaussian_mixture():
    measured, start, _ = problem(3, n=400, k=3)
    exact = measured._replace(errors=np.zeros_like(measured.errors))
    last = rounds(exact, start, Prior(0.0, np.ones(3)), 300)[-1]
    theirs = GaussianMixture(
        3,
        tol=0.0,
        max_iter=300,
        reg_covar=0.0,
        weights_init=start.weights,
        means_init=start.means,
        precisions_init=np.linalg.inv(start.covariances),
    )
    with pytest.warns(UserWarning, match="converge"):
        theirs.fit(exact.values.T)
    np.testing.assert_allclose(last.components.means, theirs.means_, atol=1e-6)
    np.testing.assert_allclose(
        last.components.covariances, theirs.covariances_, atol=1e-6
    )
    assert last.objective == pytest.approx(theirs.score(exact.values.T), abs=1e-9)


def test_equal_errors_are_taken_off():
    rng = np.random.default_rng(0)
    w = rng.multivariate_normal([1.0, 2.0], [[3.0, 1.0], [1.0, 2.0]], size=500)
    S = np.array([[0.5, 0.2], [0.2, 0.8]])
    measured = Measured(w.T.copy(), np.tile(S[:, :, None], 500))
    start = Components(np.ones(1), np.zeros((1, 2)), np.eye(2)[None])
    last = rounds(measured, start, Prior(0.0, np.ones(2)), 2000)[-1]
    np.testing.assert_allclose(last.components.means[0], w.mean(axis=0), atol=1e-8)
    expected = np.cov(w.T, bias=True) - S
    np.testing.assert_allclose(last.components.covariances[0], expected, atol=1e-6)


def test_values_without_error_are_known():
    measured, components, _ = problem(1, n=20)
    errors = measured.errors.copy()
    errors[1] = 0.0
    errors[:, :5] = 0.0
    found = belief(measured._replace(errors=errors), components)
    exact = np.broadcast_to(measured.values[1][:, None], (20, 2))
    np.testing.assert_array_equal(found.centers[:, :, 1], exact)
    assert (found.covariances[:, :, 1] == 0.0).all()
    assert (found.covariances[:5] == 0.0).all()
    for c in range(2):
        np.testing.assert_array_equal(found.centers[:5, c], measured.values[:, :5].T)


@given(st.integers(0, 999), st.integers(1, 8), st.integers(1, 5))
def test_roots_of_many_matrices(seed, d, n):
    A = np.random.default_rng(seed).normal(size=(n, d, d))
    A = A @ np.swapaxes(A, 1, 2) + 0.1 * np.eye(d)
    roots, logs = inverse_roots(np.moveaxis(A, 0, -1).copy())
    for i in range(n):
        own = roots[..., i]
        np.testing.assert_allclose(own.T @ own @ A[i], np.eye(d), atol=1e-7)
        assert (np.triu(own, 1) == 0).all()
        assert logs[i] == pytest.approx(np.linalg.slogdet(A[i])[1], abs=1e-8)


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_products_out_of_range(size):
    factors = np.full((6, 3), size)
    factors[:, 1], factors[:, 2] = 1.0, 1.0 / size
    expected = 6 * np.log(size) * np.array([1.0, 0.0, -1.0])
    np.testing.assert_allclose(log_products(factors), expected)


@pytest.mark.parametrize("kind", ["full", "diag", "tied"])
@pytest.mark.parametrize("correlated", [False, True])
def test_errors_that_are_alike_are_errors(kind, correlated):
    """They are stored once, and what follows is the same but for rounding."""
    rng = np.random.default_rng(3)
    values, d = rng.normal(size=(3, 40)), 3
    root = rng.normal(size=(d, d))
    errors = root @ root.T if correlated else rng.uniform(0.1, 1.0, size=d)
    once = Measured(values, same_for_all(errors[..., None], 40))
    each = Measured(values, once.errors.copy())
    assert once.alike
    assert not each.alike
    components = problem(0, d=d)[1].as_kind(kind)
    for function in (sums, belief, log_densities):
        both = function(once, components), function(each, components)
        for one, two in zip(*map(parts_of, both), strict=True):
            np.testing.assert_allclose(one, two, rtol=1e-9, atol=1e-9)
    for measured in (once, each):
        traveled = pickle.loads(pickle.dumps(measured))
        assert traveled.alike == measured.alike
        for one, two in zip(traveled, measured, strict=True):
            np.testing.assert_array_equal(one, two)
    few = some_of(once, 10, seed=0)
    assert few.alike
    np.testing.assert_array_equal(few.values, some_of(each, 10, seed=0).values)


@examples(40)
@given(
    st.integers(0, 999),
    st.sampled_from([0.0, 1.0, 1e6]),
    st.sampled_from([1e-3, 1.0]),
    st.sampled_from([0.0, 1e4, 1e9]),
    st.booleans(),
)
def test_alike_errors_by_products_of_matrices(seed, far, width, outlying, noise):
    """Also where clusters are narrow, and far from zero or from one of them."""
    rng = np.random.default_rng(seed)
    n, d, k = 30, 3, 4
    places = far + rng.normal(size=(k, d))
    places[-1] += outlying
    values = places[rng.integers(k, size=n)] + width * rng.normal(size=(n, d))
    once = Measured(values.T.copy(), same_for_all(np.full((d, 1), width**2), n))
    each = Measured(once.values, once.errors.copy())
    weights = rng.dirichlet(np.ones(k)) * (0.9 if noise else 1.0)
    ranges = np.full(d, 9.0) if noise else None
    variances = width**2 * rng.uniform(0.5, 2.0, size=(k, d))
    components = Components(weights, places, variances, ranges)
    for function in (sums, log_densities):
        both = function(once, components), function(each, components)
        for one, two in zip(*map(parts_of, both), strict=True):
            scale = np.abs(two).max()
            np.testing.assert_allclose(one, two, rtol=1e-6, atol=1e-7 * scale)


@pytest.mark.parametrize("kind", ["full", "diag"])
def test_criteria_are_those_of_scikit_learn(kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)) + 3.0 * rng.integers(2, size=(200, 1))
    exact = Measured(X.T.copy(), np.zeros((3, 200)), None)
    found = fitted(
        exact,
        Search(numbers=[2], covariances=[kind], seed=0, effort=Effort(n_init=2)),
    )
    peer = GaussianMixture(2, covariance_type=kind)
    peer.weights_, peer.means_, covariances = found.components[:3]
    peer.precisions_cholesky_ = (
        np.swapaxes(np.linalg.inv(np.linalg.cholesky(covariances)), 1, 2)
        if kind == "full"
        else 1.0 / np.sqrt(covariances)
    )
    np.testing.assert_allclose(found.bic, peer.bic(X))
    np.testing.assert_allclose(found.aic, peer.aic(X))


def test_aic_asks_for_more_components():
    rng = np.random.default_rng(0)
    X = rng.standard_t(4, size=(300, 2))
    some = Measured(X.T.copy(), np.full((2, 300), 0.01), None)
    numbers = [
        fitted(
            some,
            Search(
                numbers=range(1, 9),
                covariances=("diag",),
                seed=0,
                effort=Effort(n_init=2, tol=1e-4, max_iter=200),
                criterion=name,
            ),
        ).components.n_components
        for name in ("bic", "aic")
    ]
    assert numbers[0] < numbers[1]


@pytest.mark.parametrize("correlated", [False, True])
def test_what_is_missing_has_no_value_and_no_error(correlated):
    rng = np.random.default_rng(0)
    values, gaps = rng.normal(size=(6, 3)), rng.random((6, 3)) < 0.3
    roots = rng.normal(size=(6, 3, 3))
    cov = roots @ np.swapaxes(roots, 1, 2)
    errors = {"cov": cov} if correlated else {"std": np.sqrt(np.einsum("nii->ni", cov))}
    table = np.where(gaps, np.nan, values)
    found = measured_of(ic.from_gaussian(table, **errors, missing="infinite"))
    np.testing.assert_array_equal(found.known, ~gaps.T)
    np.testing.assert_array_equal(found.values, np.where(gaps, 0.0, values).T)
    both = ~gaps[:, :, None] & ~gaps[:, None]
    expected = np.where(both, cov, 0.0)
    each = np.einsum("nii->in", expected)
    expected = np.moveaxis(expected, 0, -1) if correlated else each
    np.testing.assert_allclose(found.errors, expected)
