"""Data with known classes: exact ones that errors are added to, and uncertain ones."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from later import LATER
from real import REAL
from sklearn import datasets
from sklearn.decomposition import PCA
from spread import SPREAD

import incerta as ic

sys.path.append(str(Path(__file__).parents[2]))  # paper is beside src
from paper import datasets as paper

MOST_OBJECTS, MOST_REAL = 400, 1000
# With more features, use this number of principal components.
MANY_FEATURES, N_COMPONENTS = 20, 15
SIZES = (0.15, 0.4, 0.7)


class Case(NamedTuple):
    """The data to cluster, and the hidden truth."""

    data: ic.UncertainData
    classes: np.ndarray
    exact: np.ndarray | None  # (n, d), the true values; None if unknown
    scale: bool = True  # whether features have different units

    def scaled(self) -> ic.UncertainData:
        """Scale data for all methods as `cluster` does."""
        return ic.Standardizer().fit_transform(self.data) if self.scale else self.data


class Design(NamedTuple):
    """How errors are added, and the stated error bars."""

    size: float  # size of the errors, relative to the mean deviation of the features
    uneven: float  # deviation of their log-normal factors between objects
    law: str = "gaussian"
    told: float = 1.0  # factor on the error bars


EXACTLY = Design(0.0, 0.0)
DESIGNS = (
    *(Design(size, uneven) for size in SIZES for uneven in (0.0, 0.8)),
    Design(0.4, 0.8, law="laplace"),
    Design(0.4, 0.8, told=0.5),
    Design(0.4, 0.8, told=2.0),
)


def standard(X: np.ndarray) -> np.ndarray:
    spread = X.std(axis=0)
    return (X - X.mean(axis=0))[:, spread > 0] / spread[spread > 0]


def of_library(load: Callable[..., tuple[np.ndarray, np.ndarray]]):
    return lambda rng: load(return_X_y=True)


def of_folder(fetch: Callable[[], ic.datasets.Dataset]):
    def loaded(rng):
        found = fetch()
        return np.asarray(found.data, dtype=float), np.asarray(found.target)

    return loaded


def blobs(rng):
    """Four clusters of different widths in six features, as in the set BELIEF."""
    target = rng.integers(4, size=MOST_OBJECTS)
    centers, within = 2.0 * rng.normal(size=(4, 6)), rng.uniform(0.3, 1.2, size=6)
    return centers[target] + within * rng.normal(size=(len(target), 6)), target


def overlapping(rng):
    """Three round clusters, three deviations apart."""
    target = rng.integers(3, size=MOST_OBJECTS)
    centers = 3.0 / np.sqrt(2.0) * np.eye(3, 4)
    return centers[target] + rng.normal(size=(len(target), 4)), target


def noisy(rng):
    """Three clusters in four features, and six noise features."""
    target = rng.integers(3, size=MOST_OBJECTS)
    X = rng.normal(size=(len(target), 10))
    X[:, :4] += 3.0 * np.array([[1, 1, 0, 0], [0, -1, 1, 0], [0, 0, -1, -1]])[target]
    return X, target


def moons(rng):
    return datasets.make_moons(
        MOST_OBJECTS, noise=0.05, random_state=rng.integers(2**31)
    )


def clump(rng):
    """A clump in a heavy-tailed field."""
    target = (rng.random(MOST_OBJECTS) < 0.3).astype(int)
    dense = rng.normal([1.0, 1.0, 0.5, 0.0, -1.0], 0.15, size=(len(target), 5))
    field = 1.2 * rng.standard_t(4, size=(len(target), 5))
    return np.where(target[:, None] == 1, dense, field), target


EXACT = {
    "iris": of_library(datasets.load_iris),
    "wine": of_library(datasets.load_wine),
    "cancer": of_library(datasets.load_breast_cancer),
    "digits": of_library(datasets.load_digits),
    "ecoli": of_folder(paper.fetch_ecoli),
    "image": of_folder(paper.fetch_image),
    "libras": of_folder(paper.fetch_libras),
    "usps": of_folder(paper.fetch_usps),
    "waveform": of_folder(paper.fetch_waveform),
    "blobs": blobs,
    "overlapping": overlapping,
    "noise features": noisy,
    "moons": moons,
    "clump": clump,
    **LATER,
}


def displaced(name: str, design: Design, seed: int) -> Case:
    """Add errors to an exact set."""
    rng = np.random.default_rng([seed, *name.encode()])
    X, classes = EXACT[name](rng)
    chosen = rng.permutation(len(X))[:MOST_OBJECTS]
    X, classes = standard(X)[chosen], np.unique(classes[chosen], return_inverse=True)[1]
    many = X.shape[1] > MANY_FEATURES
    if many:
        X = PCA(N_COMPONENTS, random_state=0).fit_transform(X)
    factors = design.uneven * rng.normal(size=(len(X), 1))
    factors = factors + design.uneven / 3 * rng.normal(size=X.shape)
    std = design.size * X.std(axis=0).mean() * np.exp(factors)
    unit = rng.normal(size=X.shape)
    if design.law == "laplace":
        unit = rng.laplace(scale=np.sqrt(0.5), size=X.shape)
    data = ic.from_gaussian(X + std * unit, std=design.told * std)
    return Case(data, classes, X, scale=not many)


def many_values(name: str, seed: int) -> Case:
    """Simulated objects with many values."""
    values, classes = SPREAD[name](np.random.default_rng([seed, *name.encode()]))
    objects = np.repeat(np.arange(len(values)), [len(own) for own in values])
    return Case(ic.from_samples(np.concatenate(values), objects), classes, None)


def intervals(name: str) -> Callable[[], Case]:
    """Read a file of bounds in the folder INCERTA_DATA."""

    def loaded():
        table = _table(f"{name}_interval.csv.gz")
        d = (table.shape[1] - 2) // 2
        low = table[[f"l{j}" for j in range(d)]].to_numpy(float)
        high = table[[f"h{j}" for j in range(d)]].to_numpy(float)
        # One row of fungi has its bounds in the wrong order, as published.
        bounds = np.minimum(low, high), np.maximum(low, high)
        return Case(ic.from_interval(*bounds), _numbered(table["label"]), None)

    return loaded


def _table(file: str):
    import os

    import pandas as pd

    return pd.read_csv(Path(os.environ["INCERTA_DATA"]) / file)


def _numbered(classes) -> np.ndarray:
    return np.unique(np.asarray(classes), return_inverse=True)[1]


def fetched(fetch: Callable[[], ic.datasets.Dataset], most: int | None = None):
    def loaded():
        found = fetch()
        data, classes = found.data, _numbered(found.target)
        if most is not None:
            chosen = np.random.default_rng(0).permutation(len(data))[:most]
            data, classes = data[np.sort(chosen)], classes[np.sort(chosen)]
        return Case(data, classes, None)

    return loaded


def real(load):
    def loaded():
        data, classes = load()
        chosen = np.random.default_rng(0).permutation(len(data))[:MOST_REAL]
        return Case(data[np.sort(chosen)], classes[np.sort(chosen)], None)

    return loaded


UNCERTAIN = {
    "movement": fetched(paper.fetch_movement),
    "nba": fetched(paper.fetch_nba),
    "weather": fetched(ic.datasets.load_weather),
    "weather, joint": fetched(lambda: ic.datasets.load_weather(joint=True)),
    "kepler, draws": fetched(lambda: paper.fetch_kepler(draws=True)),
    "kepler, errors": fetched(paper.fetch_kepler, 1000),
    "china": intervals("china_temp"),
    "cars": intervals("car_models"),
    "fungi": intervals("fungi"),
    **{name: real(load) for name, load in REAL.items()},
}


def keys(seeds: int) -> Iterator[tuple[str, Design | None, int]]:
    """Yield all cases, in an order such that an interrupted run has some of each."""
    for seed in range(seeds):
        for name in EXACT:
            yield name, EXACTLY, seed
            for design in DESIGNS:
                yield name, design, seed
        for name in (*UNCERTAIN, *SPREAD):
            yield name, None, seed


def case(name: str, design: Design | None, seed: int) -> Case:
    """Return the data of one case."""
    if name in SPREAD:
        return many_values(name, seed)
    return UNCERTAIN[name]() if design is None else displaced(name, design, seed)
