"""The page about a stream: its clusters, what happened, and centres over time."""

from __future__ import annotations

from typing import Any

from incerta.backend.templates import pages_of, part_of_page
from incerta.plot.style import MARKERS, PALETTE
from incerta.report.plain import cut, measured, percent
from incerta.report.render import SIGNS
from incerta.wording import counted

MOST_FEATURES = 12
MOST_EVENTS = 200
# Of a picture, in its own units: all of it, and where the axes are.
WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 14, 24


def page_of_stream(found: dict[str, Any]) -> str:
    """Make the page: one HTML text that holds everything it needs, and no script.

    Parameters
    ----------
    found : dict
        What ``incerta watch`` writes to ``summary.json``.

    Returns
    -------
    str
        HTML. Texts from the data are escaped.
    """
    environment = pages_of("incerta.report", "a report")
    environment.filters |= {"counted": counted, "cut": cut, "percent": percent}
    environment.globals |= {"measured": measured}
    page: str = environment.get_template("stream.html.j2").render(
        found=found,
        pictures=[
            {"feature": name, **picture(found["history"], j)}
            for j, name in enumerate(found["features"][:MOST_FEATURES])
        ],
        width=WIDTH,
        height=HEIGHT,
        most_features=MOST_FEATURES,
        most_events=MOST_EVENTS,
        looks={"colours": PALETTE, "signs": [SIGNS[marker] for marker in MARKERS]},
        style=part_of_page("incerta.report", "report.css"),
    )
    return page


def picture(history: dict[str, Any], j: int) -> dict[str, Any]:
    """Centres of one feature over time, as lines in the units of the picture.

    Parameters
    ----------
    history : dict
        Rows that had come at each look, and the centres of the clusters by then.
    j : int
        Number of the feature.

    Returns
    -------
    dict
        ``lines``: of each cluster, pieces of points without a look between them at
        which the cluster was not there; ``ticks`` of the upright axis and ``rows`` at
        the ends of the other one.
    """
    rows, looks = history["rows"], history["centres"]
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
    before: set[str] = set()
    for row, look in zip(rows, looks, strict=True):
        there = {c for c in look if look[c][j] is not None}
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
