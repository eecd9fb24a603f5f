"""The default, with one ingredient left out or changed."""

from collections.abc import Callable
from unittest.mock import patch

import incerta as ic
from incerta import settings
from incerta.api.comparison import filled_means
from incerta.views.look import ALL
from incerta.views.truths import Measurements


def default(data, k, seed):
    return ic.cluster(data, k, "auto", seed, scale=False)


def as_beliefs(data, k, seed):
    """Use measured values as centers of beliefs, as in the paper."""
    return default(data.with_meaning("belief"), k, seed)


def without_errors(data, k, seed):
    """Use measured values as exact values."""
    return default(ic.as_uncertain(filled_means(data)), k, seed)


def scaled_by_means(data, k, seed):
    """Scale features by the spread of their means instead of their values."""
    return default(ic.Standardizer(spread="means").fit_transform(data), k, seed)


def without_worlds(data, k, seed):
    """Use views of the given data only, with memberships by laws of clusters."""
    with patch.object(Measurements, "certain", lambda truths, data: True):
        return default(data, k, seed)


def without(left_out: str) -> Callable:
    """Use all views but one."""
    views = [view for view in ALL if view != left_out]

    def found(data, k, seed):
        return ic.cluster(data, k, "auto", seed, scale=False, params={"views": views})

    return found


def with_constant(name: str, value: float) -> Callable:
    def found(data, k, seed):
        with patch.object(settings, name, value):
            return default(data, k, seed)

    return found


ABLATIONS = {
    "as beliefs": as_beliefs,
    "without errors": without_errors,
    "scaled by means": scaled_by_means,
    "without worlds": without_worlds,
    "views alike": with_constant("SHARPNESS", 0.0),
    "the best view": with_constant("SHARPNESS", 1e6),
    "without stability": with_constant("STABLE", 0.0),
    **{f"without {view}": without(view) for view in ALL},
}
