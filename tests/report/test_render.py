"""The page: complete, closed, readable, and written in one piece."""

import base64
import dataclasses
import hashlib
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import incerta as ic
from incerta.api.answer import cluster
from incerta.backend.optional import part_of_page
from incerta.exceptions import FileError, MissingExtraError
from incerta.report import render, summarize, write
from incerta.report.render import as_json
from incerta.report.summarize import picture
from incerta.wording import SURE
from tests.report.examples import HOSTILE, Page, by_rpc, groups, hostile_objects

pytest.importorskip("jinja2")


def page_of(result):
    return Page(render(summarize(result), picture(result)))


@pytest.fixture(scope="module")
def hostile():
    return by_rpc(hostile_objects())


@pytest.fixture(scope="module")
def page(hostile):
    return page_of(hostile)


def test_the_data_in_the_page_are_the_summary(hostile, page):
    told, *_ = (text for attrs, text in page.all("script") if attrs.get("id") == "data")
    held = json.loads(told)
    assert held["summary"] == json.loads(json.dumps(summarize(hostile)))
    assert held["scatter"] == picture(hostile)


def test_only_our_own_scripts_may_run(page):
    scripts = [text for attrs, text in page.all("script") if "type" not in attrs]
    assert len(scripts) == 1
    assert len(page.all("script")) == 2
    (policy,) = (a["content"] for a, _ in page.all("meta") if "http-equiv" in a)
    rules = {rule.split()[0]: rule.split()[1:] for rule in policy.split(";")}
    assert rules["default-src"] == ["'none'"]
    assert "connect-src" not in rules
    assert rules["script-src"] == [
        f"'sha256-{base64.b64encode(hashlib.sha256(one.encode()).digest()).decode()}'"
        for one in scripts
    ]


def test_nothing_points_out_of_the_page(page):
    for tag, attrs in page.elements:
        assert not any(name.startswith("on") for name in attrs)
        assert "src" not in attrs
        assert tag not in ("img", "svg", "iframe", "object", "embed", "form")
        assert attrs.get("href", "#").startswith(("#", "data:,"))


def test_hostile_texts_are_texts(page):
    texts = [text for _, text in page.all("bdi")]
    titles = [attrs.get("title", "") for attrs, _ in page.all("bdi")]
    assert any(text.startswith("<b>mass</b>") for text in texts)
    assert all(len(text) <= 60 for text in texts)
    assert all(len(title) <= 1000 for title in titles)
    assert page.all("img") == []
    assert len(page.all("title")) == 1


def test_ids_cut_in_the_page_are_whole_in_the_title(hostile):
    summary = summarize(hostile)
    summary["least_certain"] = [
        {**summary["least_certain"][0], "id": one}
        for one in summary["objects"]["id"][:10]
    ]
    page = Page(render(summary, picture(hostile)))
    found = {text: attrs.get("title") for attrs, text in page.all("bdi")}
    assert found[HOSTILE[0]] is None
    assert found["x" * 59 + "…"] == "x" * 999 + "…"
    assert found[HOSTILE[8]] is None


def test_page_is_accessible_by_structure(page):
    html = dict(page.elements)["html"]
    assert html["lang"] == "en"
    tags = [tag for tag, _ in page.elements]
    for landmark in ("header", "nav", "main", "footer"):
        assert tags.count(landmark) == 1
    assert tags.count("h1") == 1
    names = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(names) == len(set(names))
    for tag, attrs in page.elements:
        for key in ("aria-labelledby", "for"):
            assert attrs.get(key, names[0]) in names
        if tag == "th":
            assert "scope" in attrs
        if attrs.get("role") in ("img", "region", "application", "group"):
            assert attrs["aria-label"]
        if tag == "a":
            assert attrs["href"][1:] in names


def luminance(color):
    shares = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    parts = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares
    ]
    return float(np.dot([0.2126, 0.7152, 0.0722], parts))


def contrast(one, other):
    low, high = sorted([luminance(one), luminance(other)])
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])
def test_contrast(scheme):
    blocks = re.findall(
        r":root \{(.*?)\}", part_of_page("incerta.report", "report.css"), re.DOTALL
    )
    colors = dict(re.findall(r"--([\w-]+): (#\w{6})", blocks[scheme]))
    for text in ("text", "soft", "accent"):
        for ground in ("page", "surface"):
            assert contrast(colors[text], colors[ground]) >= 4.5
    assert contrast(colors["text"], colors["warn"]) >= 4.5
    assert contrast(colors["text"], colors["chosen"]) >= 4.5
    assert contrast(colors["control"], colors["surface"]) >= 3.0


@given(st.text())
def test_json_in_a_script_cannot_end_it(text):
    said = as_json({text: [text]})
    assert not set(said) & set("<>&\u2028\u2029")
    assert said.isascii()
    assert json.loads(said) == {text: [text]}


def test_json_refuses_what_is_no_json():
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json([np.inf])


