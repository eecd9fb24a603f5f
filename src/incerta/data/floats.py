"""Numbers of any kind as floats: what is masked is NaN, what is no number is refused.

Numpy alone would drop masks, count dates from 1970, cut off imaginary parts and read
text.
"""

from typing import Any

import numpy as np

from incerta.exceptions import DataError
from incerta.typing import Array, ArrayLike, Ids, Mask

# What arrays may hold that is no number, by the letter numpy has for it.
NO_NUMBERS = {
    "U": "text; convert it first: numpy.asarray({}, dtype=float)",
    "S": "text; convert it first: numpy.asarray({}, dtype=float)",
    "T": "text; convert it first: numpy.asarray({}, dtype=float)",
    "c": "complex numbers; say what counts, e.g. numpy.abs({}), or make real and "
    "imaginary part two features",
    "M": "dates; turn them into numbers in a unit of your choice, e.g. "
    "({} - numpy.datetime64('2000-01-01')) / numpy.timedelta64(1, 'D')",
    "m": "times; turn them into numbers in a unit of your choice, e.g. "
    "{} / numpy.timedelta64(1, 's')",
}


def as_floats(value: ArrayLike, name: str) -> Array:
    """Copy numbers into an array of our own, so that nobody else changes it.

    Parameters
    ----------
    value : array-like
        Numbers, masked or not. Cells that are None, masked, or NA of a frame's library
        are NaN.
    name : str
        What the caller calls it.

    Returns
    -------
    ndarray of float64
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
    """Array with NaN where `value` is masked; what holds no numbers is refused.

    Cells of other kinds, such as decimals, stay what they are.
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
    """Replace masked arrays, also those in lists, by plain ones with NaN."""
    if isinstance(value, (list, tuple)):
        if any(isinstance(part, (list, tuple, np.ndarray)) for part in value):
            return [without_masks(part) for part in value]
        return value
    if np.ma.isMaskedArray(value):
        plain, hidden = value.data, np.ma.getmaskarray(value)
    elif hasattr(value, "unmasked") and hasattr(value, "mask"):  # that of astropy
        plain, hidden = value.unmasked, value.mask
    else:
        return value
    if not np.any(hidden) or plain.dtype.kind in NO_NUMBERS:
        return plain
    return np.where(hidden, np.nan, plain)


def nothing_in(array: Ids) -> Mask:
    """Which cells are missing values, in the words of any library."""
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
    return f"{name} must hold numbers, it holds {NO_NUMBERS[kind].format(name)}."
