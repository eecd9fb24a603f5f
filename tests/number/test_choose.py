import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from joblib import parallel_config
from sklearn.cluster import AgglomerativeClustering, KMeans
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta.number import KChoice, choose_k
from incerta.number.references import (
    adjusted_p_values,
    reference_means,
    reference_structure,
    shuffled_within,
    standardised,
)
from incerta.number.structure import dispersions, lloyd, structure_of

SQUARE = 10.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
FAST = {"ks": range(1, 6), "n_worlds": 4, "n_null": 19}
FASTER = FAST | {"ks": range(1, 4)}


def four_clusters(n=80, error=0.5, seed=0):
    rng = np.random.default_rng(seed)
    points = SQUARE[np.arange(n) % 4] + rng.standard_normal((n, 2))
    return ic.from_gaussian(points + error * rng.standard_normal((n, 2)), std=error)


def one_cluster(n=60, seed=0):
    rng = np.random.default_rng(seed)
    return ic.from_gaussian(rng.standard_normal((n, 2)), std=0.3)


# kernels ----------------------------------------------------------------------------


@st.composite
def labelled_means(draw):
    n, d, m = draw(st.integers(2, 12)), draw(st.integers(1, 3)), draw(st.integers(1, 4))
    means = draw(hnp.arrays(float, (n, d), elements=st.floats(-100, 100)))
    labels = draw(hnp.arrays(np.intp, (m, n), elements=st.integers(-1, 4)))
    return means - means.mean(axis=0), labels


@given(labelled_means())
def test_dispersions_by_hand(case):
    means, labels = case
    by_hand = [
        sum(
            np.square(means[row == c] - means[row == c].mean(axis=0)).sum()
            for c in np.unique(row)
        )
        for row in labels
    ]
    slack = 1e-9 * np.square(means).sum() + 1e-300
    np.testing.assert_allclose(dispersions(means, labels), by_hand, atol=slack)


def test_dispersion_is_never_zero():
    assert (dispersions(np.zeros((4, 2)), np.zeros((1, 4), np.intp)) > 0).all()


@pytest.mark.parametrize("k", [1, 2, 5])
def test_lloyd_is_k_means_in_every_world(k):
    rng = np.random.default_rng(k)
    values = rng.standard_normal((6, 40, 3))
    starts = values[:, :k]
    labels, centres = lloyd(values, starts, 300)
    for world, start, row, found in zip(values, starts, labels, centres):
        kmeans = KMeans(k, init=start, n_init=1, tol=0.0).fit(world)
        np.testing.assert_array_equal(kmeans.labels_, row)
        np.testing.assert_allclose(kmeans.cluster_centers_, found, atol=1e-9)


def test_a_cluster_without_objects_stays():
    values = np.array([[[0.0], [1.0]]])
    labels, centres = lloyd(values, np.array([[[0.5], [9.0]]]), 5)
    assert labels.tolist() == [[0, 0]]
    assert centres.tolist() == [[[0.5], [9.0]]]


def test_structure_by_hand():
    data = one_cluster(40)
    worlds = data.worlds(4, 0).stack()
    found = structure_of(data.mean(), worlds, (1, 3), AgglomerativeClustering(), 0)
    each = [AgglomerativeClustering(3).fit_predict(world) for world in worlds]
    agreement = [adjusted_rand_score(a, b) for a in each for b in each if a is not b]
    means = data.mean() - data.mean().mean(axis=0)
    assert found.stability == pytest.approx([1.0, np.mean(agreement)])
    expected = [np.square(means).sum(), dispersions(means, np.array(each)).mean()]
    assert found.dispersion == pytest.approx(expected)
    assert found.labels.shape == (2, 40)


@given(
    hnp.arrays(float, (6, 3), elements=st.floats(-5, 5)),
    st.sampled_from([1e-3, 0.1]),
)
def test_standardised_by_hand(table, least):
    found = standardised(table, least)
    for i, row in enumerate(table):
        others = np.delete(table, i, axis=0)
        spread = np.maximum(others.std(axis=0, ddof=1), least)
        expected = (row - others.mean(axis=0)) / spread
        np.testing.assert_allclose(found[i], expected, rtol=1e-5, atol=1e-6)


@given(hnp.arrays(float, (8, 3), elements=st.floats(-5, 5)))
def test_p_values_by_hand(table):
    by_hand = [sum(max(row) >= entry for row in table) / 8 for entry in table[0]]
    assert adjusted_p_values(table).tolist() == by_hand
    assert min(by_hand) >= 1 / 8


