"""Values as JSON and arrays, and back.

Texts, whole numbers, finite floats, truth values, None and lists are what they are in
JSON. Everything else is an object with one key that says what it is:

========= ====================================================
float     "nan", "inf" or "-inf"
number    a scalar of numpy: type and value
tuple     list of values
dict      list of pairs; keys are texts or whole numbers
array     number of the member that holds it
texts     an array of texts: shape, and the members of the bytes and of their ends
objects   an array of anything else: shape and list of values
object    name of the class, and its state
========= ====================================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import isfinite, prod
from typing import Any, NoReturn

import numpy as np

from incerta.exceptions import ModelFileError
from incerta.models.archive import is_storable
from incerta.models.budget import (
    OF_ARRAY,
    OF_CHARACTER,
    OF_ITEM,
    OF_LIST,
    OF_OBJECT,
    OF_PAIR,
    OF_SCALAR,
    OF_TEXT,
    Budget,
)
from incerta.models.registry import UnstorableError, name_of, recipe_for

MOST_DEPTH = 40
MOST_DIMENSIONS = 32
# What `_scalar` writes.
NUMBERS = {
    name: np.dtype(name).type
    for name in (
        *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"),
        *("uint64", "float16", "float32", "float64", "str"),
    )
}
RESULTS_ALONE = (
    "Keep only the results (labels_, membership_; table() of a Clustering), or fit"
)
FUNCTION = f"is a function. {RESULTS_ALONE} with one of the named options instead."
DISTRIBUTION = (
    "is a distribution that cannot be stored by name and parameters. Give its objects "
    "by values drawn from it (from_array, from_samples), and fit again."
)
FOREIGN = (
    f"cannot be put into a model file. {RESULTS_ALONE} with a clusterer of "
    "scikit-learn that is made of arrays, such as KMeans or GaussianMixture."
)


class Encoder:
    """Turns values into JSON, and collects their arrays.

    Attributes
    ----------
    arrays : list of ndarray
        In the order of their numbers. An array that occurs twice is stored once.
    """

    def __init__(self) -> None:
        self.arrays: list[np.ndarray] = []
        self._numbers: dict[Any, int] = {}
        self._place: list[str] = []
        self._held: list[Any] = []

    def encode(self, value: Any) -> Any:
        """Return what JSON takes for a value; raise ModelFileError if there is none."""
        # Not their subclasses, which would not come back as such.
        if value is None or type(value) in (str, bool, int):
            return value
        if type(value) is float:
            return value if isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.generic):
            return self._scalar(value)
        if type(value) is list:
            return self._all(value)
        if type(value) is tuple:
            return {"tuple": self._all(value)}
        if type(value) is dict:
            return {"dict": self._pairs(value)}
        if type(value) in (np.ndarray, np.memmap):
            return self._array(value)
        return self._object(value)

    def _all(self, values: Sequence[Any]) -> list[Any]:
        out = []
        for number, value in enumerate(values):
            with self._at(f"[{number}]"):
                out.append(self.encode(value))
        return out

    def _pairs(self, value: dict[Any, Any]) -> list[Any]:
        out = []
        for key, entry in value.items():
            with self._at(f"[{key!r}]"):
                if not _is_key(key):
                    self._refuse(key, "is a key that is neither text nor a number.")
                out.append([key, self.encode(entry)])
        return out

    def _scalar(self, value: np.generic) -> Any:
        text, number = isinstance(value, np.str_), value.dtype.kind in "biuf"
        if not text and not (number and is_storable(value.dtype)):
            return self._array(np.asarray(value))
        name = "str" if text else value.dtype.name
        return {"number": [name, self.encode(value.item())]}

    def _array(self, array: np.ndarray) -> Any:
        if array.dtype == object:
            return self._object_array(array)
        if not is_storable(array.dtype):
            self._refuse(array, f"is an array of type {array.dtype}. {RESULTS_ALONE}.")
        return {"array": self._number(array)}

    def _number(self, array: np.ndarray) -> int:
        start = array.__array_interface__["data"][0]
        same = start, array.shape, array.strides, array.dtype.str
        if same not in self._numbers:
            self._numbers[same] = len(self.arrays)
            self.arrays.append(array)
        return self._numbers[same]

    def _object_array(self, array: np.ndarray) -> Any:
        entries = array.ravel().tolist()
        if not all(type(entry) is str for entry in entries):
            return {"objects": [list(array.shape), self._all(entries)]}
        # As one run of bytes: padded to the longest, one long name would count for all.
        texts = [entry.encode("utf-8", "surrogatepass") for entry in entries]
        ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
        run = np.frombuffer(b"".join(texts), np.uint8)
        return {"texts": [list(array.shape), self._number(run), self._number(ends)]}

    def _object(self, value: Any) -> Any:
        name = name_of(value)
        if name is None:
            self._refuse(value, _way_out(value))
        with self._at("" if self._place else name):
            try:
                state = recipe_for(name).state(value)
            except UnstorableError as reason:
                self._refuse(value, f"cannot be stored: {reason}.")
            self._held.append(state)  # or its arrays could give way to others
            out = {}
            for field in sorted(state):
                with self._at(f".{field}"):
                    out[field] = self.encode(state[field])
        return {"object": [name, out]}

    @contextmanager
    def _at(self, step: str) -> Iterator[None]:
        self._place.append(step)
        yield
        self._place.pop()

    def _refuse(self, value: Any, why: str) -> NoReturn:
        place = "".join(self._place) or "the model"
        msg = f"{place}, a {type(value).__name__}, {why}"
        raise ModelFileError(msg)


class Decoder:
    """Turns JSON and arrays into values again; trusts nothing.

    Parameters
    ----------
    arrays : sequence of ndarray
        In the order of their numbers.
    budget : Budget, optional
        Pays for whatever is made, before it is made; everything by default.
    """

    def __init__(
        self, arrays: Sequence[np.ndarray], budget: Budget | None = None
    ) -> None:
        budget = budget or Budget()
        self._arrays = arrays
        self._pay, self._pay_for_array = budget.pay, budget.pay_for_array
        self._depth = 0
        self._makers: dict[str, Callable[[Any], Any]] = {
            "float": self._float,
            "number": self._scalar,
            "tuple": lambda items: tuple(self._all(items)),
            "dict": self._dict,
            "array": self._array,
            "texts": self._texts,
            "objects": self._objects,
            "object": self._object,
        }

    def decode(self, value: Any) -> Any:
        """Return what was encoded; raise ValueError or others if it makes no sense."""
        if isinstance(value, list):
            return self._all(value)
        if not isinstance(value, dict):
            return value
        self._depth += 1
        if self._depth > MOST_DEPTH:
            msg = "it is nested too deeply"
            raise ValueError(msg)
        ((kind, content),) = value.items()
        made = self._makers[kind](content)
        self._depth -= 1
        return made

    def _all(self, items: Any) -> list[Any]:
        self._depth += 1
        if not isinstance(items, list) or self._depth > MOST_DEPTH:
            msg = "something is not a list, or it is nested too deeply"
            raise ValueError(msg)
        self._pay(OF_LIST + OF_ITEM * len(items))
        made = [self.decode(item) for item in items]
        self._depth -= 1
        return made

    def _float(self, text: Any) -> float:
        return {"nan": np.nan, "inf": np.inf, "-inf": -np.inf}[text]

    def _scalar(self, content: Any) -> Any:
        name, value = content
        made = NUMBERS.get(str(name))
        value = self.decode(value)
        if made is None or not isinstance(value, str | int | float):
            msg = f"{name!r} is not a type of number"
            raise ValueError(msg)
        length = len(value) if isinstance(value, str) else 0
        self._pay(OF_SCALAR + OF_CHARACTER * length)
        return made(value)

    def _dict(self, pairs: Any) -> dict[str | int, Any]:
        self._pay(OF_LIST + OF_PAIR * len(pairs))
        out: dict[str | int, Any] = {}
        for key, value in pairs:
            if not _is_key(key) or key in out:
                msg = "a key is neither text nor a number, or occurs twice"
                raise ValueError(msg)
            out[key] = self.decode(value)
        return out

    def _array(self, number: Any) -> np.ndarray:
        if type(number) is not int or not 0 <= number < len(self._arrays):
            msg = f"array {number} is missing"
            raise ValueError(msg)
        self._pay_for_array(self._arrays[number])
        return self._arrays[number]

    def _texts(self, content: Any) -> np.ndarray:
        shape, run, ends = content
        letters, stops = self._array(run), self._array(ends)
        self._pay(OF_ARRAY + OF_CHARACTER * letters.nbytes + OF_TEXT * stops.size)
        data = letters.tobytes()
        if stops.dtype != np.int64 or stops.ndim != 1:
            msg = "texts have no ends"
            raise ValueError(msg)
        starts = np.concatenate([[0], stops[:-1]]) if len(stops) else stops
        total = stops[-1] if len(stops) else 0
        if (stops < starts).any() or total != len(data):
            msg = "texts have wrong ends"
            raise ValueError(msg)
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
        msg = "an array of objects has a wrong shape"
        raise ValueError(msg)
    # One by one: arrays among them would be taken apart, and their entries counted.
    return np.fromiter(entries, dtype=object, count=len(entries)).reshape(shape)


def _is_key(key: Any) -> bool:
    # Larger numbers can all have the same hash: a dictionary of them takes for ever.
    return type(key) is str or (type(key) is int and abs(key) < 2**53)


def _way_out(value: Any) -> str:
    if hasattr(value, "rvs") or hasattr(value, "resample"):
        return DISTRIBUTION
    if callable(value) and not isinstance(value, type):
        return FUNCTION
    return FOREIGN
