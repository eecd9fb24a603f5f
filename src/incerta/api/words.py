"""A result in words, and in the tables that notebooks show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from incerta.wording import counted, cut, no_confidence, share

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering


# Of clusters, of the least certain objects, and of all objects.
MOST_CLUSTERS, N_UNSURE, N_ROWS = 12, 5, 5
LONGEST = 40
# Colours come from the notebook, light or dark: ours are ink with some transparency.
_TABLES = "display:flex;flex-wrap:wrap;align-items:flex-start"
_PLACE = "margin:.4em 1.5em .4em 0;border-collapse:collapse"
_TITLE = "text-align:left;font-weight:600;padding:.2em 0"
_CELL = "padding:.15em .7em .15em 0;text-align:{};vertical-align:top"
_HEAD = "border-bottom:1px solid #80808080;font-weight:600"


def headline(result: Clustering) -> str:
    """What was found, by what, and how sure it is, in a line."""
    n_noise = int((result.labels < 0).sum())
    noise = f", {n_noise} noise" if n_noise else ""
    found = (
        f"{counted(len(result.labels), 'object')} in "
        f"{counted(result.n_clusters, 'cluster')}"
    )
    sure = "confidence not applicable"
    if result.no_confidence is None:
        sure = f"mean confidence {result.confidence.mean():.2f}"
    return f"{found}{noise} by {result.method}, {sure}"


def conditional(k: int, weight: float) -> str:
    """What confidences depend on, if the number of clusters was chosen."""
    return (
        f"Confidences hold if there are {counted(k, 'cluster')} (plausibility "
        f"{share(weight)})."
    )


def explained(result: Clustering) -> str:
    """What was done, and why, in sentences."""
    lines = [headline(result), "", *result.reasons]
    if result.no_confidence is not None:
        lines.append(no_confidence(result.no_confidence))
    elif result.choice is not None:
        lines.append(conditional(result.choice.k, result.choice.weight))
    if result.warnings:
        lines += ["", "Warnings:", *(f"- {text}" for text in result.warnings)]
    return "\n".join(lines)


def as_html(result: Clustering) -> str:
    """A result as a few small tables: no script, and every text escaped."""
    labels, confidence, runner_up = result.labels, result.confidence, result.runner_up
    sure = result.no_confidence is None
    names = ["noise", *map(str, range(result.n_clusters))]  # of −1, 0, 1, ...

    def objects(title: str, positions: Iterable[int]) -> str:
        rows = []
        for i in positions:
            other = names[runner_up[i] + 1] if confidence[i] < 1.0 else "–"
            name = cut(str(result.ids[i]), LONGEST)
            rows.append([name, names[labels[i] + 1], share(confidence[i]), other])
        return table(title, ["object", "cluster", "confidence", "runner-up"], rows)

    def table(title: str, headings: Sequence[str], rows: Sequence[list[str]]) -> str:
        n = len(headings) if sure else 2  # the others are about confidence
        ways = ["left", *["right"] * (n - 1)]
        head = "".join(
            f'<th scope="col" style="{_CELL.format(way)};{_HEAD}">{escape(text)}</th>'
            for way, text in zip(ways, headings, strict=False)
        )
        body = "".join(
            f'<td style="{_CELL.format(way)}"><bdi>{escape(text)}</bdi></td>'
            + "</tr><tr>" * (j == n - 1)
            for row in rows
            for j, (way, text) in enumerate(zip(ways, row, strict=False))
        )
        return (
            f'<table style="{_PLACE}"><caption style="{_TITLE}">{escape(title)}'
            f"</caption><thead><tr>{head}</tr></thead><tbody><tr>"
            f"{body.removesuffix('<tr>')}</tbody></table>"
        )

    shown = range(min(result.n_clusters, MOST_CLUSTERS))
    clusters = []
    for c in [*shown, -1] if (labels < 0).any() else shown:
        mean = share(confidence[labels == c].mean())
        clusters.append([names[c + 1], f"{(labels == c).sum():,}", mean])
    left = result.n_clusters - MOST_CLUSTERS
    title = "Clusters" if left <= 0 else f"Clusters ({left} more)"
    tables = [table(title, ["cluster", "objects", "confidence"], clusters)]
    if sure:
        order = confidence.argsort(kind="stable")[:N_UNSURE]
        tables.append(objects("Least certain", order.tolist()))
    tables.append(objects("First objects", range(min(N_ROWS, len(labels)))))
    parts = [f"<p><strong>{escape(headline(result))}</strong></p>"]
    parts.append(f'<div style="{_TABLES}">{"".join(tables)}</div>')
    if result.no_confidence is not None:
        parts.append(f"<p>{escape(no_confidence(result.no_confidence))}</p>")
    if result.warnings:
        items = (f"<li>{escape(cut(text, 300))}</li>" for text in result.warnings)
        parts.append(f"<p>Warnings:</p><ul>{''.join(items)}</ul>")
    parts.append(
        "<p>All objects: <code>result.table()</code>; why: "
        "<code>result.explain()</code>; a page to pass on: "
        "<code>result.report(&quot;report.html&quot;)</code></p>"
    )
    return f'<div style="overflow-x:auto">{"".join(parts)}</div>'