def test_p_values_are_uniform_under_the_null():
    rng = np.random.default_rng(0)
    tables = rng.exponential(size=(2000, 20, 4))
    least = [adjusted_p_values(standardised(t, 1e-3)).min() for t in tables]
    # Twenty equally likely values; 5 standard errors of a share.
    for level in (0.05, 0.1, 0.5):
        share = np.mean(np.array(least) <= level + 1e-9)
        assert abs(share - level) < 5 * np.sqrt(level * (1 - level) / 2000)


# references -------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "d"), [(50, 1), (50, 3), (12, 9)])
def test_references_keep_means_and_covariances(n, d):
    rng = np.random.default_rng(0)
    means = rng.standard_normal((n, d)) @ rng.standard_normal((d, d)) + 100.0
    labels = rng.integers(2, size=n)
    new = reference_means(means, labels, rng)
    assert not np.allclose(new, means)
    for c in range(2):
        old_part, new_part = means[labels == c], new[labels == c]
        np.testing.assert_allclose(new_part.mean(axis=0), old_part.mean(axis=0))
        expected = np.cov(old_part.T, bias=True)
        np.testing.assert_allclose(np.cov(new_part.T, bias=True), expected, atol=1e-9)


def test_references_of_single_and_equal_objects():
    means = np.array([[1.0, 2.0], [5.0, 5.0], [5.0, 5.0]])
    new = reference_means(means, np.array([0, 1, 1]), np.random.default_rng(0))
    np.testing.assert_allclose(new, means)


@given(st.lists(st.integers(-1, 3), min_size=1, max_size=20), st.integers(0, 99))
def test_shuffled_within_clusters(labels, seed):
    labels = np.array(labels, dtype=np.intp)
    givers = shuffled_within(labels, np.random.default_rng(seed))
    assert sorted(givers) == list(range(len(labels)))
    np.testing.assert_array_equal(labels[givers], labels)


def test_deviations_of_joint_data_stay_together(monkeypatch):
    rng = np.random.default_rng(0)
    points = rng.standard_normal((20, 2))
    # All objects of a draw move by the same step.
    data = ic.from_worlds(points + rng.standard_normal((7, 1, 2)))
    seen = []

    def look(means, worlds, *rest):
        seen.append(worlds - means)
        return structure_of(means, worlds, *rest)

    monkeypatch.setattr("incerta.number.references.structure_of", look)
    labels = np.zeros(20, dtype=np.intp)
    reference_structure(data, data.mean(), labels, (1, 2), "kmeans", 7, 0, 0)
    steps = (data.worlds(7).stack() - data.mean())[:, :1]
    np.testing.assert_allclose(seen[0], np.repeat(steps, 20, axis=1))


# the choice -------------------------------------------------------------------------


def test_no_clusters():
    # At the level of 0.05 four or more of twelve happen in one case of 500.
    answers = [
        choose_k(one_cluster(40, s), **FASTER, random_state=s).k for s in range(12)
    ]
    assert answers.count(1) >= 9


def test_uniform_data_have_no_clusters():
    rng = np.random.default_rng(0)
    sets = [ic.from_gaussian(rng.uniform(size=(40, 2)), std=0.03) for _ in range(12)]
    assert [choose_k(x, **FASTER, random_state=0).k for x in sets].count(1) >= 9


def test_four_clusters():
    answers = [
        choose_k(four_clusters(seed=s), **FAST, random_state=s).k for s in range(3)
    ]
    assert answers.count(4) >= 2


@pytest.mark.slow
def test_both_claims():
    settings = {"n_worlds": 10, "ks": range(1, 8)}
    seeds = range(20)
    ones = [choose_k(one_cluster(80, s), **settings, random_state=s).k for s in seeds]
    fours = [
        choose_k(four_clusters(160, seed=s), **settings, random_state=s).k
        for s in seeds
    ]
    # Of 20 cases with probability 0.95 fewer than 16 succeed in one of 400.
    assert ones.count(1) >= 16
    assert fours.count(4) >= 16


