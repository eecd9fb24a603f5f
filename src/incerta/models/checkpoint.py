"""Finished pieces of a long computation, kept in a folder until it is complete.

Each piece is a file of the same kind as a model file: it holds numbers, no code, and is
complete or absent. A folder belongs to one computation, with its data, parameters and
seed; it is refused for any other.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from incerta.backend.memory import physical_bytes
from incerta.backend.writing import replacing
from incerta.exceptions import CheckpointError, ModelFileError
from incerta.models.archive import Archive, write_archive
from incerta.models.recipes import register_scikit_learn
from incerta.models.values import Decoder, Encoder
from incerta.version import __version__

OWNER = "checkpoint.json"


class Checkpoint(NamedTuple):
    """Where pieces are kept, or nowhere.

    Attributes
    ----------
    folder : Path or None
        None keeps nothing.
    seed : int
        Of the computation: that of the first call, also where none was given.
    """

    folder: Path | None
    seed: int

    def piece(self, name: str, make: Callable[[], Any]) -> Any:
        """Read a piece, or make it and keep it.

        Parameters
        ----------
        name : str
            Of the piece; a part of a file name.
        make : callable
            Makes it, without arguments. What it returns must be what a model file can
            hold.

        Returns
        -------
        object
            The same to the last bit, made or read.
        """
        if self.has(name):
            return self.read(name)
        made = make()
        self.write(name, made)
        return made

    def has(self, name: str) -> bool:
        """Tell whether a piece is finished."""
        return self.folder is not None and self._file(name).is_file()

    def read(self, name: str) -> Any:
        """Read a finished piece."""
        file = self._file(name)
        register_scikit_learn()
        try:
            with Archive(file, physical_bytes()) as archive:
                manifest, arrays = archive.manifest(), archive.arrays()
            return Decoder(arrays, archive.budget).decode(manifest["piece"])
        except Exception as error:
            msg = f"{file} is damaged ({error}); remove it, and it is made again."
            raise CheckpointError(msg) from error

    def write(self, name: str, made: Any) -> None:
        """Keep a piece."""
        if self.folder is None:
            return
        register_scikit_learn()
        encoder = Encoder()
        try:
            manifest = {"piece": encoder.encode(made)}
            write_archive(self._file(name), manifest, encoder.arrays)
        except ModelFileError as error:
            msg = (
                f"checkpoint={str(self.folder)!r} cannot hold {name!r}: {error} Or "
                "leave checkpoint out."
            )
            raise CheckpointError(msg) from error

    def _file(self, name: str) -> Path:
        assert self.folder is not None
        return self.folder / f"{name}.piece"


def opened(
    folder: str | os.PathLike[str] | None,
    what: str,
    parameters: Mapping[str, Any],
    data: Any,
    seed: int,
    seed_is_given: bool,
) -> Checkpoint:
    """Open the checkpoint of a computation, or begin it.

    Parameters
    ----------
    folder : path-like or None
        The folder; made if it is not there. None keeps nothing.
    what : str
        Name of the computation.
    parameters : mapping
        Whatever the result depends on, beside data and seed.
    data : UncertainData or other
        What is computed from; what a model file can hold.
    seed : int
        Of this call.
    seed_is_given : bool
        Whether it was asked for. If not, a checkpoint that is there keeps its own.

    Returns
    -------
    Checkpoint

    Raises
    ------
    CheckpointError
        If the folder is that of another computation.
    """
    if folder is None:
        return Checkpoint(None, seed)
    place = Path(folder)
    own: dict[str, Any] = {
        "computation": what,
        "incerta": __version__,
        "parameters": {name: _text(value) for name, value in parameters.items()},
        "data": _digest(data, place),
    }
    owner = place / OWNER
    try:
        place.mkdir(parents=True, exist_ok=True)
        if owner.is_file():
            there = json.loads(owner.read_text(encoding="utf-8"))
        else:
            there = {**own, "seed": seed}
            with replacing(owner) as beside:
                beside.write_text(json.dumps(there, indent=1), encoding="utf-8")
    except (OSError, ValueError) as error:
        msg = f"checkpoint={str(place)!r} cannot be used: {error}."
        raise CheckpointError(msg) from error
    if seed_is_given:
        own["seed"] = seed
    for name, value in own.items():
        if there.get(name) != value:
            _refuse(place, name, there.get(name), value)
    return Checkpoint(place, int(there["seed"]))


def _refuse(place: Path, name: str, there: Any, here: Any) -> None:
    if name == "parameters" and isinstance(there, dict):
        unlike = sorted(k for k in {*there, *here} if there.get(k) != here.get(k))
        name = f"parameters ({', '.join(unlike)})"
    elif name != "data":
        name = f"{name} ({there!r}, here {here!r})"
    msg = (
        f"checkpoint={str(place)!r} belongs to a computation with other {name}; give "
        "another folder, or remove this one."
    )
    raise CheckpointError(msg)


def _digest(data: Any, place: Path) -> str:
    """Hash of data, by what a model file would hold of them."""
    register_scikit_learn()
    encoder = Encoder()
    try:
        text = json.dumps(encoder.encode(data), sort_keys=True)
    except ModelFileError as error:
        msg = (
            f"checkpoint={str(place)!r} cannot be kept for these data: {error} Or "
            "leave checkpoint out."
        )
        raise CheckpointError(msg) from error
    found = hashlib.sha256(text.encode())
    for array in encoder.arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array).view(np.uint8).data)
    return found.hexdigest()


def _text(value: Any) -> str:
    """A parameter in words that tell it from any other."""
    if isinstance(value, partial):
        with_all = (*value.args, *sorted(value.keywords.items()))
        return f"{_text(value.func)}({', '.join(map(_text, with_all))})"
    if isinstance(value, np.ndarray):
        return f"array {value.shape} {hashlib.sha256(value.tobytes()).hexdigest()}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"[{', '.join(map(_text, value))}]"
    if hasattr(value, "get_params") and not isinstance(value, type):
        given = sorted(value.get_params(deep=True).items())
        return f"{_name(type(value))}({', '.join(map(_text, given))})"
    return _name(value) if callable(value) else repr(value)


def _name(value: Any) -> str:
    return f"{value.__module__}.{getattr(value, '__qualname__', type(value).__name__)}"
