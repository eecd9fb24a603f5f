"""CPU time of REP: distances of all clusterings, and k-means in 100 worlds.

    python benchmarks/bench_rep.py

CPU time on one thread. First comes the adjusted Rand index of all pairs of 1000
clusterings of 10,000 objects, beside scikit-learn pair by pair on a sample. Then comes
REP as a whole, with ten features, fifty values per object and five clusters. The peers
are a loop over scikit-learn (k-means in each world, Rand index of each pair) in the
same run, and the CPU time of REP in ELKI on data of the same kind.
"""

import argparse
import os
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

ELKI_SECONDS = {2000: 5.7, 20_000: 59.0}
N_CLUSTERS, N_FEATURES, N_VALUES = 5, 10, 50


def timed(function, *args, **options):
    start = time.process_time()
    result = function(*args, **options)
    return time.process_time() - start, result


def rand_indices(n_clusterings, n_objects, n_sampled):
    import numpy as np
    from sklearn.metrics import adjusted_rand_score

    from incerta.divergence.clusterings import ari_matrix

    rng = np.random.default_rng(0)
    print(f"all pairs of {n_clusterings} clusterings of {n_objects} objects")
    for k, noise in [(5, "cluster"), (5, "singletons"), (50, "cluster")]:
        base = rng.integers(k, size=n_objects)
        other = rng.random((n_clusterings, n_objects)) < 0.3
        labels = np.where(other, rng.integers(-1, k, size=other.shape), base)
        seconds, table = timed(ari_matrix, labels, noise=noise)
        each = seconds / (n_clusterings * (n_clusterings - 1) / 2)
        pairs = rng.integers(n_clusterings, size=(n_sampled, 2))
        if noise == "singletons":
            labels = np.where(labels < 0, np.arange(n_objects) + k, labels)
        theirs, expected = timed(
            lambda rows, pairs: [adjusted_rand_score(*rows[pair]) for pair in pairs],
            labels,
            pairs,
        )
        error = np.abs(table[tuple(pairs.T)] - expected).max()
        ratio = theirs / n_sampled / each
        print(
            f"  {k:3} clusters, noise as {noise:10}: {seconds:6.2f} s, "
            f"{1e6 * each:6.1f} µs per pair, scikit-learn {ratio:4.0f} times that; "
            f"largest difference {error:.0e}",
            flush=True,
        )


def kmeans_in_a_loop(data, n_worlds):
    """Run REP without this library."""
    from sklearn.cluster import KMeans

    return [
        KMeans(N_CLUSTERS, random_state=j).fit_predict(world)
        for j, world in enumerate(data.worlds(n_worlds, 0))
    ]


def rand_in_a_loop(labels):
    from sklearn.metrics import adjusted_rand_score

    return [
        [adjusted_rand_score(a, b) for a in labels[:j]] for j, b in enumerate(labels)
    ]


def whole(n_objects, n_worlds):
    from sklearn.cluster import KMeans

    from incerta.datasets import make_uncertain_blobs
    from incerta.published import REP

    data, _ = make_uncertain_blobs(
        n_objects, N_FEATURES, N_CLUSTERS, n_values=N_VALUES, random_state=0
    )
    rep = REP(KMeans(N_CLUSTERS), n_worlds, random_state=0)
    seconds = min(timed(rep.fit, data)[0] for _ in range(5))
    fits, labels = timed(kmeans_in_a_loop, data, n_worlds)
    pairs, _ = timed(rand_in_a_loop, labels)
    elki = ELKI_SECONDS.get(n_objects)
    print(
        f"  {n_objects:6} objects: REP {seconds:5.2f} s; scikit-learn in a loop "
        f"{fits:5.2f} s for k-means and {pairs:5.2f} s for the pairs, "
        f"{(fits + pairs) / seconds:4.1f} times that"
        + (f"; ELKI {elki:4.1f} s, {elki / seconds:4.1f} times" if elki else ""),
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    small = parser.parse_args().small
    if small:
        rand_indices(20, 200, 5)
    else:
        rand_indices(1000, 10_000, 200)
    n_worlds = 5 if small else 100
    print(f"k-means in {n_worlds} worlds, {N_FEATURES} features")
    for n_objects in (100,) if small else ELKI_SECONDS:
        whole(n_objects, n_worlds)


if __name__ == "__main__":
    main()
