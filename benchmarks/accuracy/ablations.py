"""The default, with one ingredient left out or changed."""

from collections.abc import Callable
from unittest.mock import patch

import numpy as np

import incerta as ic
from incerta.views import fusion, partition
from incerta.views.truths import Measurements

# In the order in which views are fused.
VIEWS = ("mixture", "centres", "neighbours", "nearness")
with_model = Measurements.with_model


def default(data, k, seed):
    return ic.cluster(data, k, "auto", seed, scale=False)


def as_beliefs(data, k, seed):
    """Measured values are taken for the centres of beliefs, as in the paper."""
    return default(data.with_meaning("belief"), k, seed)


def without_errors(data, k, seed):
    """Measured values are taken for exact."""
    return default(ic.as_uncertain(data.mean()), k, seed)


def scaled_by_means(data, k, seed):
    """Features are scaled by the spread of their means, without that of the values."""
    return default(ic.Standardizer(spread="means").fit_transform(data), k, seed)


def without(*views: str) -> Callable:
    """All views but some."""
    kept = np.array([name not in views for name in VIEWS], dtype=float)
    agreement = fusion.agreement

    def found(data, k, seed):
        def of_some(shared):
            mask = np.append(kept, np.ones(len(shared) - len(kept)))
            return agreement(shared * np.outer(mask, mask)) * mask

        with patch.object(fusion, "agreement", of_some):
            return default(data, k, seed)

    return found


def views_alike(data, k, seed):
    """Views count by their agreement alone, whether they find clusters again or not."""
    with patch.object(partition, "STABLE_POWER", 0):
        return default(data, k, seed)


def one_gaussian(truths, data, model, seed):
    """True values are of one Gaussian."""
    return (truths,)


def clusters_only(truths, data, model, seed):
    """True values are of as many Gaussians as there are clusters."""
    return (Measurements((model.components,)),)


def half_and_half(truths, data, model, seed):
    """Both in turn, even where more Gaussians are better."""
    return (Measurements((*truths.priors, model.components)),)


def always_by_turns(truths, data, model, seed):
    """One Gaussian and the mixture by turns, whatever the evidence for the mixture."""
    several = with_model(truths, data, model, seed)[0].priors[-1]
    return (Measurements((*truths.priors, several)),)


def mixture_alone(truths, data, model, seed):
    """All worlds of the mixture, whatever the evidence for it."""
    return (Measurements(with_model(truths, data, model, seed)[0].priors[-1:]),)


def with_prior(prior: Callable) -> Callable:
    def found(data, k, seed):
        with patch.object(Measurements, "with_model", prior):
            return default(data, k, seed)

    return found


ABLATIONS = {
    "values as beliefs": as_beliefs,
    "without errors": without_errors,
    "scaled by means": scaled_by_means,
    "views alike": views_alike,
    "no mixture": without("mixture"),
    "no centres": without("centres"),
    "no graphs": without("neighbours", "nearness"),
    "Gaussian worlds": with_prior(one_gaussian),
    "mixture worlds": with_prior(clusters_only),
    "no more Gaussians": with_prior(half_and_half),
    "always by turns": with_prior(always_by_turns),
    "mixture alone": with_prior(mixture_alone),
}
