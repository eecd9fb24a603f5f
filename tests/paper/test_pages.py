"""Table 2 on paper: the same figures in both forms, and nothing fair that is not."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from paper.methods import METHODS, is_tuned
from paper.pages import as_html, as_markdown
from paper.published import published
from paper.sets import INPUTS, SETS, TITLES
from paper.table2 import Line

NAN = float("nan")
ABOUT = {"command": "python -m paper table2 --out DIR", "seeds": "3"}
TUNED = [method for method in METHODS if is_tuned(method)]
VOID = {"meta", "link"}


def line(
    method="RPC",
    tuning="none",
    acc=0.5,
    nmi=0.25,
    *,
    name="wine",
    source="uncertain",
    n_seeds=3,
    sd=0.01,
    paper=(NAN, NAN),
):
    sd = sd if n_seeds > 1 else NAN
    rest = (3, 0.0, 0.9, 1.5)
    return Line(name, source, method, tuning, n_seeds, acc, sd, nmi, sd, *rest, *paper)


def table(sets=SETS, methods=METHODS, n_seeds=3, seed=0):
    """Made-up lines for all that a run has."""
    rng = np.random.default_rng(seed)
    lines = []
    for name in sets:
        for source in INPUTS:
            for method in methods:
                uncertain = source == "uncertain"
                paper = published()[name, method] if uncertain else (NAN, NAN)
                tunings = {"auto" if is_tuned(method) else "none": n_seeds}
                if uncertain and is_tuned(method):
                    tunings |= {"labels": 1, "kept": n_seeds - 1}
                lines += [
                    line(
                        method,
                        tuning,
                        *rng.random(2),
                        name=name,
                        source=source,
                        n_seeds=n,
                        paper=paper,
                    )
                    for tuning, n in tunings.items()
                    if n
                ]
    return lines


def tables_of_markdown(text):
    """By heading: a dict of rows, each a dict of cells."""
    found = {}
    for part in text.split("\n### ")[1:]:
        caption, _, rest = part.partition("\n")
        rows = [
            [cell.strip() for cell in row.strip("|").split("|")]
            for row in rest.split("\n## ")[0].splitlines()
            if row.startswith("|")
        ]
        columns = rows[0][1:]
        found[caption] = {row[0]: dict(zip(columns, row[1:])) for row in rows[2:]}
    return found


class Page(HTMLParser):
    """The tables of a page, as a reader without eyes is told them; checks nesting."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.open, self.tables = [], [], {}
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.elements.append((tag, attrs))
        if tag not in VOID:
            self.open.append((tag, attrs))
        if tag == "table":
            self.caption, self.rows = "", []
        elif tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            assert tag == "td" or attrs["scope"] in ("col", "row")
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag
        if tag == "table":
            (_, *columns), *rows = self.rows
            assert all(len(row) == len(columns) + 1 for row in rows)
            self.tables[self.caption] = {
                row[0]: dict(zip(columns, row[1:])) for row in rows
            }

    def handle_data(self, data):
        tags = [tag for tag, _ in self.open]
        if any("aria-hidden" in attrs for _, attrs in self.open):
            return
        if "caption" in tags:
            self.caption += data
        elif "td" in tags or "th" in tags:
            self.rows[-1][-1] += data


def bare(text):
    """A cell of either form without what the other does not have."""
    text = re.sub(r"\*\*|far (above|below) the paper:|paper (?=\()", "", text)
    return " ".join(text.split())


def page_of(lines, about=ABOUT):
    pytest.importorskip("jinja2")
    return Page(as_html(lines, about))


@pytest.mark.parametrize(
    ("sets", "methods", "n_seeds"),
    [
        (SETS, METHODS, 3),
        (["wine"], ["SC", "RPC"], 3),
        (["nba"], ["RPC"], 1),
        (["movement", "weather"], TUNED, 1),
        (["libras", "nba"], ["UK-means"], 2),
    ],
)
def test_both_forms_hold_the_same_figures(sets, methods, n_seeds):
    lines = table(sets, methods, n_seeds)
    here, there = tables_of_markdown(as_markdown(lines, ABOUT)), page_of(lines).tables
    assert list(here) == list(there)
    for caption, rows in here.items():
        turned = {}
        for head, cells in rows.items():
            method, _, kind = head.partition(", ")
            for name, cell in cells.items():
                turned.setdefault(f"{name} {kind}".strip(), {})[method] = bare(cell)
        assert turned == {
            head: {method: bare(cell) for method, cell in cells.items()}
            for head, cells in there[caption].items()
        }
    plain = here["ACC without labels"]
    assert list(plain) == [m for m in METHODS if m in methods]
    assert list(plain[methods[0]]) == [TITLES[name] for name in sets]


