"""What every law can do."""

from abc import ABC, abstractmethod
from typing import NamedTuple, Self

import numpy as np

from incerta.backend.keyed import Keys, keys_of_texts
from incerta.typing import Array, Indices, Mask

# Standard deviations of a Gaussian beyond which 3e-12 of it lie, taken to be nothing.
REACH = 7.0


class Boxes(NamedTuple):
    """Bounds of objects, each of shape (n_objects, n_features)."""

    low: Array
    high: Array


class Law(ABC):
    """Distributions of `n_objects` objects with `n_features` features."""

    # How many draws of all objects together there are; None if they are independent.
    n_draws: int | None = None
    # Whether the features of an object are independent of each other.
    independent_features = False

    @property
    @abstractmethod
    def kind(self) -> str:
        """A word or two for people: "gaussian", "samples", ..."""

    @property
    @abstractmethod
    def n_objects(self) -> int:
        """Number of objects."""

    @property
    @abstractmethod
    def n_features(self) -> int:
        """Number of features."""

    @property
    @abstractmethod
    def n_uniforms(self) -> int:
        """How many uniform numbers one value of one object is made from."""

    def keys(self, objects: Keys, features: Keys) -> Keys:
        """Keys of the uniform numbers, so that each belongs to an object.

        Parameters
        ----------
        objects : ndarray of shape (n_objects,)
            Keys of the objects.
        features : ndarray of shape (n_features,)
            Keys of the features; laws with one uniform number for each feature use
            them, others count.

        Returns
        -------
        ndarray of shape (n_objects, n_uniforms)
        """
        return objects[:, None] + numbered(self.n_uniforms)

    @abstractmethod
    def at(self, u: Array) -> Array:
        """Turn uniforms into values.

        Parameters
        ----------
        u : ndarray of shape (n_worlds, n_objects, n_uniforms)
            Numbers strictly between 0 and 1.

        Returns
        -------
        ndarray of shape (n_worlds, n_objects, n_features)
        """

    @abstractmethod
    def mean(self) -> Array:
        """Expected value of each object, shape (n_objects, n_features)."""

    @abstractmethod
    def variance(self) -> Array:
        """Variance per object and feature, shape (n_objects, n_features)."""

    def covariance(self) -> Array:
        """Covariance of each object; diagonal unless a law knows better."""
        return diagonal(self.variance())

    def missing(self) -> Mask | None:
        """Which values are missing, shape (n_objects, n_features); None if none are."""
        return None

    def values_per_object(self) -> Indices | None:
        """Number of values of each object; None if they are given by a formula."""
        return None

    def boxes(self) -> Boxes:
        """Box around (nearly) all values that each object can take."""
        mean, reach = self.mean(), REACH * np.sqrt(self.variance())
        return Boxes(mean - reach, mean + reach)

    @abstractmethod
    def take(self, index: Indices) -> Self:
        """Keep the objects at these positions, in this order."""

    @abstractmethod
    def rescaled(self, scale: Array, offset: Array) -> "Law":
        """Return the law of ``value * scale + offset``, feature by feature."""

    @abstractmethod
    def select(self, features: Indices) -> "Law":
        """Keep these features, in this order."""

    def mapped(self, matrix: Array, offset: Array) -> "Law | None":
        """Return the law of ``matrix @ value + offset``, if it is of a known kind."""
        return None

    def joined(self, other: "Law") -> "Law | None":
        """One law of the same kind for both sets of objects, if there is one."""
        return None


def nan_or_none(values: Array) -> Mask | None:
    """Where values are NaN; None if nowhere."""
    gaps: Mask = np.isnan(values)
    return gaps if gaps.any() else None


def numbered(n: int) -> Keys:
    """Keys of features without names: x0, x1, ..."""
    return keys_of_texts(tuple(f"x{j}" for j in range(n)))


def diagonal(variance: Array) -> Array:
    """Covariance matrices of independent features, shape (n, d, d)."""
    n, d = variance.shape
    cov = np.zeros((n, d, d))
    cov[:, range(d), range(d)] = variance
    return cov
