from ._consensus import WorldConsensus
from ._error_mixture import ErrorMixture
from ._expected import ExpectedSpectral
from ._fdbscan import FDBSCAN
from ._foptics import FOPTICS
from ._medoids import UKMedoids
from ._pwc import PossibleWorldConsistency
from ._rpc import RPC
from ._ukmeans import UKMeans
from ._views import ViewConsensus

# In the order in which the command line and the pages list them.
__all__ = [
    "ViewConsensus",
    "RPC",
    "ExpectedSpectral",
    "PossibleWorldConsistency",
    "ErrorMixture",
    "UKMeans",
    "UKMedoids",
    "FDBSCAN",
    "FOPTICS",
    "WorldConsensus",
]
