"""What a model may be made of: the table of classes, and how each is taken apart.

A file names classes by their names in this table, never by a module of its choice.
What is not in the table is neither written nor made.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from typing import Any

from sklearn.base import BaseEstimator

from incerta.data.partitioned import PartitionedData
from incerta.estimators import __all__ as estimators
from incerta.models.checks import CHECKS, SHAPES, check_estimator, check_shapes
from incerta.models.recipes import FOREIGN, RECIPES, Recipe, State, UnstorableError

OURS = {
    "incerta.number.choose": ("KChoice",),
    "incerta.api.clustering": ("Clustering",),
    "incerta.estimators": tuple(estimators),
    "incerta.data": ("Standardizer", "UncertainData"),
    "incerta.data.laws": (
        "Cells",
        "Gaussian",
        "Independent",
        "Joint",
        "Kernels",
        "Mapped",
        "Opaque",
        "Stacked",
        "Values",
    ),
    "incerta.density.ordering": ("Ordering",),
    "incerta.ensemble.naming": ("Renaming",),
    "incerta.worlds": ("Worlds",),
}

# Clusterers for WorldConsensus and REP, and what commonly stands before them. Fitted,
# they are numbers and arrays; those that are more are refused by that attribute.
SKLEARN = {
    "sklearn.cluster": (
        "AffinityPropagation",
        "AgglomerativeClustering",
        "BisectingKMeans",
        "Birch",
        "DBSCAN",
        "HDBSCAN",
        "KMeans",
        "MeanShift",
        "MiniBatchKMeans",
        "OPTICS",
        "SpectralClustering",
    ),
    "sklearn.decomposition": ("PCA",),
    "sklearn.mixture": ("BayesianGaussianMixture", "GaussianMixture"),
    "sklearn.pipeline": ("Pipeline",),
    "sklearn.preprocessing": (
        "MaxAbsScaler",
        "MinMaxScaler",
        "RobustScaler",
        "StandardScaler",
    ),
}

_HOMES = {name: module for module, names in (OURS | SKLEARN).items() for name in names}


def name_of(thing: Any) -> str | None:
    """Name in the tables of the class of an object, or None."""
    cls = type(thing)
    if cls in FOREIGN:
        return FOREIGN[cls]
    home = _HOMES.get(cls.__name__)
    # Anyone may call a class KMeans.
    known = home is not None and getattr(import_module(home), cls.__name__) is cls
    return cls.__name__ if known else None


def recipe_for(name: str) -> Recipe:
    """How to take apart and to make objects of the class with this name."""
    if name in RECIPES:
        return RECIPES[name]
    if name not in _HOMES:
        msg = f"class {name!r} is unknown to this version"
        raise ValueError(msg)
    cls = getattr(import_module(_HOMES[name]), name)
    if issubclass(cls, BaseEstimator):
        return Recipe(_estimator_state, lambda state: _made_estimator(cls, state))
    names = (
        cls._fields
        if issubclass(cls, tuple)
        else tuple(field.name for field in fields(cls))
    )
    return Recipe(
        lambda thing: {field: getattr(thing, field) for field in names},
        lambda state: _made_record(name, cls, state),
    )


def is_model(name: str | None) -> bool:
    """Tell whether this is the name of something that `save` takes."""
    return name in (*estimators, "Standardizer", "Clustering")


def _made_record(name: str, cls: type, state: State) -> Any:
    check_shapes(state, SHAPES.get(name, {}), {})
    record = cls(**state)
    CHECKS.get(name, _nothing)(record)
    return record


def _nothing(record: Any) -> None:
    """There is nothing to check."""


# estimators --------------------------------------------------------------------------


def _estimator_state(model: Any) -> State:
    state = dict(vars(model))
    _refuse_folder(state)
    if isinstance(state.get("_data"), PartitionedData):
        # The objects are with the workers of a cluster. All that is asked of them
        # after the fit is their membership.
        state |= {"_membership": model.membership_, "_data": None}
    return state


def _made_estimator(cls: type, state: State) -> Any:
    _refuse_folder(state)
    known = inspect.signature(cls).parameters
    model = cls(**{name: state[name] for name in known if name in state})
    for name in state.keys() - known.keys():
        # Nothing out of a file takes the place of a method.
        if name.startswith("__") or not name.isidentifier() or hasattr(cls, name):
            msg = f"{cls.__name__} cannot have an attribute {name!r}"
            raise ValueError(msg)
        setattr(model, name, state[name])
    if hasattr(cls, "_parameter_constraints"):
        model._validate_params()
    check_estimator(model)
    if "_n_threads" in state:
        model._n_threads = max(1, min(state["_n_threads"], os.cpu_count() or 1))
    return model


def _refuse_folder(state: Mapping[str, Any]) -> None:
    if state.get("memory") is not None:
        msg = "its memory names a folder, which is never followed; set memory=None"
        raise UnstorableError(msg)
