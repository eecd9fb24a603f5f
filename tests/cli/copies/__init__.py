"""Programs as processes of their own, without the seconds that imports take.

One process has imported what commands need, and each program is run by a copy of it,
with the streams, folder, environment and interrupts of who asks for it. What is decided
when Python starts needs a new process: encodings, closed streams, what is loaded.
"""

import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(__file__).parent


@contextmanager
def copies(folder):
    """A function that makes the command for a program with arguments."""
    if sys.platform != "linux":  # elsewhere libraries do not survive a fork
        yield lambda code, *arguments: [sys.executable, "-c", code, *arguments]
        return
    original = subprocess.Popen(
        [sys.executable, FOLDER / "original.py"],
        cwd=folder,
        env={**os.environ, "PYTHONUTF8": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert original.stdout.readline() == b"ready\n"
    # Nothing but Python itself is loaded by those who ask.
    ask = [sys.executable, "-I", "-S", FOLDER / "ask.py", folder]
    yield lambda code, *arguments: [*ask, code, *arguments]
    original.communicate()
