"""Labels of cells, assessed in AnnData objects, or in what looks like one."""

from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import incerta as ic
from incerta import scverse
from incerta.exceptions import DataError, IncertaWarning

N_CELLS, N_GENES, N_COMPONENTS = 300, 60, 3


def counts_of(seed=0, n=N_CELLS, depth=2000.0):
    """Counts of three types of cells, their types, and the counts of two more looks."""
    rng = np.random.default_rng(seed)
    shares = rng.gamma(0.5, size=N_GENES) * np.exp(rng.normal(size=(3, N_GENES)))
    shares /= shares.sum(axis=1, keepdims=True)
    types = np.arange(n) % 3
    expected = shares[types] * depth * np.exp(0.5 * rng.normal(size=(n, 1)))
    return rng.poisson(expected), types, rng.poisson(expected, (2, n, N_GENES))


def normalized(counts, target=1000.0):
    return np.log1p(counts * (target / counts.sum(axis=1, keepdims=True)))


def cells(counts, types, form=sparse.csr_matrix):
    """What looks like AnnData after the usual steps."""
    X = normalized(counts)
    loadings = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)[2]
    loadings = loadings[:N_COMPONENTS].T
    return SimpleNamespace(
        X=form(X),
        layers={"counts": form(counts)},
        obs={"leiden": types.astype(str)},
        obs_names=np.array([f"c{i}" for i in range(len(counts))]),
        obsm={"X_pca": (X - X.mean(axis=0)) @ loadings},
        uns={},
        var_names=np.array([f"g{j}" for j in range(counts.shape[1])]),
        varm={"PCs": loadings},
    )


def test_what_is_written_is_what_is_found():
    counts, types, _ = counts_of()
    adata = cells(counts, types)
    adata.obs["leiden"][:2] = ""
    found = scverse.assess(adata, "leiden", key_added="types", random_state=3)
    np.testing.assert_array_equal(adata.obs["types_right"], found.right)
    assert np.isnan(adata.obs["types_right"][:2]).all()
    assert adata.obs["types_set"].tolist() == ["|".join(s) for s in found.sets()]
    told = adata.uns["types_assess"]
    assert told["values"] == "obsm['X_pca'], errors of layers['counts']"
    assert (told["seed"], told["score"]) == (3, found.score)
    assert told["clusters"]["label"].tolist() == ["0", "1", "2"]
    assert told["clusters"]["size"].tolist() == [99, 99, 100]
    assert told["pairs"]["verdict"].tolist() == ["separate"] * 3
    assert found.data.feature_names == ("X_pca_1", "X_pca_2", "X_pca_3")
    assert found.data.ids.tolist() == adata.obs_names.tolist()


def test_labels_are_categories_of_pandas():
    pandas = pytest.importorskip("pandas", reason="needs the extra test")
    counts, types, _ = counts_of()
    adata = cells(counts, types)
    found = scverse.assess(adata, "leiden")
    known = pandas.Categorical(types.astype(str)).set_categories(["2", "1", "0"])
    adata.obs = pandas.DataFrame({"leiden": known}, index=adata.obs_names)
    adata.obs.loc["c0", "leiden"] = None
    again = scverse.assess(adata, "leiden")
    assert again.names.tolist() == found.names.tolist()
    assert np.isnan(adata.obs["leiden_right"]).sum() == 1
    assert adata.obs["leiden_set"].tolist()[1:3] == ["1", "2"]


def test_all_that_is_written_can_be_in_a_file():
    counts, types, _ = counts_of()
    adata = cells(counts, np.minimum(types, 0))  # without pairs, and NaN as the score
    scverse.assess(adata, "leiden")

    def check(value):
        if isinstance(value, dict):
            return all(isinstance(name, str) and check(value[name]) for name in value)
        if isinstance(value, np.ndarray):
            return value.dtype.kind in "Ufib"
        return isinstance(value, str | int | float)

    assert check(adata.uns["leiden_assess"])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_errors_of_components(form):
    counts, types, _ = counts_of(n=40)
    adata = cells(counts, types, form)
    data, _ = scverse.data_of(adata, None, None)
    loadings = adata.varm["PCs"]
    for i in range(len(counts)):
        factor = 1000.0 / counts[i].sum()
        variance = np.zeros(N_COMPONENTS)
        for j, n in enumerate(counts[i]):
            if n:
                step = np.log1p(factor * n) - np.log1p(factor * (n - 1))
                variance += n * step**2 * loadings[j] ** 2
        np.testing.assert_allclose(data.variance()[i], variance)


