"""Long tables whose rows are joint draws: an ensemble, imputations, a posterior.

Gaps are filled from other draws of the object and other objects of the draw.
"""

import warnings
from dataclasses import dataclass

import numpy as np

from incerta.backend.memory import blocks
from incerta.data.container import UncertainData
from incerta.data.grouping import Coded
from incerta.data.laws import Joint
from incerta.data.pooling import moderated, pool
from incerta.data.tables.columns import Rows
from incerta.data.tables.gaps import (
    Population,
    conditional,
    fit_gaussian,
    missing_message,
)
from incerta.exceptions import DataError, IncertaWarning, MissingValueError
from incerta.typing import Array, Ids, Indices, Mask
from incerta.wording import counted, given, verb

MAX_ROUNDS = 200
TOLERANCE = 1e-4  # in standard deviations of the residuals
MOST_CELLS = 10_000  # for correlations of features
SEED = 0  # seed of the random part of fills


def cells_of_draws(rows: Rows, draws: Coded) -> Indices:
    """Number the pair (draw, object) of each row; refuse repeated pairs."""
    spec, coded = rows.spec, rows.coded
    cells: Indices = draws.codes * len(coded.ids) + coded.codes
    ordered = np.sort(cells)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(twice):
        draw, object_ = divmod(int(twice[0]), len(coded.ids))
        msg = (
            f"{counted(len(twice), 'row')} {verb(len(twice), 'repeats', 'repeat')} a "
            f"pair of {given(id=spec.id)} and {given(sample=spec.sample)}, the first "
            f"is object {coded.ids[object_]!s} with {draws.ids[draw]!s}. A draw places "
            "an object once: average the rows, or name a column that tells them apart."
        )
        raise DataError(msg)
    incomplete = len(cells) < len(coded.ids) * len(draws.ids)
    if spec.joint and incomplete and spec.missing_rule == "error":
        holes = np.flatnonzero(ordered != np.arange(len(ordered)))
        first = int(holes[0]) if len(holes) else len(ordered)
        draw, object_ = divmod(first, len(coded.ids))
        msg = (
            "joint draws must place every object, but "
            f"{len(coded.ids) * len(draws.ids) - len(cells)} pairs of "
            f"{given(id=spec.id)} and {given(sample=spec.sample)} are absent, the "
            f"first is object {coded.ids[object_]!s} with {draws.ids[draw]!s}. Leave "
            "out the draws or objects that are not complete, pass "
            f"{given(missing='impute')}, which fills them, or set {given(joint=False)}."
        )
        raise DataError(msg)
    return cells


def joint_form(rows: Rows, draws: Coded, cells: Indices) -> UncertainData:
    """Arrange rows as joint draws; `cells` numbers the pair of each row."""
    spec, coded = rows.spec, rows.coded
    n_draws, n_objects, n_features = len(draws.ids), len(coded.ids), len(spec.values)
    worlds = np.full((n_draws, n_objects, n_features), np.nan)
    for j, name in enumerate(spec.values):
        worlds.reshape(-1, n_features)[cells, j] = rows.feature(name)
    if spec.missing_rule == "error" and np.isnan(worlds).any():
        columns = [rows.table.numbers(name) for name in spec.values]
        raise MissingValueError(missing_message(spec.values, columns, coded))
    fill = spec.missing_rule != "drop"
    worlds = mended_draws(worlds, coded.ids, draws.ids, spec.values, fill=fill)
    return UncertainData(Joint(worlds), coded.ids, spec.features)


def mended_draws(
    worlds: Array, ids: Ids, draws: Ids, names: tuple[str, ...], *, fill: bool
) -> Array:
    """Fill gaps in joint draws, or leave out draws with gaps."""
    gaps: Mask = np.isnan(worlds)
    if not gaps.any():
        return worlds
    if not fill:
        complete = ~gaps.any(axis=(1, 2))
        if not complete.any():
            msg = (
                f"none of the {len(worlds)} joint draws is complete. Leave out the "
                f"objects with missing values first, or set {given(joint=False)}."
            )
            raise MissingValueError(msg)
        msg = (
            f"{(~complete).sum()} of {len(worlds)} joint draws have missing values and "
            "were left out."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=5)
        return worlds[complete]
    filled = fill_draws(worlds, ids, draws, names)
    n = int(gaps.sum())
    n_objects, n_draws = (int(gaps.any(axis=axes).sum()) for axes in ((0, 2), (1, 2)))
    msg = (
        f"{counted(n, 'missing value')} of {counted(n_objects, 'object')} in "
        f"{n_draws:,} of {counted(len(gaps), 'joint draw')} {verb(n, 'was', 'were')} "
        "filled from the object's other draws, the shift that the objects of the draw "
        "share and the known features, with a random part for what these leave open."
    )
    warnings.warn(msg, IncertaWarning, stacklevel=5)
    return filled


