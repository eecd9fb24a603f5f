"""What all views say together: each counts by how much of its labels is told."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from incerta.backend.progress import track
from incerta.data.container import UncertainData
from incerta.known import kept, n_named
from incerta.labels import numbered
from incerta.mixture.fitting import Effort
from incerta.mixture.model import Measured
from incerta.models.registry import stored
from incerta.typing import Array, Indices
from incerta.views.judge import judged, laws_together
from incerta.views.look import ALL, MIXTURE, Seen, Work, seen
from incerta.views.truths import Measurements, Truths

# Rounds of naming clusters after their mean, which becomes clearer with each.
ROUNDS = 3


def named_after(membership: Array, reference: Array, n_named: int = 0) -> Indices:
    """Names of k clusters by a reference (n, k), of which the first `n_named` stay."""
    common = membership.T @ reference
    keep = np.arange(n_named)
    common[keep, keep] += 1.0 + len(membership)
    names: Indices = linear_sum_assignment(-common)[1]
    return names


def renamed(membership: Array, reference: Array, n_named: int = 0) -> Array:
    """Probabilities of clusters, named after those of a reference."""
    return membership[:, np.argsort(named_after(membership, reference, n_named))]


def in_one_naming(labels: Indices, first: Indices, k: int, n_named: int = 0) -> Indices:
    """Labels of several worlds, (n_worlds, n), named after `first`, then their mean."""
    one = np.eye(k)
    reference = one[first]
    for _ in range(ROUNDS):
        labels = np.array(
            [named_after(one[row], reference, n_named)[row] for row in labels]
        )
        reference = one[labels].mean(axis=0)
    return labels


def stability(labels: Indices) -> float:
    """How alike worlds are: the mean adjusted Rand index of each with the next."""
    if len(labels) < 2:
        return 1.0
    others = np.roll(labels, -1, axis=0)
    return float(np.mean([*map(adjusted_rand_score, labels, others)]))


def balance(labels: Indices, k: int) -> float:
    """``log(m) / log(k)``, where m counts clusters; tiny ones only in part.

    Labels that leave a cluster over, or give it to a few outliers, have less to tell.
    A cluster counts in full from 4 % of the objects on, or from a quarter of the mean
    size where there are many.
    """
    if k < 2:
        return 1.0
    sizes = np.bincount(labels, minlength=k) / len(labels)
    in_full = min(LEAST_IN_FULL, PART_OF_MEAN / k)
    return float(np.log(np.minimum(sizes / in_full, 1.0).sum()) / np.log(k))


def led_by(membership: Array, labels: Indices) -> Array:
    """Probabilities, (n, k), with as much of the label mixed in as makes it lead."""
    rows = np.arange(len(labels))
    lacks = membership.max(axis=1) - membership[rows, labels]
    more = (lacks / (1.0 + lacks))[:, None]
    return (1.0 - more) * membership + more * np.eye(membership.shape[1])[labels]


AT_FIRST = Work(("diag", "full"), 10, Effort())
OF_ONE_SHAPE = AT_FIRST._replace(covariances=("diag", "full", "tied"))
# From scratch: with starts from the given data worlds would agree too often.
IN_WORLDS = Work((), 5, Effort(n_init=2, tol=1e-4, max_iter=100))
# Weights of views are exp(SHARPNESS * (score * balance + STABLE * stability)).
SHARPNESS, STABLE = 30.0, 0.15
LEAST_IN_FULL, PART_OF_MEAN = 0.04, 0.25


@stored()
@dataclass(frozen=True, kw_only=True)
class View:
    """What one view is worth."""

    score: float  # how much of its labels the true values tell, from 0 to 1
    stability: float  # how alike its clusterings of worlds are, from 0 to 1
    weight: float  # of its memberships; all weights together are 1
    agreement: float  # of its labels with the result (normalized mutual information)


@dataclass(frozen=True, kw_only=True)
class Consensus:
    """Memberships by all views."""

    membership: Array  # (n, k)
    judged: Measured  # where views were judged
    views: dict[str, View]
    memberships: dict[str, Array]  # of each view, with common names
    per_world: Indices | None  # (n_worlds, n), by the view that counts most


def consensus(
    data: UncertainData,
    truths: Truths,
    k: int,
    n_worlds: int,
    seed: int,
    known: Indices | None = None,
    wanted: Collection[str] = ALL,
    one_shape: bool = False,
) -> Consensus:
    """Cluster objects in views (see `seen`), judge these, and average memberships.

    With `one_shape`, clusters of the mixture may have one covariance (BIC).
    """
    look, one, named = truths.as_given(data), np.eye(k), n_named(known)
    some = look.judged
    first = seen(look, k, OF_ONE_SHAPE if one_shape else AT_FIRST, seed, known, wanted)
    if not first.labels:
        msg = f"views={[*wanted]}: these data have none of these; leave views out."
        raise ValueError(msg)
    judge = _once(lambda labels: judged(some, labels, k, seed).score)
    by_laws = _once(
        lambda labels: led_by(
            laws_together(some, labels, k, seed).shares(some, k), labels
        )
    )
    labels, worlds, found = {}, {}, {}
    for name, row in first.labels.items():
        row = kept(row, known)
        labels[name] = np.argsort(numbered(row, k, named))[row]
    scores, stable, decided = {}, dict.fromkeys(labels, 1.0), dict(labels)
    if k == 1 or truths.certain(data):
        for name, row in labels.items():
            scores[name] = judge(row)
            found[name] = first.shares if name == MIXTURE else by_laws(row)
    else:
        several = _in_worlds(data, truths, first, k, n_worlds, seed, known)
        for name, row in labels.items():
            rows = np.array([world.labels[name] for world in several])
            stable[name] = stability(rows)
            worlds[name] = in_one_naming(rows, row, k, named)
            shares = one[worlds[name]].mean(axis=0)
            if name != MIXTURE:
                # Worlds know errors; laws know where clusters overlap.
                decided[name] = most = shares.argmax(axis=1)
                scores[name], found[name] = judge(most), (shares + by_laws(most)) / 2.0
                continue
            scores[name], found[name] = judge(row), first.shares
            if not isinstance(truths, Measurements):
                each = [renamed(world.shares, shares, named) for world in several]
                found[name] = np.mean(each, axis=0)
    told = [scores[name] * balance(decided[name], k) for name in found]
    worth = np.array(told) + STABLE * np.array([stable[name] for name in found])
    weights = np.exp(SHARPNESS * (worth - worth.max()))
    weights /= weights.sum()
    leading = list(found)[int(worth.argmax())]
    found = {name: renamed(own, found[leading], named) for name, own in found.items()}
    membership = sum(w * own for w, own in zip(weights, found.values(), strict=True))
    weight = dict(zip(found, weights.tolist(), strict=True))
    result = membership.argmax(axis=1)
    views = {
        name: View(
            score=scores[name],
            stability=stable[name],
            weight=weight[name],
            agreement=float(normalized_mutual_info_score(row, result)),
        )
        for name, row in labels.items()
    }
    return Consensus(
        membership=membership,
        judged=some,
        views=views,
        memberships=found,
        per_world=worlds.get(leading),
    )


def _once(ask: Callable[[Indices], Any]) -> Callable[[Indices], Any]:
    """Ask about the same labels, which several views may find, only once."""
    known: dict[bytes, Any] = {}

    def asked(labels: Indices) -> Any:
        key = labels.tobytes()
        if key not in known:
            known[key] = ask(labels)
        return known[key]

    return asked


def _in_worlds(
    data: UncertainData,
    truths: Truths,
    first: Seen,
    k: int,
    n_worlds: int,
    seed: int,
    known: Indices | None,
) -> list[Seen]:
    """What views find in worlds."""
    if isinstance(truths, Measurements):
        truths = truths.with_mixture(data, first.mixture, seed)
    work = IN_WORLDS._replace(covariances=(first.mixture.kind,))
    steps, found = track(n_worlds, "worlds"), []
    for own, look in enumerate(truths.possible(data, n_worlds, seed), seed + 1):
        found.append(seen(look, k, work, own, known, tuple(first.labels)))
        next(steps, None)
    return found
