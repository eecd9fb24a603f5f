"""What views agree on, and what they look at, against their definitions."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.metrics import normalized_mutual_info_score

import incerta as ic
from incerta.views import partition
from incerta.views.fusion import Fusion, agreement, fused
from incerta.views.look import Effort, linked
from incerta.views.truths import exact_look, measured_look
from tests.views.test_views import shared


@pytest.mark.parametrize("seed", range(4))
def test_rows_are_leading_eigenvectors_of_the_mean_projection(seed):
    """Projections on the clusters of a view, weighted by votes and agreement."""
    rng = np.random.default_rng(seed)
    truth = rng.choice(3, p=[0.7, 0.2, 0.1], size=60)
    labels = np.array([truth, truth, truth, rng.integers(3, size=60)])
    for row in labels[1:3]:
        wrong = rng.random(60) < 0.2
        row[wrong] = rng.integers(3, size=wrong.sum())
    votes = np.array([1.0, 1.0, 0.5, 0.5])
    fusion = fused(labels, votes, 3, 0)
    rows = sum(of_view[own] for of_view, own in zip(fusion.rows, labels))
    mean = np.zeros((60, 60))
    for row, weight in zip(labels, votes * agreement(shared(labels))):
        member = np.eye(3)[row]
        mean += weight * (member / member.sum(axis=0)) @ member.T
    values = np.linalg.eigvalsh(mean)[-3:]
    np.testing.assert_allclose(rows.T @ rows, np.eye(3), atol=1e-8)
    np.testing.assert_allclose(mean @ rows, rows * values, atol=1e-8)


def test_the_cluster_is_that_of_the_nearest_centre():
    rng = np.random.default_rng(0)
    rows, centres = rng.normal(size=(2, 4, 3)), rng.normal(size=(5, 3))
    centres[:2] *= 3.0  # far out, and so in the direction of many
    labels = rng.integers(4, size=(2, 50))
    found = Fusion(rows, centres, np.arange(5)[::-1]).labels_of(labels)
    for i in range(50):
        row = rows[0, labels[0, i]] + rows[1, labels[1, i]]
        apart = np.linalg.norm(row / np.linalg.norm(row) - centres, axis=1)
        assert found[i] == 4 - apart.argmin()


def test_a_mean_that_is_like_no_view_gives_way_to_the_best_of_them():
    """Here by votes of a view that has nothing to do with the three others."""
    rng = np.random.default_rng(0)
    truth = rng.integers(3, size=60)
    labels = np.array([truth, truth, truth, rng.integers(3, size=60)])
    labels[1, :5], labels[2, 5:10] = 0, 1
    for votes in ([1, 1, 1, 1], [1, 1, 1, 1e9]):
        found = fused(labels, np.array(votes, float), 3, 0).labels_of(labels)
        told = sum(normalized_mutual_info_score(row, found) for row in labels)
        others = shared(labels).sum(axis=1) - 1.0
        assert told >= others.max() - 1e-9


def test_known_labels_in_a_graph():
    graph = csr_array(np.array([[1, 0.5, 0.2, 0], [0.5, 1, 0, 0.3]] + [[0.2] * 4] * 2))
    known = np.array([0, 1, -1, 0])
    expected = graph.toarray()
    for i, j in np.ndindex(4, 4):
        if known[i] >= 0 and known[j] >= 0:
            expected[i, j] = float(known[i] == known[j])
    np.testing.assert_array_equal(linked(graph, known).toarray(), expected)
    assert linked(graph, None) is graph


def test_well_measured_objects_weigh_more_among_centres():
    values, std = np.array([[0.0, 1.0], [4.0, 1.0], [2.0, 7.0]]), [[0.1], [1.0], [9.0]]
    data = ic.from_gaussian(values, std=np.repeat(std, 2, axis=1))
    usual = values.var(axis=0).mean()
    look = measured_look(data, values)
    np.testing.assert_allclose(look.weights, 1.0 / (np.square(std).ravel() + usual))


def test_two_graphs_have_one_vote(monkeypatch):
    asked = []

    def noted(labels, votes, *others):
        asked.append((len(labels), votes.tolist()))
        return fused(labels, votes, *others)

    monkeypatch.setattr(partition, "fused", noted)
    values = np.random.default_rng(0).normal(size=(30, 2))
    effort = Effort(("diag",), 1, 1, 1e-3, 10)
    for of_laws in (False, True):
        views = partition.seen(exact_look(values), 2, of_laws, effort, 0)
        partition.joined(views, np.ones(len(views.labels)), 2, 0)
    assert asked == [(4, [1, 1, 0.5, 0.5]), (5, [1, 1, 0.5, 0.5, 1])]
