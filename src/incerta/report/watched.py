"""The page about a stream: its clusters, events, and centers over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from incerta.plot.style import MARKERS, PALETTE
from incerta.report.plain import cut, measured, numbers, page_from, text
from incerta.report.render import SIGNS
from incerta.wording import counted, percent, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from incerta.api.watcher import Watcher
    from incerta.streams.following import Cluster, Event

WIDTH_OF_LINE, LONGEST_NAME = 80, 24

MOST_FEATURES = 12
MOST_EVENTS = 200
# Sizes of a picture in its units: the total, and the margins around the axes.
WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 14, 24


def facts(watcher: Watcher) -> dict[str, Any]:
    """Summarize a stream as plain values."""

    def described(cluster: Cluster) -> dict[str, Any]:
        return {
            "cluster": cluster.number,
            "share": cluster.share,
            "rows": cluster.rows,
            "since": cluster.since,
            "center": numbers(cluster.center),
            "error": numbers(cluster.error),
            "spread": numbers(cluster.spread),
        }

    return {
        "rows": watcher.n_seen,
        "left_out": watcher.counts["bad"],
        "bad_rows": [{"line": n, "why": text(why, 200)} for n, why in watcher.bad],
        "features": [text(name, 200) for name in watcher.names],
        "clusters": [described(each) for each in watcher.clusters],
        "gone": [{**described(each), "until": n} for n, each in watcher.gone],
        "counts": {kind: watcher.counts[kind] for kind in ("new", "moved", "gone")},
        "events": [
            {
                "rows": n,
                "kind": event.kind,
                "cluster": event.cluster.number,
                "told": line_about(event, n, watcher.names),
            }
            for n, event in watcher.events
        ],
        "history": {
            "rows": watcher.history.rows,
            "centers": [
                {str(c): numbers(center) for c, center in look.items()}
                for look in watcher.history.centers
            ],
        },
    }


def line_about(event: Event, n_seen: int, names: Sequence[str]) -> str:
    """Describe an event in one line."""
    cluster = event.cluster
    begin = f"{counted(n_seen, 'row')}: "
    if event.kind == "moved" and event.before is not None:
        begin += f"cluster {cluster.number} moved, "
        end = f" ({event.ratio:.0f} × its uncertainty)"
        room = WIDTH_OF_LINE - len(begin) - len(end)
        return begin + places(cluster, names, room, event.before) + end
    if event.kind == "gone":
        begin += f"cluster {cluster.number} is gone; it was at "
    else:
        begin += f"new cluster {cluster.number} ({percent(cluster.share)}) at "
    return begin + places(cluster, names, WIDTH_OF_LINE - len(begin))


def places(
    cluster: Cluster, names: Sequence[str], width: int, before: Cluster | None = None
) -> str:
    """List the centers by feature, the largest moves first, as many as fit."""
    order = np.arange(len(names))
    if before is not None:
        order = np.argsort(-np.abs(cluster.center - before.center) / cluster.error)
    out = ""
    for j in order.tolist():
        place = measured(float(cluster.center[j]), float(cluster.error[j]))
        if before is not None:
            was = measured(float(before.center[j]), float(before.error[j]))
            place = f"{was.partition(' ')[0]} → {place}"
        name = cut(printable(names[j]), LONGEST_NAME)
        more = f"{', ' if out else ''}{name} {place}"
        if len(out) + len(more) > width - 3 * (j != order[-1]):
            return f"{out}, …" if out else printable(more)[: max(width - 1, 1)] + "…"
        out += more
    return out


def page_of_stream(found: dict[str, Any]) -> str:
    """Make a self-contained HTML page without scripts.

    The input is the contents of ``summary.json`` from ``incerta watch``. Texts from the
    data are escaped.
    """
    return page_from(
        "stream.html.j2",
        found=found,
        pictures=[
            {"feature": name, **picture(found["history"], j)}
            for j, name in enumerate(found["features"][:MOST_FEATURES])
        ],
        width=WIDTH,
        height=HEIGHT,
        most_features=MOST_FEATURES,
        most_events=MOST_EVENTS,
        looks={"colors": PALETTE, "signs": [SIGNS[marker] for marker in MARKERS]},
    )


def picture(history: dict[str, Any], j: int) -> dict[str, Any]:
    """Draw the centers of one feature over time, in the units of the picture.

    The line of a cluster is interrupted where a look did not find the cluster.
    """
    rows, looks = history["rows"], history["centers"]
    places = [one[c][j] for one in looks for c in one if one[c][j] is not None]
    low, high = (min(places), max(places)) if places else (0.0, 1.0)
    if high <= low:
        low, high = low - 0.5 * (abs(low) or 1.0), high + 0.5 * (abs(high) or 1.0)
    first, last = (rows[0], rows[-1]) if rows else (0, 1)

    def x(row: int) -> float:
        part = (row - first) / (last - first) if last > first else 0.5
        return round(LEFT + part * (WIDTH - LEFT - RIGHT), 1)

    def y(place: float) -> float:
        part = 0.05 + 0.9 * (place - low) / (high - low)
        return round(HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM), 1)

    lines: dict[str, list[list[tuple[float, float]]]] = {}
    before: list[str] = []
    for row, look in zip(rows, looks, strict=True):
        there = [c for c in look if look[c][j] is not None]
        for c in there:
            pieces = lines.setdefault(c, [])
            if c not in before:
                pieces.append([])
            pieces[-1].append((x(row), y(look[c][j])))
        before = there
    step = (high - low) / 2.0
    return {
        "lines": [{"cluster": int(c), "pieces": pieces} for c, pieces in lines.items()],
        "ticks": [
            (y(place), f"{place:.4g}".replace("-", "−"))
            for place in (low, low + step, high)
        ],
        "rows": [(x(row), f"{row:,}") for row in sorted({first, last})],
        "left": LEFT,
        "right": WIDTH - RIGHT,
        "top": TOP,
        "bottom": HEIGHT - BOTTOM,
    }
