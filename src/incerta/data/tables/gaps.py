"""Missing cells: report them, leave them out or fill them.

To fill them, the true positions of the objects are modeled as Gaussian, ``x ~ N(mu,
S)``, and the measurements as ``y = x + noise`` with known error variances.
`fit_gaussian` estimates `mu` and `S` from the known cells; `conditional` fills the
missing cells.
"""

import warnings
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from incerta.backend.memory import blocks
from incerta.data.grouping import Coded
from incerta.exceptions import IncertaWarning, MissingValueError
from incerta.typing import Array, Indices, Mask
from incerta.wording import counted, given, verb

MAX_ROUNDS = 200
TOLERANCE = 1e-4  # in standard deviations of the feature
RIDGE = 1e-10  # likewise; makes exactly collinear features solvable


def missing_message(
    names: Sequence[str], columns: Sequence[Array], coded: Coded, note: str = ""
) -> str:
    """Return a message about missing values, with the ways out."""
    gaps = [np.isnan(column) for column in columns]
    return (
        f"there are missing values: {listed_gaps(names, gaps, coded)}.{note} "
        f"{given(missing='drop')} leaves such rows out, {given(missing='impute')} "
        "fills them from the others."
    )


def listed_gaps(names: Sequence[str], gaps: Sequence[Mask], coded: Coded) -> str:
    """Count what is missing in each column, and name the first object."""
    first = min(int(gap.argmax()) for gap in gaps if gap.any())
    listed = ", ".join(
        f"{gap.sum()} in {name!r}"
        for name, gap in zip(names, gaps, strict=True)
        if gap.any()
    )
    return f"{listed}; the first object is {coded.name(first)}"


def dropped(gaps: Mask, coded: Coded) -> Indices:
    """Return the rows without gaps; warn about the others."""
    kept = np.flatnonzero(~gaps)
    if not len(kept):
        msg = (
            f"every row has a missing value, so that {given(missing='drop')} leaves "
            "nothing. Leave out the columns that are mostly empty, or pass "
            f"{given(missing='impute')}."
        )
        raise MissingValueError(msg)
    if len(kept) < len(gaps):
        n, first = len(gaps) - len(kept), coded.name(int(gaps.argmax()))
        lost = len(coded.ids) - len(np.unique(coded.codes[kept]))
        single = len(coded.ids) == len(gaps)
        have = verb(n, "has a missing value and was", "have missing values and were")
        msg = (
            f"{n:,} of {len(gaps):,} {'objects' if single else 'rows'} {have} left "
            f"out, the first {'is' if single else 'of'} object {first}"
        )
        if lost and not single:
            msg += f"; {counted(lost, 'object')} {verb(lost, 'has', 'have')} no other"
        warnings.warn(msg + ".", IncertaWarning, stacklevel=5)
    return kept


def complete_rows(coded: Coded, gaps: Mask) -> Indices:
    """Leave out rows with gaps; every object must keep a row."""
    kept = np.flatnonzero(~gaps)
    left = np.bincount(coded.codes[kept], minlength=len(coded.ids))
    if not left.all():
        lost = np.flatnonzero(left == 0)
        msg = (
            f"{counted(len(lost), 'object')} {verb(len(lost), 'has', 'have')} no row "
            f"without missing values, the first is {coded.ids[lost[0]]!s}. Leave these "
            "objects out, or give one row per object with error columns "
            f"({given('errors')}), whose missing values can be imputed."
        )
        raise MissingValueError(msg)
    n, n_objects = int(gaps.sum()), len(np.unique(coded.codes[gaps]))
    have = verb(n, "has missing values and was", "have missing values and were")
    other = verb(n_objects, "the object has", "their objects have")
    msg = f"{n:,} of {len(gaps):,} rows {have} left out; {other} other rows."
    warnings.warn(msg, IncertaWarning, stacklevel=4)
    return kept


class Population(NamedTuple):
    """The Gaussian of the true positions of objects."""

    mean: Array  # (n_features,)
    cov: Array  # (n_features, n_features)
    n_known: Indices  # (n_features,), number of known values


