"""The summary says what the clustering says, and JSON can hold it."""

import dataclasses
import json
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import DBSCAN, KMeans
from sklearn.metrics import adjusted_rand_score

import incerta as ic
from incerta.api.answer import cluster
from incerta.api.comparison import on_values
from incerta.data.tables.spec import TableSpec
from incerta.estimators.named import KMEANS
from incerta.plot.frame import MOST_BEYOND, limits
from incerta.report import plain, summarize
from incerta.report.summarize import (
    COLUMNS,
    ROWS,
    _confidence,
    beyond,
    grid_of,
    picture,
    renumbered,
    shown_objects,
)
from incerta.wording import SURE, counted, joined, percent, share
from tests.report.examples import (
    HOSTILE,
    by_rpc,
    groups,
    hostile_objects,
    with_choice,
)

METHODS = [
    (ic.RPC(n_worlds=20, n_representatives=4), 3),
    (ic.UKMeans(), 3),
    (ic.UKMedoids(), 3),
    (ic.FDBSCAN(n_worlds=20), "auto"),
    (ic.FOPTICS(n_worlds=20), "auto"),
    (ic.published.REP(KMeans(3, n_init=1), n_worlds=20), "auto"),
    (ic.WorldConsensus(KMeans(3, n_init=1), n_worlds=20), 3),
]


@pytest.fixture(scope="module", params=METHODS, ids=lambda m: type(m[0]).__name__)
def result(request):
    method, k = request.param
    return cluster(groups(), k=k, method=method, random_state=3)


def test_summary_is_strict_json_and_survives_it(result):
    summary = summarize(result)
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    drawn = picture(result)
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn


def test_summary_says_what_the_result_says(result):
    summary = summarize(result)
    objects = summary["objects"]
    assert objects["id"] == result.ids.tolist()
    assert objects["cluster"] == result.labels.tolist()
    assert objects["confidence"] == result.confidence.tolist()
    assert objects["runner_up"] == result.runner_up.tolist()
    assert summary["method"]["seed"] == result.seed == 3
    assert summary["method"]["name"] == result.method
    assert summary["n_noise"] == (result.labels == -1).sum()
    assert sum(summary["confidence"]["histogram"]) == len(result.labels)


def test_clusters_against_a_loop(result):
    summary = summarize(result)
    means, names = result.data.mean(), list(result.ids)
    assert [one["cluster"] for one in summary["clusters"]] == list(
        range(result.n_clusters)
    )
    for one in summary["clusters"]:
        members = np.flatnonzero(result.labels == one["cluster"])
        assert one["size"] == len(members)
        assert one["share"] == pytest.approx(len(members) / len(means))
        assert one["mean"] == pytest.approx(means[members].mean(axis=0))
        assert one["spread"] == pytest.approx(means[members].std(axis=0), abs=1e-9)
        assert one["confidence"] == pytest.approx(result.confidence[members].mean())
        assert one["n_unsure"] == sum(result.confidence[members] < SURE)
        assert names.index(one["typical"]) in members


def test_runner_up_probability_is_its_membership(result):
    objects = summarize(result)["objects"]
    for i, (label, other) in enumerate(zip(objects["cluster"], objects["runner_up"])):
        expected = (
            0.0
            if other == label
            else (result.noise[i] if other < 0 else result.membership[i, other])
        )
        assert objects["runner_up_probability"][i] == pytest.approx(expected)


def test_least_certain_come_first(result):
    rows = summarize(result)["least_certain"]
    found = [row["confidence"] for row in rows]
    assert found == sorted(result.confidence)[: len(rows)]
    assert len(rows) == 10
    assert all(result.ids[row["position"]] == row["id"] for row in rows)


@given(
    st.lists(
        st.tuples(st.integers(-1, 3), st.integers(-1, 3), st.sampled_from([0.3, 0.8])),
        min_size=1,
        max_size=40,
    )
)
def test_unsure_pairs_against_a_counter(rows):
    labels, others, confidence = (np.array(column) for column in zip(*rows))
    found = _confidence(labels, confidence, others)["unsure_between"]
    pairs = Counter(
        tuple(sorted((a, b))) for a, b, sure in rows if sure < SURE and a != b
    )
    assert {tuple(one["clusters"]): one["n_objects"] for one in found}.items() <= (
        pairs.items()
    )
    counts = [one["n_objects"] for one in found]
    assert counts == sorted(pairs.values(), reverse=True)[: len(counts)]
    assert len(counts) == min(len(pairs), 5)


