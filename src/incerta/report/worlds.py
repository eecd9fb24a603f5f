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

    Parameters
    ----------
    estimator : object
        Fitted.
    labels : ndarray of shape (n_objects,)

    Returns
    -------
    dict or None
        None if the method looks at no single world. See `incerta.report.summarise`.
    """
    per_world = getattr(estimator, "labels_per_world_", None)
    if per_world is None:
        return None
    agreement = (per_world == labels).mean(axis=1)
    kept = getattr(estimator, "representatives_", None)
    divergences = getattr(estimator, "divergences_", None)
    # REP clusters all worlds, and its representatives are clusterings.
    alternatives = _alternatives(estimator)
    if alternatives or kept is None or len(kept) != len(per_world):
        kept = None
    drawn = len(per_world) if kept is None else getattr(estimator, "n_worlds", None)
    stability = getattr(estimator, "stability_", None)
    failures = getattr(estimator, "failures_", None) or {}
    return {
        "n_drawn": drawn if divergences is None else len(divergences),
        "n_clustered": len(per_world),
        "agreement": numbers(agreement),
        "stability": None if stability is None else number(stability),
        "representatives": []
        if kept is None
        else _representatives(kept, agreement, divergences),
        "map": None if kept is None else _map(divergences, kept),
        "alternatives": alternatives,
        "n_failures": len(failures),
        "failures": [
            {"world": int(world), "what": text(what)}
            for world, what in list(failures.items())[:MOST_FAILURES]
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


def _alternatives(estimator: Any) -> list[dict[str, Any]]:
    found = getattr(estimator, "clusterings_", None)
    if found is None:
        return []
    return [
        {
            "world": int(world),
            "probability": number(share),
            "n_clusters": int(labels.max()) + 1,
        }
        for world, share, labels in zip(
            estimator.worlds_of_clusterings_,
            estimator.probabilities_,
            found,
            strict=True,
        )
    ]
