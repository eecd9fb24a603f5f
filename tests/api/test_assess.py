"""`assess`: verdicts on labels from anywhere."""

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans

import incerta as ic


def blobs(n=300, apart=6.0, k=3, seed=0, error=0.5):
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % k
    std = error * np.exp(0.5 * rng.normal(size=(n, 2)))
    values = rng.normal(size=(n, 2)) + std * rng.normal(size=(n, 2))
    values[:, 0] += apart * labels
    return ic.from_gaussian(values, std=std), labels


def verdicts(found):
    return {(pair.one, pair.other): pair.verdict for pair in found.pairs}


def test_true_clusters_are_separate():
    found = ic.assess(*blobs())
    told = verdicts(found)
    assert {told[0, 1], told[1, 2]} == {"separate"}
    assert found.score > 0.9
    assert not any(each.hides_two for each in found.clusters)
    np.testing.assert_array_equal(found.joined(), found.names[found.codes])


@pytest.mark.parametrize("k", [2, 3, 5])
def test_pieces_of_one_cluster_are_not(k):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(600, 3))
    labels = KMeans(k, n_init=2, random_state=0).fit_predict(values)
    found = ic.assess(values, labels)
    assert set(verdicts(found).values()) == {"no valley shown"}
    assert found.score > 0.5  # which is why prediction is not enough
    assert len(set(found.joined().tolist())) == 1
    assert np.isnan(found.score_joined)


def test_pieces_of_a_bent_cluster_are_connected_by_those_between():
    rng = np.random.default_rng(0)
    angle = rng.uniform(0.0, np.pi, 900)
    values = 4.0 * np.column_stack([np.cos(angle), np.sin(angle)])
    values += 0.3 * rng.normal(size=values.shape)
    found = ic.assess(values, np.digitize(angle, [1.0, 2.1]))
    ends = next(p for p in found.pairs if (p.one, p.other) == (0, 2))
    assert ends.depth > 3.0  # the straight line between them is empty
    assert ends.verdict == "no valley shown"


def test_two_clusters_under_one_label_are_found():
    data, labels = blobs(k=4, n=800)
    found = ic.assess(data, np.array(["a", "a", "b", "c"])[labels])
    told = {each.label: each.hides_two for each in found.clusters}
    assert told == {"a": True, "b": False, "c": False}
    assert "Label a may hide two clusters" in found.sentences()[2]


def test_a_few_wrong_labels_far_away_are_no_half():
    data, labels = blobs(k=3, n=600)
    labels[:6] = (labels[:6] + 1) % 3
    found = ic.assess(data, labels)
    assert not any(np.isnan(each.depth_within) for each in found.clusters)
    assert not any(each.hides_two for each in found.clusters)


def test_few_objects_are_not_judged():
    data, labels = blobs(n=120)
    found = ic.assess(data, labels)
    assert {pair.verdict for pair in found.pairs} == {"too few to tell"}
    assert all(np.isnan(pair.depth) and pair.law is None for pair in found.pairs)
    assert all(np.isnan(each.depth_within) for each in found.clusters)
    assert all(each.nearest is not None for each in found.clusters)
    assert "50 objects" in found.sentences()[1]


def test_clusters_sum_up_their_objects():
    data, labels = blobs(apart=3.0)
    found = ic.assess(data, labels)
    for each in found.clusters:
        own = labels == each.label
        assert each.size == own.sum()
        assert each.sure == pytest.approx(found.probability[own, each.label].mean())
        assert each.wrong == pytest.approx((1.0 - found.right[own]).sum())
        near = [p for p in found.pairs if each.label in (p.one, p.other)]
        assert each.depth == min(pair.depth for pair in near)
    assert found.wrong == pytest.approx(sum(each.wrong for each in found.clusters))


def test_score_is_the_share_of_entropy_that_is_told():
    data, labels = blobs(apart=3.0)
    found = ic.assess(data, labels)
    cross = -np.log(found.probability[np.arange(300), labels]).mean()
    assert found.score == pytest.approx(1.0 - cross / np.log(3.0))


def test_a_random_labeling_is_not_told():
    data, labels = blobs(n=600)
    found = ic.assess(data, np.random.default_rng(0).permutation(labels))
    assert found.score < 0.02


def test_look_lists_the_worst_first():
    data, labels = blobs()
    given = labels.copy()
    given[[5, 70, 200]] = (given[[5, 70, 200]] + 1) % 3
    found = ic.assess(data, given)
    assert set(found.look.tolist()) >= {5, 70, 200}
    right = found.right[found.look]
    assert (np.diff(right) >= 0.0).all()
    assert right[-1] < 0.5
    assert found.likeliest[5] == labels[5]


@pytest.mark.parametrize("coverage", [0.8, 0.95])
def test_sets_hold_the_label_as_often_as_promised(coverage):
    data, labels = blobs(n=3000, apart=2.0)
    sets = ic.assess(data, labels).sets(coverage)
    held = np.mean([own in each for own, each in zip(labels, sets, strict=True)])
    assert held == pytest.approx(coverage, abs=0.01)


