"""Conversion of values to JSON and arrays, and back.

Strings, integers, finite floats, Booleans, None and lists are themselves in JSON.
Every other value is a JSON object with one key, which names its kind:

========= ====================================================
float     "nan", "inf" or "-inf"
number    a numpy scalar: type and value
tuple     list of values
dict      list of pairs; keys are strings or integers
array     number of the member that holds it
texts     an array of strings: shape, and the members with their bytes and ends
objects   an array of other objects: shape and list of values
object    name of the class and its state
========= ====================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, prod
from typing import Any, NoReturn

import numpy as np

from incerta.exceptions import ModelFileError
from incerta.models.archive import (
    OF_ARRAY,
    OF_CHARACTER,
    OF_ITEM,
    OF_LIST,
    OF_OBJECT,
    OF_PAIR,
    OF_SCALAR,
    OF_TEXT,
    Budget,
    is_storable,
)
from incerta.models.checks import wrong
from incerta.models.recipes import register_scikit_learn
from incerta.models.registry import UnstorableError, name_of, recipe_for

MOST_DEPTH = 40
MOST_DIMENSIONS = 32
# Types of the scalars that `_scalar` writes.
CODES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "U")
NUMBERS = {np.dtype(code).name: np.dtype(code).type for code in CODES}
RESULTS_ALONE = (
    "Keep only the results (labels_, membership_; table() of a Clustering), or fit"
)


class Encoder:
    """Converter from values to JSON that collects each of their arrays once."""

    def __init__(self) -> None:
        register_scikit_learn()
        self.arrays: list[np.ndarray] = []
        self._numbers: dict[Any, int] = {}
        self._held: list[Any] = []

    def encode(self, value: Any, place: str = "") -> Any:
        """Convert a value for JSON; errors name its place in the model."""
        # Exclude subclasses, as their type would be lost.
        if value is None or type(value) in (str, bool, int):
            return value
        if type(value) is float:
            return value if isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.generic):
            return self._scalar(value, place)
        if type(value) is list:
            return self._all(value, place)
        if type(value) is tuple:
            return {"tuple": self._all(value, place)}
        if type(value) is dict:
            return {"dict": self._pairs(value, place)}
        if type(value) in (np.ndarray, np.memmap):
            return self._array(value, place)
        return self._object(value, place)

    def _all(self, values: Sequence[Any], place: str) -> list[Any]:
        return [self.encode(value, f"{place}[{i}]") for i, value in enumerate(values)]

    def _pairs(self, value: dict[Any, Any], place: str) -> list[Any]:
        out = []
        for key, entry in value.items():
            at = f"{place}[{key!r}]"
            if not _is_key(key):
                _refuse(key, at, "is a key that is neither text nor a number.")
            out.append([key, self.encode(entry, at)])
        return out

    def _scalar(self, value: np.generic, place: str) -> Any:
        text, number = isinstance(value, np.str_), value.dtype.kind in "biuf"
        if not text and not (number and is_storable(value.dtype)):
            return self._array(np.asarray(value), place)
        name = "str" if text else value.dtype.name
        return {"number": [name, self.encode(value.item())]}

    def _array(self, array: np.ndarray, place: str) -> Any:
        if array.dtype == object:
            return self._object_array(array, place)
        if not is_storable(array.dtype):
            why = f"is an array of type {array.dtype}. {RESULTS_ALONE}."
            _refuse(array, place, why)
        return {"array": self._number(array)}

    def _number(self, array: np.ndarray) -> int:
        start = array.__array_interface__["data"][0]
        same = start, array.shape, array.strides, array.dtype.str
        if same not in self._numbers:
            self._numbers[same] = len(self.arrays)
            self.arrays.append(array)
        return self._numbers[same]

    def _object_array(self, array: np.ndarray, place: str) -> Any:
        entries = array.ravel().tolist()
        if not all(type(entry) is str for entry in entries):
            return {"objects": [list(array.shape), self._all(entries, place)]}
        # Join the bytes: with padding, all strings would be as long as the longest.
        texts = [entry.encode("utf-8", "surrogatepass") for entry in entries]
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        run = np.frombuffer(b"".join(texts), np.uint8)
        return {"texts": [list(array.shape), self._number(run), self._number(ends)]}

    def _object(self, value: Any, place: str) -> Any:
        name = name_of(value)
        if name is None:
            _refuse(value, place, _way_out(value))
        place = place or name
        try:
            state = recipe_for(name).state(value)
        except UnstorableError as reason:
            _refuse(value, place, f"cannot be stored: {reason}.")
        self._held.append(state)  # so that the memory of its arrays is not reused
        out = {key: self.encode(state[key], f"{place}.{key}") for key in sorted(state)}
        return {"object": [name, out]}


class Decoder:
    """Converter from JSON and arrays to values that checks each one and its memory."""

    def __init__(self, arrays: Sequence[np.ndarray], budget: Budget) -> None:
        register_scikit_learn()
        self._arrays = arrays
        self._pay, self._pay_for_array = budget.pay, budget.pay_for_array
        self._depth = 0
        self._makers: dict[str, Callable[[Any], Any]] = {
            "float": {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}.__getitem__,
            "number": self._scalar,
            "tuple": lambda items: tuple(self._all(items)),
            "dict": self._dict,
            "array": self._array,
            "texts": self._texts,
            "objects": self._objects,
            "object": self._object,
        }

    def decode(self, value: Any) -> Any:
        """Return the encoded value; raise ValueError or another error if invalid."""
        if isinstance(value, list):
            return self._all(value)
        if not isinstance(value, dict):
            return value
        self._depth += 1
        if self._depth > MOST_DEPTH:
            wrong("it is nested too deeply")
        ((kind, content),) = value.items()
        made = self._makers[kind](content)
        self._depth -= 1
        return made

    def _all(self, items: Any) -> list[Any]:
        self._depth += 1
        if not isinstance(items, list) or self._depth > MOST_DEPTH:
            wrong("something is not a list, or it is nested too deeply")
        self._pay(OF_LIST + OF_ITEM * len(items))
        made = [self.decode(item) for item in items]
        self._depth -= 1
        return made

    def _scalar(self, content: Any) -> Any:
        name, value = content
        number_type = NUMBERS.get(str(name))
        value = self.decode(value)
        if number_type is None or not isinstance(value, str | int | float):
            wrong(f"{name!r} is not a type of number")
        length = len(value) if isinstance(value, str) else 0
        self._pay(OF_SCALAR + OF_CHARACTER * length)
        return number_type(value)

    def _dict(self, pairs: Any) -> dict[str | int, Any]:
        self._pay(OF_LIST + OF_PAIR * len(pairs))
        out: dict[str | int, Any] = {}
        for key, value in pairs:
            if not _is_key(key) or key in out:
                wrong("a key is neither text nor a number, or occurs twice")
            out[key] = self.decode(value)
        return out

    def _array(self, number: Any) -> np.ndarray:
        if type(number) is not int or not 0 <= number < len(self._arrays):
            wrong(f"array {number} is missing")
        self._pay_for_array(self._arrays[number])
        return self._arrays[number]

    def _texts(self, content: Any) -> np.ndarray:
        shape, run, ends = content
        letters, stops = self._array(run), self._array(ends)
        self._pay(OF_ARRAY + OF_CHARACTER * letters.nbytes + OF_TEXT * stops.size)
        data = letters.tobytes()
        if stops.dtype != np.int64 or stops.ndim != 1:
            wrong("texts have no ends")
        starts = np.concatenate([[0], stops[:-1]]) if len(stops) else stops
        total = stops[-1] if len(stops) else 0
        if (stops < starts).any() or total != len(data):
            wrong("texts have wrong ends")
        places = zip(starts.tolist(), stops.tolist(), strict=True)
        return _as_objects(
            shape, [data[a:b].decode("utf-8", "surrogatepass") for a, b in places]
        )

    def _objects(self, content: Any) -> np.ndarray:
        shape, items = content
        self._pay(OF_ARRAY)
        return _as_objects(shape, self._all(items))

    def _object(self, content: Any) -> Any:
        name, state = content
        recipe = recipe_for(str(name))
        self._pay(OF_OBJECT + OF_PAIR * len(state))
        parts = {field: self.decode(state[field]) for field in state}
        if recipe.cost is not None:
            self._pay(recipe.cost(parts))
        return recipe.make(parts)


def _as_objects(shape: Any, entries: list[Any]) -> np.ndarray:
    flawed = len(shape) > MOST_DIMENSIONS or any(
        type(length) is not int or not 0 <= length < 2**31 for length in shape
    )
    if flawed or prod(shape) != len(entries):
        wrong("an array of objects has a wrong shape")
    # np.array would split arrays among the entries into their elements.
    return np.fromiter(entries, dtype=object, count=len(entries)).reshape(shape)


def _is_key(key: Any) -> bool:
    # Larger integers can share one hash, which would make a dictionary extremely slow.
    return type(key) is str or (type(key) is int and abs(key) < 2**53)


def _refuse(value: Any, place: str, why: str) -> NoReturn:
    msg = f"{place or 'the model'}, a {type(value).__name__}, {why}"
    raise ModelFileError(msg)


def _way_out(value: Any) -> str:
    if hasattr(value, "rvs") or hasattr(value, "resample"):
        return (
            "is a distribution that cannot be stored by name and parameters. Give its "
            "objects by values drawn from it (from_array, from_samples), and fit again."
        )
    if callable(value) and not isinstance(value, type):
        return f"is a function. {RESULTS_ALONE} with one of the named options instead."
    return (
        f"cannot be put into a model file. {RESULTS_ALONE} with a clusterer of "
        "scikit-learn that is made of arrays, such as KMeans or GaussianMixture."
    )
