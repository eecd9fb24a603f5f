"""Plots of uncertain data and of clusterings; they need matplotlib.

Every function draws into the given Axes, or into those of a new figure
(``ax.figure``), and returns them. No window opens, and pyplot is not used.
"""

from incerta.plot.bars import membership, reachability
from incerta.plot.curves import choice, objective, reliability
from incerta.plot.inside import members
from incerta.plot.objects import scatter
from incerta.plot.valleys import valley
from incerta.plot.worlds import coassociation, divergences

__all__ = [
    "choice",
    "coassociation",
    "divergences",
    "members",
    "membership",
    "objective",
    "reachability",
    "reliability",
    "scatter",
    "valley",
]
