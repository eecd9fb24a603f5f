"""Bars on a terminal: only for work that lasts, and with the time left."""

import os
import subprocess
import sys

import pytest
from rich.progress import Progress

from incerta.backend.progress import LASTING, bars, track
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


def test_work_within_other_work_is_shown_if_it_lasts(monkeypatch):
    now, made = [0.0], []

    class Recorded(Progress):
        def __init__(self, *columns, **options):
            super().__init__(*columns, get_time=lambda: now[0], **options)
            made.append(self)

    def visible():
        return [task.description for task in made[0].tasks if task.visible]

    monkeypatch.setattr("rich.progress.Progress", Recorded)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with bars():
        assert visible() == ["working"]
        worlds = track(5, "worlds")
        rounds = track(9, "rounds")
        assert visible() == ["worlds"]
        now[0] += LASTING + 0.1
        next(rounds)
        assert visible() == ["worlds", "rounds"]
        assert list(rounds)[-1] == 9
        rounds = track(7, "rounds")  # begins again
        assert visible() == ["worlds"]
        assert list(worlds)[-1] == 5
        assert visible() == ["rounds"]
        assert len(list(rounds)) == 7
        assert visible() == ["working"]
