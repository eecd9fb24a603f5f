"""Uncertain data, and all constructors.

Names are listed in ``__init__.pyi``, and nowhere else; each is imported when it is
first used, so that reading a table does not wait for scikit-learn. No module has the
name of a function here: who imports the one would get the other.
"""

from incerta.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
