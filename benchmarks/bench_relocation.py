"""CPU time of UCPC and MMVar on many objects, beside k-means on the means.

    python benchmarks/bench_relocation.py

CPU time of one fit on one BLAS thread, for 100,000 Gaussian objects with 10 features
and 10 clusters. The blobs of "apart" hardly touch, those of "overlapping" do, and
"none" has no clusters, the hardest case. The starts are by k-means++, ten unless set
with --n-init.
"""

import argparse
import os
import time
import warnings

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")


def main():
    import numpy as np
    from sklearn.cluster import KMeans
    from sklearn.datasets import make_blobs

    import incerta as ic
    from incerta.published import UCPC, MMVar

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    parser.add_argument("--n-init", type=int, default=10)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    n, d, k = (500, 3, 4) if options.small else (100_000, 10, 10)
    print(f"{n} objects, {d} features, {k} clusters, {options.n_init} starts")
    shared = {"n_clusters": k, "n_init": options.n_init, "random_state": 0}
    for spread, std in (("apart", 1.0), ("overlapping", 5.0), ("none", None)):
        rng = np.random.default_rng(0)
        if std is None:
            means = rng.normal(size=(n, d))
        else:
            means, _ = make_blobs(n, d, centers=k, cluster_std=std, random_state=0)
        data = ic.from_gaussian(means, std=rng.uniform(0.0, 1.0, size=(n, d)))
        for estimator in (UCPC(**shared), MMVar(**shared), KMeans(**shared)):
            start = time.process_time()
            fitted = estimator.fit(means if isinstance(estimator, KMeans) else data)
            seconds = time.process_time() - start
            sizes = np.bincount(fitted.labels_)
            print(
                f"  {spread:12} {type(estimator).__name__:7} {seconds:7.2f} s, "
                f"{fitted.n_iter_} sweeps, clusters of {sizes.min()} to {sizes.max()}",
                flush=True,
            )


if __name__ == "__main__":
    main()
