"""Cluster data that is not exact, and learn how sure each label is.

Names are imported when they are first used, and no optional library with them.
"""

from incerta.lazy import lazy_names
from incerta.version import __version__

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
__all__ += ["__version__"]
