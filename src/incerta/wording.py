"""Numbers and lists in sentences, and sentences that several rooms say."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from difflib import get_close_matches

# A label of at least this probability is called sure; docs/accuracy counts them.
SURE = 0.9


def _as_keyword(name: str, *value: object) -> str:
    return f"{name}={''.join(map(repr, value))}"


# Writes a parameter, with a value or without, as those have it who read the message.
_WRITTEN: ContextVar[Callable[..., str]] = ContextVar("written", default=_as_keyword)


@contextmanager
def for_readers(written: Callable[..., str]) -> Iterator[None]:
    """Let messages be for readers to whom parameters are `written` in another way."""
    token = _WRITTEN.set(written)
    try:
        yield
    finally:
        _WRITTEN.reset(token)


def given(*name: str, **value: object) -> str:
    """A parameter in a message: ``missing='impute'``, or ``--missing impute``.

    With a name alone: ``missing=``, or ``--missing``. The command line calls
    `for_readers`; a message must be put together when it is needed, not before.
    """
    (words,) = filter(None, (name, *value.items()))
    return _WRITTEN.get()(*words)


def in_python(text: str, otherwise: str = "") -> str:
    """A text for those who write Python, or else another one."""
    return text if _WRITTEN.get() is _as_keyword else otherwise


def counted(n: int, thing: str) -> str:
    """Number of things: "1 object", "1,200 objects"."""
    return f"{n:,} {thing}{'' if n == 1 else 's'}"


def no_confidence(why: str) -> str:
    """Say why confidences would say nothing."""
    return f"Confidence is not applicable: {why}."


def verb(n: int, of_one: str, of_many: str) -> str:
    """The form of a word that goes with a number: "is" or "are"."""
    return of_one if n == 1 else of_many


def joined(words: Sequence[str], last: str = "and") -> str:
    """Words as a list in a sentence: "a, b and c"."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def no_parameter(who: str, name: str, known: Iterable[str]) -> str:
    """Say that a method has no such parameter, and which it has."""
    names = sorted(known)
    near = get_close_matches(name, names, 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"{who} has no parameter {name!r}.{hint} It has {', '.join(names)}."


def capital(text: str) -> str:
    """The text with a capital in front."""
    return text[:1].upper() + text[1:]


def share(value: float | None) -> str:
    """Probability to two digits; 0.00 and 1.00 only where it is exactly that."""
    if value is None:
        return "–"
    if 0 < value < 0.005:
        return "<0.01"
    if 0.995 <= value < 1:
        return ">0.99"
    return f"{value:.2f}"


def printable(text: object) -> str:
    """Text as a terminal may show it: without control characters, which it obeys."""
    return "".join(
        c if c.isprintable() else " " if c.isspace() else "\N{REPLACEMENT CHARACTER}"
        for c in str(text)
    )


def cut(text: str, longest: int) -> str:
    """The text, or its beginning if it is too long."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def unknown_name(what: str, name: str, known: Sequence[str]) -> str:
    """Say that a name does not exist, and which one was probably meant."""
    near = get_close_matches(name, known, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    shown = ", ".join(map(repr, known[:12])) + (", ..." if len(known) > 12 else "")
    return f"there is no {what} {name!r}{hint} There are: {shown}"
