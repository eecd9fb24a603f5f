"""Directions are found where there are any, and hardly ever where there are none."""

import numpy as np
import pytest

import incerta as ic
from incerta import settings
from incerta.directions import search
from incerta.directions.search import beyond_chance
from tests.directions.tables import factor_table, few_tell, noise, with_errors


@pytest.mark.parametrize(
    ("n", "d", "how"),
    [
        (60, 400, {}),
        (300, 60, {"uneven": 1.5}),
        (60, 400, {"tails": True, "level": 0.01}),
        (200, 30, {"gaps": 0.3}),
    ],
)
def test_noise_has_no_directions(n, d, how):
    # 2% of tables by construction; a right program fails once in 3,000 times.
    found = [
        search.shared(*deviations(*noise(seed, n, d, **how)), 4, seed).n_directions
        for seed in range(30)
    ]
    assert np.count_nonzero(found) <= 4


def deviations(values, std):
    known = ~np.isnan(values.T)
    gaps = np.where(known, values.T / np.sqrt(1.0 + std.T**2), 0.0)
    return gaps, known


@pytest.mark.parametrize("q", [1, 2, 4])
def test_as_many_as_there_are(q):
    found = []
    for seed in range(6):
        _, _, values, std = factor_table(seed, n=150, d=120, q=q, level=0.3)
        found.append(ic.Directions().fit(with_errors(values, std)).n_directions_)
    assert min(found) == q
    assert np.mean(found) <= q + 0.2


def test_many_directions_of_few_objects():
    _, _, values, std = factor_table(0, n=60, d=400, q=6, level=0.3)
    assert ic.Directions().fit(with_errors(values, std)).n_directions_ == 6


def test_error_bars_that_are_too_small_hide_nothing():
    _, _, values, std = factor_table(3, n=150, d=120, level=1.2)
    assert ic.Directions().fit(with_errors(values, 0.4 * std)).n_directions_ == 2


def test_ten_features_of_a_thousand():
    values, std, _ = few_tell(0, 80, 1000, 10)
    model = ic.Directions().fit(with_errors(values, std))
    shows = np.flatnonzero(model.loadings_.any(axis=1))
    assert 2 <= model.n_directions_ <= 4
    assert np.isin(np.arange(10), shows).sum() >= 8
    assert len(shows) <= 15


def test_a_direction_in_few_features_beside_a_large_one():
    values, std, _ = few_tell(1, 200, 300, 10, k=2)
    rng = np.random.default_rng(0)
    values = values + 2.0 * rng.normal(size=(200, 1)) * rng.normal(size=300)
    model = ic.Directions().fit(with_errors(values, std))
    shares = model._found.factors.shares
    assert model.n_directions_ >= 2
    assert shares[:10, 1:].sum(axis=1).mean() > 10 * shares[10:, 1:].sum(axis=1).mean()


def test_correlations_that_one_outlier_makes_do_not_count():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 200))
    values[0, :2] = 40.0
    assert ic.Directions().fit(values).n_directions_ != 1
    known = np.ones((200, 60), dtype=bool)
    assert search.shared(values.T / values.T.std(axis=1)[:, None], known, 4, 0)[0] == 0


def test_copies_are_one_feature():
    values, _ = noise(0, 100, 40, level=0.0)
    values = np.hstack([values, values[:, :3], -2.0 * values[:, :1]])
    model = ic.Directions().fit(values)
    assert model.n_directions_ == 0
    assert model.copies_.tolist() == [*range(40), 0, 1, 2, 0]
    assert "4 features repeat others: x40 (x0), x41 (x1), x42 (x2) and 1 more." in (
        model.sentences()
    )


def test_copies_in_other_blocks():
    values, _ = noise(1, 100, 600, level=0.0)
    values = np.hstack([values, values[:, [7, 531]]])
    found = ic.Directions().fit(values).copies_
    assert found.tolist() == [*range(600), 7, 531]


def test_features_that_do_not_vary_or_are_missing():
    _, _, values, std = factor_table(0)
    values[:, 3], std[:, 3] = 7.0, 0.0
    values[2:, 5] = np.nan
    model = ic.Directions().fit(with_errors(values, std))
    assert model.n_directions_ == 2
    assert not model.loadings_[[3, 5]].any()
    told = model.sentences()
    assert "1 feature does not vary: x3." in told
    assert "1 feature is missing nearly always: x5." in told
    assert np.isfinite(model.transform(with_errors(values, std)).mean()).all()


def brute_leading(table, k):
    left, values, right = np.linalg.svd(table, full_matrices=False)
    return left[:, :k], values[:k], right[:k]


@pytest.mark.parametrize("shape", [(30, 12), (12, 30), (700, 650)])
def test_leading_triples(shape):
    table = np.random.default_rng(0).normal(size=shape)
    table[:, 0] *= 4.0
    left, values, right = search.leading(table, 3)
    expected = brute_leading(table, 3)
    assert np.allclose(values, expected[1], rtol=1e-4)
    product = (expected[0] * expected[1]) @ expected[2]
    assert np.allclose((left * values) @ right, product, atol=0.2)


def test_chance_of_pairs():
    # The largest correlation of independent features stays below, 99 times of 100.
    rng = np.random.default_rng(0)
    least = beyond_chance(0.5 * 50 * 49, 40, settings.CORRELATED_BY_CHANCE)
    above = 0
    for _ in range(200):
        found = np.corrcoef(rng.normal(size=(50, 40)))
        above += np.abs(found[np.triu_indices(50, 1)]).max() > least
    assert above <= 8
    assert beyond_chance(1e6, 2, settings.CORRELATED_BY_CHANCE) == 1.0
