"""Parts of the mixture, each against its formula."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

import incerta as ic
from incerta import settings
from incerta.mixture.expectation import log_densities, sums, with_clusters_known
from incerta.mixture.factors import inverse_roots
from incerta.mixture.fitting import n_parameters
from incerta.mixture.maximization import (
    Moments,
    Prior,
    Running,
    blended,
    moments,
    with_prior,
)
from incerta.mixture.merging import (
    STEPS,
    _lowest_between,
    _open_parts,
    _shares_of_draws,
    merged,
)
from incerta.mixture.model import Components, Measured, same_for_all
from tests.mixture import oracle
from tests.mixture.test_em import problem, rounds


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("weight", [0.0, 2.0])
def test_a_round_of_variances(missing, weight):
    """That of the paper for covariances without correlation, and their diagonals."""
    measured, start, (w, S, known) = problem(3, missing=missing)
    variances = np.einsum("kii->ki", start.covariances)
    start = start._replace(covariances=variances)
    full = variances[:, :, None] * np.eye(3)
    prior = Prior(weight, np.arange(1.0, 4.0))
    logs, weights, means, spreads = oracle.em_round(
        w, S, known, start.weights, start.means, full, *prior
    )
    found = sums(measured, start)
    assert found.log_likelihood == pytest.approx(logs.sum())
    after = with_prior(moments(start, found), start, prior)
    np.testing.assert_allclose(after.weights, weights)
    np.testing.assert_allclose(after.means, means)
    np.testing.assert_allclose(after.covariances, np.einsum("kii->ki", spreads))


def test_a_round_of_one_covariance_for_all():
    measured, start, (w, S, known) = problem(5, k=3)
    tied = start._replace(covariances=start.covariances[:1])
    same = np.repeat(start.covariances[:1], 3, axis=0)
    prior = Prior(2.0, np.arange(1.0, 4.0))
    _, weights, means, each = oracle.em_round(
        w, S, known, start.weights, start.means, same, 0.0, prior.variances
    )
    after = with_prior(moments(tied, sums(measured, tied)), tied, prior)
    squares = np.einsum("k,kij->ij", weights * len(w), each)
    expected = (squares + 2.0 * np.diag(prior.variances)) / (len(w) + 2.0)
    np.testing.assert_allclose(after.means, means)
    np.testing.assert_allclose(after.covariances, [expected])


@pytest.mark.parametrize("kind", ["full", "diag", "tied"])
def test_errors_that_are_alike_and_correlated(kind):
    """The sums of all objects are those of each, added up."""
    measured, start, _ = problem(1, n=12, correlated=True)
    start = start.as_kind(kind)
    errors = same_for_all(measured.errors[..., :1], 12)
    together = sums(Measured(measured.values, errors), start)
    alone = [
        sums(Measured(measured.values[:, [i]], errors[..., [i]].copy()), start)
        for i in range(12)
    ]
    for name, whole in vars(together).items():
        parts = sum(getattr(each, name) for each in alone)
        np.testing.assert_allclose(whole, parts, rtol=1e-8, atol=1e-10)


def test_noise_is_uniform_over_what_is_known():
    measured, start, (w, S, known) = problem(2, n=8, missing=0.4)
    ranges = np.array([2.0, 5.0, 11.0])
    mixture = start._replace(weights=0.7 * start.weights, ranges=ranges)
    found = log_densities(measured, mixture)
    for i in range(8):
        seen = np.flatnonzero(known[i])
        parts = [0.3 / ranges[seen].prod()]
        for share, mean, cov in zip(0.7 * start.weights, *start[1:3], strict=True):
            own = (cov + S[i])[np.ix_(seen, seen)]
            law = multivariate_normal(mean[seen], own) if len(seen) else None
            parts.insert(-1, share * (law.pdf(w[i, seen]) if law else 1.0))
        np.testing.assert_allclose(found.totals[i], np.log(sum(parts)))
        np.testing.assert_allclose(np.exp(found.shares[:, i]), parts / np.sum(parts))


def test_the_prior_is_an_inverse_wishart():
    prior = Prior(3.0, np.array([1.0, 4.0]))
    cov = np.array([[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.0, 3.0]]])
    expected = sum(
        -1.5 * (np.log(np.linalg.det(V)) + np.trace(np.linalg.inv(V) @ np.diag([1, 4])))
        for V in cov
    )
    assert prior.log_density(cov) == pytest.approx(expected)
    alone = np.einsum("kii->ki", cov)
    parts = -1.5 * (np.log(alone) + prior.variances / alone)
    assert prior.log_density(alone) == pytest.approx(parts.sum())


def test_steps_ahead_that_are_worse_are_not_taken():
    """A guess of nonsense costs rounds, and nothing else."""
    measured, start, _ = problem(0, n=40)
    prior = Prior(0.1, np.ones(3))
    good = rounds(measured, start, prior, 12)
    with pytest.MonkeyPatch.context() as patch:
        worse = start._replace(means=start.means + 50.0)
        name = "incerta.mixture.maximization.ahead"
        patch.setattr(name, lambda *given: (worse, 4.0))
        bad = rounds(measured, start, prior, 12)
    for found in (good, bad):
        objective = [state.objective for state in found]
        assert len(found) == 12
        assert (np.diff(objective) >= -1e-9).all()


def test_numbers_that_are_free():
    mixture = Components(np.full(3, 1 / 3), np.zeros((3, 4)), np.zeros((3, 4, 4)))
    free = {"full": 3 * 10, "diag": 3 * 4, "tied": 10}
    for kind, own in free.items():
        assert n_parameters(mixture, kind) == own + 3 * 4 + 2
        noisy = mixture._replace(ranges=np.ones(4))
        assert n_parameters(noisy, kind) == own + 3 * 4 + 3


@pytest.mark.parametrize("by_feature", [True, False])
def test_moments_of_pieces_are_blended_into_those_of_all(by_feature):
    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(90, 2)) + 1.0, rng.integers(2, size=90)

    def moments_of(part):
        each = [x[part][labels[part] == c] for c in range(2)]
        counts = np.array([float(len(own)) for own in each])
        spreads = np.array([np.cov(own.T, bias=True) for own in each])
        if by_feature:
            spreads = np.einsum("kii->ki", spreads)
        means = np.array([own.mean(axis=0) for own in each])
        return Moments(counts, means, spreads, float(counts.sum()))

    first, second = slice(0, 60), slice(60, 90)
    found = blended(moments_of(first), moments_of(second), 30 / 90)
    for one, two in zip(found, moments_of(slice(0, 90)), strict=True):
        np.testing.assert_allclose(one, two)


def test_a_later_piece_counts_for_more_than_its_share():
    """A share p of the objects counts for p**0.6."""
    start = Components(np.ones(1), np.zeros((1, 1)), np.ones((1, 1)))
    before = Moments(np.array([30.0]), np.array([[5.0]]), np.array([[1.0]]), 30.0)
    values = np.array([[1.0, 2.0, 4.5, 0.5, 2.0, 2.0, 1.0, 3.0, 2.0, 2.0]])
    piece = sums(Measured(values, np.zeros((1, 10)) + 0.0), start)
    after = Running(before, Prior(0.0, np.ones(1))).and_then(start, piece)
    share = (10 / 40) ** 0.6
    np.testing.assert_allclose(after.moments.means, 5.0 + share * (2.0 - 5.0))
    assert after.moments.n_objects == 40.0


def test_clusters_of_merged_components_have_no_holes_in_their_numbers():
    places = np.array([0.0, 20.0, 0.5, 40.0, 20.5, 60.0])[:, None]
    mixture = Components(np.full(6, 1 / 6), places, np.ones((6, 1)))
    np.testing.assert_array_equal(merged(mixture, 0), [0, 1, 0, 2, 1, 3])


def test_known_clusters_go_with_their_objects():
    """Whatever the order of the rows; of several components, the most probable."""
    places = np.array([0.0, 10.0, 20.0])[:, None]
    mixture = Components(np.full(3, 1 / 3), places, np.ones((3, 1)))
    clusters = np.array([0, 0, 1])
    values, ids = np.array([[9.0], [1.0], [19.0], [1.0]]), ["d", "b", "a", "c"]
    data = ic.from_gaussian(values, std=0.1, ids=ids)
    known = np.array([0, 0, 1, -1])
    found = with_clusters_known(data, known, mixture, clusters)
    np.testing.assert_array_equal(found.values.ravel(), [19.0, 1.0, 1.0, 9.0])
    np.testing.assert_array_equal(found.labels, [2, 0, -1, 1])
    assert norm.pdf(9.0, 10.0) > norm.pdf(9.0, 0.0)  # so that 9 is of the second


def test_components_without_a_valley_are_joined():
    """Equal Gaussians at 3 and a wide one beside a narrow one: valley or none."""
    two = Components(np.full(2, 0.5), np.array([[0.0], [3.2]]), np.ones((2, 1)))
    tail = Components(
        np.array([0.7, 0.3]), np.array([[0.0], [2.4]]), np.array([[0.25], [2.0]])
    )
    for mixture, n_clusters in ((two, 2), (tail, 1)):
        share = np.linspace(0.0, 1.0, STEPS)[:, None]
        places = share * mixture.means[1]
        spread = np.sqrt(mixture.covariances[:, 0])
        density = norm.pdf(places, mixture.means[:, 0], spread) @ mixture.weights
        expected = density.min() / min(density[0], density[-1])
        lowest = _lowest_between(mixture)
        np.testing.assert_allclose(lowest, [[1.0, expected], [expected, 1.0]])
        assert (expected >= settings.NO_VALLEY) == (n_clusters == 1)
        open_part = _open_parts(_shares_of_draws(mixture, 0))[0, 1]
        assert settings.SOME_OPEN < open_part < settings.MOST_OPEN
        assert merged(mixture, 0).max() + 1 == n_clusters


def test_singular_matrices_far_larger_than_what_is_added():
    """A pivot that rounding has made negative is rounding: its root is no NaN."""
    vector = np.random.default_rng(0).normal(size=(2, 500))
    matrices = 1e30 * vector[:, None] * vector + np.eye(2)[:, :, None]
    roots, logs = inverse_roots(matrices)
    assert np.isfinite(roots).all()
    sizes = np.square(vector).sum(axis=0)
    assert (logs <= np.log(1e30 * sizes) + np.log(1e30 * sizes * 1e-15)).all()
    usual, _ = inverse_roots(np.moveaxis(_spread_out(500), 0, -1))
    exact = np.linalg.inv(np.linalg.cholesky(_spread_out(500)))
    np.testing.assert_allclose(np.moveaxis(usual, -1, 0), exact, rtol=1e-6, atol=1e-9)


def _spread_out(n):
    """Matrices whose last pivot is 1e-8 of the diagonal: not rounding."""
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(n, 3, 3)))[0]
    return turn * [1.0, 1e-3, 1e-8] @ np.swapaxes(turn, 1, 2)
