"""Clustering of streams of uncertain objects, in bounded memory.

Names are listed only in ``__init__.pyi``.
"""

from incerta.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
