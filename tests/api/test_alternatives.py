"""Other clusterings that the data allow."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import incerta as ic
from incerta.api.clustering import LEAST, Alternative, distinct, of_views
from incerta.views.consensus import View


@pytest.fixture(scope="module")
def three_or_four():
    data, _ = ic.datasets.make_uncertain_blobs(60, 2, 4, random_state=0)
    return data


@pytest.fixture(scope="module")
def rings():
    data, _ = ic.datasets.make_uncertain_rings(300, random_state=5)
    return ic.cluster(data, 2)


def alike(labels):
    """As much of a clustering as is compared."""
    return SimpleNamespace(labels=np.array(labels), n_clusters=1 + max(labels))


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
    assert weight > LEAST
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


def test_those_that_are_alike_count_together():
    result = alike([0] * 10 + [1] * 10)
    found = [
        Alternative(weight, f"{n} objects", alike([0] * (10 + n) + [1] * (10 - n)))
        for weight, n in ((0.6, 4), (0.3, 5), (0.1, -9), (0.25, -8))
    ]
    one, other = distinct(found, result)
    assert (one.weight, one.what) == (pytest.approx(0.35), "-9 objects")
    assert (other.weight, other.what) == (0.3, "5 objects")
    three = Alternative(0.2, "three", alike([0] * 10 + [1] * 9 + [2]))
    assert distinct([three], result) == [three]


def test_views_that_disagree_are_asked():
    views = {"mixture": (0.5, 0.79), "centers": (0.3, 0.1), "nearness": (0.2, 0.8)}
    told = {
        name: View(score=0.9, stability=0.9, weight=weight, agreement=agreement)
        for name, (weight, agreement) in views.items()
    }
    one, other = of_views(told, 0.5)
    assert one[:2] == (0.25, {"views": ["mixture"]})
    assert other == (0.15, {"views": ["centers"]}, "Clusters around centers alone.")


def test_the_most_plausible_come_first(three_or_four):
    result = ic.cluster(three_or_four)
    weights = np.array([0.1, 0.2, 0.04, 0.51, 0.15])
    choice = replace(result.choice, ks=(1, 2, 3, 4, 5), weights=weights)
    found = replace(result, choice=choice).alternatives()
    assert [each.clustering.n_clusters for each in found] == [2, 5, 1]
    assert [each.weight for each in found] == [0.2, 0.15, 0.1]
