"""Which of many clusterings, known by distances, represent all, and how surely."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta, norm

from incerta.selection import representatives
from incerta.typing import Array, Indices

# Relative gains and distances below this are rounding.
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class Alternatives:
    """Clusterings that represent groups of clusterings, the largest group first."""

    representatives: Indices  # (n_found,), positions among the clusterings
    tau: Array  # (n_found,), how far the group reaches from its representative
    global_tau: Array  # (n_found,), how far all clusterings do
    support: Indices  # (n_found,), clusterings that are counted for it
    n_counted: int  # out of so many


def alternatives(
    distances: Array,
    n_alternatives: int = 1,
    *,
    criterion: str = "center",
    tau: float | None = None,
    holdout: float = 0.0,
) -> Alternatives:
    """Choose a few clusterings that represent many, by distances (m, m).

    Groups are around medoids, fewer than `n_alternatives` if fewer differ, or with
    `tau` balls of this radius, the fullest first. A group is represented by its
    "center", with the smallest maximum distance to the others, or its "medoid", with
    the smallest mean.

    The share `holdout` of the clusterings is only counted, within the reach of the
    representatives; the others are only chosen from. With 0 the groups are counted.
    """
    m = len(distances)
    # Evenly spread; at least one is left to choose from.
    n_held = min(round(holdout * m), m - 1)
    held = np.round(np.linspace(0, m - 1, n_held)).astype(np.intp)
    chosen = np.delete(np.arange(m), held)
    seen = distances[np.ix_(chosen, chosen)]
    if tau is None:
        nearest = seen[medoids(seen, n_alternatives)].argmin(axis=0)
        groups = [np.flatnonzero(nearest == g) for g in range(nearest.max() + 1)]
        picks = np.array([_representative(seen, group, criterion) for group in groups])
        reach = [seen[i, group].max() for i, group in zip(picks, groups, strict=True)]
        radii = np.array(reach)
    else:
        picks, groups = _fullest_balls(seen, n_alternatives, tau)
        radii = np.full(len(picks), float(tau))
    sizes = np.array([len(group) for group in groups])
    # Not by what is counted of those held out: the best of several counts is too good.
    order = np.lexsort((picks, radii, -sizes))
    picks, radii, support = chosen[picks[order]], radii[order], sizes[order]
    if len(held):
        near = distances[np.ix_(picks, held)] <= radii[:, None] + ROUNDING
        support = near.sum(axis=1)
    largest = distances[picks].max(axis=1)
    return Alternatives(
        representatives=picks,
        tau=radii,
        global_tau=largest,
        support=support,
        n_counted=len(held) or m,
    )


def medoids(distances: Array, n_groups: int) -> Indices:
    """Clusterings in the middle of groups of clusterings (PAM), by distances (m, m).

    Chosen one by one, then swapped for others, the best swap first. All swaps are
    weighed in a few passes over the distances. There are fewer if fewer clusterings
    differ.
    """
    m = len(distances)
    n_distinct = int(((distances == 0.0).argmax(axis=1) == np.arange(m)).sum())
    k = min(n_groups, n_distinct)
    found = representatives(distances, k)
    while k > 1:
        rows = distances[found]
        slot = rows.argmin(axis=0)
        first, second = np.partition(rows, 1, axis=0)[:2]
        gap = distances - first
        # Who gains by a newcomer gains whichever medoid goes; who loses its medoid
        # goes to the newcomer or to its second nearest.
        lost = np.minimum(np.maximum(gap, 0.0), second - first)
        change = lost @ (slot[:, None] == np.arange(k))
        change += np.minimum(gap, 0.0).sum(axis=1)[:, None]
        newcomer, leaving = np.unravel_index(change.argmin(), change.shape)
        if change[newcomer, leaving] >= -ROUNDING * first.sum():
            break
        found[leaving] = newcomer
    return found


def _representative(distances: Array, members: Indices, criterion: str) -> int:
    within = distances[np.ix_(members, members)]
    largest, mean = within.max(axis=1), within.mean(axis=1).round(12)
    keys = (mean, largest) if criterion == "center" else (largest, mean)
    return int(members[np.lexsort(keys)[0]])  # lexsort goes by the last key first


def _fullest_balls(
    distances: Array, n_balls: int, tau: float
) -> tuple[Indices, list[Indices]]:
    """Centers of balls, and what each holds that the earlier ones do not."""
    inside = distances <= tau + ROUNDING
    mean = distances.mean(axis=1).round(12)
    left = np.ones(len(distances), dtype=bool)
    picks: list[int] = []
    groups: list[Indices] = []
    while len(picks) < n_balls and left.any():
        counts = np.where(left, inside @ left.astype(np.intp), 0)
        pick = int(np.lexsort((mean, -counts))[0])
        group = inside[pick] & left
        picks.append(pick)
        groups.append(np.flatnonzero(group))
        left &= ~group
    return np.array(picks), groups


# bounds -----------------------------------------------------------------------------


def clopper_pearson(support: Indices, n: int, level: float) -> Array:
    """Exact one-sided lower bound on what happened in `support` of `n` draws."""
    bound = beta.ppf(1.0 - level, np.maximum(support, 1), n - support + 1)
    return np.where(support > 0, bound, 0.0)


def wald(support: Indices, n: int, level: float) -> Array:
    """Lower bound as published for REP: normal, and 1 as soon as all draws agree."""
    p = support / n
    return np.maximum(p - norm.ppf(level) * np.sqrt(p * (1.0 - p) / n), 0.0)


def wilson(support: Indices, n: int, level: float) -> Array:
    """Lower bound by the score test: approximate, closer than Wald's."""
    p, z = support / n, norm.ppf(level)
    spread = np.sqrt(p * (1.0 - p) / n + (z / (2.0 * n)) ** 2)
    bound = (p + z**2 / (2.0 * n) - z * spread) / (1.0 + z**2 / n)
    return np.maximum(bound, 0.0)


BOUNDS: dict[str, Callable[[Indices, int, float], Array]] = {
    "clopper-pearson": clopper_pearson,
    "wald": wald,
    "wilson": wilson,
}
