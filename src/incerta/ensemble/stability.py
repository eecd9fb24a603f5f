"""How much clusterings disagree, and why."""

from dataclasses import dataclass

import numpy as np

from incerta.divergence.clusterings import ari_matrix
from incerta.typing import Indices


@dataclass(frozen=True)
class Instability:
    """Disagreement of clusterings, and its two sources.

    Disagreement is one minus the adjusted Rand index of two clusterings: 0 for the
    same, about 1 for unrelated ones.

    Attributes
    ----------
    total : float
        Mean disagreement of runs in different worlds, with different seeds.
    clusterer : float
        Mean disagreement of runs in the same world with different seeds: what would
        be left if the data were certain.
    uncertainty : float
        The rest, at least 0: what the uncertainty of the data adds.
    """

    total: float
    clusterer: float
    uncertainty: float

    @property
    def share_of_uncertainty(self) -> float:
        """Part of the total that comes from the data; 0 if nothing disagrees."""
        return self.uncertainty / self.total if self.total > 0 else 0.0

    def __str__(self) -> str:
        """Say it in words."""
        if self.total == 0:
            return "All runs agree: neither the data nor the clusterer disturbs them."
        share = f"{self.share_of_uncertainty:.0%}"
        return (
            f"Two runs disagree by {self.total:.3f} (0: same clusters, 1: unrelated).\n"
            f"{share} of that comes from the uncertainty of the data "
            f"({self.uncertainty:.3f}),\n"
            f"the rest from the clusterer's own randomness ({self.clusterer:.3f})."
        )


def mean_agreement(labels: Indices) -> float:
    """Mean adjusted Rand index of all pairs of clusterings; 1 for a single one.

    Parameters
    ----------
    labels : ndarray of shape (n_clusterings, n_objects)
    """
    m = len(labels)
    if m < 2:
        return 1.0
    table = ari_matrix(labels)
    return float((table.sum() - np.trace(table)) / (m * (m - 1)))


def sources(labels: Indices, worlds: Indices) -> Instability:
    """Split the disagreement of runs by whether they share a world.

    Parameters
    ----------
    labels : ndarray of shape (n_runs, n_objects)
        Clusterings; those of a world differ in the clusterer's seed alone.
    worlds : ndarray of shape (n_runs,)
        World of each run.

    Returns
    -------
    Instability

    Notes
    -----
    The adjusted Rand index of all pairs of runs.

    Examples
    --------
    >>> import numpy as np
    >>> same = np.array([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1], [0, 1, 1, 1]])
    >>> sources(same, np.array([0, 0, 1, 1])).clusterer
    0.0
    """
    table = 1.0 - ari_matrix(labels)
    together = worlds[:, None] == worlds
    # Worlds count alike, however many of their runs there are.
    same = np.array(
        [
            table[np.ix_(here, here)].sum() / (len(here) * (len(here) - 1))
            for here in (np.flatnonzero(worlds == w) for w in np.unique(worlds))
            if len(here) > 1
        ]
    )
    clusterer = max(float(same.mean()), 0.0) if len(same) else 0.0
    total = float(table[~together].mean()) if not together.all() else clusterer
    total = max(total, 0.0)
    return Instability(total, clusterer, max(total - clusterer, 0.0))
