"""Assessment of labels of cells by other tools, in objects like AnnData.

Cells are simulated counts of genes with known types, and the mixtures of RNA if
INCERTA_DATA names their folder. The steps before the assessment are the common ones:
log1p of normalized counts, principal components, and a clusterer that ignores errors.
The clusterer on the graph of nearest neighbors is spectral, as scikit-learn has no
Leiden.

    python benchmarks/single_cell.py > docs/measured/single_cell.txt
"""

import argparse
import os
import time
import warnings
from types import SimpleNamespace

import numpy as np
from sklearn.cluster import HDBSCAN, KMeans, SpectralClustering
from sklearn.decomposition import PCA
from sklearn.metrics import adjusted_rand_score, roc_auc_score

import incerta as ic

N_GENES, N_COMPONENTS = 1000, 50
SHUFFLED = 0.05


def counts_of(seed, sizes, unlike=1.0, depth=3000.0):
    """Draw counts of types of cells, each of which differs in one gene of ten."""
    rng = np.random.default_rng(seed)
    types = np.repeat(np.arange(len(sizes)), sizes)
    own = rng.random((len(sizes), N_GENES)) < 0.1
    centers = unlike * own * rng.normal(size=own.shape)
    # Cells of a type differ, too, in a few programs that genes share.
    programs = 0.2 * rng.normal(size=(3, N_GENES))
    logs = centers[types] + rng.normal(size=(len(types), 3)) @ programs
    shares = (rng.gamma(0.5, size=N_GENES) + 1e-3) * np.exp(logs)
    caught = depth * np.exp(0.4 * rng.normal(size=(len(types), 1)))
    return rng.poisson(caught * shares / shares.sum(axis=1, keepdims=True)), types


def as_anndata(counts, totals=None):
    """Return an object like AnnData after the usual steps."""
    totals = counts.sum(axis=1) if totals is None else totals
    X = np.log1p(counts * (np.median(totals) / totals)[:, None])
    components = PCA(N_COMPONENTS, random_state=0).fit(X)
    return SimpleNamespace(
        X=X,
        layers={"counts": counts},
        obs={},
        obs_names=np.arange(len(counts)),
        obsm={"X_pca": components.transform(X)},
        varm={"PCs": components.components_.T},
        uns={},
        var_names=np.arange(counts.shape[1]),
    )


def clusterings(adata, k):
    """Return labels by methods without errors, with `k` clusters where required."""
    places = adata.obsm["X_pca"]
    hdbscan = HDBSCAN(min_cluster_size=max(10, len(places) // 20), copy=True)
    graph = SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=15, random_state=0
    )
    return {
        "HDBSCAN": hdbscan.fit_predict(places),
        "graph": graph.fit_predict(places),
        "k-means, 2 too many": KMeans(k + 2, n_init=5, random_state=0).fit_predict(
            places
        ),
    }


def assessed(adata, labels):
    """Return the assessment of some labels, and seconds of CPU time."""
    adata.obs["labels"] = labels
    before = time.process_time()
    found = ic.scverse.assess(adata, "labels")
    return found, time.process_time() - before


def print_clusterings(name, adata, types):
    for tool, labels in clusterings(adata, len(np.unique(types))).items():
        found, seconds = assessed(adata, labels)
        verdicts = [pair.verdict for pair in found.pairs]
        counts = [
            verdicts.count(verdict)
            for verdict in ("separate", "no valley shown", "too few to tell")
        ]
        hide = sum(each.hides_two for each in found.clusters)
        joined = found.joined()
        print(
            f"{name:<22} {tool:<20} {len(found.clusters):6} "
            f"{adjusted_rand_score(types, labels):5.2f} "
            f"{adjusted_rand_score(types, joined):6.2f}"
            f" {counts[0]:8} {counts[1]:9} {counts[2]:7} {hide:8} {seconds:7.1f}"
        )


def print_shuffled(name, adata, types):
    rng = np.random.default_rng(0)
    labels = types.copy()
    some = rng.permutation(len(types))[: round(SHUFFLED * len(types))]
    labels[some] = rng.permutation(labels[some])
    wrong = labels != types
    found, _ = assessed(adata, labels)
    auc = roc_auc_score(~wrong, found.right)
    print(
        f"{name:<22} {wrong.mean():6.3f} {found.wrong / len(types):9.3f} {auc:6.3f} "
        f"{found.score:6.2f}"
    )


def called_separate(n, k, seeds, *, exact):
    """Return the share of pairs of pieces of one type that are called separate."""
    told = []
    for seed in range(seeds):
        counts, _ = counts_of(seed, [n])
        adata = as_anndata(counts)
        pieces = KMeans(k, n_init=5, random_state=0).fit_predict(adata.obsm["X_pca"])
        if exact:
            adata.layers = {}
        found, _ = assessed(adata, pieces)
        told += [each.verdict for each in found.pairs]
    told = [verdict for verdict in told if verdict != "too few to tell"]
    return told.count("separate"), len(told)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--seeds", type=int, default=5)
    chosen = parser.parse_args()
    warnings.simplefilter("ignore")
    n = 300 if chosen.small else 3000
    seeds = 1 if chosen.small else chosen.seeds
    sets = {
        f"{n} cells, {words}": counts_of(0, [n * s // 20 for s in (8, 6, 4, 2)], unlike)
        for words, unlike in (("types", 1.2), ("near types", 0.6))
    }
    made = {name: (as_anndata(counts), types) for name, (counts, types) in sets.items()}
    if "INCERTA_DATA" in os.environ:
        from accuracy.real import table

        wells = table("rna_mixtures")
        counts = wells[[c for c in wells if c.startswith("n_")]].to_numpy(float)
        adata = as_anndata(counts, wells["total_count"].to_numpy(float))
        # The first two mixtures are the same.
        made["rna_mixtures"] = adata, np.maximum(wells["mix"].to_numpy(), 2)
    print("labels of other tools, and the pairs of labels that were compared")
    print(
        f"{'':<22} {'labels by':<20} {'labels':>6} {'ARI':>5} {'joined':>6} "
        f"{'separate':>8} {'no valley':>9} {'too few':>7} {'hide two':>8} "
        f"{'seconds':>7}"
    )
    for name, (adata, types) in made.items():
        print_clusterings(name, adata, types)
    print(f"\ntrue types, {SHUFFLED:.0%} of the labels shuffled")
    print(f"{'':<22} {'wrong':>6} {'estimated':>9} {'AUC':>6} {'score':>6}")
    for name, (adata, types) in made.items():
        print_shuffled(name, adata, types)
    print("\none type of cells, cut by k-means: pairs that are called separate")
    print(f"{'cells':>6} {'pieces':>6} {'with errors':>12} {'as exact':>12}")
    for n in (300,) if chosen.small else (300, 1000):
        for k in (2, 3, 8):
            counts = [called_separate(n, k, seeds, exact=e) for e in (False, True)]
            shares = [f"{a} of {b}" for a, b in counts]
            print(f"{n:6} {k:6} {shares[0]:>12} {shares[1]:>12}")


if __name__ == "__main__":
    main()
