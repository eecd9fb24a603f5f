"""Optional libraries, imported only where they are needed."""

import sys
from functools import partial
from importlib import import_module, resources
from importlib.util import find_spec
from typing import Any

from incerta.exceptions import MissingExtraError

# Engines for the loops that are slow in numpy.
ENGINES = ("auto", "numpy", "numba")


def require(module: str, extra: str, purpose: str) -> Any:
    """Import an optional module, or raise an error that names the extra to install."""
    try:
        return import_module(module)
    except ImportError as error:
        msg = f"{purpose} needs {module}; install it with: {pip_install(extra)}"
        raise MissingExtraError(msg) from error


def pip_install(extra: str) -> str:
    """Return the command that installs an extra; double quotes work in all shells."""
    return f'pip install "incerta[{extra}]"'


def installed(module: str) -> bool:
    """Tell whether a library is installed, without importing it."""
    return find_spec(module) is not None


def comes_from(value: object, *modules: str) -> bool:
    """Tell whether the type of `value` comes from one of `modules`; import none."""
    return any(
        module in sys.modules
        and any(
            base.__module__.partition(".")[0] == module for base in type(value).__mro__
        )
        for module in modules
    )


def engine_for(asked: str) -> str:
    """Resolve "auto" to "numba" if it is installed (extra ``fast``), else "numpy"."""
    if asked not in ENGINES:
        msg = f"engine={asked!r} must be 'auto', 'numpy' or 'numba'."
        raise ValueError(msg)
    if asked != "auto":
        return asked
    return "numba" if installed("numba") else "numpy"


def part_of_page(room: str, name: str) -> str:
    """Return the text of a template in a subpackage, such as ``"incerta.report"``."""
    return (resources.files(room) / "templates" / name).read_text("utf-8")


def pages_of(room: str, purpose: str) -> Any:
    """Return a jinja2 environment for the package `room`; undefined names fail."""
    jinja2 = require("jinja2", "report", purpose)
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(partial(part_of_page, room)),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
