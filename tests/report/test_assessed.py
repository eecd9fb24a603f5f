"""The page about labels."""

import json
import re

import numpy as np
import pytest

import incerta as ic
from incerta.api.assess import MOST_DRAWN
from incerta.report.assessed import (
    BELOW,
    HEIGHT,
    MOST_LOOKED,
    MOST_TICKS,
    WIDTH,
    facts,
    options,
    page_of_assessment,
)
from tests.report.examples import Page, hostile_labels

pytest.importorskip("jinja2")


@pytest.fixture(scope="module")
def hostile():
    return hostile_labels()


@pytest.fixture(scope="module")
def told(hostile):
    return facts(hostile)


@pytest.fixture(scope="module")
def page(told):
    return Page(page_of_assessment(told))


def cells(page, title):
    """Texts of the cells with such a title."""
    return [text for attrs, text in page.all("td") if attrs.get("data-label") == title]


def test_facts_are_those_of_the_assessment(hostile, told):
    json.dumps(told, allow_nan=False)
    assert told["n_assessed"] == 359
    assert told["n_missing"] == 1
    assert told["n_joined"] == 3 < told["n_labels"] == 4
    assert told["score_joined"] == hostile.score_joined > told["score"]
    wrong = [each["wrong"] for each in told["labels"]]
    assert wrong == sorted((each.wrong for each in hostile.clusters), reverse=True)
    verdicts = [each["verdict"] for each in told["pairs"]]
    assert verdicts[0].startswith("no valley shown, depth")
    assert len(verdicts) == len(hostile.pairs)
    assert len(told["look"]) == len(hostile.look) > 5
    for each, i in zip(told["look"], np.argsort(hostile.right, kind="stable")):
        assert each["right"] == hostile.right[i]
        assert each["probability"] == hostile.probability[i].max()


def test_only_the_worst_are_listed():
    rng = np.random.default_rng(0)
    codes = np.repeat(np.arange(6), 60)
    values = 9.0 * np.eye(6)[codes] + rng.normal(size=(360, 6))
    swapped = rng.random(360) < 0.25
    codes[swapped] = rng.permutation(codes[swapped])
    found = ic.assess(ic.from_gaussian(values, std=0.1), codes)
    told = facts(found)
    assert [each["id"] for each in told["look"]] == found.look[:MOST_LOOKED].tolist()
    assert len(told["pairs"]) == min(len(found.pairs), MOST_DRAWN)
    page = page_of_assessment(told)
    assert f"{MOST_LOOKED} of {len(found.look)}." in page
    assert f"{len(told['pairs'])} of the {len(found.pairs)} pairs" in page


def test_pictures_fit_their_place(hostile, told):
    for pair, drawn in zip(hostile.pairs, told["pairs"]):
        points = np.array([each.split(",") for each in drawn["curve"].split()], float)
        assert (points >= 0).all()
        assert (points <= [WIDTH, HEIGHT]).all()
        assert (np.diff(points[:, 0]) > 0).all()
        places = pair.values.places
        at = np.linspace(places.min(), places.max(), len(points))
        # Upwards is less, and rounded.
        upwards = np.corrcoef(points[:, 1], pair.law.density(at))[0, 1]
        assert upwards == pytest.approx(-1.0, abs=1e-4)
        heights = np.array(re.findall(r"V([\d.]+)H", drawn["bars"]), float)
        assert ((heights >= 0) & (heights <= HEIGHT)).all()
        top = min(points[:, 1].min(), heights.min())
        assert top == pytest.approx(0.03 * HEIGHT, abs=0.06)
        assert drawn["bars"].endswith(f"H{float(WIDTH)}")
        assert 2 <= len(drawn["ticks"]) <= MOST_TICKS
        places = [place for place, _ in drawn["ticks"]]
        assert min(places) >= BELOW / 2
        assert max(places) <= WIDTH - BELOW / 2


def test_nothing_runs_and_nothing_points_out_of_the_page(page):
    assert page.all("script") == []
    (policy,) = (a["content"] for a, _ in page.all("meta") if "http-equiv" in a)
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    for tag, attrs in page.elements:
        assert not any(name.startswith("on") for name in attrs)
        assert "src" not in attrs
        assert tag not in ("img", "iframe", "object", "embed", "form")
        assert attrs.get("href", "#").startswith(("#", "data:,"))


def test_hostile_texts_are_texts(page):
    texts = [text for _, text in page.all("bdi")]
    assert any(text.startswith("<script>window.hacked") for text in texts)
    assert any(text.startswith("</title></style>") for text in texts)
    assert all(len(text) <= 60 for text in texts)
    assert {len(attrs["title"]) for attrs, _ in page.all("bdi") if "title" in attrs} > {
        1000
    }
    assert len(page.all("title")) == len(page.all("style")) == 1


def test_tables_say_what_was_found(hostile, page, told):
    assert cells(page, "Objects") == [str(each["size"]) for each in told["labels"]]
    assert len(cells(page, "Is right")) == len(hostile.look)
    said = [text for _, text in page.all("figcaption")]
    for each, text in zip(told["pairs"], said, strict=True):
        assert text.endswith(each["verdict"])
    assert len(page.all("svg")) == len(said)


@pytest.mark.parametrize("labels", [["a"] * 30, [-1] * 30, ["a", "b"] * 15])
def test_little_to_say(labels, tmp_path):
    data = ic.from_gaussian(np.arange(60.0).reshape(30, 2), std=0.1)
    ic.assess(data, labels).report(tmp_path / "report.html")
    page = Page((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert page.all("svg") == []
    assert len(page.all("h1")) == 1


def test_exact_data_say_that_no_errors_are_taken_off(hostile, told):
    exact = ic.assess(hostile.data.mean(), np.maximum(hostile.codes, 0))
    for facts_of, is_exact in ((told, False), (facts(exact), True)):
        page = page_of_assessment(facts_of)
        assert ("values, which are exact" in page) == is_exact
        assert ("each blurred by the errors" in page) != is_exact


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ({}, ""),
        ({"scale": False}, ", scale=False"),
        ({"directions": None}, ", directions=None"),
        ({"scale": False, "directions": 2}, ", scale=False, directions=2"),
    ],
)
def test_code_that_repeats_it(given, wanted):
    data = ic.from_gaussian(np.random.default_rng(0).normal(size=(40, 3)), std=0.1)
    assert options(ic.assess(data, ["a", "b"] * 20, **given)) == wanted
