"""The standard streams, which may be closed, or know no letters but those of ASCII."""

import os
import sys

# A closed stream gets a number that cannot be used the way it is meant to be, so that
# only what needs it fails. Messages that nobody can read are no failure.
STREAMS = (
    ("stdin", "r", os.O_WRONLY),
    ("stdout", "w", os.O_RDONLY),
    ("stderr", "w", os.O_WRONLY),
)


def prepare_streams() -> None:
    """Make the standard streams such that printing fails only where it must."""
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        # A dash that a terminal cannot show is no reason to end a command.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]


def _open_closed() -> None:
    """Take the numbers of closed streams, or the next files opened would have them."""
    for number, (name, mode, flags) in enumerate(STREAMS):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, flags)  # the lowest number that is free: this one
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8"))
