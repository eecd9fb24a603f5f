"""Devices for array computations: numpy on the CPU, or a device of torch."""

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
    """Return the array API namespace of an array."""
    if hasattr(array, "__array_namespace__"):
        return array.__array_namespace__()
    compat = require("array_api_compat", "gpu", "an array of torch")
    return compat.array_namespace(array)


def check_device(device: str) -> None:
    """Refuse a device other than "cpu" or an available torch device, such as "cuda"."""
    if device == CPU:
        return
    torch = require("torch", "gpu", f"device={device!r}")
    try:
        kind = torch.device(device).type
    except RuntimeError as error:
        msg = f"device={device!r} must be 'cpu' or a device of torch, such as 'cuda'."
        raise ValueError(msg) from error
    if kind == "cuda" and not torch.cuda.is_available():
        msg = f"device={device!r} was requested, but torch sees no CUDA device."
        raise ValueError(msg)


def put(array: Array, device: str) -> Any:
    """Copy an array to a device; for the CPU, return it unchanged."""
    if device == CPU:
        return array
    check_device(device)
    torch = require("torch", "gpu", f"device={device!r}")
    # torch warns about read-only arrays.
    return torch.from_numpy(np.require(array, requirements=["C", "W"])).to(device)


def put_beside(array: NDArray[Any], other: Any) -> Any:
    """Copy an array to the device of another array."""
    if isinstance(other, np.ndarray):
        return array
    writable = np.require(array, requirements=["W"])
    return namespace(other).asarray(writable, device=other.device)


def fetch(array: Any) -> Array:
    """Copy an array back to the CPU; return numpy arrays unchanged."""
    if isinstance(array, np.ndarray):
        return array
    return np.asarray(array.cpu() if hasattr(array, "cpu") else array)


def in_place(name: str, array: Any, *args: Any) -> Any:
    """Apply an elementwise array API function, in place if the array is numpy's."""
    if isinstance(array, np.ndarray):
        return getattr(np, name)(array, *args, out=array)
    return getattr(namespace(array), name)(array, *args)


def threads(limit: int | None) -> AbstractContextManager[Any]:
    """Limit the threads of BLAS and OpenMP, which slow down small matrix products."""
    return _controller().limit(limits=limit)


@cache
def _controller() -> ThreadpoolController:
    # Searching for the libraries takes milliseconds. The result does not change: the
    # callers have already loaded numpy, scipy and scikit-learn.
    return ThreadpoolController()
