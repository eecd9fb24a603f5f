"""What a command says on stderr about what it did."""

import errno
import textwrap
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from incerta.cli.wording import as_options
from incerta.exceptions import DataError, FileError
from incerta.wording import SURE, counted, no_confidence, printable, share

if TYPE_CHECKING:
    from incerta.api.clustering import Clustering

WIDTH = 80
N_UNSURE = 5
LONGEST_ID = 24
MOST_ROWS = 12  # of small tables
# What bad data, bad parameters and the system cause. All else is our mistake.
EXPECTED = (ValueError, OSError, ImportError, MemoryError)
# What is said about parameters that are options here.
ABOUT_DATA = (DataError, FileError)


def tell(result: "Clustering", written: Sequence[str] = (), place: Any = None) -> None:
    """Say what was found and why, in 80 columns, and what was written where."""
    say(result.explain().partition("\n")[0] + ".", bold=True)
    say(" ".join(result.reasons))
    warn(result.warnings)
    say(_unsure(result))
    if written:
        say(f"Written to {place}: {', '.join(written)}")


def echo(text: object = "", *, err: bool = False, bold: bool = False) -> None:
    """Print lines, whatever is in them: data and files may hold control characters."""
    lines = map(printable, str(text).split("\n"))
    typer.secho("\n".join(lines), err=err, bold=bold or None)


def say(text: str, *, bold: bool = False, hanging: str = "") -> None:
    """Print a paragraph on stderr."""
    lines = textwrap.wrap(
        text,
        WIDTH,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )
    echo("\n".join(lines), err=True, bold=bold)


def warn(texts: Iterable[str]) -> None:
    """Print warnings on stderr."""
    for text in texts:
        say(f"Warning: {text}", hanging="  ")


def least_certain(ids: Any, confidence: Any, below: float) -> str:
    """The objects whose labels are least sure, of those below some confidence."""
    least = confidence.argsort(kind="stable")[:N_UNSURE]
    return ", ".join(
        f"{shown(ids[i])} ({share(confidence[i])})"
        for i in least[confidence[least] < below]
    )


def print_rows(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a small table on stderr; all columns but the first are numbers."""
    kept = rows[:MOST_ROWS]
    widths = [max(len(row[j]) for row in (head, *kept)) for j in range(len(head))]
    for row in (head, *kept):
        first, *others = (
            text.ljust(width) if j == 0 else text.rjust(width)
            for j, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        echo("  " + "  ".join([first, *others]).rstrip(), err=True)
    if len(rows) > len(kept):
        echo(f"  … and {len(rows) - len(kept):,} more", err=True)


@contextmanager
def noted() -> Iterator[list[str]]:
    """Collect the texts of warnings instead of printing them, each once."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    said = (as_options(" ".join(str(one.message).split())) for one in caught)
    texts += dict.fromkeys(said)


def in_one_line(error: Exception) -> str:
    """Say what went wrong."""
    said = str(error)
    if about_closed(error):
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


def about_closed(error: Exception) -> bool:
    """Whether a stream was closed before the command began."""
    return isinstance(error, OSError) and error.errno == errno.EBADF


def shown(name: Any) -> str:
    """An id as a terminal may show it: short, and without control characters."""
    text = printable(name)
    return text if len(text) <= LONGEST_ID else text[: LONGEST_ID - 1] + "…"


def _unsure(result: "Clustering") -> str:
    if result.no_confidence is not None:
        return no_confidence(result.no_confidence)
    least = least_certain(result.ids, result.confidence, 1.0)
    if not least:
        return "Within the given uncertainty no label was seen to change."
    n_unsure = len(result.unclassifiable(SURE))
    of = f"{n_unsure} of {counted(len(result.ids), 'object')}"
    return f"Confidence below {SURE}: {of}. Least certain: {least}."