def test_shares_of_worlds_fall_into_their_own_bins():
    confidence = np.arange(11) / 10
    labels = np.zeros(11, dtype=int)
    found = _confidence(labels, confidence, labels - 1)["histogram"]
    assert found == [1] * 9 + [2]


@given(
    st.lists(st.integers(0, 5), min_size=1, max_size=60),
    st.integers(4, 20),
    st.integers(0, 4),
)
def test_shown_objects(levels, most, least_certain):
    confidence = np.array(levels) / 5
    found = shown_objects(confidence, most, least_certain)
    assert len(found) == min(len(levels), most)
    assert (np.diff(found) > 0).all()
    surest_left_out = np.delete(confidence, found).min(initial=np.inf)
    shown = np.sort(confidence[found])
    if len(levels) > most and least_certain:
        assert (shown[:least_certain] <= surest_left_out).all()


def test_picture_holds_means_and_covariances():
    result = by_rpc(groups(n_features=3))
    drawn = picture(result)
    assert drawn["axes"] == ["x0", "x1", "x2", "confidence"]
    assert len(set(drawn["first"])) == 2
    rows = drawn["position"]
    assert sorted(rows) == list(range(40))
    assert drawn["id"] == result.ids[rows].tolist()
    found = np.array(drawn["values"][:3]).T
    np.testing.assert_allclose(found, result.data.mean()[rows], rtol=1e-4)
    covariance = result.data.covariance()[rows]
    for key, values in drawn["covariances"].items():
        i, j = map(int, key.split(","))
        assert values == pytest.approx(covariance[:, i, j], rel=1e-4)
    assert len(drawn["covariances"]) == 6


def test_picture_offers_the_features_that_separate():
    rng = np.random.default_rng(0)
    means = rng.normal(size=(40, 9))
    means[:20, 7] += 30.0
    means[:20, 4] -= 30.0
    data = ic.from_gaussian(means, std=np.full_like(means, 0.1))
    drawn = picture(cluster(data, k=2, method="UKMeans"))
    assert len(drawn["axes"]) == 7
    assert {drawn["axes"][i] for i in drawn["first"]} == {"x4", "x7"}


def test_plot_and_report_show_the_same_axes_which_one_far_value_cannot_squeeze():
    rng = np.random.default_rng(0)
    means = rng.normal(size=(60, 6))
    means[:30, [3, 5]] += 12.0
    drawn = []
    for far in (means[50, 5], 1e6):
        means[50, 5] = far
        data = ic.from_gaussian(means, std=np.full_like(means, 0.1))
        method = ic.WorldConsensus(DBSCAN(eps=6.0), n_worlds=10)
        found = cluster(data, method=method, scale=False)
        drawn.append(picture(found))
        x, y = (drawn[-1]["axes"][i] for i in drawn[-1]["first"])
        ax = found.plot.scatter()
        assert {ax.get_xlabel(), ax.get_ylabel()} == {x, y} == {"x3", "x5"}
        assert ("1 object lies outside" in ax.get_title(loc="left")) == (far == 1e6)
        for j, ends in zip(drawn[-1]["first"], (ax.get_xlim(), ax.get_ylim())):
            low, high = drawn[-1]["limits"][j]
            room = 0.05 * (high - low)
            assert ends == pytest.approx((low - room, high + room))
    assert drawn[0]["limits"][:-1] == drawn[1]["limits"][:-1]


def test_one_feature_is_drawn_against_confidence():
    data = ic.from_gaussian([[0.0], [0.1], [5.0], [5.2]], std=np.full((4, 1), 0.1))
    drawn = picture(cluster(data, k=2, method="UKMeans"))
    assert [drawn["axes"][i] for i in drawn["first"]] == ["x0", "confidence"]


def test_many_objects_are_shown_in_part():
    rng = np.random.default_rng(0)
    means = rng.normal(size=(20_000, 2)) + 4.0 * rng.integers(0, 2, (20_000, 1))
    data = ic.from_gaussian(means, std=np.full_like(means, 0.5))
    result = cluster(data, k=2, method="UKMeans")
    summary, drawn = summarize(result), picture(result)
    assert summary["data"]["n_objects"] == 20_000
    assert sum(summary["confidence"]["histogram"]) == 20_000
    assert len(summary["objects"]["id"]) == 5000
    least = np.argsort(result.confidence, kind="stable")[:1000]
    assert set(least.tolist()) <= set(summary["objects"]["position"])
    least = np.argsort(result.confidence, kind="stable")[:1000]
    unsure = least[result.confidence[least] < SURE]
    assert set(unsure.tolist()) <= set(drawn["position"])
    assert drawn["n_ellipses"] == min(len(drawn["id"]), 1000)
    assert len(json.dumps([summary, drawn])) < 2_000_000


