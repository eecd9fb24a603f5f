"""What the command line does when something goes wrong: one line and a number."""

import errno
import os
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from incerta.cli.interrupts import INTERRUPTED, tell
from incerta.cli.terminal import echo
from incerta.cli.wording import as_options
from incerta.exceptions import DataError, FileError

EXIT_CODES = f"""\
\b
Exit codes:
    0  success, even if the reader of a pipe closed it early
    1  an error in the data or in the fit; the message says what to change
    2  wrong usage
  {INTERRUPTED}  interrupted; nothing is left half-written"""

# What bad data, bad parameters and the system cause. All else is our mistake.
EXPECTED = (ValueError, OSError, ImportError, MemoryError)
# What is said about parameters that are options here.
ABOUT_DATA = (DataError, FileError)


class Commands(TyperGroup):
    """The commands, none of which ends in a traceback unless ``--debug`` asks."""

    def invoke(self, ctx: Any) -> Any:
        """Run the chosen command."""
        try:
            done = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _forget_stdout()
            raise typer.Exit(0) from None
        except KeyboardInterrupt:
            tell()
            raise typer.Exit(INTERRUPTED) from None
        except Exception as error:
            # Those of typer know their own exit code, and print themselves.
            if hasattr(error, "exit_code") or ctx.params.get("debug"):
                raise
            if _about_closed(error):
                _forget_stdout()  # or Python would try once more, and complain
            echo(f"Error: {in_one_line(error)}", err=True)
            raise typer.Exit(1) from None
        return done


def in_one_line(error: Exception) -> str:
    """Say what went wrong."""
    said = str(error)
    if _about_closed(error):
        return "stdin or stdout is closed; name files instead."
    if isinstance(error, OSError) and error.strerror:
        said = f"{error.strerror}: {error.filename}" if error.filename else said
    said = " ".join(said.split())
    if isinstance(error, MemoryError):
        return f"there is not enough memory. {said}".strip()
    if isinstance(error, EXPECTED) and said:
        return as_options(said) if isinstance(error, ABOUT_DATA) else said
    return (
        f"{type(error).__name__}: {said} This is unexpected; `incerta --debug …` "
        "shows where it happened."
    )


def _about_closed(error: Exception) -> bool:
    """Whether a stream was closed before the command began."""
    return isinstance(error, OSError) and error.errno == errno.EBADF


def _forget_stdout() -> None:
    """Discard what is still to be flushed: nobody reads it."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
