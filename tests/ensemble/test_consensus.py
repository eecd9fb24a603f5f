from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from incerta.ensemble import linkage as linkages
from incerta.ensemble.consensus import (
    METHODS,
    _keep_supported,
    agreed_number,
    aligned,
    consensus,
    matched,
    one_to_one,
    renamed,
    renamings,
)
from incerta.ensemble.linkage import (
    average_linkage,
    components,
    linked_by_average,
    patterns,
    together,
)
from incerta.ensemble.runs import Instability, mean_agreement, sources
from tests.strategies import examples

NOISES = ("separate", "cluster")
EVERY_METHOD = ("graph", *METHODS)
every_noise = pytest.mark.parametrize("noise", NOISES)
every_method = pytest.mark.parametrize("method", EVERY_METHOD)


# -- straight from the definitions ---------------------------------------------------


def coassociation(labels, noise):
    """Share of the worlds in which two objects have the same label."""
    m, n = labels.shape
    share = np.zeros((n, n))
    for row, u, v in product(labels, range(n), range(n)):
        share[u, v] += row[u] == row[v] and (row[u] >= 0 or noise == "cluster")
    return share / m


def parts(links):
    """Connected components, by following links."""
    n = len(links)
    label = np.full(n, -1)
    for start in range(n):
        todo = [start] if label[start] < 0 else []
        while todo:
            here = todo.pop()
            if label[here] < 0:
                label[here] = start
                todo += list(np.flatnonzero(links[here]))
    return label


def same_partition(a, b):
    np.testing.assert_array_equal(a[:, None] == a, b[:, None] == b)


@st.composite
def clusterings(draw, least=-1, most_worlds=6, most_objects=9):
    m, n = draw(st.integers(1, most_worlds)), draw(st.integers(1, most_objects))
    return draw(arrays(np.intp, (m, n), elements=st.integers(least, 3)))


def blurred(n=400, m=30, k=4, blur=0.6, noise=0.0, seed=0):
    """Labels of objects on a line, cut at the same places in every world."""
    rng = np.random.default_rng(seed)
    place = rng.integers(k, size=n) + rng.normal(scale=0.15, size=n)
    seen = place + rng.normal(scale=0.3 * blur, size=(m, n))
    labels = np.clip(np.rint(seen), 0, k - 1).astype(np.intp)
    labels[rng.random((m, n)) < noise] = -1
    return labels


# -- patterns ------------------------------------------------------------------------


@every_noise
@given(labels=clusterings())
def test_patterns_and_what_they_share(noise, labels):
    found = patterns(labels, noise)
    assert found.sizes.sum() == labels.shape[1]
    assert (np.diff(found.sizes) <= 0).all()
    assert len(found.sizes) == len(np.unique(labels, axis=1).T)
    one_hot = found.one_hot()
    share = (together(one_hot, one_hot) / len(labels))[
        np.ix_(found.of_object, found.of_object)
    ]
    np.testing.assert_allclose(share, coassociation(labels, noise), atol=1e-6)
    assert found.starts[-1] == one_hot.shape[1]


def test_many_clusters_take_the_sparse_way():
    labels = np.arange(200) // 2 + np.zeros((2, 1), dtype=np.intp)
    one_hot = patterns(labels, "separate").one_hot()
    np.testing.assert_array_equal(together(one_hot, one_hot), 2 * np.eye(100))


def test_patterns_with_equal_hashes_are_told_apart(monkeypatch):
    labels = blurred(20, m=3)
    expected = patterns(labels, "separate")

    class Zeros:
        def integers(self, high, size, dtype):
            return np.zeros(size, dtype)

    monkeypatch.setattr(np.random, "default_rng", lambda seed: Zeros())
    found = patterns(labels, "separate")
    np.testing.assert_array_equal(found.clusters, expected.clusters)
    np.testing.assert_array_equal(found.of_object, expected.of_object)


# -- linkage -------------------------------------------------------------------------


