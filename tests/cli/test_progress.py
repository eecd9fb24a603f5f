"""Bars on a terminal: only for work that lasts, and with the time left."""

import os
import subprocess

import pytest

from tests.cli.conftest import QUICK, WIDE, environment

pty = pytest.importorskip("pty", reason="needs a terminal of Unix")

PROGRAM = """
from incerta.backend import progress
from incerta.cli import main
progress.AFTER = {after}
main()
"""


def said_on_a_terminal(command):
    """Run a command whose stderr is a terminal, and return what that shows."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*map(str, command)],
        env=environment(TERM="xterm", COLUMNS="100"),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            shown += (part := os.read(ours, 4096))
        except OSError:  # Linux's way to say that nobody writes any more
            break
        if not part:
            break
    os.close(ours)
    assert process.wait() == 0
    return shown.decode()


@pytest.mark.slow
def test_work_that_lasts_has_a_bar_with_the_time_left(program, wide):
    code = PROGRAM.format(after=0.0)
    told = said_on_a_terminal(program(code, "fit", wide, *WIDE, "-k", 3))
    assert "worlds" in told
    assert "time left" in told
    assert "AutoClusterer" in told  # what is said in the end


@pytest.mark.slow
@pytest.mark.parametrize(("after", "quiet"), [(60.0, ()), (0.0, ("--quiet",))])
def test_no_bar_for_quick_work_and_in_silence(program, wide, after, quiet):
    code = PROGRAM.format(after=after)
    told = said_on_a_terminal(program(code, "fit", wide, *QUICK, *quiet))
    assert "time left" not in told
    assert "\x1b[?25l" not in told  # the cursor was never hidden
