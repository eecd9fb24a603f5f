"""Model files: `save` and `load`, and what they hold of estimators: `Storable`."""

from __future__ import annotations

import inspect
import os
from functools import partial
from pathlib import Path
from textwrap import shorten
from typing import Any, ClassVar

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from incerta.backend.memory import physical_bytes
from incerta.backend.parameters import OF_THIS_MACHINE
from incerta.exceptions import ModelFileError
from incerta.models.archive import Archive, refuse, write_archive
from incerta.models.checks import check_shapes, whole, wrong
from incerta.models.registry import Recipe, State, is_model, register
from incerta.models.values import Decoder, Encoder
from incerta.version import __version__

FORMAT = "incerta model"
# Raise it when older versions could misread a file; keep reading the older ones, and
# keep a file of each in the tests.
FORMAT_VERSION = 1
MOST_TOLD = 500  # characters of what is wrong


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file.

    Parameters
    ----------
    model : estimator, Standardizer or Clustering
        Any fitted estimator of this library, or what `cluster` returned.
    path : str or path-like
        Where to; the usual extension is ``.incerta``. An existing file is replaced when
        the new one is complete.

    Raises
    ------
    ModelFileError
        If the model holds something that cannot be stored (the message names the
        attribute), or if the file cannot be written.

    Notes
    -----
    The file is a zip of one JSON text and of ``.npy`` arrays, as large as the arrays of
    the model. It holds everything that `predict` needs: for most methods this includes
    the data. Equal models give equal bytes.

    Data given by `scipy.stats` are stored by names and parameters, so the same worlds
    are drawn from them: univariate distributions, kernel densities, multivariate normal
    and t. Clusterers of scikit-learn are stored by parameters and fitted arrays. Other
    distributions and clusterers, and functions, cannot be stored.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import incerta as ic
    >>> data = ic.from_gaussian([[0.0], [0.2], [5.0], [5.3]], std=0.1)
    >>> uk = ic.UKMeans(n_clusters=2, random_state=0).fit(data)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ic.save(uk, Path(folder) / "stars.incerta")
    ...     again = ic.load(Path(folder) / "stars.incerta")
    >>> again.predict([[[4.0], [6.0]]])
    array([1])
    """
    if not is_model(model):
        msg = (
            f"model is a {type(model).__name__}; save takes fitted estimators of this "
            "library and what cluster(), assess() or members() returns."
        )
        raise TypeError(msg)
    if isinstance(model, BaseEstimator):
        check_is_fitted(model)
    encoder = Encoder()
    manifest = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "incerta": __version__,
        "model": encoder.encode(model),
        "n_arrays": len(encoder.arrays),
    }
    write_archive(Path(path), manifest, encoder.arrays)


def load(path: str | os.PathLike[str], *, max_bytes: int | None = None) -> Any:
    """Read a model from a file that `save` wrote.

    Parameters
    ----------
    path : str or path-like
        The file.
    max_bytes : int, optional
        Most memory to take; half of this machine's memory by default. A file that asks
        for more is refused before it gets it.

    Returns
    -------
    estimator, Standardizer or Clustering
        As it was: attributes and predictions are the same to the last bit.

    Raises
    ------
    ModelFileError
        If the file is damaged, not a model file, too large or from a newer version.

    Notes
    -----
    Nothing in a file is executed: it can only name classes from a fixed list, arrays
    are read without pickle, and names of folders and files in it are not followed.
    Memory is counted before it is taken: a file takes at most 64 times its size and 64
    MiB, mostly little more than its size, and what is counted stays within `max_bytes`.
    Every part has a checksum, so files that were damaged by accident are refused. What
    the model of a stranger predicts is still what its maker chose.

    Examples
    --------
    >>> import tempfile
    >>> import incerta as ic
    >>> fitted = ic.UKMeans(2, random_state=0).fit([[0.0], [0.2], [5.0], [5.1]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fitted.save(f"{folder}/model.incerta")
    ...     again = ic.load(f"{folder}/model.incerta")
    >>> again.predict([[4.0]])
    array([1])
    """
    file = Path(path)
    limit = physical_bytes() // 2 if max_bytes is None else int(max_bytes)
    try:
        with Archive(file, limit) as archive:
            manifest = archive.manifest()
            _check_version(file, manifest)
            arrays = archive.arrays()
        if manifest["n_arrays"] != len(arrays):
            wrong(f"{len(arrays)} of {manifest['n_arrays']} arrays are there")
        model = Decoder(arrays, archive.budget).decode(manifest["model"])
        if not is_model(model):
            wrong(f"it holds a {type(model).__name__}")
    except ModelFileError:
        raise
    # A damaged file can trip any step; whatever it says, the file is the reason.
    except Exception as error:
        reason = shorten(str(error), MOST_TOLD) or type(error).__name__
        msg = f"{file} cannot be loaded; it is damaged or not a model file: {reason}."
        if isinstance(error, MemoryError):
            msg = f"{file} does not fit into the memory that is free."
        if isinstance(error, FileNotFoundError):
            msg = f"there is no file {file}."
        raise ModelFileError(msg) from error
    return model


def _check_version(file: Path, manifest: Any) -> None:
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        refuse(file, "is not a model file of incerta")
    version = manifest.get("format_version")
    if type(version) is not int or version < 1:
        refuse(file, f"has a format version {version!r} that never existed")
    if version > FORMAT_VERSION:
        refuse(
            file,
            f"was written by incerta {manifest.get('incerta')}, format {version}; this "
            f"is incerta {__version__}, which reads formats up to {FORMAT_VERSION}. "
            "Install a newer one",
        )


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
