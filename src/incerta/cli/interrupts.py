"""Standard streams, and Ctrl-C, which ends the process within a second.

Python handles signals between two of its steps, and one step may be a long product of
matrices. A thread therefore waits for the signal, too, and ends the process if it does
not end by itself.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

INTERRUPTED = 130  # as in shells: 128 + SIGINT
PATIENCE = 0.3  # seconds for a command to end by itself
SHOW_CURSOR = b"\x1b[?25h"  # a progress bar hides the cursor

# A closed stream is replaced by one opened the wrong way, so that only its use fails.
# A command does not fail because a message cannot be shown.
STREAMS = (
    ("stdin", "r", os.O_WRONLY),
    ("stdout", "w", os.O_RDONLY),
    ("stderr", "w", os.O_WRONLY),
)

_told = threading.Event()


def prepare_streams() -> None:
    """Prepare the standard streams so that printing fails only if it must.

    Numbers of closed streams are occupied, or the next opened files would get them.
    """
    for number, (name, mode, flags) in enumerate(STREAMS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # takes the lowest free number: this one
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        # Characters that the terminal cannot show must not end a command.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]


@contextmanager
def obeyed() -> Iterator[None]:
    """End the process soon after SIGINT: by itself if it can, by force if not."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield  # somebody else decides: a shell that runs us in the background
        return
    heard, rung = os.pipe()
    if os.name != "nt":  # Windows requires it only for sockets
        os.set_blocking(rung, False)
    threading.Thread(target=_end_after_signal, args=(heard,), daemon=True).start()
    before = signal.set_wakeup_fd(rung, warn_on_full_buffer=False)
    signal.signal(signal.SIGINT, _raise_once)
    try:
        yield
    except KeyboardInterrupt:  # outside of any command
        tell()
        raise SystemExit(INTERRUPTED) from None
    except SystemExit as end:
        # While options are parsed, typer catches it without a message.
        if end.code == INTERRUPTED and not _told.is_set():
            tell()
        raise
    finally:
        signal.set_wakeup_fd(before)
        os.close(rung)


class Stop:
    """On Ctrl-C, stop waiting for input, and finish.

    A second Ctrl-C interrupts as usual.
    """

    def __init__(self) -> None:
        self.asked = False
        self._waiting = False
        self._restore: Callable[[], None] = lambda: None

    def __enter__(self) -> "Stop":
        if threading.current_thread() is not threading.main_thread():
            return self
        before = signal.getsignal(signal.SIGINT)
        if not callable(before):
            return self  # somebody else decides: a shell that runs us in the background
        descriptor = signal.set_wakeup_fd(-1)  # or the thread would end the process

        def restore() -> None:
            self._restore = lambda: None
            signal.signal(signal.SIGINT, before)
            signal.set_wakeup_fd(descriptor, warn_on_full_buffer=False)

        self._restore = restore
        signal.signal(signal.SIGINT, self._heard)
        return self

    def __exit__(self, *_: object) -> None:
        self._restore()

    def until(self, items: Iterable[T]) -> Iterator[T]:
        """Yield items until there are no more or Ctrl-C is pressed."""
        source = iter(items)
        while not self.asked:
            self._waiting = True
            try:
                item = next(source)
            except StopIteration:
                return
            except KeyboardInterrupt:
                self.asked = True
                return
            finally:
                self._waiting = False
            yield item

    def _heard(self, *_: object) -> None:
        self.asked = True
        self._restore()
        if self._waiting:
            raise KeyboardInterrupt


def tell() -> None:
    """Print one line about the interrupt."""
    _told.set()
    sys.stderr.write("Interrupted.\n")
    sys.stderr.flush()


def _raise_once(*_: object) -> None:
    """Raise KeyboardInterrupt; a second Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    raise KeyboardInterrupt


def _end_after_signal(heard: int) -> None:
    """Kill the process and its children soon after a signal."""
    while (number := os.read(heard, 1)) != bytes([signal.SIGINT]):
        if not number:  # everything was done
            return
    time.sleep(PATIENCE)
    from incerta.backend.writing import remove_all_passing

    if (processes := sys.modules.get("multiprocessing")) is not None:
        for child in processes.active_children():
            child.terminate()
    remove_all_passing()
    if os.isatty(2):
        os.write(2, SHOW_CURSOR)
    if not _told.is_set():
        os.write(2, b"Interrupted.\n")
    os._exit(INTERRUPTED)
