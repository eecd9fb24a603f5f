"""Streams of uncertain objects: what is kept of them does not grow.

Names are listed in ``__init__.pyi``, and nowhere else.
"""

from incerta.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
