"""Gaps in joint draws, filled from the object's other draws and the draw's others."""

import warnings
from typing import NamedTuple

import numpy as np

from incerta.backend.memory import blocks
from incerta.data.pooling import moderated, pool
from incerta.data.tables.impute import Population, conditional, fit_gaussian
from incerta.exceptions import IncertaWarning, MissingValueError
from incerta.typing import Array, Ids, Mask
from incerta.wording import counted, verb

MAX_ROUNDS = 200
TOLERANCE = 1e-4  # in standard deviations of the residuals
MOST_CELLS = 10_000  # to find out how features go together
SEED = 0  # of what a fill adds at random


class Effects(NamedTuple):
    """What objects and draws have to do with the values, by feature."""

    of_objects: Array  # (n_objects, n_features), a
    of_draws: Array  # (n_draws, n_features), b
    unsure: Array  # (n_draws, n_features), variance of b
    variance: Array  # (n_features,), of what neither explains


def fill_draws(
    worlds: Array,
    ids: Ids,
    draws: Ids,
    names: tuple[str, ...],
    rng: np.random.Generator | None = None,
) -> Array:
    """Fill gaps in joint draws so that they are neither too sure nor too far off.

    The model of feature j of object i in draw m is ``y = a[i, j] + b[m, j] + e``: what
    is usual for the object, a shift that all objects of the draw share, and a residual.
    Shifts are Gaussian around 0, so that a draw with few values is shifted little.
    Residuals are Gaussian; their variances are those of the object, pooled over objects
    as those of replicates are (`incerta.data.pooling`), and the features of one cell
    are correlated. A gap gets ``a + b``, the residual that the known features of its
    cell make likely, and a random part: what these leave open of the residual, and the
    errors of a (for each draw anew) and of b (for each draw once). Residuals of
    different objects are taken to be independent given the shift.

    Parameters
    ----------
    worlds : ndarray of shape (n_draws, n_objects, n_features)
        NaN where missing.
    ids, draws : ndarray of shape (n_objects,) and (n_draws,)
        Names of the objects and of the draws. What is filled in depends on these, not
        on the order in which they come.
    names : tuple of str
        Names of the features, for messages.
    rng : Generator, optional
        Source of the random parts; one with a fixed seed by default.

    Returns
    -------
    ndarray of shape (n_draws, n_objects, n_features)
        Known values are as they were.

    Notes
    -----
    Up to 200 rounds over the cells, most often some ten.

    Examples
    --------
    >>> import numpy as np
    >>> from incerta.data.tables.draws import fill_draws
    >>> shifts, objects = np.array([0.0, 10.0, 20.0]), np.array([1.0, 2.0, 3.0, 4.0])
    >>> worlds = (shifts[:, None] + objects)[:, :, None]
    >>> worlds[2, 3, 0] = np.nan
    >>> filled = fill_draws(worlds, np.arange(4), np.arange(3), ("x",))
    >>> float(filled[2, 3, 0].round(3))
    24.0
    """
    places = np.ix_(np.argsort(draws), np.argsort(ids))
    y = worlds[places]
    known = ~np.isnan(y)
    _refuse_unknown(known, ids[places[1].ravel()], names)
    if rng is None:
        rng = np.random.default_rng(SEED)
    found = _effects(y, known)
    expected = found.of_objects + found.of_draws[:, None]
    spread = _spread(y - expected, known, found)
    y = _filled(y, known, expected, spread, found, rng)
    filled = np.empty_like(y)
    filled[places] = y
    return filled


def say_filled(gaps: Mask) -> None:
    """Count what was filled in joint draws.

    Parameters
    ----------
    gaps : ndarray of shape (n_draws, n_objects, n_features)
        What was missing.
    """
    n = int(gaps.sum())
    n_objects, n_draws = (int(gaps.any(axis=axes).sum()) for axes in ((0, 2), (1, 2)))
    msg = (
        f"{counted(n, 'missing value')} of {counted(n_objects, 'object')} in "
        f"{n_draws:,} of {counted(len(gaps), 'joint draw')} {verb(n, 'was', 'were')} "
        "filled from the object's other draws, the shift that the objects of the draw "
        "share and the known features, with a random part for what these leave open."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=5)


