"""Measured values with their errors, and the mixture of their true values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from incerta.backend.device import CPU, put
from incerta.backend.memory import blocks
from incerta.data.container import UncertainData
from incerta.data.laws import Values
from incerta.data.projections import Projected, projected
from incerta.data.reliability import (
    InProjection,
    Spread,
    spread_in_projection,
    true_spread,
)
from incerta.data.replicates import replicated
from incerta.models.checks import check_shapes, wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices, Mask

# Bytes for the factors of one block of objects. On the CPU they are used twice and
# should stay in the cache in between. Devices are efficient with large blocks.
BLOCK_BYTES, DEVICE_BYTES = 2**22, 2**28
# Most features for full covariances, whose cost per object grows with their cube.
MOST_CORRELATED = 200
# Smallest share of the observed variance that remains after subtracting the errors.
LEAST_SHARE = 0.05


class Measured(NamedTuple):
    """Measured values and their errors, objects along the last axis.

    Errors that are the same for all objects are stored once (`alike`). Arrays are NumPy
    arrays, or all except the labels are on one device. In projection, `projection` maps
    the d features of an object to q measured values. Values, errors and `known` then
    have q in place of d; `n_features` is still d.
    """

    values: Array  # (d, n), 0 where missing
    errors: Array  # (d, n) variances, or (d, d, n) covariances; 0 where missing
    known: Array | None = None  # (d, n), 0 where missing, else 1; None if none is
    # (n,), known component of each object, or −1; None if no component is known.
    labels: Indices | None = None
    # (q, d, n), 0 where values are missing; None if features were measured directly.
    projection: Array | None = None

    @property
    def n_objects(self) -> int:
        """Number of objects."""
        return self.values.shape[1]

    @property
    def n_features(self) -> int:
        """Number of features."""
        through = self.projection
        return self.values.shape[0] if through is None else through.shape[1]

    @property
    def alike(self) -> bool:
        """Whether all objects share errors, stored once, and no values are missing."""
        if self.known is not None or self.projection is not None:
            return False
        here = isinstance(self.errors, np.ndarray)
        return (
            self.errors.strides[-1] == 0
            if here
            else self.errors.shape[-1] < self.n_objects
        )

    def on(self, device: str) -> Measured:
        """Copy to a device, where errors that are alike have 1 in place of n."""
        if device == CPU:
            return self
        errors = self.errors[..., :1] if self.alike else self.errors
        known = None if self.known is None else put(self.known, device)
        values, errors = put(self.values, device), put(errors, device)
        through = None if self.projection is None else put(self.projection, device)
        return Measured(values, errors, known, self.labels, through)

    def __reduce__(self) -> tuple[Any, ...]:
        # Pickling would expand the errors, and `alike` would then be False.
        if self.alike:
            return _with_errors_alike, (self.values, self.errors[..., :1], self.labels)
        return Measured, tuple(self)

    @property
    def variances(self) -> Array:
        """Error variance of each value, shape (d, n)."""
        correlated = self.errors.ndim == 3
        return np.einsum("iin->in", self.errors) if correlated else self.errors

    @property
    def exact(self) -> Mask:
        """Which features are known exactly, shape (d, n)."""
        if self.projection is not None:
            return np.zeros(self.projection.shape[1:], dtype=np.bool_)
        exact: Mask = self.variances == 0.0
        return exact if self.known is None else exact & (self.known > 0)

    def true_spread(self) -> Spread:
        """Return the mean and variance of the truth, bounded below by `LEAST_SHARE`."""
        if self.projection is not None:
            return Spread(*self._in_projection()[:2])
        known = np.ones_like(self.values) if self.known is None else self.known
        return true_spread(self.values, self.variances, known, LEAST_SHARE)

    def shares(self) -> Array:
        """Return the reliability of each feature of each object, shape (d, n)."""
        if self.projection is not None:
            return self._in_projection().shares.T
        true = self.true_spread().variances[:, None]
        total = true + self.variances
        shares = np.divide(true, total, out=np.ones_like(total), where=total > 0)
        return shares if self.known is None else shares * self.known

    def _in_projection(self) -> InProjection:
        assert self.projection is not None
        errors, matrix = (
            np.moveaxis(each, -1, 0) for each in (self.errors, self.projection)
        )
        return spread_in_projection(self.values.T, errors, matrix, LEAST_SHARE)

    def part(self, objects: slice) -> Measured:
        """Return a contiguous part of the objects."""
        known = None if self.known is None else self.known[:, objects]
        once = self.errors.shape[-1] == 1
        errors = self.errors if once else self.errors[..., objects]
        labels = None if self.labels is None else self.labels[objects]
        through = None if self.projection is None else self.projection[..., objects]
        return Measured(self.values[:, objects], errors, known, labels, through)

    def only(self, chosen: Indices) -> Measured:
        """Return the chosen objects."""
        values = self.values[:, chosen]
        labels = None if self.labels is None else self.labels[chosen]
        if self.alike:
            return Measured(values, self.errors[..., : len(chosen)], labels=labels)
        known = None if self.known is None else self.known[:, chosen]
        through = None if self.projection is None else self.projection[..., chosen]
        return Measured(values, self.errors[..., chosen], known, labels, through)

    def among(self, places: Indices, n_features: int) -> Measured:
        """Return objects with `n_features` features, measured only at `places`."""
        if self.projection is not None:
            q, _, n = self.projection.shape
            through = np.zeros((q, n_features, n))
            through[:, places] = self.projection
            return self._replace(projection=through)
        known = np.ones_like(self.values) if self.known is None else self.known
        values, mask = np.zeros((2, n_features, self.n_objects))
        values[places], mask[places] = self.values, known
        errors = np.zeros((*(n_features,) * (self.errors.ndim - 1), self.n_objects))
        here = places if errors.ndim == 2 else np.ix_(places, places)
        errors[here] = self.errors
        return Measured(values, errors, mask, self.labels)

    def by_feature(self, components: Components) -> bool:
        """Return whether neither errors nor components have correlations."""
        diagonal = self.errors.ndim == 2 and components.covariances.ndim == 2
        return diagonal and self.projection is None

    def object_numbers(self, components: Components) -> int:
        """Return the size of the factors of one object under all components."""
        matrices = not (self.alike or self.by_feature(components))
        return components.n_components * self.n_features ** (1 + matrices)

    def in_blocks(self, components: Components) -> Iterator[tuple[slice, Measured]]:
        """Yield blocks of objects, sized by the memory that their factors take."""
        here = isinstance(self.values, np.ndarray)
        limit = BLOCK_BYTES if here else DEVICE_BYTES
        item = 8 * self.object_numbers(components)
        for block in blocks(self.n_objects, item, limit):
            yield block, self.part(block)


def check_covariances(covariances: Any, means: Array, kind: str) -> None:
    """Refuse covariances from a file unless they match `Components.published`."""
    k, d = means.shape
    wide = d > MOST_CORRELATED
    shape = "f k d" if wide else "f k d d"
    check_shapes(
        {"covariances_": covariances}, {"covariances_": shape}, {"k": k, "d": d}
    )
    if wide and kind != "diag":
        wrong("there are no covariances of so many features")


def same_for_all(errors: Array, n_objects: int) -> Array:
    """Broadcast errors (..., 1) to all objects without copying."""
    return np.broadcast_to(errors, (*errors.shape[:-1], n_objects))


def _with_errors_alike(
    values: Array, errors: Array, labels: Indices | None
) -> Measured:
    return Measured(values, same_for_all(errors, values.shape[1]), labels=labels)


def without_errors(values: Array) -> Measured:
    """Return values (n, d) as measurements without errors."""
    none = same_for_all(np.zeros((values.shape[1], 1)), len(values))
    return Measured(np.ascontiguousarray(values.T), none)


@stored(weights="f k", means="f k d")
class Components(NamedTuple):
    """A mixture of Gaussians, optionally with a broad uniform component for noise."""

    weights: Array  # (k,), summing to 1 minus the share of noise
    means: Array  # (k, d)
    covariances: Array  # (k, d, d), or variances (k, d); (1, d, d) if tied
    ranges: Array | None = None  # (d,), sides of the box of the uniform noise

    @property
    def n_components(self) -> int:
        """Number of Gaussians."""
        return len(self.weights)

    @property
    def kind(self) -> str:
        """Kind of the covariances: "diag", "full" or "tied"."""
        if self.covariances.ndim == 2:
            return "diag"
        return "tied" if len(self.covariances) < self.n_components else "full"

    @property
    def noise_weight(self) -> float:
        """Share of the objects that are noise."""
        return 0.0 if self.ranges is None else max(float(1.0 - self.weights.sum()), 0.0)

    def only(self, some: Indices) -> Components:
        """Return some of the components, in the given order."""
        tied = self.kind == "tied"
        covariances = self.covariances if tied else self.covariances[some]
        return Components(
            self.weights[some], self.means[some], covariances, self.ranges
        )

    def as_kind(self, kind: str) -> Components:
        """Return the components with covariances stored as for another kind."""
        if kind == "diag":
            return self._replace(covariances=self.variances.copy())
        each = np.array([self.covariance_of(k) for k in range(self.n_components)])
        return self._replace(covariances=each[:1] if kind == "tied" else each)

    @property
    def published(self) -> Array:
        """Covariances (k, d, d) for any kind; variances (k, d) above 200 features."""
        if self.means.shape[1] > MOST_CORRELATED:
            return self.covariances
        return self.as_kind("full").covariances

    @property
    def variances(self) -> Array:
        """Variances of the features in each component, (k, d)."""
        if self.covariances.ndim == 2:
            return self.covariances
        own = np.einsum("kii->ki", self.covariances)
        return np.broadcast_to(own, self.means.shape)

    def covariance_of(self, k: int) -> Array:
        """Return the covariance of one component, shape (d, d)."""
        own = self.covariances[k if len(self.covariances) > 1 else 0]
        return np.diag(own) if own.ndim == 1 else own


# With more features, errors of means are treated as independent: a matrix per object
# costs the cube of their number and improves the fit less and less.
MOST_CORRELATED_MEANS = 10


def measured(data: UncertainData) -> Measured:
    """Return values, errors from the covariances of laws, and the missing values."""
    seen = projected(data.law)
    if seen is not None:
        return _in_projection(seen)
    values = np.ascontiguousarray(data.mean().T)
    if data.law.independent_features:
        errors = np.ascontiguousarray(data.variance().T)
    else:
        errors = np.ascontiguousarray(np.moveaxis(data.covariance(), 0, -1))
    missing = np.isnan(values)
    if not missing.any():
        first = errors[..., :1]
        if (errors == first).all():
            errors = same_for_all(first, len(data))
        return Measured(values, errors)
    values[missing] = 0.0
    errors = np.where(missing, 0.0, errors)
    if errors.ndim == 3:
        errors = np.where(missing[:, None], 0.0, errors)
    return Measured(values, errors, (~missing).astype(np.float64))


def _in_projection(seen: Projected) -> Measured:
    known = seen.measured
    values = np.ascontiguousarray(np.where(known, seen.center, 0.0).T)
    return Measured(
        values,
        np.ascontiguousarray(np.moveaxis(seen.errors, 0, -1)),
        None if known.all() else np.ascontiguousarray(known.T, dtype=np.float64),
        projection=np.ascontiguousarray(np.moveaxis(seen.matrix, 0, -1)),
    )


def errors_of_means(data: UncertainData) -> Array:
    """Return errors of object means, (d, n) or (d, d, n); 0 unless laws are samples."""
    law = data.law
    if data.exact or not isinstance(law, Values):
        return np.zeros((data.n_features, len(data)))
    if law.weights is None:
        together = data.n_features <= MOST_CORRELATED_MEANS
        means = replicated(law, data.feature_names, together)
        return measured(replace(data, law=means, meaning="error")).errors
    squares = np.add.reduceat(law.weights**2, law.starts[:-1])
    return np.ascontiguousarray((law.variance() * squares[:, None]).T)
