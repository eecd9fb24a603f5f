"""Selection of clusterings that represent many, and bounds on their probability."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import beta, norm

from incerta.selection import representatives
from incerta.typing import Array, Indices

# Smaller relative gains and distances are rounding errors.
ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True, eq=False)
class Alternatives:
    """Clusterings that represent groups of clusterings, the largest group first."""

    representatives: Indices  # (n_found,), positions among the clusterings
    tau: Array  # (n_found,), largest distance within each group
    global_tau: Array  # (n_found,), largest distance to any clustering
    support: Indices  # (n_found,), number of clusterings counted for each
    n_counted: int  # number of clusterings that were counted


def alternatives(
    distances: Array,
    n_alternatives: int = 1,
    *,
    criterion: str = "center",
    tau: float | None = None,
    holdout: float = 0.0,
) -> Alternatives:
    """Choose a few clusterings that represent many, by distances (m, m).

    Groups are formed around medoids, fewer than `n_alternatives` if fewer differ. With
    `tau` they are balls of this radius, the fullest first. The representative of a
    group is its "center", with the smallest maximum distance to the others, or its
    "medoid", with the smallest mean distance.

    The share `holdout` of the clusterings is not used for the choice, but only counted
    within `tau` of the representatives. With 0 the groups are counted.
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
    # Held-out counts must not decide the order: the best of several is too optimistic.
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
    """Return the medoids of groups of clusterings (PAM), by distances (m, m).

    They are chosen one by one, then swapped for others, the best swap first. All swaps
    are evaluated in a few passes over the distances. There are fewer medoids if fewer
    clusterings differ.
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
        # Members nearer to the newcomer gain whichever medoid leaves. Members of the
        # leaving medoid move to the newcomer or to their second nearest.
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
    return int(members[np.lexsort(keys)[0]])  # lexsort sorts by the last key first


def _fullest_balls(
    distances: Array, n_balls: int, tau: float
) -> tuple[Indices, list[Indices]]:
    """Return the centers of balls, and the members not in earlier balls."""
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
    """Return the exact one-sided lower bound for `support` of `n` draws."""
    bound = beta.ppf(1.0 - level, np.maximum(support, 1), n - support + 1)
    return np.where(support > 0, bound, 0.0)


def wald(support: Indices, n: int, level: float) -> Array:
    """Return the normal lower bound, as published for REP; 1 if all draws agree."""
    p = support / n
    return np.maximum(p - norm.ppf(level) * np.sqrt(p * (1.0 - p) / n), 0.0)


def wilson(support: Indices, n: int, level: float) -> Array:
    """Return the lower bound of the score test: approximate, better than Wald's."""
    p, z = support / n, norm.ppf(level)
    spread = np.sqrt(p * (1.0 - p) / n + (z / (2.0 * n)) ** 2)
    bound = (p + z**2 / (2.0 * n) - z * spread) / (1.0 + z**2 / n)
    return np.maximum(bound, 0.0)


BOUNDS: dict[str, Callable[[Indices, int, float], Array]] = {
    "clopper-pearson": clopper_pearson,
    "wald": wald,
    "wilson": wilson,
}
