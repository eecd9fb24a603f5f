"""Streams of uncertain objects: what is kept of them does not grow.

Names are listed in ``__init__.pyi``, and nowhere else.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
