"""What the worlds of a clustering say, for a summary."""

from __future__ import annotations

from typing import Any

import numpy as np

from incerta.plot.worlds import classical_scaling
from incerta.report.plain import number, numbers, text
from incerta.typing import Array, Indices

# A map of more worlds takes long, and shows no more.
MOST_MAPPED = 1000
MOST_FAILURES = 10


def world_facts(estimator: Any, labels: Indices) -> dict[str, Any] | None:
    """Tell how many worlds there were, how they agree, and which were kept.

    None if the method does not look at single worlds.
    """
    facts = estimator.facts()
    per_world, kept = facts.labels_per_world, facts.kept
    if per_world is None:
        return None
    agreement = (per_world == labels).mean(axis=1)
    return {
        "n_drawn": facts.n_drawn,
        "n_clustered": len(per_world),
        "agreement": numbers(agreement),
        "stability": None if facts.stability is None else number(facts.stability),
        "representatives": []
        if kept is None
        else _representatives(kept, agreement, facts.divergences),
        "map": None if kept is None else _map(facts.divergences, kept),
        "alternatives": [
            {
                "world": int(world),
                "probability": number(share),
                "n_clusters": int(found.max()) + 1,
            }
            for world, share, found in facts.alternatives
        ],
        "n_failures": len(facts.failures),
        "failures": [
            {"world": int(world), "what": text(what)}
            for world, what in list(facts.failures.items())[:MOST_FAILURES]
        ],
    }


def _representatives(
    kept: Indices, agreement: Array, divergences: Array | None
) -> list[dict[str, Any]]:
    stands_for: list[Any] = [None] * len(kept)
    if divergences is not None:
        nearest = divergences[:, kept].argmin(axis=1)
        stands_for = np.bincount(nearest, minlength=len(kept)).tolist()
    return [
        {"world": world, "stands_for": n_worlds, "agreement": share}
        for world, n_worlds, share in zip(
            kept.tolist(), stands_for, agreement.tolist(), strict=True
        )
    ]


def _map(divergences: Array | None, kept: Indices) -> dict[str, Any] | None:
    if divergences is None or not 3 <= len(divergences) <= MOST_MAPPED:
        return None
    places, shown = classical_scaling(divergences)
    return {
        "x": numbers(places[:, 0]),
        "y": numbers(places[:, 1]),
        "kept": kept.tolist(),
        "shown": numbers(shown),
    }
