"""What a result was made with."""

import platform
from importlib.metadata import version

SHOWN = ("incerta", "numpy", "scipy", "scikit-learn")


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that make the numbers."""
    return {
        "python": platform.python_version(),
        **{name: version(name) for name in SHOWN},
    }
