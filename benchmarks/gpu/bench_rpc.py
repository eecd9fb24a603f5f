"""RPC on a CUDA device and on the CPU: time of each stage, and differences.

    python benchmarks/gpu/bench_rpc.py                  # Waveform, 100 worlds
    python benchmarks/gpu/bench_rpc.py --device cpu:0   # torch's arrays without a GPU

Waveform (5000 objects, 21 features) with errors of 0.5; random values of that shape
where INCERTA_DATA does not name a folder. Wall time of the second of two runs on each
side; the CPU has `--threads` threads.
"""

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))  # paper is beside src

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--device", default="cuda")
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--objects", type=int, default=5000)
parser.add_argument("--worlds", type=int, default=100)
options = parser.parse_args()
for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = str(options.threads)

import numpy as np  # noqa: E402
from sklearn.metrics import adjusted_rand_score  # noqa: E402

import incerta as ic  # noqa: E402
from incerta.divergence import jensen_shannon  # noqa: E402
from incerta.spectral import Laplacians, consistency  # noqa: E402


def waveform():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(options.objects, 21))
    if "INCERTA_DATA" in os.environ:
        from paper.datasets import fetch_waveform

        values = fetch_waveform().data[: options.objects]
    return ic.from_gaussian(values, std=0.5)


def second(function):
    """Time the second run, because the first one compiles; also return the result."""
    function()
    start = time.perf_counter()
    result = function()
    return time.perf_counter() - start, result


def row(name, here, there, change=""):
    print(
        f"{name:<34}{here:>9.2f}{there:>9.2f}{here / there:>9.1f} {change}", flush=True
    )


def main():
    data = waveform()
    worlds = data.worlds(options.worlds, 0)
    kept = worlds[:10]
    print(f"{len(data)} objects, {options.worlds} worlds")
    print(f"{'seconds':<34}{'CPU':>9}{options.device:>9}{'ratio':>9}")

    few = data[:: max(1, len(data) // 1000)].worlds(options.worlds, 0)
    here, exact = second(lambda: jensen_shannon(few, dtype="float64"))
    there, found = second(lambda: jensen_shannon(few, device=options.device))
    off = np.abs(found - exact).max()
    row(f"divergence of {few.shape[1]} objects", here, there, f"off by {off:.0e}")
    for given, how in ((worlds.stack(), "given"), (worlds, "drawn")):
        there, _ = second(lambda g=given: jensen_shannon(g, device=options.device))
        print(f"{f'divergence of {len(data)} objects, {how}':<34}{'':>9}{there:>9.2f}")

    def embedded(device):
        return consistency(Laplacians(kept, n_neighbors=None, device=device), 3).common

    here, one = second(lambda: embedded("cpu"))
    there, other = second(lambda: embedded(options.device))
    off = np.abs(one @ (one.T @ other) - other).max()
    row("embeddings and consistency", here, there, f"off by {off:.0e}")

    def fitted(device):
        return ic.RPC(3, options.worlds, random_state=0, device=device).fit(data)

    here, one = second(lambda: fitted("cpu"))
    there, other = second(lambda: fitted(options.device))
    same = adjusted_rand_score(one.labels_, other.labels_)
    row("RPC, end to end", here, there, f"ARI of the two {same:.4f}")
    here, one = second(lambda: one._membership())
    there, other = second(lambda: other._membership())
    row(
        "membership over all worlds",
        here,
        there,
        f"off by {abs(one - other).max():.2f}",
    )


if __name__ == "__main__":
    main()
