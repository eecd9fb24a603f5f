"""Imported by the process that children are forked from, to be ready for a target.

What a target imports and prepares is then there for every child.
"""

import os
from importlib import import_module

_module = import_module(f"{__package__}.{os.environ['INCERTA_FUZZ']}")
getattr(_module, "prepare", lambda: None)()
