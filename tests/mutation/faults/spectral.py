"""Faults on the way from worlds to a common embedding."""

from functools import partial

from tests.mutation.fault import Fault

Spectral = partial(Fault, room="spectral/test_spectral.py")
Krylov = partial(Fault, room="spectral/test_krylov.py")

FAULTS = (
    Spectral(
        "spectral/affinity.py",
        "return _positive(distances[:, -1]) * width_scale / np.sqrt(2.0)",
        "return _positive(distances[:, -1]) * width_scale",
        "self-tuning widths are not those of the rule",
    ),
    Spectral(
        "spectral/affinity.py",
        "apart = squares[one, other]",
        "apart = squares.ravel()",
        "objects count as neighbours of themselves in the median",
    ),
    Spectral(
        "spectral/affinity.py",
        "        values = values[picked]\n",
        "        values = values[:MEDIAN_OBJECTS]\n",
        "the median distance is that of the first objects",
    ),
    Spectral(
        "spectral/affinity.py",
        "    both = one_way.maximum(one_way.T)\n",
        "    both = one_way.minimum(one_way.T)\n",
        "only neighbours of each other are near",
    ),
    Spectral(
        "spectral/affinity.py",
        "scales = _positive(distances[:, min(TUNING_NEIGHBOUR, k) - 1])",
        "scales = _positive(distances[:, -1])",
        "scales are distances to the last of many neighbours",
    ),
    Spectral(
        "spectral/affinity.py",
        "np.where(degrees > 0.0, degrees**-0.5, 0.0)",
        "degrees**-0.5",
        "an object without affinity has an infinite row",
    ),
    Spectral(
        "spectral/consistency.py",
        "common=common_embedding(last.per_world)",
        "common=last.common",
        "U* is that of the sweep before",
    ),
    Spectral(
        "spectral/consistency.py",
        "float(own + weight * agreement)",
        "float(own + agreement)",
        "the objective does not know the weight",
    ),
    Spectral(
        "spectral/consistency.py",
        "return vectors, images - weight * (common @ (common.T @ vectors))",
        "return vectors, images",
        "products with the Laplacian hold the pull as well",
    ),
    Spectral(
        "spectral/consistency.py",
        "return 2 + int(gaps[1:].argmax())",
        "return 1 + int(gaps[1:].argmax())",
        "the eigengap counts one cluster too few",
    ),
    Spectral(
        "spectral/affinity.py",
        "values = of_row * matrix.data * root[matrix.indices]",
        "values = of_row**2 * matrix.data",
        "columns of a sparse graph are scaled like its rows",
    ),
    Spectral(
        "spectral/embedding.py",
        "eigh(dense, subset_by_index=(n - k, n - 1))",
        "eigh(dense, subset_by_index=(0, k - 1))",
        "of few rows the last eigenvectors are taken",
    ),
    Krylov(
        "spectral/embedding.py",
        "        new = complement(new, space)\n",
        "        pass\n",
        "what is left of a vector keeps its rounding errors",
    ),
    Krylov(
        "spectral/embedding.py",
        "worst = np.linalg.norm(rest @ rotation[old:, :k], axis=0).max()",
        "worst = np.linalg.norm(rest @ rotation[:k, :k], axis=0).max()",
        "residuals are those of other vectors",
    ),
    Krylov(
        "spectral/embedding.py",
        "            np.fill_diagonal(small[:m, :m], values[:m])\n",
        "",
        "a space that is cut back forgets its eigenvalues",
    ),
    Krylov(
        "spectral/embedding.py",
        "    return int(np.clip(steps, 1, LONGEST_WAIT))",
        "    return 50",
        "residuals are looked at long after they are small",
    ),
    Krylov(
        "spectral/embedding.py",
        "    told = squares > SMALLEST_SQUARE\n",
        "    told = squares > -1.0\n",
        "what is in the space already is added to it as noise",
    ),
    Spectral(
        "spectral/embedding.py",
        "return rows / np.where(lengths > 0, lengths, 1.0)",
        "return rows / lengths",
        "a row of zeros cannot be scaled",
    ),
    Spectral(
        "spectral/extension.py",
        "own = np.sqrt(np.partition(squares, k, axis=1)[:, k] / 2.0)",
        "own = np.sqrt(np.partition(squares, k, axis=1)[:, k])",
        "new objects have another self-tuning width",
    ),
    Spectral(
        "spectral/extension.py",
        "    logs -= logs.max(axis=1, keepdims=True)\n",
        "",
        "a value far from everything vanishes",
    ),
    Spectral(
        "spectral/extension.py",
        "    left, _, right = np.linalg.svd(embedding.T @ common)\n",
        "    left, _, right = np.linalg.svd(common.T @ embedding)\n",
        "embeddings are turned the wrong way",
    ),
    Spectral(
        "spectral/embedding.py",
        "found.cluster_centers_[with_empty_last(order, n_clusters)]",
        "found.cluster_centers_",
        "centres are not in the order of the labels",
    ),
    Spectral(
        "spectral/laplacians.py",
        "            return Laplacians(self.worlds[j], *how, self.weights)\n",
        "            return Laplacians(self.worlds[j])\n",
        "some of the Laplacians have another width",
    ),
)
