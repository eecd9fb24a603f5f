"""The cost model: sums of products of sizes, with coefficients that were measured.

``python benchmarks/cost.py fit`` measures, and writes ``model.json`` beside this file.
"""

import json
import re
import time
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from math import prod
from typing import Any, NamedTuple

import numpy as np

from incerta.backend.threads import threads

KINDS = ("exact", "errors", "values")


class Size(NamedTuple):
    """What the cost depends on."""

    n_objects: int
    n_features: int
    n_values: float  # of an object; 1 for laws that are not values
    n_clusters: int
    n_worlds: int


class Cost(NamedTuple):
    """Time of one core, and the largest memory of the process."""

    seconds: float
    bytes: float


class Limits(NamedTuple):
    """Above `beyond` objects, `some` stand for all in what is costly."""

    beyond: float = np.inf
    some: float = np.inf


def value_of(term: str, size: Size, limits: Limits) -> float:
    """Value of a product such as ``"s2 d w"``: s² d w.

    Parameters
    ----------
    term : str
        Letters, each with an exponent unless it is 1: n objects, s of them that are
        worked with closely, d features, v values of an object, k clusters, w worlds.
        ``"1"`` is a constant.
    size : Size
    limits : Limits

    Returns
    -------
    float
    """
    n, d, v, k, w = map(float, size)
    letters = {"d": d, "k": k, "n": n, "v": v, "w": w}
    letters["s"] = n if n <= limits.beyond else min(n, limits.some)
    found = re.findall(r"([dknsvw])(\d?)", term)
    return prod(letters[letter] ** int(power or 1) for letter, power in found)


def total(terms: Mapping[str, float], size: Size, limits: Limits) -> float:
    """Sum of products, each with its coefficient."""
    return sum(c * value_of(term, size, limits) for term, c in terms.items())


@cache
def measured() -> dict[str, Any]:
    """What the benchmark wrote."""
    text = files("incerta.cost").joinpath("model.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def expected(name: str, kind: str, size: Size) -> Cost:
    """Cost on the machine of the benchmark, without start and reading.

    Parameters
    ----------
    name : str
        A method, or ``"choose_k"``.
    kind : {"exact", "errors", "values"}
        Of the data: without uncertainty, values with errors, or many values.
    size : Size

    Returns
    -------
    Cost
    """
    method = measured()["methods"][name]
    limits = Limits(*method["limits"]) if method["limits"] else Limits()
    own = method[kind]
    return Cost(*(total(own[what], size, limits) for what in ("seconds", "bytes")))


def kernel_seconds() -> float:
    """Time of a small fixed piece of work like that of the methods."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, 200, 200))
    long = rng.normal(size=100_000)

    def once() -> float:
        start = time.process_time()
        for _ in range(4):
            a @ b
            np.exp(long).sum()
            np.sort(long)
            np.linalg.eigh(a[:60, :60] + a[:60, :60].T)
        sum(i * i for i in range(50_000))
        return time.process_time() - start

    with threads(1):
        return min(once() for _ in range(5))


@cache
def slowness() -> float:
    """How many times slower this machine is than that of the benchmark."""
    return kernel_seconds() / float(measured()["kernel_seconds"])
