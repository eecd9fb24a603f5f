"""A result in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from incerta.wording import counted, share

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering


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
        lines.append(f"Confidence is not applicable: {result.no_confidence}.")
    elif result.choice is not None:
        lines.append(conditional(result.choice.k, result.choice.weight))
    if result.warnings:
        lines += ["", "Warnings:", *(f"- {text}" for text in result.warnings)]
    return "\n".join(lines)
