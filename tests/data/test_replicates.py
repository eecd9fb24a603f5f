"""Replicates: pooled variances, means with errors, offsets of batches."""

import numpy as np
import pytest

import incerta as ic
from incerta.cli.app import app
from incerta.data.replicates import law_of_replicates, without_batches
from incerta.exceptions import IncertaWarning
from tests.runner import Runner


def replicates(n=200, r=4, sd=1.0, seed=0, d=2):
    rng = np.random.default_rng(seed)
    truth = 5.0 * rng.normal(size=(n, d))
    return truth, truth[:, None] + sd * rng.normal(size=(n, r, d))


def test_all_values_alike():
    data = ic.from_array(np.ones((4, 3, 2)), meaning="error")
    assert (data.variance() == 0.0).all()


def test_replicates_become_means_with_errors():
    truth, values = replicates()
    data = ic.from_array(values, meaning="error")
    assert (data.meaning, data.kind) == ("error", "gaussian")
    np.testing.assert_allclose(data.mean(), values.mean(axis=1))
    np.testing.assert_allclose(data.variance(), 0.25, rtol=0.3)
    z = (data.mean() - truth) / np.sqrt(data.variance())
    assert abs(z.var() - 1.0) < 5 * np.sqrt(2 / z.size)
    again = ic.from_array(values).with_meaning("error")
    np.testing.assert_array_equal(again.variance(), data.variance())


def test_a_single_value_has_the_usual_error():
    _, values = replicates(n=50)
    flat = np.concatenate([values[1:].reshape(-1, 2), values[0, :1]])
    objects = np.append(np.repeat(np.arange(1, 50), 4), 0)
    data = ic.from_samples(flat, objects, meaning="error")
    single = data.ids == 0
    assert (data.variance()[single] > 0.5).all()
    np.testing.assert_allclose(data.variance()[single], 1.0, rtol=0.4)


def test_correlated_replicates_have_correlated_errors():
    rng = np.random.default_rng(0)
    cov = np.array([[1.0, 0.8], [0.8, 1.0]])
    values = rng.multivariate_normal([0, 0], cov, size=(300, 4))
    values += 3.0 * rng.normal(size=(300, 1, 2))
    data = ic.from_array(values, meaning="error")
    assert data.kind == "correlated gaussian"
    found = data.covariance()
    share = found[:, 0, 1] / np.sqrt(found[:, 0, 0] * found[:, 1, 1])
    np.testing.assert_allclose(share, 0.8, atol=0.08)


@pytest.mark.parametrize(("n_features", "repeats"), [(2, 15), (8, 3), (40, 2)])
def test_unequal_objects_are_no_sign_of_correlation(n_features, repeats):
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(20):
        width = np.exp(0.8 * rng.normal(size=(100, 1, 1)))
        values = width * rng.standard_t(5, size=(100, repeats, n_features))
        found += ic.from_array(values, meaning="error").kind == "correlated gaussian"
    assert found <= 1


def test_correlations_of_unequal_objects_are_seen():
    rng = np.random.default_rng(0)
    width = np.exp(0.8 * rng.normal(size=(100, 1, 1)))
    values = width * rng.normal(size=(100, 3, 8))
    values[:, :, 1] = 0.6 * values[:, :, 0] + 0.8 * values[:, :, 1]
    assert ic.from_array(values, meaning="error").kind == "correlated gaussian"


def test_no_more_objects_than_features_have_independent_errors():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(20, 30, 20)) + rng.normal(size=(20, 30, 1))
    few = ic.from_array(values, meaning="error")
    assert few.kind == "gaussian"
    enough = ic.from_array(values[:, :, :19], meaning="error")
    assert enough.kind == "correlated gaussian"


def test_what_replicates_cannot_be():
    values = np.array([[1.0, 2.0], [3.0, np.nan]])
    with pytest.raises(ValueError, match="no object has two values of 'light'"):
        law_of_replicates(values, np.zeros(2, np.intp), 1, ("mass", "light"))
    with pytest.raises(ValueError, match="replicates cannot have weights"):
        ic.from_samples([1.0, 2.0, 3.0], list("aab"), [1, 2, 1], meaning="error")
    exact = ic.from_samples([1.0, 2.0], list("ab"), meaning="error")
    assert exact.exact


