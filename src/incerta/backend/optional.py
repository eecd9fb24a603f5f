"""Optional libraries: imported where needed, never at the start."""

import sys
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from incerta.exceptions import MissingExtraError


def require(module: str, extra: str, purpose: str) -> Any:
    """Import an optional `module`, or say which extra brings it.

    Parameters
    ----------
    module : str
        Name of the module to import.
    extra : str
        Extra of this package that installs it.
    purpose : str
        What it is needed for, to complete the sentence "... needs <module>".
    """
    try:
        return import_module(module)
    except ImportError as error:
        msg = (
            f"{purpose} needs {module}; install it with: pip install 'incerta[{extra}]'"
        )
        raise MissingExtraError(msg) from error


def installed(module: str) -> bool:
    """Tell whether a library could be imported, without importing it."""
    return find_spec(module) is not None


def comes_from(value: object, *modules: str) -> bool:
    """Tell whether `value` is an object of one of these libraries.

    A library that has not been imported cannot have made the object, so nothing
    is imported to find out.
    """
    return any(
        module in sys.modules
        and any(
            base.__module__.partition(".")[0] == module for base in type(value).__mro__
        )
        for module in modules
    )
