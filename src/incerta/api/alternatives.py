"""Other clusterings that the data allow: of other views, and of other numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from sklearn.base import clone

from incerta.api.methods import NUMBERS
from incerta.api.notes import in_words
from incerta.data.container import UncertainData
from incerta.metrics import clustering_accuracy
from incerta.wording import capital, counted

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering

MOST = 3
# Less plausible ones are left out.
LEAST = 0.05
# Clusterings with as many clusters differ if so many objects are in other ones: where
# clusters overlap, views put some of the objects between them elsewhere.
MOVED = 0.25
# A view that agrees more with the result (normalised mutual information) is not asked.
ALIKE = 0.8


class Alternative(NamedTuple):
    """Another clustering that the data allow."""

    weight: float  # how plausible it is, from 0 to 1
    what: str  # how it differs, in a sentence
    clustering: Clustering


# How plausible something else is, what the estimator is asked for, and that in words.
_Asked: TypeAlias = tuple[float, dict[str, Any], str]


def alternatives(result: Clustering, seen: UncertainData) -> list[Alternative]:
    """Find other clusterings of data; `seen` is what the estimator saw.

    See `Clustering.alternatives`.
    """
    others: list[Alternative] = []
    for weight, parameters, what in [*_numbers(result), *_views(result)]:
        if weight < LEAST:
            continue
        model = clone(result.estimator).set_params(**parameters).fit(seen)
        other = replace(
            result, estimator=model, reasons=(what,), choice=None, warnings=()
        )
        if _moved(other, result) < MOVED:
            continue
        same = [i for i, each in enumerate(others) if _moved(other, each[-1]) < MOVED]
        if same:
            earlier = others[same[0]]
            others[same[0]] = earlier._replace(weight=earlier.weight + weight)
        else:
            others.append(Alternative(weight, what, other))
    return sorted(others, key=lambda each: -each.weight)[:MOST]


def _numbers(result: Clustering) -> Iterator[_Asked]:
    """Other numbers of clusters."""
    choice, parameters = result.choice, result.estimator.get_params()
    if choice is None:
        return
    names = [name for name in parameters if name.rpartition("__")[2] in NUMBERS]
    for k, weight in zip(choice.ks, choice.weights, strict=True):
        if k != choice.k:
            what = f"{counted(k, 'cluster')} instead of {choice.k}."
            yield float(weight), dict.fromkeys(names, k), what


def _views(result: Clustering) -> Iterator[_Asked]:
    """Views that disagree with the result."""
    share = 1.0 if result.choice is None else result.choice.weight
    for name, view in result.estimator.facts().views.items():
        if view.agreement < ALIKE:
            what = f"{capital(in_words(name))} alone."
            yield share * view.weight, {"views": [name]}, what


def _moved(one: Clustering, other: Clustering) -> float:
    """Share of the objects that are in another cluster; 1 if numbers differ."""
    if one.n_clusters != other.n_clusters:
        return 1.0
    return 1.0 - clustering_accuracy(one.labels, other.labels)
