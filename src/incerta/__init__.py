"""Cluster data with measurement errors, with the probability of each label.

Make data with `from_gaussian` (values and errors), `from_samples` (repeats),
`from_counts`, `from_interval`, `from_worlds`, `from_frame` or `read_table`. Then

- `cluster` finds clusters, with a confidence for each object;
- `choose_k` estimates the number of clusters;
- `members` finds a compact group in a broad field;
- `assess` tells how sure existing labels are;
- `compare` runs several methods on the same data.

Estimators such as `AutoClusterer` and `ErrorMixture` follow scikit-learn.

>>> import incerta as ic
>>> data = ic.from_gaussian([[0.0], [0.4], [5.0], [5.2]], std=0.2)
>>> ic.cluster(data, k=2).labels
array([0, 0, 1, 1])

Names are imported when they are first used; optional libraries are not imported.
"""

from incerta.lazy import lazy_names
from incerta.version import __version__

__getattr__, __dir__, __all__ = lazy_names(__name__, __file__)
__all__ += ["__version__"]
