"""Classifiers of uncertain data, scikit-learn style.

Names are listed only in ``__init__.pyi``. A class is imported when it is first used.
"""

from incerta.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
