"""Uncertain data, and all constructors.

Names are listed only in ``__init__.pyi``. Each is imported when it is first used, so
that reading a table does not wait for scikit-learn. No module has the name of a
function, because importing one would give the other.
"""

from incerta.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