@given(
    st.integers(0, 1000),
    st.integers(1, 4),
    st.sampled_from(["normal", "heavy", "constant"]),
    st.booleans(),
)
def test_a_grid_and_the_points_hold_every_object_once(seed, n_axes, kind, gaps):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n_axes, 1200))
    if kind == "heavy":
        values = values**9 * 1e6
    if kind == "constant":
        values[0] = 1.0 / 7.0
    if gaps:
        values[-1, :50] = np.nan
    labels = rng.integers(-1, 3, 1200)
    ranges = limits(values.T).T
    outside = beyond(values, ranges)
    assert len(outside) <= 2 * MOST_BEYOND * n_axes
    grid = grid_of(values, labels, ranges)
    assert len(grid["cells"]) == n_axes * (n_axes - 1) // 2
    for key, (cells, owners, counts) in grid["cells"].items():
        i, j = map(int, key.split(","))
        known = ~np.isnan(values[[i, j]]).any(axis=0)
        assert grid["without"][key] == 1200 - known.sum()
        alone = np.isin(np.arange(1200), beyond(values[[i, j]], ranges[[i, j]]))
        for cluster_name in range(-1, 3):
            members = known & ~alone & (labels == cluster_name)
            counted = sum(n for n, c in zip(counts, owners) if c == cluster_name)
            assert counted == members.sum()
        assert set(np.flatnonzero(alone)) <= set(outside)
        for at in rng.choice(np.flatnonzero(known & ~alone), 20):
            (x0, x1), (y0, y1) = ranges[i], ranges[j]
            column = min(int((values[i, at] - x0) / ((x1 - x0) or 1) * COLUMNS), 59)
            row = min(int((values[j, at] - y0) / ((y1 - y0) or 1) * ROWS), 39)
            assert (column * ROWS + row, labels[at]) in zip(cells, owners)


def test_every_object_of_many_is_accounted_for():
    rng = np.random.default_rng(1)
    means = rng.standard_t(1.5, size=(3500, 3)) + 6.0 * rng.integers(0, 2, (3500, 1))
    data = ic.from_gaussian(means, std=np.full_like(means, 0.5))
    result = cluster(data, k=2, method="UKMeans")
    drawn = picture(result)
    rows = drawn["position"]
    places = np.vstack([means[rows].T, result.confidence[rows]])
    low, high = np.array(drawn["grid"]["ranges"]).T
    outside = (places < low[:, None]) | (places > high[:, None])
    for key, (_, _, counts) in drawn["grid"]["cells"].items():
        i, j = map(int, key.split(","))
        assert sum(counts) + (outside[i] | outside[j]).sum() == 3500
    assert sum(drawn["sizes"].values()) == 3500


def test_the_least_certain_are_drawn_last(result):
    confidence = picture(result)["confidence"]
    assert confidence == sorted(confidence, reverse=True)


def test_without_confidence_none_is_drawn():
    drawn = picture(cluster([[0.0], [0.1], [9.0], [9.1]], k=2, method="UKMeans"))
    assert drawn["axes"] == ["x0", "position in the data"]
    assert drawn["confidence"] == [None] * 4
    assert sorted(drawn["values"][1]) == [1.0, 2.0, 3.0, 4.0]


def test_k_means_on_the_values(result):
    told = summarize(result)
    if result.n_clusters < 2:
        assert told["k_means"] is None
        return
    other = np.array(told["objects"]["k_means"])
    values = (result.data.mean() - result.scaler.center_) / result.scaler.scale_
    found = KMeans(result.n_clusters, n_init=10, random_state=3).fit_predict(values)
    assert adjusted_rand_score(found, other) == 1.0
    assert told["k_means"]["sizes"] == [
        int((other == c).sum()) for c in range(result.n_clusters)
    ]
    # No other names of its clusters would leave fewer objects with another label.
    fewest = min(
        int((np.array(names)[other] != result.labels).sum())
        for names in permutations(range(result.n_clusters))
    )
    assert told["k_means"]["n_changed"] == fewest
    assert told["k_means"]["ari"] == pytest.approx(
        adjusted_rand_score(result.labels, found)
    )


