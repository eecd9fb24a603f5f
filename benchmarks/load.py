"""Load: large tables, many small fits and several processes at once.

    python benchmarks/load.py
    python benchmarks/load.py --cases table-info table-fit --scale 0.01

Each case runs in a process of its own. CPU seconds and peak memory are those of this
process and of the ones that it starts; an exit code other than 0 is a failure. With
`--scale` numbers of objects, rows and fits are that part of the full ones.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

N_FEATURES, SMALL_FITS, PROCESSES = 10, 10_000, 8
COMMAND = (sys.executable, "-c", "from incerta.cli import main; main()")
MIXTURE = ("--method", "ErrorMixture", "-k", "3", "--seed", "0")


def table(n, d, seed=0):
    """Three groups, with errors of unequal sizes."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(3, d)) * 6.0 / np.sqrt(d)
    errors = 0.3 * rng.lognormal(0.0, 0.5, size=(n, d))
    values = centers[rng.integers(3, size=n)] + rng.normal(size=(n, d))
    return values + errors * rng.normal(size=(n, d)), errors


def objects(n, d, seed=0):
    import incerta as ic

    values, errors = table(n, d, seed)
    return ic.from_gaussian(values, std=errors)


def clustered(n, d, k):
    """Run `cluster` in this process."""
    import incerta as ic

    found = ic.cluster(objects(n, d), k=k)
    return f"{found.n_clusters} clusters"


def written(folder, n, parquet):
    """Write a table of errors in one csv file, or in a folder of parquet files."""
    import pyarrow as pa
    from pyarrow import csv
    from pyarrow import parquet as pq

    names = [f"x{j}" for j in range(4)]
    path = Path(folder) / ("parts" if parquet else "table.csv")
    part, writer = 200_000, None
    if parquet:
        path.mkdir()
    for number, start in enumerate(range(0, n, part)):
        values, errors = table(min(part, n - start), 4, seed=number)
        columns = {"id": np.arange(start, start + len(values))}
        columns |= dict(zip(names, values.round(4).T, strict=True))
        columns |= {
            f"{name}_error": e for name, e in zip(names, errors.round(4).T, strict=True)
        }
        rows = pa.table(columns)
        if parquet:
            pq.write_table(rows, path / f"{number}.parquet")
        else:
            writer = writer or csv.CSVWriter(path, rows.schema)
            writer.write(rows)
    if writer:
        writer.close()
    return path


def command(n, *words, parquet=False):
    """Run a command of `incerta` on a table of n rows, written before."""
    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, n, parquet)
        out = ("-o", f"{folder}/out") if words[0] == "fit" else ()
        call = [*COMMAND, words[0], str(path), *words[1:]]
        subprocess.run([*call, *out], check=True, stdout=subprocess.DEVNULL)
        size = sum(p.stat().st_size for p in Path(folder).rglob("*.*") if p.is_file())
    return f"{size / 2**30:.2f} GiB on disk"


def lazily(n):
    """Fit a folder of parquet files, partition by partition."""
    import incerta as ic

    with tempfile.TemporaryDirectory() as folder:
        path = written(folder, n, parquet=True)
        size = sum(part.stat().st_size for part in path.iterdir())
        names = [f"x{j}" for j in range(4)]
        data = ic.read_table(
            path, id="id", values=names, errors="{}_error", lazy=True, max_bytes=2**26
        )
        model = ic.ErrorMixture(3, random_state=0).fit(data)
    return f"{size / 2**30:.2f} GiB on disk, {len(np.unique(model.labels_))} clusters"


def small_fits(n):
    """Run many fits; return the memory added by the last three quarters."""
    import incerta as ic

    sizes, data = [], [objects(30, 2, seed) for seed in range(20)]
    for number in range(n):
        ic.ErrorMixture(2, random_state=number).fit(data[number % 20])
        if number in (n // 4, n - 1):
            sizes.append(peak(resource.RUSAGE_SELF))
    grown = (sizes[-1] - sizes[0]) * 1024
    if grown > 20:
        sys.exit(f"memory has grown by {grown:.0f} MiB")
    return f"memory grew by {grown:.1f} MiB after the first quarter"


def at_once(n):
    """Cluster in several processes at the same time."""
    call = [sys.executable, __file__, "--scale", str(n / 2e4), "--run", "one-of-them"]
    running = [
        subprocess.Popen(call, stdout=subprocess.DEVNULL) for _ in range(PROCESSES)
    ]
    codes = [each.wait() for each in running]
    if any(codes):
        sys.exit(f"exit codes {codes}")
    return f"{PROCESSES} processes"


CASES = {
    "million": (1e6, lambda n: clustered(n, N_FEATURES, 3)),
    "choose-k": (2e5, lambda n: clustered(n, N_FEATURES, "auto")),
    "wide": (2e4, lambda d: clustered(60, d, 3)),
    "table-info": (2e6, lambda n: command(n, "info")),
    "table-fit": (2e6, lambda n: command(n, "fit", *MIXTURE)),
    "table-default": (2e6, lambda n: command(n, "fit", "-k", "3", "--seed", "0")),
    "parquet-lazy": (1e7, lazily),
    "small-fits": (SMALL_FITS, small_fits),
    "at-once": (2e4, at_once),
    "one-of-them": (2e4, lambda n: clustered(n, 4, 3)),
}


def peak(who):
    return resource.getrusage(who).ru_maxrss / 2**20  # GiB


def run(name, scale):
    """Run a case in this process; measure it and its child processes."""
    most, case = CASES[name]
    told = case(max(1, int(most * scale)))
    both = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    used = [resource.getrusage(who) for who in both]
    seconds = sum(each.ru_utime + each.ru_stime for each in used)
    print(f"{seconds:8.1f} {max(map(peak, both)):9.2f} {told}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cases", nargs="+", choices=CASES, default=[*CASES][:-1])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--run", choices=CASES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        run(options.run, options.scale)
        return 0
    print(f"{'case':14}{'exit':>5}{'wall, s':>9}{'CPU, s':>9}{'peak GiB':>10}")
    worst = 0
    for name in options.cases:
        begun = time.perf_counter()
        call = [sys.executable, __file__, "--run", name, "--scale", str(options.scale)]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        said = done.stdout.strip("\n") or done.stderr.strip().split("\n")[-1]
        wall = time.perf_counter() - begun
        print(f"{name:14}{done.returncode:5}{wall:9.1f} {said}", flush=True)
        worst = max(worst, done.returncode)
    return worst


if __name__ == "__main__":
    sys.exit(main())
