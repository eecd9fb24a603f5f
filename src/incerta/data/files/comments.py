"""Comments above the header of a text table."""

import re
from collections.abc import Sequence

COMMENT = "#"
NUMBER = re.compile(r"[-+]?[\d.,]+(?:[eE][-+]?\d+)?")


def is_comment(lines: Sequence[str], separators: Sequence[str]) -> bool:
    """Tell whether the first of two lines is a comment, and no header with its mark."""
    first, *below = lines
    if not first.startswith(COMMENT) or not below:
        return False
    if below[0].startswith(COMMENT) or not below[0].strip():
        return True
    return not any(
        len(first.split(mark)) == len(cells) > 1 and any(map(_is_number, cells))
        for mark in (*separators, None)
        if (cells := below[0].split(mark))
    )


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.strip(' "\r\n')) is not None