def test_k_means_of_values_with_gaps_and_of_equal_values():
    means = np.array([[0.0, np.nan], [0.1, 1.0], [9.0, 1.0], [9.1, 1.0]])
    data = ic.from_gaussian(means, std=np.full((4, 2), 0.1), missing="infinite")
    assert summarize(cluster(data, 2, "ErrorMixture"))["k_means"]["n_changed"] == 0
    assert on_values(KMEANS, np.ones((6, 1)), 2, 0).tolist() == [0] * 6


def test_worlds_and_representatives():
    result = by_rpc(groups())
    worlds = summarize(result)["worlds"]
    assert (worlds["n_drawn"], worlds["n_clustered"]) == (20, 5)
    kept = result.estimator.representatives_.tolist()
    assert [one["world"] for one in worlds["representatives"]] == kept
    assert sum(one["stands_for"] for one in worlds["representatives"]) == 20
    for row, one in zip(result.estimator.labels_per_world_, worlds["representatives"]):
        assert one["agreement"] == pytest.approx(np.mean(row == result.labels))
    assert len(worlds["map"]["x"]) == 20
    assert summarize(result)["objective"] == list(result.estimator.objective_)


def test_randomly_kept_worlds_have_no_map():
    method = ic.RPC(n_worlds=20, n_representatives=5, selection="random")
    worlds = summarize(cluster(groups(), k=3, method=method))["worlds"]
    assert (worlds["n_drawn"], worlds["map"]) == (20, None)
    assert worlds["representatives"][0]["stands_for"] is None


def test_alternatives_of_rep():
    method = ic.published.REP(KMeans(3, n_init=1), n_worlds=20)
    result = cluster(groups(), method=method)
    worlds = summarize(result)["worlds"]
    assert worlds["representatives"] == []
    found = [one["probability"] for one in worlds["alternatives"]]
    assert found == pytest.approx(result.estimator.probabilities_)


def test_reachability_without_infinities():
    result = cluster(groups(), method=ic.FOPTICS(n_worlds=20))
    reached = summarize(result)["reachability"]
    in_order = result.estimator.reachability_[result.estimator.ordering_]
    expected = [value if np.isfinite(value) else None for value in in_order]
    assert reached["reachability"] == expected
    assert None in reached["reachability"]


def test_nothing_but_noise():
    data = groups()
    result = cluster(data, method=ic.FDBSCAN(eps=1e-6, n_worlds=10))
    summary = summarize(result)
    assert summary["clusters"] == []
    assert summary["n_noise"] == len(data)
    assert "found no cluster among 40 objects" in summary["sentences"][0]


def test_objects_without_uncertainty():
    summary = summarize(cluster([[0.0], [0.1], [9.0], [9.1]], k=2, method="UKMeans"))
    assert summary["data"]["exact"]
    assert "no uncertainty" in summary["sentences"][-1]
    assert picture(cluster([[0.0], [1.0]], k=2, method="UKMeans"))["n_ellipses"] == 0


def test_a_single_object():
    data = ic.from_gaussian([[1.0]], std=[[1.0]])
    summary = summarize(cluster(data, k=1, method="UKMeans"))
    assert summary["sentences"][0] == (
        "UKMeans found 1 cluster among 1 object with 1 feature: it has 1 object."
    )
    json.dumps(summary, allow_nan=False)


def test_values_without_a_mean():
    data = ic.from_gaussian([[1.0, 2.0]] * 3, std=[[0.0, 0.0]] * 3)
    summary = summarize(cluster(data, k=1, method="UKMeans"))
    json.dumps(summary, allow_nan=False)
    constant = ic.from_gaussian([[1.0, 2.0]] * 3, std=[[0.1, 0.0]] * 3)
    summary = summarize(cluster(constant, k=1, method="UKMeans"))
    assert summary["data"]["relative_uncertainty"] == [None, 0.0]


def test_choice_of_k():
    summary = summarize(with_choice(cluster(groups(), k=2, method="UKMeans")))
    assert summary["choice"]["p_one"] == 0.02
    assert summary["choice"]["runner_up"] == 3
    assert summary["choice"]["weight"] == [0.1, 0.6, 0.3]
    assert summary["choice"]["reference_median"] == pytest.approx([0.0, 0.2, 0.2])
    told = " ".join(summary["choice"]["sentences"])
    assert "chosen from 1 to 3 (plausibility 2: 0.60, 3: 0.30, 1: 0.10)" in told
    condition = "Confidences hold if there are 2 clusters (plausibility 0.60)."
    assert condition in summary["sentences"]
    assert "would rarely look like this (p = 0.020)" in told
    assert "k=" not in summary["reproduce"]["python"]


