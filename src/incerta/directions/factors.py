"""The factor model: loadings and unique variances of features, places of objects.

The true value of feature j of object i is ``μ_j + L_j · t_i + u_ij``, where t is the
place of the object and u has the unique variance ψ_j. Errors of known variance S_ij are
added. Loadings come from one decomposition of shrunk values: EM gained nothing once
uninformative features were left out, and lost on real data (`benchmarks/wide.py`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from incerta import settings
from incerta.backend.device import fetch, namespace, put_beside
from incerta.data.reliability import true_spread
from incerta.directions.search import by_object, count, leading, repeated, shared
from incerta.models.checks import within, wrong
from incerta.models.registry import stored
from incerta.typing import Array, Indices, Mask

# Weight of the prior of places, relative to their variance: an object without any value
# gets the mean place, with an error variance a thousand times as large.
PRIOR = 1e-3
# A feature needs at least this many values, and values for this share of the objects.
FEWEST_VALUES, NEARLY_ALL_LACK = 4, 0.05
TINY = 1e-6  # least standard deviation of places in a direction


class Table(NamedTuple):
    """A table of the measured values of d features of n objects."""

    values: Array  # (d, n), 0 where missing
    variances: Array  # (d, n), of the errors, 0 where missing
    known: Mask  # (d, n)

    def only(self, features: Indices) -> Table:
        """Return the table of some of the features."""
        values, variances = self.values[features], self.variances[features]
        return Table(values, variances, self.known[features])


class Places(NamedTuple):
    """Positions of the objects in the directions."""

    values: Array  # (n, q)
    errors: Array  # (n, q, q), covariances due to errors and missing values


def _check(factors: Factors) -> None:
    positive = (factors.own, factors.true, factors.variances, factors.left)
    if min(part.min() for part in positive) <= 0.0:
        wrong("a variance is not positive")


@stored(
    _check,
    center="f d",
    true="f d",
    loadings="f d q",
    own="f d",
    variances="f q",
    left="f d",
)
@dataclass(frozen=True, kw_only=True, eq=False)
class Factors:
    """A factor model of d features with q directions, in descending order of variance.

    Directions are scaled so that, for an exactly known object, the unique variation of
    the features gives its place a standard deviation of 1.
    """

    center: Array  # (d,), μ
    true: Array  # (d,), variance of the true values
    loadings: Array  # (d, q), L; 0 for uninformative features
    own: Array  # (d,), ψ, unique variances
    variances: Array  # (q,), of the true places
    # (d,), factor by which shrinking the values has reduced the loadings.
    left: Array

    @property
    def tells(self) -> Mask:
        """The mask (d,) of informative features: those with a loading other than 0."""
        return (self.loadings != 0.0).any(axis=1)

    @property
    def shares(self) -> Array:
        """Share (d, q) of the true variance of each feature in each direction."""
        unshrunk = self.loadings / self.left[:, None]
        shares: Array = np.square(unshrunk) * self.variances / self.true[:, None]
        return shares / np.maximum(shares.sum(axis=1, keepdims=True), 1.0)

    @property
    def directly(self) -> Array:
        """The matrix (q, d) that maps exactly known values to places."""
        weighted = (self.loadings / self.own[:, None]).T
        return weighted / (1.0 + PRIOR / self.variances)[:, None]

    def only(self, features: Indices) -> Factors:
        """Return the model of some of the features."""
        names = ("center", "true", "loadings", "own", "left")
        return replace(self, **{name: getattr(self, name)[features] for name in names})


def _check_found(found: Found) -> None:
    if not isinstance(found.factors, Factors | None):
        wrong("what should be factors is something else")
    within(found.copy_of, len(found.copy_of), "copy_of")
    if found.near_to is not None:
        within(found.near_to, len(found.copy_of), "near_to")


@stored(_check_found, copy_of="i d", near_to="i d", constant="b d", empty="b d")
@dataclass(frozen=True, kw_only=True, eq=False)
class Found:
    """Directions, copies and unusable features of a table of d features."""

    factors: Factors | None = None  # None if no features vary together
    copy_of: Indices  # (d,), the feature that each one repeats, or its own number
    constant: Mask  # (d,), features whose true values do not vary
    empty: Mask  # (d,), features that are missing for nearly all objects
    # (d,), as `copy_of`, with near copies; only for data that are left alone.
    near_to: Indices | None = None

    @property
    def originals(self) -> Mask:
        """The mask (d,) of features that do not repeat another one."""
        return self.copy_of == np.arange(len(self.copy_of))

    def reordered(self, order: Indices) -> Found:
        """Renumber the features: feature j becomes feature ``order[j]``."""
        place = np.argsort(order)
        return Found(
            factors=self.factors and self.factors.only(place),
            copy_of=order[self.copy_of[place]],
            constant=self.constant[place],
            empty=self.empty[place],
            near_to=None if self.near_to is None else order[self.near_to[place]],
        )


def found_in(
    table: Table, most: int, seed: int, *, wanted: int | None = None, anyway: int = 0
) -> Found:
    """Find at most `most` directions, or exactly `wanted`; if none, take `anyway`.

    If `most` is 0, only look for constant, empty and repeated features.
    """
    d, n = table.values.shape
    center, true = true_spread(
        *table[:2], table.known.astype(float), settings.LEAST_TRUE
    )
    n_known = table.known.sum(axis=1)
    empty = n_known < max(FEWEST_VALUES, NEARLY_ALL_LACK * n)
    constant = ~empty & (true <= 0.0)
    true = np.where(true > 0.0, true, 1.0)
    rest = Found(copy_of=np.arange(d), constant=constant, empty=empty)
    varies = np.flatnonzero(~empty & ~constant)
    if len(varies) < 2 or n < FEWEST_VALUES:
        return rest
    some = table.only(varies)
    gaps = np.where(some.known, some.values - center[varies, None], 0.0)
    gaps /= np.sqrt(true[varies, None] + some.variances)
    if most == 0:
        rest.copy_of[varies] = varies[repeated(gaps, some.known)]
        near_to = np.arange(d)
        near_to[varies] = varies[repeated(gaps, some.known, settings.COPY)]
        return replace(rest, near_to=near_to)
    common = shared(gaps, some.known, most, seed)
    rest.copy_of[varies] = varies[common.copy_of]

    q = wanted or common.n_directions or anyway
    original = common.copy_of == np.arange(len(varies))
    chosen = varies[common.tells if common.tells.sum() > q else original]
    q = min(q, len(chosen) - 1, n - 2)
    if q < 1:
        return rest
    start = table.only(chosen), center[chosen], true[chosen]
    factors = _fitted(*start, q)
    if q == common.n_directions < min(most, len(chosen) - 1) and wanted is None:
        # The table was scaled by total variances. Scaled by unique variances, another
        # direction may stand out.
        residuals = _residuals(start[0], factors)
        if count(residuals, 1, np.random.default_rng(seed), begin=q):
            factors = _fitted(*start, q + 1)
    own, left = true.copy(), np.ones(d)
    own[chosen], left[chosen] = factors.own, factors.left
    loadings = np.zeros((d, len(factors.variances)))
    loadings[chosen] = factors.loadings
    factors = replace(
        factors, center=center, true=true, loadings=loadings, own=own, left=left
    )
    return replace(rest, factors=factors)


def _fitted(table: Table, center: Array, true: Array, q: int) -> Factors:
    """Fit q directions by leading singular triples; q is below d and n."""
    root = np.sqrt(true)[:, None]
    gaps = np.where(table.known, table.values - center[:, None], 0.0)
    total = true[:, None] + table.variances
    left = (table.known * true[:, None] / total).mean(axis=1)
    triples = leading(gaps * root / total, q)
    loadings = root * triples.features * triples.values / np.sqrt(gaps.shape[1])
    own = np.maximum(true - np.square(loadings).sum(axis=1), settings.LEAST_OWN * true)
    scale = np.sqrt(own)[:, None]
    turned, sizes, _ = np.linalg.svd(loadings / scale, full_matrices=False)
    # The sign of a direction is arbitrary: make its larger loadings positive.
    turned = turned * np.where((turned**3).sum(axis=0) < 0.0, -1.0, 1.0)
    variances = np.maximum(sizes, TINY) ** 2
    return Factors(
        center=center,
        true=true,
        loadings=turned * scale,
        own=own,
        variances=variances,
        left=left,
    )


def _residuals(table: Table, factors: Factors) -> Array:
    """Return the standardized residuals (d, n) of regressions on the places."""
    places = places_of(table, factors).values
    weights = table.known / (factors.own[:, None] + table.variances)
    inputs = np.column_stack([places, np.ones(len(places))])
    q = inputs.shape[1]
    normal = weights @ (inputs[:, :, None] * inputs[:, None]).reshape(len(places), -1)
    normal = normal.reshape(-1, q, q)
    normal += 1e-9 * np.trace(normal, axis1=1, axis2=2)[:, None, None] * np.eye(q)
    sums = (weights * table.values) @ inputs
    slopes = np.linalg.solve(normal, sums[:, :, None])[:, :, 0]
    rest = np.where(table.known, table.values - slopes @ inputs.T, 0.0)
    squares = np.square(weights)
    total = np.maximum(squares.sum(axis=1), np.finfo(float).tiny)
    own = (squares * (rest**2 - table.variances)).sum(axis=1) / total
    own = np.maximum(own, settings.LEAST_OWN * factors.own)
    return by_object(rest / np.sqrt(own[:, None] + table.variances), table.known)


def places_of(table: Table, factors: Factors, together: Array | None = None) -> Places:
    """Compute the places of objects by weighted least squares, also on a device.

    Error covariances are the excess over those of an exactly known object, as unique
    variation belongs to the true values. `together` (n, d, d) holds the covariances of
    correlated errors, which affect the errors of the places but not the weights. The
    cost is ``n d q²`` multiplications.
    """
    xp = namespace(table.values)
    q = len(factors.variances)
    parts = factors.own, factors.center, factors.loadings
    own, center, loadings = (put_beside(part, table.values) for part in parts)
    weights = table.known / (own[:, None] + table.variances)
    pulls = fetch((weights * (table.values - center[:, None])).T @ loadings)
    products = xp.reshape(loadings[:, :, None] * loadings[:, None, :], (-1, q * q))
    information = fetch(weights.T @ products).reshape(-1, q, q)
    prior = np.diag(PRIOR / factors.variances)
    covariances = np.linalg.inv(information + prior)
    errors = covariances - np.linalg.inv(np.eye(q) + prior)
    if together is not None:
        weighted = fetch(weights).T[:, :, None] * factors.loadings
        apart = fetch(table.variances).T[:, :, None] * weighted
        given = np.nan_to_num(together, posinf=0.0) @ weighted - apart
        errors += covariances @ weighted.transpose(0, 2, 1) @ given @ covariances
    errors = 0.5 * (errors + errors.transpose(0, 2, 1))
    return Places((covariances @ pulls[:, :, None])[:, :, 0], errors)
