"""Model files: `save`, `load`, and `Storable`, the base class of estimators in them."""

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
# Increase it when older versions could misread a file. Keep reading the older formats,
# and keep a file of each in the tests.
FORMAT_VERSION = 1
MOST_TOLD = 500  # characters of the reason in a message


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted model to a file.

    Parameters
    ----------
    model : estimator, Standardizer or Clustering
        Any fitted estimator of this library, or the result of `cluster`.
    path : str or path-like
        The file to write, usually with the extension ``.incerta``. An existing file is
        replaced when the new one is complete.

    Raises
    ------
    ModelFileError
        If an attribute of the model cannot be stored (the message names it), or if the
        file cannot be written.

    Notes
    -----
    The file is a zip of one JSON text and of ``.npy`` arrays, as large as the arrays of
    the model. It holds everything that `predict` needs, which for most methods includes
    the data. Equal models give equal bytes.

    Univariate distributions, kernel densities, and multivariate normal and t
    distributions of `scipy.stats` are stored by name and parameters, so the same worlds
    are drawn from them. Clusterers of scikit-learn are stored by parameters and fitted
    arrays. Other distributions and clusterers, and functions, cannot be stored.

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
    """Read a model from a file written by `save`.

    Parameters
    ----------
    path : str or path-like
        The file to read.
    max_bytes : int, optional
        Limit on the memory to take, by default half of this machine's memory. A file
        that needs more is refused before the memory is taken.

    Returns
    -------
    estimator, Standardizer or Clustering
        The saved model, with the same attributes and predictions to the last bit.

    Raises
    ------
    ModelFileError
        If the file is damaged, not a model file, too large or from a newer version.

    Notes
    -----
    Nothing in a file is executed. It can only name classes from a fixed list, arrays
    are read without pickle, and paths in it are not followed. Memory is counted before
    it is taken, and the count stays within `max_bytes`. A file takes at most 64 times
    its size plus 64 MiB, and usually little more than its size. Every part has a
    checksum, so files damaged by accident are refused. The predictions of a model are
    still only as trustworthy as its source.

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
    # A damaged file can make any step fail; whatever the error, the file is the cause.
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
    """Base class of scikit-learn estimators that can be written to a model file.

    Besides the parameters, a file holds the attributes named in `_stored`, with the
    type and shape of arrays, and those in `_stored_by_all` for a family of classes.
    """

    _stored: ClassVar[dict[str, str]] = {}
    _stored_by_all: ClassVar[dict[str, str]] = {}

    def __init_subclass__(cls, *, family: bool = False, **kwargs: Any) -> None:
        """Let model files name the class, unless it is the base of a family."""
        super().__init_subclass__(**kwargs)
        if cls.__module__.startswith("incerta.") and not family:
            register(cls, Recipe(_state, partial(_made, cls), is_model=True))

    def save(self, path: Any) -> None:
        """Write the fitted estimator to a file that `incerta.load` reads.

        Parameters
        ----------
        path : str or path-like
            The file to write. An existing one is replaced when the new one is complete.
        """
        save(self, path)

    @classmethod
    def _fields(cls) -> dict[str, str]:
        """Return the names and shapes of the attributes to store."""
        return {**cls._stored_by_all, **cls._stored}

    def _check_stored(self) -> None:
        """Refuse a model from a file if its parts do not fit together."""


def _state(model: Any) -> State:
    given = model.get_params(deep=False)
    state = {name: given[name] for name in given.keys() - OF_THIS_MACHINE}
    for name in model._fields():
        # Not every estimator has all attributes; some are computed on access.
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
    # Not setattr: some attributes are computed on access unless already present.
    model.__dict__.update({n: state[n] for n in fields.keys() & state.keys()})
    model._check_stored()
    return model