@pytest.mark.parametrize("scale", [True, False])
@pytest.mark.parametrize(
    "method", ["UKMeans", ic.RPC(n_worlds=15, n_representatives=3), ic.FDBSCAN()]
)
def test_python_code_repeats_the_labels(method, scale):
    data = groups()
    k = "auto" if isinstance(method, ic.FDBSCAN) else 3
    result = cluster(data, k=k, method=method, random_state=7, scale=scale)
    code = summarize(result)["reproduce"]["python"]
    assert code.startswith("import incerta as ic\n\n# data: the 40 objects")
    names = {"data": data}
    exec(code, names)
    assert names["result"].labels.tolist() == result.labels.tolist()
    assert names["result"].confidence.tolist() == result.confidence.tolist()


def test_python_code_repeats_clusterers_in_worlds():
    few = {"n_worlds": 5}
    for k, method, params, told in (
        (3, "kmeans", {**few, "n_init": 1}, "k=3, method='kmeans', params={'n_worlds'"),
        ("auto", "hdbscan", {**few, "min_cluster_size": 4}, "(data, method='hdbscan'"),
    ):
        result = cluster(groups(), k, method, 7, params=params)
        code = summarize(result)["reproduce"]["python"]
        assert told in code
        names = {"data": groups()}
        exec(code, names)
        assert names["result"].membership.tolist() == result.membership.tolist()
    given = cluster(groups(), method=KMeans(3, n_init=2), params=few)
    code = summarize(given)["reproduce"]["python"]
    assert "k=3, method=ic.WorldConsensus(clusterer=KMeans(n_clusters=3" in code
    names = {"data": groups()}
    exec(code, names)
    assert names["result"].labels.tolist() == given.labels.tolist()


def test_code_reads_the_data_where_that_is_known():
    result = cluster(groups(), k=3, method="UKMeans")
    told = dataclasses.replace(result, file="a.csv", spec=TableSpec(values=("m",)))
    assert summarize(told)["reproduce"]["python"].splitlines()[1:] == [
        "",
        "data = ic.read_table('a.csv', values=['m'])",
        "result = ic.cluster(data, k=3, method='UKMeans', random_state=0)",
    ]


def test_code_names_what_it_cannot_say():
    kernel = KMeans(3, init=np.zeros((3, 2)), n_init=1)
    few = {"n_worlds": 5}
    result = cluster(groups(), method=kernel, params=few)
    code = summarize(result)["reproduce"]["python"]
    assert "# The method also had clusterer=KMeans(" in code
    compile(code, "code", "exec")


def test_names_of_features_cannot_leave_the_comment():
    names = ("a\nimport os", "b'; print(1) #")
    code = summarize(cluster(groups(feature_names=names), 2, "UKMeans"))
    lines = code["reproduce"]["python"].splitlines()
    assert [line for line in lines if not line.startswith("#")] == [
        "import incerta as ic",
        "",
        "result = ic.cluster(data, k=2, method='UKMeans', random_state=0)",
    ]


def test_command_and_warnings_are_passed_on():
    result = cluster(groups(), k=2, method="UKMeans")
    result = dataclasses.replace(result, command="incerta fit a.csv", warnings=("odd",))
    summary = summarize(result)
    assert summary["reproduce"]["command"] == "incerta fit a.csv"
    assert summary["warnings"] == ["odd"]


def test_hostile_ids_are_plain_text():
    ids = summarize(by_rpc(hostile_objects()))["objects"]["id"]
    assert ids[0] == HOSTILE[0]
    assert "\x00" not in ids[6]
    assert "\ud800" not in ids[6]
    assert len(ids[7]) == 1000
    assert ids[8] == HOSTILE[8]
    json.dumps(ids, ensure_ascii=False).encode("utf-8")


def test_sentences():
    result = cluster(groups(), method=ic.FDBSCAN(n_worlds=20))
    unsure = int((result.confidence < SURE).sum())
    told = " ".join(summarize(result)["sentences"])
    assert told.startswith("FDBSCAN found ")
    assert f"{share(result.confidence.mean())} on average" in told
    assert f"For {counted(40 - unsure, 'object')}" in told or unsure == 0
    assert "the least reliable feature" in told
    spread = groups().with_meaning("belief")
    told = " ".join(summarize(cluster(spread, 2, "UKMeans"))["sentences"])
    assert "most uncertain feature is" in told


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (np.int64(3), 3),
        (2.5, 2.5),
        (2**60, str(2**60)),
        (True, "True"),
        (np.nan, "nan"),
        ("a\x00\ud800b\n", "a\ufffd\ufffdb\n"),
        (np.datetime64("2026-01-02"), "2026-01-02"),
    ],
)
def test_names(value, name):
    found = plain.name(value)
    assert found == name
    assert type(found) is type(name)


