"""When to stop."""

import warnings
from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

from sklearn.exceptions import ConvergenceWarning


class HasObjective(Protocol):
    """A state of an iteration that knows how good it is."""

    @property
    def objective(self) -> float:
        """What should rise."""


State = TypeVar("State", bound=HasObjective)


def until_flat(states: Iterable[State], tol: float, max_iter: int) -> Iterator[State]:
    """Pass states on until the relative gain of their objective falls below `tol`.

    Warns if it still gains more after `max_iter` states.
    """
    before = None
    for number, state in enumerate(states, start=1):
        yield state
        if before is not None and state.objective - before <= tol * abs(before):
            return
        if number >= max_iter:
            warn_unfinished(tol, max_iter)
            return
        before = state.objective


def warn_unfinished(tol: float, max_iter: int) -> None:
    """Say that more sweeps would have gained more."""
    msg = (
        f"the objective still rises after max_iter={max_iter} sweeps; raise "
        f"max_iter, or raise tol={tol:g} if the labels are good enough."
    )
    warnings.warn(msg, ConvergenceWarning, stacklevel=5)
