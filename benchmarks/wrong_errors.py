"""The loss from wrong error bars: halved, doubled, all equal, or of another shape.

    python benchmarks/wrong_errors.py    # some five minutes

Exact data are displaced by errors of very unequal size, and clusterers get these errors
or wrong ones, with the number of clusters. Figures are mean ACC over the sets, two
levels and some seeds; labels are used only for scoring. "Ignoring errors" is the same
mixture with errors of 0.
"""

import argparse
import warnings

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA

import incerta as ic
from incerta.metrics import clustering_accuracy

LEVELS = (0.3, 0.7)
WRONG = {
    "right": 1.0,
    "halved": 0.5,
    "doubled": 2.0,
    "all alike": None,
    "Laplace": 1.0,
}


def sets(seed):
    """Return standardized exact data with their classes."""
    rng = np.random.default_rng(seed)
    for load in (load_iris, load_wine, load_breast_cancer):
        X, y = load(return_X_y=True)
        some = rng.permutation(len(X))[:300]
        yield load.__name__[5:], standard(X)[some, :13], y[some]
    X, y = load_digits(return_X_y=True)
    some = rng.permutation(len(X))[:400]
    pcs = PCA(12, random_state=0).fit_transform(X)
    yield "digits", (pcs / pcs.std(axis=0).mean())[some], y[some]
    y = rng.integers(4, size=300)
    centers, within = 2.0 * rng.normal(size=(4, 6)), rng.uniform(0.3, 1.2, size=6)
    yield "blobs", standard(centers[y] + within * rng.normal(size=(300, 6))), y
    y = (rng.random(400) < 0.3).astype(int)
    clump = rng.normal([1.0, 1.0, 0.5, 0.0, -1.0], 0.15, size=(400, 5))
    field = 1.2 * rng.standard_t(4, size=(400, 5))
    yield "clump", np.where(y[:, None] == 1, clump, field), y


def standard(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


def displaced(X, level, law, seed):
    rng = np.random.default_rng(seed)
    n, d = X.shape
    sizes = 0.8 * rng.normal(size=(n, 1)) + 0.27 * rng.normal(size=(n, d))
    std = level * np.exp(sizes)
    errors = rng.normal(size=(n, d))
    if law == "Laplace":
        errors = rng.laplace(scale=np.sqrt(0.5), size=(n, d))
    return X + std * errors, std


def told(std, wrong):
    if WRONG[wrong] is None:
        return np.full_like(std, np.sqrt(np.square(std).mean()))
    return WRONG[wrong] * std


def found(values, std, k):
    """Return the labels by each kind of errors."""
    data = ic.from_gaussian(values, std=std)
    exact = ic.from_gaussian(values, std=0.0)
    belief = ic.Deconvolver().fit_transform(data)
    weights = 1.0 / (np.square(std).mean(axis=1) + np.square(values.std(axis=0)).mean())
    kmeans = KMeans(k, n_init=10, random_state=0)
    return {
        "k-means": kmeans.fit_predict(values),
        "weighted k-means": kmeans.fit_predict(values, sample_weight=weights),
        "ignoring errors": ic.ErrorMixture(k, random_state=0).fit(exact).labels_,
        "ErrorMixture": ic.ErrorMixture(k, random_state=0).fit(data).labels_,
        "k-means of beliefs": ic.UKMeans(k, random_state=0).fit(belief).labels_,
        "cluster()": ic.cluster(data, k).labels,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--small", action="store_true", help="a size for tests")
    parser.add_argument("--by-set", action="store_true", help="all sets by themselves")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    scores = {}
    kinds = list(WRONG)[: 2 if options.small else None]
    for seed in range(1 if options.small else 3):
        for name, X, y in sets(seed):
            if options.small:
                if name != "iris":
                    continue
                X, y = X[:40], y[:40]
            for level in LEVELS[: 1 if options.small else 2]:
                for wrong in kinds:
                    values, std = displaced(X, level, wrong, seed)
                    labels = found(values, told(std, wrong), len(set(y)))
                    for way, each in labels.items():
                        acc = clustering_accuracy(y, each)
                        scores.setdefault((wrong, way), {})[name, level, seed] = acc
    ways = list(dict.fromkeys(way for _, way in scores))
    print(f"{'errors given':<20}" + "".join(f"{wrong:>12}" for wrong in kinds))
    for way in ways:
        means = [np.mean(list(scores[wrong, way].values())) for wrong in kinds]
        print(f"{way:<20}" + "".join(f"{mean:>12.3f}" for mean in means))
    if options.by_set:
        for wrong, way in scores:
            by_set = {}
            for (name, _, _), acc in scores[wrong, way].items():
                by_set.setdefault(name, []).append(acc)
            row = ", ".join(f"{name} {np.mean(a):.3f}" for name, a in by_set.items())
            print(f"{wrong}, {way}: {row}")


if __name__ == "__main__":
    main()
