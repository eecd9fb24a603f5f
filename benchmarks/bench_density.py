"""CPU time of FDBSCAN: distance probabilities, neighbors and clusters.

    python benchmarks/bench_density.py            # 2000 objects, some minutes
    python benchmarks/bench_density.py --large    # 20,000 objects: time and memory
    python benchmarks/bench_density.py --elki /usr/share/java/elki.jar

CPU time on one BLAS thread. The data are five Gaussian blobs with ten features and 50
values per object, eps 4.1, min_samples 50. Blobs are either separate, so that boxes
exclude most pairs, or in the same place, so that they exclude none. The peers are the
same table by blocked numpy over all pairs of values, and FDBSCAN of ELKI 0.7.1 on the
same values, if its jar is there (the Debian package ``elki``, and a Java compiler).
"""

import argparse
import os
import resource
import subprocess
import tempfile
import time
from pathlib import Path
from unittest import mock

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(name, "1")

EPS, MIN_SAMPLES, N_VALUES, N_FEATURES = 4.1, 50, 50, 10


def timed(function, *args, **kwargs):
    start = time.process_time()
    result = function(*args, **kwargs)
    return time.process_time() - start, result


def blobs(n, apart, n_values=N_VALUES):
    import numpy as np

    import incerta as ic

    rng = np.random.default_rng(0)
    centers = rng.uniform(-10, 10, size=(5, N_FEATURES)) if apart else np.zeros((5, 1))
    means = centers[np.arange(n) % 5] + 0.7 * rng.normal(size=(n, N_FEATURES))
    values = means[:, None] + 0.7 * rng.normal(size=(n, n_values, N_FEATURES))
    return ic.from_array(values)


def blocked(law):
    """Compute the table by numpy, one matrix product per block of objects."""
    import numpy as np

    n, s = law.n_objects, len(law.values) // law.n_objects
    x = law.values - law.values.mean(axis=0)
    squares = np.square(x).sum(axis=1)
    out = np.empty((n, n))
    step = max(1, 2**21 // (s * len(x)))
    for first in range(0, n, step):
        rows = slice(first * s, min(first + step, n) * s)
        distances = squares[rows, None] + squares - 2 * x[rows] @ x.T
        near = distances <= EPS * EPS
        by_value = near.view(np.uint8).reshape(-1, n, s) @ np.ones(s, dtype=np.uint8)
        counts = by_value.reshape(-1, s, n).sum(axis=1, dtype=np.int32)
        out[first : first + step] = counts / s**2
    np.fill_diagonal(out, 1.0)
    return out


def by_elki(law, jar):
    """Return the CPU time of FDBSCAN in ELKI."""
    here, source = Path(__file__).parent / "elki", "FdbscanPeer.java"
    jars = [jar, *Path(jar).parent.glob("*trove*.jar")]
    with tempfile.TemporaryDirectory() as folder:
        path = ":".join(map(str, [folder, *jars]))
        command = ["javac", "-cp", path, "-d", folder, str(here / source)]
        subprocess.run(command, check=True)
        values = Path(folder, "values")
        law.values.astype("<f8").tofile(values)
        sizes = law.n_objects, len(law.values) // law.n_objects, N_FEATURES
        command = ["java", "-XX:+UseSerialGC", "-cp", path, "FdbscanPeer", values]
        command += [*sizes, EPS, MIN_SAMPLES]
        done = subprocess.run(
            list(map(str, command)), check=True, capture_output=True, text=True
        )
    return float(done.stdout.split()[0])


def small_enough(n, n_values, jar):
    import numpy as np

    import incerta as ic
    from incerta.density import value_pairs
    from incerta.density.within import within

    for apart in (True, False):
        data = blobs(n, apart, n_values)
        within(data[:20].law, EPS)  # compiles, or loads what was compiled
        peer, expected = timed(blocked, data.law)
        print(f"{n} objects, blobs {'apart' if apart else 'in one place'}")
        print(f"  blocked numpy, all pairs     {peer:7.2f} s")
        elki = by_elki(data.law, jar) if jar else float("nan")
        print(f"  FDBSCAN of ELKI              {elki:7.2f} s", flush=True)
        for engine in ("numba", "numpy"):
            with mock.patch.object(value_pairs, "engine_for", lambda _, e=engine: e):
                seconds, table = timed(within, data.law, EPS)
            same = bool(((table.toarray() >= 0.5) == (expected >= 0.5)).all())
            print(
                f"  table by {engine:6}              {seconds:7.2f} s, "
                f"{elki / seconds:5.1f} × ELKI, {peer / seconds:5.1f} × blocked; same "
                f"decisions: {same}",
                flush=True,
            )
        for variant in ("threshold", "marginal", "exact") if apart else ("threshold",):
            model = ic.FDBSCAN(EPS, MIN_SAMPLES, variant=variant, random_state=0)
            seconds, fitted = timed(model.fit, data)
            noise = np.mean(fitted.labels_ < 0)
            print(
                f"  FDBSCAN {variant:10}           {seconds:7.2f} s, "
                f"{elki / seconds:5.1f} × ELKI, {fitted.n_clusters_} clusters, "
                f"{noise:.0%} noise",
                flush=True,
            )


def large(n):
    import incerta as ic

    data = blobs(n, apart=True)
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    for variant in ("threshold", "marginal"):
        model = ic.FDBSCAN(EPS, MIN_SAMPLES, variant=variant, random_state=0)
        seconds, fitted = timed(model.fit, data)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(
            f"{n} objects, {variant}: {seconds:.0f} s, peak {most:.2f} GiB (data and "
            f"libraries {base:.2f}), {fitted.n_clusters_} clusters",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", action="store_true", help="a size for tests")
    parser.add_argument("--large", action="store_true", help="20,000 objects")
    parser.add_argument("--elki", metavar="JAR", help="measure ELKI, too")
    options = parser.parse_args()
    if options.large:
        large(20_000)
    elif options.small:
        small_enough(60, 4, options.elki)
    else:
        small_enough(2000, N_VALUES, options.elki)


if __name__ == "__main__":
    main()
