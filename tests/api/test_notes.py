"""What is said about crumbs, objects unlike others, and skew."""

import numpy as np
import pytest

import incerta as ic
from incerta.api.clustering import predicted
from incerta.api.notes import crumbs, in_views, named, skewed, unlike, unlike_fit
from incerta.cli.predict import _novel
from incerta.data.guess.described import of_numbers
from incerta.data.guess.guess import guess, remarks_on
from incerta.data.tables.spec import as_option
from incerta.exceptions import IncertaWarning
from incerta.report import summarize
from incerta.views.consensus import View
from incerta.views.look import MIXTURE, PLACES
from incerta.wording import for_readers

IDS = np.array([f"s{i}" for i in range(1000)])


def sized(*sizes):
    return np.repeat(np.arange(len(sizes)), sizes)


def test_crumbs():
    assert crumbs(IDS[:300], sized(149, 151), False) == []
    (told,) = crumbs(IDS[:60], sized(58, 2), False)
    assert "Cluster 1 is only s58 and s59: perhaps an outlier" in told
    assert "use method='FDBSCAN', which has noise" in told
    assert "FDBSCAN" not in crumbs(IDS[:60], sized(58, 2), True)[0]
    (told,) = crumbs(IDS, sized(500, 490, 10), False)
    assert "s990, s991, s992" in told
    assert "and 2 more: perhaps" in told
    assert crumbs(IDS, sized(500, 489, 11), False) == []
    (told,) = crumbs(IDS[:200], sized(195, 1, 1, 1, 2), False)
    assert told.startswith("4 clusters are tiny, of 1 to 2 objects each: s195, ")


def test_where_all_clusters_are_small_none_is_a_crumb():
    assert crumbs(IDS[:40], sized(*[2] * 20), False) == []
    assert crumbs(IDS[:10], sized(9, 1), False) == []
    assert crumbs(IDS[:19], sized(18, 1), False) == []  # of too few objects
    assert len(crumbs(IDS[:20], sized(19, 1), False)) == 1
    assert crumbs(IDS[:30], np.full(30, -1), True) == []


def view(score, weight, agreement):
    return View(score=score, stability=1.0, weight=weight, agreement=agreement)


def test_the_view_that_carried_the_answer():
    views = {"mixture": view(0.93, 0.8, 0.9), "centers": view(0.88, 0.2, 0.4)}
    assert in_views(20, views) == [
        "The answer is mainly that of Gaussian clusters (weight 0.80): the true values "
        "explain 93% of their labels."
    ]
    views["nearness of laws"] = view(0.7, 0.0, 0.09)
    assert in_views(20, views)[1:] == [
        "Clusters of near neighbors by whole distributions would group the objects "
        "quite differently (agreement 0.09); the true values explain 70% of their "
        "labels."
    ]
    views = {
        "mixture": view(0.9, 0.45, 0.9),
        "centers": view(0.9, 0.35, 0.9),
        "nearness": view(0.8, 0.2, 0.7),
    }
    assert in_views(20, views) == [
        "The answer is an average: Gaussian clusters and clusters around centers are "
        "about equally clear."
    ]
    del views["nearness"]
    assert "average: all views are about" in in_views(20, views)[0]
    assert in_views(19, views) == in_views(20, {}) == []
    for space in ("means", "deviations", "laws"):
        for name in (MIXTURE, *(f"{one} of {space}" for one in PLACES)):
            assert in_views(20, {name: view(1.0, 1.0, 1.0)})


def test_rings_are_no_clusters_around_centers():
    angle = np.tile(np.linspace(0.0, 2.0 * np.pi, 100, endpoint=False), 2)
    radius = np.repeat([0.4, 1.0], 100)
    rings = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    result = ic.cluster(ic.from_gaussian(rings, std=0.03), 2, random_state=0)
    assert ic.metrics.clustering_accuracy(radius > 0.7, result.labels) == 1.0
    said = "lusters around centers would group the objects quite differently"
    assert said in result.explain()
    assert said in str(summarize(result)["method"]["reasons"])


def test_objects_unlike_others():
    novelty = np.zeros(50)
    assert unlike(IDS[:50], novelty) == unlike_fit(IDS[:50], novelty) == []
    novelty[[3, 9]] = 3.2, 7.0
    assert unlike(IDS[:50], novelty) == [
        "2 objects are unlike all others: s9 and s3 (novelty 3.2 or more; 3 is 1 in "
        "1,000). Their labels mean little."
    ]
    assert unlike_fit(IDS[:50], novelty) == [
        "2 of 50 new objects are unlike those of the fit (novelty 3.2 or more; 3 is 1 "
        "in 1,000): s9 and s3; their labels mean little."
    ]
    novelty[3] = np.nan
    assert unlike(IDS[:50], novelty)[0].endswith("Its label means little.")
    assert unlike(IDS[:3], np.full(3, np.nan)) == []


