import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.endings.jobs import JOBS, write_stars
from tests.mutation.fault import ROOT


def started(job, folder):
    """Run a job in a folder, as the leader of its processes."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        job.command,
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def fresh(job, folder):
    """An empty folder with the table, and what was there before."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    write_stars(folder)
    if job.before is not None:
        job.before(folder)


def ended(job, folder):
    """Run a job to its end: what it found, and how long it took."""
    start = time.monotonic()
    process = started(job, folder)
    _, said = process.communicate()
    if process.returncode:
        sys.exit(said.decode())
    return job.found(folder), time.monotonic() - start


def leftovers(job, folder):
    """Names that no job gives to its files, but for parts that a later one removes."""
    known = {"stars.csv", "out", "model.incerta", *job.partial}
    names = {path.name for path in folder.iterdir()} - known
    return {name for name in names if not name.startswith(".incerta.part-")}


def killed(job, folder, moment, whole, old):
    """Kill a job at a moment; how far it had come."""
    process = started(job, folder)
    try:
        process.wait(moment)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    found = job.found(folder)
    # What a job goes on with may be anything; the rest is old, new, or file by file.
    assert job.partial or found in (None, old, whole) or mixed(found, old, whole), found
    assert not leftovers(job, folder), leftovers(job, folder)
    again, _ = ended(job, folder)
    assert again == whole, "another result after it was killed"
    return "new" if found == whole else "old"


def mixed(found, old, whole):
    """Whether each file is old or new: they are replaced one after the other."""
    return isinstance(found, dict) and all(
        found[name] in (old[name], whole[name]) for name in found
    )


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.endings")
    parser.add_argument("jobs", nargs="*", help=f"of {', '.join(JOBS)}; all if none")
    parser.add_argument("--n", type=int, default=50, help="moments for each job")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    rng = np.random.default_rng(given.seed)
    print(f"{'job':14}{'killed':>8}{'seconds':>9}{'old':>6}{'new':>6}")
    for name in given.jobs or JOBS:
        job = JOBS[name]
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "work"
            fresh(job, folder)
            old = job.found(folder)
            whole, seconds = ended(job, folder)
            counts = {"old": 0, "new": 0}
            # Most of the time goes into imports and the fit, and files are written at
            # the end: every other moment is one of the last tenth.
            for number in range(given.n):
                early = 0.0 if number % 2 else 0.9
                fresh(job, folder)
                moment = seconds * rng.uniform(early, 1.1)
                counts[killed(job, folder, moment, whole, old)] += 1
        told = "".join(f"{count:6}" for count in counts.values())
        print(f"{name:14}{given.n:8}{seconds:9.1f}{told}", flush=True)
    print("Nothing half-written, nothing left behind, the same result after.")


if __name__ == "__main__":
    main()
