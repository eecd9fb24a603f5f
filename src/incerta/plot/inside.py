"""The plot of a group in its field: `members`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from incerta.data.container import UncertainData
from incerta.plot.frame import limits
from incerta.plot.style import NOISE, axes_for, tidy
from incerta.typing import ArrayLike

# Objects with a lower probability are drawn in gray, as field.
LEAST_SHOWN = 0.05
MOST_BARS = 500


def members(
    data: UncertainData,
    probability: ArrayLike,
    features: Sequence[str] | Sequence[int] | None = None,
    ax: Any = None,
) -> Any:
    """Draw a group and the field around it, colored by probability.

    Objects below a probability of 0.05 are gray. Objects that lie far
    out do not stretch the axes. With at most 500 members, bars show their errors.

    Parameters
    ----------
    data : UncertainData
        The objects.
    probability : array-like of shape (n_objects,)
        Probability of membership of each object.
    features : sequence of two features, optional
        Names or positions; the first two by default.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Examples
    --------
    >>> import incerta as ic
    >>> from incerta.plot import members
    >>> data, labels = ic.datasets.make_uncertain_blobs(60, 2, 2, random_state=0)
    >>> ax = members(data, labels == 0)
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('x0', 'x1')
    """
    shown = data.select([0, 1][: data.n_features] if features is None else features)
    share = np.asarray(probability, dtype=np.float64)
    ax = axes_for(ax)
    places = shown.mean()
    if shown.n_features == 1:  # against the probability
        places = np.column_stack([places, share])
    inside = np.flatnonzero(share >= LEAST_SHOWN)
    inside = inside[np.argsort(share[inside], kind="stable")]
    field = places[share < LEAST_SHOWN]
    ax.scatter(
        *field.T, s=6, color=NOISE, alpha=0.5, linewidths=0, label="field", zorder=1
    )
    if shown.n_features == 2 and len(inside) <= MOST_BARS:
        sd = np.sqrt(shown.variance()[inside])
        known = np.isfinite(sd).all(axis=1)
        rows = inside[known]
        ax.errorbar(
            *places[rows].T,
            yerr=sd[known, 1],
            xerr=sd[known, 0],
            fmt="none",
            ecolor=NOISE,
            elinewidth=0.5,
            zorder=2,
        )
    drawn = ax.scatter(
        *places[inside].T,
        c=share[inside],
        cmap="viridis_r",
        vmin=0.0,
        vmax=1.0,
        s=16,
        linewidths=0,
        label="members",
        zorder=3,
    )
    bar = ax.figure.colorbar(drawn, ax=ax, shrink=0.7)
    bar.set_label("probability", fontsize="small")
    names = [*shown.feature_names, "probability"][:2]
    ax.set(xlabel=names[0], ylabel=names[1])
    ends = limits(places), limits(places[inside if len(inside) else slice(None)])
    low, high = np.fmin(*ends)[0], np.fmax(*ends)[1]
    room = 0.05 * (high - low) + (high == low)
    ax.set(xlim=(low[0] - room[0], high[0] + room[0]))
    ax.set(ylim=(low[1] - room[1], high[1] + room[1]))
    tidy(ax)
    return ax
