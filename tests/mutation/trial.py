"""Run tests over a copy of the package, with a mistake in it."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "incerta"
LIMIT = 1800  # seconds; a mistake may make a loop endless
QUIETLY = ("-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--no-header")


@contextlib.contextmanager
def copied():
    """A copy of the package, to make mistakes in."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        source = Path(folder) / "src" / "incerta"
        shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
        yield source


@contextlib.contextmanager
def mistaken(module, mutant):
    """Make a mistake in a module, and take it back."""
    before = module.read_text(encoding="utf-8")
    module.write_text(mutant.applied(before), encoding="utf-8")
    try:
        yield
    finally:
        module.write_text(before, encoding="utf-8")


def passes(source, tests, log):
    """Whether these tests pass over a copy of the package."""
    own = {
        "PYTHONPATH": str(source.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
    }
    command = [sys.executable, "-m", "pytest", *QUIETLY, *tests]
    with (
        log.open("ab") as out,
        subprocess.Popen(
            command, cwd=ROOT, env=os.environ | own, stdout=out, stderr=out
        ) as running,
    ):
        try:
            return running.wait(LIMIT) == 0
        except subprocess.TimeoutExpired:
            running.kill()
            return False
