"""Divergences between worlds; each function returns an (n_worlds, n_worlds) matrix."""

from incerta.divergence.clusterings import between_clusterings
from incerta.divergence.energy import energy
from incerta.divergence.jensen_shannon import (
    SaturationWarning,
    jensen_shannon,
    jensen_shannon_per_feature,
)

__all__ = [
    "SaturationWarning",
    "between_clusterings",
    "energy",
    "jensen_shannon",
    "jensen_shannon_per_feature",
]
