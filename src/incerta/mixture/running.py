"""Objects that come in pieces: running moments, and components from them.

O. Cappé, E. Moulines, "On-line expectation–maximization algorithm for latent data
models", J. R. Stat. Soc. B 71, 2009.
"""

from __future__ import annotations

from typing import NamedTuple

from incerta.mixture.expectation import Sums
from incerta.mixture.maximisation import Moments, Prior, moments, with_prior
from incerta.mixture.model import Components
from incerta.models.registry import stored
from incerta.typing import Array

# A piece that is a share p of all objects so far counts for p**0.6. What earlier pieces
# said was said with worse components: it counts for less than their share.
FORGETTING = 0.6


@stored()
class Running(NamedTuple):
    """What the pieces so far said."""

    moments: Moments
    prior: Prior

    def and_then(self, before: Components, found: Sums) -> Running:
        """With one more piece, of which there are the sums under `before`."""
        new = moments(before, found)
        share = new.n_objects / (self.moments.n_objects + new.n_objects)
        return self._replace(moments=blended(self.moments, new, share**FORGETTING))

    def components(self, before: Components) -> Components:
        """The components now, of the same kind as those before."""
        return with_prior(self.moments, before, self.prior)


def blended(old: Moments, new: Moments, step: float) -> Moments:
    """Old moments to a share of ``1 - step``, and new ones to a share of `step`."""
    total = old.n_objects + new.n_objects
    a = (1.0 - step) * old.counts / old.n_objects
    b = step * new.counts / new.n_objects
    part = b / (a + b)
    gaps = new.means - old.means
    by_feature = old.spreads.ndim == 2
    squares = gaps**2 if by_feature else gaps[:, :, None] * gaps[:, None]

    def each(weights: Array) -> Array:
        return weights.reshape(-1, *(1,) * (old.spreads.ndim - 1))

    within = each(1.0 - part) * old.spreads + each(part) * new.spreads
    return Moments(
        (a + b) * total,
        old.means + part[:, None] * gaps,
        within + each(part * (1.0 - part)) * squares,
        total,
    )
