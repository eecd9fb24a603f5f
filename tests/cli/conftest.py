"""Small tables, and ways to run the command line: in this process and outside."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from incerta.cli.app import app
from tests.cli.copies import copies
from tests.runner import Runner

MAIN = "from incerta.cli import main; main()"


def environment(**changes):
    return {**os.environ, "COLUMNS": "80", "PYTHONUTF8": "1", **changes}


def heed_interrupts():
    """As ``preexec_fn``: in the background, shells let all they start ignore SIGINT."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.fixture
def heeded():
    """Heed SIGINT here, also if the tests run in the background of a shell."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def call():
    """Run in this process; anything unexpected comes out as a traceback."""

    def call(*arguments, input=None, code=0, **environment):
        asked = [str(argument) for argument in arguments]
        done = Runner().invoke(app, asked, input=input, env=environment)
        assert done.exit_code == code, done.output
        return done

    return call


@pytest.fixture(scope="session")
def program(tmp_path_factory):
    """Command that runs some code as a process, with arguments."""
    with copies(tmp_path_factory.mktemp("copies")) as made:
        yield made


@pytest.fixture
def run():
    """Run as a shell would."""

    def run(*arguments, **options):
        options = {"capture_output": True, "text": True, "encoding": "utf-8"} | options
        changes = options.pop("changes", {})
        return subprocess.run(
            [sys.executable, "-c", MAIN, *map(str, arguments)],
            env=environment(**changes),
            **options,
        )

    return run


def wide_table(n=30, seed=0):
    """Three clusters far apart, one row per object, with errors and classes."""
    rng = np.random.default_rng(seed)
    classes = np.arange(n) % 3
    means = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])[classes]
    means = means + rng.normal(size=(n, 2))
    lines = ["star,mass,mass_error,radius,radius_error,class"]
    lines += [
        f"s{i:03},{x:.4f},0.5,{y:.4f},0.25,{'abc'[c]}"
        for i, ((x, y), c) in enumerate(zip(means, classes))
    ]
    return "\n".join(lines) + "\n"


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text(wide_table())
    return path


WIDE = ("--id", "star", "--values", "mass,radius", "--errors", "{}_error")
QUICK = (*WIDE, "-k", "3", "--method", "UKMeans")