def section_names(page):
    return {attrs.get("id") for attrs, _ in page.all("section")}


def test_sections_without_content_are_left_out():
    found = section_names(page_of(cluster(groups(), k=3, method="UKMeans")))
    assert {"summary", "picture", "clusters", "certainty", "objects"} <= found
    assert not {"worlds", "number"} & found


def test_sections_of_rpc(page):
    assert {"worlds", "method", "again"} <= section_names(page)
    names = {attrs.get("id") for attrs, _ in page.all("div")}
    assert {"scatter", "world-map", "objective", "confidence"} <= names


@pytest.mark.parametrize(
    "method",
    [
        ic.FDBSCAN(eps=1e-6, n_worlds=10),
        ic.FDBSCAN(n_worlds=10),
        ic.FOPTICS(n_worlds=10),
    ],
    ids=["noise", "FDBSCAN", "FOPTICS"],
)
def test_noise_has_a_column(method):
    page = page_of(cluster(groups(), method=method))
    keys = [attrs.get("data-key") for attrs, _ in page.all("th")]
    assert "noise" in keys


def test_no_column_for_noise_that_cannot_be(page):
    assert "noise" not in [attrs.get("data-key") for attrs, _ in page.all("th")]


@pytest.mark.parametrize(
    "data",
    [
        [[0.0, 1.0], [0.1, 1.0], [9.0, 1.0], [9.1, 1.0]],
        ic.from_gaussian([[1.0]], std=[[1.0]]),
        ic.from_gaussian(np.eye(4, 60), std=np.full((4, 60), 0.1)),
    ],
    ids=["exact", "one object", "60 features"],
)
def test_odd_data(data):
    n_clusters = min(len(data), 2)
    page = page_of(cluster(data, k=n_clusters, method="UKMeans"))
    assert "clusters" in section_names(page)


@pytest.mark.slow
def test_many_objects_are_said_to_be_shown_in_part():
    rng = np.random.default_rng(0)
    data = ic.from_gaussian(rng.normal(size=(6000, 1)), std=np.ones((6000, 1)))
    result = cluster(data, k=2, method="UKMeans")
    page = page_of(result)
    (body,) = (text for _, text in page.all("main"))
    told = " ".join(body.split())
    assert "The table has 5,000 of 6,000 objects: the 1,000 least certain" in told
    assert "The whole table is result.table()." in told
    assert "6,000 objects are too many to draw one by one" in told
    n_unsure = int((result.confidence < SURE).sum())
    assert n_unsure > 1000
    assert f"the 1,000 least certain of {n_unsure:,}." in told


def test_a_page_of_300_objects_is_small(tmp_path):
    result = cluster(groups(98, 6), k=3, method="UKMeans")
    assert 290 <= len(result.labels) <= 300
    assert write(result, tmp_path / "report.html").stat().st_size < 300_000


def test_k_means_is_told_beside_the_result(hostile):
    page = page_of(hostile)
    (row,) = (
        text for _, text in page.all("tr") if text.startswith("k-means on the values")
    )
    told = summarize(hostile)["k_means"]
    said = [f"{told['ari']:.2f}", str(told["n_changed"]), *map(str, told["sizes"])]
    assert row.removeprefix("k-means on the values").split() == said or row.endswith(
        "".join(said)
    )


def test_warnings_command_and_code_are_in_the_page(hostile):
    told = dataclasses.replace(
        hostile, warnings=("mind <this>",), command="incerta fit 'a b.csv' -k 3"
    )
    page = page_of(told)
    assert "mind <this>" in [text for _, text in page.all("li")]
    code = [text for _, text in page.all("pre")]
    assert code[0] == "incerta fit 'a b.csv' -k 3"
    assert "ic.cluster(data, k=3, method=ic.RPC(" in code[1]


def test_write(tmp_path, hostile):
    target = tmp_path / "report.html"
    target.write_text("old")
    assert write(hostile, str(target)) == target
    html = target.read_text("utf-8")
    assert html.startswith("<!DOCTYPE html>")
    assert html.index('charset="utf-8"') < 1024


def test_the_same_result_gives_the_same_page(tmp_path, hostile):
    first = write(hostile, tmp_path / "a.html").read_bytes()
    assert write(hostile, tmp_path / "b.html").read_bytes() == first


def test_a_failed_write_leaves_the_old_file(tmp_path, hostile, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(FileError, match=r"cannot write .*report\.html: No space left"):
        write(hostile, target)
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_places_that_cannot_be_written(tmp_path, hostile):
    with pytest.raises(FileError, match=r"no folder .*missing to write report\.html"):
        write(hostile, tmp_path / "missing" / "report.html")
    with pytest.raises(FileError, match="is a folder"):
        write(hostile, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_missing_library(tmp_path, hostile, monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"pip install .incerta\[report\]."):
        write(hostile, tmp_path / "report.html")
    assert list(tmp_path.iterdir()) == []