def test_significant_digits():
    found = plain.significant(np.array([np.pi, -1.23456789e-300, 1e9 + 1, 0.0]))
    assert found.tolist() == [3.1416, -1.2346e-300, 1e9, 0.0]
    found = plain.significant(np.array([[np.nan, np.inf], [-np.inf, 0.1 + 0.2]]))
    np.testing.assert_array_equal(found, [[np.nan, np.inf], [-np.inf, 0.3]])


@given(
    st.lists(st.floats(-10, 10), min_size=2, max_size=20),
    st.sampled_from([0.0, 1.0, 2.45e6, -1e9]),
    st.sampled_from([1e-6, 1.0, 1e6]),
)
def test_distinct_keeps_places_in_the_range(places, offset, unit):
    column = np.array(places) * unit + offset
    apart = np.abs(plain.distinct(column) - column).max()
    assert apart <= 1e-4 * np.ptp(column) + 1e-14 * np.abs(column).max()


def test_distinct_of_gaps():
    found = plain.distinct(np.array([np.nan, 0.1 + 0.2, 1.0]))
    np.testing.assert_array_equal(found, [np.nan, 0.3, 1.0])
    assert np.isnan(plain.distinct(np.array([np.nan]))).all()


@pytest.mark.parametrize(
    ("mean", "spread", "said"),
    [
        (12.345, 1.432, "12.3 ± 1.4"),
        (-0.001, 0.52, "0.00 ± 0.52"),
        (-0.13, 0.72, "−0.13 ± 0.72"),
        (123456.0, 1234.0, "123,500 ± 1,200"),
        (9.0, 9.96, "9 ± 10"),
        (1e9, 1.0, "1e+09 ± 1"),
        (1e-9, 1e-10, "1e−09 ± 1e−10"),
        (3.14159, 0.0, "3.14"),
        (None, 1.0, "–"),
        (2.0, None, "2.00"),
        (-0.9996, None, "−1.00"),
        (0.4, 0.0, "0.400"),
        (1234.5, 0.0, "1,234"),
        (0.0, None, "0"),
        (2.5e-9, None, "2.50e−09"),
    ],
)
def test_measured(mean, spread, said):
    assert plain.measured(mean, spread) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [(0.0, "0.00"), (1.0, "1.00"), (0.999, ">0.99"), (0.001, "<0.01"), (None, "–")],
)
def test_share(value, said):
    assert share(value) == said


def test_percent_never_rounds_to_all_or_nothing():
    assert [percent(x) for x in (0.0, 0.001, 0.5, 0.999, 1.0)] == [
        "0%",
        "less than 1%",
        "50%",
        "more than 99%",
        "100%",
    ]


def test_joined():
    assert [joined(list(x)) for x in ("a", "ab", "abc")] == [
        "a",
        "a and b",
        "a, b and c",
    ]


def test_other_clusterings():
    data, _ = ic.datasets.make_uncertain_blobs(60, 2, 4, random_state=0)
    result = cluster(data)
    (other,) = result.alternatives()
    told = summarize(result)["alternatives"]
    assert told["axes"] == ["x0", "x1"]
    assert len(told["x"]) == len(told["y"]) == 60
    assert (min(told["x"]), max(told["y"])) == (0.0, 100.0)
    assert np.argmax(data.mean()[:, 0]) == np.argmax(told["x"])
    assert told["here"] == result.labels.tolist()
    (found,) = told["found"]
    assert (found["weight"], found["what"]) == (other.weight, other.what)
    assert sum(found["sizes"]) == 60
    assert np.bincount(found["cluster"]).tolist() == found["sizes"] == [15, 30, 15]


def test_clusters_of_others_are_numbered_alike():
    like, other = np.array([0, 0, 1, 1, 2, -1]), np.array([3, 3, 1, -1, 0, 0])
    assert renumbered(other, like).tolist() == [0, 0, 1, -1, 2, 2]
    most = renumbered(np.array([1, 1, 1, 0, 2]), np.zeros(5, int)).tolist()
    assert most[:3] == [0, 0, 0]
    assert sorted(most[3:]) == [1, 2]
