"""Recipes to take objects of numpy, scipy and scikit-learn apart and rebuild them."""

from __future__ import annotations

import inspect
import os
from collections.abc import Mapping
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse

from incerta.models.checks import check_shapes, whole, wrong
from incerta.models.registry import Recipe, State, UnstorableError, register

# Clusterers for WorldConsensus and REP, and common preprocessing steps. When fitted,
# they consist of numbers and arrays. An error names any other attribute.
SKLEARN = {
    "sklearn.cluster": "AffinityPropagation AgglomerativeClustering BisectingKMeans "
    "Birch DBSCAN HDBSCAN KMeans MeanShift MiniBatchKMeans OPTICS SpectralClustering",
    "sklearn.decomposition": "PCA",
    "sklearn.mixture": "BayesianGaussianMixture GaussianMixture",
    "sklearn.pipeline": "Pipeline",
    "sklearn.preprocessing": "MaxAbsScaler MinMaxScaler RobustScaler StandardScaler",
}

# Shapes in fitted scikit-learn estimators: n objects, d features, c clusters.
FITTED = {
    "labels_": "i n",
    "cluster_centers_": "f c d",
    "feature_names_in_": "a d",
    "reachability_": "f n",
    "ordering_": "i n",
    "core_distances_": "f n",
    "_counts": "f c",
    "subcluster_centers_": "f s d",
    "subcluster_labels_": "i s",
    "_subcluster_norms": "f s",
}
CSR_ARRAYS = {"data": "a v", "indices": "i v", "indptr": "i r"}
# Trees of Birch: only `partial_fit` needs them, and without them it starts afresh.
LEFT_OUT = ("root_", "dummy_leaf_")


def _estimator_state(model: Any) -> State:
    state = {k: value for k, value in vars(model).items() if k not in LEFT_OUT}
    _refuse_folder(state)
    return state


def _made_estimator(cls: type, state: State) -> Any:
    _refuse_folder(state)
    parameters = inspect.signature(cls).parameters
    model = cls(**{name: state[name] for name in parameters if name in state})
    for name in state.keys() - parameters.keys():
        # An attribute from a file must not replace a method.
        if name.startswith("__") or not name.isidentifier() or hasattr(cls, name):
            wrong(f"{cls.__name__} cannot have an attribute {name!r}")
        setattr(model, name, state[name])
    if hasattr(cls, "_parameter_constraints"):
        model._validate_params()
    if "n_features_in_" in state:
        whole(model.n_features_in_, 0, "n_features_in_")
        check_shapes(state, FITTED, {"d": model.n_features_in_})
    if "_n_threads" in state:
        model._n_threads = max(1, min(state["_n_threads"], os.cpu_count() or 1))
    return model


def _refuse_folder(state: Mapping[str, Any]) -> None:
    if state.get("memory") is not None:
        msg = "its memory names a folder, which is never followed; set memory=None"
        raise UnstorableError(msg)


def _csr_state(matrix: Any) -> State:
    arrays = {name: getattr(matrix, name) for name in CSR_ARRAYS}
    return {**arrays, "shape": tuple(map(int, matrix.shape))}


def _csr_cost(state: State) -> int:
    # Unusual number types are converted to usual ones, and positions are sorted.
    return 32 * sum(state[name].size for name in CSR_ARRAYS)


def _made_csr(state: State) -> Any:
    check_shapes(state, CSR_ARRAYS, {})
    parts = [state[name] for name in CSR_ARRAYS]
    matrix = sparse.csr_array(tuple(parts), shape=state["shape"])
    matrix.check_format(full_check=True)
    return matrix


def _random_state(source: np.random.RandomState) -> State:
    state = source.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        msg = "it is a RandomState of an unusual kind; give random_state a number"
        raise UnstorableError(msg)
    inner = state["state"]
    return {
        "key": inner["key"],
        "pos": int(inner["pos"]),
        "has_gauss": int(state["has_gauss"]),
        "gauss": float(state["gauss"]),
    }


def _made_random(state: State) -> np.random.RandomState:
    key, pos = state["key"], state["pos"]
    # numpy does not check the position: a wrong one would read other memory.
    if key.dtype != np.uint32 or key.shape != (624,) or not 0 <= pos <= 624:
        wrong("a RandomState is damaged")
    source = np.random.RandomState()
    source.set_state(("MT19937", key, pos, state["has_gauss"], state["gauss"]))
    return source


def _generator_state(source: np.random.Generator) -> State:
    state = dict(source.bit_generator.state)
    if state.pop("bit_generator") != "PCG64":
        msg = "it is a Generator of an unusual kind; give random_state a number"
        raise UnstorableError(msg)
    return state


def _made_generator(state: State) -> np.random.Generator:
    source: Any = np.random.PCG64()
    source.state = {"bit_generator": "PCG64", **state}
    return np.random.Generator(source)


register(sparse.csr_array, Recipe(_csr_state, _made_csr, cost=_csr_cost))
register(
    np.random.RandomState, Recipe(_random_state, _made_random, cost=lambda _: 2**12)
)
register(np.random.Generator, Recipe(_generator_state, _made_generator))


def register_scikit_learn() -> None:
    """Register the scikit-learn classes, whose import takes about a second."""
    for home, names in SKLEARN.items():
        for name in names.split():
            cls = getattr(import_module(home), name)
            register(cls, Recipe(_estimator_state, partial(_made_estimator, cls)))
