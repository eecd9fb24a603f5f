"""A result in words, and in the tables that notebooks show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from incerta.wording import counted, no_confidence, share

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
    sure = result.no_confidence is None
    parts = [f"<p><strong>{escape(headline(result))}</strong></p>"]
    tables = [_clusters(result, sure)]
    if sure:
        order = result.confidence.argsort(kind="stable")[:N_UNSURE]
        tables.append(_objects(result, order.tolist(), "Least certain", sure))
    first = range(min(N_ROWS, len(result.labels)))
    tables.append(_objects(result, first, "First objects", sure))
    parts.append(f'<div style="{_TABLES}">{"".join(tables)}</div>')
    if result.no_confidence is not None:
        parts.append(f"<p>{escape(no_confidence(result.no_confidence))}</p>")
    if result.warnings:
        told = "".join(
            f"<li>{escape(_cut(text, 300))}</li>" for text in result.warnings
        )
        parts.append(f"<p>Warnings:</p><ul>{told}</ul>")
    parts.append(
        "<p>All objects: <code>result.table()</code>; why: "
        "<code>result.explain()</code>; a page to pass on: "
        "<code>result.report(&quot;report.html&quot;)</code></p>"
    )
    return f'<div style="overflow-x:auto">{"".join(parts)}</div>'


def _clusters(result: Clustering, sure: bool) -> str:
    labels, confidence = result.labels, result.confidence
    rows = []
    for c in range(min(result.n_clusters, MOST_CLUSTERS)):
        members = labels == c
        mean = [share(confidence[members].mean())] if sure else []
        rows.append([str(c), f"{members.sum():,}", *mean])
    if (labels < 0).any():
        noise = labels < 0
        mean = [share(confidence[noise].mean())] if sure else []
        rows.append(["noise", f"{noise.sum():,}", *mean])
    left = result.n_clusters - MOST_CLUSTERS
    title = "Clusters" if left <= 0 else f"Clusters ({left} more)"
    return _table(
        title, ["cluster", "objects", *(["confidence"] if sure else [])], rows
    )


def _objects(
    result: Clustering, positions: Iterable[int], title: str, sure: bool
) -> str:
    runner_up = result.runner_up
    rows = []
    for i in positions:
        row = [_cut(str(result.ids[i])), _named(result.labels[i])]
        if sure:
            other = runner_up[i] if result.confidence[i] < 1.0 else None
            row += [
                share(result.confidence[i]),
                "–" if other is None else _named(other),
            ]
        rows.append(row)
    headings = ["object", "cluster", *(["confidence", "runner-up"] if sure else [])]
    return _table(title, headings, rows)


def _table(title: str, headings: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    ways = ["left", *["right"] * (len(headings) - 1)]
    head = "".join(
        f'<th scope="col" style="{_CELL.format(way)};{_HEAD}">{escape(text)}</th>'
        for text, way in zip(headings, ways, strict=True)
    )
    body = "".join(
        "<tr>"
        + "".join(
            f'<td style="{_CELL.format(way)}"><bdi>{escape(text)}</bdi></td>'
            for text, way in zip(row, ways, strict=True)
        )
        + "</tr>"
        for row in rows
    )
    return (
        f'<table style="{_PLACE}"><caption style="{_TITLE}">{escape(title)}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _named(cluster: int | np.integer) -> str:
    return "noise" if cluster < 0 else str(int(cluster))


def _cut(text: str, longest: int = LONGEST) -> str:
    return text if len(text) <= longest else text[: longest - 1] + "…"
