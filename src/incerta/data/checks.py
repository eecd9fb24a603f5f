"""Checks of input: each names the parameter, the value and the way out.

Numbers of any kind become floats. numpy alone would drop masks, count dates from 1970,
drop imaginary parts and parse text.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from incerta.exceptions import DataError
from incerta.typing import Array, ArrayLike, Ids, Indices, Mask
from incerta.wording import counted, unknown_name, verb

HOW_TO_TELL = (
    "from_array takes (n_objects, n_values, n_features), values of each object on "
    "its own; from_worlds takes (n_worlds, n_objects, n_features), draws of all "
    "objects together. If row j of every object belongs together (one ensemble "
    "member, one month), these are worlds."
)

# Ids are refused if their array has more bytes than this and is mostly padding: more
# than this many times their text.
MOST_ROOM = 2**26
MOST_TIMES = 16
LEAVE_OUT = (
    "Leave these rows out, or read the table with from_frame(..., missing='impute') or "
    "missing='infinite'."
)

# Contents of arrays that are not numbers, by numpy's letter for the kind.
NO_NUMBERS = {
    **dict.fromkeys("UST", "text; convert it first: numpy.asarray({}, dtype=float)"),
    "c": "complex numbers; take a real quantity, e.g. numpy.abs({}), or make real and "
    "imaginary part two features",
    "M": "dates; turn them into numbers in a unit of your choice, e.g. "
    "({} - numpy.datetime64('2000-01-01')) / numpy.timedelta64(1, 'D')",
    "m": "times; turn them into numbers in a unit of your choice, e.g. "
    "{} / numpy.timedelta64(1, 's')",
}


def as_floats(value: ArrayLike, name: str) -> Array:
    """Copy numbers into a new float array, which nothing else can change.

    Cells that are None, masked, or the NA of a frame library become NaN.
    """
    try:
        array = plain_numbers(value, name)
        return np.array(array, dtype=np.float64, order="C")
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        msg = f"{name} must be an array of numbers: {error}."
        raise DataError(msg) from error


def plain_numbers(value: Any, name: str) -> Ids:
    """Return an array with NaN for masked entries; refuse text, dates and so on.

    Objects such as decimals are kept.
    """
    array = np.asarray(without_masks(value))
    if array.dtype.kind in NO_NUMBERS:
        raise DataError(_no_numbers(name, array.dtype.kind))
    if array.dtype.kind == "O":
        array = np.where(nothing_in(array), np.nan, array)
        if any(isinstance(cell, (str, bytes)) for cell in array.flat):
            raise DataError(_no_numbers(name, "U"))
    return array


def without_masks(value: Any) -> Any:
    """Replace masked arrays, including those in lists, by plain ones with NaN."""
    if isinstance(value, (list, tuple)):
        if any(isinstance(part, (list, tuple, np.ndarray)) for part in value):
            return [without_masks(part) for part in value]
        return value
    if np.ma.isMaskedArray(value):
        plain, hidden = value.data, np.ma.getmaskarray(value)
    elif hasattr(value, "unmasked") and hasattr(value, "mask"):  # of astropy
        plain, hidden = value.unmasked, value.mask
    else:
        return value
    if not np.any(hidden) or plain.dtype.kind in NO_NUMBERS:
        return plain
    return np.where(hidden, np.nan, plain)


def nothing_in(array: Ids) -> Mask:
    """Return a mask of the missing cells, however the library marks them."""
    if array.dtype.kind == "O":
        cells = [_is_nothing(cell) for cell in array.flat]
        return np.array(cells, dtype=np.bool_).reshape(array.shape)
    if array.dtype.kind in "fmM":
        return np.isnan(array) if array.dtype.kind == "f" else np.isnat(array)
    return np.zeros(array.shape, dtype=np.bool_)


def _is_nothing(cell: Any) -> bool:
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, (float, np.floating)) and bool(np.isnan(cell))


def _no_numbers(name: str, kind: str) -> str:
    return f"{name} must hold numbers, but it holds {NO_NUMBERS[kind].format(name)}."


def as_finite(value: ArrayLike, name: str, way_out: str = LEAVE_OUT) -> Array:
    """Return numbers; refuse NaN and infinity."""
    array = as_floats(value, name)
    bad = ~np.isfinite(array)
    if bad.any():
        n, place = int(bad.sum()), tuple(int(i) for i in np.argwhere(bad)[0])
        msg = (
            f"{name} has {counted(n, 'value')} that {verb(n, 'is', 'are')} NaN, masked "
            f"or infinite, the first ({array[place]}) at "
            f"{name}[{', '.join(map(str, place))}]. {way_out}"
        )
        raise DataError(msg)
    return array


def as_matrix(value: ArrayLike, name: str, way_out: str = LEAVE_OUT) -> Array:
    """Return a finite table with at least one row and one column."""
    return _shaped(as_finite(value, name, way_out), name, 2, " (n_objects, n_features)")


def as_cube(value: ArrayLike, name: str) -> Array:
    """Return a finite 3-D array without an axis of length zero."""
    return _shaped(as_finite(value, name), name, 3)


def _shaped(array: Array, name: str, n_dims: int, called: str = "") -> Array:
    if array.ndim != n_dims:
        msg = (
            f"{name} must have {n_dims} dimensions{called}, it has {array.ndim}: shape "
            f"{array.shape}."
        )
        if n_dims == 3:
            msg += f" {HOW_TO_TELL}"
        elif array.ndim == 1:
            msg += f" For a single feature pass {name}.reshape(-1, 1)."
        raise DataError(msg)
    if array.size == 0:
        msg = f"{name} is empty: shape {array.shape}. There is nothing to cluster."
        raise DataError(msg)
    return array


def as_ids(ids: ArrayLike | None, n_objects: int, hint: str = "") -> Ids:
    """Return distinct ids, one per object; numbers from 0 by default."""
    if ids is None:
        return np.arange(n_objects)
    array = as_labels(ids, "ids")
    if len(array) != n_objects:
        msg = f"ids has {len(array)} entries for {n_objects} objects. {hint}".rstrip()
        raise DataError(msg)
    unique, counts = np.unique(array, return_counts=True)
    if len(unique) < n_objects:
        twice = unique[counts > 1][0]
        msg = f"ids must differ; {twice!r} occurs {counts.max()} times."
        raise DataError(msg)
    return array


def as_labels(labels: ArrayLike, name: str) -> Ids:
    """Return a 1-D array of ids of one type: all numbers or all text.

    Numpy would turn ``[1, "a"]`` into text, and 1 and "1" into the same object.
    """
    if np.ma.isMaskedArray(labels) and np.ma.is_masked(labels):
        where = int(np.ma.getmaskarray(labels).argmax())
        msg = f"{name} has a missing value: {name}[{where}] is masked."
        raise DataError(msg)
    given = labels if isinstance(labels, np.ndarray) else list(labels)  # type: ignore[arg-type]
    if not isinstance(given, np.ndarray) or given.dtype == object:
        kinds = {_sort_of_id(label) for label in given}
        if len(kinds) > 1:
            found = " and ".join(sorted(kinds))
            msg = (
                f"{name} mixes {found}; ids must be of one type, or 1 and '1' "
                "could be the same object. Convert them, "
                f"e.g. [str(i) for i in {name}]."
            )
            raise DataError(msg)
        if kinds == {"text"}:
            _refuse_text(given, name)
        given = np.array(given) if kinds <= {"numbers", "text"} else np.asarray(given)
    if given.ndim != 1:
        msg = f"{name} must have 1 dimension, it has shape {given.shape}."
        raise DataError(msg)
    if (gaps := nothing_in(given)).any():
        what = "NaN" if given.dtype.kind == "f" else "a missing value"
        msg = f"{name} has {what} at position {int(gaps.argmax())}."
        raise DataError(msg)
    return np.array(given) if given is labels else given


def _refuse_text(labels: Any, name: str) -> None:
    """Refuse ids that fixed-width text arrays cannot hold."""
    lengths = [len(label) for label in labels]
    longest, total = max(lengths), sum(lengths)
    room = 4 * longest * len(lengths)
    if room > MOST_ROOM and room > 4 * MOST_TIMES * total:
        label = str(labels[lengths.index(longest)])
        msg = (
            f"{name}: the id that begins with {label[:20]!r} has {longest:,} "
            f"characters, far more than others; all {len(lengths):,} ids would get as "
            f"much room, {room / 2**30:.3g} GiB. Shorten it."
        )
        raise DataError(msg)
    ended = next((label for label in labels if label.endswith("\0")), None)
    if ended is not None:
        msg = f"{name}: the id {ended[:20]!r} ends in a byte of 0. Leave these out."
        raise DataError(msg)


def _sort_of_id(label: Any) -> str:
    if label is None or label != label:  # NaN, NaT and NA are not equal to themselves
        return "missing values"
    if isinstance(label, (str, np.str_)):
        return "text"
    if isinstance(label, (int, float, np.number)):
        return "numbers"
    return type(label).__name__


def as_feature_names(names: Sequence[str] | None, n_features: int) -> tuple[str, ...]:
    """Return distinct names, one per feature; x0, x1, ... by default."""
    if names is None:
        return tuple(f"x{i}" for i in range(n_features))
    result = tuple(str(name) for name in names)
    if len(result) != n_features or len(set(result)) < n_features:
        msg = (
            f"feature_names={list(result)} must be {n_features} different names, one "
            "per feature."
        )
        raise DataError(msg)
    return result


def as_map(
    matrix: ArrayLike, offset: ArrayLike, n_features: int
) -> tuple[Array, Array]:
    """Return a matrix, or a factor per feature, and the offset added to the product."""
    way_out = "A map needs numbers; 0 leaves a feature out."
    map_ = as_finite(matrix, "matrix", way_out)
    moved = as_finite(offset, "offset", way_out)
    if map_.ndim != 1:
        map_ = as_matrix(map_, "matrix")
    if map_.shape[-1] != n_features:
        msg = (
            f"matrix of shape {map_.shape} does not fit data with {n_features} "
            f"features; its last dimension must be {n_features}."
        )
        raise DataError(msg)
    try:
        return map_, np.array(np.broadcast_to(moved, (len(map_),)))
    except ValueError as error:
        msg = (
            f"offset has shape {moved.shape}; it must be one number, or one for each "
            f"of the {len(map_)} new features."
        )
        raise DataError(msg) from error


def as_weights(weights: ArrayLike, n_values: int) -> Array:
    """Return one weight per value, finite and not negative."""
    array = as_finite(weights, "weights")
    if array.shape != (n_values,):
        msg = (
            f"weights has shape {array.shape}; it needs one entry per value: "
            f"({n_values},)."
        )
        raise DataError(msg)
    if (array < 0).any():
        worst = int(array.argmin())
        msg = f"weights must not be negative; weights[{worst}] is {array[worst]}."
        raise DataError(msg)
    return array


def as_deviations(std: ArrayLike, shape: tuple[int, int], name: str = "std") -> Array:
    """Return standard deviations that fit the means, finite and not negative."""
    array = as_finite(std, name)
    try:
        array = np.array(np.broadcast_to(array, shape))
    except ValueError as error:
        msg = f"{name} has shape {array.shape}; it must fit the mean's shape {shape}."
        raise DataError(msg) from error
    if (array < 0).any():
        i, j = np.argwhere(array < 0)[0]
        msg = (
            f"{name} must not be negative; {name}[{i}, {j}] is {array[i, j]}. Use 0 "
            "for a value known exactly."
        )
        raise DataError(msg)
    return array


def as_covariances(cov: ArrayLike, shape: tuple[int, int]) -> Array:
    """Return symmetric, positive semi-definite matrices, one per object."""
    array = as_finite(cov, "cov")
    n, d = shape
    if array.shape == (d, d):
        array = np.array(np.broadcast_to(array, (n, d, d)))
    if array.shape != (n, d, d):
        msg = (
            f"cov has shape {array.shape}; it must be ({n}, {d}, {d}), or ({d}, {d}) "
            "for all objects alike. For one deviation per value use std=."
        )
        raise DataError(msg)
    size = np.abs(array).max(axis=(1, 2))
    skew = np.abs(array - np.swapaxes(array, 1, 2)).max(axis=(1, 2))
    if (skew > 1e-8 * size).any():
        worst = int(skew.argmax())
        msg = f"cov must be symmetric; cov[{worst}] differs from its transpose."
        raise DataError(msg)
    array = (array + np.swapaxes(array, 1, 2)) / 2
    _refuse_indefinite(array, size)
    return array


def as_projection(projection: ArrayLike, shape: tuple[int, int]) -> Array:
    """Return one matrix per object, from features to measurements, or one for all."""
    array = as_finite(projection, "projection", "A matrix needs numbers; 0 is nothing.")
    n, q = shape
    if array.ndim == 2:
        array = np.broadcast_to(array, (n, *array.shape))
    if array.ndim != 3 or array.shape[:2] != (n, q) or not array.shape[2]:
        msg = (
            f"projection has shape {np.shape(projection)}; it must be ({n}, {q}, "
            f"n_features), or ({q}, n_features) for all objects alike: a row for each "
            f"of the {q} columns of mean."
        )
        raise DataError(msg)
    return array


def _refuse_indefinite(cov: Array, size: Array) -> None:
    """Raise an error if a variance or eigenvalue is negative beyond rounding."""
    # Use correlations, because small variances beside large ones look like rounding.
    variances = np.einsum("nii->ni", cov)
    least = 1e-14 * size[:, None]
    if (negative := variances < -least).any():
        i, j = np.argwhere(negative)[0]
        msg = (
            f"cov must have variances of at least 0; cov[{i}, {j}, {j}] is "
            f"{variances[i, j]:.6g}."
        )
        raise DataError(msg)
    scale = np.sqrt(np.where(variances > 0.0, variances, np.where(least > 0, least, 1)))
    correlation = cov / scale[:, :, None] / scale[:, None]
    lowest = np.linalg.eigvalsh(correlation)[:, 0]
    if (lowest < -1e-8).any():
        worst = int(lowest.argmin())
        msg = (
            f"cov must be positive semi-definite; the correlations of cov[{worst}] "
            f"have the eigenvalue {lowest[worst]:.3g}. A covariance estimated pair by "
            "pair may need to be clipped to the nearest such matrix."
        )
        raise DataError(msg)


def positions_of_objects(key: Any, n_objects: int) -> Indices:
    """Turn a slice, mask, position or list of positions into positions.

    ``data[key, ...]``, which scikit-learn uses, is ``data[key]``.
    """
    if isinstance(key, tuple):
        if len(key) != 2 or key[1] is not ...:
            msg = f"objects have no second axis to pick from, as in {key!r}."
            raise IndexError(msg)
        key = key[0]
    if isinstance(key, slice):
        return np.arange(n_objects)[key]
    index = np.asarray(key)
    if index.dtype == bool:
        if index.shape != (n_objects,):
            msg = (
                f"a mask of shape {index.shape} cannot pick among {n_objects} objects."
            )
            raise IndexError(msg)
        return np.flatnonzero(index)
    if index.size == 0:
        return np.empty(0, dtype=np.intp)
    if index.dtype.kind not in "iu":
        msg = f"objects are picked by slice, mask or position, not by {key!r}."
        raise IndexError(msg)
    return np.arange(n_objects)[np.atleast_1d(index)]


def positions_of_features(
    features: Sequence[str] | Sequence[int], names: tuple[str, ...]
) -> Indices:
    """Turn names or positions of features into positions."""
    one = isinstance(features, (str, int))
    wanted: list[Any] = [features] if one else list(features)
    places = {name: i for i, name in enumerate(names)}
    for feature in wanted:
        if isinstance(feature, str) and feature not in places:
            raise DataError(unknown_name("feature", feature, names))
    chosen = [places[f] if isinstance(f, str) else int(f) for f in wanted]
    if not chosen:
        msg = "features is empty; keep at least one."
        raise DataError(msg)
    index: Indices = np.arange(len(names))[chosen]
    return index
