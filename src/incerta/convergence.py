"""The warning about unfinished iterations."""

import warnings

from sklearn.exceptions import ConvergenceWarning


def warn_unfinished(tol: float, max_iter: int) -> None:
    """Warn that more sweeps would raise the objective further."""
    msg = (
        f"the objective still rises after max_iter={max_iter} sweeps; raise "
        f"max_iter, or raise tol={tol:g} if the labels are good enough."
    )
    warnings.warn(msg, ConvergenceWarning, stacklevel=5)
