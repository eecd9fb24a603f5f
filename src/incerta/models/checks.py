"""What must hold for parts of a model from a file: compiled code checks no bounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np


def check_shapes(
    fields: Mapping[str, Any], shapes: Mapping[str, str], sizes: dict[str, int]
) -> None:
    """Check arrays among the fields against shapes such as ``"f n d"``; None passes.

    Equal letters are equal lengths, which are added to `sizes`. Types: f is float64, i
    a whole number, b a truth value, a anything; o are positions of objects, s a rising
    list.
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
    """Refuse numbers that point outside."""
    if ((numbers < 0) | (numbers >= below)).any():
        wrong(f"{name} points outside")


def whole(number: Any, least: int, name: str) -> None:
    """Refuse what is not a whole number, or too small."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        wrong(f"{name} is not a whole number")
    if number < least:
        wrong(f"{name}={number} is below {least}")


def texts(given: Any, name: str) -> None:
    """Refuse what is not a tuple of texts."""
    if not isinstance(given, tuple) or not all(isinstance(t, str) for t in given):
        wrong(f"{name} is not made of texts")


def wrong(what: str) -> NoReturn:
    """Refuse; `load` says which file it was."""
    raise ValueError(what)
