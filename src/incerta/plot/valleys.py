"""Two labels along the axis between them: `valley`."""

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
    """Draw the law of true values along an axis, before the measured values.

    Gray bars are the values, and the line is what they are without their errors: it is
    narrower, and a valley in it is deeper. The law of an assessment is the best of two
    to four Gaussians: whether its humps are believed, the verdict says.

    Parameters
    ----------
    places : array-like of shape (n_cells,)
        Places along the axis, such as ``pair.values.places`` of an assessment.
    numbers : array-like of shape (n_cells,)
        Number of objects at each place.
    at, density : array-like of shape (n_points,)
        Density of the true values, and where.
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
    """Edges of bars, and their heights as a density, of objects that are counted.

    A count is spread evenly over the width of a bar, as bars would else have two
    cells here and one there.
    """
    width = np.ptp(places) / BARS or 1.0
    low, high = places.min() - width / 2.0, places.max() + width / 2.0
    edges = np.linspace(low, high, BARS + 2)
    below = np.clip((edges - places[:, None]) / width + 0.5, 0.0, 1.0)
    return edges, np.diff(numbers @ below) / (numbers.sum() * np.diff(edges))


def along(places: Array) -> Array:
    """Places to draw a curve at, over bars of cells at `places`."""
    return np.linspace(places.min(), places.max(), POINTS)
