"""Worlds that are all as far apart as can be."""

import warnings

import numpy as np

from incerta.exceptions import IncertaWarning
from incerta.typing import Array

# The largest Jensen–Shannon divergence that there is.
LOG_2 = float(np.log(2.0))


class SaturationWarning(IncertaWarning):
    """All worlds look equally far apart, so that choosing among them is arbitrary."""


def warn_if_saturated(divergences: Array) -> None:
    """Warn if all pairs are as far apart as densities can be."""
    n_worlds = len(divergences)
    if n_worlds < 3:
        return
    apart = divergences[np.triu_indices(n_worlds, 1)]
    flat = np.ptp(apart) < 1e-3 * LOG_2 and apart.mean() > 0.5 * LOG_2
    if flat or apart.mean() > 0.99 * LOG_2:
        msg = (
            f"the divergences of all pairs of worlds lie between {apart.min():.4f} and "
            f"{apart.max():.4f} (log 2 = 0.6931 is the maximum), so choosing "
            "among these worlds is arbitrary. Use bandwidth='scott', or "
            "jensen_shannon_per_feature, which does not saturate."
        )
        warnings.warn(msg, SaturationWarning, stacklevel=3)
