"""CPU time of consistency learning, of ten eigsh embeddings, and of an RPC fit.

    python benchmarks/bench_consistency.py

CPU time on one BLAS thread, best of three within one run. The ten Laplacians are of ten
worlds of Image (n = 2310, k = 7) if INCERTA_DATA names a folder that contains it, and
otherwise of blobs of the same size.
"""

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))  # paper is beside src

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")


def best(function):
    times = []
    for _ in range(3):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def objects(small):
    from incerta.data import Standardizer
    from incerta.datasets import make_uncertain, make_uncertain_blobs

    if small:
        return "blobs", make_uncertain_blobs(60, 3, 7, random_state=0)[0]
    if os.environ.get("INCERTA_DATA"):
        from paper.datasets import fetch_image

        image = Standardizer("means").fit_transform(fetch_image().data)
        return "Image", make_uncertain(image, scale=0.5, random_state=0)
    return "blobs", make_uncertain_blobs(2310, 19, 7, random_state=0)[0]


def main():
    from scipy.sparse.linalg import eigsh

    import incerta as ic
    from incerta.spectral import Laplacians, consistency
    from paper.datasets import fetch_movement

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    small = parser.parse_args().small
    warnings.simplefilter("ignore")
    name, data = objects(small)
    laplacians = list(Laplacians(data.worlds(10, 0), n_neighbors=None))
    alone = best(lambda: [eigsh(L, k=7, which="LA") for L in laplacians])
    found = consistency(laplacians, 7)
    together = best(lambda: consistency(laplacians, 7))
    print(f"{name}, {len(data)} objects, 10 worlds, k = 7")
    print(f"  ten eigsh embeddings   {alone:6.2f} s")
    print(
        f"  consistency learning   {together:6.2f} s = {together / alone:.2f} × "
        f"({len(found.objective)} sweeps)"
    )
    if small or not os.environ.get("INCERTA_DATA"):
        return
    movement = ic.Standardizer("means").fit_transform(fetch_movement().data)
    fit = best(lambda: ic.RPC(6, random_state=0).fit(movement))
    print(f"RPC(6).fit(Movement), 314 objects, 100 worlds: {fit:.2f} s")


if __name__ == "__main__":
    main()
