"""Prepare the given data, and possible worlds of them, for the views.

Worlds of measured values are drawn from beliefs, as if true values came from a mixture.
Worlds of beliefs are drawn from their laws. The values of objects with many values are
a sample, so worlds reweight them (Bayesian bootstrap).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri

from incerta import settings
from incerta.backend.keyed import GOLDEN, keys_of, mixed, stream_keys, uniforms
from incerta.backend.memory import blocks
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.data.laws import Values, as_values
from incerta.data.meaning import certain, of_errors
from incerta.mixture.deconvolver import believed
from incerta.mixture.fitting import (
    Effort,
    Search,
    candidates,
    fitted,
    single_gaussian,
)
from incerta.mixture.model import (
    Components,
    Measured,
    errors_of_means,
    measured,
    without_errors,
)
from incerta.mixture.pieces import some_objects
from incerta.models.registry import stored
from incerta.spectral.affinity import median_distance
from incerta.typing import Array
from incerta.views.look import Look
from incerta.worlds.sequence import worlds_of

# Random waves; distances between laws are off by about 1 / sqrt(N_WAVES), relatively.
N_WAVES = 500
# Bounds of the width of the kernel, in median distances of values.
BOUNDS = 0.35, 2.0


@stored(frequencies="f d w", center="f m", axes="f m a")
class KernelMeans(NamedTuple):
    """Map values to features whose means describe laws."""

    frequencies: Array  # (d, n_waves)
    center: Array  # (2 n_waves,)
    axes: Array  # (2 n_waves, n_axes)

    def features(self, values: Array) -> Array:
        """Return the features of values; those of a law are their mean."""
        out = np.empty((len(values), self.axes.shape[1]))
        for part in followed(blocks(len(values), 8 * len(self.center)), "laws"):
            here = waves(values[part], self.frequencies)
            out[part] = (here - self.center) @ self.axes
        return out


def waves(values: Array, frequencies: Array) -> Array:
    """Return cosines and sines whose products approximate the Gaussian kernel."""
    phases = values @ frequencies
    both = np.concatenate([np.cos(phases), np.sin(phases)], axis=1)
    return both / np.sqrt(frequencies.shape[1])


def kernel_means(values: Array, shares: csr_array, seed: int) -> KernelMeans:
    """Choose features for laws; more values per object allow a narrower kernel."""
    rng = np.random.default_rng(seed)
    n_values = np.median(np.diff(shares.indptr))
    width = median_distance(values) * np.clip(
        settings.KERNEL_WIDTH / np.sqrt(n_values), *BOUNDS
    )
    frequencies = rng.normal(size=(values.shape[1], N_WAVES)) / width
    means = np.zeros((shares.shape[0], 2 * N_WAVES))
    for part in followed(blocks(len(values), 8 * 2 * N_WAVES), "laws"):
        means += shares[:, part] @ waves(values[part], frequencies)
    center = means.mean(axis=0)
    axes = np.linalg.svd(means - center, full_matrices=False)[2][: settings.N_AXES].T
    return KernelMeans(frequencies, center, axes)


# Numbers of components to try for the true values, as multiples of the number of
# clusters. Steps grow, because a ring needs many components to gain over two.
TIMES = (1.0, 1.5, 3.0, 6.0)
# Least number of objects per component in a random half, where there are so many.
LEAST_EACH = 5
# Leading features in which laws are judged; at least two more than clusters.
LEADING = 8
# Stream numbers of these random draws; worlds use other ones.
_WEIGHTS, _PLACES = 7, 8


@stored()
class Measurements(NamedTuple):
    """Values measured with errors, or exact ones."""

    prior: Components  # law of the true values

    def as_given(self, data: UncertainData) -> Look:
        """Return the measured values, their errors, and the posterior means."""
        some = measured(data)
        return Look(some, {"": believed(data, self.prior).mean()}, some)

    def certain(self, data: UncertainData) -> bool:
        """Return whether all worlds would be the same."""
        return certain(data) or not of_errors(data)

    def with_mixtures(
        self, data: UncertainData, mixture: Components, seed: int
    ) -> list[Measurements]:
        """Fit the mixtures that equal parts of the worlds are drawn from.

        Half of them are one mixture, chosen by AIC because that predicts new values
        best. The others are fitted to random halves of the objects: they differ as much
        as fits to new objects would, so worlds show what the data leave open.
        """
        k = mixture.n_components
        search = Search(
            numbers=sorted({round(times * k) for times in TIMES}),
            covariances=("diag" if mixture.covariances.ndim == 2 else "full",),
            seed=seed,
            effort=Effort(n_init=2, tol=1e-4, max_iter=200),
            near=(mixture,),
            criterion="aic",
        )
        tried = candidates(measured(data), search)
        best = min(tried, key=lambda found: found.aic).components
        m, n = best.n_components, len(data)
        n = max(n // 2, min(n, LEAST_EACH * m))
        search = replace(search, numbers=[m], near=())
        halves = (some_objects(data, n, seed + i)[0] for i in range(settings.N_HALVES))
        others = [fitted(measured(half), search).components for half in halves]
        return [Measurements(each) for each in (*[best] * settings.N_HALVES, *others)]

    def possible(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Look]:
        """Draw true values."""
        for world in believed(data, self.prior).worlds(n_worlds, seed):
            yield exact_look(world)

    def told(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Measured]:
        """Yield the measured values with their errors, for the laws of clusters."""
        yield measured(data)


@stored()
class Beliefs(NamedTuple):
    """Probability distributions of the true values, or joint draws of them."""

    def as_given(self, data: UncertainData) -> Look:
        """Return the means."""
        return exact_look(data.mean())

    def certain(self, data: UncertainData) -> bool:
        """Return whether all worlds would be the same."""
        return data.exact

    def possible(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Look]:
        """Draw true values."""
        for world in worlds_of(data, n_worlds, seed):
            yield exact_look(world)

    def told(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Measured]:
        """Yield possible true values, for the laws of clusters."""
        for world in worlds_of(data, n_worlds, seed):
            yield without_errors(world)


@stored(scatter="f d", wavers="f q")
class Spreads(NamedTuple):
    """Objects with many values each."""

    features: KernelMeans
    scatter: Array  # (d,), deviation of a value from the mean of its object
    # (q,), the same for the leading features, in which clusterings are judged.
    wavers: Array

    def as_given(self, data: UncertainData) -> Look:
        """Return means with their errors, and laws as points."""
        law = values_of(data)
        shares = shares_of(law, own_weights(law))
        features = self.features.features(law.values)
        return self._look(shares, law.values, features, *self._errors(data, shares))

    def certain(self, data: UncertainData) -> bool:
        """Return whether the laws are known, so that worlds are all the same."""
        known = data.exact and not self.scatter.any()
        return known or not isinstance(data.law, Values)

    def possible(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Look]:
        """Reweight the values of each object at random."""
        law = data.law
        assert isinstance(law, Values)
        first = np.repeat(law.starts[:-1], law.counts)
        numbers = (np.arange(len(law.values)) - first).astype(np.uint64)
        keys = mixed(np.repeat(keys_of(data.ids), law.counts) + numbers * GOLDEN)
        values, features = law.values.copy(), self.features.features(law.values)
        own = own_weights(law)
        errors = self._errors(data, shares_of(law, own))
        # A single value is displaced by as much as values of other objects scatter.
        alone = np.flatnonzero(law.counts == 1)
        places = law.starts[alone]
        for number in range(n_worlds):
            streams = stream_keys(seed, _WEIGHTS, np.array([number]))
            shares = shares_of(law, own * -np.log(uniforms(streams, keys)[0]))
            if len(alone):
                streams = stream_keys(seed, _PLACES, np.array([number]))
                off = ndtri(uniforms(streams, data.uniform_keys()[alone])[0])
                values[places] = law.values[places] + self.scatter * off
                features[places] = self.features.features(values[places])
            yield self._look(shares, values, features, *errors)

    def told(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Measured]:
        """Yield the leading features with their errors, for the laws of clusters."""
        yield self.as_given(data).judged

    def _look(
        self,
        shares: csr_array,
        values: Array,
        features: Array,
        errors: Array,
        doubts: Array,
    ) -> Look:
        means, laws = shares @ values, shares @ features
        squares = shares @ np.square(values) - np.square(means)
        both = np.hstack([means, np.sqrt(np.maximum(squares, 0.0))])
        leading = np.ascontiguousarray(laws[:, : len(self.wavers)].T)
        seen = Measured(np.ascontiguousarray(means.T), errors)
        spaces = {"means": means, "deviations": both, "laws": laws}
        return Look(seen, spaces, Measured(leading, doubts))

    def _errors(self, data: UncertainData, shares: csr_array) -> tuple[Array, Array]:
        """Return error variances of means and of leading features."""
        law, n = data.law, len(data)
        if not isinstance(law, Values):  # laws are known
            return errors_of_means(data), np.zeros((len(self.wavers), n))
        # Use the scatter seen in the fit, so that new objects do not affect each other.
        worth = shares.multiply(shares).sum(axis=1)
        doubts = np.outer(np.square(self.wavers), worth)
        if data.exact:
            return np.repeat(self.scatter[:, None] ** 2, n, axis=1), doubts
        return errors_of_means(data), doubts


def truths_of(data: UncertainData, k: int, seed: int) -> Truths:
    """Return the source of true values, given the meaning of the uncertainty."""
    if data.exact or of_errors(data):
        return Measurements(single_gaussian(measured(data), seed))
    if data.meaning == "spread" and not data.joint:
        law = values_of(data)
        found = kernel_means(law.values, shares_of(law, own_weights(law)), seed)
        leading = found.features(law.values)[:, : max(LEADING, k + 2)]
        wavers = scatter_of(replace(law, values=leading))
        return Spreads(found, scatter_of(law), wavers)
    return Beliefs()


Truths = Measurements | Beliefs | Spreads


def judged_where(data: UncertainData, k: int, seed: int) -> Measured:
    """Return the objects in the features in which k clusters are judged."""
    if data.exact or of_errors(data):
        return measured(data)
    return truths_of(data, k, seed).as_given(data).judged


def exact_look(values: Array) -> Look:
    """Return a look at exact values."""
    some = without_errors(values)
    return Look(some, {"": values}, some)


def values_of(data: UncertainData) -> Values:
    """Return the values of the objects, or values that represent their laws."""
    return as_values(data.law, 0, data.uniform_keys())


def scatter_of(law: Values) -> Array:
    """Return the pooled deviation of values from their objects' means, (d,)."""
    squares = (law.variance() * law.counts[:, None]).sum(axis=0)
    return np.sqrt(squares / max(len(law.values) - law.n_objects, 1))


def shares_of(law: Values, weights: Array) -> csr_array:
    """Return the weight of each value within its object, (n_objects, n_values)."""
    totals = np.add.reduceat(weights, law.starts[:-1])
    shares = weights / np.repeat(totals, law.counts)
    columns = np.arange(len(law.values))
    return csr_array((shares, columns, law.starts), (law.n_objects, len(columns)))


def own_weights(law: Values) -> Array:
    """Return the weights of the values, equal ones by default."""
    return np.ones(len(law.values)) if law.weights is None else law.weights
