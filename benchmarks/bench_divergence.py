"""Speed of the Jensen–Shannon divergence of all pairs, beside gaussian_kde of scipy.

    python benchmarks/bench_divergence.py                 # both CPU engines
    python benchmarks/bench_divergence.py --device cuda   # 100 × 5000 × 21 on a GPU

Rates are kernel evaluations per second of CPU time, one core, best of three within one
run. scipy evaluates the density of one world at the values of all worlds.
"""

import argparse
import os
import sys
import time
import warnings

SHAPES = [(100, 314, 4), (20, 2000, 20)]


def make_worlds(shape):
    import numpy as np

    rng = np.random.default_rng(0)
    m, n, d = shape
    return 2 * rng.normal(size=(n, d)) + 0.6 * rng.normal(size=(m, n, d))


def best(function, clock):
    function()
    times = []
    for _ in range(3):
        start = clock()
        function()
        times.append(clock() - start)
    return min(times)


def on_cpu(shapes):
    from scipy.stats import gaussian_kde

    from incerta.divergence import jensen_shannon

    print(f"{'worlds × objects × features':30} {'who':8} {'G/s':>6} {'× scipy':>8}")
    for m, n, d in shapes:
        worlds = make_worlds((m, n, d))
        kde, points = gaussian_kde(worlds[0].T), worlds.reshape(-1, d).T
        scipy = m * n * n / best(lambda k=kde, p=points: k(p), time.process_time)
        name = f"{m} × {n} × {d}"
        print(f"{name:30} {'scipy':8} {scipy / 1e9:6.3f} {1.0:8.1f}")
        for engine in ("numpy", "numba"):
            seconds = best(
                lambda w=worlds, e=engine: jensen_shannon(w, engine=e),
                time.process_time,
            )
            rate = m * m * n * n / seconds
            print(f"{name:30} {engine:8} {rate / 1e9:6.3f} {rate / scipy:8.1f}")


def on_device(device):
    import numpy as np
    import torch

    from incerta.divergence import jensen_shannon

    worlds = make_worlds((100, 5000, 21))

    def run():
        result = jensen_shannon(worlds, device=device, bandwidth="scott")
        torch.cuda.synchronize()
        return result

    seconds = best(run, time.perf_counter)
    few = worlds[:3]
    exact = jensen_shannon(few, dtype="float64", bandwidth="scott")
    error = np.abs(run()[:3, :3] - exact).max()
    print(f"{torch.cuda.get_device_name()}: 100 × 5000 × 21 in {seconds:.3f} s")
    print(f"largest error of three worlds against float64: {error:.1e}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--small", action="store_true", help="a shape for tests")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.device == "cpu":
        on_cpu([(4, 50, 3)] if options.small else SHAPES)
    else:
        on_device(options.device)


if __name__ == "__main__":
    if "numpy" not in sys.modules:  # rates per core: before BLAS counts the cores
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ.setdefault(name, "1")
    main()
