"""Assess AnnData objects in place, without importing anndata."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from incerta.api.assess import Assessment
from incerta.api.assess import assess as assess_data
from incerta.data.construct import exact, from_gaussian
from incerta.data.container import UncertainData
from incerta.data.counts import MOST_FEATURES, from_counts, no_counts
from incerta.exceptions import DataError, IncertaWarning
from incerta.typing import Array
from incerta.wording import unknown_name

# Number of components compared with their errors. Later ones are mostly error, and
# separate errors for each cell cost the cube of this number.
MOST_COMPONENTS = 20
COUNTS, PCA, LOADINGS = "counts", "X_pca", "PCs"
# Relative difference allowed between sums over a cell, in single precision.
ROUNDING = 1e-3
WORDS = ("label", "nearest", "one", "other", "verdict")

__all__ = ["assess"]


def assess(
    adata: Any,
    labels: str,
    *,
    layer: str | None = None,
    use_rep: str | None = None,
    key_added: str | None = None,
    random_state: int = 0,
) -> Assessment:
    """Assess how sure labels of cells are, and write the result into the AnnData.

    Parameters
    ----------
    adata : AnnData
        Cells by genes, with labels in ``obs``. Any object will do that has ``X``,
        ``layers``, ``obs``, ``obs_names``, ``obsm``, ``uns``, ``var_names`` and
        ``varm``.
    labels : str
        Column of ``obs`` with the labels, such as "leiden".
    layer : str, optional
        Layer with counts. Without `use_rep`, cells are compared as by `from_counts`: by
        logarithms of the shares of counts, with counting errors, in the 2000 genes that
        vary most. A layer that does not hold counts is taken as exact.
    use_rep : str, optional
        Entry of ``obsm`` by which cells are compared. By default "X_pca" if it exists,
        else ``layers["counts"]``, else ``X``.
    key_added : str, optional
        Prefix of the names that are written; by default the name of `labels`.
    random_state : int, default=0
        The same seed always gives the same answer.

    Returns
    -------
    Assessment
        The result of `incerta.assess`. ``obs["leiden_right"]`` has the probability that
        the label is right, ``obs["leiden_set"]`` the plausible labels, separated by
        ``|``, and ``uns["leiden_assess"]`` the score, the labels and the pairs of
        labels, in a form that can be written to a file.

    Notes
    -----
    "X_pca" has errors if the counts are in ``layers["counts"]`` (or `layer`), ``X`` is
    ``log1p`` of counts that were normalized, as scanpy makes it, and ``varm["PCs"]``
    has the loadings. A count n that became ``f(n)`` has a variance of about
    ``n (f(n) − f(n − 1))²``: its mean is the bound of Poincaré's inequality for
    Poisson counts, which is sharp for rare and for frequent counts alike. It is 0 where
    the count is 0. Squared loadings carry these variances to the first 20 components.
    Correlations between components are small and left out; later components are mostly
    error. After ``scanpy.pp.scale``, and in other embeddings, values are taken as
    exact. Embeddings that tear cells apart, such as UMAP, show valleys that the data do
    not have: do not assess labels there.

    The cost is that of `incerta.assess`, plus one pass over the counts to find the 2000
    genes that vary most.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> import numpy as np
    >>> import incerta as ic
    >>> values = np.random.default_rng(0).normal(size=(300, 3))
    >>> values[:150, 0] += 8.0
    >>> adata = SimpleNamespace(  # or a real one
    ...     obs={"leiden": np.repeat(["0", "1"], 150)}, obs_names=np.arange(300),
    ...     obsm={"X_pca": values}, layers={}, varm={}, uns={},
    ... )
    >>> found = ic.scverse.assess(adata, "leiden")
    >>> found.pairs[0].verdict, adata.obs["leiden_right"].shape
    ('separate', (300,))
    """
    data, source = data_of(adata, layer, use_rep)
    found = assess_data(
        data, np.asarray(_get(adata.obs, labels, "obs")), random_state=random_state
    )
    name = key_added or labels
    adata.obs[f"{name}_right"] = found.right
    adata.obs[f"{name}_set"] = found.columns()["label_set"]
    adata.uns[f"{name}_assess"] = {"values": source} | _as_arrays(found.summary())
    return found


def data_of(
    adata: Any, layer: str | None, use_rep: str | None
) -> tuple[UncertainData, str]:
    """Return the cells as they are compared, and their source in words."""
    if use_rep is None and layer is None and PCA in adata.obsm:
        use_rep = PCA
    if layer is None and COUNTS in adata.layers:
        layer = COUNTS
    std: Array | None = None
    if use_rep is not None:
        values = np.asarray(_get(adata.obsm, use_rep, "obsm"), dtype=np.float64)
        source = f"obsm[{use_rep!r}]"
        if use_rep == PCA and LOADINGS in adata.varm and layer is not None:
            counts = csr_array(_get(adata.layers, layer, "layers"), dtype=np.float64)
            loadings = np.asarray(adata.varm[LOADINGS])[:, :MOST_COMPONENTS]
            std = _carried(counts, adata.X, loadings, layer)
            if std is not None:
                values = values[:, :MOST_COMPONENTS]
                source += f", errors of layers[{layer!r}]"
        names = [f"{use_rep}_{j + 1}" for j in range(values.shape[1])]
    else:
        source = "X" if layer is None else f"layers[{layer!r}]"
        matrix = adata.X if layer is None else _get(adata.layers, layer, "layers")
        return _expression(csr_array(matrix, dtype=np.float64), adata, source)
    ids = np.asarray(adata.obs_names)
    if std is None:
        return exact(values, ids=ids, feature_names=names), source
    return from_gaussian(values, std=std, ids=ids, feature_names=names), source


def _expression(
    matrix: csr_array, adata: Any, source: str
) -> tuple[UncertainData, str]:
    """Take the genes that vary most: counts as rates, other values as exact."""
    ids, names = np.asarray(adata.obs_names), np.asarray(adata.var_names).astype(str)
    if not no_counts(matrix.data).any():
        data = from_counts(matrix, ids=ids, feature_names=names.tolist())
        return data, f"{source}, counts"
    squares, means = matrix.power(2).mean(axis=0), matrix.mean(axis=0)
    varies = squares - np.square(means)
    genes = np.sort(np.argsort(-varies, kind="stable")[:MOST_FEATURES])
    values: Array = matrix[:, genes].toarray()
    return exact(values, ids=ids, feature_names=names[genes].tolist()), source


def _carried(counts: csr_array, X: Any, loadings: Array, layer: str) -> Array | None:
    """Carry counting errors to components; None if ``X`` was not made from counts."""
    logs = csr_array(X, dtype=np.float64)
    with np.errstate(over="ignore"):
        factors = logs.expm1().sum(axis=1) / np.maximum(counts.sum(axis=1), 1.0)
    of_each = np.repeat(factors, np.diff(counts.indptr))
    there = np.log1p(np.maximum(of_each * counts.data, 0.0))
    made = csr_array((there, counts.indices, counts.indptr), counts.shape)
    if not np.allclose(made.sum(axis=1), logs.sum(axis=1), rtol=ROUNDING):
        msg = (
            f"X is not log1p of the normalized counts in layers[{layer!r}], so {PCA} "
            f"is taken as exact. To compare cells by the counts and their errors, pass "
            f"layer={layer!r}."
        )
        warnings.warn(msg, IncertaWarning, stacklevel=4)
        return None
    steps = there - np.log1p(of_each * np.maximum(counts.data - 1.0, 0.0))
    made.data = counts.data * np.square(steps)
    return np.sqrt(made @ np.square(loadings))


def _get(where: Any, name: str, what: str) -> Any:
    if name not in where:
        raise DataError(unknown_name(f"entry of {what}", name, list(where)))
    return where[name]


def _as_arrays(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Turn the result into numbers and arrays, which anndata can write."""
    some = ("objects", "wrong", "score", "score_joined", "seed")
    numbers = {name: np.nan if facts[name] is None else facts[name] for name in some}
    tables = {
        table: {n: _column(n, facts[table]) for n in facts[table][0]}
        for table in ("clusters", "pairs")
        if facts[table]
    }
    return numbers | {"sentences": np.array(facts["sentences"])} | tables


def _column(name: str, rows: Sequence[Mapping[str, Any]]) -> Array:
    cells = [row[name] for row in rows]
    if name in WORDS:
        return np.array(["" if cell is None else str(cell) for cell in cells])
    return np.array([np.nan if cell is None else cell for cell in cells])
