"""The estimators, scikit-learn style."""

from incerta.estimators._ckmeans import CKMeans
from incerta.estimators._consensus import WorldConsensus
from incerta.estimators._expected import ExpectedSpectral
from incerta.estimators._fdbscan import FDBSCAN
from incerta.estimators._foptics import FOPTICS
from incerta.estimators._medoids import UKMedoids
from incerta.estimators._mmvar import MMVar
from incerta.estimators._pdbscan import PDBSCAN
from incerta.estimators._pwc import PossibleWorldConsistency
from incerta.estimators._rep import REP
from incerta.estimators._rpc import RPC
from incerta.estimators._sc import SC
from incerta.estimators._ucpc import UCPC
from incerta.estimators._ukmeans import UKMeans

__all__ = [
    "FDBSCAN",
    "FOPTICS",
    "PDBSCAN",
    "REP",
    "RPC",
    "SC",
    "UCPC",
    "CKMeans",
    "ExpectedSpectral",
    "MMVar",
    "PossibleWorldConsistency",
    "UKMeans",
    "UKMedoids",
    "WorldConsensus",
]
