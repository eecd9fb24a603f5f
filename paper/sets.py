"""The nine data sets, and their uncertainty.

Six sets are exact. They are standardized, and every value gets an independent Gaussian
error, without the use of labels. Three are uncertain; the means of their objects are
standardized. NBA and Weather are substitutes, with other players and stations than in
the paper but the same description.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from incerta.data import Standardizer, UncertainData, as_uncertain
from incerta.data.laws import Values
from incerta.datasets import Dataset, load_weather, load_wine, make_uncertain
from incerta.typing import Indices
from paper import datasets

LOADERS: dict[str, Callable[[], Dataset]] = {
    "wine": load_wine,
    "ecoli": datasets.fetch_ecoli,
    "image": datasets.fetch_image,
    "libras": datasets.fetch_libras,
    "usps": datasets.fetch_usps,
    "waveform": datasets.fetch_waveform,
    "movement": datasets.fetch_movement,
    "nba": datasets.fetch_nba,
    "weather": load_weather,
}
SETS = tuple(LOADERS)
UNCERTAIN = ("movement", "nba", "weather")
TITLES = {name: name.capitalize() for name in SETS} | {"usps": "USPS", "nba": "NBA"}

# Size of Gaussian errors, in standard deviations of a feature over the objects.
USUAL_NOISE = 0.5
MODES = ("centered", "displaced")
INPUTS = ("uncertain", "values", "one world")


class Setting(NamedTuple):
    """The data of a fit: a set, its uncertainty and a seed."""

    set: str
    seed: int
    # Standard deviation of the errors added to exact sets, or the share of the spread
    # of uncertain objects that is kept.
    noise: float
    mode: str = "centered"
    # "values" are the values without errors, or the means of uncertain objects; "one
    # world" is one of the worlds, without uncertainty.
    input: str = "uncertain"


class Problem(NamedTuple):
    """Objects to cluster, and their classes to compare with."""

    data: UncertainData
    target: Indices
    n_clusters: int
    setting: Setting

    @property
    def seed(self) -> int:
        """The seed of worlds and starts, and of the uncertainty."""
        return self.setting.seed


def usual_noise(name: str) -> float:
    """Return the uncertainty of Table 2; uncertain sets keep theirs."""
    return 1.0 if name in UNCERTAIN else USUAL_NOISE


def mode_for(name: str, mode: str) -> str:
    """How errors were added: not at all to sets that are uncertain as they come."""
    return "as is" if name in UNCERTAIN else mode


def problem(setting: Setting) -> Problem:
    """Make the data of one run.

    Parameters
    ----------
    setting : Setting

    Returns
    -------
    Problem

    Examples
    --------
    >>> from paper.sets import Setting, problem
    >>> problem(Setting("wine", seed=0, noise=0.5)).data.kind
    'gaussian'
    """
    found = _standardized(setting.set)
    data = _uncertain(found, setting)
    if setting.input == "one world":
        data = as_uncertain(data.worlds(1, setting.seed)[0])
    elif setting.input == "values":
        exact = not isinstance(found.data, UncertainData)
        data = as_uncertain(found.data if exact else data.mean())
    return Problem(data, found.target, len(found.target_names), setting)


@cache
def _standardized(name: str) -> Dataset:
    found = LOADERS[name]()
    return replace(found, data=Standardizer(spread="means").fit_transform(found.data))


def _uncertain(found: Dataset, setting: Setting) -> UncertainData:
    if isinstance(found.data, UncertainData):
        return _nearer_to_means(found.data, setting.noise)
    return make_uncertain(
        found.data,
        scale=setting.noise,
        mode=setting.mode,  # type: ignore[arg-type]
        random_state=setting.seed,
    )


def _nearer_to_means(data: UncertainData, part: float) -> UncertainData:
    """Shrink the values of every object toward their mean."""
    law = data.law
    if part == 1.0 or not isinstance(law, Values):
        return data
    means = np.repeat(data.mean(), law.counts, axis=0)
    return replace(data, law=replace(law, values=means + part * (law.values - means)))
