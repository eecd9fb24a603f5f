"""`cluster` and what it returns."""

from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from sklearn.cluster import KMeans

import incerta as ic
from incerta.api.clustering import reworded, typical_of
from incerta.exceptions import DataError, IncertaWarning
from incerta.metrics import clustering_accuracy
from tests.extras import needs
from tests.strategies import KINDS, make


@pytest.fixture(scope="module")
def blobs():
    return ic.datasets.make_uncertain_blobs(60, 2, 3, uncertainty=2.0, random_state=1)[
        0
    ]


@pytest.fixture(scope="module")
def measured(blobs):
    return ic.cluster(blobs, k=3)


def test_rules_of_auto(blobs, measured):
    assert measured.method == "AutoClusterer"
    assert "Values are measurements with errors" in measured.explain()
    believed = ic.cluster(blobs.with_meaning("belief"), k=3)
    assert believed.method == "AutoClusterer"
    assert "where its true value probably is" in believed.explain()


def test_the_label_is_the_most_probable_cluster(blobs, measured):
    others = ("RPC", "UKMeans", "UKMedoids", "ErrorMixture")
    for result in (measured, *(ic.cluster(blobs, 3, method) for method in others)):
        own = result.membership[np.arange(60), result.labels]
        np.testing.assert_array_equal(own, result.confidence)
        assert (own >= result.membership.max(axis=1) - 1e-9).all()
        np.testing.assert_array_equal(
            result.predict(blobs), result.predict_proba(blobs).argmax(axis=1)
        )
        told = "label other than" in result.explain()
        assert told == (result.labels != result.estimator.labels_).any()


def test_clusters_that_are_nobodys_most_probable_one_come_last(blobs):
    result = ic.cluster(blobs, 3, "UKMeans")
    model = result.estimator
    model.membership_ = np.column_stack(
        [0.3 * np.ones(60), np.zeros(60), 0.7 * np.ones(60)]
    )
    again = replace(result, estimator=model)
    assert again.n_clusters == 1
    assert (again.labels == 0).all()
    np.testing.assert_allclose(again.membership[0], [0.7, 0.3, 0.0])


def test_number_of_clusters_is_chosen(blobs):
    data = ic.datasets.make_uncertain_blobs(60, 2, 3, random_state=1)[0]
    result = ic.cluster(data, method="UKMeans")
    assert result.choice.k == result.n_clusters == 3
    told = result.explain()
    assert "3 clusters were chosen from 1 to 30 (plausibility 3: 0." in told
    assert f"if there are 3 clusters (plausibility {result.choice.weight:.2f})" in told
    density = ic.cluster(data, method="fdbscan")
    assert density.choice is None
    assert "FDBSCAN finds the number of clusters itself" in density.explain()


def test_methods_by_name_and_by_estimator(blobs):
    for name in ("CKMeans", "ckmeans", "UKMEDOIDS"):
        assert ic.cluster(blobs, 3, name).method.lower() == name.lower()
    given = ic.UKMeans(n_init=2)
    result = ic.cluster(blobs, 3, given)
    assert result.estimator.n_init == 2
    assert not hasattr(given, "labels_")  # it was copied
    assert ic.cluster(blobs, method=ic.UKMeans(4)).n_clusters == 4
    own = ic.WorldConsensus(KMeans(3), n_worlds=20)
    assert ic.cluster(blobs, 3, own).n_clusters == 3


@pytest.mark.parametrize("n_draws", [1, 2, 5])
def test_a_few_imputations_are_enough(n_draws):
    rng = np.random.default_rng(0)
    worlds = np.repeat([0.0, 9.0], 6)[:, None] + rng.normal(size=(n_draws, 12, 1))
    found = ic.cluster(ic.from_worlds(worlds), k=2, method="RPC")
    np.testing.assert_array_equal(found.labels, np.repeat([0, 1], 6))
    np.testing.assert_array_equal(found.predict(ic.from_worlds(worlds)), found.labels)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "dbskan"}, "method='dbskan' must be 'auto' or one of"),
        ({"k": 0}, "k=0 must be a whole number"),
        ({"k": "many"}, "k='many' must be"),
        ({"k": 2.5}, r"k=2\.5 must be"),
        ({"k": True}, "k=True must be"),
        ({"directions": 0}, "directions=0 must be a whole number of at least 1"),
        ({"random_state": "x"}, "random_state='x' must be a whole number, None"),
        ({"k": 3, "method": "FDBSCAN"}, "k=3 cannot be set for FDBSCAN"),
        ({"k": 99}, r"k=99 exceeds the number of objects \(60\); lower k"),
    ],
)
def test_bad_questions(blobs, options, message):
    with pytest.raises(ValueError, match=message):
        ic.cluster(blobs, **options)


