"""How much memory a file may ask for, counted before it is taken.

A few bytes can name an array, a list of texts or a distribution many times over, each
of which takes memory of its own. So whatever is made of a file is paid for first, from
one budget that grows with the size of the file.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from incerta.exceptions import ModelFileError

# What is counted, and what is promised: the rest is for arrays that checks make and
# drop again, and for what the allocator adds.
COUNTED_TIMES, COUNTED_MORE = 48, 2**25
PROMISED_TIMES, PROMISED_MORE = 64, 2**26

# What Python takes at most, on 64 bits; tests measure it.
OF_JSON = 36  # by character of a text; most for lists within small dictionaries
OF_DIRECTORY = 20  # by byte of a zip's list of members
OF_ARRAY = 256  # beside its numbers
OF_LIST, OF_ITEM = 64, 24
OF_PAIR = 128
OF_SCALAR = 192
OF_OBJECT = 1024
OF_TEXT = 192  # with its place in an array, and where it begins and ends
OF_CHARACTER = 6  # by byte: up to 4 as text, and a copy of the bytes


def promised_bytes(size: int) -> int:
    """Memory that no file of this size goes beyond."""
    return PROMISED_TIMES * size + PROMISED_MORE


class Budget:
    """Bytes that a file may still ask for.

    Parameters
    ----------
    path : Path, optional
        The file, for messages.
    size : int, optional
        Its size; without it, everything is allowed.
    max_bytes : int, optional
        What the caller allows, whatever the size.
    """

    def __init__(
        self,
        path: Path | None = None,
        size: int | None = None,
        max_bytes: int | None = None,
    ) -> None:
        self._path = path
        by_size = math.inf if size is None else COUNTED_TIMES * size + COUNTED_MORE
        self._enough = by_size
        self._limit = by_size if max_bytes is None else min(max_bytes, by_size)
        self._left = self._limit

    def pay(self, n_bytes: int) -> None:
        """Count bytes that are about to be taken; refuse what goes beyond."""
        self._left -= n_bytes
        if self._left >= 0:
            return
        if self._limit < self._enough:
            msg = (
                f"{self._path} takes more memory than the {self._limit} bytes allowed; "
                f"pass max_bytes={self._enough} to load it anyway."
            )
        else:
            msg = (
                f"{self._path} asks for more than {self._limit} bytes of memory, which "
                "no model file of its size needs; it is damaged or was made to do harm."
            )
        raise ModelFileError(msg)

    def pay_for_array(self, array: np.ndarray) -> None:
        """Count one more mention of an array, which itself is there already."""
        # A message about what holds it may show it: up to 1000 of its entries.
        self.pay(OF_ITEM + min(array.size, 1000) * (4 * array.itemsize + 32))
