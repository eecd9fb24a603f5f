"""Import the names of a package when they are first used.

A package lists them in its ``__init__.pyi`` and nowhere else, so that type checkers and
``import incerta`` cannot disagree.
"""

import ast
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any


def lazy_names(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` for a package with a stub."""
    home: dict[str, str] = {}
    stub = Path(file).with_suffix(".pyi").read_text(encoding="utf-8")
    for line in ast.parse(stub).body:
        if isinstance(line, ast.ImportFrom):
            module = f"{package}.{line.module}" if line.module else package
            names = [each.name for each in line.names]
            # All of a package are those of a stub, too.
            names = import_module(module).__all__ if names == ["*"] else names
            home |= dict.fromkeys(names, module)

    def get(name: str) -> Any:
        here = sys.modules[package]
        if name not in home:
            what = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(what, name=name, obj=here)
        if home[name] == package:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(home[name]), name)
        setattr(here, name, value)  # the next time is not asked here
        return value

    return get, lambda: sorted(home), sorted(home)
