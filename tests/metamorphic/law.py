"""What a law is, and whether it holds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.metamorphic.subjects import NAMES, Task, answer, apart, fitted, task, usual

# What rounding may do to a probability.
ROUNDING = 1e-9


class Changed(NamedTuple):
    """A task that is the same in other words.

    Row i of the first task is row ``rows[i]`` of this one.
    """

    task: Task
    rows: np.ndarray | None = None
    new_rows: np.ndarray | None = None


@dataclass(frozen=True)
class Law:
    """A change that should change nothing.

    Either `changed` turns a task into another one, which is fitted and compared, or
    `compared` says itself how far two answers are apart.
    """

    name: str  # heads a column of the table
    says: str
    kinds: tuple[str, ...]  # of data that it is checked on
    changed: Callable[[Task], Changed] | None = None
    compared: Callable[[str, str], float] | None = None
    exact: bool = False  # to the last bit, not only to rounding
    about: frozenset[str] = frozenset(NAMES)

    def difference(self, name):
        """How far the answers of an estimator are apart, at worst."""
        return max(self._on(name, kind) for kind in self.kinds)

    def _on(self, name, kind):
        if self.compared is not None:
            return self.compared(name, kind)
        other, rows, new_rows = self.changed(task(kind))
        model = fitted(name, other)
        return apart(usual(name, kind)[1], answer(name, model, other, rows, new_rows))


def of_each(change):
    """Change the objects of the fit and the new ones alike."""
    return lambda some: Changed(Task(change(some.data), change(some.new), some.y))
