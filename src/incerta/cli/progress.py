"""Progress bars for commands: on stderr, and only on a terminal."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def bars(*, shown: bool = True) -> Iterator[None]:
    """Draw a bar for each kind of work that the library reports."""
    if not shown or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, TaskID

    from incerta.backend.progress import reporting_to

    tasks: dict[str, TaskID] = {}
    with Progress(console=Console(stderr=True), transient=True) as progress:

        def show(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=total)
            progress.update(tasks[name], completed=done, total=total)

        with reporting_to(show):
            yield
