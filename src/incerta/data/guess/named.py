"""Columns that are named as the errors of a value."""

import re
from typing import NamedTuple


class Named(NamedTuple):
    """Columns that are named as the errors of a value."""

    value: str
    columns: tuple[str, ...]  # one, or low and high, or plus and minus
    kind: str | None  # "?" where bounds have no kind of their own
    templates: tuple[str, ...]  # with {} for the value, or nothing if none is right


def template(match: re.Match[str]) -> str:
    """The name that was matched, with {} in the place of the value."""
    start, end = match.span("value")
    return f"{match.string[:start]}{{}}{match.string[end:]}"
