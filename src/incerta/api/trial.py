"""Estimate the time of a fit from trial runs with some of the objects."""

import time
from collections.abc import Callable

import numpy as np

from incerta.data.container import UncertainData

# Objects in the first trial, and at least this many for each cluster; the factor from
# one trial to the next; and the time limit of all trials, in seconds.
FEWEST, FOR_EACH, TIMES, MOST_SECONDS = 100, 10, 4, 60.0


def tell_time(
    data: UncertainData, k: int | str, fit: Callable[[UncertainData], object]
) -> str:
    """Fit more and more objects, and estimate the time for all of them."""

    def seconds_of(n_objects: int) -> float:
        """Time the fit of evenly spaced objects of the table."""
        some = data[np.linspace(0, len(data) - 1, n_objects).astype(np.intp)]
        start = time.perf_counter()
        fit(some)
        return time.perf_counter() - start

    size = min(len(data), max(FEWEST, 0 if isinstance(k, str) else FOR_EACH * k))
    seconds_of(size)  # the first fit also loads and compiles code
    trials: list[tuple[int, float]] = []
    while True:
        trials.append((size, seconds_of(size)))
        if size == len(data):
            return f"Takes {duration(trials[-1][1])}, as a trial with all objects did."
        size = min(TIMES * size, len(data))
        spent = sum(seconds for _, seconds in trials)
        if spent + seconds_for(size, trials) > MOST_SECONDS:
            break
    return (
        f"Would take about {duration(seconds_for(len(data), trials))}: "
        f"{trials[-1][0]} of the {len(data)} objects took {duration(trials[-1][1])}."
    )


def seconds_for(n_objects: int, trials: list[tuple[int, float]]) -> float:
    """Extrapolate the time to more objects than in the last trial.

    The last two trials give the power of the number of objects with which time grows.
    If it is less than 1, part of the time is fixed, and a straight line is continued.
    """
    size, seconds = trials[-1]
    factor = n_objects / size
    if len(trials) == 1:
        return seconds * factor
    before = trials[-2]
    power = np.log(seconds / before[1]) / np.log(size / before[0])
    if power > 1.0:
        return float(seconds * factor**power)
    slope = (seconds - before[1]) / (size - before[0])
    return seconds + max(slope, 0.0) * (n_objects - size)


def duration(seconds: float) -> str:
    """Format a time to two digits, such as 4.5 s, 12 min or 3 h."""
    for unit, size in (("days", 86_400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0)):
        if seconds >= 1.5 * size or unit == "s":
            break
    number = seconds / size
    return f"{number:.0f} {unit}" if number >= 10 else f"{number:.1f} {unit}"
