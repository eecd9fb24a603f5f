"""What views look at: the objects as they are given, and as they could really be.

How they could be goes by what the uncertainty means. Of measured values, worlds are
drawn from beliefs: by turns as if all true values were of one Gaussian and as if they
were of a mixture; or, where more components than clusters describe the data much
better, or better and with other clusters, all of them as if they were of that. Laws of
beliefs are drawn from as they are.
Objects that are spread have no single truth; what is open is which of their values were
seen, so that these are weighted anew (Bayesian bootstrap).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import cycle
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.special import ndtri

from incerta.backend.keyed import GOLDEN, keys_of, mixed, stream_keys, uniforms
from incerta.data.container import UncertainData
from incerta.data.laws import Values, as_values
from incerta.data.meaning import certain, of_errors
from incerta.mixture.deconvolver import believed
from incerta.mixture.fitting import PRIOR_WEIGHT, How, candidates
from incerta.mixture.measured import errors_of_means, measured
from incerta.mixture.model import Components, Measured, without_errors
from incerta.models.registry import stored
from incerta.typing import Array
from incerta.views.kernel_means import KernelMeans
from incerta.views.look import Look, Model
from incerta.worlds.sequence import worlds_of

# Components of the true values that are tried, by the number of clusters. In larger and
# larger steps: a ring needs many to be better than two.
TIMES = (1.0, 1.5, 3.0, 6.0)
# By how much AIC must be better with more components than clusters, so that clusters
# which only these show are believed. From 10 on, by a rule of thumb, nothing speaks for
# the worse one; as the better one is the best of several, twice that.
CLEARLY = 20.0
# What the streams of these draws are for; worlds have others.
_WEIGHTS, _PLACES = 7, 8


@stored()
class Measurements(NamedTuple):
    """Values that errors were added to, or exact ones."""

    priors: tuple[Components, ...]  # of the true values, for one world after another

    def as_given(self, data: UncertainData) -> Look:
        """The measured values, their errors, and what is believed."""
        return measured_look(data, believed(data, self.priors[0]).mean())

    def certain(self, data: UncertainData) -> bool:
        """Whether there is nothing to draw."""
        return certain(data) or not of_errors(data)

    def with_model(
        self, data: UncertainData, model: Model, seed: int
    ) -> tuple[Measurements, ...]:
        """Take true values to be of a mixture, too.

        AIC chooses the number of components, as the next values are to be described
        well, and none of them need be a cluster. One Gaussian blurs clusters, and a
        mixture makes them too clear: worlds are drawn from both by turns. If BIC, too,
        which asks for more evidence, wants more components than clusters, one Gaussian
        is nothing to be believed, and all worlds are of the mixture.

        Returns
        -------
        tuple of Measurements
            What to draw worlds from; and, where AIC is clearly for more components than
            clusters, what to draw them from if the two priors have other clusters.
        """
        k = model.components.n_components
        numbers = sorted({round(times * k) for times in TIMES})
        how = How(
            numbers,
            (model.kind,),
            False,
            PRIOR_WEIGHT,
            2,
            1e-4,
            200,
            seed,
            near=(model.components,),
            criterion="aic",
        )
        tried = list(candidates(measured(data), how))
        best = min(tried, key=lambda found: found.aic)
        alone = Measurements((best.components,))
        surely = min(tried, key=lambda found: found.bic).components
        if surely.n_components > k:
            return (alone,)
        by_turns = Measurements((*self.priors, best.components))
        as_many = tried[0]  # as many components as clusters
        return (by_turns, alone) if as_many.aic - best.aic > CLEARLY else (by_turns,)

    def object_bytes(self) -> int:
        """What the belief about an object takes: a matrix per component, and copies."""
        return max(32 * len(p.means) * p.means.shape[1] ** 2 for p in self.priors)

    def possible(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Look]:
        """Draw true values."""
        if self.certain(data):
            yield exact_look(data.mean())
            return
        beliefs = [believed(data, prior) for prior in self.priors]
        drawn = cycle([belief.worlds(n_worlds, seed) for belief in beliefs])
        for number, worlds in zip(range(n_worlds), drawn, strict=False):
            yield exact_look(worlds[number])


@stored()
class Beliefs(NamedTuple):
    """Laws that say where the true values probably are, or joint draws."""

    def as_given(self, data: UncertainData) -> Look:
        """The means."""
        return exact_look(data.mean())

    def certain(self, data: UncertainData) -> bool:
        """Whether there is nothing to draw."""
        return data.exact

    def object_bytes(self) -> int:
        """What is drawn is small."""
        return 0

    def possible(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Look]:
        """Draw true values."""
        for world in worlds_of(data, n_worlds, seed):
            yield exact_look(world)


@stored(scatter="f d")
class Spreads(NamedTuple):
    """Objects that have many values."""

    features: KernelMeans
    scatter: Array  # (d,), deviation of a value from the mean of its object

    def as_given(self, data: UncertainData) -> Look:
        """Means with their errors, and laws as points."""
        law = values_of(data)
        shares = shares_of(law, own_weights(law))
        features = self.features.features(law.values)
        return _spread_look(shares @ law.values, self._errors(data), shares @ features)

    def certain(self, data: UncertainData) -> bool:
        """Whether laws are known, so that there is nothing to draw."""
        known = data.exact and not self.scatter.any()
        return known or not isinstance(data.law, Values)

    def object_bytes(self) -> int:
        """What is drawn is small."""
        return 0

    def possible(self, data: UncertainData, n_worlds: int, seed: int) -> Iterator[Look]:
        """Weight the values of each object anew."""
        law = data.law
        if self.certain(data) or not isinstance(law, Values):
            yield self.as_given(data)
            return
        first = np.repeat(law.starts[:-1], law.counts)
        numbers = (np.arange(len(law.values)) - first).astype(np.uint64)
        keys = mixed(np.repeat(keys_of(data.ids), law.counts) + numbers * GOLDEN)
        own, errors = own_weights(law), self._errors(data)
        values, features = law.values.copy(), self.features.features(law.values)
        # A single value has nothing to be weighted against; it could be as far off as
        # values of other objects are.
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
            yield _spread_look(shares @ values, errors, shares @ features)

    def _errors(self, data: UncertainData) -> Array:
        """Errors of the means, also of single values without any others beside them."""
        if data.exact:
            return np.repeat(self.scatter[:, None] ** 2, len(data), axis=1)
        return errors_of_means(data)


Truths = Measurements | Beliefs | Spreads


def measured_look(data: UncertainData, means: Array) -> Look:
    """Measured values with their errors, beside what is believed of them."""
    seen = measured(data)
    values = np.where(np.isnan(data.mean()), means, data.mean())
    usual = values.var(axis=0).mean()
    total = seen.variances.mean(axis=0) + np.where(usual > 0.0, usual, 1.0)
    return Look(seen, values, 1.0 / total, means)


def exact_look(values: Array) -> Look:
    """Values without errors."""
    return Look(without_errors(values), values, None, values)


def _spread_look(means: Array, errors: Array, features: Array) -> Look:
    return Look(Measured(np.ascontiguousarray(means.T), errors), means, None, features)


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
