"""Checks on the parts of a model from a file, as compiled code checks no bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np


def check_shapes(
    fields: Mapping[str, Any], shapes: Mapping[str, str], sizes: dict[str, int]
) -> None:
    """Check fields that are arrays against shapes such as ``"f n d"``; None passes.

    Equal letters stand for equal lengths, which are added to `sizes`. The types are f
    for float64, i for integers, b for Booleans and a for anything. Integers may also be
    o for positions of objects and s for a sorted list.
    """
    for name, text in shapes.items():
        array = fields.get(name)
        if array is None:
            continue
        kind, *letters = text.split()
        if not isinstance(array, np.ndarray) or not _is_of(array.dtype, kind):
            wrong(f"{name} is not an array of the right type")
        same = len(letters) == array.ndim and all(
            sizes.setdefault(letter, length) == length
            for letter, length in zip(letters, array.shape, strict=True)
        )
        if not same:
            wrong(f"{name} has shape {array.shape}, which does not fit the rest")


def _is_of(dtype: np.dtype[Any], kind: str) -> bool:
    if kind == "f":
        return dtype == np.float64
    if kind in "os":
        return dtype.kind == "i"
    return kind == "a" or dtype.kind == kind


def within(numbers: Any, below: Any, name: str) -> None:
    """Refuse numbers that are negative or not less than `below`."""
    if ((numbers < 0) | (numbers >= below)).any():
        wrong(f"{name} points outside")


def whole(number: Any, least: int, name: str) -> None:
    """Refuse a value that is not an integer or is below `least`."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        wrong(f"{name} is not a whole number")
    if number < least:
        wrong(f"{name}={number} is below {least}")


def texts(given: Any, name: str) -> None:
    """Refuse a value that is not a tuple of strings."""
    if not isinstance(given, tuple) or not all(isinstance(t, str) for t in given):
        wrong(f"{name} is not made of texts")


def wrong(what: str) -> NoReturn:
    """Raise an error, to which `load` adds the name of the file."""
    raise ValueError(what)