def test_a_name_is_no_data():
    with pytest.raises(ValueError, match=r"X='stars.csv' is a name.*ic\.read"):
        ic.cluster("stars.csv")


def test_a_method_that_is_none(blobs):
    with pytest.raises(TypeError, match="must be 'auto', a name or an estimator"):
        ic.cluster(blobs, method=42)


def test_the_scale_is_the_standardizers(blobs):
    stretched = blobs.affine(np.array([1000.0, 1.0]))
    one, two = (ic.cluster(data, 3, "UKMeans") for data in (blobs, stretched))
    np.testing.assert_array_equal(one.labels, two.labels)
    plain = ic.cluster(blobs, 3, "UKMeans", scale=False)
    assert plain.scaler is None
    belief = ic.Deconvolver().fit_transform(blobs)
    expected = ic.UKMeans(3, random_state=0).fit(belief)
    np.testing.assert_array_equal(plain.estimator.labels_, expected.labels_)
    np.testing.assert_array_equal(plain.membership, expected.membership_)
    scaled = ic.Standardizer().fit_transform(blobs)
    belief = ic.Deconvolver().fit_transform(scaled)
    np.testing.assert_array_equal(
        one.membership, ic.UKMeans(3, random_state=0).fit(belief).membership_
    )


def test_errors_become_beliefs_and_the_answer_says_so(blobs):
    result = ic.cluster(blobs, 3, "UKMeans")
    assert "Values are measurements with errors" in result.explain()
    new = blobs[:5]
    scaled = result.scaler.transform(new)
    expected = result.estimator.predict_proba(result.deconvolver.transform(scaled))
    np.testing.assert_array_equal(result.predict_proba(new), expected)
    for other in (
        ic.cluster(blobs.with_meaning("belief"), 3, "UKMeans"),
        ic.cluster(blobs.mean(), 3, "UKMeans"),
    ):
        assert other.deconvolver is None
        assert "measurements with errors" not in other.explain()
    knowing = ic.cluster(blobs, 3, "ErrorMixture")
    assert knowing.deconvolver is None
    assert "Values are measurements with errors" in knowing.explain()


def test_other_laws_of_errors_count_by_their_covariance():
    rng = np.random.default_rng(0)
    low = rng.normal(size=(60, 2)) + 9.0 * np.repeat([0, 1], 30)[:, None]
    data = ic.from_interval(low, low + 1.0, meaning="error")
    result = ic.cluster(data, 2)
    assert (
        "Errors that are not Gaussian count by their mean and covariance."
        in result.explain()
    )
    moments = ic.from_gaussian(data.mean(), std=np.sqrt(data.variance()))
    same = ic.cluster(moments, 2)
    np.testing.assert_allclose(result.membership, same.membership, atol=1e-9)
    assert "not Gaussian" not in same.explain()


def test_features_without_information_are_named():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=(200, 3)) * [5.0, 0.0, 5.0]
    names = ["mass", "noise", "light"]
    data = ic.from_gaussian(
        truth + rng.normal(size=truth.shape), std=1.0, feature_names=names
    )
    told = ic.cluster(data, 2, "UKMeans").explain()
    assert "The values of these features are nearly all error: noise." in told


@needs("jinja2", "report")
def test_missing_values_are_left_out_of_profiles(tmp_path):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(60, 2)) + np.repeat([[0.0, 0.0], [9.0, 9.0]], 30, axis=0)
    values[rng.random(60) < 0.2, 0] = np.nan
    data = ic.from_gaussian(values, std=0.3, missing="infinite")
    for method in ("UKMeans", "ErrorMixture"):
        result = ic.cluster(data, 2, method)
        assert clustering_accuracy(np.repeat([0, 1], 30), result.labels) == 1.0
        profile = result.profile()
        expected = np.nanmean(values[:30], axis=0)
        np.testing.assert_allclose(profile.mean[result.labels[0]], expected)
        assert all(np.isfinite(part).all() for part in vars(profile).values())
        assert set(result.labels[result.typical()]) == {0, 1}
        result.report(tmp_path / "report.html")


