"""The checkpoint of a fit."""

from typing import Any

from incerta.models.checkpoint import Checkpoint, opened
from incerta.selection.keeping import Kept

# What the result does not depend on.
NO_PART = ("checkpoint", "n_jobs", "random_state")


def pieces_of(estimator: Any, objects: Any) -> Checkpoint:
    """Finished pieces of a fit; they keep their seed if the estimator has none.

    Parameters
    ----------
    estimator : estimator
        With the parameters `checkpoint` and `random_state`; its ``seed_`` is set.
    objects : UncertainData or Kept
        What it is fitted to.

    Returns
    -------
    Checkpoint
    """
    given = estimator.get_params(deep=False)
    data = objects
    if isinstance(objects, Kept):
        data = [objects.drawn, objects.chosen]
    found = opened(
        estimator.checkpoint,
        type(estimator).__name__,
        {name: value for name, value in given.items() if name not in NO_PART},
        data,
        estimator.seed_,
        estimator.random_state is not None,
    )
    estimator.seed_ = found.seed
    return found