def test_what_is_told():
    found = choose_k(four_clusters(), **FAST, random_state=0)
    assert isinstance(found, KChoice)
    assert (found.k, found.ks, found.n_worlds, found.seed) == (
        4,
        (1, 2, 3, 4, 5),
        4,
        0,
    )
    assert found.null_scores.shape == (19, 5)
    assert ((found.p_values > 0) & (found.p_values <= 1)).all()
    assert found.p_values[0] == found.scores[0] == 1.0
    assert found.p_more[0] == found.p_values.min() == 1 / 20
    assert (found.p_more[:3] <= 0.05).all()
    assert found.p_more[3] > 0.05
    assert np.isnan(found.p_more[4:]).all()
    text = str(found)
    assert text.startswith("4 clusters, of 1 to 5 that were tried.")
    assert max(map(len, text.splitlines())) <= 80
    assert repr(found) == "KChoice(k=4, ks=(1, 2, 3, 4, 5), seed=0)"


def test_words_at_the_ends():
    one = str(choose_k(one_cluster(30), ks=[1, 2], n_null=19, random_state=0))
    assert one.startswith("1 cluster, ")
    assert "fewer" not in one
    last = str(choose_k(four_clusters(), **FAST | {"ks": (2, 4)}, random_state=0))
    assert "There may be more" in last
    assert "references with 2 clusters" in last


def test_same_seed_same_answer_for_any_number_of_jobs():
    data = four_clusters(40)
    settings = FAST | {"ks": [4, 1, 2], "random_state": 3}
    once = choose_k(data, **settings)
    with parallel_config("threading"):  # processes take seconds to start
        again = choose_k(data, **settings, n_jobs=2)
    assert once.k == again.k
    for name in ("scores", "null_scores", "p_values", "p_more"):
        np.testing.assert_array_equal(getattr(once, name), getattr(again, name))
    other = choose_k(data, **settings | {"random_state": 4})
    assert not np.array_equal(once.null_scores, other.null_scores)


@pytest.mark.parametrize("kind", ["joint", "samples", "exact"])
def test_every_kind_of_data(kind):
    rng = np.random.default_rng(1)
    points = SQUARE[np.arange(60) % 4] + rng.standard_normal((60, 2))
    draws = points + 0.3 * rng.standard_normal((8, 60, 2))
    make = {
        "joint": lambda: ic.from_worlds(draws),
        "samples": lambda: np.swapaxes(draws, 0, 1),
        "exact": lambda: points,
    }
    found = choose_k(make[kind](), **FAST, random_state=0)
    assert found.k == 4
    assert found.n_worlds == (1 if kind == "exact" else 4)


def test_an_estimator_of_ones_own():
    settings = FAST | {"ks": (1, 2, 4, 5), "n_worlds": 3}
    found = choose_k(
        four_clusters(48), method=AgglomerativeClustering(), random_state=0, **settings
    )
    assert found.k == 4


def test_many_objects_are_sampled():
    found = choose_k(four_clusters(4000), **FAST, max_objects=80, random_state=0)
    assert found.k == 4


@pytest.mark.parametrize("d", [1, 2])
def test_equal_objects_are_one_cluster(d):
    assert choose_k(np.ones((12, d)), ks=[1, 2, 3], n_null=19, random_state=0).k == 1


def test_as_many_clusters_as_objects():
    found = choose_k(one_cluster(6), ks=range(1, 7), n_null=19, random_state=0)
    assert found.k in found.ks


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"ks": [1, 21]}, "only 20 objects"),
        ({"ks": [1, 11], "max_objects": 10}, "only 10 objects"),
        ({"ks": [0, 1]}, "at least 1"),
        ({"ks": [1, 2.5]}, "whole numbers"),
        ({"ks": [1, 2, 2]}, "twice"),
        ({"ks": [3]}, "at least two"),
        ({"ks": []}, "at least two"),
        ({"n_null": 5}, "at least 19"),
        ({"alpha": 1.0}, "alpha"),
        ({"n_worlds": 0}, "n_worlds"),
        ({"method": "ward"}, "method"),
        ({"method": KMeans}, "method"),
    ],
)
def test_what_cannot_be_done(wrong, words):
    with pytest.raises(ValueError, match=words):
        choose_k(one_cluster(20), **{"ks": [1, 2], "random_state": 0} | wrong)


def test_plot_draws_where_it_is_told_to():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    found = choose_k(one_cluster(20), ks=[1, 2, 3], n_null=19, random_state=0)
    ax = plt.figure().subplots()
    before = plt.get_fignums()
    assert found.plot(ax) is ax
    assert plt.get_fignums() == before
    own = found.plot()
    assert own is not ax
    assert own.get_xlabel() == "number of clusters"
    plt.close("all")


def test_a_single_number_is_nothing_to_choose_from():
    with pytest.raises(TypeError, match=r"ks=5 must hold the numbers to try"):
        choose_k(np.zeros((4, 1)), 5)