def fit_gaussian(y: Array, noise: Array) -> Population:
    """Estimate mean and covariance of true positions by expectation-maximization.

    `y` has at least two known values in each column, and `noise` holds their error
    variances. If all cells are known and exact, the result is the mean and ``np.cov``.
    A feature with fewer than ``2 * n_features`` known values has no correlation with
    the others, because it would be spurious. A round costs ``n_objects *
    n_features**3``.
    """
    known = ~np.isnan(y)
    n_known = known.sum(axis=0)
    center = np.nanmean(y, axis=0)
    # Equal values still leave the uncertainty of their errors.
    spread = np.nanvar(y, axis=0, ddof=1) + np.mean(noise, axis=0, where=known)
    scale = np.sqrt(np.where(spread > 0, spread, 1.0))
    z = np.where(known, (y - center) / scale, 0.0)
    e = np.where(known, noise / scale**2, 1.0)
    enough = n_known > 2 * y.shape[1]
    together = np.outer(enough, enough) | np.eye(len(enough), dtype=np.bool_)

    mu, S = np.zeros(len(center)), np.diag(spread / scale**2)
    for _ in range(MAX_ROUNDS):
        new_mu, new_S = _round(z, e, known, mu, S)
        new_S *= together
        moved = max(np.abs(new_mu - mu).max(), np.abs(new_S - S).max())
        mu, S = new_mu, new_S
        if moved < TOLERANCE:
            break
    return Population(center + scale * mu, S * np.outer(scale, scale), n_known)


def _round(z: Array, e: Array, known: Mask, mu: Array, S: Array) -> tuple[Array, Array]:
    """Estimate every object given the Gaussian, then the Gaussian given the objects."""
    n, d = z.shape
    placed, rest = np.empty((n, d)), np.zeros((d, d))
    for rows in blocks(n, 8 * 4 * d * d):
        here = known[rows]
        A = S * (here[:, :, None] & here[:, None, :])
        A[:, range(d), range(d)] += e[rows] + RIDGE
        gain = (S * here[:, None, :]) @ np.linalg.inv(A)
        off = np.where(here, z[rows] - mu, 0.0)
        placed[rows] = mu + (gain @ off[:, :, None])[:, :, 0]
        rest += len(here) * S - gain.sum(axis=0) @ S
    new_mu = placed.mean(axis=0)
    centered = placed - new_mu
    # n - 1 accounts for the fitted mean: a feature then has the usual unbiased variance
    # of its known values.
    new_S = (centered.T @ centered + rest) / (n - 1)
    return new_mu, (new_S + new_S.T) / 2


def conditional(y: Array, noise: Array, population: Population) -> tuple[Array, Array]:
    """Return mean and covariance of objects, given their known cells.

    Known cells keep the mean ``y_o`` and the covariance ``E_o``. Missing cells get
    ``mu_m + B (y_o - mu_o)`` with ``B = S_mo S_oo^-1``, the covariance ``S_mm - B S_om
    + B E_o B'`` and, with the known cells, ``B E_o``. An uncertain known value thus
    makes the imputed value more uncertain.

    Because `S` is estimated, its part of the variance is increased as in regression, by
    ``(n - 1) / (n - 1 - p) * (1 + (p + 1) / n)`` with `n` known values of the feature
    and `p` known features of the object, but not beyond the variance without any known
    feature.
    """
    known = ~np.isnan(y)
    mean, cov = np.where(known, y, 0.0), np.zeros((*y.shape, y.shape[1]))
    patterns, which = np.unique(known, axis=0, return_inverse=True)
    which = which.ravel()
    for number, pattern in enumerate(patterns):
        rows = np.flatnonzero(which == number)
        o, m = np.flatnonzero(pattern), np.flatnonzero(~pattern)
        B, residual = _regression(population, o, m)
        E = noise[np.ix_(rows, o)]
        cov[np.ix_(rows, o, o)] = E[:, :, None] * np.eye(len(o))
        mean[np.ix_(rows, m)] = (
            population.mean[m] + (y[np.ix_(rows, o)] - population.mean[o]) @ B.T
        )
        across = B * E[:, None, :]
        cov[np.ix_(rows, m, o)] = across
        cov[np.ix_(rows, o, m)] = np.swapaxes(across, 1, 2)
        cov[np.ix_(rows, m, m)] = residual + across @ B.T
    return mean, cov


def _regression(population: Population, o: Indices, m: Indices) -> tuple[Array, Array]:
    """Return slopes of missing features on known ones, and the residual covariance."""
    S, n = population.cov, population.n_known[m].astype(np.float64)
    size = np.sqrt(np.where(np.diag(S) > 0, np.diag(S), 1.0))
    R = S / np.outer(size, size)  # the test for singularity must not depend on units
    inverse = np.linalg.pinv(R[np.ix_(o, o)], rcond=RIDGE, hermitian=True)
    B = (R[np.ix_(m, o)] @ inverse) * size[m, None] / size[o]
    residual = S[np.ix_(m, m)] - B @ S[np.ix_(o, m)]
    left = np.clip(np.diag(residual), 0.0, None)
    p = (S[np.ix_(m, o)] != 0).sum(axis=1)
    widened = left * (n - 1) / np.maximum(n - 1 - p, 1) * (1 + (p + 1) / n)
    most = np.diag(S)[m] * (1 + 1 / n)
    stretch = np.sqrt(np.minimum(widened, most) / np.where(left > 0, left, 1.0))
    return B, residual * np.outer(stretch, stretch)
