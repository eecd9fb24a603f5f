"""Objects per second that a stream absorbs, and growth of memory.

    python benchmarks/bench_stream.py                 # 10 million objects, a minute
    python benchmarks/bench_stream.py --objects 20000

The data have ten features and unequal errors, and all 100 micro-clusters are in use, on
one core. The peer is MiniBatchKMeans of scikit-learn with 100 clusters, which uses
neither errors nor time. StreamRPC draws 100 worlds of every object. It and
SlidingUMicro, whose window holds 20,000 objects, get only the first 100,000 objects.
"""

import argparse
import resource
import time

import numpy as np
from sklearn.cluster import MiniBatchKMeans

import incerta as ic
from incerta.backend.optional import engine_for

PIECE, N_FEATURES, N_MICRO = 50_000, 10, 100


def piece(rng, centers, n):
    values = centers[rng.integers(len(centers), size=n)]
    std = 0.2 * rng.lognormal(0.0, 0.5, values.shape)
    return ic.from_gaussian(values + 0.5 * rng.normal(size=values.shape), std=std)


def rate(stream, rng, centers, n):
    """Return the objects per second of CPU time of a stream, after a warm-up."""
    stream.partial_fit(piece(rng, centers, 200))
    spent, step = 0.0, min(10_000, n)
    for _ in range(n // step):
        some = piece(rng, centers, step)
        start = time.process_time()
        stream.partial_fit(some)
        spent += time.process_time() - start
    return n // step * step / spent


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=10_000_000)
    n_objects = parser.parse_args().objects
    rng = np.random.default_rng(0)
    centers = 10.0 * rng.normal(size=(200, N_FEATURES))
    stream = ic.UMicro(10, n_micro_clusters=N_MICRO, half_life=1e5)
    peer = MiniBatchKMeans(N_MICRO, n_init=1, random_state=0)
    some = piece(rng, centers, min(PIECE, n_objects))
    stream.partial_fit(some[:100])  # compiled, or loaded
    ours = theirs = 0.0
    seen, early = 0, None
    while seen < n_objects:
        some = piece(rng, centers, min(PIECE, n_objects - seen))
        start = time.process_time()
        stream.partial_fit(some)
        ours += time.process_time() - start
        if seen < 10 * PIECE:
            start = time.process_time()
            peer.partial_fit(some.mean())
            theirs += time.process_time() - start
            of_peer = seen + len(some)
        seen += len(some)
        if early is None and seen >= n_objects // 10:
            early = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    late = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    few = min(n_objects, 2 * PIECE)
    how = {"n_micro_clusters": N_MICRO}
    sliding = rate(ic.SlidingUMicro(10, window=2e4, **how), rng, centers, few)
    worlds = ic.StreamRPC(10, half_life=1e5, **how)
    in_worlds = rate(worlds, rng, centers, few)
    start = time.process_time()
    worlds.macro_clusters()
    asked = time.process_time() - start
    print(f"engine {engine_for('auto')}, {seen:,} objects, {N_MICRO} micro-clusters")
    print(f"UMicro           {seen / ours:12,.0f} objects per second of CPU time")
    print(f"SlidingUMicro    {sliding:12,.0f}")
    print(f"StreamRPC        {in_worlds:12,.0f}, and {asked:.1f} s for its clusters")
    print(f"MiniBatchKMeans  {of_peer / theirs:12,.0f}")
    peaks = f"{early // 1024} MiB after a tenth, {late // 1024} MiB after all"
    print(f"peak memory      {peaks}")


if __name__ == "__main__":
    main()
