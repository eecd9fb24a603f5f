"""A common embedding of many worlds: affinity, Laplacian, eigenvectors, consistency."""

from incerta.spectral.affinity import gaussian_affinity, normalized_laplacian
from incerta.spectral.consistency import Consistency, consistency, consistency_sweeps
from incerta.spectral.embedding import leading_eigenvectors
from incerta.spectral.laplacians import Laplacians

__all__ = [
    "Consistency",
    "Laplacians",
    "consistency",
    "consistency_sweeps",
    "gaussian_affinity",
    "leading_eigenvectors",
    "normalized_laplacian",
]
