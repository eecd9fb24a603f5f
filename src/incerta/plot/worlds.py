"""Worlds as points on a map: `divergences`."""

from typing import Any

import numpy as np
from scipy.linalg import eigh

from incerta.plot.style import INK, NOISE, PALETTE, axes_for, part_of_matplotlib, tidy
from incerta.typing import Array, ArrayLike


def divergences(
    divergences: ArrayLike, representatives: ArrayLike, ax: Any = None
) -> Any:
    """Draw worlds as a map: those that are alike lie close to each other.

    Representatives are numbered in the order in which they were chosen, from 1; a line
    leads from every other world to the representative that is most like it.

    Parameters
    ----------
    divergences : array-like of shape (n_worlds, n_worlds)
        Divergence of all pairs of worlds, such as `jensen_shannon` gives: symmetric,
        with a zero diagonal.
    representatives : array-like of shape (n_representatives,)
        Positions of the kept worlds in the order they were chosen.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Returns
    -------
    matplotlib Axes

    Notes
    -----
    Classical scaling [1]_ of the roots, as the root of the Jensen–Shannon divergence
    is a distance. The axes say how much of the spread they show: if that is little, the
    worlds differ in many ways and nearness on the map means little, too. Time grows
    with the square of the number of worlds, at worst with its cube.

    References
    ----------
    .. [1] W. S. Torgerson, "Multidimensional scaling: I. Theory and method",
       Psychometrika 17, 1952.

    Examples
    --------
    >>> import incerta as ic
    >>> from incerta.plot import divergences
    >>> data, _ = ic.datasets.make_uncertain_blobs(40, 2, 3, random_state=0)
    >>> between = ic.divergence.jensen_shannon(data.worlds(20, random_state=0))
    >>> kept = ic.selection.representatives(between, 4)
    >>> [text.get_text() for text in divergences(between, kept).texts]
    ['1', '2', '3', '4']
    """
    table = np.asarray(divergences, dtype=np.float64)
    kept = np.asarray(representatives, dtype=np.intp)
    ax = axes_for(ax)
    places, shown = classical_scaling(table)
    if len(kept):
        nearest = kept[table[:, kept].argmin(axis=1)]
        lines = part_of_matplotlib("collections").LineCollection(
            np.stack([places, places[nearest]], axis=1),
            colors=NOISE,
            linewidths=0.5,
            alpha=0.5,
            zorder=1,
        )
        ax.add_collection(lines)
    ax.scatter(*places.T, s=18, color=NOISE, label="worlds", zorder=2)
    ax.scatter(
        *places[kept].T,
        s=150,
        color=PALETTE[0],
        edgecolors="white",
        label="representatives, in order of choice",
        zorder=3,
    )
    for number, place in enumerate(places[kept], start=1):
        ax.annotate(
            str(number),
            place,
            color="white",
            fontsize="x-small",
            fontweight="bold",
            ha="center",
            va="center_baseline",
            zorder=4,
        )
    ax.axhline(0.0, color=INK, linewidth=0.3, zorder=0)
    ax.axvline(0.0, color=INK, linewidth=0.3, zorder=0)
    ax.set(
        xlabel=f"first direction ({shown[0]:.0%} of the spread)",
        ylabel=f"second direction ({shown[1]:.0%} of the spread)",
    )
    ax.set_aspect("equal", adjustable="datalim")
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=2,
        frameon=False,
        fontsize="small",
        borderaxespad=0.2,
        markerscale=0.7,
    )
    tidy(ax)
    return ax


def classical_scaling(squares: Array) -> tuple[Array, Array]:
    """Points in the plane whose squared distances are closest to those given, (n, n).

    Also the share of the spread along each of the two directions, the largest first; 0
    if there is none at all.
    """
    n = len(squares)
    half = -0.5 * (squares + squares.T) / 2.0
    gram = half - half.mean(axis=0) - half.mean(axis=1)[:, None] + half.mean()
    values, vectors = eigh(gram, subset_by_index=(max(n - 2, 0), n - 1))
    values, vectors = np.clip(values[::-1], 0.0, None), vectors[:, ::-1]
    places = np.zeros((n, 2))
    places[:, : len(values)] = vectors * np.sqrt(values)
    # An eigenvector may point either way; the same picture each time.
    far = np.abs(places).argmax(axis=0)
    places *= np.where(places[far, [0, 1]] < 0, -1.0, 1.0)
    total = np.trace(gram)
    spread = np.square(places).sum(axis=0)
    return places, spread / total if total > 0 else np.zeros(2)
