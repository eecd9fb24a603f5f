"""Pictures of a clustering: ``result.plot.scatter()`` and the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from incerta import plot

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering


class Plots:
    """Pictures of one result; each method returns the matplotlib Axes.

    Parameters
    ----------
    result : Clustering
        What is drawn.
    """

    def __init__(self, result: Clustering) -> None:
        self._result = result

    def scatter(self, features: Any = None, ax: Any = None) -> Any:
        """Objects with their error ellipses, coloured by cluster.

        Of a wide table in its directions, unless features are named.
        """
        r = self._result
        sure = r.confidence if r.no_confidence is None else None
        data = r.shown if features is None else r.data
        return plot.scatter(data, r.labels, sure, features=features, ax=ax)

    def membership(self, ax: Any = None) -> Any:
        """Probabilities of the clusters, object by object."""
        return plot.membership(self._result.membership, self._result.labels, ax=ax)

    def coassociation(self, ax: Any = None) -> Any:
        """In what share of the worlds two objects are together."""
        labels = self._told("labels_per_world", "worlds")
        return plot.coassociation(labels, self._result.labels, ax=ax)

    def divergences(self, ax: Any = None) -> Any:
        """Worlds, the more alike the nearer, with the representative ones marked."""
        divergences = self._told("divergences", "divergences between worlds")
        chosen = self._told("kept", "representative worlds")
        return plot.divergences(divergences, chosen, ax=ax)

    def objective(self, ax: Any = None) -> Any:
        """What the method maximises or minimises, step by step."""
        return plot.objective(self._told("objective", "objective"), ax=ax)

    def choice(self, ax: Any = None) -> Any:
        """How the number of clusters was chosen."""
        choice = self._result.choice
        if choice is None:
            msg = "the number of clusters was not chosen here; use k='auto'."
            raise ValueError(msg)
        return choice.plot(ax=ax)

    def reachability(self, ax: Any = None) -> Any:
        """At what distance each object is reached, in order."""
        reached, order, cut = self._told("reachability", "reachability")
        return plot.reachability(reached, order, self._result.labels, cut, ax=ax)

    def _told(self, name: str, what: str) -> Any:
        fact = getattr(self._result.estimator.facts(), name)
        if fact is None:
            msg = f"{self._result.method} has no {what} to draw."
            raise ValueError(msg)
        return fact
