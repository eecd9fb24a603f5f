"""Classifiers by short names, for the command line.

A class is imported only when it is made, so that ``--help`` is fast.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

from incerta import classifiers
from incerta.wording import no_parameter

# Prefix of the parameters of the classifier inside `WorldsClassifier`.
INNER = "classifier__"


@dataclass(frozen=True, kw_only=True)
class Named:
    """A classifier, its purpose, and the classifier inside it."""

    own: str
    purpose: str
    home: str = ""
    inner: str = ""
    settings: dict[str, Any] = field(default_factory=dict)


CLASSIFIERS = {
    "discriminant": Named(
        own="ErrorDiscriminant",
        purpose="error bars, gaps or replicates; classes that are ellipses",
    ),
    "bayes": Named(
        own="UncertainNaiveBayes",
        purpose="many independent features, few objects",
    ),
    "svm": Named(
        own="SupportMeasureClassifier",
        purpose="objects that are distributions, up to some thousand",
    ),
    "forest": Named(
        own="WorldsClassifier",
        purpose="any shape; random forests in every world",
        home="sklearn.ensemble",
        inner="RandomForestClassifier",
    ),
    "knn": Named(
        own="WorldsClassifier",
        purpose="any shape, many objects; nearest neighbors in every world",
        home="sklearn.neighbors",
        inner="KNeighborsClassifier",
    ),
    "logistic": Named(
        own="WorldsClassifier",
        purpose="linear boundaries; logistic regression in every world",
        home="sklearn.linear_model",
        inner="LogisticRegression",
        settings={"max_iter": 1000},
    ),
}
METHODS = tuple(CLASSIFIERS)


def made(name: str, params: Mapping[str, Any], seed: int) -> Any:
    """Return an unfitted classifier by its name in `METHODS`.

    `params` may be its own parameters, or those of the classifier inside it.
    """
    named = CLASSIFIERS[name]
    inner: list[Any] = []
    if named.inner:
        inner = [getattr(import_module(named.home), named.inner)(**named.settings)]
    model = getattr(classifiers, named.own)(*inner)
    full_names = parameters_of(model)
    for each in params:
        if each not in full_names:
            raise ValueError(no_parameter(f"params: {name}", each, full_names))
    model.set_params(**{full_names[each]: value for each, value in params.items()})
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return model


def parameters_of(model: Any) -> dict[str, str]:
    """Return the parameters that may be set, with their names in the classifier."""
    full_names = {name: name for name in model.get_params(deep=False)}
    full_names |= {name.removeprefix(INNER): name for name in model.get_params()}
    elsewhere = ("classifier", "random_state")  # the seed has its own option
    return {short: full for short, full in full_names.items() if short not in elsewhere}