def test_the_default_is_not_sure_of_chance():
    # Four blobs with very unequal errors: worlds around the values gave 0.3 at 0.99.
    rng = np.random.default_rng(1)
    centers, target = 2.0 * rng.normal(size=(4, 6)), rng.integers(4, size=300)
    X = centers[target] + rng.normal(size=(300, 6)) * rng.uniform(0.3, 1.2, size=6)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    logs = 0.8 * rng.normal(size=(300, 1)) + 0.27 * rng.normal(size=X.shape)
    std = 0.7 * np.exp(logs)
    data = ic.from_gaussian(X + std * rng.normal(size=X.shape), std=std)
    result = ic.cluster(data, 4)
    right = clustering_accuracy(target, result.labels)
    assert right > 0.75
    assert abs(right - result.confidence.mean()) < 0.1


def test_same_seed_same_answer(blobs, measured):
    again = ic.cluster(blobs, 3)
    np.testing.assert_array_equal(again.membership, measured.membership)
    free = ic.cluster(blobs, 3, "UKMeans", random_state=None)
    again = ic.cluster(blobs, 3, "UKMeans", random_state=free.seed)
    np.testing.assert_array_equal(free.membership, again.membership)


def test_warnings_are_kept_and_passed_on():
    data = ic.from_gaussian(np.random.default_rng(0).normal(size=(30, 2)), std=0.1)
    with pytest.warns(IncertaWarning, match="no radius leaves"):
        result = ic.cluster(data, k=9, method="FOPTICS")
    assert any("no radius leaves" in text for text in result.warnings)
    assert "Warnings:" in result.explain()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_data(kind):
    result = ic.cluster(make(kind, n=9, d=2, seed=5), 2, "UKMeans")
    assert len(result.labels) == 9
    assert ("The draws are joint" in result.explain()) == (kind == "worlds")
    assert ("no uncertainty" in result.explain()) == (kind == "exact")


@pytest.mark.parametrize(
    ("library", "maker", "kind"),
    [
        ("pandas", "DataFrame", "DataFrame"),
        ("polars", "DataFrame", "DataFrame"),
        ("pyarrow", "table", "Table"),
    ],
)
def test_the_table_goes_back_where_the_data_came_from(library, maker, kind):
    home = pytest.importorskip(library, reason=f"the table is of {library}")
    make_frame, kind = getattr(home, maker), getattr(home, kind)
    columns = {
        "star": ["a", "b", "c", "d"],
        "mass": [1.0, 1.1, 9.0, 9.2],
        "mass_error": [0.1, 0.2, 0.1, 0.3],
    }
    data = ic.from_frame(
        make_frame(columns), id="star", values=["mass"], errors="{}_error"
    )
    table = ic.cluster(data[[0, 1, 2, 3]], 2, "UKMeans").table()
    assert isinstance(table, kind)
    names = ["id", "cluster", "confidence", "runner_up", "label_set"]
    names += ["p_0", "p_1", "p_noise", "novelty"]
    found = table.column_names if library == "pyarrow" else list(table.columns)
    assert found == names
    plain = table["id"].to_pylist() if library == "pyarrow" else list(table["id"])
    assert plain == ["a", "b", "c", "d"]


def test_the_table_without_any_frame_library(blobs, monkeypatch):
    monkeypatch.setattr("incerta.api.result.installed", lambda name: False)
    table = ic.cluster(blobs, 3, "UKMeans").table()
    np.testing.assert_array_equal(table["cluster"].shape, (60,))


def test_where_confidence_says_nothing(blobs, measured):
    for data, k, why in (
        (blobs.mean(), 3, "the data have no uncertainty"),
        (blobs, 1, "there is one cluster"),
    ):
        for method in ("MMVar", "UKMeans"):
            result = ic.cluster(data, k, method)
            assert np.isnan(result.confidence).all()
            assert result.no_confidence_reason == why
            assert "confidence not applicable" in repr(result)
            assert f"Confidence is not applicable: {why}." in result.explain()
            assert len(result.unsure(0.99)) == 0
            assert len(result.typical()) == k
            assert {len(found) for found in result.label_sets()} == {1}
    assert measured.no_confidence_reason is None
    holes = np.where(np.arange(120).reshape(60, 2) % 7 == 0, np.nan, blobs.mean())
    assert (
        ic.cluster(
            ic.from_gaussian(holes, 0.0, missing="infinite"), 3
        ).no_confidence_reason
        is None
    )


