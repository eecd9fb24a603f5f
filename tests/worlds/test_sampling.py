"""Worlds have the distribution they should: mean, covariance, quantiles.

Seeds are fixed. Under a right sampler a fresh seed would fail some assertion of this
file with a probability of about 1e-4: each constructor makes at most some 30
comparisons, each at a false-alarm rate of `ALPHA`.
"""

import numpy as np
import pytest
from scipy import stats

import incerta as ic

N_WORLDS = 20_000
ALPHA = 3e-7
Z = stats.norm.isf(ALPHA / 2)

rng = np.random.default_rng(20191)
MEAN = rng.normal(scale=3.0, size=(3, 2))
STD = rng.uniform(0.2, 2.0, size=(3, 2))
ROOT = rng.normal(size=(3, 2, 2))
COV = ROOT @ np.swapaxes(ROOT, 1, 2)
VALUES = rng.normal(size=(9, 2))
OBJECTS = np.array([0, 1, 2, 1, 0, 1, 2, 2, 2])
WEIGHTS = rng.uniform(0.1, 1.0, size=9)
KDES = [stats.gaussian_kde(rng.normal(size=(2, 8)) + m[:, None]) for m in MEAN]
KDE_1D = stats.gaussian_kde(rng.normal(size=6), weights=[1, 2, 3, 4, 5, 6])
CUSTOM = stats.make_distribution(stats.gamma)


class OnlyDraws:
    """A univariate distribution without an inverse."""

    def rvs(self, random_state):
        return random_state.gamma(3.0)

    def mean(self):
        return 3.0

    def var(self):
        return 3.0


def cdfs(cells):
    """One CDF per object and feature, from frozen distributions."""
    return [[cell.cdf for cell in row] for row in cells]


def normals(mean, std):
    return cdfs([[stats.norm(*c) for c in zip(m, s)] for m, s in zip(mean, std)])


def kde_marginal(kde, j):
    bandwidth = np.sqrt(kde.covariance[j, j])
    return lambda x: sum(
        w * stats.norm.cdf(x, p, bandwidth)
        for p, w in zip(kde.dataset[j], kde.weights, strict=True)
    )


CELLS = [
    [stats.norm(0, 2), stats.gamma(2.5, scale=0.5)],
    [stats.norm(5, 1), stats.gamma(1.5, loc=3)],
    [stats.expon(), stats.beta(2, 3)],
]
NEW = [
    [stats.Normal(mu=1.0, sigma=2.0), 3 * CUSTOM(a=2.0) + 1],
    [stats.Normal(mu=-1.0, sigma=0.5), stats.Uniform(a=1.0, b=4.0)],
    [KDE_1D, OnlyDraws()],
]
NEW_CDFS = [
    [NEW[0][0].cdf, NEW[0][1].cdf],
    [NEW[1][0].cdf, NEW[1][1].cdf],
    [kde_marginal(KDE_1D, 0), stats.gamma(3.0).cdf],
]
T = [stats.multivariate_t(m, np.diag(s), df=12) for m, s in zip(MEAN, STD)]

CONTINUOUS = {
    "gaussian, diagonal": (ic.from_gaussian(MEAN, std=STD), normals(MEAN, STD)),
    "gaussian, full": (
        ic.from_gaussian(MEAN, cov=COV),
        normals(MEAN, np.sqrt(np.einsum("nii->ni", COV))),
    ),
    "interval": (
        ic.from_interval(MEAN, MEAN + STD),
        cdfs([[stats.uniform(*c) for c in zip(m, s)] for m, s in zip(MEAN, STD)]),
    ),
    "frozen": (ic.from_distributions(CELLS), cdfs(CELLS)),
    "new objects, kde, draws only": (ic.from_distributions(NEW), NEW_CDFS),
    "multivariate normal": (
        ic.from_distributions(
            [stats.multivariate_normal(m, c) for m, c in zip(MEAN, COV)]
        ),
        normals(MEAN, np.sqrt(np.einsum("nii->ni", COV))),
    ),
    "multivariate kde": (
        ic.from_distributions(KDES),
        [[kde_marginal(kde, j) for j in range(2)] for kde in KDES],
    ),
    "multivariate t": (
        ic.from_distributions(T),
        cdfs(
            [
                [stats.t(12, m[j], np.sqrt(s[j])) for j in range(2)]
                for m, s in zip(MEAN, STD)
            ]
        ),
    ),
}
DISCRETE = {
    "samples": ic.from_samples(VALUES, OBJECTS),
    "weighted samples": ic.from_samples(VALUES, OBJECTS, WEIGHTS),
    "array": ic.from_array(VALUES.reshape(3, 3, 2)),
}
ALL = {name: data for name, (data, _) in CONTINUOUS.items()} | DISCRETE


