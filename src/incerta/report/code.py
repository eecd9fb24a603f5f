"""Code that repeats a clustering."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator

from incerta.api.methods import asked, parameters_of
from incerta.estimators.named import IN_WORLDS
from incerta.report.plain import text

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering

# Of the names of features, in a comment.
MOST_NAMES = 8


def python_of(result: Clustering) -> str:
    """Code that repeats the clustering: with the data, if it is known how to read them.

    Otherwise a comment says what ``data`` must hold. Parameters that cannot be written
    as code, such as functions, are named in a comment.
    """
    named = result.method in IN_WORLDS
    changed = _in_worlds(result) if named else _own(result)
    given = {name: value for name, value in changed.items() if _is_code(value)}
    method = repr(result.method)
    if not named:
        name = type(result.estimator).__name__
        inside = ", ".join(f"{key}={_shown(value)}" for key, value in given.items())
        method = f"ic.{name}({inside})" if given else repr(name)
    directions = None if result.directions is None else result.directions.n_directions
    params = [f"{key!r}: {_shown(value)}" for key, value in given.items()]
    arguments = [
        "data",
        *_number(result, named),
        f"method={method}",
        *([f"params={{{', '.join(params)}}}"] if named and params else []),
        f"seed={int(result.seed)}",
        *(["scale=False"] if result.scaler is None else []),
        *([] if directions == "auto" else [f"directions={directions!r}"]),
    ]
    lines = [
        "import incerta as ic",
        *sorted({line for value in given.values() for line in _imports(value)}),
        "",
        *_reading(result),
        *(
            f"# The method also had {name}={text(' '.join(ascii(value).split()), 100)}."
            for name, value in changed.items()
            if name not in given
        ),
        f"result = ic.cluster({', '.join(arguments)})",
    ]
    return "\n".join(lines)


def _reading(result: Clustering) -> list[str]:
    """Code that makes the data, or words that say what they must be."""
    if result.spec is None or result.file is None:
        return [_what_data(result)]
    if result.file != "-":
        return [f"data = {result.spec.to_python(result.file)}"]
    call = result.spec.to_python("stdin.csv")
    return ["# stdin.csv: what came from stdin.", f"data = {call}"]


def _what_data(result: Clustering) -> str:
    """A comment: what must be in the variable ``data``."""
    data = result.data
    names = [text(one, 40) for one in data.feature_names[:MOST_NAMES]]
    more = ", ..." if data.n_features > MOST_NAMES else ""
    return (
        f"# data: the {len(data):,} objects that were given to ic.cluster, with the\n"
        f"# features {', '.join(map(repr, names))}{more} ({text(data.kind, 100)}).\n"
        '# If this result was saved, data = ic.load("run.incerta").data has them.'
    )


def _number(result: Clustering, named: bool) -> list[str]:
    """The number of clusters, if it was asked for with k."""
    wanted = result.parameters.get(result.estimator.number_parameter)
    if named and not asked(result.method).numbers:
        return []
    known = result.choice is None and isinstance(wanted, (int, np.integer))
    return [f"k={wanted}"] if known else []


def _in_worlds(result: Clustering) -> dict[str, Any]:
    """Parameters that were set, for a clusterer of scikit-learn in every world."""
    usual = asked(result.method)
    before, now = usual.estimator.get_params(), result.estimator.get_params()
    return {
        name: now[full]
        for name, full in parameters_of(usual).items()
        if full in now and repr(now[full]) != repr(before[full])
    }


def _own(result: Clustering) -> dict[str, Any]:
    """Parameters of one of our estimators that were set."""
    usual: Mapping[str, Any] = signature(type(result.estimator)).parameters
    return {
        key: value
        for key, value in result.parameters.items()
        if key not in (result.estimator.number_parameter, "random_state")
        and repr(value) != repr(usual[key].default)
    }


def _is_code(value: Any) -> bool:
    """Tell whether a value can be written down and read back."""
    if isinstance(value, BaseEstimator):
        return all(map(_is_code, value.get_params(deep=False).values()))
    if isinstance(value, (list, tuple)):
        return all(map(_is_code, value))
    try:
        ast.literal_eval(_shown(value))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _shown(value: Any) -> str:
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, BaseEstimator):
        # All of it: the usual one leaves out what is long.
        return " ".join(value.__repr__(N_CHAR_MAX=10**6).split())
    return repr(value)


def _imports(value: Any) -> Iterator[str]:
    """Lines that import the classes of estimators in a value."""
    if isinstance(value, (list, tuple)):
        for one in value:
            yield from _imports(one)
    if isinstance(value, BaseEstimator):
        module = type(value).__module__
        public = ".".join(p for p in module.split(".") if not p.startswith("_"))
        yield f"from {public} import {type(value).__name__}"
        for one in value.get_params(deep=False).values():
            yield from _imports(one)
