"""Clustering of streams of uncertain objects, in bounded memory.

Names are listed only in ``__init__.pyi``.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
