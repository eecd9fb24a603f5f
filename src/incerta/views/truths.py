"""What views look at: the objects as they are given, and as they could really be.

Of measured values, worlds are drawn from beliefs, as if true values were of a mixture;
laws of beliefs as they are. Of objects that are spread it is open which values were
seen, so that these are weighted anew (Bayesian bootstrap).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri

from incerta.backend.keyed import GOLDEN, keys_of, mixed, stream_keys, uniforms
from incerta.backend.memory import blocks
from incerta.backend.progress import followed
from incerta.data.container import UncertainData
from incerta.data.laws import Values, as_values
from incerta.data.meaning import certain, of_errors
from incerta.mixture.deconvolver import believed
from incerta.mixture.fitting import Effort, Search, candidates, single_gaussian
from incerta.mixture.model import (
    Components,
    Measured,
    errors_of_means,
    measured,
    without_errors,
)
from incerta.models.registry import stored
from incerta.spectral.affinity import median_distance
from incerta.typing import Array
from incerta.views.look import Look
from incerta.worlds.sequence import worlds_of

# Waves; distances between laws are off by some 1 / sqrt(N_WAVES) of their largest.
N_WAVES = 500
# Width of the kernel, in median distances of values, for objects with n values each:
# WIDTH / sqrt(n), within bounds. Few values say little more of a law than its mean.
WIDTH, BOUNDS = 5.0, (0.35, 2.0)
# Directions in which laws differ most; the others are mostly chance.
N_AXES = 20


@stored(frequencies="f d w", center="f m", axes="f m a")
class KernelMeans(NamedTuple):
    """From values to features whose means describe laws."""

    frequencies: Array  # (d, n_waves)
    center: Array  # (2 n_waves,)
    axes: Array  # (2 n_waves, n_axes)

    def features(self, values: Array) -> Array:
        """Features of values; those of a law are their mean over its values."""
        out = np.empty((len(values), self.axes.shape[1]))
        for part in followed(blocks(len(values), 8 * len(self.center)), "laws"):
            here = waves(values[part], self.frequencies)
            out[part] = (here - self.center) @ self.axes
        return out


def waves(values: Array, frequencies: Array) -> Array:
    """Cosines and sines, scaled so that products approximate the Gaussian kernel."""
    phases = values @ frequencies
    both = np.concatenate([np.cos(phases), np.sin(phases)], axis=1)
    return both / np.sqrt(frequencies.shape[1])


def kernel_means(values: Array, shares: csr_array, seed: int) -> KernelMeans:
    """Features for the laws of objects: the more values, the narrower the kernel."""
    rng = np.random.default_rng(seed)
    n_values = np.median(np.diff(shares.indptr))
    width = median_distance(values) * np.clip(WIDTH / np.sqrt(n_values), *BOUNDS)
    frequencies = rng.normal(size=(values.shape[1], N_WAVES)) / width
    means = np.zeros((shares.shape[0], 2 * N_WAVES))
    for part in followed(blocks(len(values), 8 * 2 * N_WAVES), "laws"):
        means += shares[:, part] @ waves(values[part], frequencies)
    center = means.mean(axis=0)
    axes = np.linalg.svd(means - center, full_matrices=False)[2][:N_AXES].T
    return KernelMeans(frequencies, center, axes)


# Components of the true values that are tried, by the number of clusters. In larger and
# larger steps: a ring needs many to be better than two.
TIMES = (1.0, 1.5, 3.0, 6.0)
# Laws are judged in so many leading features, or two more than clusters.
LEADING = 8
# What the streams of these draws are for; worlds have others.
_WEIGHTS, _PLACES = 7, 8


@stored()
class Measurements(NamedTuple):
    """Values that errors were added to, or exact ones."""

    prior: Components  # law of the true values

    def as_given(self, data: UncertainData) -> Look:
        """The measured values, their errors, and what is believed."""
        some = measured(data)
        return Look(some, {"": believed(data, self.prior).mean()}, some)

    def certain(self, data: UncertainData) -> bool:
        """Whether there is nothing to draw."""
        return certain(data) or not of_errors(data)

    def with_mixture(
        self, data: UncertainData, mixture: Components, seed: int
    ) -> Measurements:
        """True values are of a mixture, by AIC: it describes the next values well."""
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
        return Measurements(min(tried, key=lambda found: found.aic).components)

    def possible(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Look]:
        """Draw true values."""
        for world in believed(data, self.prior).worlds(n_worlds, seed):
            yield exact_look(world)

    def told(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Measured]:
        """What laws are asked about: the measured values, with their errors."""
        yield measured(data)


@stored()
class Beliefs(NamedTuple):
    """Laws that say where the true values probably are, or joint draws."""

    def as_given(self, data: UncertainData) -> Look:
        """The means."""
        return exact_look(data.mean())

    def certain(self, data: UncertainData) -> bool:
        """Whether there is nothing to draw."""
        return data.exact

    def possible(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Look]:
        """Draw true values."""
        for world in worlds_of(data, n_worlds, seed):
            yield exact_look(world)

    def told(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Measured]:
        """What laws are asked about: the true values as they could be."""
        for world in worlds_of(data, n_worlds, seed):
            yield without_errors(world)


@stored(scatter="f d", wavers="f q")
class Spreads(NamedTuple):
    """Objects that have many values."""

    features: KernelMeans
    scatter: Array  # (d,), deviation of a value from the mean of its object
    # (q,), the same of the leading features, which laws of clusters are judged in.
    wavers: Array

    def as_given(self, data: UncertainData) -> Look:
        """Means with their errors, and laws as points."""
        law = values_of(data)
        shares = shares_of(law, own_weights(law))
        features = self.features.features(law.values)
        return self._look(shares, law.values, features, *self._errors(data, shares))

    def certain(self, data: UncertainData) -> bool:
        """Whether laws are known, so that there is nothing to draw."""
        known = data.exact and not self.scatter.any()
        return known or not isinstance(data.law, Values)

    def possible(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Look]:
        """Weight the values of each object anew."""
        law = data.law
        assert isinstance(law, Values)
        first = np.repeat(law.starts[:-1], law.counts)
        numbers = (np.arange(len(law.values)) - first).astype(np.uint64)
        keys = mixed(np.repeat(keys_of(data.ids), law.counts) + numbers * GOLDEN)
        values, features = law.values.copy(), self.features.features(law.values)
        own = own_weights(law)
        errors = self._errors(data, shares_of(law, own))
        # A single value could be as far off as values of other objects are.
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
        """What laws of clusters are asked about: the leading features, with errors."""
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
        """Error variances of means and of leading features, also of single values."""
        law, n = data.law, len(data)
        if not isinstance(law, Values):  # laws are known
            return errors_of_means(data), np.zeros((len(self.wavers), n))
        # By how values scatter in the fit, so that objects do not depend on others.
        worth = shares.multiply(shares).sum(axis=1)
        doubts = np.outer(np.square(self.wavers), worth)
        if data.exact:
            return np.repeat(self.scatter[:, None] ** 2, n, axis=1), doubts
        return errors_of_means(data), doubts


def truths_of(data: UncertainData, k: int, seed: int) -> Truths:
    """Where the true values of objects come from, if there are k clusters."""
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
    """Objects where laws of k clusters are fitted to them: as views are judged."""
    if data.exact or of_errors(data):
        return measured(data)
    return truths_of(data, k, seed).as_given(data).judged


def exact_look(values: Array) -> Look:
    """Values without errors."""
    some = without_errors(values)
    return Look(some, {"": values}, some)


def values_of(data: UncertainData) -> Values:
    """The values of objects, or values that stand for their laws."""
    return as_values(data.law, 0, data.uniform_keys())


def scatter_of(law: Values) -> Array:
    """Deviation of values from the means of their objects, shape (d,)."""
    squares = (law.variance() * law.counts[:, None]).sum(axis=0)
    return np.sqrt(squares / max(len(law.values) - law.n_objects, 1))


def shares_of(law: Values, weights: Array) -> csr_array:
    """Share of each value in its object, shape (n_objects, n_values)."""
    totals = np.add.reduceat(weights, law.starts[:-1])
    shares = weights / np.repeat(totals, law.counts)
    columns = np.arange(len(law.values))
    return csr_array((shares, columns, law.starts), (law.n_objects, len(columns)))


def own_weights(law: Values) -> Array:
    """Weights of the values, all alike if none are given."""
    return np.ones(len(law.values)) if law.weights is None else law.weights
