"""Progress bars for commands: on stderr, only on a terminal, and not for quick work."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

AFTER = 2.0  # seconds: what is done sooner draws nothing


@contextmanager
def bars(*, shown: bool = True) -> Iterator[None]:
    """Draw a bar, with the time left, for each kind of work that the library reports.

    They appear after two seconds, and go when the work is done.
    """
    if not shown or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    from incerta.backend.bars import Bars
    from incerta.backend.progress import reporting_to

    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("time left"),
        TimeRemainingColumn(elapsed_when_finished=False),
        console=Console(stderr=True),
        transient=True,
    )
    under_way = Bars()
    tasks: dict[str, TaskID] = {}
    working = progress.add_task("working", total=None)  # while nothing is counted

    def show(name: str, done: int, total: int) -> None:
        now = time.monotonic()
        under_way.report(name, done, total, now)
        if name not in tasks:
            tasks[name] = progress.add_task(name, total=total)
        elif done == 0:
            progress.reset(tasks[name], total=total)
        progress.update(tasks[name], completed=done, total=total)
        shown = under_way.shown(now)
        progress.update(working, visible=not shown)
        for each, task in tasks.items():
            progress.update(task, visible=each in shown)

    late = Timer(AFTER, progress.start)
    late.daemon = True
    late.start()
    try:
        with reporting_to(show):
            yield
    finally:
        late.cancel()
        late.join()
        if progress.live.is_started:
            progress.stop()