@needs("jinja2", "report")
def test_noise_alone_is_not_certain(blobs, tmp_path):
    tiny = {"eps": 1e-6, "n_worlds": 3}
    with pytest.warns(IncertaWarning, match="all objects are noise in 3 of 3 worlds"):
        result = ic.cluster(blobs, method="dbscan", params=tiny)
    assert (result.n_clusters, result.no_confidence_reason) == (
        0,
        "there is no cluster",
    )
    assert "60 objects in 0 clusters, 60 noise by dbscan, confid" in repr(result)
    result.report(tmp_path / "report.html")
    assert "there is no cluster" in (tmp_path / "report.html").read_text()


def test_crumbs_are_named():
    values = np.random.default_rng(0).normal(size=(60, 2))
    values[7] += 40.0
    ids = [f"star {i}" for i in range(60)]
    data = ic.from_gaussian(values, std=0.1, ids=ids)
    told = ic.cluster(data, 2, "UKMeans").explain()
    assert "is only star 7: perhaps an outlier rather than" in told
    assert "alone" not in ic.cluster(data[:5], 5, "UKMeans").explain()


def test_label_sets(blobs, measured):
    result = measured
    for coverage in (0.5, 0.9, 1.0):
        for i, found in enumerate(result.label_sets(coverage)):
            assert found[0] == result.labels[i]
            held = result.membership[i, list(found)]
            assert held.sum() >= coverage - 1e-9
            assert (np.diff(held) <= 1e-9).all()
            # Without the last one there would be too little.
            assert len(found) == 1 or held[:-1].sum() < coverage
    assert {len(found) for found in result.label_sets(1e-9)} == {1}
    noisy = ic.cluster(blobs, method=ic.FDBSCAN(eps=0.4, n_worlds=20))
    assert any(-1 in found for found in noisy.label_sets(0.99))
    assert noisy.columns()["label_set"][0] == "|".join(map(str, noisy.label_sets()[0]))
    for coverage in (0.0, 1.1):
        with pytest.raises(ValueError, match=f"coverage={coverage} must be above 0"):
            result.label_sets(coverage)


def test_second_choice_and_noise():
    X = np.concatenate([np.linspace(0, 1, 20), np.linspace(5, 6, 20), [1.4, 40.0]])
    std = np.full((42, 1), 0.05)
    std[-2] = 1.5
    data = ic.from_gaussian(X[:, None], std=std)
    result = ic.cluster(data, method=ic.FDBSCAN(0.5, 4), scale=False)
    np.testing.assert_array_equal(result.labels[:40], np.repeat([0, 1], 20))
    assert result.labels[-1] == -1
    assert result.runner_up[-1] == -1  # nothing else is possible
    assert "noise" in repr(result)
    chances = np.column_stack([result.membership, result.noise])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0)
    for i in range(42):
        others = {c: chances[i, c] for c in (0, 1, -1) if c != result.labels[i]}
        best = max(others.values())
        if best > 0:
            assert others[result.runner_up[i]] == best
        else:
            assert result.runner_up[i] == -1


