"""Turn `method`, `k` and `params` into an estimator."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone

from incerta import estimators
from incerta.estimators._base import UncertainClusterer
from incerta.estimators.named import IN_WORLDS, METHODS, made, spelled
from incerta.wording import given, no_parameter

DEFAULT = (
    "AutoClusterer looked for Gaussian clusters, round clusters and connected "
    "neighborhoods; those that describe the data best count most."
)
# Names of the number of clusters in scikit-learn's clusterers.
NUMBERS = ("n_clusters", "n_components")
INNER = "clusterer__"
# Each fit in a world runs on one thread, with a seed of its own.
NOT_OF_ONE_WORLD = ("n_jobs", "random_state")


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method and its parameters."""

    estimator: Any  # an unfitted copy
    name: str
    reason: str
    numbers: tuple[str, ...]  # names of its parameters for the number of clusters
    finds_number: bool  # the default number

    def with_number(self, k: int) -> Any:
        """Return the estimator with this number of clusters."""
        return self.estimator.set_params(**dict.fromkeys(self.numbers, k))


def asked(method: Any, params: Mapping[str, Any] | None = None) -> Method:
    """Return a method of `cluster`, with its parameters set."""
    wanted = _named(method) if isinstance(method, str) else _given(method)
    if params:
        known = parameters_of(wanted)
        for name in params:
            if name in known:
                continue
            msg = no_parameter(f"params: {wanted.name}", str(name), known)
            if name in NUMBERS and wanted.numbers:
                msg = f"params: {name!r} is the number of clusters; set k."
            if name == "random_state":
                msg = f"params: leave out 'random_state'; set {given('random_state')}."
            raise ValueError(msg)
        wanted.estimator.set_params(**{known[name]: params[name] for name in params})
    return wanted


def parameters_of(method: Method) -> dict[str, str]:
    """Map the names that users may set to parameters of the estimator.

    If a clusterer is run in every world, its parameters are included. They take
    precedence over parameters of `WorldConsensus` with the same name.
    """
    model = method.estimator
    elsewhere = {"clusterer", "random_state", *method.numbers}
    known = {name: name for name in model.get_params(deep=False)}
    for name in model.get_params():
        short = name.removeprefix(INNER)
        if name != short and short not in NOT_OF_ONE_WORLD:
            known[short] = name
    return {name: full for name, full in known.items() if full not in elsewhere}


def _named(method: str) -> Method:
    if method == "auto":
        return _own(estimators.AutoClusterer(), DEFAULT)
    name = spelled(method)
    if name is None:
        msg = f"method={method!r} must be 'auto' or one of {', '.join(METHODS)}."
        raise ValueError(msg)
    if name not in IN_WORLDS:
        return _own(made(name), f"{name}, as requested.")
    return _in_worlds(made(name), name, f"{name}, as requested")


def _given(method: Any) -> Method:
    if isinstance(method, type) or not hasattr(method, "fit"):
        msg = f"method={method!r} must be 'auto', a name or an estimator."
        raise TypeError(msg)
    name = type(method).__name__
    if isinstance(method, UncertainClusterer):
        return _own(clone(method), f"{name}, as given.")
    if not hasattr(method, "fit_predict"):
        msg = f"method={method!r} is not a clusterer: it has no fit_predict."
        raise TypeError(msg)
    return _in_worlds(clone(method, safe=False), name, f"{name}, as given")


def _own(model: UncertainClusterer, reason: str) -> Method:
    numbers = {model._number_parameter} & model.get_params().keys()
    name = type(model).__name__
    return Method(
        estimator=model,
        name=name,
        reason=reason,
        numbers=tuple(numbers),
        finds_number=model._finds_number,
    )


def _in_worlds(clusterer: Any, name: str, reason: str) -> Method:
    """Run a clusterer of scikit-learn in every world.

    The consensus has the number of clusters that is set in the clusterer.
    """
    number = _number_of(clusterer)
    model = estimators.WorldConsensus(clusterer)
    reason = (
        f"{reason}: {type(clusterer).__name__} was run in every world, and the answer "
        "is the consensus of the worlds."
    )
    method = partial(Method, estimator=model, name=name, reason=reason)
    if number is None:
        return method(numbers=(), finds_number=True)
    wanted = clusterer.get_params()[number]
    if isinstance(wanted, (int, np.integer)):
        model.set_params(n_clusters=int(wanted))
    return method(numbers=(INNER + number, "n_clusters"), finds_number=False)


def _number_of(clusterer: Any) -> str | None:
    """Return the name of the number of clusters, also in a pipeline."""
    if not hasattr(clusterer, "get_params"):
        return None
    steps = getattr(clusterer, "steps", None)
    before = f"{steps[-1][0]}__" if steps else ""
    known = clusterer.get_params()
    return next((before + each for each in NUMBERS if before + each in known), None)
