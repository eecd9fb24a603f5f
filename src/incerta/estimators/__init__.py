"""The estimators, scikit-learn style.

Their names are listed in ``__init__.pyi``, and nowhere else; each is imported when it
is first used.
"""

from incerta.lazy import lazy_names

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