def test_lines_in_any_order():
    lines = table(["wine", "nba"], ["SC", "RPC"])
    assert as_markdown(lines[::-1], ABOUT) == as_markdown(lines, ABOUT)


def test_cells():
    lines = [
        line("RPC", acc=0.9692, sd=0.0031, paper=(0.9663, 0.8782)),
        line("SC", "auto", 0.4, n_seeds=1, paper=(0.7079, NAN)),
    ]
    found = tables_of_markdown(as_markdown(lines, ABOUT))
    assert found["ACC without labels"]["RPC"]["Wine"] == "**0.969** ± 0.003 (0.966)"
    assert found["ACC without labels"]["SC"]["Wine"] == "0.400 (0.708†)"
    assert found["NMI without labels"]["SC"]["Wine"] == "**0.250**"


def test_every_kind_has_its_own_line():
    lines = [
        line("SC", "auto", 0.1, 0.2),
        line("SC", "labels", 0.3, 0.4, n_seeds=1, paper=(0.7079, 0.4817)),
        line("SC", "kept", 0.5, 0.6, n_seeds=2, paper=(0.7079, 0.4817)),
        line("SC", "auto", 0.7, source="values"),
        line("SC", "auto", 0.8, source="one world"),
    ]
    found = tables_of_markdown(as_markdown(lines, ABOUT))
    shown = {
        caption: {head: cells["Wine"] for head, cells in rows.items()}
        for caption, rows in found.items()
    }
    assert shown == {
        "ACC without labels": {"SC": "0.100 ± 0.010"},
        "NMI without labels": {"SC": "0.200 ± 0.010"},
        "ACC with parameters chosen by labels": {
            "SC, by labels †": "0.300† (0.708†)",
            "SC, kept †": "0.500† ± 0.010",
            "SC, auto": "0.100 ± 0.010",
        },
        "NMI with parameters chosen by labels": {
            "SC, by labels †": "0.400† (0.482†)",
            "SC, kept †": "0.600† ± 0.010",
            "SC, auto": "0.200 ± 0.010",
        },
        "ACC with and without the uncertainty": {
            "SC, uncertain": "0.100 ± 0.010",
            "SC, values": "0.700 ± 0.010",
            "SC, one world": "0.800 ± 0.010",
        },
    }


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.8055, "0.806"), (-0.0123, "−0.012"), (-1e-9, "0.000"), (1.0, "1.000")],
)
def test_figures_are_rounded_as_by_hand(value, shown):
    text = as_markdown([line(acc=value)], ABOUT)
    assert f"| RPC | {shown} ± 0.010 |" in text


def test_best_are_bold_with_ties_and_for_each_measure():
    lines = [
        line("UK-means", acc=0.9004, nmi=0.1),
        line("SC", "auto", 0.9, 0.2),
        line("SC", "labels", 0.99, 0.99, n_seeds=1),
        line("RPC", acc=0.8994, nmi=0.3),
        line("RPC", acc=0.1, nmi=0.1, name="nba"),
        line("SC", "auto", 0.2, 0.05, name="nba"),
    ]
    bold = {
        caption: {
            (method, name)
            for method, cells in rows.items()
            for name, cell in cells.items()
            if "**" in cell
        }
        for caption, rows in tables_of_markdown(as_markdown(lines, ABOUT)).items()
    }
    assert bold["ACC without labels"] == {
        ("UK-means", "Wine"),
        ("SC", "Wine"),
        ("SC", "NBA"),
    }
    assert bold["NMI without labels"] == {("RPC", "Wine"), ("RPC", "NBA")}
    assert not bold["ACC with parameters chosen by labels"]
    pytest.importorskip("jinja2")
    assert as_html(lines, ABOUT).count("<strong>") == 5


def test_a_dagger_at_all_that_saw_labels_and_at_nothing_else():
    lines = table()
    found = tables_of_markdown(as_markdown(lines, ABOUT))
    for caption, rows in found.items():
        for head, cells in rows.items():
            method, _, kind = head.partition(", ")
            for cell in cells.values():
                ours, _, theirs = cell.partition("(")
                assert ("†" in ours) == ("†" in kind), (caption, head)
                assert ("†" in theirs) == (bool(theirs) and is_tuned(method))
    chosen = found["ACC with parameters chosen by labels"]
    assert list(chosen)[:3] == [
        "FDBSCAN, by labels †",
        "FDBSCAN, kept †",
        "FDBSCAN, auto",
    ]
    assert {head.partition(",")[0] for head in chosen} == set(TUNED)
    assert "must not be compared" in as_markdown(lines, ABOUT)


