"""Where arrays are computed: by numpy in some threads, or on a device of torch."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]

from incerta.backend.optional import require
from incerta.typing import Array

CPU = "cpu"


def namespace(array: Any) -> Any:
    """Functions of the array API standard for an array."""
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    compat = require("array_api_compat", "gpu", "an array of torch")
    return compat.array_namespace(array)


def check_device(device: str) -> None:
    """Refuse a device that is neither "cpu" nor one that torch has, such as "cuda"."""
    if device == CPU:
        return
    torch = require("torch", "gpu", f"device={device!r}")
    try:
        kind = torch.device(device).type
    except RuntimeError as error:
        msg = f"device={device!r} must be 'cpu' or a device of torch, such as 'cuda'."
        raise ValueError(msg) from error
    if kind == "cuda" and not torch.cuda.is_available():
        msg = f"device={device!r} was asked for, but torch sees no CUDA device."
        raise ValueError(msg)


def put(array: Array, device: str) -> Any:
    """Copy an array to a device; on the CPU it stays as it is."""
    if device == CPU:
        return array
    check_device(device)
    torch = require("torch", "gpu", f"device={device!r}")
    # torch warns of arrays that are not to be written to.
    return torch.from_numpy(np.require(array, requirements=["C", "W"])).to(device)


def put_beside(array: NDArray[Any], other: Any) -> Any:
    """Copy an array to where another one is."""
    if isinstance(other, np.ndarray):
        return array
    writable = np.require(array, requirements=["W"])
    return namespace(other).asarray(writable, device=other.device)


def fetch(array: Any) -> Array:
    """Copy an array back; numpy's stay as they are."""
    if isinstance(array, np.ndarray):
        return array
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


def in_place(name: str, array: Any, *args: Any) -> Any:
    """Apply a function of the standard to each element, in numpy's own memory."""
    if isinstance(array, np.ndarray):
        return getattr(np, name)(array, *args, out=array)
    return getattr(namespace(array), name)(array, *args)


def threads(limit: int | None) -> AbstractContextManager[Any]:
    """Limit the threads of BLAS and OpenMP: small products lose by them."""
    return _controller().limit(limits=limit)


@cache
def _controller() -> ThreadpoolController:
    # To look for the libraries takes milliseconds. They do not change: numpy, scipy and
    # scikit-learn are loaded by the rooms that ask.
    return ThreadpoolController()
