"""What is known of the truth of each object, given what was measured."""

from typing import NamedTuple

import numpy as np

from incerta.mixture.expectation import log_shares
from incerta.mixture.model import Components, Measured
from incerta.mixture.under import Fitted, OneByOne, under
from incerta.typing import Array


class Belief(NamedTuple):
    """The truth of each of n objects: a mixture of k Gaussians."""

    shares: Array  # (n, k)
    centres: Array  # (n, k, d)
    covariances: Array  # (n, k, d, d), or variances (n, k, d)


def belief(measured: Measured, components: Components) -> Belief:
    """Condition the truth on what was measured; exact values come back as they are."""
    n, (k, d) = measured.n_objects, components.means.shape
    by_feature = measured.by_feature(components)
    shares, centres = np.empty((n, k)), np.empty((n, k, d))
    covariances = np.empty((n, k, d) if by_feature else (n, k, d, d))
    for block, some in measured.in_blocks(components):
        fitted = [under(some, components, c) for c in range(k)]
        logs, _ = log_shares(some, [components], OneByOne(fitted).logs())
        exact = some.variances == 0.0
        if some.known is not None:
            exact &= some.known > 0
        shares[block] = np.exp(logs[0]).T
        # Where nothing is open all components say the same.
        shares[block][exact.all(axis=0)] = np.eye(k)[0]
        for c, each in enumerate(fitted):
            centre, covariance = _given(each, components, c, by_feature)
            np.copyto(centre, some.values, where=exact)
            covariance = covariance * ~exact
            if not by_feature:
                covariance *= ~exact[:, None]
            centres[block, c] = centre.T
            covariances[block, c] = np.moveaxis(covariance, -1, 0)
    return Belief(shares, centres, covariances)


def _given(
    fitted: Fitted, components: Components, k: int, by_feature: bool
) -> tuple[Array, Array]:
    """Mean (d, n) and covariance (d, d, n) of the truth, given component `k`."""
    mean = components.means[k][:, None]
    if by_feature:
        own = components.covariances[k][:, None]
        return mean + own * fitted.pulls, own - own**2 * fitted.precision
    own = components.covariance_of(k)
    # V − V T⁻¹ V, with T⁻¹ = L⁻¹' L⁻¹.
    seen = np.einsum("ijn,jl->iln", fitted.precision, own)
    left = own[:, :, None] - np.einsum("iln,imn->lmn", seen, seen)
    return mean + own @ fitted.pulls, left
