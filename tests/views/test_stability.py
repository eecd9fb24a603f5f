"""Which views find their clusters again."""

import numpy as np
import pytest
from sklearn.metrics import normalized_mutual_info_score

from incerta.views.look import Effort
from incerta.views.partition import joined, seen
from incerta.views.stability import in_parts, in_worlds
from incerta.views.truths import exact_look

EFFORT = Effort(("diag",), 2, 5, 1e-3, 50)


@pytest.mark.parametrize("n_worlds", [1, 2, 3, 7])
def test_worlds_are_compared_with_the_next_but_one(n_worlds):
    rng = np.random.default_rng(n_worlds)
    labels = list(rng.integers(3, size=(n_worlds, 4, 50)))
    expected = [
        np.mean(
            [
                normalized_mutual_info_score(
                    labels[w][view], labels[(w + 2) % n_worlds][view]
                )
                for w in range(n_worlds)
            ]
        )
        for view in range(4)
    ]
    if n_worlds < 3:  # there is none: a world is compared with itself
        expected = np.ones(4)
    np.testing.assert_allclose(in_worlds(labels, 3), expected, rtol=1e-6)


def test_views_without_anything_in_common_still_count():
    labels = [np.repeat([[0, 1]], 4, axis=0), np.repeat([[0, 0]], 4, axis=0)]
    assert (in_worlds([labels[0], labels[0], *labels, *labels], 2) > 0).all()


def test_rings_are_found_again_by_graphs_alone():
    rng = np.random.default_rng(0)
    angle, radius = rng.uniform(0, 2 * np.pi, 300), np.repeat([1.0, 3.0], [100, 200])
    rings = radius[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    rings += 0.05 * rng.normal(size=rings.shape)
    stable = in_parts(exact_look(rings), 2, False, EFFORT, 0)
    assert stable[2:].min() > 0.95
    assert stable[:2].max() < 0.8


@pytest.mark.parametrize(("n", "k"), [(3, 2), (50, 1)])
def test_nothing_is_asked_of_few_objects_or_of_one_cluster(n, k):
    values = np.random.default_rng(0).normal(size=(n, 2))
    np.testing.assert_array_equal(
        in_parts(exact_look(values), k, False, EFFORT, 0), np.ones(4)
    )
    np.testing.assert_array_equal(
        in_parts(exact_look(values), k, True, EFFORT, 0), np.ones(5)
    )


def test_parts_keep_known_labels():
    rng = np.random.default_rng(1)
    truth = rng.integers(3, size=60)
    values = 9.0 * np.eye(3)[truth] + rng.normal(size=(60, 3))
    known = np.where(np.arange(60) < 20, truth, -1)
    stable = in_parts(exact_look(values), 3, False, EFFORT, 0, known)
    np.testing.assert_allclose(stable, 1.0, atol=0.1)


def test_what_is_found_again_counts():
    """Of two views that disagree, the stable one has its way."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 2))
    views = seen(exact_look(values), 2, False, EFFORT, 0)
    one, other = np.arange(40) % 2, np.arange(40) // 20
    views = views._replace(labels=np.array([one, one, other, other]))
    for stable, expected in (([1, 1, 0.1, 0.1], one), ([0.1, 0.1, 1, 1], other)):
        found = joined(views, np.array(stable), 2, 0).fusion.labels_of(views.labels)
        assert normalized_mutual_info_score(found, expected) == pytest.approx(1.0)
