"""Cluster data that is not exact, and learn how sure each label is.

Names are imported when they are first used, and no optional library with them.
"""

import lazy_loader

from incerta import classifiers, data, estimators, streams
from incerta.version import __version__

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submodules=(
        "classifiers",
        "data",
        "datasets",
        "divergence",
        "estimators",
        "metrics",
        "plot",
        "published",
        "report",
        "scverse",
        "selection",
        "spectral",
        "streams",
        "worlds",
    ),
    submod_attrs={
        "api": ("Clustering", "cluster", "load", "save"),
        "api.assess": ("AssessedLabel", "AssessedPair", "Assessment", "assess"),
        "api.check": ("Check", "check_classifier"),
        "api.members": ("Group", "Members", "members"),
        "api.comparison": ("Comparison", "compare"),
        "classifiers": tuple(classifiers.__all__),
        "data": tuple(set(data.__all__) - {"from_distribution_array"}),
        "api.watcher": ("Watcher",),
        "estimators": tuple(estimators.__all__),
        "mixture": ("Deconvolver",),
        "directions": ("Directions",),
        "number": ("NumberOfClusters", "choose_k"),
        "streams": tuple(streams.__all__),
        "worlds": ("Worlds",),
    },
)
__all__ += ["__version__"]
