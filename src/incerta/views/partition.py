"""The clustering of one look at the objects: views, and what they agree on."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from incerta.models.checks import within, wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices
from incerta.views.fusion import Fusion, fused
from incerta.views.look import (
    Centres,
    Effort,
    Look,
    Model,
    Neighbours,
    by_centres,
    by_mixture,
    by_neighbours,
)

# A view that finds half of its clusters again counts for a quarter.
STABLE_POWER = 2


@stored()
class Partition(NamedTuple):
    """Clusters in each view, and in all together."""

    model: Model
    centres: Centres
    neighbours: Neighbours
    laws: Centres | None  # None if objects have one value
    fusion: Fusion

    def labels_of(self, look: Look, device: str) -> Indices:
        """Clusters of other objects, which are compared on a device."""
        return self.fusion.labels_of(self.in_views(look, device))

    def in_views(self, look: Look, device: str) -> Indices:
        """Their labels in each view, shape (n_views, n)."""
        found = [
            self.model.labels_of(look.measured, device),
            self.centres.labels_of(look.places),
            *self.neighbours.labels_of(look.features, device),
        ]
        if self.laws is not None:
            found.append(self.laws.labels_of(look.features))
        return np.array(found)

    def check(self, n_clusters: int) -> None:
        """Refuse a partition from a file whose parts do not fit together."""
        kinds = Model, Centres, Neighbours, Centres | None, Fusion
        for part, kind in zip(self, kinds, strict=True):
            if not isinstance(part, kind):
                wrong("a view is something else")
        n_views = (2 if self.laws is None else 3) + len(self.neighbours.labels)
        if self.fusion.rows.shape[:2] != (n_views, n_clusters):
            wrong("the views do not fit together")
        within(self.fusion.names, n_clusters, "names")
        within(self.neighbours.labels, n_clusters, "labels")

    def renamed(self, names: Indices) -> Partition:
        """Cluster c is now called ``names[c]``."""
        fusion = self.fusion
        return self._replace(fusion=fusion._replace(names=names[fusion.names]))


class Seen(NamedTuple):
    """Clusters that each view finds in one look at the objects."""

    model: Model
    centres: Centres
    neighbours: Neighbours
    laws: Centres | None
    labels: Indices  # (n_views, n_objects)


def seen(
    look: Look,
    k: int,
    of_laws: bool,
    effort: Effort,
    seed: int,
    known: Indices | None = None,
) -> Seen:
    """Cluster objects in all views.

    Parameters
    ----------
    look : Look
        What views look at.
    k : int
        Number of clusters.
    of_laws : bool
        Whether features describe laws, so that centres among them are a view, too.
    effort : Effort
        How hard to look.
    seed : int
        Of all starts.
    known : ndarray of shape (n_objects,), optional
        Labels that must stay, −1 where unknown. Clusters have their numbers.

    Returns
    -------
    Seen
    """
    with warnings.catch_warnings():
        # Fewer distinct values than clusters is no fault of theirs.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model, one = by_mixture(look, k, effort, seed, known)
        centres, two = by_centres(look.places, look.weights, k, effort, seed, known)
        neighbours, others = by_neighbours(look.features, k, effort, seed, known)
        labels, laws = [one, two, *others], None
        if of_laws:
            laws, last = by_centres(look.features, None, k, effort, seed, known)
            labels.append(last)
    return Seen(model, centres, neighbours, laws, np.array(labels))


def joined(
    views: Seen, stable: Array, k: int, seed: int, known: Indices | None = None
) -> Partition:
    """Fuse what views have found.

    Parameters
    ----------
    views : Seen
        Their clusters.
    stable : ndarray of shape (n_views,)
        How much of them each view finds again, from 0 to 1.
    k : int
        Number of clusters.
    seed : int
        Of k-means.
    known : ndarray of shape (n_objects,), optional
        Labels that must stay, −1 where unknown.

    Returns
    -------
    Partition
    """
    # Graphs are alike: together they have one vote. With more, sets that were not tuned
    # on lost to k-means.
    graphs = len(views.neighbours.labels)
    votes = np.ones(len(views.labels))
    votes[2 : 2 + graphs] = 1.0 / graphs
    fusion = fused(views.labels, votes * stable**STABLE_POWER, k, seed, known)
    return Partition(*views[:-1], fusion)
