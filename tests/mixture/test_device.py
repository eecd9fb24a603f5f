"""On other devices sums and densities are those of the CPU, but for rounding."""

import numpy as np
import pytest

import incerta as ic
from incerta.mixture import model, pieces
from incerta.mixture.expectation import log_densities, sums
from incerta.mixture.model import Components, Measured, same_for_all

N, D, K = 20, 3, 2


def errors_like(kind):
    rng = np.random.default_rng(1)
    roots = rng.normal(size=(D, D, N))
    errors = {
        "variances": rng.uniform(0.1, 1.0, size=(D, N)),
        "covariances": np.einsum("iln,jln->ijn", roots, roots),
    }
    alike = {
        f"{name}, alike": same_for_all(x[..., :1], N) for name, x in errors.items()
    }
    return {**errors, **alike}[kind]


@pytest.mark.parametrize("covariance", ["full", "diag"])
@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize(
    "kind", ["variances", "covariances", "variances, alike", "covariances, alike"]
)
def test_sums_and_densities(kind, covariance, noise, where, monkeypatch):
    monkeypatch.setattr(model, "DEVICE_BYTES", 2000)  # in several blocks
    rng = np.random.default_rng(0)
    roots = rng.normal(size=(K, D, D))
    covariances = roots @ np.swapaxes(roots, 1, 2) + np.eye(D)
    components = Components(
        np.array([0.5, 0.3]),
        rng.normal(size=(K, D)),
        covariances,
        np.full(D, 5.0) if noise else None,
    ).as_kind(covariance)
    values, errors = rng.normal(size=(D, N)), errors_like(kind)
    known = (rng.uniform(size=(D, N)) < 0.8).astype(float)
    given = [Measured(values, errors)]
    if not given[0].alike:
        cut = errors * known
        cut = cut * known[:, None] if errors.ndim == 3 else cut
        given.append(Measured(values * known, cut, known))
    if kind == "covariances":
        through = rng.normal(size=(D, D + 1, N)) * known[:, None]
        one = given[1]._replace(projection=through)
        compare(one, wider(components), where)
    for here in given:
        compare(here, components, where)


def wider(components):
    """Components in one feature more."""
    means = np.pad(components.means, [(0, 0), (0, 1)])
    own = components.covariances
    if own.ndim == 2:
        covariances = np.pad(own, [(0, 0), (0, 1)], constant_values=0.7)
    else:
        covariances = np.pad(own, [(0, 0), (0, 1), (0, 1)])
        covariances[:, -1, -1] = 0.7
    ranges = None if components.ranges is None else np.full(D + 1, 5.0)
    return Components(components.weights, means, covariances, ranges)


def compare(here, components, where):
    there = here.on(where)
    assert there.alike == here.alike
    pairs = zip(
        [*vars(sums(here, components)).values(), *log_densities(here, components)],
        [*vars(sums(there, components)).values(), *log_densities(there, components)],
        strict=True,
    )
    for one, other in pairs:
        np.testing.assert_allclose(other, one, rtol=1e-10, atol=1e-10)


def test_products_that_are_out_of_range(where):
    small = Measured(np.zeros((6, 3)), np.full((6, 3), 1e-200))
    components = Components(np.ones(1), np.zeros((1, 6)), np.full((1, 6), 1e-200))
    found = log_densities(small.on(where), components).totals
    np.testing.assert_allclose(found, log_densities(small, components).totals)


def test_error_mixture(where, monkeypatch):
    monkeypatch.setattr(pieces, "MANY_OBJECTS", 60)
    how = {"covariance_type": "diag", "n_init": 2, "random_state": 0}
    for n in (50, 90):
        data, _ = ic.datasets.make_uncertain_blobs(n, 2, 3, random_state=0)
        one = ic.ErrorMixture(3, **how).fit(data)
        other = ic.ErrorMixture(3, device=where, **how).fit(data)
        np.testing.assert_array_equal(other.labels_, one.labels_)
        np.testing.assert_allclose(other.membership_, one.membership_, atol=1e-6)
        np.testing.assert_allclose(other.score_samples(data), one.score_samples(data))
        for fitted in (one, other):
            fitted.partial_fit(data[:20]).partial_fit(data[20:40])
        np.testing.assert_allclose(other.means_, one.means_, atol=1e-6)