def test_offsets_of_batches_are_taken_off():
    rng = np.random.default_rng(0)
    objects, batches = rng.integers(40, size=600), rng.integers(5, size=600)
    truth, offsets = rng.normal(size=(40, 2)), 3.0 * rng.normal(size=(5, 2))
    values = truth[objects] + offsets[batches] + 0.01 * rng.normal(size=(600, 2))
    values[rng.random((600, 2)) < 0.1] = np.nan
    found, estimated = without_batches(values, objects, batches)
    apart = offsets - offsets[0] - (estimated - estimated[0])
    assert np.abs(apart).max() < 0.01
    left = found - truth[objects]
    assert np.nanstd(left, axis=0).max() < 0.02


def test_batches_without_common_objects():
    values = np.arange(4.0)[:, None]
    with pytest.raises(ValueError, match="fall into 2 parts that have no object"):
        without_batches(values, np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]))


def table_of_replicates(seed=0):
    """Thirty objects in three batches of different level; some cells are empty."""
    rng = np.random.default_rng(seed)
    objects, batch = np.repeat(np.arange(30), 6), np.tile([0, 1, 2], 60)
    truth, offsets = 5.0 * rng.normal(size=(30, 2)), np.array([0.0, 4.0, -2.0])
    values = truth[objects] + offsets[batch][:, None] + 0.1 * rng.normal(size=(180, 2))
    values[rng.random((180, 2)) < 0.1] = np.nan
    columns = {"id": objects, "x": values[:, 0], "y": values[:, 1], "night": batch}
    return truth, columns


def test_tables_of_replicates():
    truth, table = table_of_replicates()
    how = {"id": "id", "values": ["x", "y"], "meaning": "error"}
    with pytest.warns(IncertaWarning, match="offsets of 3 batches were estimated"):
        data = ic.from_frame(table, **how, batch="night")
    assert (data.meaning, len(data)) == ("error", 30)
    level = data.mean() - truth
    assert level.std(axis=0).max() < 0.1  # up to a constant, which offsets leave open
    assert np.sqrt(data.variance().max()) < 0.15
    raw = ic.from_frame(table, **how)
    assert np.sqrt(raw.variance().min()) > 0.5


def test_batches_are_for_replicates():
    _, table = table_of_replicates()
    with pytest.raises(ValueError, match="batch='night' is for replicates"):
        ic.from_frame(table, id="id", values="x", batch="night")
    with pytest.raises(ValueError, match=r"batch: .*'nihgt'.*'night'"):
        ic.from_frame(table, id="id", values="x", batch="nihgt", meaning="error")
    with pytest.raises(ValueError, match="meaning='noise' is not known"):
        ic.from_frame(table, id="id", values="x", meaning="noise")


def test_the_command_line_reads_replicates(tmp_path):
    _, table = table_of_replicates()
    path = tmp_path / "table.csv"
    rows = zip(*(np.asarray(column).tolist() for column in table.values()), strict=True)
    lines = [
        ",".join("" if cell != cell else str(cell) for cell in row) for row in rows
    ]
    path.write_text("\n".join([",".join(table), *lines]) + "\n", encoding="utf-8")
    said = ["info", str(path), "--id", "id", "--values", "x,y", "--meaning", "error"]
    done = Runner().invoke(app, [*said, "--batch", "night"])
    assert done.exit_code == 0, done.output
    assert "error: measured values missed the truth" in done.stdout


def test_correlations_of_few_repeats_are_drawn_towards_none():
    """As if d more values had been seen that have none."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(4, 6, 1))
    values = np.concatenate([x, x + 0.2 * rng.normal(size=x.shape)], axis=2)
    law = law_of_replicates(
        values.reshape(24, 2), np.repeat(np.arange(4), 6), 4, ("a", "b")
    )
    gaps = (values - values.mean(axis=1, keepdims=True)).reshape(24, 2)
    sums = gaps.T @ gaps
    seen = sums[0, 1] / np.sqrt(sums[0, 0] * sums[1, 1])
    found = law.covariance()
    share = found[:, 0, 1] / np.sqrt(found[:, 0, 0] * found[:, 1, 1])
    np.testing.assert_allclose(share, seen * 20 / (20 + 2))
