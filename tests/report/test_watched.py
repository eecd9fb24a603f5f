"""The page about a stream."""

import json
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import incerta as ic
from incerta.api.watcher import Watcher
from incerta.report.watched import (
    HEIGHT,
    WIDTH,
    facts,
    line_about,
    page_of_stream,
    picture,
    places,
)
from incerta.streams.following import Cluster, Event
from tests.extras import needs

HISTORY = {
    "rows": [10, 20, 30, 40],
    "centers": [
        {"0": [1.0]},
        {"0": [2.0], "1": [5.0]},
        {"1": [5.0]},
        {"0": [3.0], "1": [None]},
    ],
}


def test_lines_have_gaps_where_a_cluster_was_not_there():
    found = picture(HISTORY, 0)
    pieces = {line["cluster"]: line["pieces"] for line in found["lines"]}
    assert [len(piece) for piece in pieces[0]] == [2, 1]
    assert [len(piece) for piece in pieces[1]] == [2]
    points = [p for each in pieces.values() for piece in each for p in piece]
    assert all(0 <= x <= WIDTH and 0 <= y <= HEIGHT for x, y in points)
    (low, high), (alone,) = pieces[0]
    assert low[0] < high[0] < alone[0]
    assert low[1] > high[1] > alone[1]  # upwards is less


def test_lines_of_a_picture_are_in_the_order_of_the_looks():
    clusters = [7, 3, 11, 2, 19, 5, 23]
    look = {str(c): [1.0] for c in clusters}
    found = picture({"rows": [1, 2], "centers": [look, look]}, 0)
    assert [line["cluster"] for line in found["lines"]] == clusters


@pytest.mark.parametrize(
    "history",
    [
        {"rows": [], "centers": []},
        {"rows": [5], "centers": [{"3": [0.0]}]},
    ],
)
def test_little_to_draw(history):
    found = picture(history, 0)
    assert len(found["lines"]) == len(history["rows"])
    assert len(found["ticks"]) == 3


@needs("jinja2", "report")
def test_texts_are_escaped():
    bad = "<script>alert(1)</script>"
    one = {"cluster": 0, "share": 1.0, "since": 1, "rows": 9}
    one |= {"center": [1.0], "error": [0.1], "spread": [1.0]}
    page = page_of_stream(
        {
            "source": bad,
            "rows": 9,
            "left_out": 30,
            "bad_rows": [{"line": 4, "why": bad}],
            "features": [bad],
            "clusters": [one],
            "gone": [{**one, "cluster": 1, "until": 8}],
            "counts": {"new": 2, "moved": 0, "gone": 1},
            "events": [{"rows": 3, "kind": "new", "cluster": 0, "told": bad}],
            "history": HISTORY,
            "command": f"incerta watch {bad}",
            "versions": {"incerta": "1"},
        }
    )
    assert "<script" not in page
    assert "and 29 more" in page
    assert page.count("<polyline") == 3


CLUSTER = Cluster(
    number=3,
    share=0.25,
    rows=80,
    center=np.array([1.0, 20.0]),
    spread=np.array([1.0, 2.0]),
    error=np.array([0.12, 0.5]),
    since=200,
)


def test_lines_about_what_happened():
    told = partial(line_about, n_seen=1000, names=["mass", "size"])
    at = "at mass 1.00 ± 0.12, size 20.00 ± 0.50"
    new = Event(kind="new", cluster=CLUSTER)
    assert told(new) == f"1,000 rows: new cluster 3 (25%) {at}"
    gone = replace(new, kind="gone")
    assert told(gone) == f"1,000 rows: cluster 3 is gone; it was {at}"
    before = replace(CLUSTER, center=np.array([1.1, 27.0]), error=np.array([0.3, 0.7]))
    moved = replace(new, kind="moved", before=before, ratio=14.0)
    assert told(moved) == (
        "1,000 rows: cluster 3 moved, size 27.00 → 20.00 ± 0.50, … "
        "(14 × its uncertainty)"
    )


def test_as_many_features_as_fit():
    names = ["mass", "size"]
    whole = "mass 1.00 ± 0.12, size 20.00 ± 0.50"
    assert places(CLUSTER, names, len(whole)) == whole
    assert places(CLUSTER, names, len(whole) - 1) == "mass 1.00 ± 0.12, …"
    assert places(CLUSTER, names, 19) == "mass 1.00 ± 0.12, …"
    assert places(CLUSTER, names, 18) == "mass 1.00 ± 0.12…"
    assert places(CLUSTER, names, 0) == "m…"


def test_facts_of_a_stream():
    rng = np.random.default_rng(0)
    watcher = Watcher(2, half_life=200.0, random_state=0)
    for n in range(8):
        far = 9.0 if n < 2 else 30.0
        values = rng.normal(size=(200, 1)) + np.repeat([[0.0], [far]], 100, axis=0)
        watcher.take(ic.from_gaussian(values, std=0.1, feature_names=["mass"]))
        watcher.look()
    watcher.leave_out(12, "no numbers")
    told = json.loads(json.dumps(facts(watcher)))
    assert (told["rows"], told["left_out"], told["features"]) == (1600, 1, ["mass"])
    assert told["bad_rows"] == [{"line": 12, "why": "no numbers"}]
    low, high = sorted(told["clusters"], key=lambda each: each["center"])
    assert low["center"][0] == pytest.approx(0.0, abs=0.4)
    assert high["center"][0] == pytest.approx(30.0, abs=0.4)
    assert (low["since"], high["since"]) == (200, 600)
    assert low["share"] == pytest.approx(0.5, abs=0.1)
    assert low["spread"][0] == pytest.approx(1.0, abs=0.2)
    (gone,) = told["gone"]
    assert (gone["cluster"], gone["until"]) == (1 - low["cluster"], 600)
    assert gone["center"][0] == pytest.approx(9.0, abs=1.0)
    assert told["counts"] == {"new": 3, "moved": 0, "gone": 1}
    kinds = [(event["rows"], event["kind"]) for event in told["events"]]
    assert kinds == [(200, "new"), (200, "new"), (600, "new"), (600, "gone")]
    assert "600 rows: cluster" in told["events"][-1]["told"]
    assert told["history"]["rows"] == list(range(200, 1800, 200))
    assert told["history"]["centers"][-1][str(low["cluster"])] == low["center"]
