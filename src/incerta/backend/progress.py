"""The single hook through which long work reports its progress.

The library prints nothing. Whoever wants a bar (the command line does) sets a hook
for a while; it is called with a name, the number of steps done and their total.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Hook = Callable[[str, int, int], None]

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
    """Count steps: each ``next()`` reports that one more of `total` is done."""
    hook = _hook.get()
    for done in range(1, total + 1):
        if hook is not None:
            hook(name, done, total)
        yield done
