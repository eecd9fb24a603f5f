"""Made-up clusters: some that are not round, some that errors hide."""

import numpy as np

from incerta.data import UncertainData, from_gaussian
from incerta.datasets.generate import refuse_below_one, refuse_negative
from incerta.typing import Array, Indices, Seed
from incerta.worlds.streams import as_seed


def make_uncertain_moons(
    n_objects: int = 400, *, uncertainty: float = 0.1, random_state: Seed = None
) -> tuple[UncertainData, Indices]:
    """Make two interlocking half circles, measured with errors.

    Parameters
    ----------
    n_objects : int, default=400
        Number of objects, half of them in each moon.
    uncertainty : float, default=0.1
        Mean standard deviation of the errors; the standard deviations are uniform
        between a quarter and seven quarters of it. The moons have radius 1.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Returns
    -------
    data : UncertainData
        Gaussian objects around one measurement each.
    labels : ndarray of shape (n_objects,)
        Moon of each object.

    Examples
    --------
    >>> from incerta.datasets import make_uncertain_moons
    >>> data, labels = make_uncertain_moons(100, random_state=0)
    >>> len(data), labels.sum()
    (100, np.int64(50))
    """
    refuse_below_one(n_objects=n_objects)
    rng = np.random.default_rng(as_seed(random_state))
    labels = rng.permutation(np.arange(n_objects) % 2)
    angle = np.pi * rng.random(n_objects)
    side = np.where(labels == 0, 1.0, -1.0)
    places = np.c_[side * np.cos(angle), side * np.sin(angle)]
    places += np.where(labels[:, None] == 0, [0.0, 0.0], [1.0, 0.5])
    return _measured(places, uncertainty, rng), labels


def make_uncertain_stars(
    n_stars: int = 300, *, random_state: Seed = None
) -> tuple[UncertainData, Indices]:
    """Make three moving groups of stars, whose motions were measured with errors.

    Errors differ as much as those of catalogues do: bright stars are measured ten times
    as well as faint ones (log-normal factors with a standard deviation of 1).

    Parameters
    ----------
    n_stars : int, default=300
        Number of stars.
    random_state : int, RandomState, Generator or None, default=None
        Seed.

    Returns
    -------
    data : UncertainData
        Motions with their errors, in milliarcseconds a year.
    labels : ndarray of shape (n_stars,)
        Group of each star.

    Examples
    --------
    >>> from incerta.datasets import make_uncertain_stars
    >>> data, labels = make_uncertain_stars(200, random_state=0)
    >>> data.meaning, data.feature_names
    ('error', ('east', 'north'))
    """
    refuse_below_one(n_stars=n_stars)
    rng = np.random.default_rng(as_seed(random_state))
    labels = rng.integers(3, size=n_stars)
    groups = np.array([[-5.0, -5.0], [6.0, -3.0], [0.0, 7.5]])
    motions = groups[labels] + 1.75 * rng.normal(size=(n_stars, 2))
    faint = np.exp(rng.normal(size=(n_stars, 1)))
    errors = faint * np.array([2.5, 1.5])
    measured = motions + errors * rng.normal(size=(n_stars, 2))
    names = ("east", "north")
    return from_gaussian(measured, std=errors, feature_names=names), labels


def make_uncertain_rings(
    n_objects: int = 400, *, uncertainty: float = 0.1, random_state: Seed = None
) -> tuple[UncertainData, Indices]:
    """Make a ring within a ring, measured with errors.

    Parameters
    ----------
    n_objects : int, default=400
        Number of objects, a third of them in the inner ring of radius 1/2, the others
        in the outer one of radius 5/4.
    uncertainty, random_state
        As for `make_uncertain_moons`.

    Returns
    -------
    data : UncertainData
        Gaussian objects around one measurement each.
    labels : ndarray of shape (n_objects,)
        0 for the inner ring, 1 for the outer one.

    Examples
    --------
    >>> from incerta.datasets import make_uncertain_rings
    >>> data, labels = make_uncertain_rings(99, random_state=0)
    >>> len(data), labels.sum()
    (99, np.int64(66))
    """
    refuse_below_one(n_objects=n_objects)
    rng = np.random.default_rng(as_seed(random_state))
    labels = rng.permutation(np.minimum(np.arange(n_objects) % 3, 1))
    angle = 2 * np.pi * rng.random(n_objects)
    radius = np.where(labels == 0, 0.5, 1.25)
    places = np.c_[radius * np.cos(angle), radius * np.sin(angle)]
    return _measured(places, uncertainty, rng), labels


def _measured(
    places: Array, uncertainty: float, rng: np.random.Generator
) -> UncertainData:
    refuse_negative(uncertainty=uncertainty)
    sd = uncertainty * rng.uniform(0.25, 1.75, (len(places), 1)) * np.ones(2)
    return from_gaussian(places + sd * rng.standard_normal(places.shape), sd)
