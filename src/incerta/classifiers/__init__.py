"""Classifiers of uncertain data, scikit-learn style.

Names are listed only in ``__init__.pyi``. A class is imported when it is first used.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
