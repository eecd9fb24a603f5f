"""When to stop."""

import warnings

from sklearn.exceptions import ConvergenceWarning


def warn_unfinished(tol: float, max_iter: int) -> None:
    """Say that more sweeps would have gained more."""
    msg = (
        f"the objective still rises after max_iter={max_iter} sweeps; raise "
        f"max_iter, or raise tol={tol:g} if the labels are good enough."
    )
    warnings.warn(msg, ConvergenceWarning, stacklevel=5)
