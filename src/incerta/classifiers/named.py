"""Classifiers by short names, as the command line has them.

Nothing heavy is imported before a classifier is made, as ``--help`` lists them.
"""

from collections.abc import Mapping
from difflib import get_close_matches
from importlib import import_module
from typing import Any, NamedTuple

from incerta import classifiers

# Before the names of what belongs to the classifier that `WorldVote` is around.
INNER = "classifier__"


class Named(NamedTuple):
    """A classifier of ours, what it is for, and what it is around."""

    own: str
    purpose: str
    home: str = ""
    inner: str = ""
    settings: dict[str, Any] = {}


CLASSIFIERS = {
    "discriminant": Named(
        "ErrorDiscriminant", "error bars, gaps or replicates; classes that are ellipses"
    ),
    "bayes": Named(
        "UncertainNaiveBayes", "many features that say different things, few objects"
    ),
    "svm": Named(
        "SupportMeasureClassifier",
        "objects that are whole distributions, up to some thousand",
    ),
    "forest": Named(
        "WorldVote",
        "any shape; random forests in every world",
        "sklearn.ensemble",
        "RandomForestClassifier",
    ),
    "knn": Named(
        "WorldVote",
        "any shape, many objects; nearest neighbours in every world",
        "sklearn.neighbors",
        "KNeighborsClassifier",
    ),
    "logistic": Named(
        "WorldVote",
        "two sides of a plane; logistic regression in every world",
        "sklearn.linear_model",
        "LogisticRegression",
        {"max_iter": 1000},
    ),
}
METHODS = tuple(CLASSIFIERS)


def made(name: str, params: Mapping[str, Any], seed: int) -> Any:
    """Make a classifier by its name in `METHODS`, unfitted.

    `params` are its parameters; where a classifier of scikit-learn is asked in every
    world, also that one's. The seed is that of everything random.
    """
    found = CLASSIFIERS[name]
    own = getattr(classifiers, found.own)
    if found.inner:
        model = own(getattr(import_module(found.home), found.inner)(**found.settings))
    else:
        model = own()
    known = parameters_of(model)
    for each in params:
        if each not in known:
            near = get_close_matches(each, known, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            msg = (
                f"params: {name} has no parameter {each!r}.{hint} It has "
                f"{', '.join(sorted(known))}."
            )
            raise ValueError(msg)
    model.set_params(**{known[each]: value for each, value in params.items()})
    if "random_state" in model.get_params():
        model.set_params(random_state=seed)
    return model


def parameters_of(model: Any) -> dict[str, str]:
    """Parameters that may be set by name, and what the classifier calls them."""
    known = {name: name for name in model.get_params(deep=False)}
    for name in model.get_params():
        known[name.removeprefix(INNER)] = name
    elsewhere = ("classifier", "random_state")  # the seed has a name of its own
    return {name: full for name, full in known.items() if name not in elsewhere}
