"""The page about existing labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from incerta.api.assess import DEEP, MOST_DRAWN, SEPARATE, said
from incerta.data.meaning import certain
from incerta.plot.valleys import along, histogram
from incerta.report.plain import name, number, page_from, text
from incerta.typing import Array

if TYPE_CHECKING:
    from incerta.api.assess import AssessedPair, Assessment

MOST_LABELS, MOST_LOOKED = 200, 50
# Sizes of the picture of a pair, in its units; the last is the room for numbers.
WIDTH, HEIGHT, BELOW = 240, 110, 18
# Largest number of ticks along its axis, and the steps between them.
MOST_TICKS, STEPS = 5, (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)


def facts(found: Assessment) -> dict[str, Any]:
    """Summarize an assessment as plain values; texts are not escaped yet."""
    given = found.codes >= 0
    worst = np.argsort(found.right, kind="stable")[: min(len(found.look), MOST_LOOKED)]
    likeliest = found.probability.argmax(axis=1)[worst]
    drawn = [pair for pair in found.pairs if pair.values is not None]
    wrong_first = sorted(found.clusters, key=lambda each: -each.wrong)
    finder, data = found.directions, found.data
    return {
        "sentences": [text(sentence) for sentence in found.sentences()],
        "n_assessed": int(given.sum()),
        "n_missing": int((~given).sum()),
        "n_labels": len(found.names),
        "n_joined": len(set(found.joined()[given].tolist())),
        "n_wrong": number(found.wrong),
        "n_look": len(found.look),
        "score": number(found.score),
        "score_joined": number(found.score_joined),
        "labels": [
            {
                "label": name(each.label),
                "size": each.size,
                "sure": number(each.sure),
                "wrong": each.wrong,
                "nearest": None if each.nearest is None else name(each.nearest),
                "depth": depth_of(each.depth),
                "verdict": each.verdict,
                "separate": each.verdict == SEPARATE,
                "hides_two": each.hides_two,
                "depth_within": depth_of(each.depth_within),
            }
            for each in wrong_first[:MOST_LABELS]
        ],
        "n_clusters": len(found.clusters),
        "n_pairs": len(found.pairs),
        "pairs": [picture(pair) for pair in drawn[:MOST_DRAWN]],
        "look": [
            {
                "id": name(found.data.ids[i]),
                "label": name(found.names[found.codes[i]].item()),
                "right": number(found.right[i]),
                "likeliest": name(found.names[best].item()),
                "probability": number(found.probability[i, best]),
            }
            for i, best in zip(worst.tolist(), likeliest.tolist(), strict=True)
        ],
        "data": {
            "n_objects": len(data),
            "n_features": data.n_features,
            "kind": text(data.kind),
            "exact": certain(data),
            "scaled": found.scaler is not None,
            "n_directions": 0 if finder is None else finder.n_directions_,
        },
        "options": options(found),
        "seed": found.seed,
        "versions": {key: text(value) for key, value in found.versions.items()},
    }


def page_of_assessment(found: dict[str, Any]) -> str:
    """Make a self-contained HTML page without scripts."""
    return page_from(
        "assess.html.j2",
        found=found,
        deep=DEEP,
        most_looked=MOST_LOOKED,
        width=WIDTH,
        height=HEIGHT,
        below=BELOW,
    )


def options(found: Assessment) -> str:
    """Return the arguments of `assess` that differ from their defaults."""
    finder = found.directions
    asked = None if finder is None else finder.n_directions
    scale = "" if found.scaler is not None else ", scale=False"
    return scale if asked == "auto" else f"{scale}, directions={asked!r}"


def depth_of(depth: float) -> str:
    """Format the depth of a valley to one digit; NaN is a dash."""
    return "–" if np.isnan(depth) else f"{depth:,.1f}".replace("-", "−")


def picture(pair: AssessedPair) -> dict[str, Any]:
    """Draw two labels along the axis between them, in the units of the picture.

    Bars show the measured values, and the curve shows the density of the true ones.
    """
    assert pair.values is not None
    assert pair.law is not None
    places = pair.values.places
    edges, heights = histogram(places, pair.values.numbers)
    at = along(places)
    density = pair.law.density(at)
    low, high = edges[0], edges[-1]
    top = max(heights.max(), density.max())

    def x(place: Array | float) -> Array:
        return np.round((place - low) / (high - low) * WIDTH, 1)

    def y(height: Array) -> Array:
        return np.round(HEIGHT * (1.0 - 0.97 * height / top), 1)

    steps = (step for step in STEPS if (high - low) / step < MOST_TICKS)
    step = next(steps, STEPS[-1])
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1.0) * step
    # Numbers at the ends would be clipped.
    ticks = ticks[(x(ticks) >= BELOW / 2) & (x(ticks) <= WIDTH - BELOW / 2)]
    bars = zip(y(heights), x(edges[1:]), strict=True)
    return {
        "one": name(pair.one),
        "other": name(pair.other),
        "verdict": said(pair),
        "separate": pair.verdict == SEPARATE,
        "bars": "".join(f"V{up}H{right}" for up, right in bars),
        "curve": " ".join(
            f"{across},{up}" for across, up in zip(x(at), y(density), strict=True)
        ),
        "ticks": [(float(x(tick)), f"{tick:.0f}".replace("-", "−")) for tick in ticks],
    }
