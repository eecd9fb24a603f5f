"""Pictures of uncertain data and of what was found in them; they need matplotlib.

Every function draws into the Axes it is given, or into those of a new figure
(``ax.figure``), and returns them. Nothing is shown, and pyplot is not touched.
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