@pytest.mark.parametrize("depth", [100.0, 10_000.0])
def test_errors_are_those_of_a_second_look(depth):
    first, types, (second, third) = counts_of(n=3000, depth=depth)
    adata = cells(first, types)
    # Loadings of the first look would know its errors.
    adata.varm["PCs"] = loadings = cells(third, types).varm["PCs"]
    data, _ = scverse.data_of(adata, None, None)
    moved = (normalized(first) - normalized(second)) @ loadings
    ratio = data.variance().mean(axis=0) / (0.5 * np.square(moved).mean(axis=0))
    assert (ratio > 0.9).all()
    assert (ratio < 1.6).all()


def test_later_components_are_left_out_if_there_are_errors(monkeypatch):
    monkeypatch.setattr(scverse, "MOST_COMPONENTS", 2)
    counts, types, _ = counts_of(n=30)
    adata = cells(counts, types)
    data, _ = scverse.data_of(adata, None, None)
    np.testing.assert_array_equal(data.mean(), adata.obsm["X_pca"][:, :2])
    adata.layers = {}
    assert scverse.data_of(adata, None, None)[0].n_features == 3


def test_components_are_exact_if_nobody_knows_how_they_were_made():
    counts, types, _ = counts_of()
    adata = cells(counts, types)
    adata.X = (normalized(counts) - normalized(counts).mean(axis=0)) / 0.3
    with pytest.warns(IncertaWarning, match="X is not log1p of the normalized counts"):
        data, source = scverse.data_of(adata, None, None)
    assert data.exact
    assert source == "obsm['X_pca']"
    del adata.layers["counts"]
    assert scverse.data_of(adata, None, None)[0].exact
    adata.obsm["X_other"] = adata.obsm["X_pca"][:, :2]
    data, source = scverse.data_of(adata, None, "X_other")
    np.testing.assert_array_equal(data.mean(), adata.obsm["X_other"])
    assert source == "obsm['X_other']"


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, sparse.csc_array])
def test_counts_are_taken_as_counts(form):
    counts, types, _ = counts_of()
    adata = cells(counts, types, form)
    data, source = scverse.data_of(adata, "counts", None)
    told = ic.from_counts(counts, ids=adata.obs_names)
    np.testing.assert_allclose(data.mean(), told.mean())
    np.testing.assert_allclose(data.variance(), told.variance())
    assert data.ids.tolist() == told.ids.tolist()
    assert source == "layers['counts'], counts"
    # Without components that is what is taken, and X if it has no layer.
    adata.obsm = {}
    np.testing.assert_array_equal(
        scverse.data_of(adata, None, None)[0].mean(), data.mean()
    )
    adata.layers = {}
    data, source = scverse.data_of(adata, None, None)
    np.testing.assert_allclose(data.mean(), normalized(counts))
    assert (data.exact, source) == (True, "X")


def test_genes_that_vary_most_are_kept(monkeypatch):
    monkeypatch.setattr(scverse, "MOST_FEATURES", 5)
    monkeypatch.setattr("incerta.data.counts.MOST_FEATURES", 5)
    counts, types, _ = counts_of()
    adata = cells(counts, types)
    totals = counts.sum(axis=1)
    expected = np.outer(totals, counts.sum(axis=0) / totals.sum())
    chi_squares = (np.square(counts - expected) / expected).sum(axis=0)
    best = np.sort(np.argsort(-chi_squares)[:5])
    data, _ = scverse.data_of(adata, "counts", None)
    assert data.feature_names == tuple(f"g{j}" for j in best)
    adata.obsm, adata.layers = {}, {}
    data, _ = scverse.data_of(adata, None, None)
    best = np.sort(np.argsort(-normalized(counts).var(axis=0))[:5])
    assert data.feature_names == tuple(f"g{j}" for j in best)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"labels": "louvain"}, "no entry of obs 'louvain'"),
        ({"labels": "leiden", "layer": "raw"}, "no entry of layers 'raw'"),
        ({"labels": "leiden", "use_rep": "X_pcs"}, "did you mean 'X_pca'"),
    ],
)
def test_unknown_names(asked, told):
    counts, types, _ = counts_of(n=30)
    with pytest.raises(DataError, match=told):
        scverse.assess(cells(counts, types), **asked)


def test_a_real_one(tmp_path):
    anndata = pytest.importorskip("anndata", reason="anndata is not installed")
    pandas = pytest.importorskip("pandas", reason="needs the extra test")
    counts, types, _ = counts_of()
    same = cells(counts, types)
    obs = pandas.DataFrame({"leiden": pandas.Categorical(same.obs["leiden"])})
    adata = anndata.AnnData(
        same.X,
        obs=obs.set_index(same.obs_names),
        layers=same.layers,
        obsm=same.obsm,
        varm=same.varm,
    )
    found = ic.scverse.assess(adata, "leiden")
    np.testing.assert_array_equal(found.right, scverse.assess(same, "leiden").right)
    adata.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    np.testing.assert_array_equal(again.obs["leiden_right"], found.right)
    assert again.uns["leiden_assess"]["score"] == found.score
