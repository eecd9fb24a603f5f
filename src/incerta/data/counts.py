"""Counts as measured logarithms of rates, with errors even for zeros.

``n_ij ~ Poisson(exposure_i * rate_ij)``. For each feature, a Gamma law of the rates of
all objects is the prior: with shape a and rate b the posterior of an object is
``Gamma(a + n, b + exposure)``. It would be wrong to cluster posteriors as if they were
measurements, because all are shrunk towards one mean. The likelihood alone is
clustered: its second-order expansion in the logarithm of the rate, about the posterior
mean. This is one step of variational inference, in which the prior only determines the
point of the expansion.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from scipy.sparse import csr_array, issparse
from scipy.special import digamma, polygamma

from incerta.backend.memory import BLOCK_BYTES
from incerta.data.checks import (
    as_feature_names,
    as_floats,
    as_labels,
    as_matrix,
    positions_of_features,
)
from incerta.data.container import UncertainData
from incerta.data.grouping import Coded, encode
from incerta.data.laws import Independent, Law
from incerta.data.meaning import as_meaning
from incerta.exceptions import DataError, IncertaWarning
from incerta.models.checks import wrong
from incerta.models.registry import stored
from incerta.typing import Array, ArrayLike, Indices, Mask
from incerta.wording import counted, given, verb

# Number of features of a sparse matrix to keep: they are made dense.
MOST_FEATURES = 2000
# Bounds of the variance of rates over their squared mean. At the lower one, rates
# differ by 3%, which counts up to 1000 do not show; above the upper one, logarithms of
# rates are unknown.
LEAST_SPREAD, MOST_SPREAD = 1e-3, 10.0
# Rounds of weighted moments; each removes most of the error.
MOST_ROUNDS, SAME_SPREAD = 30, 1e-4
NUMBER_BYTES = 8
MOST_COUNTED = 2.0**53
SHOWN = 3  # names in a message


def _check_rates(law: Rates) -> None:
    if law.family != "gaussian" or not isinstance(law.believed, bool):
        wrong("rates of counts are of another kind")
    if not isinstance(law.overdispersion, float) or not law.overdispersion >= 0.0:
        wrong("overdispersion is not a number from 0 on")
    for each in (law.exposure, law.shape, law.rate):
        if not (np.isfinite(each) & (each > 0.0)).all():
            wrong("exposures or priors are not above 0")


@stored(
    _check_rates,
    loc="f n d",
    scale="f n d",
    counts="f n d",
    exposure="f n",
    repeats="f n",
    shape="f d",
    rate="f d",
)
@dataclass(frozen=True, eq=False)
class Rates(Independent):
    """Logarithms of rates as Gaussians, with their counts and prior.

    `repeats` is the sum of squared shares of the rows in the exposure of an object: 1
    for a single row. Scaled or mapped rates are plain Gaussians.
    """

    counts: Array
    exposure: Array
    repeats: Array
    shape: Array
    rate: Array
    overdispersion: float
    believed: bool

    axes = {
        "loc": "nd",
        "scale": "nd",
        "counts": "nd",
        "exposure": "n",
        "repeats": "n",
        "shape": "d",
        "rate": "d",
    }
    kind = "counts"

    @classmethod
    def of(cls, believed: bool, **facts: Any) -> Rates:
        """Return the Gaussians for counts and a prior."""
        made = believed_logs if believed else measured_logs
        counts, exposure = facts["counts"], facts["exposure"]
        extra = facts["overdispersion"] * facts["repeats"]
        loc, scale = np.empty_like(counts), np.empty_like(counts)
        for some in _blocks(*counts.shape):
            shape, rate = facts["shape"][some], facts["rate"][some]
            loc[:, some], scale[:, some] = made(
                counts[:, some], exposure, shape, rate, extra
            )
        return cls("gaussian", loc, scale, **facts, believed=believed)

    def told(self, **facts: Any) -> Rates:
        """Return the same counts with another prior or meaning."""
        names = ("counts", "exposure", "repeats", *PRIOR, "believed")
        return Rates.of(**{name: getattr(self, name) for name in names} | facts)

    def meant(self, meaning: str) -> Rates:
        believed = meaning == "belief"
        return self if believed == self.believed else self.told(believed=believed)

    def prior(self) -> dict[str, Any]:
        """The prior, learned from all objects."""
        return {name: getattr(self, name) for name in PRIOR}

    def joined(self, other: Law) -> Rates | None:
        if not isinstance(other, Rates) or self.believed != other.believed:
            return None
        pairs = [(getattr(self, n), getattr(other, n)) for n in PRIOR]
        if not all(np.array_equal(mine, theirs) for mine, theirs in pairs):
            return None
        several = [name for name, letters in self.axes.items() if "n" in letters]
        both: dict[str, Any] = {
            name: np.concatenate([getattr(self, name), getattr(other, name)])
            for name in several
        }
        return replace(self, **both)


PRIOR = ("shape", "rate", "overdispersion")


def from_counts(
    n: Any,
    exposure: ArrayLike | None = None,
    overdispersion: float | Literal["estimate"] = "estimate",
    *,
    ids: ArrayLike | None = None,
    feature_names: Sequence[str] | None = None,
    meaning: str = "error",
    prior: UncertainData | None = None,
) -> UncertainData:
    """Make data from counts, (n_objects, n_features): molecules, photons, species.

    The expected value of ``n[i, j]`` is ``exposure[i] * rate[i, j]``. Features are
    natural logarithms of rates, with counting errors.

    Parameters
    ----------
    n : array-like or sparse matrix of shape (n_rows, n_features)
        Whole numbers, at least 0. Only the 2000 features of a sparse matrix that vary
        most are kept and made dense.
    exposure : array-like of shape (n_rows,) or float, optional
        Amount of observation: hours, area, people, all molecules. By default the sum of
        the row over all features, so that shares are compared.
    overdispersion : float or "estimate", default="estimate"
        Additional variance of repeated counts, relative to the squared mean: counts are
        negative binomial with variance ``m + overdispersion * m²``. "estimate" uses
        rows of the same object, and gives one number for all features. Without repeated
        rows it is 0, because it cannot be separated from differences between objects.
    ids : array-like of shape (n_rows,), optional
        Names of the objects; 0, 1, ... by default. Rows with the same id are repeated
        counts of one object.
    feature_names : sequence of str, optional
        Names of the features; x0, x1, ... by default.
    meaning : {"error", "belief"}, default="error"
        "error": measurements of the logarithms of rates, for `cluster` and other
        methods that account for errors. "belief": the posterior of each object under a
        prior learned from all objects.
    prior : UncertainData, optional
        Earlier counts, whose prior, overdispersion and features are used. A result of
        `cluster` does this automatically for new counts.

    Returns
    -------
    UncertainData
        Data of the kind "counts".

    Notes
    -----
    A zero is a low value with a large error; see the page on counts.

    A feature without any count is kept, with a warning, but carries no information. It
    takes at most about 30 passes over the counts. For counts above 100 or so, you can
    also take logarithms with errors yourself (`from_gaussian`). If most counts are 0 or
    1, single objects cannot be classified, and few features are better than many.

    Examples
    --------
    >>> import incerta as ic
    >>> data = ic.from_counts([[0, 50], [10, 40], [30, 20]], ids=["a", "b", "c"])
    >>> data.mean().round(2)
    array([[-4.78,  0.  ],
           [-1.61, -0.22],
           [-0.51, -0.9 ]])
    >>> data.variance().round(2)
    array([[0.88, 0.02],
           [0.1 , 0.03],
           [0.04, 0.04]])
    """
    if as_meaning(meaning) == "spread":
        msg = (
            f"{given(meaning=meaning)} does not fit counts: they measure one rate. Say "
            "'error', or 'belief'; or give the counts as values with from_samples."
        )
        raise DataError(msg)
    if overdispersion != "estimate" and not (
        isinstance(overdispersion, (int, float)) and 0 <= overdispersion < np.inf
    ):
        msg = f"{given(overdispersion=overdispersion)} must be 'estimate', 0 or above."
        raise DataError(msg)
    sparse = issparse(n)
    table: Any = (
        csr_array(n, dtype=np.float64) if sparse else as_matrix(n, "n", NO_GAPS)
    )
    _refuse_no_counts(table)
    n_rows, n_features = table.shape
    names = as_feature_names(feature_names, n_features)
    coded = Coded(np.arange(n_rows), np.arange(n_rows))
    if ids is not None:
        coded = encode(as_labels(ids, "ids"))
        if len(coded.codes) != n_rows:
            msg = f"ids has {len(coded.codes)} entries for {n_rows} rows of counts."
            raise DataError(msg)
    looked = _exposures(table, exposure, coded)
    law = None if prior is None else _law_of_prior(prior)
    kept = np.arange(n_features)
    if prior is not None:
        kept = positions_of_features(prior.feature_names, names)
    elif sparse and n_features > MOST_FEATURES:
        kept = most_varying(table, looked, MOST_FEATURES)
    names = tuple(names[j] for j in kept)
    rows: Array = table[:, kept].toarray() if sparse else table[:, kept]
    return UncertainData(
        _law(rows, looked, coded, overdispersion, law, names, meaning == "belief"),
        coded.ids,
        names,
        meaning=meaning,
    )


def under_prior_of(fitted: UncertainData, data: UncertainData) -> UncertainData:
    """Give new counts the prior of a fit instead of their own."""
    if not (isinstance(fitted.law, Rates) and isinstance(data.law, Rates)):
        return data
    same = data.law is fitted.law or data.feature_names != fitted.feature_names
    return data if same else replace(data, law=data.law.told(**fitted.law.prior()))


def most_varying(matrix: csr_array, exposure: Array, most: int) -> Indices:
    """Return the features that vary most, by chi-square against equal rates."""
    sums = matrix.sum(axis=0)
    expected = np.maximum(sums, 1.0) / exposure.sum()
    varies = (1.0 / exposure) @ matrix.power(2) / expected - sums
    return np.sort(np.argsort(-varies, kind="stable")[:most])


def no_counts(numbers: Array) -> Mask:
    """Return a mask of numbers that are negative, not whole, or too large."""
    return (numbers < 0.0) | (numbers % 1.0 != 0.0) | (numbers > MOST_COUNTED)


def _refuse_no_counts(table: Any) -> None:
    """Refuse negative and fractional numbers, naming the first."""
    sparse = isinstance(table, csr_array)
    numbers = table.data if sparse else table.ravel()
    bad = no_counts(numbers)
    if not bad.any():
        return
    where = int(bad.argmax())
    row, column = divmod(where, table.shape[1])
    if sparse:
        row = int((table.indptr <= where).sum()) - 1
        column = int(table.indices[where])
    msg = f"n[{row}, {column}] is {numbers[where]:g}, which is not a count. {NO_COUNTS}"
    raise DataError(msg)


NO_GAPS = (
    "Write 0 if nothing was seen; leave out rows that were not observed, and "
    "features that were not looked for everywhere."
)
NO_COUNTS = (
    "Counts are whole numbers from 0 on. Give the numbers as they were counted, before "
    "they were normalized, divided or corrected, and what they were divided by as the "
    "exposure. Values that were never counts have errors of their own: from_gaussian."
)


def _exposures(table: Any, exposure: ArrayLike | None, coded: Coded) -> Array:
    """Return the exposure of each row; refuse those not above 0."""
    n_rows = table.shape[0]
    if exposure is None:
        looked = np.asarray(table.sum(axis=1), dtype=np.float64)
        why = (
            "has no counts, so shares are undefined. Leave it out, or give the "
            f"exposure: {given('exposure')}"
        )
    else:
        looked = as_floats(exposure, "exposure")
        if looked.shape not in ((), (n_rows,)):
            msg = f"exposure has shape {looked.shape}, it must be ({n_rows},): one per "
            raise DataError(msg + "row of counts.")
        looked = np.broadcast_to(looked, n_rows).astype(np.float64)
        why = "must have an exposure above 0; leave out rows that were not observed"
    bad = ~((looked > 0.0) & np.isfinite(looked))
    if bad.any():
        row = int(bad.argmax())
        more = f" ({bad.sum()} such rows in all)" if bad.sum() > 1 else ""
        found = "" if exposure is None else f", not {looked[row]:g}"
        msg = f"object {coded.name(row)} (row {row}) {why}{found}{more}."
        raise DataError(msg)
    return looked


def _law_of_prior(prior: UncertainData) -> Rates:
    if not isinstance(prior.law, Rates):
        msg = (
            "prior must be data of counts, as from_counts makes them, not of the kind "
            f"{prior.kind!r}. Data that were scaled have lost their counts: pass those "
            "before."
        )
        raise DataError(msg)
    return prior.law


def _law(
    rows: Array,
    looked: Array,
    coded: Coded,
    overdispersion: float | str,
    prior: Rates | None,
    names: tuple[str, ...],
    believed: bool,
) -> Rates:
    """Sum the rows of each object, and estimate missing parameters."""
    n_objects = len(coded.ids)
    exposure, repeats, counts = looked, np.ones(n_objects), rows
    shares = repeats
    if n_objects < len(rows):
        each = np.arange(len(rows))
        shape = (n_objects, len(rows))
        belongs = csr_array((np.ones(len(rows)), (coded.codes, each)), shape)
        exposure = np.asarray(belongs @ looked)
        shares = looked / exposure[coded.codes]
        repeats = np.asarray(belongs @ shares**2)
        counts = np.asarray(belongs @ rows)
    learned: dict[str, Any]
    if prior is not None:
        learned = prior.prior()
    else:
        spread = float(overdispersion) if overdispersion != "estimate" else 0.0
        if overdispersion == "estimate" and n_objects < len(rows):
            spread = overdispersion_of(rows, counts, coded.codes, shares, repeats)
        _warn_of_nothing(counts, names)
        shape_, rate = fitted_prior(counts, exposure, spread * repeats)
        learned = {"shape": shape_, "rate": rate, "overdispersion": spread}
    facts = {"counts": counts, "exposure": exposure, "repeats": repeats}
    return Rates.of(believed, **facts, **learned)


def _warn_of_nothing(counts: Array, names: tuple[str, ...]) -> None:
    empty = np.flatnonzero(~counts.any(axis=0))
    if len(empty):
        shown = ", ".join(repr(names[j]) for j in empty[:SHOWN])
        more = ", ..." if len(empty) > SHOWN else ""
        msg = (
            f"{counted(len(empty), 'feature')} ({shown}{more}) "
            f"{verb(len(empty), 'has', 'have')} no count in any of these objects, and "
            f"{verb(len(empty), 'tells', 'tell')} nothing that differs between them."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=4)


# computation --------------------------------------------------------------------------


def fitted_prior(counts: Array, exposure: Array, extra: Array) -> tuple[Array, Array]:
    """Return shape and rate of the Gamma law of all rates, by feature.

    Mean and relative variance φ of rates solve the equations of weighted moments, ``Σ w
    (n - m) = 0`` and ``Σ w² ((n - m)² - m - (φ + extra) m²) = 0``, where m are the
    expected counts and ``w = 1 / (1 + (φ + extra) m)``: objects with a long exposure
    count more, but only while it adds information. `extra` is the overdispersion of
    each object.
    """
    n, d = counts.shape
    mean, spread = np.empty(d), np.empty(d)
    for some in _blocks(n, d):
        mean[some], spread[some] = _moments(counts[:, some], exposure, extra)
    return 1.0 / spread, 1.0 / (spread * mean)


def _blocks(n: int, d: int) -> Iterator[slice]:
    """Yield features, as many at a time as fit into a block."""
    step = max(1, BLOCK_BYTES // (NUMBER_BYTES * n))
    return (slice(start, start + step) for start in range(0, d, step))


def _moments(n: Array, exposure: Array, extra: Array) -> tuple[Array, Array]:
    looked, more = exposure[:, None], extra[:, None]
    # A feature without any count gets the rate of half a count.
    least = 0.5 / exposure.sum()
    mean = np.maximum(n.sum(axis=0) / exposure.sum(), least)
    spread = np.full(n.shape[1], LEAST_SPREAD)
    for _ in range(MOST_ROUNDS):
        expected = looked * mean
        weights = 1.0 / (1.0 + (spread + more) * expected)
        mean = (weights * n).sum(axis=0) / (weights * looked).sum(axis=0)
        mean = np.maximum(mean, least)
        expected = looked * mean
        beyond = np.square(n - expected) - expected - more * expected**2
        found = (weights**2 * beyond).sum(axis=0)
        found /= (weights**2 * expected**2).sum(axis=0)
        before, spread = spread, np.clip(found, LEAST_SPREAD, MOST_SPREAD)
        if (np.abs(spread - before) <= SAME_SPREAD * before).all():
            break
    return mean, spread


def overdispersion_of(
    rows: Array, counts: Array, objects: Indices, shares: Array, repeats: Array
) -> float:
    """Estimate the overdispersion of repeated counts, one number for all features.

    `counts` are the sums of the `rows` of each object, `shares` the shares of the rows
    in its exposure, and `repeats` their sums of squares. Given the rate, the mean
    squared difference of a row from its share of the sum is ``m (1 - s) + v m² (1 - 2 s
    + Σ s²)``.
    """
    s, each = shares[:, None], counts[objects]
    expected = s * each
    squares = s**2 * each * np.maximum(each - 1.0, 0.0)  # squared mean of the row
    found = 0.0
    beyond = np.square(rows - expected) - (1.0 - s) * expected
    own = repeats[objects][:, None]
    base = squares * (1.0 - 2.0 * s + own)
    for _ in range(MOST_ROUNDS):
        weights = 1.0 / np.square(1.0 + found * expected)
        # The squared sum includes its own overdispersion.
        total = (weights * base / (1.0 + found * own)).sum()
        before = found
        found = max((weights * beyond).sum() / total, 0.0) if total > 0.0 else 0.0
        if abs(found - before) <= SAME_SPREAD * found:
            break
    return float(found)


def _posterior(
    counts: Array, exposure: Array, shape: Array, rate: Array, extra: Array
) -> tuple[Array, Array]:
    """Return shape and rate of the posterior of each object's rates.

    Overdispersed counts carry as much information as a share of them without
    overdispersion: use that share of counts and exposure.
    """
    looked = exposure[:, None]
    if extra.any():
        expected = looked * (shape + counts) / (rate + looked)
        share = 1.0 / (1.0 + extra[:, None] * expected)
        counts, looked = counts * share, looked * share
    return shape + counts, rate + looked


def measured_logs(
    counts: Array, exposure: Array, shape: Array, rate: Array, extra: Array
) -> tuple[Array, Array]:
    """Return measured logarithms of rates, and standard deviations of errors."""
    a, b = _posterior(counts, exposure, shape, rate, extra)
    logs = np.log(a) - np.log(b)
    inverse = np.exp(-logs) / exposure[:, None]  # of expected counts
    return logs + counts * inverse - 1.0, np.sqrt(inverse + extra[:, None])


def believed_logs(
    counts: Array, exposure: Array, shape: Array, rate: Array, extra: Array
) -> tuple[Array, Array]:
    """Return posterior mean and standard deviation of logarithms of rates."""
    a, b = _posterior(counts, exposure, shape, rate, extra)
    return digamma(a) - np.log(b), np.sqrt(polygamma(1, a))