@dataclass(frozen=True, kw_only=True)
class Effects:
    """Effects of objects and draws on the values, by feature."""

    of_objects: Array  # (n_objects, n_features), a
    of_draws: Array  # (n_draws, n_features), b
    unsure: Array  # (n_draws, n_features), variance of b
    variance: Array  # (n_features,), variance that neither explains


def fill_draws(
    worlds: Array,
    ids: Ids,
    draws: Ids,
    names: tuple[str, ...],
    rng: np.random.Generator | None = None,
) -> Array:
    """Fill gaps (NaN) in joint draws with an honest uncertainty.

    The model of feature j of object i in draw m is ``y = a[i, j] + b[m, j] + e``: the
    typical value of the object, a shift shared by all objects of the draw, and a
    residual. Shifts are Gaussian around 0, so that a draw with few values has a small
    shift. Residuals are Gaussian; their variances are those of the object, pooled over
    objects as those of replicates are (`incerta.data.pooling`), and the features of one
    cell are correlated. A gap gets ``a + b``, the expected residual given the known
    features of its cell, and a random part: the rest of the residual, the error of a
    (drawn for each gap) and the error of b (drawn once per draw). Residuals of
    different objects are independent given the shift. The order of objects and draws
    does not matter.
    """
    places = np.ix_(np.argsort(draws), np.argsort(ids))
    y = worlds[places]
    known = ~np.isnan(y)
    _refuse_unknown(known, ids[places[1].ravel()], names)
    if rng is None:
        rng = np.random.default_rng(SEED)
    effects = _effects(y, known)
    expected = effects.of_objects + effects.of_draws[:, None]
    spread = _spread(y - expected, known, effects)
    y = _filled(y, known, expected, spread, effects, rng)
    filled = np.empty_like(y)
    filled[places] = y
    return filled


def _refuse_unknown(known: Mask, ids: Ids, names: tuple[str, ...]) -> None:
    """Check that there are enough values for filling gaps."""
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
            "draws, so the variation between draws is unknown; leave it out."
        )
        raise MissingValueError(msg)


def _effects(y: Array, known: Mask) -> Effects:
    """Fit objects and draws by expectation-maximization; shifts are random effects."""
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
    return Effects(of_objects=a, of_draws=b, unsure=unsure, variance=variance)


def _spread(rest: Array, known: Mask, effects: Effects) -> Array:
    """Return the standard deviation of residuals of each object and feature."""
    squares = np.where(known, rest**2 + effects.unsure[:, None], 0.0).sum(axis=0)
    freedom = known.sum(axis=0) - 1.0
    own = squares / np.maximum(freedom, 1.0)
    return np.sqrt(moderated(own, freedom, pool(own, freedom)))


def _filled(
    y: Array,
    known: Mask,
    expected: Array,
    spread: Array,
    effects: Effects,
    rng: np.random.Generator,
) -> Array:
    """Draw residuals of gaps given the known features of the cell."""
    d = y.shape[2]
    scale = np.where(spread > 0, spread, 1.0)
    z = (y - expected) / scale
    together = _together(z, known)
    shifted = np.sqrt(effects.unsure) * rng.standard_normal(effects.unsure.shape)
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
    """Return the correlation of the features of one cell."""
    d = z.shape[2]
    rows = np.flatnonzero(known.any(axis=2))
    # Use all cells if they are few, or else some from all parts of the table.
    step = max(len(rows) // MOST_CELLS, 1)
    some = z.reshape(-1, d)[rows[::step]]
    if (np.sum(~np.isnan(some), axis=0) < 2).any():
        some = z.reshape(-1, d)[rows]
    fitted = fit_gaussian(some, np.zeros_like(some))
    size = np.sqrt(np.where(np.diag(fitted.cov) > 0, np.diag(fitted.cov), 1.0))
    correlation = fitted.cov / np.outer(size, size)
    np.fill_diagonal(correlation, 1.0)
    return Population(np.zeros(d), correlation, fitted.n_known)
