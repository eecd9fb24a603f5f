"""What a model file holds of an estimator: its parameters, and what a fit found."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, ClassVar

from sklearn.utils.validation import check_is_fitted

from incerta.backend.parameters import OF_THIS_MACHINE
from incerta.models.checks import check_shapes, whole, wrong
from incerta.models.files import save
from incerta.models.registry import Recipe, State, register


class Storable:
    """An estimator of scikit-learn's kind that can be written to a model file.

    `_stored` names what a file holds besides the parameters: attributes, with the type
    and shape of those that are arrays; `_stored_by_all` those of a whole family.
    """

    _stored: ClassVar[dict[str, str]] = {}
    _stored_by_all: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls, *, family: bool = False, **kwargs: Any) -> None:
        """Add the class to those that a model file may name; no file holds a family."""
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("incerta.") and not family:
            register(cls, Recipe(_state, partial(_made, cls), is_model=True))

    def save(self, path: Any) -> None:
        """Write the fitted estimator to a file that `incerta.load` reads.

        Parameters
        ----------
        path : str or path-like
            Where to; an existing file is replaced when the new one is complete.
        """
        check_is_fitted(self)
        save(self, path)

    @classmethod
    def _fields(cls) -> dict[str, str]:
        """What a file holds besides the parameters."""
        return {**cls._stored_by_all, **cls._stored}

    def _check_stored(self) -> None:
        """Refuse a model from a file if its parts do not fit together."""


def _state(model: Any) -> State:
    given = model.get_params(deep=False)
    state = {name: given[name] for name in given.keys() - OF_THIS_MACHINE}
    for name in model._fields():
        # Not every estimator has every one; some are computed now.
        if hasattr(model, name):
            state[name] = getattr(model, name)
    return state


def _made(cls: Any, state: State) -> Any:
    parameters = inspect.signature(cls).parameters.keys() - OF_THIS_MACHINE
    fields = cls._fields()
    for name in state.keys() - parameters - fields.keys():
        wrong(f"{cls.__name__} has no {name!r}")
    model = cls(**{name: state[name] for name in parameters})
    model._validate_params()
    whole(state.get("n_features_in_"), 0, "n_features_in_")
    shapes = {name: text for name, text in fields.items() if text}
    check_shapes(state, shapes, {"d": state["n_features_in_"]})
    # Not setattr: some are computed when asked for, unless they are there.
    model.__dict__.update({n: state[n] for n in fields.keys() & state.keys()})
    model._check_stored()
    return model
