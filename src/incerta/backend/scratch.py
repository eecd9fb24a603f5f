"""Memory for what is needed for a moment only."""

import math

import numpy as np

from incerta.typing import Array


class Scratch:
    """Arrays whose memory is used again and again.

    Fresh memory of a megabyte costs more time than most of what is done with it. What
    was asked for by a name is gone as soon as that is asked for again.

    Examples
    --------
    >>> from incerta.backend.scratch import Scratch
    >>> Scratch().array("sums", (2, 3)).shape
    (2, 3)
    """

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}

    def array(self, name: str, shape: tuple[int, ...]) -> Array:
        """An array with anything in it."""
        size = math.prod(shape)
        found = self._arrays.get(name)
        if found is None or found.size < size:
            found = self._arrays[name] = np.empty(size)
        return found[:size].reshape(shape)
