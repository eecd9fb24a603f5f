"""Run tests over a copy of the package, in a fork that has imported what is slow."""

import contextlib
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path

from tests.mutation.fault import ROOT, SOURCE

LIMIT = 900  # seconds; a fault may make a loop endless
SLOW_TO_IMPORT = ("numba", "pandas", "pyarrow", "scipy.stats", "sklearn.utils", "dask")


def import_slow():
    """Import what all rooms need and no fault is in."""
    for name in SLOW_TO_IMPORT:
        with contextlib.suppress(ImportError):
            __import__(name)
    assert not any(name.split(".")[0] == "incerta" for name in sys.modules)


@contextlib.contextmanager
def copied():
    """A copy of the package, for faults."""
    with tempfile.TemporaryDirectory(prefix="mutation-") as folder:
        source = Path(folder) / "src" / "incerta"
        shutil.copytree(SOURCE, source, ignore=shutil.ignore_patterns("__pycache__"))
        yield source


def passes(source, tests, log):
    """Whether these tests pass over a copy of the package."""
    child = os.fork()
    if child == 0:
        _run(source, tests, log)
    until = time.monotonic() + LIMIT
    while time.monotonic() < until:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def _run(source, tests, log):
    os.setsid()  # so that workers of a test end with it
    with log.open("ab") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    os.chdir(ROOT)
    sys.path.insert(0, str(source.parent))
    os.environ |= {
        "PYTHONPATH": str(source.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
    }
    sys.dont_write_bytecode = True
    import pytest

    given = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-p", "no:randomly"]
    code = pytest.main([*given, "--no-header", *map(str, tests)])
    import incerta

    same = Path(incerta.__file__).parent == source
    os._exit(int(code) if same else 99)