@pytest.fixture(scope="module")
def drawn():
    """Worlds of each case, drawn once."""
    kept = {}

    def draw(name):
        if name not in kept:
            # rvs is called once per object and world: fewer worlds do.
            n_worlds = 2_000 if name == "multivariate t" else N_WORLDS
            kept[name] = ALL[name].worlds(n_worlds, random_state=7).stack()
        return kept[name]

    return draw


@pytest.mark.parametrize("name", ALL)
def test_mean(name, drawn):
    worlds, data = drawn(name), ALL[name]
    error = np.sqrt(data.variance() / len(worlds))
    assert (np.abs(worlds.mean(axis=0) - data.mean()) < Z * error).all()


@pytest.mark.parametrize("name", ALL)
def test_covariance(name, drawn):
    worlds, data = drawn(name), ALL[name]
    centered = worlds - data.mean()
    products = centered[..., :, None] * centered[..., None, :]
    error = products.std(axis=0) / np.sqrt(len(worlds))
    off = np.abs(products.mean(axis=0) - data.covariance())
    assert (off < Z * error + 1e-12).all()


@pytest.mark.parametrize("name", ALL)
def test_objects_are_independent(name, drawn):
    worlds = drawn(name)
    first, second = worlds[:, 0, 0], worlds[:, 1, 0]
    assert abs(np.corrcoef(first, second)[0, 1]) < Z / np.sqrt(len(worlds))


@pytest.mark.parametrize("name", CONTINUOUS)
def test_quantiles(name, drawn):
    worlds, cdf = drawn(name), CONTINUOUS[name][1]
    for i in range(3):
        for j in range(2):
            p = stats.kstest(np.asarray(cdf[i][j](worlds[:, i, j])), "uniform").pvalue
            assert p > ALPHA, (i, j)


@pytest.mark.parametrize("name", DISCRETE)
def test_frequencies(name, drawn):
    worlds, law = drawn(name), DISCRETE[name].law
    for i in range(3):
        rows = slice(law.starts[i], law.starts[i + 1])
        values = law.values[rows]
        hits = (worlds[:, i, None, :] == values).all(axis=2)
        assert hits.sum(axis=1).min() == 1  # only listed values, each one known
        n = len(values)
        share = np.full(n, 1 / n) if law.weights is None else law.weights[rows]
        assert stats.chisquare(hits.sum(axis=0), share * len(worlds)).pvalue > ALPHA


def test_full_covariance_keeps_its_correlation(drawn):
    worlds = drawn("gaussian, full")
    for i, cov in enumerate(COV):
        wanted = cov[0, 1] / np.sqrt(cov[0, 0] * cov[1, 1])
        found = np.corrcoef(worlds[:, i].T)[0, 1]
        # Fisher's z has standard error 1/sqrt(n - 3).
        assert abs(np.arctanh(found) - np.arctanh(wanted)) < Z / np.sqrt(N_WORLDS - 3)


def test_joint_worlds_come_back_identical():
    draws = np.random.default_rng(3).normal(size=(20, 5, 2))
    worlds = ic.from_worlds(draws).worlds(20, random_state=1)
    np.testing.assert_array_equal(worlds.stack(), draws)
    np.testing.assert_array_equal(worlds[17], draws[17])