def test_unsure_objects_are_named(blobs):
    result = ic.cluster(blobs, 3, "UKMeans")
    named = result.unsure(0.8)
    confidence = dict(zip(result.ids.tolist(), result.confidence))
    assert set(named) == {i for i, c in confidence.items() if c < 0.8}
    assert np.all(np.diff([confidence[i] for i in named]) >= 0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        result.unsure(80)


def test_profile_and_typical_objects(blobs):
    result = ic.cluster(blobs, 3, "UKMeans")
    profile, means = result.profile(), blobs.mean()
    for c in range(3):
        members = result.labels == c
        assert profile.size[c] == members.sum()
        np.testing.assert_allclose(profile.mean[c], means[members].mean(axis=0))
        np.testing.assert_allclose(profile.spread[c], means[members].std(axis=0))
        rms = np.sqrt(blobs.variance()[members].mean(axis=0))
        np.testing.assert_allclose(profile.error[c], rms)
        np.testing.assert_allclose(
            profile.confidence[c], result.confidence[members].mean()
        )
        typical = result.typical()[c]
        assert result.labels[typical] == c
        assert result.confidence[typical] >= np.median(result.confidence[members])


def test_what_may_be_of_another_cluster_is_not_typical():
    labels, means = np.zeros(5, dtype=int), np.array([[-2], [-1], [0], [1.5], [2.5]])
    confidence = np.array([0.6, 0.9, 0.5, 1.0, 0.7])
    assert typical_of(labels, 1, means, confidence).tolist() == [1]
    assert typical_of(labels, 1, means, np.full(5, np.nan)).tolist() == [2]


def test_new_objects_come_in_their_own_units(blobs):
    result = ic.cluster(blobs.affine(np.array([1000.0, 1.0])), 3, "UKMeans")
    np.testing.assert_array_equal(result.predict(result.data), result.labels)
    np.testing.assert_allclose(result.predict_proba(result.data), result.membership)


def test_pictures(blobs):
    pytest.importorskip("matplotlib")
    rpc = ic.cluster(blobs, 3, "RPC")
    for kind in ("scatter", "membership", "coassociation", "divergences", "objective"):
        assert getattr(rpc.plot, kind)().get_figure() is not None
    with pytest.raises(ValueError, match="RPC has no reachability to draw"):
        rpc.plot.reachability()
    with pytest.raises(ValueError, match="use k='auto'"):
        rpc.plot.choice()
    foptics = ic.cluster(blobs, method=ic.FOPTICS(5, eps="auto"))
    assert foptics.plot.reachability().get_ylabel()


def test_one_object():
    result = ic.cluster(ic.from_gaussian([[1.0, 2.0]], std=0.1), method="UKMeans")
    np.testing.assert_array_equal(result.labels, [0])
    assert result.reasons[-1] == "A single object."
    assert "<Clustering: 1 object in 1 cluster by UKMeans" in repr(result)
    asked = ic.cluster(ic.from_gaussian([[1.0]], std=0.1), 1, "UKMeans")
    assert "1 cluster, as requested." in asked.reasons


def test_columns_of_predictions_are_those_of_the_labels():
    data = ic.from_gaussian([[0.0], [9.0], [0.5], [9.5]], std=0.5)
    result = ic.cluster(data, 2, "UKMeans")
    other = copy(result.estimator)  # the same, after a cluster that no object has
    shares = result.estimator.predict_proba
    other.membership_ = np.column_stack([np.zeros(4), other.membership_])
    other.labels_ = other.labels_ + 1
    other.predict_proba = lambda X: np.column_stack([np.zeros(len(X)), shares(X)])
    renamed = replace(result, estimator=other)
    np.testing.assert_array_equal(renamed.labels, result.labels)
    expected = np.column_stack([result.predict_proba(data), np.zeros(4)])
    np.testing.assert_array_equal(renamed.predict_proba(data), expected)


def test_nothing_to_cluster(blobs):
    for door in (ic.cluster, ic.choose_k, ic.UKMeans(2).fit, ic.ErrorMixture(2).fit):
        with pytest.raises(DataError, match="data has no objects"):
            door(blobs[[]])


@pytest.mark.parametrize("seed", [-1, 2**32, 2**64])
def test_a_seed_that_is_none(blobs, seed):
    with pytest.raises(ValueError, match=f"random_state={seed} must be .* 4294967295"):
        ic.cluster(blobs, 3, random_state=seed)


def test_other_words_keep_what_was_computed(blobs):
    result = ic.cluster(blobs, 3, "UKMeans")
    novelty = result.novelty
    other = reworded(result, command="incerta fit blobs.csv")
    assert (result.command, other.command) == (None, "incerta fit blobs.csv")
    assert other.novelty is novelty


@pytest.mark.parametrize("std", [0.0, 0.3])
@pytest.mark.parametrize("k", [2, "auto"])
def test_a_value_far_from_all_others_is_no_fault(std, k):
    rng = np.random.default_rng(0)
    values = rng.normal(size=(40, 2)) + 6.0 * np.repeat([[0, 0], [1, 0]], 20, axis=0)
    values[0, 0] = 1e9
    found = ic.cluster(ic.from_gaussian(values, std=std), k)
    assert np.isfinite(found.membership).all()
    assert (found.labels[1:] == found.labels[1]).all()
