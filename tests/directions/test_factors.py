"""Places are generalized least squares, and their errors what they are said to be."""

import numpy as np
import pytest

import incerta as ic
from incerta.directions.factors import PRIOR, Factors, Table, places_of
from tests.directions.tables import factor_table, with_errors
from tests.stored import changed, refused


def a_model(seed=0, d=12, q=2):
    """Factors in standard form: own variation makes a deviation of 1."""
    rng = np.random.default_rng(seed)
    own = rng.uniform(0.5, 2.0, size=d)
    turned = np.linalg.qr(rng.normal(size=(d, q)))[0]
    loadings = np.sqrt(own)[:, None] * turned
    variances = np.array([9.0, 4.0])[:q]
    true = np.square(loadings) @ variances + own
    return Factors(
        center=rng.normal(size=d),
        true=true,
        loadings=loadings,
        own=own,
        variances=variances,
        left=np.ones(d),
    )


def measured(factors, seed, n=30, gaps=0.25):
    rng = np.random.default_rng([seed, 1])
    d = len(factors.own)
    variances = rng.uniform(0.0, 3.0, size=(d, n))
    known = rng.random((d, n)) >= gaps
    values = factors.center[:, None] + 2.0 * rng.normal(size=(d, n))
    return Table(values * known, variances * known, known)


@pytest.mark.parametrize("correlated", [False, True])
def test_places_by_matrices_object_by_object(correlated):
    factors = a_model()
    table = measured(factors, 0)
    d, n = table.values.shape
    rng = np.random.default_rng(2)
    roots = 0.3 * rng.normal(size=(n, d, d))
    together = roots @ roots.transpose(0, 2, 1)
    together *= table.known.T[:, :, None] & table.known.T[:, None]
    if correlated:
        table = table._replace(variances=np.einsum("njj->jn", together).copy())
    found = places_of(table, factors, together if correlated else None)
    prior = np.diag(PRIOR / factors.variances)
    best = np.linalg.inv(np.eye(2) + prior)
    for i in range(n):
        there = table.known[:, i]
        L, own = factors.loadings[there], factors.own[there]
        S = np.diag(table.variances[there, i])
        weights = np.linalg.inv(np.diag(own) + S)
        inverse = np.linalg.inv(L.T @ weights @ L + prior)
        gap = table.values[there, i] - factors.center[there]
        assert np.allclose(found.values[i], inverse @ L.T @ weights @ gap)
        errors = inverse - best
        if correlated:
            other = together[i][np.ix_(there, there)] - S
            errors += inverse @ L.T @ weights @ other @ weights @ L @ inverse
        assert np.allclose(found.errors[i], errors)


def test_errors_are_what_errors_and_gaps_add():
    """Gauss and Markov, by simulation: covariance of place minus the exact place."""
    factors = a_model(d=20)
    d, n = 20, 40_000
    rng = np.random.default_rng(0)
    variances = rng.uniform(0.1, 4.0, size=d)
    known = rng.random(d) > 0.3
    own = np.sqrt(factors.own)[:, None] * rng.normal(size=(d, n))
    exact = own + factors.center[:, None]  # the true places are all 0
    values = exact + np.sqrt(variances)[:, None] * rng.normal(size=(d, n))
    seen = np.broadcast_to(known[:, None], (d, n))
    table = Table(values * seen, variances[:, None] * seen, seen)
    found = places_of(table, factors)
    best = factors.directly @ own
    excess = np.cov((found.values - best.T).T)
    assert np.allclose(excess, found.errors[0], atol=0.03 * np.trace(excess))


def test_an_object_without_values_is_in_the_middle_and_says_so():
    factors = a_model()
    table = measured(factors, 0, n=3)
    nothing = Table(*(0 * part for part in table[:2]), table.known & False)
    found = places_of(nothing, factors)
    assert np.array_equal(found.values, np.zeros((3, 2)))
    large = factors.variances / PRIOR
    assert np.allclose(np.diag(found.errors[0]), large, rtol=0.01)


def test_the_model_is_recovered():
    places, loadings, values, std = factor_table(1, n=600, level=0.15)
    model = ic.Directions().fit(with_errors(values, std))
    assert model.n_directions_ == 2
    base = np.linalg.qr(loadings)[0]
    found = np.linalg.qr(model.loadings_)[0]
    assert np.linalg.svd(base.T @ found)[1].min() > 0.98
    # At least a fifth of the true variance is taken to be a feature's own.
    assert np.median(model.noise_) == pytest.approx(0.6, abs=0.1)
    there = model.transform(with_errors(values, std)).mean()
    again = there @ np.linalg.lstsq(there, places, rcond=None)[0]
    assert np.corrcoef(again[:, 0], places[:, 0])[0, 1] > 0.96
    total = np.square(loadings).sum(axis=1) / (np.square(loadings).sum(axis=1) + 0.25)
    assert model.explained_.sum() == pytest.approx(total.mean(), abs=0.07)


def test_directions_are_in_order_and_have_the_sign_of_their_larger_loadings():
    _, _, values, std = factor_table(2, q=3)
    model = ic.Directions().fit(with_errors(values, std))
    factors = model._found.factors
    assert (np.diff(factors.variances) < 0).all()
    assert (((factors.loadings / model.noise_[:, None]) ** 3).sum(axis=0) > 0).all()
    base = factors.loadings / model.noise_[:, None]
    assert np.allclose(base.T @ base, np.eye(3), atol=1e-8)


def test_stored_factors_are_those_of_a_table():
    _, _, values, std = factor_table(0)
    found = ic.Directions().fit(with_errors(values, std))._found
    for part in ("own", "true", "variances", "left"):
        refused(found.factors, **{part: 0.0 * getattr(found.factors, part)})
    d = len(found.copy_of)
    changed(found, factors=None, near_to=np.full(d, d - 1))
    refused(found, factors="none")
    refused(found, copy_of=found.copy_of + 1)
    refused(found, near_to=np.full(d, d))
    refused(found, near_to=np.full(d, -1))
