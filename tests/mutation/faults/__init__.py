"""The list of faults, by room, and who else may notice one of a room."""

from tests.mutation.faults import (
    density,
    distances,
    divergence,
    ensemble,
    labels,
    laws,
    learners,
    mixtures,
    number,
    outside,
    partition,
    spectral,
    tables,
    worlds,
)

FAULTS = (
    *worlds.FAULTS,
    *laws.FAULTS,
    *labels.FAULTS,
    *distances.FAULTS,
    *divergence.FAULTS,
    *partition.FAULTS,
    *spectral.FAULTS,
    *density.FAULTS,
    *ensemble.FAULTS,
    *number.FAULTS,
    *learners.FAULTS,
    *mixtures.FAULTS,
    *tables.FAULTS,
    *outside.FAULTS,
)

# What is run where the tests of a room notice nothing: those of rooms that build on it.
WIDER = {
    "data": ("worlds", "distances", "mixture", "estimators", "api"),
    "data/laws": ("data", "worlds", "distances", "mixture", "estimators"),
    "worlds": ("selection", "estimators", "api"),
    "selection": ("estimators", "paper"),
    "divergence": ("selection", "estimators", "paper"),
}
