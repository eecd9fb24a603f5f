"""Objects one by one, as river has them."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, Self

from sklearn.base import BaseEstimator, clone

from incerta.data.checks import as_feature_names
from incerta.data.construct import from_gaussian
from incerta.data.container import UncertainData
from incerta.exceptions import DataError


class OneByOne(BaseEstimator):  # type: ignore[misc]
    """What river asks of a clusterer, for those that have `partial_fit` and `predict`.

    river is not needed for that: its pipelines take whatever has these names.
    """

    # Pipelines of river ask whether `learn_one` takes a class as well.
    _supervised = False

    def learn_one(self, x: Mapping[Any, Any], *, time: float | None = None) -> Self:
        """Take one object, as pipelines of river do.

        Parameters
        ----------
        x : mapping
            From names of features to a value, or to a pair of value and error. Names
            may come in any order.
        time : float, optional
            When it came.

        Returns
        -------
        self
        """
        times = None if time is None else [time]
        taught: Self = self.partial_fit(self._one(x), times=times)
        return taught

    def predict_one(self, x: Mapping[Any, Any]) -> int:
        """Cluster of one object.

        Parameters
        ----------
        x : mapping
            As for `learn_one`.

        Returns
        -------
        int
            0 before the first object, as river asks before it teaches.
        """
        one = self._one(x)
        return int(self.predict(one)[0]) if hasattr(self, "n_seen_") else 0

    def clone(
        self,
        new_params: Mapping[str, Any] | None = None,
        include_attributes: bool = False,
    ) -> Self:
        """Copy, for river; scikit-learn's `clone` is the same without parameters.

        Parameters
        ----------
        new_params : mapping, optional
            From names of parameters to values that the copy has instead.
        include_attributes : bool, default=False
            Whether the copy knows what this one has learnt.

        Returns
        -------
        UMicro
        """
        copied = deepcopy(self) if include_attributes else clone(self)
        found: Self = copied.set_params(**(new_params or {}))
        return found

    def _get_params(self) -> dict[str, Any]:
        """Parameters, by river's name for it."""
        params: dict[str, Any] = self.get_params()
        return params

    def _one(self, x: Mapping[Any, Any]) -> UncertainData:
        """One object, with its features in the order of those before."""
        if not x:
            msg = f"x={x!r} has no features; give at least one name with a value."
            raise DataError(msg)
        named = {str(name): value for name, value in x.items()}
        unnamed = as_feature_names(None, getattr(self, "n_features_in_", 0))
        known = getattr(self, "feature_names_in_", unnamed)
        names = list(known if set(known) == named.keys() else named)
        pairs = [v if isinstance(v, tuple) else (v, 0.0) for v in map(named.get, names)]
        values, errors = zip(*pairs, strict=True)
        return from_gaussian([values], std=[errors], feature_names=names)
