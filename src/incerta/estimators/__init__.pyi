from ._ckmeans import CKMeans
from ._consensus import WorldConsensus
from ._error_mixture import ErrorMixture
from ._expected import ExpectedSpectral
from ._fdbscan import FDBSCAN
from ._foptics import FOPTICS
from ._medoids import UKMedoids
from ._mmvar import MMVar
from ._pdbscan import PDBSCAN
from ._pwc import PossibleWorldConsistency
from ._rep import REP
from ._rpc import RPC
from ._sc import SC
from ._ucpc import UCPC
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
    "CKMeans",
    "UKMedoids",
    "MMVar",
    "UCPC",
    "FDBSCAN",
    "PDBSCAN",
    "FOPTICS",
    "SC",
    "REP",
    "WorldConsensus",
]
