"""Ctrl-C, in real processes: what is left behind, and what is said."""

import os
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.conftest import WIDE, environment, heed_interrupts, wide_table
from tests.extras import not_on_windows

pytestmark = not_on_windows("has no SIGINT to send")

# Says on stdout which work begins, as the library reports it.
TELLING = """
from contextlib import contextmanager
from incerta.backend.progress import reporting_to
from incerta.cli import fit, main

@contextmanager
def told(**_):
    seen = set()
    def show(name, *_):
        if name not in seen:
            seen.add(name)
            print(name, flush=True)
    with reporting_to(show):
        yield

fit.bars = told
"""
# Does not come back for minutes, and Python cannot interrupt it.
STUCK = """
import hashlib
from incerta.cli import output
def stuck(*_):
    hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
output.json_file = lambda *_: stuck
"""
INTERRUPTED = """
from incerta.cli import output
def interrupted(*_):
    raise KeyboardInterrupt
output.json_file = lambda *_: interrupted
"""
WORKERS = """
import time, incerta as ic

class Slow:
    def fit_predict(self, X):
        time.sleep(60)

data = ic.from_gaussian([[0.0], [1.0], [9.0]], std=0.1)
print("ready", flush=True)
ic.WorldConsensus(Slow(), n_worlds=8, n_jobs=2, random_state=0).fit(data)
"""


def started(command, **options):
    return subprocess.Popen(
        [*map(str, command)],
        env=environment(PYTHONUNBUFFERED="1"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
        **options,
    )


def until(condition, seconds=120):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text(wide_table(300))
    return path


@pytest.mark.parametrize(
    ("method", "k", "stage"),
    [
        ("auto", 3, "worlds"),
        pytest.param("auto", "auto", "references", marks=pytest.mark.slow),
        pytest.param("RPC", 3, "divergence", marks=pytest.mark.slow),
        pytest.param("RPC", 3, "embedding", marks=pytest.mark.slow),
        pytest.param("REP", "auto", "worlds", marks=pytest.mark.slow),
        pytest.param("FOPTICS", "auto", "reachability", marks=pytest.mark.slow),
    ],
)
def test_at_work(program, table, tmp_path, method, k, stage):
    out = tmp_path / "out"
    arguments = "fit", table, *WIDE, "-k", k, "--method", method, "-o", out
    process = started(program(f"{TELLING}main()", *arguments))
    for line in process.stdout:
        if line == f"{stage}\n":
            break
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert (process.returncode, said) == (130, "Interrupted.\n")
    assert names_in(tmp_path) == ["many.csv"]


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 2])
def test_in_a_step_that_cannot_be_interrupted(program, wide, tmp_path, times):
    arguments = "fit", wide, *WIDE, "-k", 3, "--method", "UKMeans"
    code = f"{STUCK}from incerta.cli import main\nmain()"
    process = started(program(code, *arguments, "-o", tmp_path / "out"))
    until(lambda: len(list(tmp_path.glob(".incerta.part-*/model.incerta"))) == 1)
    for _ in range(times):
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
    out, said = process.communicate(timeout=120)
    assert (process.returncode, out, said) == (130, "", "Interrupted.\n")
    assert names_in(tmp_path) == ["wide.csv"]


def test_while_files_are_written(program, wide, tmp_path):
    arguments = "fit", wide, *WIDE, "-k", 3, "--method", "UKMeans"
    code = f"{INTERRUPTED}from incerta.cli import main\nmain()"
    process = started(program(code, *arguments, "-o", tmp_path / "out"))
    out, said = process.communicate(timeout=120)
    assert (process.returncode, out, said) == (130, "", "Interrupted.\n")
    assert names_in(tmp_path) == ["wide.csv"]


def test_while_the_program_is_loaded(wide):
    # The first module that a command needs says so, and then takes its time.
    code = (
        "import sys, time\n"
        "class Finder:\n"
        "    def find_spec(name, *_):\n"
        "        if name == 'typer':\n"
        "            print('loading', flush=True)\n"
        "            time.sleep(60)\n"
        "sys.meta_path.insert(0, Finder)\n"
        "from incerta.cli import main\n"
        "main()\n"
    )
    process = started([sys.executable, "-c", code, "info", wide])
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=120)[1] == "Interrupted.\n"
    assert process.returncode == 130


@pytest.mark.slow
def test_a_process_that_ignores_interrupts_still_does(wide):
    # As shells start what runs in the background.
    code = (
        "import os, signal\n"
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "from incerta.cli import main\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "main()\n"
    )
    process = started([sys.executable, "-c", code, "info", wide])
    assert "mass" in process.communicate(timeout=120)[0]
    assert process.returncode == 0


@pytest.mark.slow
def test_workers_end_with_the_process(tmp_path):
    process = started([sys.executable, "-c", WORKERS], start_new_session=True)
    process.stdout.readline()
    time.sleep(5)  # workers start
    process.send_signal(signal.SIGINT)  # to the process alone, not to its workers
    process.communicate(timeout=120)
    assert process.returncode != 0

    def gone():
        try:
            os.killpg(process.pid, 0)
        except ProcessLookupError:
            return True
        return False

    until(gone)
