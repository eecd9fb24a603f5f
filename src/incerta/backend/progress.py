"""Progress reports of long computations, all through a single hook.

The hook is called with a name, the number of steps done and their total. In scripts the
library prints nothing. In a notebook with tqdm, bars appear unless a hook is set.
"""

import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from operator import length_hint
from threading import Timer
from typing import Any, TypeVar

T = TypeVar("T")
Hook = Callable[[str, int, int], None]

AFTER = 2.0  # seconds before a bar appears; shorter work has none
LASTING = 1.0  # seconds before an inner bar appears, so that short ones do not flicker

_hook: ContextVar[Hook | None] = ContextVar("incerta_progress", default=None)


@contextmanager
def reporting_to(hook: Hook) -> Iterator[None]:
    """Send progress to `hook` inside a ``with`` block."""
    token = _hook.set(hook)
    try:
        yield
    finally:
        _hook.reset(token)


def track(total: int, name: str) -> Iterator[int]:
    """Return an iterator over `total` steps that reports one with each ``next()``."""
    hook = _hook.get()
    if hook is not None:
        steps = _reported(hook, name, total)
        next(steps)
        return steps
    bar = _notebook_bar(name, total)
    return iter(range(1, total + 1)) if bar is None else _drawn(bar, total)


def followed(items: Iterable[T], name: str) -> Iterator[T]:
    """Yield the items, and report each one when the caller has finished with it."""
    total = length_hint(items, -1)
    if total < 0:
        items = list(items)
        total = len(items)
    steps = track(total, name)
    for item in items:
        yield item
        next(steps, None)


def _reported(hook: Hook, name: str, total: int) -> Iterator[int]:
    done = 0
    try:
        for done in range(total + 1):
            hook(name, done, total)
            yield done
    finally:  # the caller may stop before the end
        if done < total:
            hook(name, total, total)


def _notebook_bar(name: str, total: int) -> Any:
    """Return a bar of tqdm, or None outside notebooks, in threads or without tqdm."""
    # In a notebook, IPython has already been imported.
    ipython = sys.modules.get("IPython")
    if ipython is None or not hasattr(ipython.get_ipython(), "kernel"):
        return None
    if threading.current_thread() is not threading.main_thread():
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return tqdm(total=total, desc=name, delay=AFTER, leave=False)


def _drawn(bar: Any, total: int) -> Iterator[int]:
    with bar:
        for done in range(1, total + 1):
            bar.update()
            yield done


@contextmanager
def bars(*, shown: bool = True) -> Iterator[None]:
    """Draw a bar for each task after two seconds, if stderr is a terminal."""
    if not shown or not sys.stderr.isatty():
        yield
        return
    from rich import progress as drawing
    from rich.console import Console

    progress = drawing.Progress(
        drawing.TextColumn("{task.description}"),
        drawing.BarColumn(),
        drawing.MofNCompleteColumn(),
        drawing.TimeElapsedColumn(),
        drawing.TextColumn("time left"),
        drawing.TimeRemainingColumn(elapsed_when_finished=False),
        console=Console(stderr=True),
        transient=True,
    )
    tasks: dict[str, drawing.TaskID] = {}  # tasks in progress, the outermost first
    working = progress.add_task("working", total=None)  # shown while nothing else runs

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
