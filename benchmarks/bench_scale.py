"""RPC on many objects: CPU time and peak memory, one process per size.

    python benchmarks/bench_scale.py
    python benchmarks/bench_scale.py --sizes 10000 100000 1000000

Gaussian objects around three blobs with four features; 20 worlds, of which five are
kept. Above 5000 objects the affinity is a graph of nearest neighbours, above 2000 the
divergence is taken at 500 values of each world.
"""

import argparse
import resource
import subprocess
import sys
import time
import warnings


def fit(n_objects, selection):
    import incerta as ic
    from incerta.datasets import make_uncertain_blobs
    from incerta.metrics import clustering_accuracy

    warnings.simplefilter("ignore")
    data, labels = make_uncertain_blobs(
        n_objects, 4, 3, center_box=(-20.0, 20.0), random_state=3
    )
    start, wall = time.process_time(), time.perf_counter()
    rpc = ic.RPC(3, 20, 5, selection=selection, random_state=0).fit(data)
    seconds, wall = time.process_time() - start, time.perf_counter() - wall
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    accuracy = clustering_accuracy(labels, rpc.labels_)
    print(
        f"{n_objects:>9} {selection:9} {seconds:8.1f} {wall:8.1f} "
        f"{1e6 * seconds / n_objects:10.0f} {peak:9.2f} {accuracy:6.3f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--selection", nargs="+", default=["greedy", "random"])
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        fit(options.one, options.selection[0])
        return
    print(
        "  objects selection    CPU s   wall s  µs/object  peak GiB    ACC", flush=True
    )
    for size in options.sizes:
        for selection in options.selection:
            command = [sys.executable, __file__, "--one", str(size)]
            subprocess.run([*command, "--selection", selection], check=True)


if __name__ == "__main__":
    main()
