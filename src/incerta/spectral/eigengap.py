"""How many clusters the common embedding suggests."""

import numpy as np

from incerta.spectral.consistency import common_embedding, embeddings_alone
from incerta.spectral.embedding import multiply
from incerta.spectral.laplacians import Laplacians
from incerta.typing import Array
from incerta.worlds import Worlds

MOST_CLUSTERS = 10


def common_eigenvalues(laplacians: Laplacians, k: int) -> Array:
    """Eigenvalues of the mean Laplacian within the space that all worlds share.

    The leading `k` eigenvectors of every world give a common embedding; in it the
    Laplacians are averaged and their k × k mean is diagonalised.
    """
    common = common_embedding(embeddings_alone(laplacians, k).embeddings)
    mean = np.zeros((k, k))
    for laplacian in laplacians:
        mean += common.T @ multiply(laplacian, common) / len(laplacians)
    return np.flip(np.linalg.eigvalsh((mean + mean.T) / 2)).astype(np.float64)


def n_clusters_by_eigengap(worlds: Worlds, n_neighbors: "int | str | None") -> int:
    """Number of clusters before the largest gap of `common_eigenvalues`.

    At least 2, at most 10. With k well separated clusters the leading k eigenvalues
    are near 1 and the next is not. The affinity is self-tuning whatever the fit uses:
    with the median width the first gap hides all others. Overlapping clusters leave
    no clear gap, and a single cluster always shows some: take the answer as a hint.
    """
    n_objects = worlds.shape[1]
    if n_objects <= 2:
        return n_objects
    laplacians = Laplacians(worlds, "self-tuning", n_neighbors=n_neighbors)
    values = common_eigenvalues(laplacians, min(MOST_CLUSTERS + 1, n_objects))
    gaps = values[:-1] - values[1:]
    return 2 + int(gaps[1:].argmax())