def test_names():
    assert named(["a"]) == "a"
    assert named(["a", "b", "c"]) == "a, b and c"
    assert named(IDS[:20]).endswith("s7 and 12 more")


def test_skewed_features_should_be_logarithms():
    rng = np.random.default_rng(0)
    mass, radius = np.exp(1.5 * rng.normal(size=(2, 200)))
    age = rng.normal(10.0, 1.0, size=200)
    names = ["mass", "age", "radius"]
    values = np.column_stack([mass, age, radius])
    data = ic.from_gaussian(values, std=0.1, feature_names=names)
    told = skewed(data)
    assert "mass and radius are strongly skewed" in told
    assert "Try log=['mass', 'radius'] when the table is read." in told
    with for_readers(as_option):
        assert "Try --log mass,radius when" in skewed(data)
    assert "Try log='mass' when" in skewed(data.select(["mass", "age"]))
    assert skewed(data.select(["age"])) is None
    logs = ic.from_gaussian(np.log10(values), std=0.1)
    assert skewed(logs) is None
    assert skewed(data[:10]) is None
    with pytest.warns(IncertaWarning, match="mass and radius are strongly skewed"):
        result = ic.cluster(data, 2, "UKMeans")
    assert any("Try log=" in text for text in result.warnings)


def test_skew_that_a_logarithm_does_not_mend():
    rare = np.r_[np.full(190, 1.0), np.full(10, 30.0)][:, None]
    far = rare + np.random.default_rng(0).uniform(size=rare.shape)
    assert skewed(ic.as_uncertain(far)) is None
    below = np.exp(1.5 * np.random.default_rng(0).normal(size=(200, 1))) - 0.5
    assert skewed(ic.as_uncertain(below)) is None
    assert skewed(ic.as_uncertain(np.ones((30, 1)))) is None


def test_info_and_fit_agree_about_logarithms():
    rng = np.random.default_rng(0)
    columns = [
        *np.exp(rng.normal(size=(3, 60)) * [[0.8], [1.5], [2.5]]),
        *rng.exponential(size=(2, 60)),
        *(rng.pareto(1.0, size=(2, 60)) + 1.0),
        np.r_[np.full(55, 1.0), rng.uniform(1, 90, 5)],
    ]
    names = [f"f{i}" for i in range(len(columns))]
    described = [of_numbers(*pair) for pair in zip(names, columns, strict=True)]
    remarks = remarks_on(
        {column.name: column for column in described}, guess(described)
    )
    in_info = [name for name in names if "skewed: try log=" in remarks.get(name, ())]
    data = ic.from_gaussian(np.column_stack(columns), std=0.1, feature_names=names)
    assert 2 < len(in_info) < len(names)
    assert f"Try log={in_info!r}" in skewed(data)


def test_no_confidence_where_there_is_none_to_tell():
    data, _ = ic.datasets.make_uncertain_blobs(40, 2, 3, random_state=0)
    one = ic.cluster(data, 3, "kmeans", params={"n_worlds": 1})
    assert one.no_confidence_reason == "there is one world"
    assert np.isnan(one.confidence).all()
    assert np.isnan(predicted(one, data)["confidence"]).all()
    apart = ic.cluster(data[:4], 4, "UKMeans")
    assert apart.no_confidence_reason == "every object is a cluster of its own"
    assert "confidence not applicable" in repr(apart)
    alone = ic.cluster(data[:1])
    assert "measured so badly" not in alone.explain()
    assert not any("is not error" in text for text in summarize(alone)["sentences"])
    exact = ic.cluster(ic.from_gaussian(data.mean(), std=0.0), 3, "UKMeans")
    assert summarize(exact)["sentences"][1:] == [
        "Confidence is not applicable: the data have no uncertainty."
    ]


def test_what_predict_says_about_novelty():
    data, _ = ic.datasets.make_uncertain_blobs(40, 2, 3, random_state=0)
    result = ic.cluster(data, 3, "UKMeans")
    far = ic.from_gaussian([[1e3, 1e3]], std=1.0, ids=["far\x1b"])
    assert "1 of 1 new object is unlike those of the fit" in _novel(
        predicted(result, far)
    )
    assert "far\N{REPLACEMENT CHARACTER}; its" in _novel(predicted(result, far))
    assert _novel(predicted(result, data)) == "No object is unlike those of the fit."
    few = ic.cluster(data[:9], 2, "UKMeans")
    assert "too few objects" in _novel(predicted(few, data))
    bare = predicted(ic.UKMeans(2, random_state=0).fit(data), data)
    assert "novelty" not in bare
    assert "Novelty is not known" in _novel(bare)
