"""Checks for missing values, and for values too large or close to be squared."""

import numpy as np

from incerta.backend.memory import CACHE_BYTES, blocks
from incerta.data.container import UncertainData
from incerta.data.laws import Law, Values
from incerta.data.projections import projected
from incerta.exceptions import DataError, MissingValueError
from incerta.typing import Array
from incerta.wording import counted, given, verb

# Methods sum fourth powers, and floats end at 1e308.
LARGEST = 1e70
SMALLEST = 1e-70


def refuse_extremes(data: UncertainData, *, spread: bool = True) -> None:
    """Raise an error if values are out of the range of computations.

    New objects of a fitted model may be close together (`spread` False).
    """
    low, high = _extent(data.law)
    largest = np.maximum(np.abs(low), np.abs(high))
    if (large := largest > LARGEST).any():
        feature = int(large.argmax())
        what = f"has values of up to {largest[feature]:.2g}, too large to be squared"
        raise DataError(_other_unit(data, feature, what, largest[feature]))
    if not spread:
        return
    with np.errstate(invalid="ignore"):
        wide = high - low
    if (small := (wide > 0.0) & (wide < SMALLEST)).any():
        feature = int(small.argmax())
        what = (
            f"has values that differ by at most {wide[feature]:.2g}, too little for "
            "the differences to be squared"
        )
        raise DataError(_other_unit(data, feature, what, wide[feature]))


def _extent(law: Law) -> tuple[Array, Array]:
    """Return the range of each feature; NaN if nothing is known.

    Laws given by a formula have their means plus or minus a standard deviation.
    """
    if isinstance(law, Values):
        return law.values.min(axis=0), law.values.max(axis=0)
    n, d = law.n_objects, law.n_features
    parts = [
        _extent_of(law.take(np.arange(n)[part]))
        for part in blocks(n, 8 * d, CACHE_BYTES)
    ]
    lows, highs = zip(*parts, strict=True)
    return np.fmin.reduce(lows, axis=0), np.fmax.reduce(highs, axis=0)


def _extent_of(law: Law) -> tuple[Array, Array]:
    with np.errstate(over="ignore", invalid="ignore"):
        mean, deviation = law.mean(), np.sqrt(law.variance())
        low, high = mean - deviation, mean + deviation
    gaps = law.missing()
    known = np.ones(mean.shape, np.bool_) if gaps is None else ~gaps
    # A known value that is NaN has overflowed.
    low[np.isnan(low) & known], high[np.isnan(high) & known] = -np.inf, np.inf
    low[~known] = high[~known] = np.nan
    return np.fmin.reduce(low, axis=0), np.fmax.reduce(high, axis=0)


def _other_unit(data: UncertainData, feature: int, what: str, size: float) -> str:
    name = data.feature_names[feature]
    factor = "" if np.isinf(size) else f", e.g. multiply it by {1.0 / size:.0e}"
    return f"feature {name!r} {what}; give it in another unit{factor}."


def refuse_missing(data: UncertainData) -> None:
    """Raise an error if values are missing."""
    gaps = data.law.missing()
    if gaps is not None and projected(data.law) is not None:
        n, first = int(gaps.any(axis=1).sum()), data.ids[int(gaps.any(axis=1).argmax())]
        msg = (
            f"{counted(n, 'object')} {verb(n, 'was', 'were')} measured in projection, "
            f"the first {first!s}: not all features follow from what was measured. "
            "AutoClusterer and ErrorMixture take them as they are; for other methods "
            "let Deconvolver().fit_transform(data) say what they probably are."
        )
        raise MissingValueError(msg)
    if gaps is not None:
        n, first = int(gaps.sum()), data.ids[int(gaps.any(axis=1).argmax())]
        msg = (
            f"{counted(n, 'value')} {verb(n, 'is', 'are')} missing, the first of "
            f"object {first!s}. AutoClusterer and ErrorMixture take them as they are; "
            f"for other methods read the table with {given(missing='impute')} or "
            f"{given(missing='drop')}, or let Deconvolver().fit_transform(data) say "
            "what they probably are."
        )
        raise MissingValueError(msg)
