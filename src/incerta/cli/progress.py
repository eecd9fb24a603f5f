"""Progress bars for commands: on stderr, only on a terminal, and not for quick work."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

AFTER = 2.0  # seconds: what is done sooner draws nothing
LASTING = 1.0  # seconds: what is quicker, within other work, would only flicker


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
    tasks: dict[str, TaskID] = {}  # under way, the outermost first
    working = progress.add_task("working", total=None)  # while nothing is counted

    def show(name: str, done: int, total: int) -> None:
        if name in tasks and (done == 0 or done >= total):
            progress.remove_task(tasks.pop(name))
        if done < total:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=total, visible=not tasks)
            progress.update(tasks[name], completed=done)
        outermost = next(iter(tasks.values()), working)
        for task in progress.tasks:
            if task.id == outermost or (task.elapsed or 0.0) > LASTING:
                progress.update(task.id, visible=True)
        progress.update(working, visible=not tasks)

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
