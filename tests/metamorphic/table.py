"""The table of laws in the documentation."""

from pathlib import Path
from string import ascii_lowercase
from textwrap import fill

from tests.metamorphic.registry import LAWS, LISTED, limit, listed
from tests.metamorphic.subjects import NAMES

PAGE = Path(__file__).parents[2] / "docs" / "measured" / "metamorphic.txt"
WIDTH = 88
MARKS = (
    "=  the same to the last bit",
    "~  the same to rounding: probabilities to 1e-9, and no label moves",
    ".  does not apply",
    "a, b, ...  does not hold, for the reason below",
)


def mark(law, name):
    """One cell: does the law hold?"""
    if name not in law.about:
        return "."
    reason = listed(law, name)
    if reason is not None:
        return ascii_lowercase[reason]
    return "=" if limit(law, name) == 0.0 else "~"


def table():
    """The table, what its columns are, and the reasons."""
    wide = max(map(len, NAMES)) + 2
    heads = "".join(f"{number:>3}" for number in range(1, len(LAWS) + 1))
    lines = [" " * wide + heads]
    for name in NAMES:
        marks = "".join(f"{mark(law, name):>3}" for law in LAWS)
        lines.append(f"{name:<{wide}}{marks}")
    lines += ["", *MARKS, ""]
    for number, law in enumerate(LAWS, 1):
        lines.append(_paragraph(f"{number:>3}  ", f"{law.name}: {law.says}"))
    lines.append("")
    for letter, each in zip(ascii_lowercase, LISTED):
        lines.append(_paragraph(f"  {letter}  ", each.reason))
    return "\n".join(lines) + "\n"


def _paragraph(head, text):
    return fill(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))
