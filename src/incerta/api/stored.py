"""`Clustering` in a model file."""

from dataclasses import fields

from incerta.api.clustering import Clustering
from incerta.data.standardize import Standardizer
from incerta.directions import Directions
from incerta.estimators._base import UncertainClusterer, check_fitted_to
from incerta.mixture import Deconvolver
from incerta.models.checks import texts, whole, wrong
from incerta.models.registry import Recipe, State, register
from incerta.number.choose import KChoice


def _state(result: Clustering) -> State:
    return {field.name: getattr(result, field.name) for field in fields(Clustering)}


def _made(state: State) -> Clustering:
    result = Clustering(**state)
    if not isinstance(result.estimator, UncertainClusterer):
        wrong("the estimator does not belong to this library")
    for name in ("reasons", "warnings"):
        texts(getattr(result, name), name)
    texts((*result.versions, *result.versions.values()), "versions")
    told = (result.method, result.command or "", result.reading or "")
    texts(told, "method, command or reading")
    whole(result.seed, 0, "seed")
    if not isinstance(result.scaler, Standardizer | None):
        wrong("scaler is not a Standardizer")
    if not isinstance(result.directions, Directions | None):
        wrong("directions is not a Directions")
    places = 0 if result.directions is None else result.directions.n_directions_
    check_fitted_to(result.estimator, result.data, places)
    if not isinstance(result.deconvolver, Deconvolver | None):
        wrong("deconvolver is not a Deconvolver")
    if not isinstance(result.choice, KChoice | None):
        wrong("choice is not a KChoice")
    return result


register(Clustering, Recipe(_state, _made, is_model=True))
