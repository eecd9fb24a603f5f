"""Results to report on, small and nasty, and how pages are read."""

import dataclasses
from html.parser import HTMLParser

import numpy as np

import incerta as ic
from incerta.api.answer import cluster
from incerta.number.choose import NumberOfClusters

HOSTILE = (
    "<script>window.hacked = 1; alert(1)</script>",
    "</script><script>window.hacked = 1</script>",
    "</title></style><!-- <img src=x onerror='window.hacked = 1'>",
    "\"'><svg onload=window.hacked=1>",
    '<a href="javascript:window.hacked=1">click</a> %{x} {{ 7 * 7 }} $x^2$ &lt;b&gt;',
    "\u202egnp.exe\u2066 left open",
    "\u2028line\u2029 and \x00\x1b[31m and \ud800",
    "x" * 10_000,
    "שלום עולם",
    "",
)
HOSTILE_FEATURES = ("<b>mass</b> & more", '"><img src=x onerror="window.hacked=1">')


def groups(n_each=12, n_features=2, seed=0, **settings):
    """Three groups of Gaussian objects, and some between them."""
    rng = np.random.default_rng(seed)
    centers = 4.0 * np.eye(3, n_features)
    means = np.concatenate(
        [rng.normal(center, 0.5, (n_each, n_features)) for center in centers]
        + [np.linspace(centers[0], centers[1], 6)[1:-1]]
    )
    std = rng.uniform(0.1, 0.8, means.shape)
    return ic.from_gaussian(means, std=std, **settings)


def hostile_objects():
    data = groups(feature_names=HOSTILE_FEATURES)
    ids = [*HOSTILE, *(f"star {i}" for i in range(len(data) - len(HOSTILE)))]
    return groups(feature_names=HOSTILE_FEATURES, ids=ids)


def by_rpc(data, **settings):
    return cluster(
        data, k=3, method=ic.RPC(n_worlds=20, n_representatives=5), **settings
    )


def with_choice(result):
    """The same, as if two clusters had been chosen of one to three."""
    choice = NumberOfClusters(
        k=2,
        ks=(1, 2, 3),
        weights=np.array([0.1, 0.6, 0.3]),
        scores=np.array([0.0, 0.9, 0.8]),
        null_scores=np.array([[0.0, 0.1, np.nan], [0.0, 0.3, 0.2]]),
        p_one=0.02,
        alpha=0.025,
        seed=0,
    )
    return dataclasses.replace(result, choice=choice)


def hostile_labels():
    """Labels with names that would like to run, some of them wrong or missing."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1, 2, 0], [90, 90, 90, 90])
    values = 5.0 * np.eye(3, 2)[codes] + rng.normal(size=(360, 2))
    codes[270:] = 3  # a piece of the first cluster
    codes[::45] = (codes[::45] + 1) % 3
    labels = np.array(HOSTILE, dtype=object)[[0, 2, 4, 7]][codes]
    labels[5] = None
    ids = [*HOSTILE[::-1], *(f"star {i}" for i in range(350))]
    data = ic.from_gaussian(values, std=0.3, ids=ids, feature_names=HOSTILE_FEATURES)
    return ic.assess(data, labels)


VOID = {"meta", "link", "br", "input", "img"}


class Page(HTMLParser):
    """Elements of a page with their attributes and texts; checks the nesting."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.open, self.texts = [], [], {}
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append((tag, len(self.elements) - 1))

    def handle_endtag(self, tag):
        found, _ = self.open.pop()
        assert found == tag

    def handle_data(self, data):
        for _, number in self.open:
            self.texts[number] = self.texts.get(number, "") + data

    def all(self, tag):
        return [
            (attrs, self.texts.get(number, ""))
            for number, (found, attrs) in enumerate(self.elements)
            if found == tag
        ]
