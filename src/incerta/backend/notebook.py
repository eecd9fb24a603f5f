"""Bars in notebooks: a line of text for each kind of work, without widgets.

They appear once a cell has worked for two seconds, and one line stays when it ends.
"""

import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from incerta.backend.bars import Bars

# Seconds until bars appear, and between two drawings.
AFTER, PAUSE = 2.0, 0.2
WIDTH = 30

_cell: "_Cell | None" = None


def hook() -> Callable[[str, int, int], None] | None:
    """What draws bars, in a notebook; None elsewhere, and in threads."""
    if (shell := _shell()) is None:
        return None
    global _cell
    if _cell is None:
        _cell = _Cell(shell)
    return _cell.show


def _shell() -> Any:
    """The shell of a kernel, which has a front end that draws; None without one."""
    # Nobody is in a notebook without having imported it.
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    if not hasattr(shell, "kernel"):
        return None
    return shell if threading.current_thread() is threading.main_thread() else None


class _Cell:
    """The bars of one run of a cell."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.begun = self.drawn = time.monotonic()
        self.bars = Bars()
        self.place: Any = None  # where the lines are, once they are drawn
        shell.events.register("post_run_cell", self.end)

    def show(self, name: str, done: int, total: int) -> None:
        now = time.monotonic()
        self.bars.report(name, done, total, now)
        if now - self.begun < AFTER or now - self.drawn < PAUSE:
            return
        self.drawn = now
        shown = self.bars.shown(now)
        self.draw("\n".join(line(n, now - b.start, *b[1:]) for n, b in shown.items()))

    def draw(self, text: str) -> None:
        bundle = {"text/plain": text}
        if self.place is None:
            from IPython.display import display  # type: ignore[import-not-found]

            self.place = display(bundle, raw=True, display_id=True)
        else:
            self.place.update(bundle, raw=True)

    def end(self, *_: Any) -> None:
        """Leave one line, and wait for the next cell."""
        global _cell
        _cell = None
        self.shell.events.unregister("post_run_cell", self.end)
        if self.place is not None:
            self.draw(f"worked for {clock(time.monotonic() - self.begun)}")


def line(name: str, elapsed: float, done: int, total: int) -> str:
    """A text such as ``worlds ━━━━━━────── 16/32  0:04, about 0:04 left``."""
    full = WIDTH * done // max(total, 1)
    text = f"{name:<14} {'━' * full}{'─' * (WIDTH - full)} {done}/{total}"
    text += f"  {clock(elapsed)}"
    if 0 < done < total:
        text += f", about {clock(elapsed / done * (total - done))} left"
    return text


def clock(seconds: float) -> str:
    """Time as 0:07, 12:30 or 1:02:03."""
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
