"""Numbers, lists and parameters in sentences, and sentences used in several rooms."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches

# Labels with at least this probability are called sure (docs/accuracy.rst).
SURE = 0.9


def _as_keyword(name: str, *value: object) -> str:
    return f"{name}={''.join(map(repr, value))}"


# Writes a parameter, with or without a value, for the readers of the message.
_WRITTEN: ContextVar[Callable[..., str]] = ContextVar("written", default=_as_keyword)


@contextmanager
def for_readers(written: Callable[..., str]) -> Iterator[None]:
    """Write the parameters in messages as `written` does, within a with block."""
    token = _WRITTEN.set(written)
    try:
        yield
    finally:
        _WRITTEN.reset(token)


def given(*name: str, **value: object) -> str:
    """Return a parameter for a message: ``missing='impute'`` or ``--missing impute``.

    A name alone gives ``missing=`` or ``--missing``. The command line calls
    `for_readers`, so a message must be built when it is needed, not on import.
    """
    (words,) = filter(None, (name, *value.items()))
    return _WRITTEN.get()(*words)


def in_python(text: str, otherwise: str = "") -> str:
    """Return one text for readers who write Python, and another for all others."""
    return text if _WRITTEN.get() is _as_keyword else otherwise


def counted(n: int, thing: str) -> str:
    """Return a number of things: "1 object", "1,200 objects"."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def no_confidence(why: str) -> str:
    """Return the sentence that gives the reason for missing confidences."""
    return f"Confidence is not applicable: {why}."


def verb(n: int, of_one: str, of_many: str) -> str:
    """Return the form of a word that agrees with a number: "is" or "are"."""
    return of_one if n == 1 else of_many


def joined(words: Sequence[str], last: str = "and") -> str:
    """Return words as a list in a sentence: "a, b and c"."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def no_parameter(who: str, name: str, known: Iterable[str]) -> str:
    """Return the message for an unknown parameter, with the known ones."""
    names = sorted(known)
    near = get_close_matches(name, names, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{who} has no parameter {name!r}.{hint} It has {', '.join(names)}."


def capital(text: str) -> str:
    """Return the text with a capital first letter."""
    return text[:1].upper() + text[1:]


def share(value: float | None) -> str:
    """Format a probability to two digits; 0.00 and 1.00 only where exact."""
    if value is None:
        return "–"
    if 0 < value < 0.005:
        return "<0.01"
    if 0.995 <= value < 1:
        return ">0.99"
    return f"{value:.2f}"


def percent(part: float) -> str:
    """Format a share as a percentage, never rounded to 0 or 100."""
    rounded = round(100 * part)
    if rounded == 100 and part < 1:
        return "more than 99%"
    if rounded == 0 and part > 0:
        return "less than 1%"
    return f"{rounded}%"


def printable(text: object) -> str:
    """Return text without control characters."""
    return "".join(
        c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}"
        for c in str(text)
    )


def cut(text: str, longest: int) -> str:
    """Return the text, or its beginning if it is too long."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def unknown_name(what: str, name: str, known: Sequence[str]) -> str:
    """Return the message for an unknown name, with the closest known one."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    shown = ", ".join(map(repr, known[:12])) + (", ..." if len(known) > 12 else "")
    return f"there is no {what} {name!r}{hint} There are: {shown}"
