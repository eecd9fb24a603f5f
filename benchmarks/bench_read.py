"""Time and memory to read a long csv file and to draw worlds from it.

    python benchmarks/bench_read.py [--rows 5000000] [--order sorted|shuffled]
    python benchmarks/bench_read.py --columns 20000

The file has 50 rows per object and three features. Each task runs in a separate
process, so that peak memory is that of the task. As a peer, pandas reads the same file
and averages it per object, which is less work than `incerta.read_table` does. The peak
includes the libraries; "import only" shows their part.

With `--columns` wide tables are read instead, with 20 objects and the given number of
features, and a quarter of it. Four times the columns should take four times as long.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

ROWS_PER_OBJECT = 50
FEATURES = ("x", "y", "z")
MEASURE = """
import json, resource, sys, time
path = sys.argv[1]
start = time.perf_counter()
{task}
usage = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps({{
    "wall": time.perf_counter() - start,
    "cpu": usage.ru_utime + usage.ru_stime,
    "peak": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
}}))
"""
READ = 'data = ic.read_table(path, id="id", values=["x", "y", "z"])'
TASKS = {
    "import only": "import incerta as ic, pyarrow.csv; ic.read_table",
    "incerta.read_table": f"import incerta as ic; {READ}",
    "incerta.read_table + 10 worlds": (
        f"import incerta as ic; {READ}; [w.sum() for w in data.worlds(10, 0)]"
    ),
    "pandas.read_csv + groupby mean": (
        "import pandas as pd; "
        'pd.read_csv(path).groupby("id", sort=False)[["x", "y", "z"]].mean()'
    ),
    "pandas (engine pyarrow) + groupby mean": (
        "import pandas as pd; pd.read_csv(path, engine='pyarrow')"
        '.groupby("id", sort=False)[["x", "y", "z"]].mean()'
    ),
}


def make_file(path: Path, n_rows: int, shuffled: bool) -> None:
    """Write the file in pieces, so that this process stays small."""
    rng = np.random.default_rng(0)
    n_objects = -(-n_rows // ROWS_PER_OBJECT)
    with path.open("w", encoding="utf-8") as stream:
        stream.write("id,x,y,z\n")
        for first in range(0, n_rows, 100_000):
            rows = np.arange(first, min(first + 100_000, n_rows))
            objects = rows // ROWS_PER_OBJECT
            if shuffled:
                objects = rng.integers(n_objects, size=len(rows))
            values = rng.normal(size=(len(rows), len(FEATURES)))
            stream.writelines(
                f"station-{name:06d},{a:.4f},{b:.4f},{c:.4f}\n"
                for name, (a, b, c) in zip(objects, values, strict=True)
            )


def measure(task: str, path: Path) -> dict[str, float]:
    code = MEASURE.format(task=task)
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def wide(n_columns: int) -> None:
    import incerta as ic

    print(f"{'format':<10}{'columns':>10}{'CPU s':>9}{'times':>18}")
    with tempfile.TemporaryDirectory() as folder:
        for suffix in ("csv", "parquet", "arrow"):
            before = None
            for n in (n_columns // 4, n_columns):
                names = [f"gene{i}" for i in range(n)]
                path = Path(folder) / f"wide{n}.{suffix}"
                make_wide(path, names)
                ic.read_table(path, id="id", values=names[:2])  # imports
                start = time.process_time()
                ic.read_table(path, id="id", values=names)
                took = time.process_time() - start
                ratio = "" if before is None else f"{took / before:.1f}"
                print(f"{suffix:<10}{n:>10,}{took:>9.2f}{ratio:>18}", flush=True)
                before = took


def make_wide(path: Path, names: list[str], n_rows: int = 20) -> None:
    import pyarrow as pa
    from pyarrow import csv, feather, parquet

    values = np.random.default_rng(0).normal(size=(len(names), n_rows)).round(3)
    ids = [f"cell{i}" for i in range(n_rows)]
    table = pa.table({"id": ids, **dict(zip(names, values, strict=True))})
    write = {
        ".csv": csv.write_csv,
        ".parquet": parquet.write_table,
        ".arrow": feather.write_feather,
    }
    write[path.suffix](table, path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rows", type=int, default=5_000_000)
    parser.add_argument("--order", choices=["sorted", "shuffled"], default="sorted")
    parser.add_argument("--columns", type=int, help="of wide tables")
    parser.add_argument("--tasks", nargs="+", choices=TASKS, default=list(TASKS))
    chosen = parser.parse_args()
    if chosen.columns:
        wide(chosen.columns)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.csv"
        make_file(path, chosen.rows, chosen.order == "shuffled")
        size = path.stat().st_size / 2**20
        print(f"{chosen.rows:,} rows, {chosen.order}, {size:.1f} MiB")
        print(f"{'task':<40}{'wall s':>9}{'CPU s':>9}{'peak MiB':>10}")
        for name in chosen.tasks:
            result = measure(TASKS[name], path)
            print(
                f"{name:<40}{result['wall']:>9.2f}{result['cpu']:>9.2f}"
                f"{result['peak'] / 2**20:>10.0f}"
            )


if __name__ == "__main__":
    main()
