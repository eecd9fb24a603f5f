"""E-step: component probabilities of each object, and their sums over objects."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from incerta.backend.device import fetch, namespace, put_beside
from incerta.backend.memory import Scratch, blocks
from incerta.data.container import UncertainData, order_of, sorted_by_id
from incerta.data.projections import total_covariance
from incerta.mixture.factors import add_to_diagonals, inverse_roots
from incerta.mixture.model import BLOCK_BYTES, Components, Measured, measured
from incerta.mixture.under import Fitted, OneByOne, in_projection, under, under_all
from incerta.typing import Array, Indices

# Fraction of the errors or of the prior variances small enough to be negligible.
SLIGHTLY = 1e-6


@dataclass(frozen=True, kw_only=True)
class Sums:
    """Sums over objects from which the M-step computes the next components."""

    log_likelihood: float
    n_objects: float
    shares: Array  # Σ q, (k,)
    pulls: Array  # Σ q g, (k, d)
    gains: Array  # Σ q (g g' − T⁻¹), (k, d, d), or its diagonal, (k, d)

    def plus(self, other: Sums) -> Sums:
        """Return the sums over both sets of objects."""
        more = vars(other)
        return Sums(**{name: sums + more[name] for name, sums in vars(self).items()})


def log_shares(
    measured: Measured, several: Sequence[Components], logs: Any
) -> tuple[Any, Any]:
    """Return log shares (n_mixtures, k, n), noise last, and totals (n_mixtures, n).

    The block has n objects. The log densities `logs`, of shape (n_mixtures * k, n), are
    overwritten.
    """
    xp = namespace(measured.values)
    s, k, n = len(several), several[0].n_components, measured.n_objects
    weights = np.stack([each.weights for each in several])
    table = xp.reshape(logs, (s, k, n))
    if (ranges := several[0].ranges) is not None:
        rest = np.array([[each.noise_weight] for each in several])
        weights = np.concatenate([weights, rest], axis=1)
        alike = xp.broadcast_to(-_log_volumes(measured, ranges), (s, 1, n))
        table = xp.concat([table, alike], axis=1)
    with np.errstate(divide="ignore"):  # a component may have no objects left
        log_weights = np.log(weights)[:, :, None]
    table += put_beside(log_weights, table)
    if measured.labels is not None:
        table += put_beside(_open(measured.labels, table.shape[1]), table)
    top = xp.max(table, axis=1, keepdims=True)
    totals = top + xp.log(xp.sum(xp.exp(table - top), axis=1, keepdims=True))
    return table - totals, totals[:, 0, :]


def _open(labels: Indices, n_rows: int) -> Array:
    """Return 0 where an object may be of a component, −∞ where its label forbids it."""
    other = (labels >= 0) & (labels != np.arange(n_rows)[:, None])
    return np.where(other, -np.inf, 0.0)


def _log_volumes(measured: Measured, ranges: Array) -> Any:
    logs = np.log(ranges)
    if measured.projection is not None:
        # Volume of the projected box, treated as an ellipsoid.
        squares = put_beside(np.diag(ranges**2), measured.values)
        total = in_projection(squares, measured.projection)
        if measured.known is not None:
            add_to_diagonals(total, 1.0 - measured.known)
        return 0.5 * inverse_roots(total)[1]
    if measured.known is None:
        return put_beside(np.full(measured.n_objects, logs.sum()), measured.values)
    return put_beside(logs, measured.known) @ measured.known


class Densities(NamedTuple):
    """Component probabilities and densities of objects under a mixture."""

    shares: Array  # (k, n) or (k + 1, n), log probability of each component, noise last
    totals: Array  # (n,), log density


def log_densities(measured: Measured, components: Components) -> Densities:
    """Return log component probabilities and log densities of all objects."""
    k, n = components.n_components, measured.n_objects
    shares = np.empty((k + (components.ranges is not None), n))
    totals = np.empty(n)
    scratch = Scratch()
    for block, some in measured.in_blocks(components):
        logs = under_all(some, components, scratch).logs()
        found = log_shares(some, [components], logs)
        shares[:, block], totals[block] = (fetch(each)[0] for each in found)
    return Densities(shares, totals)


def sums(
    measured: Measured, components: Components, scratch: Scratch | None = None
) -> Sums:
    """Sum over all objects in one pass, block by block, in order."""
    return sums_of_each(measured, [components], scratch)[0]


def sums_of_each(
    measured: Measured,
    several: Sequence[Components],
    scratch: Scratch | None = None,
) -> list[Sums]:
    """Sum over all objects in one pass for several mixtures of one kind and size."""
    scratch = scratch or Scratch()
    # With few objects, group the mixtures: call overhead exceeds the arithmetic.
    item = 8 * measured.n_objects * measured.object_numbers(several[0])
    found: list[Sums] = []
    for at_once in blocks(len(several), item, BLOCK_BYTES):
        some = several[at_once]
        all_of_them = _as_one(some)
        total = [_nothing(each) for each in some]
        for _, block in measured.in_blocks(all_of_them):
            here = _block_sums(block, all_of_them, some, scratch)
            total = [one.plus(other) for one, other in zip(total, here, strict=True)]
        found += total
    return found


def _as_one(several: Sequence[Components]) -> Components:
    """Combine the components of several mixtures into one mixture."""
    if len(several) == 1:
        return several[0]
    weights, means = (np.concatenate([each[i] for each in several]) for i in (0, 1))
    k = several[0].n_components
    covariances = np.concatenate([each.covariances for each in several])
    if len(covariances) < len(weights):  # tied
        covariances = np.repeat(covariances, k, axis=0)
    return Components(weights, means, covariances, several[0].ranges)


def _nothing(components: Components) -> Sums:
    """Return sums over zero objects."""
    k, d = components.means.shape
    shape = (k, d) if components.covariances.ndim == 2 else (k, d, d)
    return Sums(
        log_likelihood=0.0,
        n_objects=0.0,
        shares=np.zeros(k),
        pulls=np.zeros((k, d)),
        gains=np.zeros(shape),
    )


def _block_sums(
    some: Measured,
    all_of_them: Components,
    several: Sequence[Components],
    scratch: Scratch,
) -> list[Sums]:
    xp, k = namespace(some.values), several[0].n_components
    under = under_all(some, all_of_them, scratch)
    logs, totals = log_shares(some, several, under.logs())
    shares = xp.reshape(xp.exp(logs[:, :k, :]), (-1, some.n_objects))
    pulls, gains = under.pulls_and_gains(shares)
    if several[0].covariances.ndim == 2 and gains.ndim == 3:
        gains = np.einsum("kii->ki", gains)
    densities, each = fetch(xp.sum(totals, axis=1)), fetch(xp.sum(shares, axis=1))
    own = [slice(i * k, (i + 1) * k) for i in range(len(several))]
    return [
        Sums(
            log_likelihood=float(density),
            n_objects=some.n_objects,
            shares=each[rows],
            pulls=pulls[rows],
            gains=gains[rows],
        )
        for density, rows in zip(densities, own, strict=True)
    ]


def by_cluster(
    data: UncertainData, components: Components, clusters: Indices, device: str
) -> Array:
    """Return the probability of each cluster, summed over its components."""
    there, k = measured(data).on(device), int(clusters.max()) + 1
    return shares_of_clusters(there, components, clusters, k)


def shares_of_clusters(
    some: Measured, components: Components, clusters: Indices, n_clusters: int
) -> Array:
    """Return cluster probabilities of measured objects; clusters may be empty."""
    shares = np.exp(log_densities(some, components).shares)
    return shares[: len(clusters)].T @ np.eye(n_clusters)[clusters]


def with_clusters_known(
    data: UncertainData,
    known: Indices | None,
    components: Components,
    clusters: Indices,
) -> Measured:
    """Return objects by id, labeled with the likeliest component of their cluster."""
    given = measured(sorted_by_id(data))
    if known is None:
        return given
    order = order_of(data.ids)
    known = known if order is None else known[order]
    logs = log_densities(given, components).shares[: len(clusters)]
    other = known != clusters[:, None]
    likely = np.where(other, -np.inf, logs).argmax(axis=0)
    return given._replace(labels=np.where(known < 0, known, likely))


# the truth of each object, given its measurement --------------------------------------


class Belief(NamedTuple):
    """Distribution of the truth of each of n objects, a mixture of k Gaussians."""

    shares: Array  # (n, k)
    centers: Array  # (n, k, d)
    covariances: Array  # (n, k, d, d), or variances (n, k, d)


def belief(measured: Measured, components: Components) -> Belief:
    """Condition the truth on the measurements; exact values are returned unchanged."""
    n, (k, d) = measured.n_objects, components.means.shape
    by_feature = measured.by_feature(components)
    shares, centers = np.empty((n, k)), np.empty((n, k, d))
    covariances = np.empty((n, k, d) if by_feature else (n, k, d, d))
    for block, some in measured.in_blocks(components):
        fitted = [under(some, components, c) for c in range(k)]
        logs, _ = log_shares(some, [components], OneByOne(fitted).logs())
        exact = some.exact
        shares[block] = np.exp(logs[0]).T
        # If all features are exact, all components give the same belief.
        shares[block][exact.all(axis=0)] = np.eye(k)[0]
        for c, each in enumerate(fitted):
            center, covariance = _given(each, components, c, by_feature)
            if some.projection is None:
                np.copyto(center, some.values, where=exact)
            covariance = covariance * ~exact
            if not by_feature:
                covariance *= ~exact[:, None]
            centers[block, c] = center.T
            covariances[block, c] = np.moveaxis(covariance, -1, 0)
    return Belief(shares, centers, covariances)


def filled(measured: Measured, truth: Components) -> Measured:
    """Convert measurements in projection to features with correlated errors.

    Directions that were not measured are filled in from `truth`, a single Gaussian.
    Values and errors along the measured directions are unchanged.
    """
    assert measured.projection is not None
    matrix, own = np.moveaxis(measured.projection, -1, 0), truth.covariance_of(0)
    errors = np.moveaxis(measured.errors, -1, 0)
    seen = matrix @ own
    total = total_covariance(seen @ np.swapaxes(matrix, 1, 2), SLIGHTLY * errors)
    gain = np.swapaxes(np.linalg.solve(total, seen), 1, 2)
    gaps = measured.values.T - matrix @ truth.means[0]
    values = truth.means[0] + np.einsum("ndq,nq->nd", gain, gaps)
    covariances = own - gain @ seen + gain @ errors @ np.swapaxes(gain, 1, 2)
    return Measured(
        np.ascontiguousarray(values.T),
        np.ascontiguousarray(np.moveaxis(covariances, 0, -1)),
        labels=measured.labels,
    )


def one_by_one(measured: Measured, truth: Components) -> Measured:
    """Return independent measurements of each feature that give the same beliefs.

    The truth is a single Gaussian. A measurement with the variance S turns it into the
    belief, so ``1 / S`` is the difference of their precisions.
    """
    found, before = belief(measured, truth), truth.variances[0][:, None]
    centers, covariances = found.centers[:, 0].T, found.covariances[:, 0]
    own = np.maximum(np.einsum("nii->in", covariances), SLIGHTLY * before)
    known = own < (1.0 - SLIGHTLY) * before
    precision = np.where(known, 1.0 / own - 1.0 / before, 1.0)
    values = (centers / own - truth.means[0][:, None] / before) / precision
    return Measured(
        np.where(known, values, 0.0),
        np.where(known, 1.0 / precision, 0.0),
        None if known.all() else known.astype(np.float64),
    )


def _given(
    fitted: Fitted, components: Components, k: int, by_feature: bool
) -> tuple[Array, Array]:
    """Return mean (d, n) and covariance (d, d, n) of the truth, given component `k`."""
    mean = components.means[k][:, None]
    if by_feature:
        own = components.covariances[k][:, None]
        # Rounding can make this negative if the error is far below the spread.
        left = np.maximum(own - own**2 * fitted.precision, 0.0)
        return mean + own * fitted.pulls, left
    own = components.covariance_of(k)
    # V − V T⁻¹ V, with T⁻¹ = L⁻¹' L⁻¹, or R' T⁻¹ R in its place.
    seen = np.einsum("ijn,jl->iln", fitted.precision, own)
    left = own[:, :, None] - np.einsum("iln,imn->lmn", seen, seen)
    return mean + own @ fitted.pulls, left
