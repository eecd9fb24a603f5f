"""Correlation columns, and that the default path uses the whole covariance."""

from itertools import combinations

import numpy as np
import pytest

import incerta as ic
from incerta.exceptions import DataError, IncertaWarning, MissingValueError
from incerta.mixture.deconvolver import believed
from incerta.mixture.model import measured

NAMES = ["ra", "dec", "pm"]


def stars(n=6, seed=0):
    """Values with errors and correlations, as Gaia's table has them."""
    rng = np.random.default_rng(seed)
    table = {"id": [f"s{i}" for i in range(n)]}
    for name in NAMES:
        table[name] = rng.normal(size=n) * 3.0
        table[f"{name}_error"] = rng.uniform(0.2, 1.0, size=n)
    roots = rng.normal(size=(n, 3, 5))
    cov = roots @ np.swapaxes(roots, 1, 2)
    size = np.sqrt(np.einsum("nii->ni", cov))
    corr = cov / size[:, :, None] / size[:, None]
    for i, j in combinations(range(3), 2):
        table[f"{NAMES[i]}_{NAMES[j]}_corr"] = corr[:, i, j]
    return table, corr


def read(table, **said):
    told = {"id": "id", "values": NAMES, "errors": "{}_error", "corr": "{}_{}_corr"}
    return ic.from_frame(table, **(told | said))


def by_loops(table, corr):
    n = len(table["id"])
    cov = np.empty((n, 3, 3))
    for row in range(n):
        for i in range(3):
            for j in range(3):
                si, sj = (table[f"{NAMES[k]}_error"][row] for k in (i, j))
                cov[row, i, j] = si * sj * corr[row, i, j]
    return cov


def test_covariances():
    table, corr = stars()
    data = read(table)
    assert (data.kind, data.meaning) == ("correlated gaussian", "error")
    np.testing.assert_allclose(data.covariance(), by_loops(table, corr), atol=1e-12)
    # The order of the values does not matter, nor that of the names in a column.
    turned = read(table, values=NAMES[::-1])
    np.testing.assert_allclose(turned.covariance(), data.covariance()[:, ::-1, ::-1])


def test_pairs_without_a_column_are_not_correlated():
    table, corr = stars()
    del table["ra_pm_corr"], table["dec_pm_corr"]
    corr[:, 2, :2] = corr[:, :2, 2] = 0.0
    data = read(table)
    np.testing.assert_allclose(data.covariance(), by_loops(table, corr), atol=1e-12)


def test_other_kinds_and_logarithms():
    table, corr = stars()
    logs = {**table}
    for name in NAMES:
        logs[name] = np.exp(table[name])
        # Errors in percent are those of the natural logarithm.
        logs[f"{name}_error"] = 100 * table[f"{name}_error"]
    data = read(logs, kind="rel%", log=True)
    expected = by_loops(table, corr) / np.log(10) ** 2
    np.testing.assert_allclose(data.covariance(), expected, atol=1e-12)
    np.testing.assert_allclose(data.mean()[:, 0], table["ra"] / np.log(10))


@pytest.mark.parametrize(
    ("change", "said", "message"),
    [
        (
            {"ra_dec_corr": 1.5},
            {},
            "'ra_dec_corr', row 1 .*, object s0: 1.5 is not a corr",
        ),
        (
            {"ra_dec_corr": 0.9, "ra_pm_corr": 0.9, "dec_pm_corr": -0.9},
            {},
            r"corr='{}_{}_corr', row 1 .*, object s0: the correlations contradict",
        ),
        (
            {},
            {"corr": "{}_{}_rho"},
            "fits no pair of values, .* no column 'ra_dec_rho'",
        ),
        ({}, {"corr": "{}_corr"}, "must contain {} twice"),
        ({}, {"values": ["ra"]}, "needs two values at least"),
        ({}, {"errors": None}, "name these with errors="),
        (
            {},
            {"errors": ("{}_error", "{}_error"), "kind": "plusminus"},
            "only Gaussian errors have a correlation",
        ),
    ],
)
def test_refused(change, said, message):
    table, _ = stars()
    for name, value in change.items():
        table[name] = table[name].copy()
        table[name][0] = value
    with pytest.raises(DataError, match=message):
        read(table, **said)


def test_missing():
    table, corr = stars()
    table["dec"] = np.array([np.nan, *table["dec"][1:]])
    table["ra_dec_corr"] = table["ra_dec_corr"].copy()
    table["ra_dec_corr"][[0, 2]] = np.nan
    with pytest.raises(MissingValueError, match="1 in 'dec'"):
        read(table, missing="error")
    with pytest.raises(MissingValueError, match="cannot be used with corr="):
        read(table, missing="impute")
    with pytest.warns(IncertaWarning, match="2 of 6 objects have missing values"):
        assert read(table, missing="drop").ids.tolist() == ["s1", "s3", "s4", "s5"]
    # That of a value which is missing is not missed.
    with pytest.warns(IncertaWarning, match="1 missing correlation of 1 object was"):
        data = read(table, missing="infinite")
    corr[0, 1] = corr[0, :, 1] = 0.0
    corr[2, 0, 1] = corr[2, 1, 0] = 0.0
    known = [0, 2]
    np.testing.assert_allclose(
        data.covariance()[:, known][..., known],
        by_loops(table, corr)[:, known][..., known],
        atol=1e-12,
    )
    assert data.covariance()[2, 0, 1] == pytest.approx(0.0, abs=1e-12)
    assert data.law.missing()[0].tolist() == [False, True, False]


def test_cluster_takes_the_whole_covariance():
    """What the default method believes, against Bayes' rule object by object."""
    table, _ = stars(n=40, seed=1)
    data = read(table)
    result = ic.cluster(data, 2, params={"n_worlds": 2})
    scaled = result.scaler.transform(data)
    prior = result.estimator._model.truths.prior
    center, V = prior.means[0], prior.as_kind("full").covariances[0]
    found = believed(scaled, prior)
    values, errors = scaled.mean(), scaled.covariance()
    seen = measured(scaled).errors
    for i in range(len(data)):
        np.testing.assert_allclose(seen[:, :, i], errors[i])
        gain = V @ np.linalg.inv(V + errors[i])
        mean = center + gain @ (values[i] - center)
        np.testing.assert_allclose(found.mean()[i], mean, rtol=1e-6, atol=1e-9)
        left = V - gain @ V
        np.testing.assert_allclose(found.covariance()[i], left, rtol=1e-6, atol=1e-9)
    # And that is not what errors without their correlations would say.
    plain = read(table, corr=None)
    other = believed(result.scaler.transform(plain), prior)
    assert np.abs(other.mean() - found.mean()).max() > 0.05
