"""Methods by name: estimators, and clusterers of scikit-learn in every world.

Here is the one list of names. Nothing is imported before a method is made, as
``--help`` lists them.
"""

from importlib import import_module
from typing import Any, NamedTuple

from incerta import estimators


class Clusterer(NamedTuple):
    """A class of scikit-learn, and what is set where its own default does not do."""

    home: str
    name: str
    settings: dict[str, Any] = {}


# All but the one that needs a clusterer.
OWN = tuple(name for name in estimators.__all__ if name != "WorldConsensus")
# Those that `WorldConsensus` runs in every world.
IN_WORLDS = {
    "kmeans": Clusterer("sklearn.cluster", "KMeans", {"n_init": 3}),
    "gmm": Clusterer("sklearn.mixture", "GaussianMixture"),
    "agglomerative": Clusterer("sklearn.cluster", "AgglomerativeClustering"),
    "spectral": Clusterer("sklearn.cluster", "SpectralClustering"),
    "birch": Clusterer("sklearn.cluster", "Birch"),
    # Without copy it warns of what its default will be.
    "hdbscan": Clusterer("sklearn.cluster", "HDBSCAN", {"copy": True}),
    "dbscan": Clusterer("sklearn.cluster", "DBSCAN"),
    "optics": Clusterer("sklearn.cluster", "OPTICS"),
    "meanshift": Clusterer("sklearn.cluster", "MeanShift"),
}
# What help and messages list; the rivals in `incerta.published` have names, too.
METHODS = (*OWN, *IN_WORLDS)
PUBLISHED = (
    "CKMeans",
    "MMVar",
    "UCPC",
    "PDBSCAN",
    "SC",
    "REP",
    "PossibleWorldConsistency",
)
NAMES = (*METHODS, *PUBLISHED)
# What `incerta.compare` runs if it is not told, and what it adds: clusterers of
# scikit-learn that take the values for exact.
COMPARED = ("AutoClusterer", "UKMeans", "RPC", "FDBSCAN")
CONTROLS = KMEANS, HDBSCAN = "k-means on the values", "HDBSCAN on the values"


def spelled(name: str) -> str | None:
    """A name as it is written, from any upper or lower case; None if there is none."""
    return {each.lower(): each for each in NAMES}.get(name.lower())


def made(name: str) -> Any:
    """Make an estimator of ours or a clusterer of scikit-learn, unfitted."""
    if name in IN_WORLDS:
        clusterer = IN_WORLDS[name]
        cls = getattr(import_module(clusterer.home), clusterer.name)
        return cls(**clusterer.settings)
    home = "incerta.published" if name in PUBLISHED else "incerta.estimators"
    return getattr(import_module(home), name)()
