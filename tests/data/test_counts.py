"""Counts: against integrals of the posterior, and against rates that are known."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.integrate import quad
from scipy.stats import gamma, nbinom, poisson

import incerta as ic
from incerta.data.counts import Rates, fitted_prior, most_varying, overdispersion_of
from incerta.exceptions import DataError, IncertaWarning, MissingValueError


def rates(seed=0, n=400, d=3, shape=4.0):
    """Rates, exposures and counts of objects that are all alike."""
    rng = np.random.default_rng(seed)
    true = rng.gamma(shape, [1.0, 3.0, 0.2][:d], size=(n, d))
    exposure = 10.0 ** rng.uniform(-1.0, 1.0, size=n)  # differ by 100
    return true, exposure, rng.poisson(exposure[:, None] * true)


def moment(function, n, exposure, a, b):
    """Mean of a function of the logarithm under prior and likelihood, integrated."""

    def weight(log):
        rate = np.exp(log)
        likely = poisson.logpmf(n, exposure * rate) + gamma.logpdf(rate, a, scale=1 / b)
        return np.exp(likely + log)

    ends = np.log(gamma.ppf([1e-12, 1 - 1e-12], a + n, scale=1 / (b + exposure)))
    whole = quad(weight, *ends, limit=200)[0]
    return quad(lambda x: function(x) * weight(x), *ends, limit=200)[0] / whole


@pytest.mark.parametrize("count", [0, 1, 7, 300])
def test_beliefs_are_moments_of_the_posterior(count):
    counts = np.array([[count, 5], [3, 4], [12, 9]])
    exposure = np.array([2.0, 0.5, 3.0])
    data = ic.from_counts(counts, exposure, meaning="belief")
    a, b = data.law.shape[0], data.law.rate[0]
    mean = moment(lambda x: x, count, 2.0, a, b)
    variance = moment(lambda x: (x - mean) ** 2, count, 2.0, a, b)
    assert data.mean()[0, 0] == pytest.approx(mean, rel=1e-5)
    assert data.variance()[0, 0] == pytest.approx(variance, rel=1e-5)
    assert data.meaning == "belief"


@pytest.mark.parametrize("count", [0, 1, 7, 300])
@pytest.mark.parametrize("spread", [0.0, 0.3])
def test_errors_are_the_likelihood_near_the_posterior(count, spread):
    counts, exposure = np.array([[count], [3], [12]]), np.array([2.0, 0.5, 3.0])
    data = ic.from_counts(counts, exposure, spread)
    law = data.law
    share = 1.0
    if spread:
        expected = 2.0 * (law.shape + count) / (law.rate + 2.0)
        share = 1.0 / (1.0 + spread * expected)
    rate = ((law.shape + share * count) / (law.rate + share * 2.0))[0]

    def likely(log):
        mean = 2.0 * np.exp(log)
        if not spread:
            return count * np.log(mean) - mean
        return nbinom.logpmf(count, 1 / spread, 1 / (1 + spread * mean))

    place, step = np.log(rate), 1e-4
    slope = (likely(place + step) - likely(place - step)) / (2 * step)
    mean = 2.0 * rate
    information = mean / (1.0 + spread * mean)  # what is expected of the curvature
    assert data.mean()[0, 0] == pytest.approx(place + slope / information, abs=1e-4)
    assert data.variance()[0, 0] == pytest.approx(1.0 / information)


def test_values_are_off_the_truth_by_their_errors():
    true, exposure, counts = rates(n=4000)
    data = ic.from_counts(counts, exposure)
    off = (data.mean() - np.log(true)) / np.sqrt(data.variance())
    many = exposure[:, None] * true > 5.0
    assert abs(off[many].mean()) < 0.1
    assert abs(off[many].std() - 1.0) < 0.1
    # Nor do the others lie about their size, where a logarithm would be infinite.
    assert abs(off[counts == 0].mean()) < 1.0
    assert np.square(off[~many]).mean() < 1.5


def test_the_prior_is_that_of_the_rates():
    _, exposure, counts = rates(n=20_000)
    shape, rate = fitted_prior(counts, exposure, np.zeros(len(counts)))
    np.testing.assert_allclose(shape, 4.0, rtol=0.1)
    np.testing.assert_allclose(shape / rate, [4.0, 12.0, 0.8], rtol=0.02)


def test_the_prior_solves_its_equations():
    _, exposure, counts = rates(seed=1, n=300)
    extra = np.full(300, 0.05)
    shape, rate = fitted_prior(counts, exposure, extra)
    mean = exposure[:, None] * shape / rate
    spread = 1.0 / shape + extra[:, None]
    weights = 1.0 / (1.0 + spread * mean)
    first = (weights * (counts - mean)).sum(axis=0) / (weights * mean).sum(axis=0)
    beyond = weights**2 * ((counts - mean) ** 2 - mean - spread * mean**2)
    second = beyond.sum(axis=0) / (weights**2 * mean**2).sum(axis=0)
    np.testing.assert_allclose(first, 0.0, atol=1e-3)
    np.testing.assert_allclose(second, 0.0, atol=1e-3)


@pytest.mark.parametrize("spread", [0.0, 0.1, 0.5])
def test_repeats_tell_the_overdispersion(spread):
    rng = np.random.default_rng(0)
    true, looked = rng.gamma(5.0, 4.0, (400, 4)), rng.uniform(0.2, 2.0, (400, 3, 1))
    more = rng.gamma(1 / spread, spread, (400, 3, 4)) if spread else 1.0
    rows = rng.poisson(true[:, None] * looked * more).reshape(1200, 4)
    ids = np.repeat(np.arange(400), 3)
    order = rng.permutation(1200)
    data = ic.from_counts(rows[order], looked.ravel()[order], ids=ids[order])
    assert data.law.overdispersion == pytest.approx(spread, abs=0.03 + 0.2 * spread)
    off = (data.mean() - np.log(true[data.ids])) / np.sqrt(data.variance())
    assert abs(off.std() - 1.0) < 0.1
    plain = ic.from_counts(rows[order], looked.ravel()[order], 0, ids=ids[order])
    assert plain.law.overdispersion == 0.0
    np.testing.assert_array_equal(plain.law.counts, data.law.counts)


def test_repeats_are_added_up():
    data = ic.from_counts([[1, 2], [5, 5], [3, 1]], [2.0, 4.0, 6.0], 0, ids=list("aba"))
    same = ic.from_counts([[4, 3], [5, 5]], [8.0, 4.0], ids=["a", "b"])
    assert data.ids.tolist() == ["a", "b"]
    np.testing.assert_array_equal(data.mean(), same.mean())
    np.testing.assert_array_equal(data.law.repeats, [0.25**2 + 0.75**2, 1.0])


def test_one_object_says_nothing_of_overdispersion_without_counts():
    rows, none = np.zeros((2, 1)), np.zeros((1, 1))
    share = np.array([0.5, 0.5])
    found = overdispersion_of(rows, none, np.zeros(2, int), share, np.array([0.5]))
    assert found == 0.0


def test_shares_are_compared_without_exposure():
    counts = np.array([[10, 90], [100, 900], [30, 70]])
    data = ic.from_counts(counts)
    told = ic.from_counts(counts, counts.sum(axis=1))
    np.testing.assert_array_equal(data.mean(), told.mean())
    np.testing.assert_allclose(np.exp(data.mean()[1]), [0.1, 0.9], rtol=0.01)


def test_units_of_the_exposure_are_units_of_the_rates():
    _, exposure, counts = rates()
    hours, seconds = (ic.from_counts(counts, e) for e in (exposure, 3600 * exposure))
    np.testing.assert_allclose(hours.mean(), seconds.mean() + np.log(3600))
    np.testing.assert_allclose(hours.variance(), seconds.variance())
    one = ic.from_counts(counts, 2.0)
    np.testing.assert_array_equal(
        one.mean(), ic.from_counts(counts, np.full(len(counts), 2.0)).mean()
    )


def test_features_without_counts_are_named_and_tell_nothing():
    rng = np.random.default_rng(0)
    counts = np.column_stack([rng.poisson([5.0, 50.0], (40, 2)), np.zeros(40)])
    with pytest.warns(IncertaWarning, match=r"1 feature \('c'\) has no count in any"):
        data = ic.from_counts(counts, feature_names=["a", "b", "c"])
    assert np.isfinite(data.mean()).all()
    assert data.relative_uncertainty()[2] > 30.0
    np.testing.assert_array_equal(
        ic.from_counts(counts[:, :2], counts.sum(axis=1)).mean(), data.mean()[:, :2]
    )


def test_rare_counts_stay_finite():
    counts = np.zeros((1000, 1))
    counts[7] = 1000
    for meaning in ("error", "belief"):
        data = ic.from_counts(counts, 1.0, meaning=meaning)
        assert np.isfinite(data.mean()).all()
        assert (data.variance() > 0).all()
        assert data.mean()[7, 0] == pytest.approx(np.log(1000), abs=0.11)
        assert data.mean()[0, 0] < 0.0


def test_sparse_counts_are_dense_ones():
    rng = np.random.default_rng(0)
    counts = rng.poisson(0.4, (60, 30))
    dense = ic.from_counts(counts)
    for form in (sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
        np.testing.assert_array_equal(ic.from_counts(form(counts)).mean(), dense.mean())


def test_of_many_sparse_features_the_most_varying_are_kept():
    rng = np.random.default_rng(0)
    mean = rng.gamma(2.0, 1.0, (60, 2100)) * rng.uniform(0.1, 2.0, 2100)
    counts = rng.poisson(mean)
    totals = counts.sum(axis=1)
    expected = np.outer(totals, counts.sum(axis=0) / totals.sum())
    chi_squares = (np.square(counts - expected) / expected).sum(axis=0)
    best = np.sort(np.argsort(-chi_squares)[:2000])
    found = most_varying(sparse.csr_array(counts), totals, 2000)
    np.testing.assert_array_equal(found, best)
    data = ic.from_counts(sparse.csr_array(counts))
    assert data.feature_names == tuple(f"x{j}" for j in best)
    # Shares are those of all features.
    np.testing.assert_array_equal(
        data.mean(), ic.from_counts(counts[:, best], totals).mean()
    )
    again = ic.from_counts(sparse.csr_array(counts[:7]), prior=data)
    assert again.feature_names == data.feature_names
    np.testing.assert_array_equal(again.mean(), data.mean()[:7])


def test_new_counts_are_read_by_the_prior_of_the_fit():
    _, exposure, counts = rates(n=40, d=1)
    data = ic.from_counts(counts, exposure)
    few = ic.from_counts(counts[:3], exposure[:3])
    assert not np.allclose(few.mean(), data.mean()[:3], rtol=1e-3)
    same = ic.from_counts(counts[:3], exposure[:3], prior=data)
    np.testing.assert_array_equal(same.mean(), data.mean()[:3])
    result = ic.cluster(data, 2, method="ukmeans")
    np.testing.assert_array_equal(
        result.predict_proba(few), result.predict_proba(data[:3])
    )
    np.testing.assert_array_equal(result.novelty_of(few), result.novelty_of(data[:3]))
    # What is no counts is taken as it is.
    plain = ic.from_gaussian(data.mean(), std=np.sqrt(data.variance()))
    np.testing.assert_array_equal(
        result.predict_proba(plain), result.predict_proba(data)
    )


def test_the_meaning_can_be_changed():
    _, exposure, counts = rates()
    measured = ic.from_counts(counts, exposure)
    believed = ic.from_counts(counts, exposure, meaning="belief")
    there = measured.with_meaning("belief")
    np.testing.assert_array_equal(there.mean(), believed.mean())
    np.testing.assert_array_equal(there.variance(), believed.variance())
    back = there.with_meaning("error")
    np.testing.assert_array_equal(back.variance(), measured.variance())


def test_parts_of_counts():
    _, exposure, counts = rates()
    data = ic.from_counts(counts, exposure)
    one, two = data[:100], data[100:]
    whole = ic.concat([one, two])
    assert isinstance(whole.law, Rates)
    np.testing.assert_array_equal(whole.mean(), data.mean())
    np.testing.assert_array_equal(whole.law.counts, counts)
    other = ic.from_counts(counts[:5], exposure[:5], ids=[f"o{i}" for i in range(5)])
    mixed = ic.concat(
        [other, ic.from_counts(counts, exposure, ids=list(map(str, range(400))))]
    )
    np.testing.assert_array_equal(mixed.mean()[:5], other.mean())
    chosen = data.select(["x2", "x0"])
    np.testing.assert_array_equal(chosen.mean(), data.mean()[:, [2, 0]])
    np.testing.assert_array_equal(chosen.law.shape, data.law.shape[[2, 0]])
    scaled = data.affine([1.0, 2.0, 3.0])
    np.testing.assert_array_equal(scaled.mean(), data.mean() * [1.0, 2.0, 3.0])
    assert (scaled.kind, data.kind) == ("gaussian", "counts")


def test_a_result_of_counts_is_saved_with_them(tmp_path):
    _, exposure, counts = rates(n=30, d=1)
    result = ic.cluster(ic.from_counts(counts, exposure), 2)
    assert "Errors that are not Gaussian" not in result.explain()
    result.save(tmp_path / "run.incerta")
    again = ic.load(tmp_path / "run.incerta")
    np.testing.assert_array_equal(again.data.law.counts, counts)
    new = ic.from_counts(counts[:9], exposure[:9])
    np.testing.assert_array_equal(again.predict_proba(new), result.predict_proba(new))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"n": [[1.5, 2], [0, 1]]}, r"n\[0, 0\] is 1.5, which is not a count"),
        ({"n": [[1e300, 2], [0, 1]]}, r"n\[0, 0\] is 1e\+300, which is not a count"),
        ({"n": [[1, 2], [0, -1]]}, r"n\[1, 1\] is -1.* as the exposure"),
        ({"n": sparse.csr_array([[0, 2], [0.0, 0.3]])}, r"n\[1, 1\] is 0.3"),
        ({"n": [[1, np.nan]]}, "NaN.* Write 0 if nothing was seen"),
        ({"n": [[1, 2], [0, 0]]}, r"object 1 \(row 1\) has no counts, so"),
        ({"n": [[1], [2]], "exposure": [1.0, 0.0]}, "exposure above 0.*, not 0"),
        ({"n": [[1], [2]], "exposure": [1.0, np.nan]}, "exposure above 0.*, not nan"),
        ({"n": [[1], [2]], "exposure": [1.0]}, r"shape \(1,\), it must be \(2,\)"),
        ({"n": [[1], [2]], "ids": ["a"]}, "ids has 1 entries for 2 rows"),
        ({"n": [[1], [2]], "meaning": "spread"}, "does not fit counts"),
        ({"n": [[1], [2]], "overdispersion": -1}, "must be 'estimate', 0 or above"),
        ({"n": [[1], [2]], "overdispersion": "nb"}, "must be 'estimate', 0 or above"),
        ({"n": [[1]], "prior": ic.from_gaussian([[0.0]], 1.0)}, "prior must be data"),
    ],
)
def test_what_is_refused(given, told):
    with pytest.raises(DataError, match=told):
        ic.from_counts(**given)


TABLE = {"town": ["a", "b", "a"], "theft": [3, 0, 4], "fire": [1, 2, 0], "k": [2, 5, 1]}


def test_tables_of_counts():
    told = {"id": "town", "values": ["theft", "fire"], "kind": "counts"}
    data = ic.from_frame(TABLE, **told, exposure="k")
    rows = np.column_stack([TABLE["theft"], TABLE["fire"]])
    same = ic.from_counts(rows, TABLE["k"], ids=TABLE["town"])
    assert (data.ids.tolist(), data.feature_names) == (["a", "b"], ("theft", "fire"))
    np.testing.assert_array_equal(data.mean(), same.mean())
    shares = ic.from_frame(TABLE, **told)
    np.testing.assert_array_equal(shares.law.exposure, [8.0, 2.0])
    assert ic.from_frame(TABLE, **told, meaning="belief").law.believed


def test_gaps_in_tables_of_counts():
    told = {"id": "town", "values": ["theft", "fire"], "kind": "counts"}
    table = TABLE | {"theft": [3, 0, None], "k": [2.0, 5.0, None]}
    with pytest.raises(MissingValueError, match=r"1 in 'theft'.* Write 0 where"):
        ic.from_frame(table, **told)
    with pytest.warns(IncertaWarning, match="1 of 3 rows has a missing value"):
        data = ic.from_frame(table, **told, exposure="k", missing="drop")
    np.testing.assert_array_equal(data.law.counts, [[3, 1], [0, 2]])


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"errors": "{}_e"}, "errors='{}_e' cannot be used with kind='counts'"),
        ({"log": True}, r"cannot be used with kind='counts'"),
        ({"missing": "impute"}, "missing='impute' does not fit counts"),
        ({"exposure": "fire"}, "exposure='fire' is among values"),
        ({"exposure": "km"}, "exposure: there is no column 'km'"),
        ({"kind": "sd", "exposure": "k"}, "is about counts; also set kind='counts'"),
        ({"meaning": "spread"}, "does not fit counts"),
        ({"values": ["theft", "half"]}, "'half', row 1 .*object a: 0.5 is not a count"),
    ],
)
def test_what_is_refused_of_tables(more, told):
    table = TABLE | {"half": [0.5, 1.0, 2.0]}
    given = {"id": "town", "values": ["theft", "fire"], "kind": "counts"} | more
    with pytest.raises(DataError, match=told):
        ic.from_frame(table, **given)


def test_counts_are_not_read_by_parts(tmp_path):
    polars = pytest.importorskip("polars", reason="needs the extra test")
    path = tmp_path / "towns.parquet"
    polars.DataFrame(TABLE).write_parquet(path)
    told = {"id": "town", "values": ["theft", "fire"], "kind": "counts"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert ic.read_table(path, **told).kind == "counts"
    with pytest.raises(DataError, match="kind='counts' learns from all objects"):
        ic.read_table(path, **told, lazy=True)


def test_a_layer_of_counts_is_read(tmp_path):
    h5py = pytest.importorskip("h5py", reason="needs the extra io")
    counts, text = np.array([[3, 0], [1, 7], [4, 4]]), h5py.string_dtype()
    path = tmp_path / "cells.h5ad"
    with h5py.File(path, "w") as file:
        file["X"] = np.log1p(counts)
        file["layers/counts"] = counts.astype(np.float32)
        for room, names, more in (("obs", "abc", ["depth"]), ("var", "gh", [])):
            group = file.create_group(room)
            group.attrs["_index"] = "_index"
            group.attrs["column-order"] = np.array(more, dtype=text)
            group["_index"] = np.array(list(names), dtype=text)
        file["obs/depth"] = np.array([9.0, 10.0, 20.0])
    told = {"values": ["g", "h"], "layers": "counts", "kind": "counts"}
    data = ic.read_table(path, **told, exposure="depth")
    same = ic.from_counts(counts, [9.0, 10.0, 20.0])
    np.testing.assert_array_equal(data.mean(), same.mean())
    assert data.ids.tolist() == ["a", "b", "c"]