@given(sizes=st.lists(st.integers(1, 4), min_size=2, max_size=9), seed=st.integers(0))
def test_average_linkage_is_that_of_as_many_objects(sizes, seed):
    n = len(sizes)
    distances = squareform(np.random.default_rng(seed).random(n * (n - 1) // 2))
    place = np.repeat(np.arange(n), sizes)
    tree = linkage(squareform(distances[np.ix_(place, place)]), "average")
    merges, heights = average_linkage(distances.copy(), np.array(sizes))
    np.testing.assert_allclose(np.sort(heights), tree[len(place) - n :, 2])
    order = np.argsort(heights)
    for k in range(1, n + 1):
        links = np.zeros((n, n), dtype=bool)
        chosen = merges[order[: n - k]]
        links[chosen[:, 0], chosen[:, 1]] = links[chosen[:, 1], chosen[:, 0]] = True
        same_partition(parts(links)[place], fcluster(tree, k, "maxclust"))


@given(labels=clusterings(least=0, most_worlds=9), k=st.integers(1, 9))
def test_a_cut_leaves_the_number_asked_for(labels, k):
    found = patterns(labels, "separate")
    groups = linked_by_average(found, k, 0.5)
    assert len(np.unique(groups)) == min(k, len(found.sizes))


@given(labels=clusterings(least=0), threshold=st.sampled_from([0.3, 0.5, 0.8]))
def test_groups_of_the_average_are_together_on_average(labels, threshold):
    found = patterns(labels, "separate")
    groups = linked_by_average(found, None, threshold)[found.of_object]
    share = coassociation(labels, "separate")
    for a, b in product(np.unique(groups), repeat=2):
        mean = share[np.ix_(groups == a, groups == b)].mean()
        # No two groups could still be merged; inside a group it is more on average.
        assert mean > threshold if a == b else mean <= threshold + 1e-6


@every_noise
@given(labels=clusterings(), threshold=st.sampled_from([0.0, 0.3, 0.5, 0.99]))
def test_components_by_definition(noise, labels, threshold):
    found = patterns(labels, noise)
    links = coassociation(labels, noise) > threshold + 1e-9
    # Objects labeled alike are linked, unless they are noise too often.
    share = coassociation(labels, noise).diagonal()
    often = share > threshold + 1e-9
    groups = components(found, threshold)[found.of_object]
    same_partition(groups[often], parts(links)[often])


@every_noise
@pytest.mark.parametrize("blur", [0.3, 0.8, 1.5])
@pytest.mark.parametrize("threshold", [0.3, 0.5, 0.7, 0.9])
def test_components_of_many_objects_are_the_same(monkeypatch, noise, blur, threshold):
    found = patterns(blurred(300, 12, blur=blur, noise=0.1), noise)
    expected = components(found, threshold)
    monkeypatch.setattr(linkages, "MOST_PAIRS", 10)
    monkeypatch.setattr(linkages, "ROWS", 7)
    same_partition(components(found, threshold), expected)


@given(labels=clusterings(), threshold=st.sampled_from([0.0, 0.3, 0.5, 0.99]))
def test_components_of_many_odd_objects_are_the_same(labels, threshold):
    found = patterns(labels, "separate")
    expected = components(found, threshold)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(linkages, "MOST_PAIRS", 0)
        patch.setattr(linkages, "ROWS", 2)
        same_partition(components(found, threshold), expected)


# -- consensus -----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["graph", "coassociation", "vote"])
@every_noise
@given(labels=clusterings())
def test_laws_of_every_consensus(method, noise, labels):
    check_laws(method, noise, labels)


@every_noise
@examples(8)
@given(labels=clusterings())
def test_laws_of_k_means(noise, labels):
    check_laws("kmeans-binary", noise, labels)


def check_laws(method, noise, labels):
    found = consensus(labels, method, noise=noise)
    assert found.shape == labels.shape[1:]
    assert set(np.unique(found[found >= 0])) == set(range(found.max() + 1))
    assert (found[(labels < 0).mean(axis=0) > 0.5] == -1).all()
    if noise == "cluster" and method in ("kmeans-binary", "graph"):
        assert (found[(labels < 0).mean(axis=0) <= 0.5] >= 0).all()


@pytest.mark.parametrize("method", ["graph", "coassociation"])
@given(labels=clusterings(least=0), seed=st.integers(0, 999))
def test_names_of_clusters_do_not_matter(method, labels, seed):
    rng = np.random.default_rng(seed)
    named = np.array([rng.permutation(50)[row] for row in labels])
    same_partition(consensus(labels, method), consensus(named, method))


@every_method
@every_noise
@examples(10)
@given(labels=clusterings(least=-1, most_worlds=1))
def test_worlds_that_agree(method, noise, labels):
    found = consensus(np.repeat(labels, 5, axis=0), method, noise=noise)
    same_partition(found, labels[0])


@given(labels=clusterings(least=0))
def test_graph_at_the_highest_threshold_is_the_common_refinement(labels):
    found = consensus(labels, "graph", threshold=1 - 0.5 / len(labels))
    same_partition(found, np.unique(labels, axis=1, return_inverse=True)[1].ravel())


@given(labels=clusterings(least=0))
def test_graph_at_the_lowest_threshold_is_the_join(labels):
    found = consensus(labels, "graph", threshold=0.5 / len(labels))
    links = (labels[:, :, None] == labels[:, None, :]).any(axis=0)
    same_partition(found, parts(links))


def test_links_are_strict():
    labels = np.array([[0, 0], [0, 1]])
    np.testing.assert_array_equal(consensus(labels, "graph"), [0, 1])
    np.testing.assert_array_equal(consensus(labels, "graph", threshold=0.49), [0, 0])
    found = patterns(labels, "separate")
    assert len(set(linked_by_average(found, None, 0.5))) == 2
    assert len(set(linked_by_average(found, None, 0.49))) == 1


def test_noise_that_is_a_cluster_holds_together():
    # Together as noise in two worlds of four, in a cluster in one more.
    labels = np.array([[-1, -1, 0], [-1, -1, 0], [1, 1, 0], [2, 1, 0]])
    np.testing.assert_array_equal(
        consensus(labels, "graph", noise="cluster"), [0, 0, 1]
    )
    np.testing.assert_array_equal(consensus(labels, "graph"), [-1, -1, 0])


@every_method
@pytest.mark.parametrize("n_clusters", [None, 4])
def test_blurred_clusters_are_found(method, n_clusters):
    if method == "graph":
        n_clusters = None
    labels = blurred(blur=0.5, noise=0.05)
    truth = blurred(blur=0.0)[0]
    found = consensus(labels, method, n_clusters=n_clusters)
    assert adjusted_rand_score(truth, found) > 0.95
    if method != "graph":
        assert found.max() == 3


@pytest.mark.parametrize("n_clusters", [None, 4])
def test_many_objects_give_the_same_clusters(monkeypatch, n_clusters):
    labels = blurred(2000, blur=0.8, noise=0.05)
    expected = consensus(labels, n_clusters=n_clusters)
    monkeypatch.setattr(linkages, "MOST_PAIRS", 300)
    assert len(patterns(labels, "separate").sizes) > 600
    found = consensus(labels, n_clusters=n_clusters)
    assert (found >= 0).all()
    assert adjusted_rand_score(expected, found) > 0.97


def test_a_small_cluster_is_found_though_no_object_of_it_is_looked_at(monkeypatch):
    labels = blurred(1000, m=20, blur=1.0)
    rng = np.random.default_rng(0)
    stray = np.where(rng.random((20, 6)) < 0.9, 9, -1)  # six patterns of their own
    stray[0] = [-1, 9, 9, 9, 9, 9]
    labels = np.hstack([labels, stray])
    monkeypatch.setattr(linkages, "MOST_PAIRS", 30)
    found = consensus(labels)
    assert len(np.unique(found[-6:])) == 1
    assert found[-1] not in found[:-6]
    # With a number that is given there can be no more: they are with none.
    found = consensus(labels, n_clusters=4)
    assert (found[-6:] == -1).all()


def test_objects_on_which_worlds_disagree_join_a_cluster():
    labels = np.repeat([[0, 1, 2]], 10, axis=1).reshape(1, -1).repeat(9, axis=0)
    unsure = np.tile([0, 1, 2], 3)[:, None]
    found = consensus(np.hstack([labels, unsure]))
    assert found.max() == 2
    assert (found[:-1] == labels[0]).all()


def test_a_group_of_one_world_is_no_cluster():
    labels = np.repeat([[0] * 10 + [1] * 10], 5, axis=0)
    odd = np.array([[0], [0], [1], [1], [2]])  # alone in the last world only
    found = consensus(np.hstack([labels, odd]))
    assert found.max() == 1
    assert (found[:-1] == labels[0]).all()
    # In most worlds it is.
    found = consensus(np.hstack([labels, np.array([[0], [1], [2], [2], [2]])]))
    assert found.max() == 2


def test_without_a_majority_the_most_frequent_groups_are_clusters():
    labels = np.full((5, 6), -1)
    labels[0, :2] = labels[1:3, 2:4] = labels[3, 4:] = 0
    found = patterns(labels, "separate")
    assert _keep_supported(found, np.arange(3), 1).tolist() == [-1, 0, -1]
    assert _keep_supported(found, np.arange(3), 2).tolist() == [0, 1, -1]


def test_a_vote_by_definition():
    n_told_apart = 0
    for seed in range(12):
        labels = np.random.default_rng(seed).integers(3, size=(5, 12))
        likeness = [
            np.mean([adjusted_rand_score(a, b) for b in labels]) for a in labels
        ]
        votes = []
        for reference in labels[np.argsort(likeness)[[-1, 0]]]:
            names = aligned(labels, reference, 3)
            counts = [(names == c).sum(axis=0) for c in range(3)]
            votes.append(np.argmax(counts, axis=0))
        found = consensus(labels, "vote")
        if np.ptp(np.sort(likeness)[-2:]) > 1e-6:
            same_partition(found, votes[0])
            n_told_apart += adjusted_rand_score(*votes) < 1.0
    assert n_told_apart > 3  # another reference gives something else


def test_worlds_that_have_nothing_in_common_still_give_clusters():
    labels = np.random.default_rng(0).integers(3, size=(7, 40))
    assert 1 <= consensus(labels).max() + 1 <= 40


def test_the_number_most_worlds_have():
    labels = np.array([[0, 0, 1], [0, 1, 2], [5, 5, 7], [-1, -1, -1]])
    assert agreed_number(labels) == 2
    assert consensus(labels, "kmeans-binary").max() == 1


def test_a_vote_needs_a_reference():
    with pytest.raises(ValueError, match="n_clusters=3 clusters occur in no"):
        consensus(np.array([[0, 0, 1], [0, 1, 1]]), "vote", n_clusters=3)


@every_method
def test_noise_alone(method):
    np.testing.assert_array_equal(consensus(np.full((3, 4), -1), method), -1)


# -- names ---------------------------------------------------------------------------


def overlaps(row, labels, k):
    names = np.unique(row[row >= 0])
    return np.array(
        [[((row == a) & (labels == c)).sum() for c in range(k)] for a in names]
    )


@given(labels=clusterings(), k=st.integers(0, 3), seed=st.integers(0, 999))
def test_aligned_by_definition(labels, k, seed):
    n = labels.shape[1]
    target = (
        np.random.default_rng(seed).integers(-1, k, size=n) if k else np.full(n, -1)
    )
    found = aligned(labels, target, k)
    np.testing.assert_array_equal(found[labels < 0], -1)
    for row, new in zip(labels, found):
        names = np.unique(row[row >= 0])
        table = overlaps(row, target, k).reshape(len(names), k)
        targets = [set(new[row == name]) for name in names]
        assert all(len(t) == 1 for t in targets)  # a cluster stays one
        chosen = [t.pop() for t in targets]
        for line, c in zip(table, chosen):
            assert (c == -1) == (line.sum() == 0)
        # The best one-to-one matching, by trying all.
        size = max(table.shape, default=0)
        square = np.zeros((size, size))
        square[: len(names), :k] = table
        best = max(
            (
                square[np.arange(size), p].sum()
                for p in map(list, permutations(range(size)))
            ),
            default=0,
        )
        rows, columns = one_to_one(table) if table.size else ([], [])
        assert table[rows, columns].sum() == best if table.size else best == 0
        for i, line in enumerate(table):
            if i in rows:
                assert chosen[i] == columns[list(rows).index(i)]
            elif line.sum():
                assert line[chosen[i]] == line.max()


def test_names_of_new_objects():
    names = renamings(np.array([[4, 4, 9, -1]]), np.array([1, 1, 0, 0]), 2)
    found = renamed(np.array([[9, 4, -1, 5, 99]]), names)
    np.testing.assert_array_equal(found, [[0, 1, -1, -1, -1]])


def test_matched():
    table = np.array([[5, 4], [4, 0], [0, 3], [0, 0]])
    np.testing.assert_array_equal(matched(table), [1, 0, 1, -1])
    np.testing.assert_array_equal(matched(np.zeros((2, 0))), [-1, -1])


# -- stability -----------------------------------------------------------------------


@given(labels=clusterings(least=0))
def test_mean_agreement(labels):
    m = len(labels)
    pairs = [(i, j) for i in range(m) for j in range(i)]
    expected = np.mean(
        [adjusted_rand_score(labels[i], labels[j]) for i, j in pairs] or 1
    )
    assert mean_agreement(labels) == pytest.approx(expected, abs=1e-9)


def test_sources_of_disagreement():
    rng = np.random.default_rng(0)
    # One clustering per world, in which each run moves some objects.
    truth = np.repeat(rng.integers(3, size=(4, 60)), 5, axis=0)
    worlds = np.repeat(np.arange(4), 5)
    only = sources(truth, worlds)
    assert only.clusterer == 0.0
    assert only.uncertainty == only.total > 0.9
    assert only.share_of_uncertainty == 1.0
    runs = np.where(rng.random(truth.shape) < 0.2, 0, truth)
    both = sources(runs, worlds)
    assert 0.1 < both.clusterer < both.total
    assert both.uncertainty == pytest.approx(both.total - both.clusterer)
    same = sources(np.zeros((3, 5), dtype=np.intp), np.arange(3))
    assert (same.total, same.share_of_uncertainty) == (0.0, 0.0)
    one_world = sources(runs[:5], worlds[:5])
    assert one_world.uncertainty == 0.0
    assert one_world.total == one_world.clusterer > 0


def test_said_in_words():
    said = str(Instability(0.5, 0.1, 0.4))
    assert "80% of that comes from the uncertainty of the data (0.400)" in said
    assert max(map(len, said.splitlines())) <= 80
    assert "All runs agree" in str(Instability(0.0, 0.0, 0.0))
