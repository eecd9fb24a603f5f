"""CPU time of UK-means and CK-means, beside KMeans of scikit-learn on the means.

    python benchmarks/bench_kmeans.py

CPU time, best of three within one run, with the same starts for all (init="random",
n_init=1). "means" is the time to compute the means of the objects. Last comes the
k-means of the views with ten starts at once, beside ten starts in turn by scikit-learn,
for data with clusters and without, which take the most rounds.
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.cluster import KMeans

import incerta as ic
from incerta.lloyd import lloyd


def best(function):
    times = []
    for _ in range(3):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def make(n, n_values, d, k):
    rng = np.random.default_rng(0)
    centers = rng.uniform(-10, 10, size=(k, d))
    places = centers[rng.integers(k, size=n)] + rng.normal(size=(n, d))
    if n_values is None:
        return ic.from_gaussian(places, std=rng.uniform(0.2, 1.0, size=(n, d)))
    return ic.from_array(places[:, None] + 0.5 * rng.normal(size=(n, n_values, d)))


def compare(title, data, k):
    means = data.mean()
    start = means[np.random.default_rng(1).permutation(len(means))[:k]]
    how = {"init": start, "n_init": 1}
    taking = best(data.mean)
    theirs = best(lambda: KMeans(k, **how).fit(means))
    print(title)
    print(f"  means                    {taking:8.3f} s")
    print(f"  KMeans on the means      {theirs:8.3f} s")
    for cls in (ic.UKMeans, ic.published.CKMeans):
        ours = best(lambda cls=cls: cls(k, **how, random_state=0).fit(data))
        print(
            f"  {cls.__name__:24} {ours:8.3f} s = {ours / (theirs + taking):.2f} × both"
        )


def pruned(data, k):
    print(f"expected Euclidean distance, {len(data)} objects, k = {k}")
    full = None
    for pruning in (None, "minmax", "shift", "voronoi", "all"):
        uk = ic.UKMeans(
            k, metric="euclidean", pruning=pruning, n_init=1, random_state=0
        )
        seconds = best(lambda u=uk: u.fit(data))
        full = full or seconds
        print(
            f"  pruning={pruning!s:8} {seconds:8.2f} s, {full / seconds:5.1f} × as "
            f"fast, {100 * uk.share_saved_:5.1f}% of the distances saved"
        )


def many_starts(n, k, apart):
    rng = np.random.default_rng(0)
    centers = apart * rng.normal(size=(k, 10))
    values = centers[rng.integers(k, size=n)] + rng.normal(size=(n, 10))
    ours = best(lambda: lloyd(values, k, 10, np.random.default_rng(0)))
    theirs = best(lambda: KMeans(k, n_init=10, random_state=0).fit(values))
    told = "clusters" if apart else "no clusters"
    print(
        f"ten starts, {n} values, k = {k}, {told}: {1000 * ours:.1f} ms, "
        f"scikit-learn {1000 * theirs:.1f} ms"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="sizes for tests")
    small = parser.parse_args().small
    warnings.simplefilter("ignore")
    n = 200 if small else 20_000
    compare(f"{n} objects × 20 values × 10 features, k = 5", make(n, 20, 10, 5), 5)
    n = 500 if small else 1_000_000
    compare(f"{n} Gaussian objects × 10 features, k = 10", make(n, None, 10, 10), 10)
    pruned(make(200 if small else 20_000, 20, 10, 5), 5)
    for n, k in ((100, 3), (400, 5), (2000, 10))[: 1 if small else 3]:
        for apart in (2.0, 0.0):
            many_starts(n, k, apart)


if __name__ == "__main__":
    main()
