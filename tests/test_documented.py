"""Public defaults are those that the documentation states."""

import ast
import importlib
import inspect
import pkgutil
import re

import pytest

import incerta

ROOMS = [found.name for found in pkgutil.iter_modules(incerta.__path__)]
STATED = re.compile(r"^(\w+(?:, \w+)*) : .*\bdefault=([^\n]+)$", re.MULTILINE)


def modules_of(room):
    package = importlib.import_module(f"incerta.{room}")
    yield package
    for found in pkgutil.iter_modules(getattr(package, "__path__", [])):
        try:
            yield importlib.import_module(f"{package.__name__}.{found.name}")
        except ImportError:
            continue  # it needs an extra


@pytest.mark.parametrize("room", ROOMS)
def test_defaults(room):
    for module in modules_of(room):
        for thing in vars(module).values():
            if callable(thing) and getattr(thing, "__module__", "") == module.__name__:
                check(thing)


def check(thing):
    text = inspect.cleandoc(thing.__doc__ or "").partition("Parameters\n---")[2]
    known = inspect.signature(thing).parameters if text else {}
    text = re.split("\n\n(?:Returns|Attributes)\n", text)[0]
    for names, stated in STATED.findall(text):
        for name in names.split(", "):
            default = known[name].default
            same = stated == repr(default) or ast.literal_eval(stated) == default
            assert same, (thing, name)
