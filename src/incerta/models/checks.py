"""What must hold for the parts of a model that came out of a file.

Compiled code underneath does not look at the bounds of its arrays, so lengths and
numbers that a file made up must not get that far.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import numpy as np

from incerta.data.container import UncertainData
from incerta.data.laws import FAMILIES, Joint, Law, Values
from incerta.data.tables.columns import FRAME_LIBRARIES
from incerta.worlds import Worlds

# Type and shape of fields, by class. Equal letters are equal lengths. Types: f is
# float64, i a whole number, a anything.
SHAPES: dict[str, dict[str, str]] = {
    "Values": {"values": "f v d", "starts": "i s", "weights": "f v"},
    "Independent": {"loc": "f n d", "scale": "f n d"},
    "Gaussian": {"centre": "f n d", "factor": "f n d u"},
    "Joint": {"draws": "f w n d"},
    "Stacked": {"part": "i n", "row": "i n"},
    "Mapped": {"matrix": "f m d", "offset": "f m"},
    "Kernels": {"factor": "f n d u"},
    "Cells": {"group": "i c", "member": "i c"},
    "Opaque": {"centre": "f n d", "cov": "f n d d"},
    "UncertainData": {"ids": "a n"},
    "Worlds": {"indices": "i w"},
    "Renaming": {"names": "i c", "targets": "i c"},
    "Ordering": {"ordering": "i n", "reachability": "f n", "predecessor": "i n"},
    "Standardizer": {"center_": "f d", "scale_": "f d", "feature_names_in_": "a d"},
    "KChoice": {
        "scores": "f k",
        "null_scores": "f r k",
        "p_values": "f k",
        "p_more": "f k",
    },
}

# Of fitted estimators: n objects, d features.
FITTED = {
    "labels_": "i n",
    "confidence_": "f n",
    "membership_": "f n k",
    "_membership": "f n k",
    "labels_per_world_": "i w n",
    "_labels_per_world": "i w n",
    "raw_labels_per_world_": "i w n",
    "_raw": "i r n",
    "embedding_": "f n e",
    "cluster_centers_": "f c d",
    "cluster_levels_": "f l",
    "feature_names_in_": "a d",
    "ids_": "a n",
    "reachability_": "f n",
    "ordering_": "i n",
    "core_distances_": "f n",
    "_counts": "f c",  # of scikit-learn's k-means
}


def check_shapes(
    fields: Mapping[str, Any], shapes: Mapping[str, str], sizes: dict[str, int]
) -> None:
    """Hold the arrays among the fields against their shapes; None is left out.

    Parameters
    ----------
    fields : mapping
        Names and values.
    shapes : mapping
        A line of `SHAPES`.
    sizes : dict
        Lengths that are known; those that are found are added.
    """
    for name, text in shapes.items():
        array = fields.get(name)
        if array is None:
            continue
        kind, *letters = text.split()
        if not isinstance(array, np.ndarray) or not _is_of(array.dtype, kind):
            wrong(f"{name} is no array of the right type")
        same = len(letters) == array.ndim and all(
            sizes.setdefault(letter, length) == length
            for letter, length in zip(letters, array.shape, strict=True)
        )
        if not same:
            wrong(f"{name} has shape {array.shape}, which does not fit the rest")


def _is_of(dtype: np.dtype[Any], kind: str) -> bool:
    if kind == "f":
        return dtype == np.float64
    return kind == "a" or dtype.kind == kind


def _values(law: Any) -> None:
    starts = law.starts
    if len(starts) < 2 or starts[0] != 0 or starts[-1] != len(law.values):
        wrong("starts does not fit the values")
    if (np.diff(starts) < 1).any():
        wrong("starts does not rise")


def _independent(law: Any) -> None:
    if law.family not in FAMILIES:
        wrong(f"family {law.family!r} is unknown")


def _joint(law: Any) -> None:
    if not len(law.draws):
        wrong("there are no draws")


def _stacked(law: Any) -> None:
    if not law.parts or not all(isinstance(part, Law) for part in law.parts):
        wrong("parts are no laws")
    if len({part.n_features for part in law.parts}) > 1:
        wrong("parts have different features")
    within(law.part, len(law.parts), "part")
    within(law.row, np.array([p.n_objects for p in law.parts])[law.part], "row")


def _mapped(law: Any) -> None:
    if not isinstance(law.source, Law) or law.matrix.shape[1] != law.source.n_features:
        wrong("matrix does not fit what it maps")


def _kernels(law: Any) -> None:
    points = law.points
    if not isinstance(points, Values):
        wrong("points are no values")
    if law.factor.shape[:2] != (points.n_objects, points.n_features):
        wrong("factor does not fit the points")


def _cells(law: Any) -> None:
    whole(law.width, 1, "width")
    if not law.groups or len(law.group) % law.width:
        wrong("width does not fit the cells")
    within(law.group, len(law.groups), "group")
    within(law.member, np.array([g.size for g in law.groups])[law.group], "member")


def _opaque(law: Any) -> None:
    kinds = {type(member).__name__ for member in law.members}
    if len(law.members) != len(law.centre) or kinds != {"multivariate_t_frozen"}:
        wrong("there is not one distribution per object")


def _data(data: Any) -> None:
    if not isinstance(data.law, Law) or len(data.ids) != data.law.n_objects:
        wrong("there is not one id per object")
    texts(data.feature_names, "feature_names")
    if len(data.feature_names) != data.law.n_features:
        wrong("there is not one name per feature")
    if data.library is not None and data.library not in FRAME_LIBRARIES:
        wrong(f"library {data.library!r} is unknown")


def _worlds(worlds: Any) -> None:
    if not isinstance(worlds.data, UncertainData):
        wrong("worlds have no data")
    law = worlds.data.law
    most = len(law.draws) if isinstance(law, Joint) else 2**62
    within(worlds.indices, most, "indices")
    whole(worlds.seed, 0, "seed")
    if worlds.n_strata is not None:
        whole(worlds.n_strata, 1, "n_strata")
        # The search for the stratum of a world that is not among them never ends.
        within(worlds.indices, worlds.n_strata, "indices")


def _choice(choice: Any) -> None:
    for k in choice.ks:
        whole(k, 1, "ks")
    if len(choice.ks) != len(choice.scores) or choice.k not in choice.ks:
        wrong("ks does not fit the scores")


def _clustering(result: Any) -> None:
    fitted_to(result.estimator, result.data)
    texts(result.reasons, "reasons")
    texts(result.warnings, "warnings")
    texts(tuple(result.versions), "versions")
    texts(tuple(result.versions.values()), "versions")
    whole(result.seed, 0, "seed")
    if result.scaler is not None and type(result.scaler).__name__ != "Standardizer":
        wrong("scaler is no Standardizer")
    if result.choice is not None and type(result.choice).__name__ != "KChoice":
        wrong("choice is no KChoice")
    texts((result.method, result.command or ""), "method or command")


CHECKS: dict[str, Callable[[Any], None]] = {
    "Values": _values,
    "Independent": _independent,
    "Joint": _joint,
    "Stacked": _stacked,
    "Mapped": _mapped,
    "Kernels": _kernels,
    "Cells": _cells,
    "Opaque": _opaque,
    "UncertainData": _data,
    "Worlds": _worlds,
    "KChoice": _choice,
    "Clustering": _clustering,
}


def check_estimator(model: Any) -> None:
    """Hold a fitted estimator, ours or scikit-learn's, against itself."""
    if not hasattr(model, "n_features_in_"):
        return
    state = vars(model)
    for name in ("n_features_in_", "_min_samples", "n_clusters_"):
        whole(state.get(name, 1), 0, name)
    shapes = SHAPES.get(type(model).__name__, FITTED)
    check_shapes(state, shapes, {"d": model.n_features_in_})
    for worlds in (state.get("_worlds"), state.get("_kept")):
        if worlds is not None:
            if not isinstance(worlds, Worlds):
                wrong("what should be worlds is something else")
            fitted_to(model, worlds.data)
    for law in (state.get("_law"), state.get("_medoids")):
        if law is not None and (
            not isinstance(law, Law) or law.n_features != model.n_features_in_
        ):
            wrong("the objects have other features than the model")
    if state.get("_data") is not None:
        fitted_to(model, state["_data"])


def fitted_to(model: Any, data: Any) -> None:
    """Refuse an estimator that was not fitted to this number of objects."""
    if (
        not isinstance(data, UncertainData)
        or data.n_features != model.n_features_in_
        or len(data) != len(model.labels_)
    ):
        wrong("the data are not those of the model")


def within(numbers: Any, below: Any, name: str) -> None:
    """Refuse numbers that point outside."""
    if ((numbers < 0) | (numbers >= below)).any():
        wrong(f"{name} points outside")


def whole(number: Any, least: int, name: str) -> None:
    """Refuse what is no whole number, or too small."""
    if isinstance(number, bool) or not isinstance(number, int | np.integer):
        wrong(f"{name} is no whole number")
    if number < least:
        wrong(f"{name}={number} is below {least}")


def texts(given: Any, name: str) -> None:
    """Refuse what is no tuple of texts."""
    if not isinstance(given, tuple) or not all(isinstance(t, str) for t in given):
        wrong(f"{name} is not made of texts")


def wrong(what: str) -> NoReturn:
    """Refuse; `load` says which file it was."""
    raise ValueError(what)