def _refuse_unknown(known: Mask, ids: Ids, names: tuple[str, ...]) -> None:
    """Every object needs a value of every feature, and each feature one with two."""
    counts = known.sum(axis=0)
    if not counts.all():
        i, j = np.argwhere(counts == 0)[0]
        msg = (
            f"object {ids[i]!s} has no value of {names[j]!r} in any joint draw, so "
            "that it cannot be filled; leave out the object or the feature."
        )
        raise MissingValueError(msg)
    few = ~(counts > 1).any(axis=0)
    if few.any():
        msg = (
            f"no object has a value of {names[int(few.argmax())]!r} in two joint "
            "draws, so that nothing says how much draws differ; leave it out."
        )
        raise MissingValueError(msg)


def _effects(y: Array, known: Mask) -> Effects:
    """Fit objects and draws by expectation-maximisation; shifts are random effects."""
    n_objects = y.shape[1]
    per_draw, per_object = known.sum(axis=1), known.sum(axis=0)
    freedom = known.sum(axis=(0, 1)) - n_objects
    a = np.where(known, y, 0.0).sum(axis=0) / per_object
    rest = np.where(known, y - a, 0.0)
    variance = (rest**2).sum(axis=(0, 1)) / freedom
    shifts = variance.copy()  # variance of b
    b, unsure = np.zeros_like(per_draw, dtype=np.float64), shifts
    for _ in range(MAX_ROUNDS):
        total = per_draw * shifts + variance
        total = np.where(total > 0, total, 1.0)
        b = shifts * np.where(known, y - a, 0.0).sum(axis=1) / total
        unsure = shifts * variance / total
        before, a = a, np.where(known, y - b[:, None], 0.0).sum(axis=0) / per_object
        rest = np.where(known, y - a - b[:, None], 0.0)
        squares = (rest**2).sum(axis=(0, 1)) + (per_draw * unsure).sum(axis=0)
        old = variance, shifts
        variance, shifts = squares / freedom, (b**2 + unsure).mean(axis=0)
        moved = np.abs(a - before).max(axis=0) ** 2
        moved += np.abs(variance - old[0]) + np.abs(shifts - old[1])
        if (moved <= TOLERANCE * variance).all():
            break
    return Effects(a, b, unsure, variance)


def _spread(rest: Array, known: Mask, found: Effects) -> Array:
    """Standard deviation of the residuals of each object and feature."""
    squares = np.where(known, rest**2 + found.unsure[:, None], 0.0).sum(axis=0)
    freedom = known.sum(axis=0) - 1.0
    own = squares / np.maximum(freedom, 1.0)
    return np.sqrt(moderated(own, freedom, pool(own, freedom)))


def _filled(
    y: Array,
    known: Mask,
    expected: Array,
    spread: Array,
    found: Effects,
    rng: np.random.Generator,
) -> Array:
    """Draw residuals of cells with gaps given what is known of the cell."""
    d = y.shape[2]
    scale = np.where(spread > 0, spread, 1.0)
    z = (y - expected) / scale
    together = _together(z, known)
    shifted = np.sqrt(found.unsure) * rng.standard_normal(found.unsure.shape)
    of_objects = spread / np.sqrt(known.sum(axis=0))
    draw, object_ = np.nonzero(~known.all(axis=2))
    for part in blocks(len(draw), 8 * 6 * d * d):
        m, i = draw[part], object_[part]
        mean, cov = conditional(z[m, i], np.zeros((len(m), d)), together)
        size, directions = np.linalg.eigh(cov)
        root = directions * np.sqrt(np.clip(size, 0.0, None))[:, None]
        random = (root @ rng.standard_normal((len(m), d, 1)))[..., 0]
        cells = expected[m, i] + spread[i] * (mean + random) + shifted[m]
        cells += of_objects[i] * rng.standard_normal((len(m), d))
        y[m, i] = np.where(known[m, i], y[m, i], cells)
    return y


def _together(z: Array, known: Mask) -> Population:
    """Correlation of the features of one cell."""
    d = z.shape[2]
    rows = np.flatnonzero(known.any(axis=2))
    # All of them where they are few; of others, some of all parts of the table.
    step = max(len(rows) // MOST_CELLS, 1)
    some = z.reshape(-1, d)[rows[::step]]
    if (np.sum(~np.isnan(some), axis=0) < 2).any():
        some = z.reshape(-1, d)[rows]
    found = fit_gaussian(some, np.zeros_like(some))
    size = np.sqrt(np.where(np.diag(found.cov) > 0, np.diag(found.cov), 1.0))
    correlation = found.cov / np.outer(size, size)
    np.fill_diagonal(correlation, 1.0)
    return Population(np.zeros(d), correlation, found.n_known)
