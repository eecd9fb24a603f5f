"""Features in another order, with their names, change no answer."""

import numpy as np
import pytest

import incerta as ic
from tests.directions.tables import factor_table

D = 5
NAMES = ["mass", "age", "x10", "x9", "b"]
TURNED = [3, 0, 4, 2, 1]


def groups(kind):
    """Three groups that overlap, with errors as large as they are."""
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(3, D)) * 1.5
    values = np.repeat(truth, 40, axis=0) + rng.normal(size=(120, D))
    errors = rng.uniform(0.2, 1.0, size=values.shape)
    values += errors * rng.normal(size=values.shape)
    if kind == "errors":
        return values, errors
    return values[:, None] + errors[:, None] * rng.normal(size=(120, 4, D))


def data_of(kind, order):
    names, numbers = [NAMES[j] for j in order], groups(kind)
    if kind == "errors":
        values, errors = (each[:, order] for each in numbers)
        return ic.from_gaussian(values, std=errors, feature_names=names)
    rows, objects = numbers[:, :, order].reshape(-1, D), np.repeat(np.arange(120), 4)
    return ic.from_samples(rows, objects, feature_names=names)


@pytest.mark.parametrize("kind", ["errors", "spread"])
def test_the_default_answer(kind):
    one, other = (data_of(kind, order) for order in (range(D), TURNED))
    found, again = (ic.cluster(data, k=3) for data in (one, other))
    np.testing.assert_allclose(again.membership, found.membership, atol=1e-9)
    new = found.predict_proba(one[:30]), again.predict_proba(other[:30])
    np.testing.assert_allclose(*new, atol=1e-9)


def test_the_number_of_clusters():
    found, again = (
        ic.choose_k(data_of("errors", order), range(1, 5), random_state=0)
        for order in (range(D), TURNED)
    )
    assert len(found.null_scores) > 0
    np.testing.assert_allclose(again.null_scores, found.null_scores, atol=1e-9)
    np.testing.assert_allclose(again.weights, found.weights, atol=1e-9)


def test_directions():
    _, _, values, std = factor_table(0, n=150, d=30)
    values = np.column_stack([values, -2.0 * values[:, 4], np.ones(150)])
    std = np.column_stack([std, 2.0 * std[:, 4], np.zeros(150)])
    names, turned = [f"x{j}" for j in range(32)], np.arange(32)[::-1]
    one = ic.from_gaussian(values, std=std)
    other = one.select(turned.tolist())
    assert other.feature_names == tuple(names[::-1])
    found, again = (ic.Directions().fit(data) for data in (one, other))
    assert found.n_directions_ > 0
    np.testing.assert_allclose(again.loadings_[turned], found.loadings_)
    np.testing.assert_array_equal(turned[again.copies_[turned]], found.copies_)
    assert found.copies_.tolist() == [*range(30), 4, 31]
    assert again.sentences() == found.sentences()
    np.testing.assert_allclose(
        again.transform(other).mean(), found.transform(one).mean()
    )
