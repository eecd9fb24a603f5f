"""Standard errors of the mean and the dispersion of a group."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from incerta.mixture.expectation import log_densities
from incerta.mixture.model import Components, Measured
from incerta.mixture.under import under
from incerta.typing import Array

# Objects below this probability are left out: they say nothing about the group.
LEAST_SHARE = 1e-6


class Errors(NamedTuple):
    """Covariances of the estimates of a group."""

    mean: Array  # (d, d)
    covariance: Array  # (d, d, d, d)


def errors_of(some: Measured, components: Components, c: int) -> Errors:
    """Invert the observed information, in which membership is uncertain.

    All other components are taken as known. Where the fit is not at a maximum, such as
    a dispersion of 0, the expected information is used, as if membership were known.
    """
    d = some.n_features
    observed, expected, basis = information(some, components, c)
    found = _inverse(observed)
    if found is None:
        found = _inverse(expected)
    if found is None:
        found = np.full_like(expected, np.nan)
    size = len(expected)
    spread = np.einsum(
        "abp,pr,cdr->abcd", basis, found[d:size, d:size], basis, optimize=True
    )
    return Errors(found[:d, :d], spread)


def information(
    some: Measured, components: Components, c: int
) -> tuple[Array, Array, Array]:
    """Compute the observed and the expected information on one component.

    Observed: minus the second derivatives of the log likelihood by the mean, by the
    covariance on and above the diagonal, and by the log odds of the share. Expected:
    of mean and covariance alone, if membership were known. The third
    (d, d, p) has the derivatives of a covariance by those entries.
    """
    d, n = some.n_features, some.n_objects
    share = np.exp(log_densities(some, components).shares[c])
    rows = np.flatnonzero(share > LEAST_SHARE)
    q, here = share[rows], under(some.only(rows), components, c)
    pulls, roots = (
        here.pulls,
        np.broadcast_to(here.precision, (*here.precision.shape[:-1], len(rows))),
    )
    precision = (
        np.einsum("kin,kjn->nij", roots, roots)
        if roots.ndim == 3
        else roots.T[:, :, None] * np.eye(d)
    )
    pulls = pulls.T  # (n, d)
    a, b = np.triu_indices(d)
    # Derivatives of a covariance by its entries on and above the diagonal.
    basis = np.zeros((d, d, len(a)))
    basis[a, b, np.arange(len(a))] = basis[b, a, np.arange(len(a))] = 1.0
    moved = np.einsum("nij,jkp->nikp", precision, basis)  # P E
    along = np.einsum("nj,jkp->nkp", pulls, basis)  # g' E
    gains = 0.5 * (np.einsum("nkp,nk->np", along, pulls) - np.einsum("niip->np", moved))
    scores = np.concatenate([pulls, gains], axis=1)
    size = d + len(a)
    half = 0.5 * np.einsum("n,nikp,nkir->pr", q, moved, moved, optimize=True)
    complete = np.zeros((size, size))
    complete[:d, :d] = np.einsum("n,nij->ij", q, precision)
    expected = complete.copy()
    expected[d:, d:] = half
    cross = np.einsum("n,nij,njp->ip", q, precision, along)
    complete[:d, d:], complete[d:, :d] = cross, cross.T
    complete[d:, d:] = -half + np.einsum(
        "n,nip,nij,njr->pr", q, along, precision, along, optimize=True
    )
    open_share = q * (1.0 - q)
    whole = np.empty((size + 1, size + 1))
    whole[:-1, :-1] = complete - (scores * open_share[:, None]).T @ scores
    whole[-1, :-1] = whole[:-1, -1] = -(open_share @ scores)
    weight = components.weights[c]
    whole[-1, -1] = n * weight * (1.0 - weight) - open_share.sum()
    return whole, expected, basis


def _inverse(information: Array) -> Array | None:
    """Invert it; None if it is not positive definite."""
    scale = np.sqrt(np.abs(np.diag(information)))
    scale = np.where(scale > 0.0, scale, 1.0)
    values, vectors = np.linalg.eigh(information / scale[:, None] / scale)
    if values[0] <= 1e-9:
        return None
    return (vectors / values) @ vectors.T / scale[:, None] / scale
