"""The list of faults, by room, and who else may notice one of a room."""

from tests.mutation.faults import laws, learners, mixtures, outside, tables, worlds

FAULTS = (
    *worlds.FAULTS,
    *laws.FAULTS,
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
