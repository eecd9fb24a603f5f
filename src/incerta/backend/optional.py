"""Optional libraries: imported where needed, never at the start."""

import sys
from functools import partial
from importlib import import_module, resources
from importlib.util import find_spec
from typing import Any

from incerta.exceptions import MissingExtraError

# What runs the loops that numpy is slow at.
ENGINES = ("auto", "numpy", "numba")


def require(module: str, extra: str, purpose: str) -> Any:
    """Import an optional module for a purpose, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        msg = f"{purpose} needs {module}; install it with: {pip_install(extra)}"
        raise MissingExtraError(msg) from error


def pip_install(extra: str) -> str:
    """Return the command that installs an extra; all shells know double quotes."""
    return f'pip install "incerta[{extra}]"'


def installed(module: str) -> bool:
    """Tell whether a library could be imported, without importing it."""
    return find_spec(module) is not None


def comes_from(value: object, *modules: str) -> bool:
    """Tell whether `value` is of one of these libraries, without importing any."""
    return any(
        module in sys.modules
        and any(
            base.__module__.partition(".")[0] == module for base in type(value).__mro__
        )
        for module in modules
    )


def engine_for(asked: str) -> str:
    """Turn "auto" into "numba", where the extra ``fast`` is installed, or "numpy"."""
    if asked not in ENGINES:
        msg = f"engine={asked!r} must be 'auto', 'numpy' or 'numba'."
        raise ValueError(msg)
    if asked != "auto":
        return asked
    return "numba" if installed("numba") else "numpy"


def part_of_page(room: str, name: str) -> str:
    """Text of a template file of a subpackage, such as ``"incerta.report"``."""
    return (resources.files(room) / "templates" / name).read_text("utf-8")


def pages_of(room: str, purpose: str) -> Any:
    """A jinja2 environment of the package `room` that refuses undefined names."""
    jinja2 = require("jinja2", "report", purpose)
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(partial(part_of_page, room)),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
