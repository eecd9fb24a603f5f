"""Novelty: its formula, its rates, and what must not be called novel."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import make_moons

import incerta as ic
from incerta.api.novelty import MOST, Novelty, from_which, places_of, tail_of
from incerta.data.construct import with_gaps


def measured(truth, size, rng):
    """Truths with log-normal errors around a size."""
    std = size * np.exp(0.8 * rng.normal(size=(len(truth), 1)))
    std = np.broadcast_to(std, truth.shape)
    return ic.from_gaussian(truth + std * rng.normal(size=truth.shape), std=std)


def lacking(data, gaps):
    return replace(data, law=with_gaps(data.law, gaps))


def blobs(n, rng):
    centers = np.random.default_rng(5).normal(size=(4, 6)) * 2
    return (centers[rng.integers(4, size=n)] + 0.8 * rng.normal(size=(n, 6))) / 2.2


def moons(n, rng):
    return make_moons(n, noise=0.05, random_state=int(rng.integers(2**31)))[0] / 0.7


def ring(n, rng):
    angle = rng.uniform(0, 2 * np.pi, n)
    circle = np.column_stack([np.cos(angle), np.sin(angle)])
    return 1.4 * circle + 0.05 * rng.normal(size=(n, 2))


def gaussian(n, rng):
    return rng.normal(size=(n, 2))


def oddness_of(value, variance, known, references):
    """Oddness of one object, from the formula."""
    density = 0.0
    for center, spread in zip(references.centers, references.variances, strict=True):
        kernel = 1.0
        for j in np.flatnonzero(known):
            total = variance[j] + spread[j]
            height = np.sqrt((variance[j] + references.width) / total)
            kernel *= height * np.exp(-0.5 * (value[j] - center[j]) ** 2 / total)
        density += kernel
    return -2.0 * np.log(density / len(references.centers))


def test_oddness_is_that_of_the_formula():
    rng = np.random.default_rng(0)
    values, std = rng.normal(size=(30, 11)), rng.uniform(0.1, 1.0, size=(30, 11))
    gaps = np.zeros(values.shape, dtype=bool)
    gaps[3, 2] = gaps[4, 0] = True
    found = Novelty(lacking(ic.from_gaussian(values, std=std), gaps))
    new = lacking(ic.from_gaussian(values[2:6] + 0.1, std=std[2:6]), gaps[2:6])
    places = places_of(new)
    expected = [oddness_of(*row, found.references) for row in zip(*places, strict=True)]
    np.testing.assert_allclose(found.oddness(places)[0], expected)


def test_objects_of_the_fit_are_compared_with_the_others_alone():
    rng = np.random.default_rng(1)
    data = measured(gaussian(25, rng), 0.3, rng)
    found = Novelty(data)
    references = found.references
    inside = found.oddness(places_of(data[references.positions]), leave_out=True)[0]
    others = references._replace(
        centers=references.centers[1:], variances=references.variances[1:]
    )
    first = places_of(data[references.positions[:1]])
    assert inside[0] == pytest.approx(
        oddness_of(first.means[0], first.variances[0], first.known[0], others)
    )


@pytest.mark.parametrize("population", [gaussian, blobs, moons, ring])
def test_alarms_come_at_the_stated_rate_and_far_objects_are_seen(population):
    rates, alarms, seen = [], 0, []
    for seed in range(3):
        rng = np.random.default_rng([seed, 7])
        data = measured(population(300, rng), 0.2, rng)
        found = Novelty(data)
        alarms += (found.of_fit(data) >= from_which(300)).sum()
        for size in (0.2, 2.0):  # as in the fit, and much worse
            new = found.of(measured(population(500, rng), size, rng))
            rates.append([(new >= 2).mean(), (new >= 3).mean()])
        apart = rng.normal(size=population(50, rng).shape)
        apart *= 6.0 / np.linalg.norm(apart, axis=1, keepdims=True)
        seen.append((found.of(measured(apart, 0.2, rng)) >= 3).mean())
    rates = np.mean(rates, axis=0)
    assert rates[0] <= 0.02  # 0.01 is stated
    assert rates[1] <= 0.003
    assert alarms <= 1
    assert np.mean(seen) >= 0.8


def test_a_far_value_with_a_large_error_is_not_novel():
    values = np.random.default_rng(0).normal(size=(60, 2))
    result = ic.cluster(ic.from_gaussian(values, std=0.1), 1)
    far = [[40.0, 40.0]]
    assert result.novelty_of(ic.from_gaussian(far, std=0.1)) > 5
    assert result.novelty_of(ic.from_gaussian(far, std=40.0)) < 1
    half = ic.from_gaussian([[40.0, 0.0]], std=[[40.0, 0.1]])
    assert result.novelty_of(half) < 1
    missing = lacking(ic.from_gaussian(far, std=0.1), np.array([[True, True]]))
    assert result.novelty_of(missing) == 0


@pytest.mark.parametrize("method", ["UKMeans", "agglomerative", "ErrorMixture"])
def test_whatever_the_method(method):
    values = np.random.default_rng(0).normal(size=(60, 2))
    values[7] = 40.0
    data = ic.from_gaussian(values, std=0.1, ids=[f"star {i}" for i in range(60)])
    result = ic.cluster(data, 2, method)
    assert "1 object is unlike all others: star 7 (novelty" in result.explain()
    assert result.columns()["novelty"].argmax() == 7
    order = np.random.default_rng(1).permutation(60)
    there = result.scaler.transform(data[order])
    again = Novelty(there).of_fit(there)
    np.testing.assert_allclose(again, result.novelty[order])


def test_a_file_brings_it_back(tmp_path):
    data, _ = ic.datasets.make_uncertain_blobs(40, 2, 3, random_state=0)
    result = ic.cluster(data, 3, "UKMeans")
    result.save(tmp_path / "model.incerta")
    loaded = ic.load(tmp_path / "model.incerta")
    np.testing.assert_array_equal(loaded.novelty, result.novelty)
    np.testing.assert_array_equal(loaded.novelty_of(data), result.novelty_of(data))


def test_other_kinds_of_data():
    rng = np.random.default_rng(0)
    draws = rng.normal(size=(30, 1, 2)) + 0.1 * rng.normal(size=(30, 8, 2))
    draws[4] += 30.0
    kinds = {
        "spread": ic.from_array(draws),
        "joint": ic.from_worlds(draws.swapaxes(0, 1)),
        "interval": ic.from_interval(draws.min(axis=1), draws.max(axis=1)),
        "exact": ic.as_uncertain(draws[:, 0]),
    }
    for kind, data in kinds.items():
        found = Novelty(data).of_fit(data)
        assert found.argmax() == 4, kind
        assert found[4] >= 3, kind
        assert (np.delete(found, 4) < 3).all(), kind


def test_objects_that_are_all_alike_and_those_that_are_too_few():
    grid = ic.as_uncertain(np.repeat(np.arange(5.0), 8)[:, None])
    assert (Novelty(grid).of_fit(grid) < 1).all()
    same = ic.as_uncertain(np.ones((30, 2)))
    assert (Novelty(same).of_fit(same) < 1).all()
    few = ic.from_gaussian(np.arange(6.0)[:, None], std=0.1)
    result = ic.cluster(few, 2, "UKMeans")
    assert np.isnan(result.novelty).all()
    assert np.isnan(result.novelty_of(few)).all()


def test_more_objects_than_references():
    rng = np.random.default_rng(2)
    data = measured(gaussian(MOST + 50, rng), 0.2, rng)
    found = Novelty(data)
    rest = np.setdiff1d(np.arange(len(data)), found.references.positions)
    assert len(rest) == 50
    np.testing.assert_array_equal(found.of_fit(data)[rest], found.of(data[rest]))


@pytest.mark.parametrize(("m", "share"), [(20, 0.2), (100, 0.05), (400, 0.02)])
def test_the_tail_begins_where_few_objects_are(m, share):
    oddness = 3.0 + np.exp(0.8 * norm.isf((np.arange(m) + 0.5) / m))
    shift, half, deviation, degrees = tail_of(oddness, 2)
    for quantile, beyond in ((0.5, 0.5), (1.0 - share, share)):
        far = np.log(np.quantile(oddness, quantile) - shift)
        assert norm.sf((far - half) / deviation) == pytest.approx(beyond)
    assert np.quantile(oddness, 0.05) - shift == pytest.approx(2.0)
    assert degrees == m / 2
    # Objects on a grid are all alike: as Gaussian features they are not.
    alike = tail_of(np.full(m, 7.0), 2).deviation
    assert alike == pytest.approx(0.5 * 2.0 / (2.0 + 1.64 * 2.0))


def test_from_which_novelty_on_objects_are_named():
    assert from_which(1) == from_which(50) == 3.0
    assert from_which(10**6) == pytest.approx(np.log10(20e6))


def test_what_a_reference_lacks_could_be_anything_that_others_have():
    rng = np.random.default_rng(3)
    values, gaps = rng.normal(size=(25, 2)), np.zeros((25, 2), dtype=bool)
    gaps[7, 1] = True
    data = lacking(ic.from_gaussian(values, std=0.3), gaps)
    references = Novelty(data).references
    row = int(np.flatnonzero(references.positions == 7)[0])
    others = np.delete(values[:, 1], 7)
    assert references.centers[row, 1] == pytest.approx(others.mean())
    width = references.variances[row, 0] - 0.3**2
    assert references.variances[row, 1] == pytest.approx(others.var() + width)


def test_objects_with_many_values_are_where_their_means_are():
    values = np.random.default_rng(4).normal(size=(40, 25, 1))
    places = places_of(ic.from_array(values))
    expected = values.var(axis=1).mean() / 25  # about which their own are scattered
    assert places.variances.mean() == pytest.approx(expected, rel=0.15)
