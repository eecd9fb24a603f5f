"""Pages that a subpackage keeps in its folder ``templates``."""

from functools import partial
from importlib import resources
from typing import Any

from incerta.backend.optional import require


def part_of_page(room: str, name: str) -> str:
    """Text of a template file of a subpackage, such as ``"incerta.report"``."""
    return (resources.files(room) / "templates" / name).read_text("utf-8")


def pages_of(room: str, purpose: str) -> Any:
    """A jinja2 environment that escapes every text and refuses undefined names.

    Parameters
    ----------
    room : str
        Package whose templates it finds.
    purpose : str
        What they are for, for the message if jinja2 is not installed.
    """
    jinja2 = require("jinja2", "report", purpose)
    return jinja2.Environment(
        loader=jinja2.FunctionLoader(partial(part_of_page, room)),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
