"""Which laws there are, for whom they do not hold, and why."""

from typing import NamedTuple

from tests.metamorphic import features, order, runs, values
from tests.metamorphic.law import ROUNDING
from tests.metamorphic.subjects import NAMES

LAWS = (*order.LAWS, *features.LAWS, *values.LAWS, *runs.LAWS)
BY_NAME = {law.name: law for law in LAWS}


class Listing(NamedTuple):
    """Laws that do not hold for some estimators, for one reason."""

    reason: str
    laws: tuple[str, ...]
    names: tuple[str, ...]


# They measure distances over all features.
BY_DISTANCE = (
    "AutoClusterer",
    "RPC",
    "ExpectedSpectral",
    "UKMeans",
    "UKMedoids",
    "FDBSCAN",
    "FOPTICS",
    "WorldConsensus",
    "SupportMeasureClassifier",
    "WorldsClassifier",
    "UMicro",
    "SlidingUMicro",
    "StreamRPC",
)
# They draw no worlds.
WITHOUT_WORLDS = (
    "ErrorMixture",
    "ErrorDiscriminant",
    "UncertainNaiveBayes",
    "SupportMeasureClassifier",
    "UMicro",
    "SlidingUMicro",
)
LISTED = (
    Listing(
        "Worlds are drawn by id. These are other worlds of the same objects: answers "
        "are equal in distribution only.",
        ("ids, drawn",),
        tuple(name for name in NAMES if name not in WITHOUT_WORLDS),
    ),
    Listing(
        "Membership weights the objects at random, by their ids, anew in each world.",
        ("ids", "draws"),
        ("UKMeans",),
    ),
    Listing(
        "Starts are drawn in the order of the ids, and others for each world by its "
        "number.",
        ("ids", "draws"),
        ("AutoClusterer",),
    ),
    Listing(
        "Starts are drawn in the order of the ids; a fit ends a little before or after "
        "another one.",
        ("ids",),
        ("ErrorMixture",),
    ),
    Listing(
        "Probabilities come from parts of the objects left out, dealt in the order of "
        "the ids.",
        ("ids", "ids, drawn"),
        ("SupportMeasureClassifier",),
    ),
    Listing(
        "Distances are taken of the features as they are, so that units are weights. "
        "Standardizer takes them off; cluster() and the command line do so.",
        ("one ×1024",),
        BY_DISTANCE,
    ),
    Listing(
        "1e-9 of the largest variance of all features is added to each, as by its "
        "classical twin.",
        ("one ×1024",),
        ("UncertainNaiveBayes",),
    ),
    Listing(
        "Beliefs are correlated. Their worlds are drawn along one axis after the "
        "other: in another order these are other worlds of the same objects.",
        ("features",),
        ("WorldsClassifier",),
    ),
    Listing(
        "The prior gives each Gaussian a variance in the idle feature, too, and the "
        "less of it the more objects it has.",
        ("constant",),
        (
            "AutoClusterer",
            "ErrorMixture",
            "ErrorDiscriminant",
            "SupportMeasureClassifier",
        ),
    ),
    Listing(
        "Values are evidence of what an object is like, and twice as many are more of "
        "it.",
        ("twice",),
        ("AutoClusterer",),
    ),
    Listing(
        "Of two worlds that stand for the others equally well, that with the lower "
        "number is kept.",
        ("draws",),
        ("RPC", "StreamRPC"),
    ),
    Listing(
        "It is a stream: what comes first decides on the first clusters.",
        ("rows",),
        ("UMicro", "SlidingUMicro", "StreamRPC"),
    ),
)
# What is exact for others holds to rounding here: logarithms are added.
BY_LOGARITHMS = {
    ("×2", name)
    for name in (
        "AutoClusterer",
        "ErrorMixture",
        "ErrorDiscriminant",
        "UncertainNaiveBayes",
    )
}


def listed(law, name):
    """Number of the reason why a law does not hold; None if it does."""
    found = [
        number
        for number, each in enumerate(LISTED)
        if law.name in each.laws and name in each.names
    ]
    assert len(found) <= 1, (law.name, name)
    return found[0] if found else None


def limit(law, name):
    """How far two answers may be apart."""
    exact = law.exact and (law.name, name) not in BY_LOGARITHMS
    return 0.0 if exact else ROUNDING