def test_what_is_missing_is_left_out():
    one = as_markdown(table(n_seeds=1), ABOUT)
    assert "kept" not in one
    assert "±" not in one
    by_number = as_markdown(table(["wine"], ["UK-means", "RPC"]), ABOUT)
    assert "†" not in by_number
    assert "chosen by" not in by_number
    assert "is given to UK-means and RPC." in by_number
    plain = as_markdown([line("SC", "auto")], ABOUT)
    assert re.findall("^## .*", plain, re.M) == [
        "## A. Without labels",
        "## About this run",
    ]
    assert "is given to" not in plain


def test_a_hole_is_a_dash():
    lines = [line("RPC"), line("UK-means", name="nba")]
    found = tables_of_markdown(as_markdown(lines, ABOUT))["ACC without labels"]
    assert found["RPC"] == {"Wine": "**0.500** ± 0.010", "NBA": "–"}
    assert found["UK-means"] == {"Wine": "–", "NBA": "**0.500** ± 0.010"}
    assert page_of(lines).tables["ACC without labels"]["Wine"]["UK-means"] == "–"


@pytest.mark.parametrize(
    ("acc", "said"),
    [(0.55, "above"), (0.5496, "above"), (0.549, ""), (0.45, "below"), (0.451, "")],
)
def test_far_from_the_paper_is_said_in_words_and_by_a_sign(acc, said):
    lines = [line(acc=acc, paper=(0.5, NAN))]
    cell = page_of(lines).tables["ACC without labels"]["Wine"]["RPC"]
    assert cell.startswith(f"far {said} the paper:") if said else "far" not in cell
    # One of each is in the legend.
    html = as_html(lines, ABOUT)
    assert html.count("▲") - 1 == (said == "above")
    assert html.count("▼") - 1 == (said == "below")


def test_what_the_sets_are_is_said():
    assert "players" not in as_markdown(table(["wine"]), ABOUT)
    assert "means of the objects" not in as_markdown(table(["wine"]), ABOUT)
    both = as_markdown(table(["wine", "nba", "weather"]), ABOUT)
    assert "NBA and Weather: the data are of the same kind as in the paper" in both
    assert "figures for Wine are not for the same uncertain data" in both
    assert "(of NBA and Weather, the means of the objects)" in both


def test_how_many_seeds_is_said():
    assert "over 3 seeds" in as_markdown(table(), ABOUT)
    assert "shows the figure of one seed" in as_markdown(table(n_seeds=1), ABOUT)
    assert "over 2 seeds." in as_markdown(table(methods=["SC"]), ABOUT)  # kept
    mixed = [line("RPC"), line("UCPC", n_seeds=10)]
    assert "over 3 to 10 seeds" in as_markdown(mixed, ABOUT)


def test_facts_are_listed_and_mean_nothing():
    about = {"command": "incerta --out <b>", "a|b": "<script>*1*\n# 2</script> & `c`"}
    text = as_markdown([line()], about)
    assert "- command: `incerta --out <b>`\n" in text
    assert text.endswith(r"- a\|b: \<script\>\*1\* \# 2\</script\> \& \`c\`" + "\n")
    page = page_of([line()], about)
    assert {"script", "b"}.isdisjoint(tag for tag, _ in page.elements)
    assert "<code>incerta --out &lt;b&gt;</code>" in as_html([line()], about)


def test_the_page_needs_nothing_else():
    page = page_of(table())
    html = as_html(table(), ABOUT)
    outside = [
        attrs.get("src") or attrs.get("href")
        for _, attrs in page.elements
        if "src" in attrs or "href" in attrs
    ]
    assert all(target.startswith(("#", "data:,")) for target in outside)
    assert "url(" not in html
    assert "default-src 'none'" in html
    assert len(html) < 200_000
    ids = {attrs["id"] for _, attrs in page.elements if "id" in attrs}
    assert {target[1:] for target in outside if target[0] == "#"} <= ids
    scrolling = [a for _, a in page.elements if a.get("class") == "scrolling"]
    assert len(scrolling) == len(page.tables) == 5
    assert all(attrs["tabindex"] == "0" for attrs in scrolling)
