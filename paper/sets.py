"""The nine data sets, and how each becomes uncertain.

Six sets are exact. They are standardized, and every value gets a Gaussian error of its
own, which no label has a part in. Three are uncertain as they come; the means of their
objects are standardized. NBA and Weather are substitutes: other players and stations
than the paper's, described the same way.
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

# Of Gaussian errors, in standard deviations of a feature over the objects.
USUAL_NOISE = 0.5
MODES = ("centered", "displaced")
INPUTS = ("uncertain", "values", "one world")


class Setting(NamedTuple):
    """What is clustered: a set, made uncertain in some way, with a seed."""

    set: str
    seed: int
    # Standard deviation of the errors added to exact sets, or, for sets that are
    # uncertain as they come, the part of their objects' spread that is kept.
    noise: float
    mode: str = "centered"
    # "values" are what errors were added to, or the means of uncertain objects; "one
    # world" is one of the worlds, without its uncertainty.
    input: str = "uncertain"


class Problem(NamedTuple):
    """Objects to cluster, and their classes to compare with."""

    data: UncertainData
    target: Indices
    n_clusters: int
    setting: Setting

    @property
    def seed(self) -> int:
        """Of worlds and starts; the uncertainty was drawn with it, too."""
        return self.setting.seed


def usual_noise(name: str) -> float:
    """The uncertainty of Table 2: of uncertain sets as much as they have."""
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
    """Draw the values of every object towards their mean."""
    law = data.law
    if part == 1.0 or not isinstance(law, Values):
        return data
    means = np.repeat(data.mean(), law.counts, axis=0)
    return replace(data, law=replace(law, values=means + part * (law.values - means)))