def test_missing_labels_are_predicted_and_not_assessed():
    data, labels = blobs()
    words = np.array(["a", "b", "c"], object)[labels]
    words[:4] = [None, np.nan, "", None]
    found = ic.assess(data, words)
    assert (found.codes[:4] == -1).all()
    assert np.isnan(found.right[:4]).all()
    assert np.isnan(found.own[:4]).all()
    np.testing.assert_array_equal(found.likeliest[:4], ["a", "b", "c", "a"])
    assert found.joined()[:5].tolist() == [None, None, None, None, "b"]
    assert found.clusters[0].size == 98


@pytest.mark.parametrize(
    "given",
    [
        lambda labels: labels.tolist(),
        lambda labels: labels.astype(float),
        lambda labels: pd.Series(labels),
        lambda labels: labels.astype(np.int8),
    ],
)
def test_numbers_stay_numbers(given):
    data, labels = blobs()
    assert ic.assess(data, given(labels)).names.tolist() == [0, 1, 2]


def test_words_and_categories():
    data, labels = blobs()
    words = pd.Categorical(np.array(["x", "y", "z"])[labels])
    assert ic.assess(data, words).names.tolist() == ["x", "y", "z"]
    assert ic.assess(data, labels == 1).names.tolist() == [False, True]


def test_missing_labels_of_any_library_and_words_that_are_numbers():
    data, labels = blobs()
    words = pd.Series(np.array(["a", "b", "c"])[labels], dtype="string")
    words[:3] = pd.NA
    assert ic.assess(data, words).codes[:4].tolist() == [-1, -1, -1, 0]
    endless = np.where(labels == 2, np.inf, labels)
    assert ic.assess(data, endless).names.tolist() == ["0.0", "1.0", "inf"]


def test_noise_is_a_label_that_is_not_compared():
    data, labels = blobs(k=4, n=800)
    found = ic.assess(data, np.where(labels == 3, -1, labels))
    assert found.names.tolist() == [-1, 0, 1, 2]
    assert [each.label for each in found.clusters] == [0, 1, 2]
    assert all(-1 not in (pair.one, pair.other) for pair in found.pairs)
    assert found.probability.shape == (800, 4)


def test_a_single_label():
    data, _ = blobs(k=1)
    found = ic.assess(data, ["all"] * 300)
    assert np.isnan(found.score)
    assert found.pairs == []
    assert found.clusters[0].nearest is None
    assert "no second label" in found.explain()


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], "shape"),
        (np.zeros((300, 1)), "shape"),
        ([None] * 300, "no label at all"),
        (np.arange(300), "300 different labels"),
    ],
)
def test_labels_that_are_none(labels, message):
    with pytest.raises(ic.exceptions.DataError, match=message):
        ic.assess(blobs()[0], labels)


def test_coverage_is_a_share():
    found = ic.assess(*blobs(n=90))
    with pytest.raises(ValueError, match="coverage=95 "):
        found.sets(95)


def test_the_same_answer_again_and_from_a_file(tmp_path):
    data, labels = blobs()
    found, again = ic.assess(data, labels), ic.assess(data, labels)
    np.testing.assert_array_equal(found.probability, again.probability)
    found.save(tmp_path / "labels.incerta")
    loaded = ic.load(tmp_path / "labels.incerta")
    assert loaded.explain() == found.explain()
    np.testing.assert_array_equal(loaded.right, found.right)
    assert [pair.depth for pair in loaded.pairs] == [pair.depth for pair in found.pairs]


def test_table_has_a_row_for_each_object():
    data, labels = blobs()
    frame = ic.assess(data, labels).table()
    assert frame.columns.tolist() == [
        *("id", "label", "probability", "right", "likeliest", "label_set"),
        *("p_0", "p_1", "p_2"),
    ]
    assert frame["label"].tolist() == labels.tolist()
    np.testing.assert_allclose(frame[["p_0", "p_1", "p_2"]].sum(axis=1), 1.0)


def test_objects_with_gaps_and_with_many_values():
    data, labels = blobs()
    values = data.mean().copy()
    values[::7, 1] = np.nan
    gaps = ic.from_gaussian(values, std=np.sqrt(data.variance()), missing="infinite")
    assert verdicts(ic.assess(gaps, labels))[0, 1] == "separate"
    rng = np.random.default_rng(0)
    many = data.mean()[:, None] + 0.3 * rng.normal(size=(300, 5, 2))
    for meaning in ("error", "spread"):
        several = ic.from_array(many, meaning=meaning)
        assert verdicts(ic.assess(several, labels))[0, 1] == "separate"


def test_wrong_labels_connect_nothing():
    rng = np.random.default_rng(0)
    places, labels = 5.0 * rng.normal(size=(6, 4)), rng.integers(0, 6, 6000)
    given = labels.copy()
    given[rng.permutation(6000)[:300]] = 3
    found = ic.assess(places[labels] + rng.normal(size=(6000, 4)), given)
    assert set(verdicts(found).values()) == {"separate"}
    assert found.wrong == pytest.approx((given != labels).sum(), rel=0.2)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", [3, 5, 7])
def test_a_label_of_a_single_object(seed):
    data, labels = blobs(n=200, k=2)
    given = labels.copy()
    given[0] = 2
    found = ic.assess(data, given, random_state=seed)
    assert verdicts(found) == {
        (0, 1): "separate",
        (0, 2): "too few to tell",
        (1, 2): "too few to tell",
    }
