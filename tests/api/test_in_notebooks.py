"""A result in a notebook: small, complete, and nothing in it can run."""

import dataclasses
from html.parser import HTMLParser

import numpy as np
import pytest

import incerta as ic
from incerta.api.answer import cluster
from incerta.wording import share
from tests.report.examples import by_rpc, groups, hostile_objects


class Cells(HTMLParser):
    """Tables by their captions, and the tags that occur."""

    def __init__(self, html):
        super().__init__()
        self.tables, self.tags, self.attributes, self.open = {}, set(), set(), []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "caption" in self.open:
            self.rows = self.tables.setdefault(data, [])
        elif {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def test_tables_say_what_the_result_says():
    result = cluster(groups(40), k=3, method="UKMeans")
    found = Cells(result._repr_html_()).tables
    (_, *clusters), (_, *least), (_, *first) = found.values()
    assert clusters == [
        [
            str(c),
            str((result.labels == c).sum()),
            share(result.confidence[result.labels == c].mean()),
        ]
        for c in range(3)
    ]
    order = result.confidence.argsort(kind="stable")[:5]
    assert [row[0] for row in least] == [str(i) for i in result.ids[order]]
    assert [row[3] for row in least] == [str(c) for c in result.runner_up[order]]
    assert [row[:2] for row in first] == [
        [str(i), str(c)] for i, c in zip(range(5), result.labels)
    ]


def test_hostile_names_are_texts():
    result = dataclasses.replace(by_rpc(hostile_objects()), warnings=("<img src=x>",))
    html = result._repr_html_()
    cells = Cells(html)
    assert not cells.tags & {"script", "img", "svg", "a", "style"}
    assert cells.attributes <= {"style", "scope"}
    assert "&lt;script&gt;" in html
    assert "&lt;img src=x&gt;" in html


@pytest.mark.parametrize(
    ("data", "settings"),
    [
        (groups(), {"method": ic.FDBSCAN(eps=1e-6, n_worlds=10)}),
        (groups(), {"k": 1, "method": "UKMeans"}),
        (groups().mean(), {"k": 3, "method": "UKMeans"}),
        (ic.from_gaussian([[1.0]], std=[[1.0]]), {"k": 1, "method": "UKMeans"}),
        (groups(20), {"k": 30, "method": "UKMeans"}),
    ],
    ids=["noise", "one cluster", "exact", "one object", "30 clusters"],
)
def test_odd_results(data, settings):
    result = cluster(data, **settings)
    html = result._repr_html_()
    tables = Cells(html).tables
    if result.no_confidence_reason is None:
        assert "Least certain" in tables
    else:
        assert "Least certain" not in tables
        assert f"not applicable: {result.no_confidence_reason}." in html
    if (result.labels < 0).any():
        assert "noise" in [row[0] for row in tables["Clusters"]]


def test_it_stays_small():
    rng = np.random.default_rng(0)
    means = rng.normal(size=(2000, 10))
    ids = [f"{i} {'long' * 100}" for i in range(2000)]
    data = ic.from_gaussian(means, std=np.ones_like(means), ids=ids)
    assert len(cluster(data, k=20, method="UKMeans")._repr_html_()) < 12_000
