"""The plot of two labels along the axis between them: `valley`."""

from typing import Any

import numpy as np

from incerta.plot.style import PALE, PALETTE, axes_for, tidy
from incerta.typing import Array, ArrayLike

BARS, POINTS = 40, 200


def valley(
    places: ArrayLike,
    numbers: ArrayLike,
    at: ArrayLike,
    density: ArrayLike,
    ax: Any = None,
) -> Any:
    """Draw the density of true values along an axis, over the measured values.

    Gray bars are the measured values. The line is the density without measurement
    errors: it is narrower, and a valley in it is deeper. In an assessment, it is the
    best of two to four Gaussians; the verdict says whether its humps are significant.

    Parameters
    ----------
    places : array-like of shape (n_cells,)
        Places along the axis, such as ``pair.values.places`` of an assessment.
    numbers : array-like of shape (n_cells,)
        Number of objects at each place.
    at, density : array-like of shape (n_points,)
        Points of the axis, and the density of the true values there.
    ax : matplotlib Axes, optional
        Where to draw; those of a new figure by default.

    Examples
    --------
    >>> from incerta.plot import valley
    >>> ax = valley([-2.0, 0.0, 2.0], [30, 5, 30], [-2.0, 0.0, 2.0], [0.3, 0.0, 0.3])
    >>> ax.get_ylabel()
    'density'
    """
    edges, heights = histogram(np.asarray(places), np.asarray(numbers))
    ax = axes_for(ax, (6.0, 3.6))
    ax.stairs(heights, edges, fill=True, color=PALE)
    ax.plot(at, density, color=PALETTE[0])
    ax.set(xlabel="along the axis, in deviations within clusters", ylabel="density")
    ax.set_xlim(edges[0], edges[-1])
    tidy(ax)
    return ax


def histogram(places: Array, numbers: Array) -> tuple[Array, Array]:
    """Return the edges and heights of bars, as a density of counted objects.

    A count is spread evenly over the width of a bar. Otherwise some bars would have two
    cells and others one.
    """
    width = np.ptp(places) / BARS or 1.0
    low, high = places.min() - width / 2.0, places.max() + width / 2.0
    edges = np.linspace(low, high, BARS + 2)
    below = np.clip((edges - places[:, None]) / width + 0.5, 0.0, 1.0)
    return edges, np.diff(numbers @ below) / (numbers.sum() * np.diff(edges))


def along(places: Array) -> Array:
    """Return the points of a curve over bars of cells at `places`."""
    return np.linspace(places.min(), places.max(), POINTS)
