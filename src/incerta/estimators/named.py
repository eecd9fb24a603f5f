"""Methods by name: estimators, and scikit-learn clusterers run in every world.

All names are listed here. A class is imported only when it is made, so that ``--help``
is fast.
"""

from importlib import import_module
from typing import Any, NamedTuple

from incerta import estimators


class Clusterer(NamedTuple):
    """A class of scikit-learn, with settings that replace its defaults."""

    home: str
    name: str
    settings: dict[str, Any] = {}


# All but WorldConsensus, which needs a clusterer.
OWN = tuple(name for name in estimators.__all__ if name != "WorldConsensus")
# Clusterers of scikit-learn that `WorldConsensus` runs in every world.
IN_WORLDS = {
    "kmeans": Clusterer("sklearn.cluster", "KMeans", {"n_init": 3}),
    "gmm": Clusterer("sklearn.mixture", "GaussianMixture"),
    "agglomerative": Clusterer("sklearn.cluster", "AgglomerativeClustering"),
    "spectral": Clusterer("sklearn.cluster", "SpectralClustering"),
    "birch": Clusterer("sklearn.cluster", "Birch"),
    # Without copy=True it warns that the default will change.
    "hdbscan": Clusterer("sklearn.cluster", "HDBSCAN", {"copy": True}),
    "dbscan": Clusterer("sklearn.cluster", "DBSCAN"),
    "optics": Clusterer("sklearn.cluster", "OPTICS"),
    "meanshift": Clusterer("sklearn.cluster", "MeanShift"),
}
# Names in help and messages. The methods in `incerta.published` have names, too.
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
# Methods of `incerta.compare` by default, and the baselines that it adds:
# scikit-learn's clusterers, which treat the values as exact.
COMPARED = ("AutoClusterer", "UKMeans", "RPC", "FDBSCAN")
CONTROLS = KMEANS, HDBSCAN = "k-means on the values", "HDBSCAN on the values"


def spelled(name: str) -> str | None:
    """Return the exact spelling of a name in any case, or None if it is unknown."""
    return {each.lower(): each for each in NAMES}.get(name.lower())


def made(name: str) -> Any:
    """Return an unfitted estimator of this library or clusterer of scikit-learn."""
    if name in IN_WORLDS:
        clusterer = IN_WORLDS[name]
        cls = getattr(import_module(clusterer.home), clusterer.name)
        return cls(**clusterer.settings)
    home = "incerta.published" if name in PUBLISHED else "incerta.estimators"
    return getattr(import_module(home), name)()
