"""Other clusterings that the data allow."""

from dataclasses import replace

import numpy as np
import pytest

import incerta as ic
from incerta.api import clustering as module
from incerta.views.consensus import View


@pytest.fixture(scope="module")
def three_or_four():
    data, _ = ic.datasets.make_uncertain_blobs(60, 2, 4, random_state=0)
    return data


@pytest.fixture(scope="module")
def rings():
    data, _ = ic.datasets.make_uncertain_rings(300, random_state=5)
    return ic.cluster(data, 2)


def with_views(result, monkeypatch, **views):
    """The result, as if its views had these weights and agreements."""
    told = {
        name: View(score=0.9, stability=0.9, weight=weight, agreement=agreement)
        for name, (weight, agreement) in views.items()
    }
    facts = replace(result.estimator._facts(), views=told)
    monkeypatch.setattr(type(result.estimator), "_facts", lambda _: facts)
    return result


def test_another_number_of_clusters(three_or_four, tmp_path):
    result = ic.cluster(three_or_four)
    assert result.choice.k == 4
    (other,) = result.alternatives()
    assert other.weight == result.choice.weights[2] > 0.3
    assert other.what == "3 clusters instead of 4."
    asked = ic.cluster(three_or_four, 3)
    np.testing.assert_array_equal(other.clustering.labels, asked.labels)
    np.testing.assert_array_equal(other.clustering.confidence, asked.confidence)
    assert other.clustering.choice is None
    assert other.what in other.clustering.explain()
    assert "if there are" not in other.clustering.explain()
    other.clustering.save(tmp_path / "other")
    again = ic.load(tmp_path / "other")
    np.testing.assert_array_equal(
        again.predict(three_or_four), other.clustering.predict(three_or_four)
    )


def test_a_clusterer_in_every_world_is_asked_too(three_or_four):
    result = ic.cluster(three_or_four, 4, "kmeans", params={"n_worlds": 5})
    choice = ic.choose_k(three_or_four, (3, 4), random_state=0)
    (other,) = replace(result, choice=choice).alternatives()
    assert other.clustering.parameters["clusterer"].n_clusters == 3
    assert other.clustering.n_clusters == 3
    assert result.n_clusters == 4


def test_a_view_that_disagrees(rings):
    weight = rings.estimator.views_["centers"].weight
    assert weight > module.LEAST
    (other,) = rings.alternatives()
    assert other.weight == pytest.approx(weight, abs=0.05)
    assert other.what == "Clusters around centers alone."
    assert other.clustering.parameters["views"] == ["centers"]
    alone = ic.cluster(rings.data, 2, params={"views": ["centers"]})
    np.testing.assert_array_equal(other.clustering.labels, alone.labels)
    assert ic.metrics.clustering_accuracy(alone.labels, rings.labels) < 0.75


def test_none_where_all_agree():
    data, _ = ic.datasets.make_uncertain_blobs(90, 2, 3, random_state=1)
    assert ic.cluster(data).alternatives() == []


def test_views_that_find_the_same_count_together(rings, monkeypatch):
    views = {"mixture": (0.6, 1.0), "centers": (0.3, 0.1), "nearness": (0.1, 0.79)}
    result = with_views(rings, monkeypatch, **views)
    monkeypatch.setattr(module, "_moved", lambda a, b: float(b is rings))
    (other,) = result.alternatives()
    assert other.weight == pytest.approx(0.4)


def test_what_is_not_worth_telling(rings, monkeypatch):
    result = with_views(rings, monkeypatch, centers=(0.04, 0.1), nearness=(0.3, 0.8))
    assert result.alternatives() == []
    result = with_views(rings, monkeypatch, centers=(0.06, 0.1))
    monkeypatch.setattr(module, "_moved", lambda a, b: 0.24)
    assert result.alternatives() == []


def test_the_number_has_its_share(three_or_four, monkeypatch):
    result = with_views(ic.cluster(three_or_four), monkeypatch, centers=(0.5, 0.1))
    monkeypatch.setattr(module, "_moved", lambda a, b: 1.0)
    number, view = sorted(result.alternatives(), key=lambda each: each.what)
    assert view.weight == pytest.approx(0.5 * result.choice.weight)
    assert number.weight == result.choice.weights[2]


def test_the_most_plausible_come_first(three_or_four, monkeypatch):
    result = ic.cluster(three_or_four)
    weights = np.array([0.1, 0.2, 0.15, 0.4, 0.15])
    choice = replace(result.choice, ks=(1, 2, 3, 4, 5), weights=weights)
    found = replace(result, choice=choice).alternatives()
    assert [each.clustering.n_clusters for each in found] == [2, 3, 5]
    assert [each.weight for each in found] == [0.2, 0.15, 0.15]
