"""Code that repeats a clustering."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np

from incerta.api.methods import asked, parameters_of
from incerta.estimators.named import IN_WORLDS
from incerta.report.plain import text

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering


def python_of(result: Clustering) -> str:
    """Code that repeats the clustering, given the data.

    Parameters
    ----------
    result : Clustering

    Returns
    -------
    str
    """
    named = result.method in IN_WORLDS
    arguments = [
        "data",
        *_number(result, named),
        *(_in_worlds(result) if named else [f"method={_estimator(result)}"]),
        f"seed={int(result.seed)}",
        *(["scale=False"] if result.scaler is None else []),
    ]
    return (
        "import incerta as ic\n\n"
        "data = ...  # the same objects\n"
        f"result = ic.cluster({', '.join(arguments)})"
    )


def _number(result: Clustering, named: bool) -> list[str]:
    """The number of clusters, if it was asked for with k."""
    wanted = result.parameters.get(result.estimator.number_parameter)
    if named and not asked(result.method).numbers:
        return []
    known = result.choice is None and isinstance(wanted, (int, np.integer))
    return [f"k={wanted}"] if known else []


def _in_worlds(result: Clustering) -> list[str]:
    """The name of a clusterer of scikit-learn, and the parameters that were set."""
    usual = asked(result.method)
    before, now = usual.estimator.get_params(), result.estimator.get_params()
    changed = [
        f"{name!r}: {_shown(now[full])}"
        for name, full in parameters_of(usual).items()
        if full in now and repr(now[full]) != repr(before[full])
    ]
    params = [f"params={{{', '.join(changed)}}}"] if changed else []
    return [f"method={result.method!r}", *params]


def _estimator(result: Clustering) -> str:
    """The method as code: its name or, if parameters were set, an estimator."""
    usual = signature(type(result.estimator)).parameters
    changed = [
        f"{key}={_shown(value)}"
        for key, value in result.parameters.items()
        if key not in (result.estimator.number_parameter, "random_state")
        and repr(value) != repr(usual[key].default)
    ]
    name = type(result.estimator).__name__
    return f"ic.{name}({', '.join(changed)})" if changed else repr(name)


def _shown(value: Any) -> str:
    return text(repr(value), 200)
