"""Probability of each label for each object, by fits to the other objects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize
from scipy.sparse import csr_array
from scipy.special import log_softmax

from incerta import settings
from incerta.mixture.expectation import filled, log_densities
from incerta.mixture.fitting import single_gaussian
from incerta.mixture.model import Measured
from incerta.typing import Array, Indices, Mask
from incerta.views.judge import Laws, laws_of

# Largest number of objects of each label and fold to fit a distribution to.
MOST_EACH = 1000
# The second fit leaves out objects whose own label is at most this probable.
DOUBTFUL = 0.3
# Largest number of objects used for calibration.
MOST_TEMPERED = 20_000
# Bounds of the exponent, and the largest share of wrong labels.
LEAST_BETA, MOST_BETA, MOST_WRONG = 0.05, 2.0, 0.5
TINY = 1e-300
# With more features than this, covariances are diagonal along common axes.
MOST_CORRELATED = 12
# Diagonal variances are shrunk to those of all labels, by this many objects' weight.
IN_COMMON = 10.0


@dataclass(frozen=True, kw_only=True)
class Posterior:
    """Probabilities of k labels for n objects, each by a fit to the other fold."""

    probability: Array  # (n, k), of the label that would be given
    right: Array  # (n,), that the given label is the true one; NaN without a label
    fold: Indices  # (n,), 0 or 1; −1 for objects without a label
    laws: list[Laws]  # those that objects of each fold are assessed by
    part: Indices  # (n,), the most probable component of these laws
    common: list[Array]  # (c, c) each, how often components are in doubt together


def posterior(some: Measured, labels: Indices, k: int, seed: int) -> Posterior:
    """Cross-fitted and calibrated probabilities of labels from 0 to k − 1; −1 is none.

    Laws are fitted twice: the second time without objects that are probably of another
    label. Their probabilities are then tempered by what makes the labels of the other
    fold likeliest; see `tempered`.
    """
    rng = np.random.default_rng(seed)
    fold, chosen = _folds(labels, k, rng)
    counts = np.bincount(labels[labels >= 0], minlength=k)
    members = [np.flatnonzero(fold == g) for g in (0, 1)]
    some_of = [np.flatnonzero(chosen & (fold == g)) for g in (0, 1)]
    first = [_laws(some, labels, counts, seed, rows) for rows in reversed(some_of)]
    certain = [
        _explained(some, labels, rows, laws)
        for rows, laws in zip(some_of, first, strict=True)
    ]
    laws = [_laws(some, labels, counts, seed, rows) for rows in reversed(certain)]

    n = len(labels)
    share, part = np.empty((n, k)), np.full(n, -1)
    common, tempers = [], []
    for rows, own in zip(members, laws, strict=True):
        by_part = np.exp(log_densities(some.only(rows), own.components).shares)
        share[rows] = by_part.T @ np.eye(k)[own.clusters]
        part[rows] = by_part.argmax(axis=0)
        roots = np.sqrt(by_part, out=by_part)
        common.append(roots @ roots.T)
        asked = rng.permutation(rows)[:MOST_TEMPERED]
        tempers.append(best_temper(share[asked], labels[asked]))
    right = np.full(n, np.nan)
    for rows, (beta, wrong) in zip(members, reversed(tempers), strict=True):
        true, share[rows] = tempered(share[rows], beta, wrong)
        given = np.arange(len(rows)), labels[rows]
        right[rows] = (1.0 - wrong) * true[given] / share[rows][given]
    free = np.flatnonzero(fold < 0)
    if len(free):
        share[free] = sum(
            tempered(own.shares(some.only(free), k), *temper)[0] / len(laws)
            for own, temper in zip(laws, tempers, strict=True)
        )
    return Posterior(
        probability=share, right=right, fold=fold, laws=laws, part=part, common=common
    )


def along_common_axes(some: Measured, labels: Indices) -> Measured:
    """Rotate many features to the axes of the covariance within labels.

    Few features are rotated too if no label has enough objects for a full covariance.
    Along these axes one variance for each feature is cheap and fits well. Errors are
    taken to be independent there, and gaps to be values with large errors.
    """
    enough = 2 * settings.LAW_OBJECTS_PER_FEATURE * some.n_features
    several = np.bincount(labels[labels >= 0]).max() > enough
    if some.n_features <= MOST_CORRELATED and several:
        return some
    some = without_gaps(some)
    given = np.flatnonzero(labels >= 0)
    member = csr_array(
        (np.ones(len(given)), (labels[given], given)), (labels.max() + 1, len(labels))
    )
    values = some.values[:, given]
    means = (member @ some.values.T) / member.sum(axis=1)[:, None]
    apart = values - means[labels[given]].T
    axes = np.linalg.eigh(apart @ apart.T / len(given))[1].T
    return Measured(axes @ some.values, np.square(axes) @ some.variances)


def without_gaps(some: Measured) -> Measured:
    """Replace missing values by overall means, with the overall spread as error.

    Means of an object's own label would create a valley.
    """
    if some.projection is not None:
        return filled(some, single_gaussian(some))
    if some.known is None:
        return some
    gaps, (means, variances) = some.known == 0.0, some.true_spread()
    values = np.where(gaps, means[:, None], some.values)
    errors = some.errors.copy()
    own = errors if errors.ndim == 2 else np.einsum("iin->in", errors)
    own[gaps] = np.broadcast_to(variances[:, None], gaps.shape)[gaps]
    return Measured(values, errors)


def _folds(labels: Indices, k: int, rng: np.random.Generator) -> tuple[Indices, Mask]:
    """Split each label in half, and choose the objects to fit to."""
    order = rng.permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    starts = np.searchsorted(labels[order], np.arange(k))
    rank = np.empty(len(labels), dtype=np.intp)
    rank[order] = np.arange(len(labels)) - starts[labels[order]]
    given = labels >= 0
    # Single objects of several labels are not all in one fold.
    return np.where(given, (rank + labels) % 2, -1), given & (rank < 2 * MOST_EACH)


def _laws(
    some: Measured, labels: Indices, counts: Indices, seed: int, rows: Indices
) -> Laws:
    """Fit labels to some objects, weighted by the sizes of all labels."""
    kind = "diag" if some.n_features > MOST_CORRELATED else None
    laws = laws_of(some.only(rows), labels[rows], len(counts), seed, kind=kind)[1]
    weights = laws.components.weights
    fitted = np.bincount(laws.clusters, weights, minlength=len(counts))
    held, own = weights[:, None] * len(rows), laws.components.covariances
    if own.ndim == 2:
        own = (held * own + IN_COMMON * (weights @ own)) / (held + IN_COMMON)
    weights = weights * (counts / np.where(fitted > 0.0, fitted, 1.0))[laws.clusters]
    weights /= weights.sum()
    return laws._replace(
        components=laws.components._replace(weights=weights, covariances=own)
    )


def _explained(some: Measured, labels: Indices, rows: Indices, laws: Laws) -> Indices:
    """Keep objects that probably have the right label; all, if none would be left."""
    k = int(labels.max()) + 1
    own = laws.shares(some.only(rows), k)[np.arange(len(rows)), labels[rows]]
    kept = own > DOUBTFUL
    left = np.bincount(labels[rows[kept]], minlength=k)
    return rows[kept | (left[labels[rows]] == 0)]


def tempered(share: Array, beta: float, wrong: float) -> tuple[Array, Array]:
    """Return probabilities of true labels, and of given ones that may be wrong.

    True ones are ``q ∝ p ** beta``, as laws promise too much; of given labels a share
    is wrong, and then any other: ``(1 − wrong) q + wrong (1 − q) / (k − 1)``.
    """
    true = np.exp(log_softmax(beta * np.log(np.maximum(share, TINY)), axis=1))
    other = wrong / max(share.shape[1] - 1, 1)
    return true, (1.0 - wrong) * true + other * (1.0 - true)


def best_temper(share: Array, labels: Indices) -> tuple[float, float]:
    """Find ``beta`` and ``wrong`` that make the given labels likeliest."""
    if share.shape[1] < 2:
        return 1.0, 0.0
    rows = np.arange(len(labels))

    def loss(logs: Array) -> float:
        given = tempered(share, *np.exp(logs))[1][rows, labels]
        return -float(np.log(np.maximum(given, TINY)).mean())

    # One object more, with a wrong label, keeps the share above 0.
    least = min(1.0 / (len(labels) + 1.0), MOST_WRONG)
    bounds = np.log([(LEAST_BETA, MOST_BETA), (least, MOST_WRONG)])
    start = bounds.mean(axis=1)
    found = minimize(loss, start, method="L-BFGS-B", bounds=bounds.tolist())
    beta, wrong = np.exp(found.x)
    return float(beta), float(wrong)
